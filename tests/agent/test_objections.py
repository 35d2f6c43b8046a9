"""What speaks against an approval, for many cards at once as for one, with a number of statements that does not grow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlalchemy import insert, select, update

from app.agent import models as tables
from app.agent.card_contents import find_newest_cards
from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.digest import turn_digest
from app.agent.inbox import list_waiting
from app.agent.llm.scripted import call_turn
from app.agent.objections import Objection, find_objection, find_objections
from app.agent.previews import purpose
from app.agent.store import load_calls, load_previews
from app.core import ids
from app.core.db import reading, transaction
from app.policy.identity import Identity
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene
from tests.support.clock import FakeClock
from tests.support.statements import count_statements

CALL = tables.ToolCall.__table__
KEY = "00" * 32


def _set(**values: object) -> None:
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, **values)  # type: ignore[arg-type]


def _ask(scene: Scene, site: DemoSite, owner: Identity, title: str = "Hours") -> str:
    scene.script(call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": title})))
    uuid = scene.start(owner)
    scene.work()
    return uuid


def _break(uuid: str) -> None:
    with transaction() as connection:
        connection.execute(update(CALL).where(CALL.c.run_uuid == uuid).values(arguments_sealed="v1.k1.broken"))


def _objections(scene: Scene, actor: Identity) -> tuple[dict[str, Objection | None], dict[str, Objection | None]]:
    """Asked together and asked one by one."""
    with reading() as connection:
        runs = list_waiting(connection, actor)
        cards = find_newest_cards(connection, [run.uuid for run in runs])
        pairs = [(run, cards[run.uuid]) for run in runs]
        one_by_one = {run.uuid: find_objection(connection, actor, run, card, scene.runtime) for run, card in pairs}
        return find_objections(connection, actor, pairs, scene.runtime), one_by_one


@pytest.mark.behaviour("RT-16")
def test_an_unreadable_card_harms_only_itself(scene: Scene, site: DemoSite, identity_of) -> None:
    fine, broken = _ask(scene, site, identity_of("dora")), _ask(scene, site, identity_of("dora"))
    _break(broken)
    together, one_by_one = _objections(scene, identity_of("olga"))
    assert together == one_by_one
    assert together[fine] is None
    objection = together[broken]
    assert objection is not None
    assert objection.reason == "unreadable"


@pytest.mark.behaviour("RT-06")
def test_the_offer_gate_and_the_second_approver_are_asked_for_each(scene: Scene, site: DemoSite, identity_of) -> None:
    mine, other = _ask(scene, site, identity_of("olga")), _ask(scene, site, identity_of("dora"))
    _set(requires_second_approver=True)
    together, one_by_one = _objections(scene, identity_of("olga"))
    assert together == one_by_one
    assert together[other] is None
    assert together[mine] is not None
    assert together[mine].reason == "second_approver"
    _set(tool_groups=["reading"])
    together, one_by_one = _objections(scene, identity_of("olga"))
    assert together == one_by_one
    assert {objection.reason for objection in together.values() if objection} == {
        "second_approver",
        "configuration_group",
    }


def test_an_overdue_card_is_told_before_anything_else(
    scene: Scene, site: DemoSite, clock: FakeClock, identity_of
) -> None:
    uuid = _ask(scene, site, identity_of("dora"))
    _break(uuid)
    clock.advance(14 * 86_400)
    together, one_by_one = _objections(scene, identity_of("olga"))
    assert together == one_by_one
    assert together[uuid] is not None
    assert together[uuid].reason == "expired"


def _copies(scene: Scene, uuid: str, count: int) -> None:
    """The same waiting run again under other numbers, each with a card of its own that can be opened."""
    cipher = scene.runtime.cipher
    with transaction() as connection:
        rows = {
            table.name: [dict(row) for row in connection.execute(select(table).where(key == uuid)).mappings().all()]
            for table, key in (
                (tables.Run.__table__, tables.Run.__table__.c.uuid),
                (tables.Turn.__table__, tables.Turn.__table__.c.run_uuid),
                (CALL, CALL.c.run_uuid),
                (tables.CallPreview.__table__, tables.CallPreview.__table__.c.run_uuid),
            )
        }
        calls = load_calls(connection, uuid, 1, cipher)
        previews = load_previews(connection, uuid, 1, 1, cipher)
        for _ in range(count):
            new = ids.new_uuid()
            connection.execute(insert(tables.Run.__table__), {**rows["run"][0], "uuid": new})
            key = cipher.seal(KEY, purpose("turn.digest_key", new))
            own = [replace(call, run_uuid=new) for call in calls]
            card = {"run_uuid": new, "digest_key_sealed": key, "digest": turn_digest(KEY, own, previews)}
            connection.execute(insert(tables.Turn.__table__), {**rows["turn"][0], **card})
            for row, call in zip(rows["tool_call"], calls, strict=True):
                sealed = cipher.seal(call.kept_text, purpose("tool_call.arguments", new))
                connection.execute(insert(CALL), {**row, "run_uuid": new, "arguments_sealed": sealed})
            for row in rows["call_preview"]:
                words = cipher.open(row["preview_sealed"], purpose("call_preview.preview", uuid))
                sealed = cipher.seal(words, purpose("call_preview.preview", new))
                connection.execute(
                    insert(tables.CallPreview.__table__), {**row, "run_uuid": new, "preview_sealed": sealed}
                )


def test_a_hundred_turns_take_as_many_statements_as_two(scene: Scene, site: DemoSite, identity_of) -> None:
    first = _ask(scene, site, identity_of("dora"))
    _copies(scene, first, 1)
    olga = identity_of("olga")

    def asked() -> tuple[int, int]:
        with reading() as connection, count_statements() as seen:
            runs = list_waiting(connection, olga)
            cards = find_newest_cards(connection, [run.uuid for run in runs])
            found = find_objections(connection, olga, [(run, cards[run.uuid]) for run in runs], scene.runtime)
        return len(seen), sum(objection is None for objection in found.values())

    few, two = asked()
    _copies(scene, first, 98)
    many, hundred = asked()
    assert (two, hundred) == (2, 100)
    assert few == many
    assert many <= 6
