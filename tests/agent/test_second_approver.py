"""RT-07 on every way to an approval: the ways are found in the source, so that a new one cannot appear unguarded."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import insert, update

import app as package
from app.agent import approvals
from app.agent import models as tables
from app.agent.configurations import find_configuration_named, set_configuration
from app.agent.llm.scripted import call_turn, text_turn
from app.agent.types import RunStatus
from app.chat import service
from app.core import clock, errors
from app.core.db import transaction
from app.seed.demo import DemoSite
from tests.agent.scenes import Scene
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor

SOURCE = Path(package.__file__).parent
APPROVING = {
    "web/approvals.py:create",
    "cli/trial.py:_approve",
    "cli/bench/runs.py:approve",
}
"""What may pass an approval on to ``agent.approvals.decide``."""
DECLINING = {"chat/service.py:_decline"}
"""What only ever declines."""
RECORDING = {"agent/approvals.py:_record"}
"""The one place that stores a decision."""


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path: Path) -> Iterator[tuple[str, ast.AST]]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.relative_to(SOURCE).as_posix()}:{node.name}", node


def names_of_decide(path: Path) -> set[str]:
    """How a module calls ``agent.approvals.decide``: as an attribute of the module, or under a name it imports."""
    found: set[str] = set()
    if "approvals" not in path.read_text(encoding="utf-8"):
        return found
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.ImportFrom) and node.module == "app.agent":
            found |= {f"{name.asname or name.name}.decide" for name in node.names if name.name == "approvals"}
        elif isinstance(node, ast.ImportFrom) and node.module == "app.agent.approvals":
            found |= {name.asname or name.name for name in node.names if name.name == "decide"}
        elif isinstance(node, ast.Import):
            found |= {f"{name.asname or name.name}.decide" for name in node.names if name.name == "app.agent.approvals"}
    return found


def calls(node: ast.AST, names: set[str]) -> list[ast.Call]:
    return [found for found in ast.walk(node) if isinstance(found, ast.Call) and ast.unparse(found.func) in names]


def deciding() -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        names = names_of_decide(path)
        for place, node in functions(path) if names else ():
            if made := calls(node, names):
                found[place] = made
    return found


def only_declines(call: ast.Call) -> bool:
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    return isinstance(given.get("approve"), ast.Constant) and ast.literal_eval(given["approve"]) is False


@pytest.mark.behaviour("RT-07")
def test_the_inventory_of_ways_to_an_approval_is_as_listed() -> None:
    found = deciding()
    declining = {place for place, made in found.items() if all(map(only_declines, made))}
    assert declining == DECLINING
    assert set(found) - declining == APPROVING


@pytest.mark.behaviour("RT-07")
def test_one_place_stores_decisions_and_nothing_refers_to_decide_without_calling_it() -> None:
    storing, passing = set(), set()
    for path in sorted(SOURCE.rglob("*.py")):
        if "save_decision" in path.read_text(encoding="utf-8"):
            storing |= {place for place, node in functions(path) if calls(node, {"save_decision"})}
        if not (names := names_of_decide(path)):
            continue
        called = {id(call.func) for call in calls(parsed(path), names)}
        for node in ast.walk(parsed(path)):
            is_reference = isinstance(node, ast.Attribute | ast.Name) and id(node) not in called
            passing |= {path.name} if is_reference and ast.unparse(node) in names else set()
    assert storing == RECORDING
    assert not passing


@pytest.mark.behaviour("RT-07")
def test_no_other_code_writes_into_the_table_of_decisions() -> None:
    writing = set()
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" in path.parts:
            continue
        source = path.read_text(encoding="utf-8")
        if any(f"{verb}(_decisions" in source or f"{verb}(ApprovalDecision" in source for verb in ("insert", "update")):
            writing.add(path.relative_to(SOURCE).as_posix())
    assert writing == {"agent/cards.py"}


@pytest.fixture
def second_approver(app: Flask) -> None:
    """The configuration asks for a second person."""
    with transaction() as connection:
        found = find_configuration_named(connection, "Editorial")
        assert found is not None
        set_configuration(connection, found.id, requires_second_approver=True)


@pytest.fixture
def waiting(assignments: Assignments, site: DemoSite, second_approver: None) -> Assignments:
    """Anna's assignment, which waits."""
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    return assignments


