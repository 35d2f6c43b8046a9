"""The status of a conversation in words, and how often its page asks for news (a11y.md SW-8)."""

from __future__ import annotations

from collections.abc import Mapping

from app.core.i18n import Text, text
from app.core.moments import Moment

FAILURES: Mapping[str, Text] = {
    "provider_failed": text("The AI model did not answer. Try again in a while."),
    "configuration": text("The configuration of this conversation cannot be used. Ask the administration."),
    "no_acting_user": text("The person this assignment belongs to cannot act any more."),
    "retries_exhausted": text("The assignment was interrupted several times. Send the message again."),
    "not_retryable": text("The assignment was interrupted while it wrote. Check the list of changes."),
    "unreadable": text("The stored state of the assignment cannot be read."),
}
PROVIDER_FAILURES: Mapping[str, Text] = {
    "auth": text("The AI model cannot be used at the moment. The administration has been told."),
    "client": text("The AI model refused the request. Try again, or ask the administration."),
}
"""What ``provider_failed`` is by the kind of the failure, where waiting alone does not help (F25)."""
RETRYABLE = frozenset({"provider_failed"})
"""Reasons of failures after which the same message may be tried again without sending it again (F27)."""
GENERIC_FAILURE = text("Something went wrong inside. Send the message again.")


def status_label(status: str, *, may_decide: bool, has_run: bool, waits_until: int = 0) -> Text:
    """The status line. ``waits_until`` is when an assignment goes on whose provider asked to wait, in seconds; 0 = it does not."""
    match status:
        case "working" if waits_until:
            return text("Waiting for the AI model, continues on %(when)s", when=Moment(seconds=waits_until))
        case "working":
            return text("Working")
        case "awaiting_approval" | "awaiting_input":
            return text("Waiting for your approval") if may_decide else text("Waiting for another person")
        case "failed":
            return text("Stopped with an error")
        case _:
            return text("Finished") if has_run else text("No assignment yet")


def status_detail(reason: str, error: str = "") -> Text:
    """What stopped an assignment, and what to do. ``error`` is the kind of a provider's failure."""
    found = PROVIDER_FAILURES.get(error) if reason == "provider_failed" else None
    return found or FAILURES.get(reason, GENERIC_FAILURE)


def poll_seconds(status: str, since: int, *, is_waiting: bool = False) -> int | None:
    """Seconds until the page asks again; None = there is nothing to wait for. ``is_waiting`` = for the provider, for long."""
    if status == "working" and not is_waiting:
        if since < 30:
            return 2
        return 5 if since < 180 else 15
    return 15 if status in ("working", "awaiting_approval", "awaiting_input") else None
