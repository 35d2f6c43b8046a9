/*
 * Keeps the unsent message of #composer in this tab over a reload and a new sign-in (in a browser that keeps the tab). A text the
 * server rendered into the field wins. Signing out clears it.
 */
import { byId } from "./dom.js";

const key = (form) => `imprimatur-draft ${form.getAttribute("action")}`;

export function startDraft() {
  const form = byId("composer");
  const area = form?.querySelector("textarea");
  if (!area) return;
  const kept = sessionStorage.getItem(key(form));
  if (kept && !area.value) {
    area.value = kept;
    area.dispatchEvent(new Event("input", { bubbles: true }));
  }
  area.addEventListener("input", () => {
    if (area.value) sessionStorage.setItem(key(form), area.value);
    else sessionStorage.removeItem(key(form));
  });
  /* Without htmx the form leaves the page: the server has the text then, and renders it again when it refuses it. */
  form.addEventListener("submit", () => { if (!window.htmx) sessionStorage.removeItem(key(form)); });
}
