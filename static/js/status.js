/*
 * Writes the status line and what depends on it, from chat-state{status, label} and chat-changes. Text only: no node is replaced.
 * Elements: #statusline[data-status], #goto-card, #stop-form, #changes-slot, #conversation with data-text-still-working and
 * data-title-waiting (prefix of the window's title while an approval waits).
 */
import { byId, show, toggle, words } from "./dom.js";
import { say } from "./announcer.js";

const STILL_WORKING_AT = [15000, 60000];
let timers = [];

function watchWork(status) {
  timers.forEach(clearTimeout);
  timers = status === "working"
    ? STILL_WORKING_AT.map((after) => setTimeout(() => say(words("conversation", "textStillWorking"), "A2"), after))
    : [];
}

function markTitle(isWaiting) {
  const prefix = words("conversation", "titleWaiting");
  if (!prefix) return;
  const plain = document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title;
  document.title = isWaiting ? prefix + plain : plain;
}

function apply({ status, label, card }) {
  const line = byId("statusline");
  if (!line) return;
  const before = line.dataset.status;
  if (line.textContent !== label) line.textContent = label;
  line.dataset.status = status;
  const link = byId("goto-card")?.querySelector("a");
  if (link && card) link.setAttribute("href", `#${card}`);
  const isWaiting = status === "awaiting_approval" || status === "awaiting_input";
  toggle(byId("goto-card"), status === "awaiting_approval");
  toggle(byId("skip-to-card"), status === "awaiting_approval");
  toggle(byId("stop-form"), status === "working" || isWaiting);
  if (status !== before) {
    markTitle(status === "awaiting_approval");
    watchWork(status);
  }
}

export function startStatus() {
  watchWork(byId("statusline")?.dataset.status);
  document.addEventListener("chat-state", ({ detail }) => apply(detail));
  document.addEventListener("chat-changes", () => show(byId("changes-slot")));
}
