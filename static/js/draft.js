/*
 * Keeps the unsent message of #composer: in this tab at once, and on the server (data-draft-url) a moment after the last key, so that
 * it survives a reload, a new sign-in and another browser. The tab's text is the newer one; only a text the server rendered because it
 * refused it (textarea without data-draft) wins. Signing out clears the tab.
 */
import { byId, onRequest } from "./dom.js";

const QUIET = 1500;
let timer = 0;

const key = (form) => `imprimatur-draft ${form.getAttribute("action")}`;

export function startDraft() {
  const form = byId("composer");
  const area = form?.querySelector("textarea");
  if (!area) return;
  const kept = sessionStorage.getItem(key(form));
  if (kept && kept !== area.value && (!area.value || "draft" in area.dataset)) {
    area.value = kept;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const save = () => {
    clearTimeout(timer);
    timer = 0;
    const body = new URLSearchParams({ body: area.value, csrf_token: form.elements.csrf_token?.value ?? "" });
    fetch(form.dataset.draftUrl, { method: "POST", body, headers: { "HX-Request": "true" }, keepalive: true }).catch(() => {});
  };
  const forget = () => { clearTimeout(timer); timer = 0; };
  area.addEventListener("input", () => {
    clearTimeout(timer);
    if (form.dataset.draftUrl) timer = setTimeout(save, QUIET);
    if (area.value) sessionStorage.setItem(key(form), area.value);
    else sessionStorage.removeItem(key(form));
  });
  window.addEventListener("pagehide", () => { if (timer) save(); });
  onRequest("htmx:before:request", (element) => element === form, forget);
  /* Without htmx the form leaves the page: the server has the text then, and renders it again when it refuses it. */
  form.addEventListener("submit", () => {
    forget();
    if (!window.htmx) sessionStorage.removeItem(key(form));
  });
}
