/*
 * Counts characters from 90 % of data-max on. Elements: textarea[data-max][data-counter=<id>], the counter with
 * data-left-one, data-left-other, data-over-one, data-over-other (each with the placeholder %(n)s) as plural forms of the page's language.
 */
import { byId } from "./dom.js";
import { say } from "./announcer.js";

const QUIET = 1000;
let timer = 0;

function sentence(counter, over, count) {
  const language = document.documentElement.lang || "en";
  const form = new Intl.PluralRules(language).select(count) === "one" ? "One" : "Other";
  const pattern = counter.dataset[`${over ? "over" : "left"}${form}`] ?? "";
  return pattern.replace("%(n)s", new Intl.NumberFormat(language).format(count));
}

const levelOf = (length, max) => (length > max ? 3 : length === max ? 2 : length >= max * 0.9 ? 1 : 0);

function count(area) {
  const counter = byId(area.dataset.counter);
  const max = Number(area.dataset.max);
  if (!counter || !max) return;
  const length = [...area.value].length;
  const level = levelOf(length, max);
  const text = level ? sentence(counter, length > max, Math.abs(max - length)) : "";
  if (counter.textContent !== text) counter.textContent = text;
  clearTimeout(timer);
  if (level && String(level) !== counter.dataset.level) timer = setTimeout(() => say(counter.textContent, "A11"), QUIET);
  counter.dataset.level = String(level);
}

export function startCounter() {
  document.addEventListener("input", ({ target }) => { if (target.matches("textarea[data-max]")) count(target); });
  document.querySelectorAll("textarea[data-max]").forEach(count);
}
