from __future__ import annotations

import pytest

from tests.agent.tools.bench import LIVE, Bench


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_copies_a_page_with_everything_on_it(bench: Bench, in_draft: bool) -> None:
    workspace, live = bench.draft if in_draft else LIVE, bench.live()
    about = bench.page("about")
    done = bench.write("copy_page", workspace=workspace, page=bench.page("tickets"), target=about)
    assert done.result.target is not None
    root = bench.row("pages", done.result.target.uid)
    assert (root["pid"], root["hidden"], root["workspace_id"]) == (about, True, workspace)
    assert done.content["title"] == root["title"] == "Tickets and tours (copy 1)"
    assert done.content["counts"] == {"pages": 2, "content_elements": 3}
    assert done.heading == "Copy the page “Tickets and tours” below “About us”"
    assert [change.is_target for change in done.changes.changes].count(True) == 1
    assert (bench.live() == live) is in_draft


def test_it_leaves_subpages_out_unless_asked(bench: Bench) -> None:
    done = bench.write("copy_page", page=bench.page("about"), subpages=False)
    assert bench.rows("pages", pid=done.content["uid"]) == []


def test_it_copies_subpages_the_person_may_see(bench: Bench) -> None:
    done = bench.write("copy_page", page=bench.page("visit"), target=bench.page("about"), subpages=True)
    titles = {row["title"] for row in bench.rows("pages", pid=done.content["uid"], language_id=0)}
    assert titles == {"Opening hours", "Tickets and tours", "Getting here"}
    assert done.heading == "Copy the page “Visit” with its subpages below “About us”"


def test_it_copies_beside_the_original_without_a_target(bench: Bench) -> None:
    done = bench.write("copy_page", page=bench.page("hours"))
    assert bench.row("pages", done.content["uid"])["pid"] == bench.page("visit")
    again = bench.write("copy_page", page=bench.page("hours"))
    assert (done.content["title"], again.content["title"]) == ("Opening hours (copy 1)", "Opening hours (copy 2)")


def test_it_lets_an_administrator_copy_to_the_top(bench: Bench) -> None:
    done = bench.write("copy_page", "admin", page=bench.page("root"))
    assert bench.row("pages", done.content["uid"])["pid"] == 0
    assert done.heading == "Copy the page “Town Museum”"
    assert bench.refused("copy_page", page=bench.page("root"))[0] == "not_found"


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_missing_pages_and_those_of_somebody_else(bench: Bench) -> None:
    hours = bench.page("hours")
    answers = {bench.refused("copy_page", page=uid) for uid in (999_999, bench.page("staff"))}
    answers |= {bench.refused("copy_page", page=hours, target=uid) for uid in (999_999, bench.page("staff"))}
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_does_not_copy_a_page_below_itself(bench: Bench) -> None:
    visit = bench.page("visit")
    for target in (visit, bench.page("hours")):
        assert bench.refused("copy_page", page=visit, target=target, subpages=True)[0] == "inside_itself"


def test_it_does_not_copy_a_translation(bench: Bench) -> None:
    german = bench.one("pages", title="Besuch")
    assert bench.refused("copy_page", page=german)[0] == "is_translation"
