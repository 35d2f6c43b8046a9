"""Testing the connection of a configuration's model: for the command and the page alike. Opens transactions, but none meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

from app.agent.llm.base import CallCancelled, ModelError, ProviderUnreachable
from app.agent.llm.checking import check_model, needs_administrator, sentence_about
from app.agent.notices import NoticeKind, leave_notice, remove_notice
from app.agent.runtime import Runtime
from app.core import clock
from app.core.db import transaction
from app.core.i18n import Text

LONGEST = 20.0
"""Seconds a test may take."""
_SAID_BY_PROVIDER = ("auth", "client", "rate_limit", "server")
"""Failures for which the provider gave a reason of its own; it is shown shortened and without the key."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectionCheck:
    """How a test ended."""

    model: str
    seconds: float
    problem: Text | None = None
    """What is wrong, in a sentence; None = the model answers."""
    said: str = ""
    """What the provider itself said of it, shortened and without the key; for administrators."""


def check_connection(model: str, runtime: Runtime) -> ConnectionCheck:
    """Ask the model of that name for a word, for at most ``LONGEST`` seconds.

    A model that answers loses its notice; one that only an administrator can mend leaves one (F25).
    """
    began = clock.monotonic()
    try:
        checked = check_model(runtime.make_model(model), model, cancel=lambda: clock.monotonic() - began > LONGEST)
    except CallCancelled:
        return _failed(model, ProviderUnreachable("no answer in time", code="timeout"), clock.monotonic() - began)
    except ModelError as failure:
        return _failed(model, failure, clock.monotonic() - began)
    with transaction() as connection:
        remove_notice(connection, NoticeKind.MODEL, model)
    return ConnectionCheck(model=model, seconds=checked.seconds)


def _failed(model: str, failure: ModelError, seconds: float) -> ConnectionCheck:
    if needs_administrator(failure):
        with transaction() as connection:
            leave_notice(connection, NoticeKind.MODEL, model, failure.code)
    said = failure.detail if failure.kind in _SAID_BY_PROVIDER else ""
    return ConnectionCheck(model=model, seconds=seconds, problem=sentence_about(failure), said=said)
