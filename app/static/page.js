// The page of a clause: its picture, the clause's lines lit, the quoted ones more.
import { byId, get, make } from "./get.js";
import { cards, showOver, view } from "./pane.js";

const ZOOMS = [100, 115, 130, 150, 200, 300]; // at 115 the margins are left out
let shown = null; // {id, label, section, issue, sha256, pages, marks, number}
let zoom = window.matchMedia("(max-width: 520px)").matches ? 1 : 0; // a whole page is too small to read on a phone
let asked = 0; // the last page that was asked for: a slower answer to an earlier one is dropped
let citation = -1;

const picture = (sha256, number) => `api/page/${sha256}/${number}.png`;

// Where a card's clause stands; asked for once a card, and its page fetched, before anybody wants to see it.
export function prepare(card) {
  card.stands ??= get("marks", { id: card.dataset.clause, spans: card.dataset.spans }).then((found) => {
    fetchAhead(found.sha256, found.first);
    return found;
  });
  card.stands.catch(() => delete card.stands);
  return card.stands;
}

// Open the page of a card; `list` is true where the card is one of the answer's citations.
export async function openPage(card, list = false) {
  const mine = ++asked;
  const all = cards();
  citation = list ? all.indexOf(card) : -1;
  for (const one of all) one.classList.toggle("current", one === card);
  let found;
  try {
    found = await prepare(card);
  } catch (error) {
    found = { error: error.message, label: "", marks: {} };
  }
  if (mine !== asked) return;
  shown = { ...found, number: found.first };
  showOver("page");
  draw(true);
}

function draw(toMark = false) {
  const { number, pages, label, section, issue } = shown;
  byId("page-error").hidden = !shown.error;
  byId("page-error").textContent = shown.error || "";
  byId("paper").hidden = Boolean(shown.error);
  byId("page-name").textContent = label;
  if (shown.error) return;
  byId("page-place").textContent = [section.length === 1 ? `Section ${section}` : section, issue && `issue ${issue}`].filter(Boolean).join(", ");
  byId("page-number").textContent = `${number} / ${pages}`;
  byId("page-before").disabled = number <= 1;
  byId("page-after").disabled = number >= pages;
  const all = cards();
  byId("page-cited").hidden = citation < 0 || all.length < 2;
  byId("cited-number").textContent = `${citation + 1} / ${all.length}`;
  byId("cited-before").disabled = citation <= 0;
  byId("cited-after").disabled = citation >= all.length - 1;
  byId("zoom-told").textContent = `${ZOOMS[zoom]}%`;
  byId("zoom-out").disabled = zoom === 0;
  byId("zoom-in").disabled = zoom === ZOOMS.length - 1;
  byId("paper").style.width = `${ZOOMS[zoom]}%`;
  byId("open-pdf").href = `api/document/${shown.sha256}.pdf#page=${number}`;
  const boxes = shown.marks[number] || [];
  const image = byId("page-image");
  const address = picture(shown.sha256, number);
  if (image.getAttribute("src") !== address) {
    image.setAttribute("src", address);
    image.alt = `Page ${number} of Section ${section}${issue ? ", issue " + issue : ""}`;
  }
  byId("page-marks").replaceChildren(
    ...boxes.map((box) => {
      const mark = make("i", box.strong ? { class: "strong" } : {});
      for (const side of ["left", "top", "width", "height"]) mark.style[side] = `${100 * box[side]}%`;
      return mark;
    }),
  );
  if (toMark) toFirst(boxes);
  for (const near of [number - 1, number + 1]) if (near >= 1 && near <= pages) fetchAhead(shown.sha256, near);
}

function toFirst(boxes) {
  const first = boxes.find((box) => box.strong) || boxes[0];
  const go = () => {
    const scroll = byId("page-scroll");
    const paper = byId("paper");
    scroll.scrollTop = first ? first.top * paper.clientHeight - scroll.clientHeight / 3 : 0;
    const over = paper.clientWidth - scroll.clientWidth;
    // The text's whole width while it fits; else from the number in the margin on.
    scroll.scrollLeft = ZOOMS[zoom] <= 115 || !first ? over / 2 : (first.left - 0.11) * paper.clientWidth;
  };
  const image = byId("page-image");
  if (image.complete && image.naturalWidth) go();
  else image.addEventListener("load", go, { once: true });
}

const ahead = new Set();
function fetchAhead(sha256, number) {
  const address = picture(sha256, number);
  if (ahead.has(address)) return;
  ahead.add(address);
  new Image().src = address;
}

export function turnPage(step) {
  if (!shown || shown.error) return;
  const number = shown.number + step;
  if (number < 1 || number > shown.pages) return;
  shown.number = number;
  draw(true);
}

// The citation before or after: its page while a page is open, else its card.
export function stepCitation(step) {
  const all = cards();
  if (!all.length) return false;
  const at = all.findIndex((one) => one.classList.contains("current"));
  const next = all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))];
  if (view() === "page") {
    if (next.classList.contains("paged")) openPage(next, true);
  } else {
    for (const one of all) one.classList.toggle("current", one === next);
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
  }
  return true;
}

function setZoom(step) {
  const scroll = byId("page-scroll");
  const middle = (scroll.scrollTop + scroll.clientHeight / 2) / (byId("paper").clientHeight || 1);
  zoom = Math.max(0, Math.min(ZOOMS.length - 1, zoom + step));
  draw();
  scroll.scrollTop = middle * byId("paper").clientHeight - scroll.clientHeight / 2;
}

export function startPage() {
  const press = { "page-before": () => turnPage(-1), "page-after": () => turnPage(1), "zoom-in": () => setZoom(1), "zoom-out": () => setZoom(-1), "cited-before": () => stepCitation(-1), "cited-after": () => stepCitation(1) };
  for (const [id, act] of Object.entries(press)) byId(id).addEventListener("click", act);
  byId("page-image").addEventListener("error", () => {
    byId("page-error").textContent = "This page cannot be drawn: its file is gone or has changed.";
    byId("page-error").hidden = false;
  });
  byId("page-image").addEventListener("load", () => (byId("page-error").hidden = true));
}
