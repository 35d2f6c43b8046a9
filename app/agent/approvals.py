"""Deciding a waiting turn: one transaction, verified on the locked row, after which the run is queued (design section 6).

The decider's request never executes anything. Whatever speaks against a decision leaves the run waiting with nothing done (RT-05).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Table, select, update
from sqlalchemy.engine import Connection

from app.accounts import limits
from app.agent import models
from app.agent.configurations import find_configuration
from app.agent.digest import is_same_digest
from app.agent.endings import EXPIRED, end_run
from app.agent.events import EventKind, append_event
from app.agent.governance import GovernanceDecision, record_refusal
from app.agent.leases import RELEASED
from app.agent.news import announce
from app.agent.objections import EXPIRED_SENTENCE, Ground, Objection, find_objection, is_overdue
from app.agent.policy_gate import APPROVER
from app.agent.runs import RunView, lock_run, may_act_on_turn
from app.agent.runtime import Runtime
from app.agent.store import (
    CardRow,
    DecisionRow,
    find_card,
    save_decision,
    settle_card,
)
from app.agent.transcript import storable
from app.agent.types import RunNews, RunStatus, TurnState
from app.core import clock, errors
from app.core.db import transaction
from app.core.i18n import Text
from app.policy.identity import Identity

__all__ = ["DecisionKind", "DecisionResult", "decide", "find_card", "newest_decision"]

_run: Table = models.Run.__table__
_decisions: Table = models.ApprovalDecision.__table__
REASON_LENGTH = 2000
"""Characters of a reason that are kept."""
TOKEN_LENGTH = 80


class DecisionKind(StrEnum):
    """What came of a decision somebody sent."""

    RECORDED = "recorded"
    REPEATED = "repeated"
    """The same press of the same person again: it stands already."""
    ALREADY_DECIDED = "already_decided"
    STALE = "stale"
    """The digest is missing or of an older card (CA-12)."""
    NOT_WAITING = "not_waiting"
    NOT_ALLOWED = "not_allowed"
    NOTHING_TO_APPROVE = "nothing_to_approve"
    """Every call on the card is refused (CA-06)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionResult:
    """The answer to ``decide``; fields besides ``kind`` are filled where they mean something."""

    kind: DecisionKind
    by: int = 0
    at: int = 0
    approved: bool | None = None
    """Who decided what and when, for ``recorded``, ``repeated`` and ``already_decided``."""
    turn: int = 0
    revision: int = 0
    """The card that counts now."""
    reason: str = ""
    """Code of what speaks against it, for ``not_allowed`` and ``not_waiting``."""
    text: Text | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sent:
    """What came with the request, cut to what is stored."""

    actor: Identity
    approve: bool
    digest: str
    token: str
    reason: str


def decide(
    actor: Identity, uuid: str, *, approve: bool, digest: str, token: str, reason: str, runtime: Runtime
) -> DecisionResult:
    """Record the decision of ``actor`` on the waiting turn of a run, or say why not.

    ``digest`` is what the card served; ``token`` makes the same press idempotent; ``reason`` reaches the model on a
    decline (RT-08). Raises ``errors.NotFound`` for an unknown run and for one ``actor`` may not act on.
    """
    sent = _Sent(
        actor=actor,
        approve=approve,
        digest=digest,
        token=storable(token)[:TOKEN_LENGTH],
        reason=storable(reason).strip()[:REASON_LENGTH],
    )
    with transaction() as connection:
        result = _decide(connection, sent, uuid, runtime)
    if result.kind is DecisionKind.RECORDED:
        runtime.wake(uuid)
    return result


def _decide(connection: Connection, sent: _Sent, uuid: str, runtime: Runtime) -> DecisionResult:
    run = lock_run(connection, uuid)
    if run is None or not may_act_on_turn(sent.actor, run):
        raise errors.NotFound(f"run {uuid}")
    _count(connection, sent.actor, runtime)
    repeated = _find_repeated(connection, sent, uuid)
    if repeated is not None:
        return _told(DecisionKind.REPEATED, repeated)
    card = find_card(connection, uuid)
    if card is None or run.status is not RunStatus.WAITING_FOR_APPROVAL or card.state is not TurnState.WAITING:
        return _not_waiting(connection, run, card)
    if is_overdue(card, find_configuration(connection, run.configuration_id), runtime):
        # Too late for either answer: it ends as expired, so that no decline reaches the model that nobody gave in time.
        end_run(connection, run, EXPIRED, runtime.cipher)
        return DecisionResult(kind=DecisionKind.NOT_WAITING, reason=TurnState.EXPIRED.value, text=EXPIRED_SENTENCE)
    if not is_same_digest(sent.digest, card.digest):
        return DecisionResult(kind=DecisionKind.STALE, turn=card.turn, revision=card.revision)
    against = find_objection(connection, sent.actor, run, card, runtime) if sent.approve else None
    if against is not None:
        return _refuse(connection, sent, run, against)
    return _record(connection, sent, run, card, runtime)


