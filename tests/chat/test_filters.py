"""Filters of the list of changes: after rights, before the cap, and silent about what is withheld."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.chat import changes, filters
from app.chat.filters import NO_FILTERS, Filters
from app.chat.folding import FoldedRecord
from app.chat.view_models import ChangeListView
from app.content.access import Readable
from app.core.db import reading
from app.core.i18n import render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of, notes_of
from tests.support.statements import count_statements

EVERY = NO_FILTERS


@pytest.fixture
def changed(assignments: Assignments, site: DemoSite) -> Assignments:
    """A copied branch and a page hidden afterwards."""
    call = ("copy_page", {"page": site.pages["visit"], "target": site.pages["about"], "subpages": True})
    assignments.ask([call], DONE)
    assignments.decide()
    assignments.ask([("hide_record", {"table": "pages", "uid": site.pages["hours"]})], DONE)
    assignments.decide()
    return assignments


def read(assignments: Assignments, asked: Filters = EVERY, viewer: str = "anna") -> ChangeListView:
    with reading() as connection:
        identity = assignments.identity_of(viewer)
        return changes.read_changes(connection, identity, assignments.id, site_name="x", filters=asked)


def totals(view: ChangeListView) -> list[str]:
    return [render(total.label, "en") for total in view.overview.totals]


def test_it_counts_what_is_listed_by_action(changed: Assignments) -> None:
    assert totals(read(changed)) == ["19 created", "1 changed"]
    assert totals(read(changed, Filters(action="updated"))) == ["1 changed"]


@pytest.mark.parametrize(
    ("asked", "name", "value"),
    [
        (Filters(action="updated"), "action", "updated"),
        (Filters(workspace_id=1), "workspace", 1),
        (Filters(language="de"), "language", "de"),
    ],
)
def test_it_keeps_what_has_the_fact_in_the_same_order(
    changed: Assignments, asked: Filters, name: str, value: object
) -> None:
    found, whole = facts_of(read(changed, asked)), facts_of(read(changed))
    assert found
    assert found == [facts for facts in whole if facts.get(name) == value]


def test_a_filter_nothing_matches_lists_nothing(changed: Assignments) -> None:
    for asked in (Filters(workspace_id=0), Filters(language="xx"), Filters(needs_check=True), Filters(action="moved")):
        view = read(changed, asked)
        assert (view.records, totals(view)) == ((), [])
        assert view.overview.filters.is_set


@pytest.mark.behaviour("CH-28")
def test_it_cuts_after_filtering(changed: Assignments, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "MOST_RECORDS", 3)
    assert notes_of(read(changed))["omitted"] == 20 - 3
    last = read(changed, Filters(action="updated"))
    assert (len(last.records), notes_of(last).get("omitted")) == (1, None)
    german = read(changed, Filters(language="de"))
    assert len(german.records) == 3
    assert notes_of(german)["omitted"] > 0


@pytest.mark.behaviour("CH-18")
def test_no_filter_moves_the_number_of_withheld_records(changed: Assignments) -> None:
    changed.share("dora")
    withheld = notes_of(read(changed, viewer="dora"))["withheld"]
    assert withheld
    for asked in (
        Filters(action="created"),
        Filters(language="fr"),
        Filters(workspace_id=7),
        Filters(needs_check=True),
    ):
        assert notes_of(read(changed, asked, "dora"))["withheld"] == withheld


@pytest.mark.behaviour("CH-18")
def test_it_offers_only_what_the_viewer_is_shown(changed: Assignments) -> None:
    changed.share("dora", "fay")
    offered = read(changed, viewer="dora").overview.filters
    assert {choice.value for choice in offered.languages} == {"en", "de"}
    nothing = read(changed, viewer="fay").overview
    assert (nothing.totals, nothing.filters.is_offered, nothing.filters.actions) == ((), False, ())


def test_filters_cost_no_statement(changed: Assignments) -> None:
    counted = []
    for asked in (EVERY, Filters(action="created", workspace_id=1, language="de")):
        with count_statements() as seen:
            read(changed, asked)
        counted.append(len([statement for statement in seen if "FROM" in statement]))
    assert counted[0] == counted[1]


@pytest.mark.behaviour("CH-06", "CH-08")
def test_failed_and_unfinished_need_a_check() -> None:
    fine = FoldedRecord(table="pages", uid=1, live_uid=1, workspace_id=1, action="updated")
    assert not filters.needs_check(fine)
    for marked in (replace(fine, step_failed=True), replace(fine, is_partial=True)):
        assert filters.needs_check(marked)
        assert list(filters.matching([(marked, _row()), (fine, _row())], Filters(needs_check=True), {})) == [
            (marked, _row())
        ]


def test_what_was_recorded_without_details_has_no_action(assignments: Assignments) -> None:
    bare = FoldedRecord(table="pages", uid=1, live_uid=1, workspace_id=None, has_details=False)
    assert filters.matching([(bare, _row())], Filters(action="unknown"), {}) == []
    words = changes.WordsOf(identity=assignments.identity_of("anna"), languages={})
    view = filters.overview([(bare, _row())], [(bare, _row())], EVERY, words)
    assert [render(total.label, "en") for total in view.totals] == ["1 recorded without details"]


def test_it_says_how_many_need_a_check_under_every_filter(assignments: Assignments) -> None:
    failed = FoldedRecord(table="pages", uid=1, live_uid=1, workspace_id=1, action="created", step_failed=True)
    fine = replace(failed, uid=2, live_uid=2, step_failed=False)
    words = changes.WordsOf(identity=assignments.identity_of("anna"), languages={})
    shown = [(failed, _row()), (fine, _row())]
    view = filters.overview(shown, shown[1:], Filters(action="created"), words)
    assert view.check is not None
    assert render(view.check, "en") == "1 record needs a check."


def _row() -> Readable:
    return Readable(
        table="pages",
        uid=1,
        live_uid=1,
        page_uid=1,
        workspace_id=1,
        title="A",
        values={},
        is_deleted=False,
        published_since=False,
        is_live=False,
    )
