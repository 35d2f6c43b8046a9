"""C2: opening the list of changes of a long conversation against reading and decoding its events alone."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from functools import partial
from typing import Any, cast

from sqlalchemy import Connection, Table, select

from app.agent.events import VERSION, EventKind
from app.agent.llm.base import UserMessage
from app.agent.models import Run, RunEvent
from app.agent.runs import start_run
from app.chat import run_record, store
from app.chat.changes import MOST_RECORDS, read_changes
from app.chat.run_record import RunEntry
from app.cli.bench.figures import Reading, Scale, Setup
from app.cli.bench.place import Place, counted_statements, temporary_place
from app.cli.bench.runs import Assignment
from app.cli.bench.timing import interleave, median, ratios
from app.cli.bench.trees import grow_tree
from app.content.schema import CONTENT_ELEMENTS, PAGES
from app.content.writer.bulk import insert_many
from app.core import canonical, clock
from app.core.db import reading, transaction
from app.policy.identity import LIVE, Identity

_RUN = cast(Table, Run.__table__)
_EVENT = cast(Table, RunEvent.__table__)
_SEED = 1
_TREE = 1000
_STEP = (EventKind.REQUEST, EventKind.LLM, EventKind.TOOL, EventKind.TOOL_CHANGES, EventKind.TOOL_WRITE)
"""What one write call leaves; a fifth of the events are those the list is made of."""
_CHANGED_AT_ONCE = 3


def change_list(setup: Setup) -> list[Reading]:
    """C2: the whole list, rights and words included, against one statement with ``json.loads`` and a merge."""
    scale = setup.scale
    with temporary_place() as place:
        conversation_id = _conversation(place, scale)
        actor = place.identity(LIVE)
        with counted_statements() as statements:
            shown = _open(actor, conversation_id)
        named = decode_events(conversation_id)
        if shown != min(MOST_RECORDS, named):  # both sides must give the same answer before they are timed
            msg = f"{shown} of {named} records listed"
            raise ValueError(msg)
        samples = interleave(
            {"list": partial(_open, actor, conversation_id), "floor": partial(decode_events, conversation_id)},
            setup.rounds,
        )
    own = {f"ms {name}": median(seconds) * 1e3 for name, seconds in samples.items()} | {"statements": len(statements)}
    what = f"change list, {scale.runs} runs of {scale.events} events"
    found = ratios(samples["list"], samples["floor"])
    return [Reading(figure="C2", what=what, unit="x decoding", bar=2.2, aim=1.6, values=found, own=own)]


def _open(actor: Identity, conversation_id: int) -> int:
    with reading() as connection:
        return len(read_changes(connection, actor, conversation_id, site_name="Town Museum").records)


def decode_events(conversation_id: int) -> int:
    """The floor: read what the runs of a conversation changed, decode it, keep the newest of each record."""
    with reading() as connection:
        row = store.find_conversation(connection, conversation_id)
        uuids = run_record.run_uuids(run_record.decode("" if row is None else row["run_record"]))
        wanted = select(_EVENT.c.payload).where(
            _EVENT.c.run_uuid.in_(uuids), _EVENT.c.kind == EventKind.TOOL_CHANGES.value
        )
        merged: dict[tuple[str, int], Mapping[str, Any]] = {}
        for (payload,) in connection.execute(wanted.order_by(_EVENT.c.run_uuid, _EVENT.c.seq)):
            for change in json.loads(payload)["changes"]:
                key = (change["t"], change["u"])
                old = merged.get(key)
                merged[key] = change if old is None else {**change, "target": old["target"] or change["target"]}
    return len(merged)


def _conversation(place: Place, scale: Scale) -> int:
    """A conversation of the editor whose runs changed ``scale.records`` records of a large tree."""
    for _ in range(max(1, scale.tree // _TREE)):
        grow_tree(place, min(scale.tree, _TREE))
    assignment = Assignment(place)
    chance = random.Random(_SEED)  # noqa: S311  the same data every time
    with transaction() as connection:
        records = _records(connection, scale, chance)
        uuids = [ended_run(connection, place) for _ in range(scale.runs)]
        for uuid in uuids:
            insert_many(connection, _EVENT, _events(uuid, records, scale.events, chance))
        entries = [RunEntry(outcome="completed", writes=(records[0] + ("update",),), run_uuid=uuid) for uuid in uuids]
        values = {"run_record": run_record.encode(entries), "changes_version": 1}
        store.change_conversation(connection, assignment.conversation_id, values)
    return assignment.conversation_id


def _records(connection: Connection, scale: Scale, chance: random.Random) -> list[tuple[str, int]]:
    """Live records the editor may see: those below generated pages, half of them pages."""
    found: list[tuple[str, int]] = []
    for table in (PAGES.table, CONTENT_ELEMENTS.table):
        named = select(table.c.uid).where(table.c.import_key == "", table.c.workspace_id == LIVE)
        uids = connection.execute(named.order_by(table.c.uid.desc()).limit(scale.tree // 2)).scalars().all()
        found += [(table.name, uid) for uid in chance.sample(list(uids), scale.records // 2)]
    return found


def ended_run(connection: Connection, place: Place) -> str:
    """A run of the editor that has ended without an event of its own; returns its UUID."""
    actor = place.identity(LIVE)
    message = UserMessage(content="go")
    uuid = start_run(
        connection, owner=actor, configuration_id=1, subject="bench", messages=[message], runtime=place.runtime
    )
    connection.execute(_RUN.update().where(_RUN.c.uuid == uuid).values(status="completed", reason="completed"))
    return uuid


def _events(uuid: str, records: list[tuple[str, int]], number: int, chance: random.Random) -> list[dict[str, Any]]:
    rows = []
    for position in range(number):
        call, kind = divmod(position, len(_STEP))
        payload = {"v": VERSION, "turn": call + 1, "call": 0, **_payload(_STEP[kind], records, chance)}
        rows.append(
            {
                "run_uuid": uuid,
                "seq": position + 100,
                "kind": _STEP[kind].value,
                "version": VERSION,
                "payload": canonical.dumps(payload),
                "at": clock.now(),
            }
        )
    return rows


def _payload(kind: EventKind, records: list[tuple[str, int]], chance: random.Random) -> dict[str, Any]:
    match kind:
        case EventKind.TOOL_CHANGES:
            changed = chance.sample(records, min(_CHANGED_AT_ONCE, len(records)))
            changes = [_change(table, uid, is_target=not place) for place, (table, uid) in enumerate(changed)]
            return {"tool": "copy_page", "status": "complete", "failed": False, "omitted": 0, "changes": changes}
        case EventKind.TOOL:
            return {"tool": "copy_page", "ok": True, "state": "done", "code": ""}
        case EventKind.TOOL_WRITE:
            return {"t": "pages", "u": records[0][1], "kind": "copy", "completeness": "complete", "hook_failed": False}
        case _:
            return {"round": 1, "text": "Lorem ipsum dolor sit amet " * 20, "prompt_tokens": 1200}


def _change(table: str, uid: int, *, is_target: bool) -> dict[str, Any]:
    return {
        "t": table,
        "u": uid,
        "l": uid,
        "a": "updated",
        "w": LIVE,
        "p": uid,
        "lang": 0,
        "h": False,
        "s": 0,
        "e": 0,
        "g": [],
        "target": is_target,
    }
