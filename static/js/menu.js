/* A menu of the header closes when the focus or a press goes elsewhere. Escape stays untouched; the summary closes it natively. */
const openMenus = () => document.querySelectorAll("details.menu[open]");

function closeOthers(target) {
  for (const menu of openMenus()) {
    if (!menu.contains(target) && !menu.contains(document.activeElement)) menu.open = false;
  }
}

export function startMenu() {
  document.addEventListener("focusin", ({ target }) => closeOthers(target));
  document.addEventListener("click", ({ target }) => closeOthers(target));
}