@pytest.mark.behaviour("RT-07")
def test_the_use_case_refuses_the_initiator_and_takes_a_second_person(waiting: Assignments) -> None:
    own = waiting.decide(by="anna")
    assert (own.kind, own.reason) == ("not_allowed", "second_approver")
    assert waiting.decide(by="fay").kind == "recorded"


@pytest.mark.behaviour("RT-07")
@pytest.mark.parametrize("script", [False, True])
def test_the_form_refuses_the_initiator(app: Flask, site: DemoSite, waiting: Assignments, script: bool) -> None:
    anna = Visitor(app, site, "anna")
    sent = {"decision": "approve", "digest": waiting.card().digest, "token": "press"}
    response = anna.post(f"/runs/{waiting.run_uuid}/approval?card=1", script=script, **sent)
    assert response.status_code == 409
    assert "somebody else approves" in response.get_data(as_text=True)
    assert waiting.page().view.status == "awaiting_approval"
    declined = anna.post(f"/runs/{waiting.run_uuid}/approval?card=1", script=script, **{**sent, "decision": "decline"})
    assert declined.status_code in (200, 303)


@pytest.mark.behaviour("RT-07")
def test_declining_and_sending_approves_nothing(waiting: Assignments, site: DemoSite) -> None:
    service.decline_and_send(waiting.identity_of("anna"), waiting.id, "Something else", "t", waiting.runtime)
    waiting.work()
    states = [message.card.state for message in waiting.page().messages if message.card is not None]
    assert states[0] == "declined"


@pytest.mark.behaviour("RT-07")
def test_a_script_that_calls_the_use_case_has_no_way_around_it(
    scene: Scene, site: DemoSite, second_approver: None, identity_of
) -> None:
    """The commands of trials and figures call ``decide`` like everybody: an administrator who asked is refused there too."""
    scene.script(call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})))
    admin = identity_of("admin")
    uuid = scene.start(admin)
    scene.work()
    result = approvals.decide(
        admin, uuid, approve=True, digest=scene.card(uuid).digest, token="t", reason="", runtime=scene.runtime
    )
    assert (result.kind, result.reason) == ("not_allowed", "second_approver")
    with pytest.raises(errors.NotFound):
        scene.decide(identity_of("anna"), uuid)


@pytest.mark.behaviour("RT-07")
def test_a_decision_that_came_into_the_table_another_way_is_not_executed(
    scene: Scene, site: DemoSite, second_approver: None, identity_of
) -> None:
    """The rule is asked again where the write happens."""
    scene.script(
        call_turn(("update_page_metadata", {"page": site.pages["hours"], "title": "Hours"})), text_turn("Understood.")
    )
    dora = identity_of("dora")
    uuid = scene.start(dora)
    scene.work()
    card = scene.card(uuid)
    decision, turn, run = (table.__table__ for table in (tables.ApprovalDecision, tables.Turn, tables.Run))
    with transaction() as connection:
        row = {"run_uuid": uuid, "turn": 1, "revision": 1, "approved": True, "decided_by": dora.user_id}
        connection.execute(insert(decision), {**row, "digest": card.digest, "decided_at": clock.now()})
        connection.execute(update(turn).where(turn.c.run_uuid == uuid).values(state="approved"))
        connection.execute(update(run).where(run.c.uuid == uuid).values(status=RunStatus.QUEUED.value))
    scene.execute(uuid)
    assert scene.row("pages", site.pages["hours"])["title"] == "Opening hours"
    assert scene.outcomes(uuid) == {0: ("refused", "approver/second_approver")}
