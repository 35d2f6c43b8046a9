/*
 * Keeps the place: what has the focus does not move when something above it grows (a11y.md SW-9). Without focus, at the end of the
 * page, the start of the new entry comes into view; elsewhere the link in #new-messages appears.
 */
import { byId, onRequest, toggle } from "./dom.js";

const NEAR = 64;
const isBeacon = (element) => element.id === "beacon";
const isEntry = (element) => element.matches("#log > li");
let top = null;
let wasAtEnd = false;
let lastEntry = null;

const focused = () => (document.activeElement && document.activeElement !== document.body ? document.activeElement : null);
const isAtEnd = () => document.documentElement.scrollHeight - window.scrollY - window.innerHeight <= NEAR;

function measure() {
  top = focused() ? { element: focused(), at: focused().getBoundingClientRect().top } : null;
  wasAtEnd = isAtEnd();
  lastEntry = byId("log")?.lastElementChild ?? null;
}

function hold() {
  if (!top?.element.isConnected) return;
  const moved = top.element.getBoundingClientRect().top - top.at;
  if (Math.abs(moved) > 1) window.scrollBy({ top: moved, behavior: "instant" });
}

function reveal(entry) {
  if (!entry) return;
  if (!top && wasAtEnd) {
    entry.scrollIntoView({ block: entry.offsetHeight > window.innerHeight / 2 ? "start" : "nearest", behavior: "instant" });
    return;
  }
  const box = entry.getBoundingClientRect();
  if (box.top >= 0 && box.top < window.innerHeight) return;
  const link = byId("new-messages")?.querySelector("a");
  if (!link) return;
  entry.tabIndex = -1;
  if (byId("new-messages").hidden) link.setAttribute("href", `#${entry.id}`);
  toggle(byId("new-messages"), true);
}

export function startPin() {
  document.addEventListener("htmx:before:swap", measure);
  document.addEventListener("htmx:after:swap", hold);
  onRequest("htmx:after:swap", isBeacon, ({ swap }) => {
    if (swap === "none") return;
    const log = byId("log");
    if (log?.firstElementChild && !log.hasAttribute("role")) log.setAttribute("role", "list"); /* an empty one has no items to promise */
    reveal(lastEntry ? lastEntry.nextElementSibling : log?.firstElementChild);
  });
  onRequest("htmx:after:swap", isEntry, ({ swap, sourceElement }) => { if (swap !== "none") reveal(sourceElement); });
  /* The events of HX-Trigger came in between: the status line and its links may have grown as well. */
  document.addEventListener("htmx:finally:request", () => {
    hold();
    top = null;
  });
  byId("new-messages")?.addEventListener("click", () => setTimeout(() => toggle(byId("new-messages"), false)));
}
