"""Calls that end without being carried out: declined, cancelled, left over, or refused on their card."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.agent.events import EventKind, append_event
from app.agent.governance import GovernanceDecision, record_refusal
from app.agent.run_rows import RunView
from app.agent.store import save_outcome
from app.agent.types import Call, CallState, Outcome
from app.core.crypto import Cipher
from app.core.i18n import Text, render, text

REFUSED_ON_CARD = "refused_on_card"
DECLINED_SENTENCE = text("A person declined this step. Nothing was changed by it. This is not a failure of the system.")
REASON_SENTENCE = text("Reason given: %(reason)s")
REFUSED_SENTENCE = text("The card showed this step as one that will not be carried out. Nothing was changed by it.")


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenCall:
    """A call without an outcome, as far as its row tells without opening what is encrypted."""

    run_uuid: str
    turn: int
    ordinal: int
    tool: str
    refused_rule: str = ""
    """Set = the newest card tags it refused."""


def error_content(code: str, sentence: Text | None, language: str) -> str:
    """A refusal as the model reads it: a code line, then a sentence in the owner's language."""
    return code if sentence is None else f"{code}\n{render(sentence, language)}"


def close_call(
    connection: Connection, cipher: Cipher, call: OpenCall, state: CallState, *, code: str, content: str = ""
) -> None:
    """Record that ``call`` ended as ``state`` without touching a record; the model reads ``content``, or the code."""
    outcome = Outcome(state=state, code=code, content=content or code)
    stored = Call(
        run_uuid=call.run_uuid,
        turn=call.turn,
        ordinal=call.ordinal,
        provider_id="",
        tool=call.tool,
        arguments=None,
        arguments_text="",
    )
    save_outcome(connection, cipher, stored, outcome)
    append_event(
        connection,
        call.run_uuid,
        EventKind.TOOL,
        {
            "turn": call.turn,
            "call": call.ordinal,
            "tool": call.tool,
            "ok": not outcome.is_error,
            "state": state.value,
            "code": code,
        },
    )


def refuse_on_card(connection: Connection, cipher: Cipher, run: RunView, call: OpenCall) -> None:
    """Keep the refusal a card shows, recorded exactly once, when the turn is declined, expires or is stopped (DW-15)."""
    content = error_content(REFUSED_ON_CARD, REFUSED_SENTENCE, run.language)
    close_call(connection, cipher, call, CallState.REFUSED_ON_CARD, code=REFUSED_ON_CARD, content=content)
    record_refusal(
        connection,
        run_uuid=run.uuid,
        decision=GovernanceDecision.INVOCATION_DENIED,
        reason=REFUSED_ON_CARD,
        rule=call.refused_rule,
        tool=call.tool,
        configuration_id=run.configuration_id,
        user_id=run.owner_id,
    )
