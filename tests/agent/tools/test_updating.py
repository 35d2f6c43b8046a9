from __future__ import annotations

import pytest

from tests.agent.tools.bench import LIVE, Bench


def changed(done) -> list[tuple[str, object, object]]:
    """Name, old and new of every changed field of every record."""
    return [(field.name, field.old, field.new) for change in done.changes.changes for field in change.fields]


def test_it_changes_texts_of_a_page_live(bench: Bench) -> None:
    hours = bench.page("hours")
    done = bench.write("update_page_metadata", page=hours, title="Hours", description="When we are open.")
    row = bench.row("pages", hours)
    assert (row["title"], row["description"]) == ("Hours", "When we are open.")
    assert done.content == {"done": "update", "uid": hours, "fields": ["description", "title"]}
    assert done.heading == "Change texts of the page “Opening hours”"
    assert (done.result.kind, done.result.completeness) == ("update", "complete")
    assert [(change.table, change.uid, change.is_target) for change in done.changes.changes] == [("pages", hours, True)]


def test_it_changes_texts_of_a_page_in_a_draft_only_there(bench: Bench) -> None:
    before, hours = bench.live(), bench.page("hours")
    done = bench.write("update_page_metadata", workspace=bench.draft, page=hours, title="Hours")
    assert bench.live() == before
    target = done.result.target
    assert target is not None
    version = bench.row("pages", target.uid)
    assert (version["title"], version["workspace_id"], version["live_uid"]) == ("Hours", bench.draft, hours)
    assert done.content["uid"] == hours


def test_it_changes_a_content_element(bench: Bench) -> None:
    summer = bench.one("content_elements", header="Summer")
    done = bench.write("update_content_element", element=summer, header="In summer", body="**Open** daily.")
    row = bench.row("content_elements", summer)
    assert (row["header"], row["body"]) == ("In summer", "**Open** daily.")
    assert done.heading == "Change the content element “Summer”"
    assert sorted(name for name, _old, _new in changed(done)) == ["body", "header"]


def test_it_empties_a_field_when_asked(bench: Bench) -> None:
    bench.write("update_page_metadata", page=bench.page("hours"), description="")
    assert bench.row("pages", bench.page("hours"))["description"] == ""


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_it_takes_text_with_any_line_ending(bench: Bench, ending: str) -> None:
    summer = bench.one("content_elements", header="Summer")
    bench.write("update_content_element", element=summer, body=f"One{ending}two")
    assert bench.row("content_elements", summer)["body"] == "One\ntwo"


@pytest.mark.behaviour("CM-05")
@pytest.mark.parametrize("in_draft", [False, True])
def test_it_writes_and_reports_nothing_when_nothing_differs(bench: Bench, in_draft: bool) -> None:
    before, hours = bench.state(), bench.page("hours")
    workspace = bench.draft if in_draft else LIVE
    done = bench.write("update_page_metadata", workspace=workspace, page=hours, title="Opening hours")
    assert bench.state() == before
    assert done.content == {"unchanged": True, "uid": hours}
    assert done.changes.changes == ()


@pytest.mark.behaviour("CM-05")
def test_it_reports_only_what_differs(bench: Bench) -> None:
    done = bench.write(
        "update_page_metadata", page=bench.page("hours"), title="Opening hours", description="When we are open."
    )
    assert changed(done) == [("description", "When the museum is open.", "When we are open.")]


@pytest.mark.behaviour("RT-18")
@pytest.mark.parametrize("texts", [{"keywords": "open"}, {"keywords": "open", "title": "Hours"}])
def test_it_claims_no_success_for_a_field_that_was_not_saved(bench: Bench, texts: dict[str, str]) -> None:
    reason, sentence = bench.refused("update_page_metadata", "ben", bench.draft, page=bench.page("hours"), **texts)
    assert reason == "not_saved"
    assert sentence == "The field “Keywords” was not saved; the right for it may be missing."


def test_it_saves_the_same_field_for_somebody_with_the_right(bench: Bench) -> None:
    bench.write("update_page_metadata", page=bench.page("hours"), keywords="open")
    assert bench.row("pages", bench.page("hours"))["keywords"] == "open"


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_page_and_one_of_somebody_else(bench: Bench) -> None:
    answers = {
        bench.refused("update_page_metadata", page=uid, title="X")
        for uid in (999_999, bench.page("staff"), bench.page("rota"), 2**53 - 1)
    }
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


@pytest.mark.behaviour("RT-18")
@pytest.mark.parametrize("who", ["emil", "fay", "gus"])
def test_it_refuses_people_without_the_right(bench: Bench, who: str) -> None:
    assert bench.refused("update_page_metadata", who, page=bench.page("hours"), title="X")[0] == "not_found"


def test_it_refuses_live_to_somebody_who_works_in_drafts(bench: Bench) -> None:
    assert bench.refused("update_page_metadata", "ben", page=bench.page("hours"), title="X")[0] == "not_found"


def test_it_refuses_the_draft_of_others(bench: Bench) -> None:
    campaign = bench.site.people.workspaces["Campaign"]
    assert (
        bench.refused("update_page_metadata", workspace=campaign, page=bench.page("hours"), title="X")[0] == "not_found"
    )


def test_it_refuses_a_call_that_changes_nothing(bench: Bench) -> None:
    assert bench.refused("update_page_metadata", page=bench.page("hours"))[0] == "nothing_to_change"
    assert bench.refused("update_content_element", element=1)[0] == "nothing_to_change"
    assert bench.refused("update_page_metadata", page=999_999)[0] == "nothing_to_change"


def test_it_refuses_what_the_store_cannot_hold(bench: Bench) -> None:
    hours = bench.page("hours")
    assert bench.refused("update_page_metadata", page=hours, title="a\x00b")[0] == "forbidden_character"
    assert bench.refused("update_page_metadata", page=hours, title="   ")[0] == "required"


def test_it_refuses_a_record_marked_to_be_deleted(bench: Bench) -> None:
    hours = bench.page("hours")
    bench.write("delete_record", workspace=bench.draft, table="pages", uid=hours)
    assert bench.refused("update_page_metadata", workspace=bench.draft, page=hours, title="X")[0] == "marked_deleted"


def test_it_names_a_record_without_a_title(bench: Bench) -> None:
    summer = bench.one("content_elements", header="Summer")
    bench.write("update_content_element", element=summer, header="", body="")
    done = bench.write("update_content_element", element=summer, body="x")
    assert done.heading == "Change the content element “untitled”"
