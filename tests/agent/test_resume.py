"""Taking up a decided turn: exactly what was approved, or nothing and a fresh card."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.llm.base import ToolMessage
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.loop.segment import Pace
from app.agent.store import load_previews
from app.agent.tools import built_in_tools
from app.agent.tools.base import Plan, WriteResult
from app.agent.tools.registry import ToolRegistry
from app.agent.types import RunStatus
from app.agent.worker import execute_run
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock
from app.core.db import reading, transaction
from app.core.i18n import text
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import InvocationPolicy, ToolEffect, ToolFacts
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene


class Breaks:
    """A tool that works in a rehearsal and raises when it is executed."""

    facts = ToolFacts(name="break", group="editing", effect=ToolEffect.WRITE)
    description = "Breaks."
    parameters: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}  # noqa: RUF012
    label = text("Break")
    sentence = text("Breaks.")

    def plan(self, context, arguments) -> Plan:  # type: ignore[no-untyped-def]
        return Plan(target=None, heading=text("Break it"), generic_heading=text("Break"))

    def execute(self, context, plan, batch) -> WriteResult:  # type: ignore[no-untyped-def]
        if not batch.context.rehearsal:
            raise RuntimeError("secret")
        return WriteResult(content={"done": "break"}, target=None, kind="update")


class RefusesHiding:
    """A rule that refuses one tool until it is told otherwise."""

    id = "no_hiding"
    answers_before_approval = True

    def __init__(self) -> None:
        self.is_on = True

    def decide(self, context):  # type: ignore[no-untyped-def]
        if self.is_on and context.tool.name == "hide_record":
            return Refused(rule=self.id, reason="not_today", explanation=text("Not today."))
        return ALLOWED


def _update(page: int, **values: str) -> tuple[str, dict[str, Any]]:
    return ("update_page_metadata", {"page": page, **values})


def _propose(scene: Scene, owner: Any, *calls: tuple[str, dict[str, Any]], **start: Any) -> str:
    scene.script(call_turn(*calls, content="My plan."), text_turn("That is done."))
    uuid = scene.start(owner, **start)
    scene.work()
    return uuid


def _edit(person: Any, uid: int, **values: str) -> None:
    """Somebody else changes a page meanwhile."""
    with transaction() as connection:
        context = WriteContext(
            actor=person, workspace_id=0, origin=Origin.PERSON, correlation="by-hand", now=clock.now()
        )
        batch = Batch(connection, context)
        batch.update("pages", uid, values)
        batch.finish()


def _results(scene: Scene, uuid: str) -> list[ToolMessage]:
    return [message for message in scene.transcript(uuid) if isinstance(message, ToolMessage)]


def _on_card(scene: Scene, uuid: str) -> list[tuple[int, str, str]]:
    card = scene.card(uuid)
    with reading() as connection:
        found = load_previews(connection, uuid, card.turn, card.revision, scene.runtime.cipher)
    return [(preview.ordinal, preview.kind.value, preview.refused_rule) for preview in found]


def test_it_carries_out_an_approved_turn_in_order(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    uuid = _propose(
        scene, dora, _update(pages["hours"], title="Hours"), ("list_languages", {}), _update(pages["press"], title="P")
    )
    assert scene.decide(dora, uuid).kind == "recorded"
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("done", ""), 2: ("done", "")}
    assert (scene.row("pages", pages["hours"])["title"], scene.row("pages", pages["press"])["title"]) == ("Hours", "P")
    assert [result.is_error for result in _results(scene, uuid)] == [False, False, False]
    assert scene.run(uuid).reason == "completed"
    kinds = scene.kinds(uuid)
    assert kinds.index("approval") < kinds.index("tool_changes")


@pytest.mark.behaviour("RT-10")
def test_it_executes_nothing_of_a_turn_whose_target_changed(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    uuid = _propose(scene, dora, _update(pages["press"], title="P"), _update(pages["hours"], title="Hours"))
    old = scene.card(uuid).digest
    _edit(identity_of("admin"), pages["hours"], title="Times")
    scene.decide(dora, uuid)
    scene.work()
    run, card = scene.run(uuid), scene.card(uuid)
    assert (run.status, run.revision, card.revision, card.cause) == ("waiting_for_approval", 2, 2, "target_changed")
    assert scene.outcomes(uuid) == {}
    assert scene.row("pages", pages["press"])["title"] != "P"
    assert scene.decide(dora, uuid, digest=old).kind == "stale"
    scene.decide(dora, uuid)
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("done", "")}
    assert scene.row("pages", pages["hours"])["title"] == "Hours"


@pytest.mark.behaviour("RT-10")
def test_it_compares_a_single_call_when_it_is_executed(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    uuid = _propose(scene, dora, _update(pages["hours"], title="Hours"))
    _edit(identity_of("admin"), pages["hours"], title="Times")
    scene.decide(dora, uuid)
    scene.work()
    assert (scene.card(uuid).revision, scene.card(uuid).cause) == (2, "effect_differs")
    assert scene.row("pages", pages["hours"])["title"] == "Times"
    assert scene.outcomes(uuid) == {}
    scene.decide(dora, uuid)
    scene.work()
    assert scene.row("pages", pages["hours"])["title"] == "Hours"


@pytest.mark.behaviour("RT-20")
def test_it_stops_after_a_call_that_did_not_work_and_offers_the_rest(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    scene.runtime = replace(scene.runtime, registry=ToolRegistry((*built_in_tools(), Breaks())))
    uuid = _propose(
        scene,
        dora,
        _update(pages["press"], title="P"),
        ("break", {}),
        _update(pages["hours"], title="H"),
        ("list_languages", {}),
    )
    scene.decide(dora, uuid)
    scene.work()
    assert scene.run(uuid).status is RunStatus.WAITING_FOR_APPROVAL
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("failed", "RuntimeError"), 3: ("done", "")}
    assert (scene.card(uuid).revision, scene.card(uuid).cause) == (2, "stopped")
    assert _on_card(scene, uuid) == [(2, "shown", "")]
    assert scene.row("pages", pages["hours"])["title"] == "Opening hours"
    scene.decide(dora, uuid)
    scene.work()
    assert scene.outcomes(uuid)[2] == ("done", "")
    assert [result.tool for result in _results(scene, uuid)] == [
        "update_page_metadata",
        "break",
        "update_page_metadata",
        "list_languages",
    ]
    assert scene.run(uuid).reason == "completed"


@pytest.mark.behaviour("RT-08")
def test_it_gives_every_call_a_refusal_when_a_turn_is_declined(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    uuid = _propose(scene, dora, _update(pages["press"], title="P"), ("list_languages", {}))
    scene.decide(identity_of("olga"), uuid, approve=False, reason="Wait for Monday.")
    scene.work()
    assert scene.outcomes(uuid) == {0: ("declined", "declined"), 1: ("declined", "declined")}
    results = _results(scene, uuid)
    assert all(result.is_error and result.content.startswith("declined\n") for result in results)
    assert all("Wait for Monday." in result.content for result in results)
    assert "olga" not in results[0].content.lower()
    assert scene.run(uuid).reason == "completed"
    assert len(scene.model.seen) == 2


@pytest.mark.behaviour("DW-14", "DW-15")
def test_it_never_runs_a_call_the_card_showed_as_refused(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages, rule = identity_of("dora"), site.pages, RefusesHiding()
    scene.runtime = replace(scene.runtime, policy=InvocationPolicy([rule]))
    uuid = _propose(
        scene,
        dora,
        _update(pages["press"], title="P"),
        ("hide_record", {"table": "pages", "uid": pages["hours"]}),
        _update(pages["hours"], title="H"),
    )
    assert _on_card(scene, uuid) == [(0, "shown", ""), (1, "refused", "no_hiding"), (2, "shown", "")]
    rule.is_on = False
    scene.decide(dora, uuid)
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("refused_on_card", "refused_on_card"), 2: ("done", "")}
    assert scene.governance(uuid) == [("invocation_denied", "no_hiding", "refused_on_card")]
    assert not scene.row("pages", pages["hours"])["hidden"]


@pytest.mark.behaviour("DW-15")
@pytest.mark.parametrize("end", ["decline", "cancel", "expire"])
def test_it_keeps_the_refusal_of_a_card_however_the_turn_ends(
    scene: Scene, site: DemoSite, identity_of, end: str
) -> None:
    from app.agent.endings import EXPIRED, end_run
    from app.agent.runs import cancel_run, lock_run

    dora, pages = identity_of("dora"), site.pages
    scene.runtime = replace(scene.runtime, policy=InvocationPolicy([RefusesHiding()]))
    uuid = _propose(
        scene, dora, _update(pages["press"], title="P"), ("hide_record", {"table": "pages", "uid": pages["hours"]})
    )
    if end == "decline":
        scene.decide(dora, uuid, approve=False)
    elif end == "cancel":
        cancel_run(dora, uuid, scene.runtime)
    else:
        with transaction() as connection:
            run = lock_run(connection, uuid)
            assert run is not None
            end_run(connection, run, EXPIRED, scene.runtime.cipher)
    scene.work()
    assert scene.outcomes(uuid)[1] == ("refused_on_card", "refused_on_card")
    assert scene.governance(uuid) == [("invocation_denied", "no_hiding", "refused_on_card")]


@pytest.mark.behaviour("DW-12")
@pytest.mark.parametrize("calls", [1, 2])
def test_it_refuses_approved_calls_under_a_setting_switched_on_meanwhile(
    scene: Scene, site: DemoSite, identity_of, calls: int
) -> None:
    dora, pages = identity_of("dora"), site.pages
    steps = [_update(pages["press"], title="P"), _update(pages["hours"], title="H")][:calls]
    uuid = _propose(scene, dora, *steps)
    scene.decide(dora, uuid)
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, requires_draft_workspace=True)
    scene.work()
    assert scene.run(uuid).reason == "completed"
    assert {outcome[0] for outcome in scene.outcomes(uuid).values()} == {"refused"}
    denied = ("invocation_denied", "draft_workspace_required", "live_workspace")
    assert scene.governance(uuid) == [denied] * calls
    assert scene.row("pages", pages["press"])["title"] != "P"


@pytest.mark.behaviour("DW-23")
def test_it_writes_where_the_run_was_started(scene: Scene, site: DemoSite, identity_of) -> None:
    from app.accounts.service import switch_workspace

    anna, pages = identity_of("anna"), site.pages
    uuid = _propose(scene, anna, _update(pages["hours"], title="Draft hours"))
    with transaction() as connection:
        switch_workspace(connection, anna.user_id, 0)
    scene.decide(identity_of("admin"), uuid)
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", "")}
    assert scene.row("pages", pages["hours"])["title"] == "Opening hours"


def test_it_goes_on_with_the_second_call_after_an_orderly_stop(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    uuid = _propose(scene, dora, _update(pages["press"], title="P"), _update(pages["hours"], title="H"))
    scene.decide(dora, uuid)
    execute_run(uuid, scene.runtime, pace=Pace(is_stopping=lambda: bool(scene.outcomes(uuid))))
    run = scene.run(uuid)
    assert (run.status, run.attempts, set(scene.outcomes(uuid))) == (RunStatus.QUEUED, 0, {0})
    scene.work()
    assert scene.outcomes(uuid) == {0: ("done", ""), 1: ("done", "")}
    assert scene.kinds(uuid).count("tool_changes") == 2


def test_it_proposes_again_in_a_later_turn(scene: Scene, site: DemoSite, identity_of) -> None:
    dora, pages = identity_of("dora"), site.pages
    scene.script(
        call_turn(_update(pages["press"], title="P")), call_turn(_update(pages["hours"], title="H")), text_turn("Done.")
    )
    uuid = scene.start(dora)
    scene.work()
    scene.decide(dora, uuid)
    scene.work()
    assert (scene.run(uuid).turn, scene.card(uuid).turn, scene.card(uuid).revision) == (2, 2, 1)
    scene.decide(dora, uuid)
    scene.work()
    assert scene.run(uuid).reason == "completed"
    assert scene.row("pages", pages["hours"])["title"] == "H"
