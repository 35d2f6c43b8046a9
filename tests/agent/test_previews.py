from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent import store
from app.agent.previews import decode_preview, encode_preview
from app.agent.types import Preview, PreviewKind, RecordPreview, TurnState
from app.content.types import ChangeAction, FieldChange, PlannedRef
from app.core.crypto import Unreadable
from app.core.db import db, reading, transaction
from app.core.i18n import ntext, text
from tests.agent.execution_world import World

RECORD = RecordPreview(
    table="pages",
    uid=0,
    live_uid=0,
    name="+0.pages.1",
    action=ChangeAction.CREATED,
    workspace_id=1,
    page_uid=3,
    title="Shop",
    is_target=True,
    language_id=None,
    hidden=True,
    starttime=0,
    endtime=None,
    groups=(1, -2),
    fields=(FieldChange(name="title", old=None, new="Shop"), FieldChange(name="hidden", old=False, new=True)),
)
PREVIEW = Preview(
    ordinal=2,
    kind=PreviewKind.SHOWN,
    heading=text("Create “%(title)s” with %(parts)s", title="Shop", parts=ntext("%(n)s part", "%(n)s parts", 2)),
    generic_heading=text("Create a page"),
    named=(PlannedRef(table="pages", workspace_id=1, language_id=0, page_uid=3),),
    workspace_id=1,
    language_id=1,
    refused_rule="r",
    refused_reason="x",
    explanation=text("No."),
    records=(RECORD, replace(RECORD, groups=None)),
    counts=(("pages", ChangeAction.CREATED, 2),),
    effect_hash="e" * 64,
    has_after_hooks=True,
)


def test_it_reads_back_what_it_wrote() -> None:
    assert decode_preview(encode_preview(PREVIEW)) == PREVIEW
    plain = replace(PREVIEW, explanation=None, records=(), named=(), language_id=None)
    assert decode_preview(encode_preview(plain)) == plain


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\x00")))
def test_it_keeps_every_character(words: str) -> None:
    kept = replace(RECORD, title=words, fields=(FieldChange(name="body", old=words, new=words + "."),))
    assert decode_preview(encode_preview(replace(PREVIEW, records=(kept,)))).records == (kept,)


@pytest.mark.parametrize("stored", ["", "[]", "{}", '{"v":2}', "null", encode_preview(PREVIEW)[:-1]])
def test_it_refuses_anything_else(stored: str) -> None:
    with pytest.raises(Unreadable):
        decode_preview(stored)


def test_it_refuses_a_preview_with_a_part_missing() -> None:
    whole = json.loads(encode_preview(PREVIEW))
    for name in whole:
        with pytest.raises(Unreadable):
            decode_preview(json.dumps({key: value for key, value in whole.items() if key != name}))


@pytest.mark.behaviour("RT-16")
def test_it_stores_cards_and_calls_encrypted_for_their_place(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, ("update_page_metadata", {"page": world.hours, "title": "Secret plan"}), ("look", {}))
    invalid = replace(calls[0], turn=9, arguments=None, arguments_text="{Secret", invalid="not_json")
    previews = world.card(facts, calls)
    cipher = world.runtime.cipher
    with transaction() as connection:
        store.save_calls(connection, cipher, [invalid])
    with reading() as connection:
        assert store.load_calls(connection, facts.uuid, 1, cipher) == calls
        (stored,) = store.load_calls(connection, facts.uuid, 9, cipher)
        assert (stored.arguments, stored.invalid, stored.kept_text) == (None, "not_json", invalid.kept_text)
        assert store.load_previews(connection, facts.uuid, 1, 1, cipher) == previews
        card = store.find_card(connection, facts.uuid)
        assert card is not None
        assert (card.turn, card.revision, card.state) == (1, 1, TurnState.WAITING)
        for table in ("tool_call", "call_preview", "turn"):
            rows = connection.execute(db.metadata.tables[table].select()).all()
            assert "Secret" not in str(rows)
            assert "Opening hours" not in str(rows)


@pytest.mark.behaviour("RT-16")
def test_it_does_not_open_what_was_moved_or_exchanged(world: World) -> None:
    facts, other = world.start(), world.start()
    calls = world.propose(facts, ("look", {}), ("update_page_metadata", {"page": world.hours, "title": "A"}))
    world.card(facts, calls)
    world.card(other, world.propose(other, ("look", {})))
    table = db.metadata.tables["call_preview"]
    mine = (table.c.run_uuid == facts.uuid) & (table.c.ordinal == 0)
    with transaction() as connection:
        foreign = connection.execute(
            table.select().with_only_columns(table.c.preview_sealed).where(table.c.run_uuid == other.uuid)
        ).scalar_one()
        connection.execute(table.update().where(mine).values(preview_sealed=foreign))
    with reading() as connection, pytest.raises(Unreadable):
        store.load_previews(connection, facts.uuid, 1, 1, world.runtime.cipher)
    with transaction() as connection:
        neighbour = connection.execute(
            table.select()
            .with_only_columns(table.c.preview_sealed)
            .where(table.c.run_uuid == facts.uuid, table.c.ordinal == 1)
        ).scalar_one()
        connection.execute(table.update().where(mine).values(preview_sealed=neighbour))
    with reading() as connection, pytest.raises(Unreadable):
        store.load_previews(connection, facts.uuid, 1, 1, world.runtime.cipher)
