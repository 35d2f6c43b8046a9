/*
 * Guards the beacon's requests: none while hidden, offline, paused or waiting after a failure; one at once when the reader is back.
 * Elements: #beacon (htmx polls; data-poll-url is its address also when it does not poll), #poll-pause (button, aria-pressed),
 * #poll-retry (button, hidden), #connection-notice (hidden), #conversation with data-text-offline, data-text-online.
 */
import { byId, isPaused, onRequest, rememberPaused, show, toggle, words } from "./dom.js";
import { say } from "./announcer.js";

const WAITS = [5000, 15000, 30000, 60000];
const LOST_AFTER = 3;
const JUST_ASKED = 700;
const SLOWER = [[180000, 14500], [30000, 4500]];

let failures = 0;
let notBefore = 0;
let asked = -Infinity;
let newest = 0;
let offline = false;
let signedOut = false;
let inFlight = false;
let again = null;

const isBeacon = (element) => element.id === "beacon";
const hasStopped = () => failures > WAITS.length;

/** Asks the server once, also (restart) when the beacon has stopped polling; after the answer that is still awaited, which may be older. */
export function pollNow({ restart = false } = {}) {
  const beacon = byId("beacon");
  if (!beacon || !window.htmx) return;
  if (inFlight) {
    again = { restart: restart || Boolean(again?.restart) };
    return;
  }
  const url = beacon.getAttribute("hx-get");
  if (url) window.htmx.trigger(beacon, "poll-now", {}, false);
  else if (restart && beacon.dataset.pollUrl) {
    window.htmx.ajax("GET", beacon.dataset.pollUrl, { source: beacon, target: beacon, swap: "outerHTML" });
  }
}

/** Milliseconds a regular poll keeps from the one before: the longer nothing comes, the rarer (a11y.md SW-8). */
function gap() {
  const quiet = performance.now() - newest;
  return SLOWER.find(([after]) => quiet > after)?.[1] ?? JUST_ASKED;
}

function failed() {
  failures += 1;
  notBefore = Date.now() + (WAITS[failures - 1] ?? 0);
  toggle(byId("poll-retry"), hasStopped());
  if (failures !== LOST_AFTER) return;
  show(byId("connection-notice"));
  say(words("conversation", "textOffline"), "A9");
}

function succeeded() {
  const wasLost = failures >= LOST_AFTER;
  failures = 0;
  notBefore = 0;
  if (!wasLost) return;
  toggle(byId("poll-retry"), false);
  toggle(byId("connection-notice"), false);
  say(words("conversation", "textOnline"), "A9");
}

function back() {
  if (document.hidden) return;
  signedOut = false;
  notBefore = 0;
  failures = Math.min(failures, WAITS.length);
  pollNow();
}

function retry() {
  failures = Math.min(failures, LOST_AFTER);
  notBefore = 0;
  pollNow({ restart: true });
}

function press(button, paused) {
  rememberPaused(paused);
  button.setAttribute("aria-pressed", String(paused));
  if (!paused) pollNow();
}

export function startPoll() {
  const pause = byId("poll-pause");
  if (pause && window.htmx) {
    show(pause);
    pause.setAttribute("aria-pressed", String(isPaused()));
    pause.addEventListener("click", () => press(pause, !isPaused()));
  }
  byId("poll-retry")?.addEventListener("click", retry);

  onRequest("htmx:before:request", isBeacon, (context, event) => {
    const isTooSoon = context.sourceEvent.type === "every" && performance.now() < asked + gap();
    if (document.hidden || offline || isPaused() || signedOut || hasStopped() || isTooSoon || Date.now() < notBefore) {
      event.preventDefault();
    } else {
      asked = performance.now();
      inFlight = true;
    }
  });
  onRequest("htmx:finally:request", isBeacon, () => {
    const wanted = again;
    inFlight = false;
    again = null;
    if (wanted) setTimeout(() => pollNow(wanted));
  });
  onRequest("htmx:after:request", isBeacon, ({ response }) => {
    if (response.status === 401) signedOut = true;
    else if (response.status >= 400) failed();
    else succeeded();
    if (response.status === 200) newest = performance.now();
  });
  onRequest("htmx:error", isBeacon, failed);

  document.addEventListener("poll-now", (event) => {
    if (!isBeacon(event.target)) pollNow({ restart: true });
  });
  document.addEventListener("visibilitychange", back);
  document.addEventListener("auth-back", back);
  window.addEventListener("offline", () => { offline = true; });
  window.addEventListener("online", () => { offline = false; back(); });
  window.addEventListener("pageshow", (event) => { if (event.persisted) back(); });
}
