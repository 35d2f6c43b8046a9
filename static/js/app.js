/*
 * Registers the behaviours. Every one listens on the document, finds its elements by known ids or by data-behaviour, takes its
 * words from data attributes the server rendered, and may be absent: the pages work without it.
 */
import { startAnnouncer } from "./announcer.js";
import { startCards } from "./cards.js";
import { startChanges } from "./changes.js";
import { startComposer } from "./composer.js";
import { startCounter } from "./counter.js";
import { startDraft } from "./draft.js";
import { startMenu } from "./menu.js";
import { startOnce } from "./once.js";
import { startPin } from "./pin.js";
import { startPoll } from "./poll.js";
import { startSession } from "./session.js";
import { startStatus } from "./status.js";
import { startTheme } from "./theme.js";

for (const start of [
  startOnce, startSession, startAnnouncer, startPin, startPoll, startStatus, startChanges, startCards,
  startComposer, startCounter, startDraft, startMenu, startTheme,
]) start();

/* Behaviours of few pages, loaded only where their element is there when the page comes: the others ask for less. */
for (const [element, file, start] of [
  ["[data-behaviour~=branch]", "./branch.js", "startBranch"],
  ["#error-summary", "./problem.js", "startProblem"],
]) {
  if (document.querySelector(element)) import(file).then((module) => module[start]());
}
