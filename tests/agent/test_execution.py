from __future__ import annotations

import json

import pytest
from sqlalchemy import func, select

from app.accounts import service as accounts
from app.agent import store
from app.agent.configurations import set_configuration
from app.agent.events import EventKind, decode, read_events
from app.agent.execution import EffectDiffers, Executed, LeaseLost, RunCancelled, execute_read
from app.agent.governance import RefusalFilter, list_refusals
from app.agent.tools.base import ToolContext
from app.agent.types import Call, CallState, PreviewKind, RunFacts
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS, OpenBatch
from app.content.types import ChangeAction, ChangeSet, RecordRef, WriteContext
from app.content.writer import Batch
from app.core.db import db, reading, transaction
from app.core.i18n import text
from app.policy.decisions import ALLOWED, Refused
from app.policy.invocation import ToolEffect, ToolFacts
from tests.agent.execution_world import PAGES, Breaks, FakeRead, FakeWrite, Says, World, content_rows

UPDATE = "update_page_metadata"


def outcome_of(result: object) -> tuple[CallState, str]:
    assert isinstance(result, Executed), result
    return result.outcome.state, result.outcome.code


def payloads(facts: RunFacts, kind: EventKind) -> list[dict[str, object]]:
    with reading() as connection:
        found = [decode(event) for event in read_events(connection, [facts.uuid], [kind])]
    return [dict(payload) for payload in found]  # type: ignore[arg-type]


def refusals(facts: RunFacts) -> list[tuple[str, str, str]]:
    with reading() as connection:
        found = list_refusals(connection, RefusalFilter(run_uuid=facts.uuid))
    return [(row.decision, row.rule, row.reason) for row in found]


def settle(world: World, **values: object) -> None:
    with transaction() as connection:
        set_configuration(connection, world.configuration, **values)  # type: ignore[arg-type]


@pytest.mark.behaviour("RT-11", "CH-02")
def test_it_commits_record_history_events_and_outcome_together(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.DONE, "")
    assert isinstance(result, Executed)
    assert (result.changes_reported, result.written) == (1, ("pages", world.hours, "update"))
    assert json.loads(result.outcome.content)["done"] == "update"
    assert world.title_of(world.hours) == "Open"
    assert world.count("record_history", correlation=call.correlation, origin="run", user_id=world.owner) == 1
    assert payloads(facts, EventKind.TOOL_CHANGES) == [
        {
            "v": 1,
            "turn": 1,
            "call": 0,
            "tool": UPDATE,
            "status": "complete",
            "failed": False,
            "omitted": 0,
            "changes": [
                {
                    "t": "pages",
                    "u": world.hours,
                    "l": world.hours,
                    "a": "updated",
                    "w": 0,
                    "p": world.hours,
                    "lang": 0,
                    "h": False,
                    "s": 0,
                    "e": 0,
                    "g": [],
                    "target": True,
                }
            ],
        }
    ]
    (write,) = payloads(facts, EventKind.TOOL_WRITE)
    assert (write["t"], write["u"], write["kind"], write["hook_failed"]) == ("pages", world.hours, "update", False)
    with reading() as connection:
        numbers = [event.seq for event in read_events(connection, [facts.uuid])]
    assert numbers == [1, 2, 3]
    assert refusals(facts) == []


@pytest.mark.behaviour("CA-11")
def test_it_returns_the_stored_outcome_when_repeated(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, ("copy_page", {"page": world.museum}))
    first = world.execute(facts, call)
    before = content_rows(without=("run", "content_clock"))
    again = world.execute(facts, call)
    assert isinstance(first, Executed)
    assert isinstance(again, Executed)
    assert again.is_repeated
    assert (again.outcome, again.changes_reported, again.written) == (
        first.outcome,
        first.changes_reported,
        first.written,
    )
    assert content_rows(without=("run", "content_clock")) == before


