/*
 * When the session is over (401) a notice appears and nothing else changes; two minutes before its end it can be prolonged.
 * After a new sign-in in another tab the forms get the token of the new session (event auth-back), so that kept text can be sent.
 * Elements: #auth-lost (hidden), #session-notice (hidden, data-ends-in seconds, data-text). Event session-extended{ends_in} renews it.
 * Also the last word on what is never swapped: a status of noSwap stops the out-of-band parts of a response too.
 */
import { byId, show, toggle } from "./dom.js";
import { sayUrgently } from "./announcer.js";

const WARN_BEFORE = 120;
let warning = 0;
let isLost = false;

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

/** Once somebody who may read this page is signed in again, its forms take the new token; a redirect means that nobody is. */
async function renew() {
  if (!isLost || document.hidden) return;
  const answer = await fetch(location.pathname, { redirect: "manual" }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const token = page.querySelector("[name=csrf_token]")?.value;
  if (!token || !isLost) return;
  isLost = false;
  for (const field of document.querySelectorAll("[name=csrf_token]")) field.value = token;
  toggle(byId("auth-lost"), false);
  document.dispatchEvent(new CustomEvent("auth-back"));
}

export function startSession() {
  document.addEventListener("htmx:before:swap", (event) => {
    const status = event.detail.ctx?.response?.status;
    if (status >= 400 && isNeverSwapped(status)) event.preventDefault();
  });
  document.addEventListener("htmx:response:error", (event) => {
    const status = event.detail.ctx?.response?.status;
    if (status !== 401 && status !== 403) return;
    isLost = true;
    if (status === 403) renew(); /* the token may be one of an earlier session */
    else show(byId("auth-lost"));
  });
  document.addEventListener("htmx:after:request", (event) => { if (event.detail.ctx?.response?.status < 400) renew(); });
  document.addEventListener("visibilitychange", renew);
  window.addEventListener("focus", renew);
  document.addEventListener("session-extended", ({ detail }) => warnBefore(Number(detail.ends_in)));
  warnBefore(Number(byId("session-notice")?.dataset.endsIn));
}
