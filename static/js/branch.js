/*
 * Loads the pages below a page when its disclosure opens for the first time. Without script the disclosure holds a link to them.
 * Elements: details[data-behaviour~=branch] with a .tree__load inside (hx-trigger="branch-load", replaced by the answer).
 */
import { has } from "./dom.js";

function opened({ target }) {
  if (!target.open || !has(target, "branch")) return;
  const load = target.querySelector(":scope > .tree__branch > .tree__load");
  if (load) window.htmx?.trigger(`#${load.id}`, "branch-load", {}, false);
}

export function startBranch() {
  document.addEventListener("toggle", opened, true);
}
