/* After a form was refused the page begins with what is wrong: the block takes the focus, as after a submit without reload. */
import { byId } from "./dom.js";

export function startProblem() {
  byId("error-summary")?.focus();
}
