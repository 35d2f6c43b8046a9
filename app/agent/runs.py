"""Runs: start one, find them, and stop one. The run row is the truth (design section 6)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Table, func, insert, select, update
from sqlalchemy.engine import Connection

from app.accounts.models import User
from app.agent.configurations import facts_of, find_configuration, may_use_configuration
from app.agent.endings import Ending, end_run
from app.agent.events import EventKind, append_event
from app.agent.halting import RunsHalted, find_halt
from app.agent.llm.base import Message, SystemMessage
from app.agent.models import Run
from app.agent.news import announce
from app.agent.run_rows import RunView, find_run, lock_run
from app.agent.runtime import Runtime
from app.agent.transcript import append_messages
from app.agent.types import Reason, RunFacts, RunNews, RunStatus
from app.core import clock, errors, ids
from app.core.db import transaction
from app.core.i18n import text
from app.policy.identity import GRANT_APPROVE, GRANT_AUDIT, Identity

__all__ = [
    "RunView",
    "cancel_run",
    "facts_of_run",
    "find_run",
    "lock_run",
    "may_act_on_turn",
    "may_read_run",
    "start_run",
]

_run: Table = Run.__table__
_user: Table = User.__table__

LIVING_RUNS = 3
"""Runs of one person that are queued or being worked on at the same time (reliability.md section 5); waiting ones do not count."""
_RETRY_SECONDS = 30


def start_run(
    connection: Connection,
    *,
    owner: Identity,
    configuration_id: int,
    subject: str,
    messages: Sequence[Message],
    runtime: Runtime,
    retry_of: str | None = None,
) -> str:
    """Store a queued run of ``owner`` with its first messages and return its uuid.

    The caller wakes workers after the commit. The prompt of the configuration goes first unless ``messages`` begin with
    standing instructions. The run keeps the workspace and language ``owner`` has now (D11, DW-23). Raises
    ``errors.Forbidden`` when the configuration may not be used, ``errors.Invalid`` when the person stands in no
    workspace, ``errors.TooMany`` above the limit of runs, ``halting.RunsHalted`` while no run may begin.

    ``retry_of`` is the failed run this one tries again: what that one wrote stands and is refused a second time (RT-12).
    Raises ``errors.Conflict`` when it is not a failed run of the same person and subject, or was tried again before.
    """
    if find_halt(connection) is not None:
        raise RunsHalted
    if retry_of is not None:
        _require_failed(connection, retry_of, owner.user_id, subject)
    configuration = find_configuration(connection, configuration_id)
    if configuration is None or not may_use_configuration(owner, configuration):
        raise errors.Forbidden(
            f"configuration {configuration_id}", text=text("You may not use this kind of assistance.")
        )
    if owner.workspace_id is None:
        raise errors.Invalid(
            "no workspace",
            text=text(
                "Your draft workspace is not available any more. Choose another workspace and send the message again."
            ),
        )
    _require_room(connection, owner.user_id)
    uuid, now = ids.new_uuid(), clock.now()
    connection.execute(
        insert(_run).values(
            uuid=uuid,
            subject=subject,
            owner_id=owner.user_id,
            configuration_id=configuration_id,
            workspace_id=owner.workspace_id,
            language=owner.language,
            status=RunStatus.QUEUED.value,
            retry_of=retry_of,
            created_at=now,
            changed_at=now,
        )
    )
    append_messages(connection, runtime.cipher, uuid, _with_prompt(configuration.prompt, messages))
    started = {"workspace": owner.workspace_id, "configuration": configuration_id}
    append_event(connection, uuid, EventKind.STARTED, started if retry_of is None else {**started, "retry": True})
    announce(connection, RunNews(run_uuid=uuid, subject=subject, owner_id=owner.user_id, status=RunStatus.QUEUED))
    return uuid


def _require_failed(connection: Connection, uuid: str, owner_id: int, subject: str) -> None:
    """The failed run is locked until the commit, so that two attempts at once are one."""
    run = lock_run(connection, uuid)
    is_own = run is not None and (run.owner_id, run.subject) == (owner_id, subject)
    again = connection.execute(select(_run.c.uuid).where(_run.c.subject == subject, _run.c.retry_of == uuid)).first()
    if run is None or not is_own or run.status is not RunStatus.FAILED or again is not None:
        raise errors.Conflict(f"run {uuid}")


def _with_prompt(prompt: str, messages: Sequence[Message]) -> Sequence[Message]:
    if not prompt or (messages and isinstance(messages[0], SystemMessage)):
        return messages
    return (SystemMessage(content=prompt), *messages)


def _require_room(connection: Connection, owner_id: int) -> None:
    # The row of the person serialises two starts at once on PostgreSQL; SQLite has one writer anyway.
    connection.execute(select(_user.c.id).where(_user.c.id == owner_id).with_for_update())
    busy = [RunStatus.QUEUED.value, RunStatus.RUNNING.value]
    living = connection.execute(
        select(func.count()).select_from(_run).where(_run.c.owner_id == owner_id, _run.c.status.in_(busy))
    ).scalar_one()
    if living >= LIVING_RUNS:
        raise errors.TooMany(
            f"{living} runs of {owner_id}",
            retry_after=_RETRY_SECONDS,
            text=text("%(n)s of your assignments are in progress. Wait until one of them has ended.", n=int(living)),
        )


def may_read_run(identity: Identity, run: RunView) -> bool:
    """Whether a person may see the timeline of a run: its owner, administrators, auditors."""
    return run.owner_id == identity.user_id or identity.may(GRANT_AUDIT)


def may_act_on_turn(identity: Identity, run: RunView) -> bool:
    """Whether a person may see and decide a waiting turn: the initiator, administrators, approvers."""
    return run.owner_id == identity.user_id or identity.may(GRANT_APPROVE)


def may_cancel_run(identity: Identity, run: RunView) -> bool:
    """Whether a person may stop a run: its initiator and administrators (RT-14)."""
    return run.owner_id == identity.user_id or identity.is_admin


def facts_of_run(connection: Connection, run: RunView) -> RunFacts | None:
    """What rehearsal and execution need to know of a run; None when its configuration is gone."""
    configuration = find_configuration(connection, run.configuration_id)
    if configuration is None:
        return None
    return RunFacts(
        uuid=run.uuid,
        owner_id=run.owner_id,
        configuration=facts_of(configuration),
        workspace_id=run.workspace_id,
        language=run.language,
        fence=run.fence,
    )


def cancel_run(actor: Identity, uuid: str, runtime: Runtime) -> bool:
    """Stop a run (RT-14): at once when nobody works on it, else before its next step. False when it has ended already.

    The initiator or an administrator may. Raises ``errors.NotFound`` for others who may not see it, ``errors.Forbidden`` for those
    who may.
    """
    with transaction() as connection:
        run = lock_run(connection, uuid)
        if run is None or not (may_read_run(actor, run) or may_act_on_turn(actor, run)):
            raise errors.NotFound(f"run {uuid}")
        if not may_cancel_run(actor, run):
            raise errors.Forbidden(f"run {uuid}")
        if run.status.is_final:
            return False
        if run.cancel_at is None:
            append_event(connection, uuid, EventKind.CANCEL, {"by": actor.user_id})
            connection.execute(
                update(_run).where(_run.c.uuid == uuid).values(cancel_at=clock.now(), cancelled_by=actor.user_id)
            )
        if run.status is not RunStatus.RUNNING:
            end_run(connection, run, Ending(status=RunStatus.CANCELLED, reason=Reason.CANCELLED), runtime.cipher)
        return True
