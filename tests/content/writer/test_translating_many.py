"""Many translations at once are what they are one by one, and take no more statements (W6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from app.content.errors import WriteRefused
from app.content.hooks import Hooks
from app.content.models import RecordHistory
from app.content.schema import REGISTRY
from app.content.types import Origin, RecordRef, WriteContext
from app.content.writer import Batch
from app.policy.identity import Identity
from tests.content.writer.fixtures import ADMIN, ANNA, DE, DRAFT, FR, LIVE, NOW, Store

TABLES = ("pages", "content_elements", "file_references")
PAGES = (10, 11, 12, 13, 14, 20)
ELEMENTS = (100, 101, 103, 104, 105)
ONLY_GERMAN = replace(ANNA, languages=frozenset({0, DE}))
NO_FILES = replace(ANNA, tables_modify=ANNA.tables_modify - {"file_references"})
NO_ELEMENTS = replace(ANNA, tables_modify=ANNA.tables_modify - {"content_elements"})
ACTORS = (ADMIN, ANNA, ONLY_GERMAN, NO_FILES, NO_ELEMENTS)
STEPS = ("files", "element", "page", "change", "move", "mark", "delete")
"""In an order in which each is possible."""


class RollBack(Exception):
    """Ends an example: the next one finds the site as it was."""


@dataclass(kw_only=True)
class Outcome:
    """What one way of translating left."""

    refs: list[RecordRef] = field(default_factory=list)
    refused: str = ""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    changes: dict[tuple[str, int], Any] = field(default_factory=dict)
    history: list[Any] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def prepare(connection: Connection, steps: Sequence[str], workspace_id: int) -> None:
    """Bring the site into a state in which pages differ: files on pages, translated elements, marks in the draft."""
    batch = Batch(connection, _context(ADMIN, workspace_id), hooks=Hooks())
    for step in steps:
        match step:
            case "files":
                for table, uid, page in (("pages", 11, 11), ("content_elements", 103, 11), ("pages", 10, 10)):
                    owner = {"owner_table": table, "owner_uid": uid, "owner_field": "media"}
                    batch.create("file_references", page, {"file_uid": 1, "title": f"On {table}", **owner})
            case "element":
                batch.localize("content_elements", 101, FR, with_content=False)
            case "page":
                batch.localize("pages", 14, FR, with_content=False)
            case "delete":
                batch.delete("pages", 30)
            case "mark":
                batch.delete("content_elements", 104)
            case "move":
                batch.move("content_elements", 103, page_uid=14)
            case "change":
                batch.update("content_elements", 100, {"header": "Welcome, everybody"})
                batch.update("pages", 11, {"title": "Opening hours"})
    batch.finish()


def _context(actor: Identity, workspace_id: int) -> WriteContext:
    return WriteContext(
        actor=replace(actor, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.RUN,
        correlation="test",
        now=NOW + 5,
    )


def outcome(store: Store, plan: Mapping[str, Any], *, at_once: bool) -> Outcome:
    """What translating leaves, one by one or at once; taken back at the end."""
    found = Outcome()

    def ask(_context: Any, table: str, uid: int, values: Mapping[str, Any]) -> None:
        found.asked.append(repr((table, uid, sorted(values.items()))))

    with suppress(RollBack), store.engine.begin() as connection:
        prepare(connection, plan["steps"], plan["workspace_id"])
        batch = Batch(connection, _context(plan["actor"], plan["workspace_id"]), hooks=Hooks(before=(ask,)))
        try:
            found.refs = _translate(batch, plan, at_once=at_once)
            changes = batch.finish()
        except WriteRefused as error:
            found.refused = f"{error.reason} {error.text} {error.text.params}"
            raise RollBack from error
        found.changes = {(change.table, change.uid): change for change in changes.changes}
        for name in TABLES:
            rows = REGISTRY[name].table
            found.rows[name] = [dict(row) for row in connection.execute(select(rows).order_by(rows.c.uid)).mappings()]
        told = connection.execute(select(RecordHistory.__table__)).mappings()
        found.history = sorted(repr(sorted((name, row[name]) for name in row if name != "id")) for row in told)
        raise RollBack
    found.asked.sort()
    store.statements.clear()  # a failing example shows the store
    return found


def _translate(batch: Batch, plan: Mapping[str, Any], *, at_once: bool) -> list[RecordRef]:
    table, uids, language_id, content = plan["table"], plan["uids"], plan["language_id"], plan["with_content"]
    if at_once:
        refs = batch.localize_all(table, uids, language_id, with_content=content)
    else:
        refs = [batch.localize(table, uid, language_id, with_content=content) for uid in uids]
    batch.mark_target(refs[0])
    return refs


@st.composite
def plans(draw: st.DrawFn) -> dict[str, Any]:
    """A state of the site, somebody, and what they translate."""
    table, known = draw(st.sampled_from([("pages", PAGES), ("pages", PAGES), ("content_elements", ELEMENTS)]))
    uids = draw(st.lists(st.sampled_from([*known, 999]), min_size=1, max_size=5, unique=True))
    steps = draw(st.sets(st.sampled_from(STEPS), max_size=4))
    return {
        "table": table,
        "uids": uids if draw(st.booleans()) else [uid for uid in uids if uid not in {999, 12, 13}] or [known[-1]],
        "language_id": draw(st.sampled_from([FR, FR, FR, DE, 9])),
        "with_content": draw(st.booleans()),
        "workspace_id": draw(st.sampled_from([LIVE, DRAFT])),
        "actor": draw(st.sampled_from(ACTORS)),
        "steps": sorted(steps, key=STEPS.index),
    }


def plan(**values: Any) -> dict[str, Any]:
    """The whole branch of the museum, French, by an administrator, unless ``values`` say otherwise."""
    usual = {"table": "pages", "uids": [10, 11, 12, 13, 14, 20], "language_id": FR, "with_content": True}
    return {**usual, "workspace_id": LIVE, "actor": ADMIN, "steps": ["files", "element", "change"], **values}


@given(plan=plans())
@example(plan=plan())
@example(plan=plan(workspace_id=DRAFT, steps=["files", "element", "move", "mark"]))
@example(plan=plan(uids=[20, 14, 11, 10], actor=ANNA))
@example(plan=plan(uids=[10, 12, 999], actor=ANNA))
@example(plan=plan(uids=[10, 30, 999]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_translates_at_once_what_it_translates_one_by_one(store: Store, plan: dict[str, Any]) -> None:
    single, many = outcome(store, plan, at_once=False), outcome(store, plan, at_once=True)
    if single.refused:
        assert many.refused == single.refused
    else:
        assert many == single


def test_it_makes_the_same_rows_on_postgresql_too(any_store: Store) -> None:
    single, many = (outcome(any_store, plan(), at_once=at_once) for at_once in (False, True))
    titles = [
        sorted((row["language_id"], row["pid"], row.get("title") or row.get("header")) for row in found.rows[name])
        for found in (single, many)
        for name in TABLES
    ]
    assert titles[:3] == titles[3:]
    assert [row["language_id"] for row in many.rows["pages"]].count(FR) == 6


def test_it_translates_a_record_once_that_was_named_twice(store: Store) -> None:
    with store.batch(DRAFT) as batch:
        batch.update("pages", 11, {"title": "Opening hours"})
        version = next(row["uid"] for row in _versions(batch.connection))
        first, second, third = batch.localize_all("pages", [11, 14, version], FR, with_content=False)
        changes = batch.finish()
    assert (first == third, first == second) == (True, False)
    assert [change.title for change in changes.changes if change.language_id == FR] == [
        "[à traduire] Opening hours",
        "[à traduire] Shop",
    ]
    with store.batch() as batch:
        assert batch.localize_all("pages", [], FR, with_content=True) == []


def _versions(connection: Connection) -> Sequence[Mapping[Any, Any]]:
    rows = REGISTRY["pages"].table
    return connection.execute(select(rows).where(rows.c.live_uid == 11)).mappings().all()


def test_it_writes_nothing_when_one_is_refused(store: Store) -> None:
    live = store.hash_of_live()
    with store.batch() as batch:
        with pytest.raises(WriteRefused, match="is_translation"):
            batch.localize_all("pages", [10, 11, 30], FR, with_content=True)
        assert batch.finish().changes == ()
    assert store.hash_of_live() == live


def test_it_takes_the_same_number_of_statements_for_any_number(any_store: Store) -> None:
    counts = []
    for uids in ([10, 11], [10, 11, 12, 13, 14, 20]):
        with suppress(RollBack), any_store.batch() as batch:
            batch.localize_all("pages", uids, FR, with_content=True)
            batch.finish()
            counts.append(len(any_store.statements))
            raise RollBack
    assert counts[0] == counts[1] <= 20
