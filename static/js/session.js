/*
 * When the session is over (401) a notice appears and nothing else changes; two minutes before its end it can be prolonged.
 * Elements: #auth-lost (hidden), #session-notice (hidden, data-ends-in seconds, data-text). Event session-extended{ends_in} renews it.
 * Also the last word on what is never swapped: a status of noSwap stops the out-of-band parts of a response too.
 */
import { byId, show, toggle } from "./dom.js";
import { sayUrgently } from "./announcer.js";

const WARN_BEFORE = 120;
let warning = 0;

function isNeverSwapped(status) {
  const code = String(status);
  const patterns = (window.htmx?.config.noSwap ?? []).map(String);
  return [code, `${code.slice(0, 2)}x`, `${code[0]}xx`].some((pattern) => patterns.includes(pattern));
}

function warnBefore(endsIn) {
  const notice = byId("session-notice");
  clearTimeout(warning);
  if (!notice || !(endsIn > 0)) return;
  toggle(notice, false);
  warning = setTimeout(() => {
    show(notice);
    sayUrgently(notice.dataset.text);
  }, Math.max(0, endsIn - WARN_BEFORE) * 1000);
}

export function startSession() {
  document.addEventListener("htmx:before:swap", (event) => {
    const status = event.detail.ctx?.response?.status;
    if (status >= 400 && isNeverSwapped(status)) event.preventDefault();
  });
  document.addEventListener("htmx:response:error", (event) => {
    if (event.detail.ctx?.response?.status !== 401) return;
    show(byId("auth-lost"));
    document.dispatchEvent(new CustomEvent("auth-lost"));
  });
  document.addEventListener("htmx:after:request", (event) => {
    if (event.detail.ctx?.response?.status < 400) toggle(byId("auth-lost"), false);
  });
  document.addEventListener("session-extended", ({ detail }) => warnBefore(Number(detail.ends_in)));
  warnBefore(Number(byId("session-notice")?.dataset.endsIn));
}
