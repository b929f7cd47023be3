// The pane: two tabs, and over them a clause or a page until it is closed. On a narrow screen the pane is a sheet.
import { byId } from "./get.js";
import { explainTerms } from "./terms.js";

const TABS = ["evidence", "browse"];
const NARROW = window.matchMedia("(max-width: 899px)");
let tab = "evidence";
let over = []; // views over the tab, the topmost last: "clause", "page"
let returnTo = null; // what had the focus before the first of them

export const view = () => over.at(-1) || tab;

function draw() {
  for (const name of [...TABS, "clause", "page"]) byId(`view-${name}`).hidden = name !== view();
  for (const name of TABS) {
    const button = byId(`tab-${name}`);
    button.setAttribute("aria-selected", String(name === tab));
    button.tabIndex = name === tab ? 0 : -1;
  }
}

export function showTab(name) {
  tab = name;
  over = [];
  draw();
}

export function showOver(name) {
  if (!over.length) returnTo = document.activeElement;
  over = [...over.filter((one) => one !== name), name];
  draw();
  openSheet();
  byId(`view-${name}`).focus({ preventScroll: true });
}

// One step back; false when there is nothing to close.
export function back() {
  if (over.length) {
    over.pop();
    draw();
    if (over.length) byId(`view-${view()}`).focus({ preventScroll: true });
    else returnTo?.isConnected && returnTo.focus({ preventScroll: true });
    if (!over.length && tab === "evidence") closeSheet();
    return true;
  }
  return closeSheet();
}

export function openSheet() {
  document.body.classList.add("sheet");
}

export function closeSheet() {
  const open = document.body.classList.contains("sheet");
  document.body.classList.remove("sheet");
  return open && NARROW.matches;
}

// The cards of a turn; "" where it has none.
export function showCards(html, told, of = "") {
  byId("cards-of").textContent = of;
  const box = byId("cards");
  if (html) {
    box.innerHTML = html;
    for (const card of cards()) explainTerms(card);
  } else {
    const note = document.createElement("p");
    note.className = "empty";
    note.textContent = told;
    box.replaceChildren(note);
  }
  byId("view-evidence").scrollTop = 0;
}

export const cards = () => [...byId("cards").querySelectorAll(".card")];

export function startPane() {
  for (const name of TABS) {
    byId(`tab-${name}`).addEventListener("click", () => showTab(name));
    byId(`tab-${name}`).addEventListener("keydown", (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      event.stopPropagation();
      const next = TABS.find((one) => one !== name);
      showTab(next);
      byId(`tab-${next}`).focus();
    });
  }
}
