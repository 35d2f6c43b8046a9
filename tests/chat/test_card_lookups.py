"""Cards about moves, files and redirects: what each viewer may read of the records they name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from app.chat.view_models import ApprovalCardView, CardRecordView, StepView
from app.content.schema import REGISTRY
from app.core.db import reading
from app.core.i18n import Text, render
from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments, facts_of

Make = Callable[..., Assignments]


def words(value: Text | str | None) -> str:
    if value is None:
        return ""
    return render(value, "en") if isinstance(value, Text) else value


def only(card: ApprovalCardView) -> StepView:
    (step,) = card.steps
    return step


def record(card: ApprovalCardView) -> CardRecordView:
    (found,) = only(card).records
    return found


def number(table: str, **equal: object) -> int:
    """Number of the first live row with these values."""
    rows = REGISTRY[table].table
    with reading() as connection:
        where = [rows.c[name] == value for name, value in equal.items()]
        return int(connection.execute(select(rows.c.uid).where(*where).order_by(rows.c.uid)).scalars().all()[0])


def test_a_move_says_from_where_to_where(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("move_page", {"page": site.pages["collection"], "target": site.pages["about"]})])
    found = record(assignments.card())
    assert words(found.place) == "From “Exhibitions” to “About us”"
    assert found.fields == ()
    assert words(only(assignments.card()).heading) == "Move the page “Collection” below “About us”"


def test_a_move_on_the_same_page_names_no_page(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("move_page", {"page": site.pages["collection"], "after": site.pages["summer"]})])
    assert words(record(assignments.card()).place) == "Another place among its neighbours"


@pytest.mark.behaviour("CA-10")
def test_a_move_names_neither_page_to_somebody_who_sees_only_one(assignments: Assignments, site: DemoSite) -> None:
    assignments.ask([("move_page", {"page": site.pages["collection"], "target": site.pages["about"]})])
    assignments.share("emil")  # mounted on the exhibitions
    card = assignments.card("emil")
    assert words(only(card).heading) == "Move a page"
    assert record(card).place is None
    assert "About us" not in repr(card)
    withheld = assignments.card("fay")
    assert (only(withheld).preview, only(withheld).records) == ("withheld", ())
    assert not [title for title in ("Collection", "Exhibitions", "About us") if title in repr(withheld)]


def test_a_content_element_says_where_it_goes_and_is_listed_as_moved(make_assignments: Make, site: DemoSite) -> None:
    mine = make_assignments()
    element = number("content_elements", header="Summer")
    mine.ask([("move_content_element", {"element": element, "page": site.pages["tickets"]})], DONE, workspace=0)
    assert words(record(mine.card()).place) == "From “Opening hours” to “Tickets and tours”"
    mine.decide()
    (fact, *_) = [facts for facts in facts_of(mine.changes()) if facts["uid"] == element]
    assert (fact["table"], fact["action"], fact["role"]) == ("content_elements", "moved", "target")


@pytest.mark.behaviour("CH-17", "CA-10")
def test_an_alternative_text_is_shown_to_people_who_may_read_that_file(assignments: Assignments) -> None:
    ferry = number("files", name="ferry.png")
    assignments.ask([("set_file_alternative_text", {"file": ferry, "text": "A red ferry"})], DONE)
    found = record(assignments.card())
    assert [(field.name, field.new) for field in found.fields] == [("alternative", "A red ferry")]
    assignments.share("fay")  # may select the tables, but has no mount
    card = assignments.card("fay")
    assert (words(only(card).heading), only(card).records) == ("Set the alternative text of a file", ())
    assert not [secret for secret in ("ferry", "A red ferry") if secret in repr(card)]
    assignments.decide()
    assert [facts["table"] for facts in facts_of(assignments.changes())] == ["file_metadata"]
    assert facts_of(assignments.changes("fay")) == []


@pytest.mark.behaviour("CH-17", "CA-10")
def test_an_attached_file_is_named_to_people_who_see_file_and_element(assignments: Assignments) -> None:
    ferry, element = number("files", name="ferry.png"), number("content_elements", header="Summer")
    assignments.ask([("attach_file_to_content_element", {"file": ferry, "element": element})])
    step = only(assignments.card())
    assert words(step.heading) == "Attach the file “ferry.png” to the content element “Summer”"
    assert [words(field.new) for field in record(assignments.card()).fields] == [f"“ferry.png”, no. {ferry}"]
    assignments.share("emil")  # reads the file, but not the page of the element
    card = assignments.card("emil")
    assert (words(only(card).heading), only(card).records) == ("Attach a file to a content element", ())
    assert not [secret for secret in ("ferry", "Summer") if secret in repr(card)]


def test_a_redirect_names_its_page_only_to_people_who_see_it(make_assignments: Make, site: DemoSite) -> None:
    mine = make_assignments()
    tickets = site.pages["tickets"]
    mine.ask([("create_redirect", {"source": "/prices", "target": tickets})], DONE, workspace=0)
    fields = {field.name: words(field.new) for field in record(mine.card()).fields}
    assert fields == {"source": "/prices", "target_page": f"“Tickets and tours”, no. {tickets}", "status": "301"}
    mine.share("emil")
    card = mine.card("emil")
    assert words(only(card).heading) == "Create a redirect"
    (target,) = [field for field in record(card).fields if field.name == "target_page"]
    assert (target.is_withheld, target.new) == (True, None)
    assert "Tickets" not in repr(card)


@pytest.mark.behaviour("DW-21")
def test_a_redirect_is_refused_in_a_draft_by_its_tool_and_live_by_the_rule(
    make_assignments: Make, site: DemoSite
) -> None:
    call = ("create_redirect", {"source": "/prices", "target": site.pages["tickets"]})
    drafting = make_assignments(configuration="Editorial, drafts only")
    drafting.ask([call])
    step = only(drafting.card())
    assert (step.is_refused, step.preview) == (True, "refused")
    assert words(step.explanation).startswith("A draft workspace cannot hold redirects. Nothing was changed.")
    live = make_assignments(configuration="Editorial, drafts only")
    live.ask([call], DONE, workspace=0)
    result = live.model.seen[1].messages[-1]
    assert "draft_workspace_required" in result.content
    assert "live_workspace" in result.content
    rows = REGISTRY["redirects"].table
    with reading() as connection:
        assert connection.execute(select(rows.c.uid).where(rows.c.source == "/prices")).all() == []


def test_a_restored_page_is_listed_with_what_came_back(make_assignments: Make, site: DemoSite) -> None:
    mine = make_assignments()
    press = site.pages["press"]
    mine.ask([("delete_record", {"table": "pages", "uid": press})], DONE, workspace=0)
    mine.decide()
    other = make_assignments()
    other.ask([("undelete_record", {"table": "pages", "uid": press})], DONE, workspace=0)
    assert words(only(other.card()).heading) == "Restore the deleted page “Press”"
    assert words(record(other.card()).title) == "Press"
    other.decide()
    assert [words(step.outcome) for step in other.card().steps] == ["Reported as done"]
    assert [facts["uid"] for facts in facts_of(other.changes()) if facts["role"] == "target"] == [press]
