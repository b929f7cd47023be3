// Defined terms: the first time a card uses one it is underlined, and explained on hover and focus.
import { byId, get, make } from "./get.js";

let terms = null; // a promise of all of them
const patterns = new Map(); // section -> {pattern, known}

export function forgetTerms() {
  terms = null;
  patterns.clear();
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const sectionOf = (card) => card.dataset.section;

// A section's own terms come before those of Section A, which hold everywhere.
async function of(section) {
  terms ??= get("terms").catch(() => []);
  const all = await terms;
  if (!patterns.has(section)) {
    const known = new Map();
    for (const from of ["A", section]) for (const one of all) if (one.section === from) known.set(one.term, one);
    const names = [...known.keys()].filter((name) => name.length > 1).sort((a, b) => b.length - a.length);
    const pattern = names.length ? new RegExp(`(?<![\\p{L}\\d-])(${names.map(escaped).join("|")})(?=s?(?![\\p{L}\\d-]))`, "u") : null;
    patterns.set(section, { pattern, known });
  }
  return patterns.get(section);
}

export async function explainTerms(card) {
  const { pattern, known } = await of(sectionOf(card));
  if (!pattern) return;
  const seen = new Set();
  const walker = document.createTreeWalker(card.querySelector(".words"), NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("button")) nodes.push(walker.currentNode);
  for (const node of nodes) dress(node, pattern, known, seen, card.dataset.clause);
}

function dress(node, pattern, known, seen, own) {
  let rest = node;
  let from = 0;
  for (;;) {
    const found = pattern.exec(rest.data.slice(from));
    if (!found) return;
    const at = from + found.index;
    const term = known.get(found[1]);
    if (seen.has(term.term) || term.id === own) {
      from = at + found[1].length;
      continue;
    }
    seen.add(term.term);
    const word = rest.splitText(at);
    rest = word.splitText(found[1].length);
    from = 0;
    const button = make("button", { type: "button", class: "term", "data-open": term.id }, found[1]);
    button.explains = term;
    word.replaceWith(button);
  }
}

function hint(event) {
  const button = event.target.closest?.(".term");
  const box = byId("hint");
  if (!button?.explains) return;
  box.textContent = button.explains.text;
  box.hidden = false;
  button.setAttribute("aria-describedby", "hint");
  const place = button.getBoundingClientRect();
  const left = Math.min(place.left, window.innerWidth - box.offsetWidth - 12);
  const below = place.bottom + 6;
  const fits = below + box.offsetHeight < window.innerHeight;
  box.style.left = `${Math.max(12, left)}px`;
  box.style.top = `${fits ? below : place.top - box.offsetHeight - 6}px`;
}

export function hideHint() {
  const box = byId("hint");
  const open = !box.hidden;
  box.hidden = true;
  return open;
}

export function startTerms() {
  document.body.append(byId("hint")); // out of the sheet, which would cut it off
  for (const kind of ["mouseover", "focusin"]) document.addEventListener(kind, hint);
  for (const kind of ["mouseout", "focusout"])
    document.addEventListener(kind, (event) => event.target.closest?.(".term") && hideHint());
  document.addEventListener("scroll", hideHint, true);
}
