// The tree of what is indexed, looking up by article or word, and one clause to read.
import { byId, get, make } from "./get.js";
import { showOver, showTab } from "./pane.js";
import { explainTerms } from "./terms.js";

const TYPING_MS = 120;
let asked = 0;

// One closed branch a document; it is filled when it is opened.
export function showDocuments(documents) {
  byId("tree").replaceChildren(
    ...documents.map((one) => {
      const name = one.issue ? one.title : one.file;
      const told = one.issue ? `issue ${one.issue}, ${one.date}` : "";
      const state = one.status === "superseded" ? " · superseded" : "";
      const branch = make(
        "details",
        { class: "document" },
        make("summary", {}, make("b", {}, one.issue ? one.section : ""), ` ${name} `, make("span", { class: "quiet" }, told + state)),
      );
      branch.addEventListener("toggle", () => branch.open && branch.children.length === 1 && grow(branch, one.sha256));
      return branch;
    }),
  );
}

async function grow(branch, sha256) {
  const room = make("ul", {});
  branch.append(room);
  try {
    room.append(...(await get(`tree/${sha256}`)).map(leaf));
  } catch (error) {
    room.append(make("li", { class: "empty" }, error.message));
  }
}

function leaf(node) {
  const year = node.year ? [make("span", { class: "badge future" }, node.year)] : [];
  const named = [make("b", {}, node.label), ` ${node.title} `, ...year];
  if (node.id) return make("li", {}, make("button", { type: "button", class: "leaf", "data-open": node.id }, ...named));
  const branch = make("details", {}, make("summary", {}, ...named));
  branch.addEventListener("toggle", () => {
    if (branch.open && branch.children.length === 1) branch.append(make("ul", {}, ...node.children.map(leaf)));
  });
  return make("li", {}, branch);
}

async function find(wanted) {
  const mine = ++asked;
  const list = byId("found");
  list.hidden = !wanted;
  byId("tree").hidden = Boolean(wanted);
  byId("found-told").textContent = "";
  if (!wanted) return;
  const { section, issue, status } = Object.fromEntries([...document.querySelectorAll("#filters select")].map((one) => [one.name, one.value]));
  let found = [];
  let told = "";
  try {
    found = await get("find", { q: wanted, section, issue, status });
    told = found.length ? "" : `Nothing in force holds “${wanted}”.`;
    if (status !== "in_force" && !found.length) told = `Nothing holds “${wanted}”.`;
  } catch (error) {
    told = error.message;
  }
  if (mine !== asked) return;
  byId("found-told").textContent = told;
  list.replaceChildren(
    ...found.map((one) =>
      make(
        "li",
        {},
        make(
          "button",
          { type: "button", class: "found", "data-open": one.id },
          make("b", {}, one.label),
          one.title ? ` ${one.title}` : "",
          ...(one.year ? [" ", make("span", { class: "badge future" }, one.year)] : []),
          make("span", { class: "snippet" }, ...lit(one.snippet, wanted)),
        ),
      ),
    ),
  );
}

// The snippet with the searched words marked.
function lit(text, wanted) {
  const words = wanted.split(/\s+/).filter((word) => word.length > 1).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!words.length) return [text];
  const cut = text.split(new RegExp(`(${words.join("|")})`, "i"));
  return cut.map((piece, at) => (at % 2 ? make("mark", {}, piece) : piece));
}

export async function openClause(id) {
  const found = await get("clause", { id }).catch((error) => ({ error: error.message }));
  const box = byId("clause");
  if (found.error) {
    box.replaceChildren(make("p", { class: "empty" }, found.error));
    byId("clause-name").textContent = "";
  } else {
    box.innerHTML = found.html;
    explainTerms(box.querySelector(".card"));
    byId("clause-name").textContent = found.label;
  }
  for (const side of ["before", "after"]) {
    const button = byId(`clause-${side}`);
    button.disabled = !found[side];
    button.dataset.open = found[side]?.id || "";
    button.title = found[side]?.label || "";
  }
  showOver("clause");
  byId("view-clause").scrollTop = 0;
}

// What a reference names, as seen from the clause that makes it.
export async function openArticle(article, near = "") {
  try {
    openClause((await get(`named/${encodeURIComponent(article)}`, { near })).id);
  } catch {
    browseFor(article);
  }
}

export function browseFor(wanted) {
  showTab("browse");
  document.body.classList.add("sheet");
  byId("find").value = wanted;
  find(wanted);
}

export function startBrowsing() {
  let timer = 0;
  byId("find").addEventListener("input", (event) => {
    clearTimeout(timer);
    timer = setTimeout(() => find(event.target.value.trim()), TYPING_MS);
  });
}
