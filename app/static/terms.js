// Hints, on hover and focus: what a defined term means, the first time a card uses it, and what a chip quotes.
import { byId, get, make } from "./get.js";

const QUOTED = 320;
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

// What a chip stands for: where its clause is, and the words it quotes.
function quoted(chip) {
  const card = [...chip.closest(".turn").querySelectorAll(".sources .card")].find((one) => one.dataset.clause === chip.dataset.clause);
  if (!card) return "";
  const words = [...card.querySelectorAll("mark, .hit")].map((one) => (one.cells ? [...one.cells].map((cell) => cell.textContent).join(" | ") : one.textContent));
  const told = words.join(" ");
  return `${card.querySelector(".place").textContent}\n${told.length > QUOTED ? told.slice(0, QUOTED) + " …" : told}`;
}

function hint(event) {
  const button = event.target.closest?.(".term, button.chip");
  const box = byId("hint");
  if (!button || (event.type === "focusin" && !button.matches(":focus-visible"))) return;
  const told = button.explains ? button.explains.text : button.matches(".chip") ? quoted(button) : "";
  if (!told) return;
  box.textContent = told;
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
    document.addEventListener(kind, (event) => event.target.closest?.(".term, button.chip") && hideHint());
  document.addEventListener("scroll", hideHint, true);
}
