"""What a run tells its conversation: written in the transaction that changed the run, so both are true or neither."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.engine import Connection, RowMapping

from app.agent.types import RunNews, RunStatus
from app.chat import run_record, statements, store
from app.chat.run_record import RunEntry
from app.core import clock

SUBJECT_PREFIX: Final = "conversation:"
OPEN_SEGMENT: Final = "running"
_STATUS: Mapping[RunStatus, str] = {
    RunStatus.QUEUED: "working",
    RunStatus.RUNNING: "working",
    RunStatus.WAITING_FOR_PROVIDER: "working",
    RunStatus.WAITING_FOR_APPROVAL: "awaiting_approval",
    RunStatus.WAITING_FOR_INPUT: "awaiting_input",
    RunStatus.COMPLETED: "idle",
    RunStatus.CANCELLED: "idle",
    RunStatus.FAILED: "failed",
}


def subject_of(conversation_id: int) -> str:
    """What a run of this conversation carries as its subject."""
    return f"{SUBJECT_PREFIX}{conversation_id}"


def conversation_of(subject: str) -> int | None:
    """The conversation a run belongs to."""
    number = subject.removeprefix(SUBJECT_PREFIX)
    return int(number) if subject.startswith(SUBJECT_PREFIX) and number.isascii() and number.isdigit() else None


def apply_news(connection: Connection, news: RunNews) -> None:
    """Bring the conversation of a run up to date. A run that is not the newest any more changes the record, not the status."""
    conversation_id = conversation_of(news.subject)
    row = None if conversation_id is None else store.find_conversation(connection, conversation_id)
    if conversation_id is None or row is None:
        return
    values: dict[str, Any] = {}
    if row["run_uuid"] in (None, news.run_uuid):
        values.update(_new_status(row, news))
    values.update(_new_record(row, news))
    seq = row["last_seq"]
    for entry in _entries(connection, news):
        seq += 1
        store.add_message(connection, conversation_id, seq, {"run_uuid": news.run_uuid, **entry})
    if seq != row["last_seq"]:
        values.update(last_seq=seq, touched_at=clock.now())
    store.change_conversation(connection, conversation_id, values)


def _new_status(row: RowMapping, news: RunNews) -> dict[str, Any]:
    status = _STATUS[news.status]
    failure = news.reason if status == "failed" else ""
    if row["status"] == status and row["error"] == failure:
        return {}
    return {"status": status, "error": failure, "status_since": clock.now()}


def _entries(connection: Connection, news: RunNews) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if news.answer:
        is_last = news.status is RunStatus.COMPLETED  # words beside a card come before anything is written
        reported = statements.encode(statements.count_reported(connection, news.run_uuid)) if is_last else ""
        found.append({"role": "assistant", "body": news.answer, "reported": reported})
    if news.card is not None:
        found.append({"role": "card", "turn": news.card[0], "revision": news.card[1]})
    return found


def _new_record(row: RowMapping, news: RunNews) -> dict[str, Any]:
    if not (news.writes or news.tool_failed or news.segment_ended):
        return {}
    entries = run_record.decode(row["run_record"])
    last = entries[-1] if entries else None
    is_open = last is not None and last.run_uuid == news.run_uuid and last.outcome == OPEN_SEGMENT
    before = last if is_open and last is not None else RunEntry(outcome=OPEN_SEGMENT, run_uuid=news.run_uuid)
    entry = RunEntry(
        outcome=_outcome(news) if news.segment_ended else OPEN_SEGMENT,
        writes=(*before.writes, *news.writes),
        tool_failed=before.tool_failed or news.tool_failed,
        run_uuid=news.run_uuid,
    )
    grown, dropped = run_record.add_entry(entries[:-1] if is_open else entries, entry)
    values: dict[str, Any] = {"run_record": run_record.encode(grown)}
    if dropped:
        values["run_record_dropped"] = True
    if news.writes or news.tool_failed:
        values["changes_version"] = row["changes_version"] + 1
    return values


def _outcome(news: RunNews) -> str:
    return news.reason or news.status.value
