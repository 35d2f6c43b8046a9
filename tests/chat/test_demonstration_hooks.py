"""What becomes of an assignment's step when an extension writes along, writes unseen, fails or refuses (CM-07)."""

from __future__ import annotations

import pytest

from app.content.store import find_row
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of, notes_of
from tests.support.demonstration_hooks import NOTE, raw_rows, switch_on


def hide_hours(site: DemoSite) -> list[tuple[str, dict[str, object]]]:
    """The step of these tests."""
    return [("hide_record", {"table": "pages", "uid": site.pages["hours"]})]


def is_hidden(site: DemoSite, workspace_id: int) -> bool:
    with reading() as connection:
        row = find_row(connection, "pages", site.pages["hours"], workspace_id)
    assert row is not None
    return bool(row["hidden"])


@pytest.mark.behaviour("CM-07")
@pytest.mark.behaviour("CH-10")
def test_it_lists_what_a_hook_wrote_through_the_writer_as_changed_along(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_on(monkeypatch, "extra")
    assignments.ask(hide_hours(site), DONE)
    assert NOTE in str(assignments.card()), "the card shows beforehand what the extension will write"
    assignments.decide()
    roles = {(fact["table"], fact["role"]) for fact in facts_of(assignments.changes())}
    assert roles == {("pages", "target"), ("content_elements", "along")}
    assert NOTE in [str(record.title) for record in assignments.changes().records]


@pytest.mark.behaviour("CM-07")
def test_it_cannot_list_what_a_hook_wrote_past_the_writer_and_says_so(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_on(monkeypatch, "raw")
    assignments.ask(hide_hours(site), DONE)
    with reading() as connection:
        assert raw_rows(connection) == 0, "the rehearsal takes back what it did past the writer too"
    assignments.decide()
    with reading() as connection:
        assert raw_rows(connection) == 1
    view = assignments.changes()
    assert [record.table for record in view.records] == ["pages"]
    assert notes_of(view) == {"coverage": 1}


@pytest.mark.behaviour("CM-07")
@pytest.mark.behaviour("CH-07")
def test_it_marks_the_step_when_a_hook_fails_after_the_write(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_on(monkeypatch, "failing")
    assignments.ask(hide_hours(site), DONE, workspace=1)
    assignments.decide()
    assert is_hidden(site, 1), "the rows of the step stay"
    assert facts_of(assignments.changes())[0]["failed"] is True


@pytest.mark.behaviour("CM-07")
def test_it_writes_nothing_when_a_hook_refuses_before(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignments.ask(hide_hours(site), DONE, workspace=1)
    switch_on(monkeypatch, "vetoing")
    assignments.decide()
    assert not is_hidden(site, 1)
    assert assignments.changes().records == ()


def test_it_offers_no_step_a_hook_refuses(
    assignments: Assignments, site: DemoSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    switch_on(monkeypatch, "vetoing")
    assignments.ask(hide_hours(site), DONE, workspace=1)
    assert assignments.page().view.run_uuid is not None
    assert not is_hidden(site, 1)
    assert assignments.changes().records == ()
