"""The status of a conversation in words, and how often its page asks for news (a11y.md SW-8)."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.i18n import Text, text

FAILURES: Mapping[str, Text] = {
    "provider_failed": text("The AI model did not answer. Send the message again in a while."),
    "configuration": text("The configuration of this conversation cannot be used. Ask the administration."),
    "no_acting_user": text("The person this assignment belongs to cannot act any more."),
    "retries_exhausted": text("The assignment was interrupted several times. Send the message again."),
    "not_retryable": text("The assignment was interrupted while it wrote. Check the list of changes."),
    "unreadable": text("The stored state of the assignment cannot be read."),
}
GENERIC_FAILURE = text("Something went wrong inside. Send the message again.")


def status_label(status: str, *, may_decide: bool, has_run: bool) -> Text:
    """The status line."""
    match status:
        case "working":
            return text("Working")
        case "awaiting_approval" | "awaiting_input":
            return text("Waiting for your approval") if may_decide else text("Waiting for another person")
        case "failed":
            return text("Stopped with an error")
        case _:
            return text("Finished") if has_run else text("No assignment yet")


def status_detail(reason: str) -> Text:
    """What stopped an assignment, and what to do."""
    return FAILURES.get(reason, GENERIC_FAILURE)


def poll_seconds(status: str, since: int) -> int | None:
    """Seconds until the page asks again; None = there is nothing to wait for."""
    if status == "working":
        if since < 30:
            return 2
        return 5 if since < 180 else 15
    return 15 if status in ("awaiting_approval", "awaiting_input") else None
