/*
 * Brings approval cards into the history and never replaces one that somebody is in.
 * Elements: li#card-<uuid>[data-card-url], without an article inside (placeholder) or with it, #card-<uuid>-note,
 * decision forms [data-behaviour~=decision] with data-text-failed. Events chat-cards{cards: [...]} and chat-card{id, url, state, note}.
 */
import { byId, has, isInUse, onRequest } from "./dom.js";
import { say } from "./announcer.js";

const asked = new WeakSet();
const stale = new Map();
const deciding = new Set();
let decided = null;
let reason = "";
let declinedBySending = false;

const isEntry = (element) => element.matches("li[data-card-url]");
const isDecision = (element) => element.matches("form") && has(element, "decision");

/** Fetches the card of this entry; the answer is the whole entry. */
function pull(entry, url) {
  stale.delete(entry.id);
  if (!window.htmx || asked.has(entry)) return;
  asked.add(entry);
  window.htmx.ajax("GET", url, { source: entry, target: entry, swap: "outerHTML" }).finally(() => asked.delete(entry));
}

function fillPlaceholders() {
  for (const entry of document.querySelectorAll("li[data-card-url]:not(:has(article))")) {
    if (entry.contains(document.activeElement)) stale.set(entry.id, entry.dataset.cardUrl);
    else if (!entry.dataset.asked) {
      entry.dataset.asked = "";
      pull(entry, entry.dataset.cardUrl);
    }
  }
}

/** A card stands differently than this page shows it: the page's own decision is no news. */
function changed({ id, url, state, note }) {
  const entry = byId(id);
  const card = entry?.querySelector("article");
  if (!card || !url || deciding.has(id) || (state && card.dataset.state === state)) return;
  const isNews = stale.get(id) !== url;
  stale.set(id, url);
  if (isNews && !declinedBySending) say(note, "A8");
  if (!isInUse(entry)) {
    pull(entry, url);
    return;
  }
  const place = byId(`${id}-note`);
  if (place && note && place.textContent !== note) place.textContent = note;
}

/** Once nobody is in a card that changed elsewhere, it is fetched after all. */
function left({ target }) {
  const entry = target.closest?.("li[id]");
  if (!entry || !stale.has(entry.id)) return;
  setTimeout(() => {
    if (stale.has(entry.id) && entry.isConnected && document.hasFocus() && !isInUse(entry)) pull(entry, stale.get(entry.id));
  });
}

function notDecided(form) {
  const place = byId(`${form.closest("li[id]")?.id}-note`);
  const text = form.dataset.textFailed;
  if (!place || !text) return;
  place.textContent = text;
  say(text, "A9");
}

export function startCards() {
  document.addEventListener("chat-card", ({ detail }) => changed(detail));
  document.addEventListener("chat-cards", ({ detail }) => {
    detail.cards.forEach(changed);
    declinedBySending = false;
  });
  document.addEventListener("chat-sent", ({ detail }) => { declinedBySending = Boolean(detail.declined); });
  onRequest("htmx:before:request", isDecision, ({ sourceElement }) => deciding.add(sourceElement.closest("li[id]")?.id));
  onRequest("htmx:finally:request", isDecision, ({ target, sourceElement }) => {
    for (const id of [target?.id, sourceElement.closest("li[id]")?.id]) deciding.delete(id);
  });
  document.addEventListener("htmx:after:swap", fillPlaceholders);
  document.addEventListener("focusout", left);
  onRequest("htmx:before:swap", isEntry, ({ sourceElement }, event) => {
    if (!isInUse(sourceElement)) return;
    event.preventDefault();
    stale.set(sourceElement.id, sourceElement.dataset.cardUrl);
  });
  onRequest("htmx:before:swap", isDecision, ({ swap, target, sourceElement }) => {
    decided = swap === "none" ? null : target?.id;
    reason = sourceElement.querySelector("textarea")?.value ?? "";
  });
  document.addEventListener("htmx:before:settle", ({ target }) => {
    if (!decided || target.id !== decided) return;
    decided = null;
    const area = target.querySelector("textarea");
    if (area && !area.value) area.value = reason;
    (target.querySelector(".error-summary") ?? target.querySelector("h3[tabindex]"))?.focus();
  });
  onRequest("htmx:response:error", isDecision, ({ response, sourceElement }) => {
    if (response.status >= 500 || response.status === 429 || response.status === 403) notDecided(sourceElement);
  });
  onRequest("htmx:error", isDecision, ({ sourceElement }) => notDecided(sourceElement));
  fillPlaceholders();
}
