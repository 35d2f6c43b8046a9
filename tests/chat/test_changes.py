"""The list of what an assignment changed, per viewer."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, insert, update

from app.accounts.store import GROUP, MEMBER, WORKSPACE
from app.agent.llm.scripted import text_turn
from app.agent.models import Run, RunEvent
from app.chat import changes, pages, store
from app.core.canonical import dumps
from app.core.db import reading, transaction
from app.core.errors import NotFound
from app.core.i18n import render
from app.seed.demo import PAGE, DemoSite
from tests.support.assignments import DONE, Assignments, facts_of, notes_of
from tests.support.statements import count_statements

HIDE = "hide_record"


def copy_visit(assignments: Assignments, site: DemoSite) -> None:
    """Anna's assistant copies a branch with German and French translations; she approves."""
    call = ("copy_page", {"page": site.pages["visit"], "target": site.pages["about"], "subpages": True})
    assignments.ask([call], DONE)
    assignments.decide()


@pytest.mark.behaviour("CH-01", "CH-02", "CH-10")
def test_it_lists_what_the_events_report_side_effects_included(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    found = facts_of(assignments.changes())
    assert [fact["role"] for fact in found].count("target") == 1
    assert {fact["table"] for fact in found} == {"pages", "content_elements"}
    assert {fact["language"] for fact in found} == {"en", "de", "fr"}
    assert {(fact["action"], fact["workspace"]) for fact in found} == {("created", 1)}


@pytest.mark.behaviour("CH-02")
def test_it_does_not_believe_what_the_model_says(assignments: Assignments) -> None:
    assignments.ask(text_turn("I have copied, published and deleted everything."))
    assert assignments.changes().records == ()
    assert not assignments.page().view.has_changes


@pytest.mark.behaviour("CH-01")
def test_it_counts_runs_that_are_gone(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    with transaction() as connection:
        record = '[{"outcome":"completed","writes":[],"failed":false,"run":"00000000-0000-0000-0000-000000000000"}]'
        store.change_conversation(connection, assignments.id, {"run_record": record, "run_uuid": None})
    view = assignments.changes()
    assert (view.records, notes_of(view)) == ((), {"coverage": 1, "unreadable": 1})


@pytest.mark.behaviour("CH-14")
def test_its_coverage_note_comes_first_even_without_records(assignments: Assignments) -> None:
    view = assignments.changes()
    assert [note.name for note in view.notes] == ["coverage"]
    assert render(view.announcement, "en") == "No change is listed."


def _change(uid: int, workspace: int) -> dict[str, object]:
    return {"t": "pages", "u": uid, "l": uid, "w": workspace, "a": "updated", "h": False, "lang": 0}


def _add_event(connection: object, run: str, call: int, changes: list[dict[str, object]], omitted: int) -> None:
    payload = {
        "v": 1,
        "turn": 9,
        "call": call,
        "tool": "t",
        "status": "complete",
        "failed": False,
        "omitted": omitted,
        "changes": changes,
    }
    connection.execute(  # type: ignore[attr-defined]
        insert(RunEvent.__table__).values(
            run_uuid=run, seq=900 + call, kind="tool_changes", version=1, payload=dumps(payload), at=0
        )
    )


@pytest.mark.behaviour("CH-15", "CH-28")
def test_it_cuts_after_the_filter_and_adds_both_limits_into_one_number(
    assignments: Assignments, site: DemoSite
) -> None:
    copy_visit(assignments, site)
    with transaction() as connection:
        numbers = iter(range(1, 151))
        for call in range(3):
            _add_event(
                connection,
                assignments.run_uuid,
                call,
                [_change(site.pages["hours"], next(numbers)) for _ in range(50)],
                4,
            )
    view = assignments.changes()
    own = 19  # records of the copy
    assert len(view.records) == 100
    assert notes_of(view)["omitted"] == 3 * 4 + own + 150 - 100


@pytest.mark.behaviour("CH-16", "CH-18")
def test_each_viewer_sees_their_own_truth_of_one_list(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    assignments.share("dora", "emil", "fay")
    whole = len(assignments.changes().records)
    german = assignments.changes("dora")
    assert {fact["language"] for fact in facts_of(german)} == {"en", "de"}
    assert len(german.records) + notes_of(german)["withheld"] == whole
    for nobody in ("emil", "fay"):
        view = assignments.changes(nobody)
        assert (view.records, notes_of(view)) == ((), {"coverage": 1, "withheld": whole})


@pytest.mark.behaviour("CH-16")
@pytest.mark.parametrize(
    "take_away",
    [
        lambda site: update(GROUP).where(GROUP.c.title == "Editorial").values(tables_select="[]", tables_modify="[]"),
        lambda site: update(GROUP).where(GROUP.c.title == "Whole site").values(page_mounts="[]"),
        lambda site: update(GROUP).where(GROUP.c.title == "German desk").values(languages="[5]"),
        lambda site: update(WORKSPACE).where(WORKSPACE.c.title == "Relaunch").values(deleted=True),
    ],
    ids=["table", "mount", "language", "workspace"],
)
def test_it_withholds_what_any_single_missing_right_withholds(
    assignments: Assignments, site: DemoSite, take_away: Callable[[DemoSite], object]
) -> None:
    copy_visit(assignments, site)
    assignments.share("dora")
    assert assignments.changes("dora").records
    with transaction() as connection:
        connection.execute(take_away(site))
    assert assignments.changes("dora").records == ()


@pytest.mark.behaviour("CH-21")
def test_it_reads_rights_when_it_is_opened(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    before = len(assignments.changes().records)
    with transaction() as connection:
        member = (MEMBER.c.user_id == site.people.users["anna"]) & (
            MEMBER.c.group_id == site.people.groups["Whole site"]
        )
        connection.execute(delete(MEMBER).where(member))
    after = assignments.changes()
    assert (before > 0, after.records, notes_of(after)["withheld"]) == (True, (), before)


@pytest.mark.behaviour("CH-19")
def test_it_judges_a_deleted_record_like_any_other(
    make_assignments: Callable[..., Assignments], site: DemoSite
) -> None:
    mine = make_assignments(owner="olga")
    mine.ask([("delete_record", {"table": "pages", "uid": site.pages["tickets"]})], DONE, workspace=0)
    mine.decide()
    mine.share("anna", "emil")
    found = [fact for fact in facts_of(mine.changes("anna")) if fact["uid"] == site.pages["tickets"]]
    assert [fact["action"] for fact in found] == ["deleted"]
    assert mine.changes("emil").records == ()


@pytest.mark.behaviour("CH-19")
def test_it_withholds_a_row_that_is_gone_for_good(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([(HIDE, {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    (record,) = assignments.changes().records
    with transaction() as connection:
        connection.execute(delete(PAGE).where(PAGE.c.uid == record.uid))
    view = assignments.changes()
    assert (view.records, notes_of(view)["withheld"]) == ((), 1)


@pytest.mark.behaviour("CH-13")
def test_it_withholds_the_title_of_a_workspace_the_viewer_may_not_use(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    with transaction() as connection:
        # The copied page was published by hand meanwhile: live now, observed in the draft (cms.md section 16).
        connection.exec_driver_sql("UPDATE pages SET workspace_id = 0, version_state = 0 WHERE workspace_id = 1")
        connection.execute(update(GROUP).where(GROUP.c.title == "Live").values(live=True))
        connection.execute(delete(MEMBER).where(MEMBER.c.group_id == site.people.groups["Freelancers"]))
    assignments.share("cem")
    with transaction() as connection:
        cem = {"user_id": site.people.users["cem"], "group_id": site.people.groups["Live"], "position": 5}
        connection.execute(insert(MEMBER).values(**cem))
    labels = {
        render(fact.label, "en")
        for record in assignments.changes("cem").records
        for fact in record.facts
        if fact.name == "workspace"
    }
    assert labels == {"Workspace no. 1 (title not visible to you)"}


@pytest.mark.behaviour("CH-22")
def test_it_links_only_where_the_viewer_may_go(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    own = assignments.changes().records[0]
    assert own.edit_url == f"/records/pages/{own.live_uid}"
    assert own.history_url == f"/records/pages/{own.live_uid}/history?workspace=1"
    assert own.workspace_url == "/workspaces/1"
    assignments.share("dora")
    with transaction() as connection:
        connection.execute(
            update(GROUP).where(GROUP.c.title == "Editorial").values(tables_modify="[]", tables_select='["pages"]')
        )
    other = assignments.changes("dora").records[0]
    assert (other.edit_url, other.workspace_url) == (None, None)
    assert other.history_url is not None


@pytest.mark.behaviour("CH-22")
def test_it_has_no_history_link_for_a_deleted_record(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("delete_record", {"table": "pages", "uid": site.pages["tickets"]})], DONE)
    assignments.decide()
    (record, *_) = assignments.changes().records
    assert (record.history_url, record.edit_url) == (None, None)


@pytest.mark.behaviour("CH-24")
def test_a_conversation_that_only_read_offers_no_list(assignments: Assignments) -> None:
    assignments.ask([("get_page_tree", {})], DONE)
    assert not assignments.page().view.has_changes


@pytest.mark.behaviour("CH-24")
def test_a_poll_computes_the_flag_without_reading_events(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    identity = assignments.identity_of("anna")
    with count_statements() as seen, reading() as connection:
        updates = pages.read_updates(connection, identity, assignments.id, 0, 0, assignments.runtime)
    assert updates is not None
    assert updates.view.has_changes
    assert not [statement for statement in seen if "run_event" in statement]


@pytest.mark.behaviour("CH-27", "CH-29")
def test_opening_reads_events_once_and_writes_nothing(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    assignments.ask([(HIDE, {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    identity = assignments.identity_of("anna")
    with count_statements() as seen, reading() as connection:
        changes.read_changes(connection, identity, assignments.id, site_name="x")
    assert len([statement for statement in seen if "run_event" in statement]) == 1
    assert all(statement.lstrip().upper().startswith(("SELECT", "WITH")) for statement in seen)


@pytest.mark.behaviour("CH-27")
def test_it_reads_finished_writes_of_runs_without_details_only(assignments: Assignments, site: DemoSite) -> None:
    copy_visit(assignments, site)
    hours, bare = site.pages["hours"], "11111111-0000-0000-0000-000000000000"
    write = {"v": 1, "turn": 1, "call": 0, "t": "pages", "u": hours, "kind": "hide"}
    entry = {"outcome": "completed", "writes": [["pages", hours, "hide"]], "failed": False}
    with transaction() as connection:
        connection.exec_driver_sql(_CLONE.format(new=bare, old=assignments.run_uuid))
        finished = dumps({**write, "completeness": "complete", "hook_failed": False})
        row = {"run_uuid": bare, "seq": 1, "kind": "tool_write", "version": 1, "payload": finished, "at": 0}
        connection.execute(insert(RunEvent), [row])
        entries = [{**entry, "run": uuid} for uuid in (bare, assignments.run_uuid)]
        store.change_conversation(connection, assignments.id, {"run_record": dumps(entries)})
    with count_statements() as seen, reading() as connection:
        identity = assignments.identity_of("anna")
        view = changes.read_changes(connection, identity, assignments.id, site_name="x")
    assert len([statement for statement in seen if "run_event" in statement]) == 1
    assert [fact["table"] for fact in facts_of(view) if "undetailed" in fact] == ["pages"]
    assert notes_of(view)["predates"] == 1
    assert len(view.records) == 19 + 1


@pytest.mark.behaviour("CH-27")
@pytest.mark.parametrize("runs", [5, 50, 500])
def test_its_statements_depend_on_the_tables_named_only(assignments: Assignments, site: DemoSite, runs: int) -> None:
    """C1: at most 8 and one per table named, however many runs."""
    copy_visit(assignments, site)
    uuid = assignments.run_uuid
    with transaction() as connection:
        entries = []
        for number in range(runs):
            other = f"11111111-0000-0000-0000-{number:012d}"
            connection.exec_driver_sql(_CLONE.format(new=other, old=uuid))
            _add_event(connection, other, number, [_change(site.pages["hours"], number + 100)], 0)
            entries.append({"outcome": "completed", "writes": [["pages", 1, "x"]], "failed": False, "run": other})
        entries.append({"outcome": "completed", "writes": [["pages", 1, "x"]], "failed": False, "run": uuid})
        store.change_conversation(connection, assignments.id, {"run_record": dumps(entries)})
    identity = assignments.identity_of("anna")
    with count_statements() as seen, reading() as connection:
        view = changes.read_changes(connection, identity, assignments.id, site_name="x")
    tables = {"pages", "content_elements"}
    assert len(view.records) == min(19 + runs, changes.MOST_RECORDS)
    assert len(seen) == 4 + len(tables) + 1, seen  # conversation, runs, events, page rights; tables; languages


_COLUMNS = [column.name for column in Run.__table__.columns if column.name != "uuid"]
_CLONE = f"INSERT INTO run (uuid, {', '.join(_COLUMNS)}) SELECT '{{new}}', {', '.join(_COLUMNS)} FROM run WHERE uuid = '{{old}}'"  # noqa: S608  our own columns


def test_strangers_cannot_open_it(assignments: Assignments) -> None:
    with pytest.raises(NotFound):
        assignments.changes("ben")
    with pytest.raises(NotFound):
        assignments.changes("admin")
