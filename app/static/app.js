// The page's own behaviour: progress while the index is built, chips that open their clause, "/" to the question box.
(() => {
  "use strict";
  const POLL_MS = 1500;

  const of = (done, total) => (total ? `${done} of ${total}` : `${done}`);

  function showProgress(health) {
    const box = document.getElementById("progress");
    if (!box) return;
    const now = health.indexing;
    box.dataset.status = health.status;
    box.replaceChildren();
    if (health.error) {
      box.append(`${health.error.message}. ${health.error.fix}`);
    } else if (health.status === "indexing" && now) {
      const bar = document.createElement("progress");
      const reading = now.stage === "read";
      const total = reading ? now.pages_total : now.clauses_total;
      if (total) {
        bar.max = total;
        bar.value = reading ? now.pages : now.clauses;
      }
      const said = document.createElement("span");
      said.textContent = reading
        ? `Reading: ${of(now.pages, now.pages_total)} pages`
        : `Indexing: ${of(now.clauses, now.clauses_total)} clauses. What is indexed can be asked already.`;
      box.append(bar, said);
    } else if (health.status === "starting" || health.status === "indexing") {
      box.append("Opening the index …");
    }
  }

  // Asks until the index is ready, then has the header drawn anew: it names what is indexed.
  async function poll() {
    let ready = false;
    try {
      const health = await (await fetch("api/health", { cache: "no-store" })).json();
      showProgress(health);
      ready = health.status === "ready";
      if (ready) document.querySelector("#refresh")?.click();
    } catch {
      // The server is busy or restarting: ask again.
    }
    if (!ready) setTimeout(poll, POLL_MS);
  }

  function openClause(id) {
    const card = document.getElementById("clause-" + id);
    if (!card) return;
    card.scrollIntoView({ behavior: "smooth", block: "nearest" });
    card.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const chip = event.target.closest(".chip");
    if (chip) openClause(chip.dataset.clause);
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, [contenteditable]");
    if (event.key === "/" && !typing) {
      event.preventDefault();
      document.querySelector("#question textarea")?.focus();
    }
  });

  // The turn that is being written stays in sight, unless the reader has scrolled away from the end.
  function follow() {
    const chat = document.getElementById("chat");
    let atEnd = true;
    chat.addEventListener("scroll", () => {
      atEnd = chat.scrollHeight - chat.scrollTop - chat.clientHeight < 80;
    });
    new MutationObserver(() => {
      if (atEnd) chat.scrollTop = chat.scrollHeight;
    }).observe(document.getElementById("current"), { childList: true, subtree: true, characterData: true });
  }

  function begin() {
    const box = document.getElementById("progress");
    if (!box) return setTimeout(begin, 100);
    follow();
    if (box.dataset.status !== "ready") poll();
  }
  begin();
})();
