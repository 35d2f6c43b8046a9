/*
 * Speaks through the two persistent live regions (a11y.md section 2). Server events come as chat-say{id, kind, text}.
 * One utterance at a time, two seconds apart; what arrives together is merged; what the reader paused stays silent.
 */
import { byId, isPaused } from "./dom.js";

const ORDER = ["A6", "A8", "A4", "A3", "A5"];
const PAUSABLE = new Set(["A2", "A3", "A4", "A5", "A6", "A8"]);
const LIMIT = 240;
const APART = 2000;
const CLEAR_FIRST = 120;
const KEEP = 5000;
const COLLECT = 60;

const spoken = new Set();
let queue = [];
let lastSpoken = -Infinity;
let waiting = 0;
const clearing = new Map();

const rank = ({ kind }) => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length);

/** Puts a text into the polite region in turn; kind is an id of the table in a11y.md section 2. */
export function say(text, kind = "", id = "") {
  if (!text || (id && spoken.has(id)) || (PAUSABLE.has(kind) && isPaused())) return;
  if (id) spoken.add(id);
  queue.push({ text, kind });
  schedule();
}

/** The only assertive use: the session is about to end. */
export function sayUrgently(text) {
  write(byId("alert"), text);
}

function schedule() {
  if (waiting || !queue.length || document.hidden) return;
  waiting = setTimeout(speak, Math.max(COLLECT, lastSpoken + APART - performance.now()));
}

function speak() {
  waiting = 0;
  if (document.hidden) return;
  const merged = [];
  for (const { text } of queue.sort((a, b) => rank(a) - rank(b))) {
    if (merged.includes(text)) continue;
    if (!merged.length || [...merged, text].join(" ").length <= LIMIT) merged.push(text);
  }
  queue = [];
  lastSpoken = performance.now();
  write(byId("say"), merged.join(" ").slice(0, LIMIT));
}

function write(region, text) {
  if (!region) return;
  clearTimeout(clearing.get(region));
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, CLEAR_FIRST);
  clearing.set(region, setTimeout(() => { region.textContent = ""; }, CLEAR_FIRST + KEEP));
}

export function startAnnouncer() {
  document.addEventListener("chat-say", ({ detail }) => say(detail.text, detail.kind, detail.id));
  document.addEventListener("visibilitychange", schedule);
}