def _refuse(connection: Connection, sent: _Sent, run: RunView, against: Objection) -> DecisionResult:
    if against.ground is Ground.NOTHING_TO_APPROVE:
        return DecisionResult(kind=DecisionKind.NOTHING_TO_APPROVE, reason=against.reason, text=against.text)
    if against.ground is Ground.HALTED:  # nothing about the person or the step: it can be approved when runs go on
        return DecisionResult(kind=DecisionKind.NOT_ALLOWED, reason=against.reason, text=against.text)
    record_refusal(
        connection,
        run_uuid=run.uuid,
        decision=GovernanceDecision.APPROVER_DENIED,
        reason=against.reason,
        rule=APPROVER,
        tool=against.tool,
        configuration_id=run.configuration_id,
        user_id=sent.actor.user_id,
    )
    return DecisionResult(kind=DecisionKind.NOT_ALLOWED, reason=against.reason, text=against.text)


def _count(connection: Connection, actor: Identity, runtime: Runtime) -> None:
    """Limit how often one person decides; raises ``errors.TooMany`` (reliability.md section 5)."""
    subject = str(actor.user_id)
    limits.check_limit(connection, "decision", subject, most=runtime.settings.decisions_per_minute, seconds=60)
    limits.count_attempt(connection, "decision", subject)


def _find_repeated(connection: Connection, sent: _Sent, uuid: str) -> DecisionRow | None:
    if not sent.token:
        return None
    row = connection.execute(
        select(_decisions).where(
            _decisions.c.run_uuid == uuid,
            _decisions.c.token == sent.token,
            _decisions.c.decided_by == sent.actor.user_id,
            _decisions.c.approved == sent.approve,
        )
    )
    found = row.mappings().first()
    return None if found is None else DecisionRow(**found)


def _not_waiting(connection: Connection, run: RunView, card: CardRow | None) -> DecisionResult:
    decision = newest_decision(connection, run.uuid)
    if decision is not None and card is not None and (decision.turn, decision.revision) == (card.turn, card.revision):
        return _told(DecisionKind.ALREADY_DECIDED, decision)
    if card is not None and card.state is TurnState.EXPIRED:
        return DecisionResult(kind=DecisionKind.NOT_WAITING, reason=card.state.value, text=EXPIRED_SENTENCE)
    reason = run.reason or (card.state.value if card is not None else run.status.value)
    return DecisionResult(kind=DecisionKind.NOT_WAITING, reason=reason)


def newest_decision(connection: Connection, uuid: str) -> DecisionRow | None:
    """The last decision recorded for a run."""
    newest = select(_decisions).where(_decisions.c.run_uuid == uuid)
    newest = newest.order_by(_decisions.c.turn.desc(), _decisions.c.revision.desc()).limit(1)
    row = connection.execute(newest).mappings().first()
    return None if row is None else DecisionRow(**row)


def _record(connection: Connection, sent: _Sent, run: RunView, card: CardRow, runtime: Runtime) -> DecisionResult:
    decision = DecisionRow(
        run_uuid=run.uuid,
        turn=card.turn,
        revision=card.revision,
        approved=sent.approve,
        decided_by=sent.actor.user_id,
        digest=card.digest,
        token=sent.token,
        reason_sealed="",
        decided_at=clock.now(),
    )
    save_decision(connection, runtime.cipher, decision, sent.reason)
    settle_card(
        connection, run.uuid, card.turn, card.revision, TurnState.APPROVED if sent.approve else TurnState.DECLINED
    )
    connection.execute(
        update(_run)
        .where(_run.c.uuid == run.uuid)
        .values(status=RunStatus.QUEUED.value, attempts=0, changed_at=decision.decided_at, **RELEASED)
    )
    append_event(
        connection,
        run.uuid,
        EventKind.APPROVAL,
        {"turn": card.turn, "revision": card.revision, "approved": sent.approve, "by": sent.actor.user_id},
    )
    announce(
        connection,
        RunNews(
            run_uuid=run.uuid,
            subject=run.subject,
            owner_id=run.owner_id,
            status=RunStatus.QUEUED,
            settled_cards=((card.turn, card.revision),),
        ),
    )
    return _told(DecisionKind.RECORDED, decision)


def _told(kind: DecisionKind, decision: DecisionRow) -> DecisionResult:
    return DecisionResult(
        kind=kind,
        by=decision.decided_by,
        at=decision.decided_at,
        approved=decision.approved,
        turn=decision.turn,
        revision=decision.revision,
    )
