/*
 * Writes the status line and what depends on it, from chat-state{status, label, detail, card, stoppable, retryable, title} and
 * chat-changes{rev, run}. Text only: no node is replaced.
 * Elements: #statusline[data-status], #status-detail, #goto-card, #skip-to-card, #stop-form, #retry-form, #changes-slot[data-rev], #conversation
 * with data-text-still-working, data-text-changes and data-title-waiting (prefix of the window's title while an approval waits).
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

/** The first message gives a conversation its title. */
function rename(title) {
  const heading = document.querySelector("#conversation h1 bdi");
  if (!title || !heading || heading.textContent === title) return;
  document.title = document.title.replace(heading.textContent, () => title);
  heading.textContent = title;
  const link = document.querySelector(".threads__link[aria-current] bdi");
  if (link) link.textContent = title;
}

function apply({ status, label, detail, card, stoppable, retryable, title }) {
  const line = byId("statusline");
  if (!line) return;
  const before = line.dataset.status;
  rename(title);
  const listed = document.querySelector(".threads__link[aria-current] .threads__state:last-child");
  if (listed && listed.textContent !== label) listed.textContent = label;
  if (line.textContent !== label) line.textContent = label;
  line.dataset.status = status;
  const more = byId("status-detail");
  if (more && detail) more.textContent = detail;
  toggle(more, Boolean(detail));
  for (const id of ["goto-card", "skip-to-card"]) {
    if (card) byId(id)?.querySelector("a")?.setAttribute("href", `#${card}`);
  }
  const isWaiting = status === "awaiting_approval" || status === "awaiting_input";
  toggle(byId("goto-card"), status === "awaiting_approval");
  toggle(byId("skip-to-card"), status === "awaiting_approval");
  toggle(byId("stop-form"), stoppable ?? (status === "working" || isWaiting));
  toggle(byId("retry-form"), Boolean(retryable));
  if (status !== before) {
    markTitle(status === "awaiting_approval");
    watchWork(status);
  }
}

/** Changes were reported: the list becomes available, and that is said once per run while it is closed. */
function reported({ rev, run }) {
  const slot = byId("changes-slot");
  if (!slot) return;
  const isNews = slot.dataset.rev !== undefined && Number(slot.dataset.rev) < rev;
  slot.dataset.rev = String(rev);
  show(slot);
  if (isNews && !byId("changes")?.open) say(words("conversation", "textChanges"), "A5", `changes-${run}`);
}

export function startStatus() {
  watchWork(byId("statusline")?.dataset.status);
  document.addEventListener("chat-state", ({ detail }) => apply(detail));
  document.addEventListener("chat-changes", ({ detail }) => reported(detail));
}
