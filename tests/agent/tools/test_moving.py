"""Moving pages and content elements; every number of the call is asked on its own (I25)."""

from __future__ import annotations

import pytest

from tests.agent.tools.bench import LIVE, Bench

NOT_FOUND = ("not_found", "There is no such record, or you have no access to it.")
BAD_ANCHOR = ("anchor", "The record to insert after does not lie on that page.")


def below(bench: Bench, page: int, workspace: int = LIVE) -> list[str]:
    """Titles of the pages below a page, in their order."""
    nodes = bench.read("get_page_tree", workspace=workspace, page=page, depth=1)["pages"]
    return [str(node["title"]) for node in nodes[1:]]


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_moves_a_page_below_another(bench: Bench, in_draft: bool) -> None:
    workspace, live = bench.draft if in_draft else LIVE, bench.live()
    tickets, about = bench.page("tickets"), bench.page("about")
    done = bench.write("move_page", workspace=workspace, page=tickets, target=about)
    assert below(bench, about, workspace) == ["Press", "History of the house", "Tickets and tours"]
    assert done.content == {"done": "move", "table": "pages", "uid": tickets, "page": about}
    assert done.heading == "Move the page “Tickets and tours” below “About us”"
    assert done.result.kind == "move"
    moved = {(change.action.value, change.is_target) for change in done.changes.changes}
    assert ("moved", True) in moved
    assert {action for action, _ in moved} == {"moved"}, "its translation moves along"
    assert (bench.live() == live) is in_draft
    (target,) = [change for change in done.changes.changes if change.is_target]
    assert [(field.name, field.old, field.new) for field in target.fields] == [("pid", bench.page("visit"), about)]


def test_it_moves_a_page_right_after_another(bench: Bench) -> None:
    tickets, press = bench.page("tickets"), bench.page("press")
    done = bench.write("move_page", page=tickets, after=press)
    assert below(bench, bench.page("about")) == ["Press", "Tickets and tours", "History of the house"]
    assert done.heading == "Move the page “Tickets and tours” right after “Press”"
    again = bench.write("move_page", page=tickets, after=press, target=bench.page("about"))
    assert (again.content, bool(again.changes)) == ({"unchanged": True, "uid": tickets}, False)


def test_it_sorts_pages_below_the_same_page(bench: Bench) -> None:
    bench.write("move_page", page=bench.page("hours"), after=bench.page("directions"))
    assert below(bench, bench.page("visit"))[:3] == ["Tickets and tours", "Getting here", "Opening hours"]


@pytest.mark.behaviour("RT-18")
def test_it_asks_for_the_page_the_target_and_the_neighbour_each_on_its_own(bench: Bench) -> None:
    tickets, staff, about = bench.page("tickets"), bench.page("staff"), bench.page("about")
    answers = {bench.refused("move_page", page=uid, target=about) for uid in (999_999, staff, bench.page("rota"))}
    answers |= {bench.refused("move_page", page=tickets, target=uid) for uid in (999_999, staff)}
    answers |= {bench.refused("move_page", who, page=tickets, target=about) for who in ("gus", "ben")}
    assert answers == {NOT_FOUND}
    neighbours = {bench.refused("move_page", page=tickets, after=uid) for uid in (999_999, staff, tickets)}
    neighbours |= {bench.refused("move_page", page=tickets, after=bench.page("hours"), target=about)}
    assert neighbours == {BAD_ANCHOR}
    assert bench.refused("move_page", page=tickets)[0] == "nothing_to_change"


def test_it_does_not_move_a_page_below_itself_or_a_translation(bench: Bench) -> None:
    visit, german = bench.page("visit"), bench.one("pages", title="Besuch")
    for target in (visit, bench.page("hours")):
        assert bench.refused("move_page", page=visit, target=target)[0] == "inside_itself"
    assert bench.refused("move_page", page=german, target=bench.page("about"))[0] == "is_translation"


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_moves_a_content_element_to_another_page(bench: Bench, in_draft: bool) -> None:
    workspace, live = bench.draft if in_draft else LIVE, bench.live()
    summer, about = bench.one("content_elements", header="Summer"), bench.page("about")
    done = bench.write("move_content_element", workspace=workspace, element=summer, page=about)
    found = bench.read("read_record", workspace=workspace, table="pages", uid=about)["elements"]
    assert [part["title"] for part in found if part["language"] == "en"][-1] == "Summer"
    assert done.heading == "Move the content element “Summer” to the page “About us”"
    assert (done.content["uid"], done.content["page"]) == (summer, about)
    assert (bench.live() == live) is in_draft


def test_it_moves_a_content_element_right_after_another(bench: Bench) -> None:
    summer, winter = (bench.one("content_elements", header=header) for header in ("Summer", "Winter"))
    done = bench.write("move_content_element", element=summer, after=winter)
    found = bench.read("read_record", table="pages", uid=bench.page("hours"))["elements"]
    titles = [part["title"] for part in found]
    assert titles.index("Summer") == titles.index("Winter") + 1
    assert done.heading == "Move the content element “Summer” right after “Winter”"


@pytest.mark.behaviour("RT-18")
def test_it_asks_for_the_element_the_page_and_the_neighbour_each_on_its_own(bench: Bench) -> None:
    summer, keys = (bench.one("content_elements", header=header) for header in ("Summer", "Keys"))
    about, staff = bench.page("about"), bench.page("staff")
    answers = {bench.refused("move_content_element", element=uid, page=about) for uid in (999_999, keys)}
    answers |= {bench.refused("move_content_element", element=summer, page=uid) for uid in (999_999, staff)}
    assert answers == {NOT_FOUND}
    german = bench.one("content_elements", header="Preise")
    neighbours = {bench.refused("move_content_element", element=summer, after=uid) for uid in (999_999, keys, german)}
    assert neighbours == {BAD_ANCHOR}


@pytest.mark.behaviour("RT-18")
def test_it_claims_no_success_for_what_did_not_move(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.content.writer import Batch

    monkeypatch.setattr(Batch, "move", lambda *_given, **_named: None)
    assert bench.refused("move_page", page=bench.page("tickets"), target=bench.page("about"))[0] == "not_moved"
