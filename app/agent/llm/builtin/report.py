"""What is said about steps that have a result: what the result says, and no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.agent.llm.builtin.answers import Voice
from app.agent.llm.builtin.need import Step
from app.agent.llm.builtin.plan import new_number
from app.agent.llm.builtin.text import plain
from app.agent.llm.builtin.transcript import Reply, Results

MAX_REASON = 400
_MAKERS = frozenset(
    {"copy_page", "create_page_draft", "create_content_element_draft", "create_translation_draft", "create_redirect"}
)
_STATUS = {
    "done": "done",
    "unchanged": "unchanged",
    "partial": "partial",
    "failed_after_writing": "failed_after_writing",
    "failed after writing": "failed_after_writing",
}
_ERRORS = ("not_carried_out", "invalid_arguments", "not_found", "no_result")
_REASON_LABEL = re.compile(r"^(?:reason|grund)\s*:\s*", re.IGNORECASE)


def report(steps: Sequence[Step], results: Results, voice: Voice) -> str:
    """One line for each step that has a result; the empty text when none has."""
    lines = []
    for step in steps:
        reply = results.of(step.call)
        if reply is not None:
            lines.append(voice.say("result", step=step.phrase, outcome=_outcome(step, reply, voice)))
    if not lines:
        return ""
    return "\n".join([voice.count("reported", len(lines)), *lines])


def _outcome(step: Step, reply: Reply, voice: Voice) -> str:
    return _error(reply, voice) if reply.is_error else _success(step, reply, voice)


def _success(step: Step, reply: Reply, voice: Voice) -> str:
    said = reply.data.get("status", "done")
    status = said if isinstance(said, str) else "done"  # a number is a value of the record, as 301 of a redirect
    if reply.data.get("unchanged") is True:
        status = "unchanged"
    if reply.data.get("completeness") == "partial":
        status = "partial"
    known = _STATUS.get(status)
    uid = new_number(reply.data) if step.call.tool in _MAKERS else None
    if known is None:
        outcome = voice.say("status_other", status=voice.quote(status))
    elif known == "done" and uid is not None:
        outcome = voice.say("done_new", uid=uid)
    else:
        outcome = voice.say(known)
    note = reply.text or (reply.data.get("note") if isinstance(reply.data.get("note"), str) else "")
    return voice.say("noted", outcome=outcome, note=_quoted(str(note), voice)) if note else outcome


def _error(reply: Reply, voice: Voice) -> str:
    code = reply.code.casefold()
    reason = reply.text
    if code.startswith("declined"):
        _, _, same_line = reply.code.partition(":")
        return _with_reason("declined", _REASON_LABEL.sub("", reason or same_line.strip()), voice)
    if code.startswith("refused"):
        return _with_reason("refused", reason, voice)
    for key in _ERRORS:
        if code.startswith(key):
            return voice.say(key) if key in ("not_found", "no_result") else _with_reason(key, reason, voice)
    return _with_reason("failed", reason or reply.code, voice)


def _with_reason(key: str, reason: str, voice: Voice) -> str:
    if not reason.strip():
        return voice.say(key)
    return voice.say(f"{key}_reason", reason=_quoted(reason, voice))


def _quoted(text: str, voice: Voice) -> str:
    return voice.say("quote", text=plain(text, MAX_REASON))