def test_it_writes_nothing_for_an_older_claim_or_after_a_cancel(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    world.set_run(facts, fence=2)
    before = content_rows()
    assert isinstance(world.execute(facts, call), LeaseLost)
    world.set_run(facts, fence=1, status="waiting_for_approval")
    assert isinstance(world.execute(facts, call), LeaseLost)
    world.set_run(facts, status="running", cancel_at=5)
    assert isinstance(world.execute(facts, call), RunCancelled)
    world.set_run(facts, cancel_at=None, status="running", lease_until=0, changed_at=0)
    assert world.title_of(world.hours) == "Opening hours"
    assert world.count("call_outcome") == world.count("run_event") == 0
    assert before


@pytest.mark.behaviour("DW-18", "RT-09")
def test_it_refuses_a_write_without_a_decision_for_exactly_this_turn(world: World) -> None:
    for spoil in ("missing", "declined", "digest", "preview", "arguments", "other_call"):
        facts = world.start()
        calls = world.propose(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
        call = calls[0]
        world.card(facts, calls)
        if spoil != "missing":
            world.approve(facts, 1, yes=spoil != "declined")
        with transaction() as connection:
            if spoil == "digest":
                table = db.metadata.tables["approval_decision"]
                connection.execute(table.update().where(table.c.run_uuid == facts.uuid).values(digest="0" * 64))
            if spoil == "preview":
                _move_preview(connection, world, facts)
            if spoil == "arguments":
                _change_arguments(connection, world, call)
        if spoil == "other_call":
            call = _with_title(call, "Something else")
        assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, "approval/write_unapproved"), spoil
        assert refusals(facts) == [("write_unapproved", "approval", "write_unapproved")], spoil
    assert world.title_of(world.hours) == "Opening hours"


def _move_preview(connection: object, world: World, facts: RunFacts) -> None:
    """Somebody with access to the database swaps the preview of the card."""
    from dataclasses import replace

    from app.agent.previews import encode_preview

    cipher = world.runtime.cipher
    (preview,) = store.load_previews(connection, facts.uuid, 1, 1, cipher)  # type: ignore[arg-type]
    other = replace(preview, effect_hash="f" * 64)
    table = db.metadata.tables["call_preview"]
    sealed = cipher.seal(encode_preview(other), store.purpose("call_preview.preview", facts.uuid))
    connection.execute(  # type: ignore[attr-defined]
        table.update().where(table.c.run_uuid == facts.uuid).values(preview_sealed=sealed, effect_hash="f" * 64)
    )


def _change_arguments(connection: object, world: World, call: Call) -> None:
    table = db.metadata.tables["tool_call"]
    changed = _with_title(call, "Else").arguments_text
    sealed = world.runtime.cipher.seal(changed, store.purpose("tool_call.arguments", call.run_uuid))
    connection.execute(  # type: ignore[attr-defined]
        table.update().where(table.c.run_uuid == call.run_uuid).values(arguments_sealed=sealed)
    )


def _with_title(call: Call, title: str) -> Call:
    from dataclasses import replace

    from app.core import canonical

    arguments = {**(call.arguments or {}), "title": title}
    return replace(call, arguments=arguments, arguments_text=canonical.dumps(arguments))


@pytest.mark.behaviour("DW-15", "DW-14")
def test_it_keeps_a_call_refused_that_the_card_showed_as_refused(world: World) -> None:
    rule = Says(Refused(rule="says", reason="no", explanation=text("No.")))
    world.with_rules(rule)
    facts = world.start()
    calls = world.propose(
        facts, (UPDATE, {"page": world.hours, "title": "Open"}), (UPDATE, {"page": world.museum, "title": "House"})
    )
    refused = world.card(facts, calls)[0]
    rule.answer = ALLOWED
    shown = world.card(facts, calls, revision=2)[1]
    world.save_card(facts, calls, (refused, shown), revision=3)
    world.approve(facts, 1, revision=3)
    rule.asked = 0
    assert outcome_of(world.execute(facts, calls[0], revision=3)) == (CallState.REFUSED_ON_CARD, "refused_on_card")
    assert outcome_of(world.execute(facts, calls[0], revision=3)) == (CallState.REFUSED_ON_CARD, "refused_on_card")
    assert rule.asked == 0, "whatever the rule says by then"
    assert outcome_of(world.execute(facts, calls[1], revision=3)) == (CallState.DONE, "")
    assert refusals(facts) == [("invocation_denied", "says", "refused_on_card")]
    assert (world.title_of(world.hours), world.title_of(world.museum)) == ("Opening hours", "House")


@pytest.mark.behaviour("DW-12", "DW-08", "DW-07")
def test_it_asks_the_rules_again_right_before_the_call(world: World) -> None:
    facts = world.start(language="de")
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    settle(world, requires_draft_workspace=True)
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.REFUSED, "draft_workspace_required/live_workspace")
    assert isinstance(result, Executed)
    code, explanation = result.outcome.content.split("\n")
    assert code == "refused: draft_workspace_required/live_workspace"
    assert "Entwurfs-Arbeitsbereich" in explanation or "draft workspace" in explanation
    assert refusals(facts) == [("invocation_denied", "draft_workspace_required", "live_workspace")]
    assert explanation not in str(payloads(facts, EventKind.TOOL))
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("DW-04", "DW-12")
def test_it_refuses_when_the_draft_workspace_was_withdrawn(world: World) -> None:
    settle(world, requires_draft_workspace=True)
    facts = world.start(workspace=world.draft)
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    with transaction() as connection:
        connection.execute(db.metadata.tables["workspace"].update().values(deleted=True))
    assert outcome_of(world.execute(facts, call)) == (
        CallState.REFUSED,
        "draft_workspace_required/workspace_unavailable",
    )
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("DW-12")
def test_it_fails_closed_when_a_rule_breaks(world: World) -> None:
    world.with_rules(Breaks())
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.REFUSED, "breaks/rule_failed")
    assert isinstance(result, Executed)
    assert "secret" not in result.outcome.content


