/*
 * Drops a second submit while the first is under way, for forms with data-behaviour="once" (or decision, or the composer).
 * The button stays enabled and keeps the focus: a disabled one would lose it.
 */
import { has, onRequest } from "./dom.js";

const EXPIRES = 20000;
const flights = new WeakMap();
const isGuarded = (form) => has(form, "once") || has(form, "decision") || form.id === "composer";

function guard(event) {
  const form = event.target;
  if (!isGuarded(form)) return;
  if (performance.now() < (flights.get(form) ?? 0)) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  flights.set(form, performance.now() + EXPIRES);
}

export function startOnce() {
  window.addEventListener("submit", guard, true);
  onRequest("htmx:finally:request", (element) => element.matches("form"), ({ sourceElement }) => flights.delete(sourceElement));
  window.addEventListener("pageshow", (event) => {
    if (event.persisted) for (const form of document.forms) flights.delete(form);
  });
}
