// The conversation: what its buttons do, which turn's clauses stand in the pane, the keyboard, the question in the address.
import { browseFor, openArticle, openClause } from "./browse.js";
import { byId } from "./get.js";
import { openPage, prepare, stepCitation, turnPage } from "./page.js";
import { back, cards, openSheet, showCards, showTab, view } from "./pane.js";
import { hideHint } from "./terms.js";

const NONE = "This answer cites no clause.";
const REFUSED = "The regulations do not answer this, so no source is shown.";
const EMPTY = "The clauses that an answer rests on stand here, word for word. Choose one to see its page.";
const TOLD_MS = 1600;
const box = () => document.querySelector("#question textarea");
const asking = () => document.querySelector("#chat .answer.pending") !== null;
let shownTurn = null;

export function ask(question) {
  const field = box();
  if (!field || asking()) return;
  field.value = question;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  setTimeout(() => byId("send").click(), 30); // Gradio takes the text over first
}

const asked = (turn) => turn.querySelector(".question").textContent;

// Put a turn's clauses into the pane, unless they stand there.
function showTurn(turn) {
  if (shownTurn === turn && turn.isConnected && turn.dataset.shown === asked(turn)) return;
  for (const one of document.querySelectorAll(".turn.shown")) one.classList.remove("shown");
  shownTurn = turn;
  turn.dataset.shown = asked(turn);
  turn.classList.add("shown");
  const last = [...document.querySelectorAll(".turn")].at(-1);
  const none = turn.querySelector(".answer.refused") ? REFUSED : NONE;
  showCards(turn.querySelector(".sources")?.innerHTML || "", none, turn === last ? "" : asked(turn));
  const first = cards().find((one) => one.classList.contains("paged"));
  if (first) prepare(first).catch(() => {}); // told where its page is opened
}

// A chip or card that is pointed at will be opened: its page is fetched.
function pointed(event) {
  const chip = event.target.closest?.("#talk button.chip");
  const card = chip ? cards().find((one) => one.dataset.clause === chip.dataset.clause) : event.target.closest?.("#side .card");
  if (card?.classList.contains("paged")) prepare(card).catch(() => {});
}

function openChip(chip) {
  hideHint();
  showTurn(chip.closest(".turn"));
  const card = cards().find((one) => one.dataset.clause === chip.dataset.clause);
  if (!card) return;
  if (card.classList.contains("paged")) openPage(card, true);
  else {
    showTab("evidence");
    openSheet();
    card.focus();
  }
}

async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without a secure address there is no clipboard: the old way.
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  const label = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = label), TOLD_MS);
}

// A clause's own words, under where they stand.
function clauseText(card) {
  const told = (name) => card.querySelector(name).innerText.trim();
  return `${told(".id")}, ${told(".place").replaceAll(" · ", ", ")}\n${told(".words").replace(/\n{2,}/g, "\n")}`;
}

async function thumb(button, helpful) {
  const turn = button.closest(".turn");
  const sent = await fetch("api/feedback", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ question: asked(turn), helpful }),
  }).catch(() => null);
  if (!sent?.ok) return;
  for (const one of turn.querySelectorAll(".thumb")) one.setAttribute("aria-pressed", String(one === button));
}

const DO = {
  copy: (button) => copy(button, button.dataset.copy),
  take: (button) => copy(button, clauseText(button.closest(".card"))),
  link: (button) => copy(button, `${location.origin}${location.pathname}?q=${encodeURIComponent(asked(button.closest(".turn")))}`),
  retry: () => asking() || byId("retry").click(),
  sources: (button) => {
    showTurn(button.closest(".turn"));
    showTab("evidence");
    openSheet();
  },
  helpful: (button) => thumb(button, true),
  unhelpful: (button) => thumb(button, false),
  fresh: () => byId("fresh").click(),
  export: () => byId("take").click(),
  browse: () => {
    showTab("browse");
    openSheet();
    byId("find").focus();
  },
  back,
  close: back,
};

function pressed(event) {
  const target = event.target;
  const button = target.closest("button");
  if (button?.classList.contains("chip")) return openChip(button);
  if (button?.dataset.do) return DO[button.dataset.do](button);
  if (button?.dataset.ask) return ask(button.dataset.ask);
  if (button?.dataset.find) return browseFor(button.dataset.find);
  if (button?.dataset.article) return openArticle(button.dataset.article, button.closest(".card")?.dataset.clause || "");
  if (button?.dataset.open) {
    hideHint();
    return openClause(button.dataset.open);
  }
  const card = target.closest("#side .card.paged");
  if (card && (!button || button.classList.contains("to-page")) && !String(getSelection())) openPage(card, cards().includes(card));
  return undefined;
}

function typed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
  if (event.key === "Escape") {
    if (!hideHint() && !back()) typing?.blur();
    return;
  }
  if (typing) return;
  if (event.key === "/") {
    event.preventDefault();
    box()?.focus();
  } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (stepCitation(event.key === "ArrowRight" ? 1 : -1)) event.preventDefault();
  } else if ((event.key === "PageUp" || event.key === "PageDown") && view() === "page") {
    event.preventDefault();
    turnPage(event.key === "PageDown" ? 1 : -1);
  }
}

// The turn that is being written stays in sight, unless the reader has scrolled away; once whole, its clauses are shown.
function follow() {
  const talk = byId("talk");
  let atEnd = true;
  let whole = "";
  talk.addEventListener("scroll", () => (atEnd = talk.scrollHeight - talk.scrollTop - talk.clientHeight < 80), { passive: true });
  const changed = () => {
    if (asking()) {
      if (!whole) return void (atEnd && (talk.scrollTop = talk.scrollHeight));
      whole = "";
      atEnd = true;
    }
    const turn = document.querySelector("#current .turn");
    const done = turn && turn.querySelector(".turn-foot") ? asked(turn) + turn.querySelector(".answer").innerHTML : "";
    if (done && done !== whole) {
      whole = done;
      if (shownTurn === turn) shownTurn = null;
      showTurn(turn);
      if (view() !== "page") showTab("evidence");
    } else if (!turn && shownTurn) {
      shownTurn = null;
      whole = "";
      showCards("", EMPTY);
      showTab("evidence");
    }
    if (atEnd) talk.scrollTop = talk.scrollHeight;
  };
  new MutationObserver(changed).observe(byId("current"), { childList: true, subtree: true, characterData: true });
  changed();
}

function askAddress() {
  const address = new URL(location.href);
  const question = address.searchParams.get("q")?.trim();
  if (!question) return;
  address.searchParams.delete("q");
  history.replaceState(null, "", address);
  ask(question);
}

function save(text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = "techreg-conversation.md";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

export function startChat() {
  window.techreg = { save };
  document.addEventListener("click", pressed);
  document.addEventListener("keydown", typed);
  document.addEventListener("mouseover", pointed);
  follow();
  askAddress();
}
