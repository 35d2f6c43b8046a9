/* Applies the appearance at once and stores it without leaving the page. Without script the form's own button does it. */
import { has } from "./dom.js";

function chosen({ target }) {
  const form = target.form;
  if (target.type !== "radio" || !form || !has(form, "theme")) return;
  if (target.value === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = target.value;
  const body = new FormData(form, form.querySelector("[type=submit]"));
  fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => form.requestSubmit());
}

export function startTheme() {
  document.addEventListener("change", chosen);
}
