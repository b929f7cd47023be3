// How far the index is while it is built; then the header is drawn anew, and what depends on the documents is asked for.
import { byId, get, make } from "./get.js";
import { showDocuments } from "./browse.js";
import { forgetTerms } from "./terms.js";

const POLL_MS = 1500;
let known = "";

const of = (done, total) => (total ? `${done} of ${total}` : `${done}`);

function show(health) {
  const box = byId("progress");
  if (!box) return;
  const now = health.indexing;
  box.dataset.status = health.status;
  box.replaceChildren();
  if (health.error) {
    box.append(`${health.error.message}. ${health.error.fix}`);
  } else if (now) {
    const reading = now.stage === "read";
    const total = reading ? now.pages_total : now.clauses_total;
    const bar = make("progress", { "aria-label": "Indexing" });
    if (total) {
      bar.max = total;
      bar.value = reading ? now.pages : now.clauses;
    }
    const told = reading
      ? `Reading ${of(now.pages, now.pages_total)} pages`
      : `Indexing ${of(now.clauses, now.clauses_total)} clauses. What is indexed can be asked already.`;
    box.append(bar, make("span", {}, told));
  } else if (health.status === "starting" || health.status === "indexing") {
    box.append(make("span", {}, "Opening the index …"));
  }
}

// What is indexed has changed: the filters, the examples and the tree are those of the documents.
async function documentsOf(health) {
  const told = JSON.stringify(health.documents);
  if (told === known || !health.documents.length) return;
  const start = await get("start");
  known = told;
  forgetTerms();
  showDocuments(start.documents);
  showFilters(start.documents);
  showExamples(start.examples);
  document.body.classList.toggle("thumbs", start.thumbs);
  byId("refresh")?.click();
}

function showFilters(documents) {
  const unique = (values) => [...new Set(values)].filter(Boolean).sort();
  const named = new Map(documents.map((one) => [one.section, one.title]));
  fill("section", "All sections", unique(documents.map((one) => one.section)), (section) =>
    section.length === 1 ? `${section} · ${named.get(section)}` : section,
  );
  fill("issue", "Any issue", unique(documents.map((one) => one.issue)), (issue) => `Issue ${issue}`);
}

function fill(name, all, values, told) {
  const select = document.querySelector(`#filters select[name="${name}"]`);
  const chosen = select.value;
  select.replaceChildren(make("option", { value: "" }, all), ...values.map((one) => make("option", { value: one }, told(one))));
  select.value = values.includes(chosen) ? chosen : "";
}

function showExamples(sections) {
  byId("examples").replaceChildren(
    ...sections
      .filter((one) => one.questions.length)
      .map((one) => {
        const name = one.section.length === 1 ? `${one.section} · ${one.title}` : one.section;
        const asked = one.questions.map((question) => make("button", { type: "button", "data-ask": question }, question));
        return make("div", { class: "example" }, make("h3", {}, name), ...asked);
      }),
  );
}

// Asks often while the index is built, seldom afterwards: another command may add a document.
async function poll() {
  let calm = false;
  try {
    const response = await fetch("api/health", { cache: "no-store" });
    const health = await response.json();
    show(health);
    await documentsOf(health);
    calm = health.status === "ready";
  } catch {
    // The server is busy or restarting: ask again.
  }
  setTimeout(poll, calm ? 20 * POLL_MS : POLL_MS);
}

export function startProgress() {
  poll();
}
