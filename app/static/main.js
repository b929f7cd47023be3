// The page's own behaviour. Gradio draws the conversation; the pane beside it is drawn here, from /api.
import { startChat } from "./chat.js";
import { startBrowsing } from "./browse.js";
import { startPage } from "./page.js";
import { startPane } from "./pane.js";
import { startProgress } from "./progress.js";
import { startTerms } from "./terms.js";

// Gradio draws the page some moments after this runs.
function begin() {
  if (!document.querySelector(".pane") || !document.getElementById("progress")) {
    setTimeout(begin, 50);
    return;
  }
  startPane();
  startPage();
  startBrowsing();
  startTerms();
  startChat();
  startProgress();
}
begin();
