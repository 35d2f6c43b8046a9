/* Small things several behaviours need. */

/** The element with this id, or null. */
export const byId = (id) => document.getElementById(id);

/** Whether the form or element carries the behaviour (data-behaviour holds names separated by spaces). */
export const has = (element, name) => (element.dataset?.behaviour ?? "").split(" ").includes(name);

/** Words the server put on the element with the given id, "" when there are none. */
export const words = (id, name) => byId(id)?.dataset[name] ?? "";

/** Calls the listener for an htmx event whose request came from an element the test accepts; gets (context, event). */
export function onRequest(name, accepts, listener) {
  document.addEventListener(name, (event) => {
    const context = event.detail?.ctx;
    if (context?.sourceElement && accepts(context.sourceElement)) listener(context, event);
  });
}

export function show(element) {
  if (element) element.hidden = false;
}

/** Hides the element, but only after it has lost the focus. */
export function hide(element) {
  if (!element || element.hidden) return;
  if (!element.contains(document.activeElement)) {
    element.hidden = true;
    return;
  }
  element.dataset.hideLater = "";
  element.addEventListener("focusout", () => setTimeout(() => {
    if ("hideLater" in element.dataset) hide(element);
  }), { once: true });
}

/** Shows or hides; showing takes back a hide that still waits. */
export function toggle(element, visible) {
  if (!element) return;
  delete element.dataset.hideLater;
  if (visible) show(element);
  else hide(element);
}

/** Whether somebody is in the element: focus inside, or text in one of its fields that was not sent. */
export function isInUse(element) {
  return element.contains(document.activeElement)
    || [...element.querySelectorAll("textarea")].some((area) => area.value !== area.defaultValue);
}

const PAUSED = "imprimatur-paused";

/** Whether the reader paused automatic updates in this tab. */
export const isPaused = () => sessionStorage.getItem(PAUSED) === "yes";

/** Remembers in this tab whether automatic updates are paused. */
export const rememberPaused = (paused) => sessionStorage.setItem(PAUSED, paused ? "yes" : "no");