@pytest.mark.behaviour("DW-09", "DW-10")
def test_it_refuses_a_write_that_skipped_its_card_whatever_the_rule_says(world: World) -> None:
    rule = Says(Refused(rule="says", reason="no"))
    world.with_rules(rule)
    facts = world.start()
    first, second = world.propose(
        facts, (UPDATE, {"page": world.hours, "title": "Open"}), (UPDATE, {"page": world.hours, "title": "Open"})
    )
    assert outcome_of(world.execute(facts, first, revision=0)) == (CallState.REFUSED, "says/no")
    assert refusals(facts) == [("invocation_denied", "says", "no")]
    rule.answer = ALLOWED
    assert outcome_of(world.execute(facts, second, revision=0)) == (CallState.REFUSED, "approval/write_unapproved")
    assert refusals(facts)[0] == ("write_unapproved", "approval", "write_unapproved")
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("RT-06", "DW-19")
def test_it_asks_the_offer_gate_again_for_the_owner_and_for_the_approver(world: World) -> None:
    admin_only = ToolFacts(name="act", group="editing", effect=ToolEffect.WRITE, requires_admin=True)
    world.with_tools(
        FakeWrite(act=lambda _context, batch: batch.update("pages", world.hours, {"title": "A"}), facts=admin_only)
    )
    facts = world.start()
    (call,) = world.approved(facts, ("act", {}))
    assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, "approver/requires_admin")
    assert refusals(facts) == [("approver_denied", "approver", "requires_admin")]

    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    settle(world, excluded_tools=[UPDATE])
    assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, "offer/excluded")
    assert refusals(facts) == [("tool_denied", "offer", "excluded")]
    settle(world, excluded_tools=[], active=False)
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, "offer/configuration_gone")
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("RT-07")
def test_it_asks_again_whether_the_approver_may_decide(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    world.card(facts, calls)
    world.approve(facts, 1, by=world.owner)
    settle(world, requires_second_approver=True)
    assert outcome_of(world.execute(facts, calls[0])) == (CallState.REFUSED, "approver/second_approver")
    for column, reason in (("disabled", "unavailable"), (None, "no_grant")):
        facts = world.start()
        (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
        with transaction() as connection:
            if column:
                accounts.update_user(connection, world.approver, {column: True})
            else:
                accounts.update_user(connection, world.approver, {"disabled": False})
                connection.execute(db.metadata.tables["user_group_member"].delete())
        assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, f"approver/{reason}")
    assert world.title_of(world.hours) == "Opening hours"


def test_it_refuses_when_the_owner_cannot_act_any_more(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    with transaction() as connection:
        accounts.update_user(connection, world.owner, {"disabled": True})
    assert outcome_of(world.execute(facts, call)) == (CallState.REFUSED, "owner/no_acting_user")


@pytest.mark.behaviour("RT-10")
@pytest.mark.parametrize("change", ["value", "deleted", "inside", "slug"])
def test_it_writes_nothing_when_the_effect_is_not_the_approved_one(world: World, change: str) -> None:
    facts = world.start(workspace=world.draft)
    steps = {
        "value": (UPDATE, {"page": world.hours, "title": "Open"}),
        "deleted": (UPDATE, {"page": world.hours, "title": "Open"}),
        "inside": ("copy_page", {"page": world.museum, "subpages": True}),
        "slug": ("copy_page", {"page": world.museum}),
    }
    (call,) = world.approved(facts, steps[change])
    others = {
        "value": lambda batch: batch.update("pages", world.hours, {"title": "Closed"}),
        "deleted": lambda batch: batch.delete("pages", world.hours),
        "inside": lambda batch: batch.create("pages", world.museum, {"title": "New below"}),
        "slug": lambda batch: batch.copy_page(world.museum, None, subpages=False),
    }
    world.write(others[change], workspace=world.draft)
    before = content_rows(without=())
    result = world.execute(facts, call)
    assert isinstance(result, EffectDiffers)
    assert content_rows(without=()) == before, "nothing of it is committed"
    assert result.preview_now.kind is (PreviewKind.REFUSED if change == "deleted" else PreviewKind.SHOWN)
    assert result.preview_now.ordinal == 0


def _copy(page: str, target: str | None = None, **more: object) -> tuple[str, dict[str, object]]:
    return "copy_page", {"page": page, **({"target": target} if target else {}), **more}


def _update(page: str, **values: object) -> tuple[str, dict[str, object]]:
    return UPDATE, {"page": page, **values}


SCENARIOS: dict[str, list[tuple[str, dict[str, object]]]] = {
    "copy": [_copy("museum", "home", subpages=True)],
    "same record twice": [_update("hours", title="A"), _update("hours", title="B")],
    "copy, update of the source": [_copy("museum", "home"), _update("museum", subtitle="S")],
    "update, copy of it": [_update("museum", title="M"), _copy("museum", "home", subpages=True)],
    "copied twice": [_copy("hours", "museum"), _copy("hours", "museum")],
    "copy, copy of what holds it": [_copy("hours", "museum"), _copy("museum", "home", subpages=True)],
    "three": [_update("museum", nav_title="N"), _copy("museum", "home", subpages=True), _copy("museum", "home")],
    "new records": [
        ("create_page_draft", {"parent": "museum", "title": "Shop"}),
        ("create_content_element_draft", {"page": "hours", "header": "H", "body": "See [it](page:1)"}),
        _copy("museum", "home", subpages=True),
    ],
}


@pytest.mark.parametrize("in_draft", [False, True], ids=["live", "draft"])
@pytest.mark.parametrize("name", SCENARIOS)
def test_it_takes_other_uids_for_no_difference(world: World, name: str, in_draft: bool) -> None:
    """Other people insert before and between the calls: other uids, the same effect (rehearsal.md section 3)."""
    check_scenario(world, name, in_draft=in_draft)


def test_it_recognises_what_an_earlier_call_created(world: World) -> None:
    """The placeholders of earlier calls are rebuilt from the history (rehearsal.md rule 3)."""

    def add_to_newest(context: ToolContext, batch: Batch) -> RecordRef | None:
        newest = context.connection.execute(
            select(func.max(PAGES.c.uid)).where(PAGES.c.pid == world.hours)
        ).scalar_one()
        batch.update("pages", newest, {"subtitle": "S"})
        return batch.create("content_elements", newest, {"header": "H", "body": f"[it](page:{newest})"})

    world.with_tools(FakeWrite(act=add_to_newest))
    for workspace in (0, world.draft):
        facts = world.start(workspace=workspace)
        calls = world.propose(facts, ("create_page_draft", {"parent": world.hours, "title": "New"}), ("act", {}))
        previews = world.card(facts, calls)
        assert previews[1].records[0].name == "+0.pages.1"
        world.approve(facts, 1)
        for call in calls:
            world.write(lambda batch: batch.create("pages", 0, {"title": "Elsewhere"}))
            assert outcome_of(world.execute(facts, call)) == (CallState.DONE, "")


@pytest.mark.postgres
@pytest.mark.parametrize("name", SCENARIOS)
def test_it_takes_other_uids_for_no_difference_on_postgresql(postgres_world: World, name: str) -> None:
    check_scenario(postgres_world, name, in_draft=True)


def check_scenario(world: World, name: str, *, in_draft: bool) -> None:
    facts = world.start(workspace=world.draft if in_draft else 0)
    pages = {"home": world.home, "museum": world.museum, "hours": world.hours}
    steps = [
        (tool, {key: pages.get(str(value), value) for key, value in arguments.items()})
        for tool, arguments in SCENARIOS[name]
    ]
    calls = world.approved(facts, *steps)
    for call in calls:
        world.write(lambda batch: batch.create("pages", 0, {"title": "Elsewhere"}))
        world.write(lambda batch: batch.create("contacts", world.home, {"name": "Somebody"}))
        assert outcome_of(world.execute(facts, call)) == (CallState.DONE, ""), call


def test_it_compares_what_extensions_write_inside_the_call(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def inside(batch: OpenBatch, changes: ChangeSet) -> None:
        for change in changes.changes:
            if change.table == "pages":
                batch.create("redirects", 0, {"source": f"/{change.title}", "target_page": change.live_uid})

    monkeypatch.setattr(HOOKS, "inside", [inside])
    facts = world.start()
    calls = world.propose(facts, ("copy_page", {"page": world.museum, "subpages": True}))
    (preview,) = world.card(facts, calls)
    assert ("redirects", ChangeAction.CREATED, 2) in preview.counts
    world.approve(facts, 1)
    monkeypatch.setattr(HOOKS, "inside", [])
    world.write(lambda batch: batch.create("redirects", 0, {"source": "/mine"}))
    world.write(lambda batch: batch.create("pages", world.home, {"title": "Mine"}))
    assert isinstance(world.execute(facts, calls[0]), EffectDiffers), "the extension is switched off"
    monkeypatch.setattr(HOOKS, "inside", [inside])
    result = world.execute(facts, calls[0])
    assert outcome_of(result) == (CallState.DONE, "")
    assert isinstance(result, Executed)
    assert result.changes_reported == 6


@pytest.mark.behaviour("RT-06")
def test_it_executes_with_the_rights_the_owner_has_now(world: World) -> None:
    with transaction() as connection:
        editor = accounts.create_user(connection, username="ben")
        group = accounts.create_group(
            connection, "Editors", tables_select=["pages"], tables_modify=["pages"], page_mounts=[world.home], live=True
        )
        accounts.add_member(connection, editor, group)
        connection.execute(db.metadata.tables["pages"].update().values(group_id=group, group_bits=31))
    facts = world.start(owner=editor)
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    with transaction() as connection:
        accounts.update_group(connection, group, tables_modify=[])
    result = world.execute(facts, call)
    assert isinstance(result, EffectDiffers)
    assert (result.preview_now.refused_rule, result.preview_now.refused_reason) == ("tool", "not_found")
    assert world.title_of(world.hours) == "Opening hours"
    with transaction() as connection:
        accounts.update_group(connection, group, tables_modify=["pages"])
    assert outcome_of(world.execute(facts, call)) == (CallState.DONE, "")
    assert world.count("record_history", correlation=call.correlation, user_id=editor) == 1


@pytest.mark.behaviour("RT-20")
def test_it_sees_that_an_earlier_call_did_not_happen(world: World) -> None:
    facts = world.start()
    calls = world.approved(
        facts,
        (UPDATE, {"page": world.hours, "title": "First"}),
        (UPDATE, {"page": world.hours, "title": "Second"}),
    )
    assert isinstance(world.execute(facts, calls[1]), EffectDiffers)
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("RT-15")
def test_it_leaves_nothing_of_a_failing_tool_but_its_outcome(world: World) -> None:
    broken = {"now": False}

    def act(_context: object, batch: object) -> RecordRef | None:
        written = batch.update("pages", world.hours, {"title": "Open"})  # type: ignore[attr-defined]
        if broken["now"]:
            raise ValueError("token abc")
        return written  # type: ignore[no-any-return]

    world.with_tools(FakeWrite(act=act))
    facts = world.start()
    (call,) = world.approved(facts, ("act", {}))
    broken["now"] = True
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.FAILED, "ValueError")
    assert isinstance(result, Executed)
    assert "abc" not in result.outcome.content
    assert world.title_of(world.hours) == "Opening hours"
    assert world.count("record_history", correlation=call.correlation) == 0
    assert payloads(facts, EventKind.TOOL_CHANGES) == []
    assert payloads(facts, EventKind.TOOL)[0]["code"] == "ValueError"


def test_it_says_unchanged_when_nothing_differs(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Opening hours"}))
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.UNCHANGED, "")
    assert payloads(facts, EventKind.TOOL_WRITE) == []


def test_it_reports_at_most_fifty_records_and_counts_the_rest(world: World) -> None:
    for number in range(60):
        world.write(lambda batch, n=number: batch.create("content_elements", world.hours, {"header": f"h{n}"}))
    facts = world.start()
    (call,) = world.approved(facts, ("copy_page", {"page": world.hours}))
    result = world.execute(facts, call)
    assert isinstance(result, Executed)
    (payload,) = payloads(facts, EventKind.TOOL_CHANGES)
    assert (len(payload["changes"]), payload["omitted"]) == (50, 12)  # type: ignore[arg-type]
    assert result.changes_reported == 62


@pytest.mark.behaviour("CH-07")
def test_it_tells_when_an_extension_fails_after_the_commit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def after(context: WriteContext, changes: ChangeSet) -> ChangeSet | None:
        assert world.title_of(world.hours) == "Open", "after the commit"
        raise OSError("mail server")

    monkeypatch.setattr(HOOKS, "after_commit", [after])
    facts = world.start()
    calls = world.propose(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    assert world.card(facts, calls)[0].has_after_hooks
    world.approve(facts, 1)
    result = world.execute(facts, calls[0])
    assert outcome_of(result) == (CallState.DONE, "hook_failed")
    assert isinstance(result, Executed)
    assert result.outcome.content.startswith("note:")
    assert "mail" not in result.outcome.content
    assert [event["hook_failed"] for event in payloads(facts, EventKind.TOOL_WRITE)] == [False, True]
    assert world.count("run", uuid=facts.uuid, hooks_pending="") == 1
    assert world.title_of(world.hours) == "Open"


def test_it_lists_what_an_extension_writes_after_the_commit(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def after(context: WriteContext, changes: ChangeSet) -> ChangeSet | None:
        with transaction() as connection:
            batch = Batch(connection, context, hooks=type(HOOKS)())
            batch.create("redirects", 0, {"source": "/old"})
            return batch.finish()

    monkeypatch.setattr(HOOKS, "after_commit", [after])
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    result = world.execute(facts, call)
    assert outcome_of(result) == (CallState.DONE, "")
    assert isinstance(result, Executed)
    assert result.changes_reported == 2
    assert [event["changes"][0]["t"] for event in payloads(facts, EventKind.TOOL_CHANGES)] == ["pages", "redirects"]  # type: ignore[index]


@pytest.mark.behaviour("CH-07")
def test_it_marks_a_crash_between_commit_and_extension(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        pass

    def after(context: WriteContext, changes: ChangeSet) -> ChangeSet | None:
        raise Killed

    monkeypatch.setattr(HOOKS, "after_commit", [after])
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    with pytest.raises(Killed):
        world.execute(facts, call)
    assert world.count("run", uuid=facts.uuid, hooks_pending="1/0") == 1
    again = world.execute(facts, call)
    assert isinstance(again, Executed)
    assert [event["hook_failed"] for event in payloads(facts, EventKind.TOOL_WRITE)] == [False, True]
    assert world.count("run", uuid=facts.uuid, hooks_pending="") == 1


@pytest.mark.behaviour("RT-18")
def test_it_refuses_unsuitable_arguments_whole(world: World) -> None:
    facts = world.start()
    (call,) = world.propose(facts, (UPDATE, {"page": world.hours, "title": "Open", "colour": "red"}))
    assert outcome_of(world.execute(facts, call, revision=0)) == (
        CallState.REFUSED,
        "arguments/unknown_argument:colour",
    )
    assert world.title_of(world.hours) == "Opening hours"


@pytest.mark.behaviour("RT-03")
def test_it_refuses_an_unknown_tool_without_a_card(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, ("erase", {}), ("erase", {}))
    assert outcome_of(world.execute(facts, calls[0], revision=0)) == (CallState.REFUSED, "offer/not_registered")
    assert outcome_of(execute_read(facts, calls[1], world.runtime)) == (CallState.REFUSED, "offer/not_registered")
    assert refusals(facts) == [("tool_denied", "offer", "not_registered")] * 2


def test_it_answers_a_read_and_stores_the_answer(world: World) -> None:
    facts = world.start()
    calls = world.propose(facts, ("look", {}), ("look", {"deep": True}))
    result = world.execute(facts, calls[0], revision=0)
    assert isinstance(result, Executed)
    assert json.loads(result.outcome.content) == {"found": 1}
    assert execute_read(facts, calls[0], world.runtime) == Executed(outcome=result.outcome, is_repeated=True)
    assert outcome_of(execute_read(facts, calls[1], world.runtime))[1] == "arguments/unknown_argument:deep"
    world.set_run(facts, fence=9)
    (call,) = world.propose(facts, ("look", {}))
    assert isinstance(execute_read(facts, call, world.runtime), LeaseLost)


@pytest.mark.behaviour("RT-17")
def test_it_cuts_a_long_answer_between_characters(world: World) -> None:
    name = ToolFacts(name="tell", group="reading", effect=ToolEffect.READ)
    world.with_tools(FakeRead(answer={"text": "ü€" * 30_000}, facts=name))
    facts = world.start()
    (call,) = world.propose(facts, ("tell", {}))
    result = execute_read(facts, call, world.runtime)
    assert isinstance(result, Executed)
    encoded = result.outcome.content.encode()
    assert len(encoded) <= 50_000
    assert encoded.decode().endswith("[cut: the result was longer]")


def test_it_never_writes_through_the_reading_path(world: World) -> None:
    facts = world.start()
    (call,) = world.approved(facts, (UPDATE, {"page": world.hours, "title": "Open"}))
    assert outcome_of(execute_read(facts, call, world.runtime)) == (CallState.REFUSED, "approval/write_unapproved")
    assert world.title_of(world.hours) == "Opening hours"


def test_it_tells_the_model_why_a_read_was_refused(world: World) -> None:
    class Hidden(FakeRead):
        def read(self, context: object, arguments: object) -> dict[str, object]:  # type: ignore[override]
            raise WriteRefused("not_found", text("There is no such record, or you have no access to it."))

    world.with_tools(Hidden(facts=ToolFacts(name="peek", group="reading", effect=ToolEffect.READ)))
    facts = world.start()
    (call,) = world.propose(facts, ("peek", {}))
    result = execute_read(facts, call, world.runtime)
    assert isinstance(result, Executed)
    assert result.outcome.content.startswith("refused: tool/not_found\n")
    assert refusals(facts) == []
