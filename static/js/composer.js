/*
 * The message form #composer: sends by Ctrl/Cmd+Enter, keeps what was not sent, focuses what is wrong.
 * Elements inside: textarea, input[name=token], submit button with data-sending-label; around it #composer-errors and
 * #composer-failed (hidden); in the hint #message-key (hidden: the key works only with this script). data-enter-sends="true" on
 * the form: plain Enter sends. data-title-error: prefix of the title.
 */
import { byId, has, onRequest, toggle } from "./dom.js";
import { say } from "./announcer.js";

const isComposer = (element) => element.id === "composer";
let sent = null;

const area = () => byId("composer").querySelector("textarea");
const button = () => byId("composer").querySelector("[type=submit]");

function freshToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function typed(event) {
  const form = event.target.closest?.("#composer");
  if (!form || event.target.tagName !== "TEXTAREA" || event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
  const byEnter = form.dataset.enterSends === "true" && !event.shiftKey && !event.altKey;
  if (!event.ctrlKey && !event.metaKey && !byEnter) return;
  event.preventDefault();
  form.requestSubmit(button());
}

function sending(form) {
  sent = { nonce: form.elements.token?.value, text: area().value };
  const submit = button();
  submit.dataset.label ??= submit.textContent;
  submit.textContent = submit.dataset.sendingLabel ?? submit.textContent;
}

function ended() {
  const submit = button();
  if (submit.dataset.label) submit.textContent = submit.dataset.label;
  delete submit.dataset.label;
}

function markInvalid(invalid) {
  const field = area();
  const prefix = byId("composer").dataset.titleError ?? "";
  const described = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== "composer-errors");
  field.setAttribute("aria-describedby", [...described, ...(invalid ? ["composer-errors"] : [])].join(" "));
  if (invalid) field.setAttribute("aria-invalid", "true");
  else field.removeAttribute("aria-invalid");
  const plain = prefix && document.title.startsWith(prefix) ? document.title.slice(prefix.length) : document.title;
  document.title = (invalid ? prefix : "") + plain;
}

function accepted({ nonce, token }) {
  const form = byId("composer");
  if (!form || !sent || sent.nonce !== nonce) return;
  const field = area();
  if (field.value === sent.text) field.value = "";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  for (const file of form.querySelectorAll("input[type=file]")) file.value = "";
  if (form.elements.token) form.elements.token.value = token ?? freshToken();
  const errors = byId("composer-errors");
  if (errors?.contains(document.activeElement)) field.focus({ preventScroll: true });
  errors?.replaceChildren();
  toggle(byId("composer-failed"), false);
  markInvalid(false);
  sent = null;
}

function notSent() {
  const failed = byId("composer-failed");
  toggle(failed, true);
  say(failed?.textContent.trim().replace(/\s+/g, " "), "A9");
}

export function startComposer() {
  toggle(byId("message-key"), true);
  document.addEventListener("keydown", typed);
  document.addEventListener("chat-sent", ({ detail }) => accepted(detail));
  onRequest("htmx:before:request", isComposer, ({ sourceElement }) => sending(sourceElement));
  onRequest("htmx:finally:request", isComposer, ended);
  onRequest("htmx:after:swap", isComposer, ({ swap }) => {
    if (swap === "none") return;
    markInvalid(true);
    byId("composer-errors")?.querySelector("[tabindex='-1']")?.focus();
  });
  onRequest("htmx:response:error", isComposer, ({ response }) => { if (response.status >= 500 || response.status === 429 || response.status === 403) notSent(); });
  onRequest("htmx:error", isComposer, notSent);
  document.addEventListener("submit", ({ target }) => { if (has(target, "sign-out")) sessionStorage.clear(); });
}
