/*
 * Loads the list of changes when its disclosure opens, and again while it is open and the server reports another revision.
 * Elements: #changes (details), #changes-body (hx-trigger="changes-load", hx-swap="innerMorph"), #changes-error (hidden).
 * The loaded list carries data-say-loaded and data-say-updated with the sentence to speak.
 */
import { byId, onRequest, toggle } from "./dom.js";
import { say } from "./announcer.js";

const isBody = (element) => element.id === "changes-body";
let latest = null;
let requested = null;
let isFirst = true;
let skipsFirstToggle = false;
let before = "";
let place = null;

function load() {
  requested = latest;
  window.htmx?.trigger("#changes-body", "changes-load", {}, false);
}

function opened(event) {
  if (event.target.id !== "changes") return;
  const skip = skipsFirstToggle;
  skipsFirstToggle = false;
  if (!event.target.open || skip) return;
  isFirst = true;
  load();
}

/** Remembers the order of the rows and the one with the focus, for the case that this row goes away. */
function remember() {
  const body = byId("changes-body");
  const rows = [...body.querySelectorAll("li[id]")].map((row) => row.id);
  const row = body.contains(document.activeElement) ? document.activeElement.closest("li[id]") : null;
  before = body.textContent;
  place = body.contains(document.activeElement) ? { rows, at: rows.indexOf(row?.id) } : null;
}

function keepFocus() {
  if (!place || document.activeElement !== document.body) return;
  const { rows, at } = place;
  const neighbours = [...rows.slice(0, Math.max(at, 0)).reverse(), ...rows.slice(at + 1)];
  const link = neighbours.map((id) => byId(id)?.querySelector("a")).find(Boolean);
  (link ?? byId("changes").querySelector("summary")).focus({ preventScroll: true });
}

function loaded() {
  toggle(byId("changes-error"), false);
  const body = byId("changes-body");
  keepFocus();
  const list = body.querySelector("[data-say-loaded]");
  if (list && isFirst) say(list.dataset.sayLoaded, "A7");
  else if (list && body.textContent !== before) say(list.dataset.sayUpdated, "A7");
  isFirst = false;
}

function notLoaded() {
  requested = null;
  const error = byId("changes-error");
  toggle(error, true);
  say(error?.textContent.trim(), "A9");
}

export function startChanges() {
  skipsFirstToggle = byId("changes")?.open ?? false;
  latest = requested = Number(byId("changes-slot")?.dataset.rev ?? NaN);
  document.addEventListener("toggle", opened, true);
  document.addEventListener("chat-changes", ({ detail }) => {
    latest = detail.rev;
    if (byId("changes")?.open && latest !== requested) load();
  });
  onRequest("htmx:before:swap", isBody, (context) => { if (context.swap !== "none") remember(); });
  onRequest("htmx:after:swap", isBody, (context) => { if (context.swap !== "none") loaded(); });
  onRequest("htmx:response:error", isBody, notLoaded);
  onRequest("htmx:error", isBody, notLoaded);
}
