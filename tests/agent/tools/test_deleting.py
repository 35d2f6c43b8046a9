from __future__ import annotations

import pytest

from tests.agent.tools.bench import Bench


def test_it_deletes_a_page_live_with_everything_below(bench: Bench) -> None:
    about = bench.page("about")
    done = bench.write("delete_record", table="pages", uid=about)
    gone = [about, bench.page("press"), bench.page("history")]
    assert all(bench.row("pages", uid)["deleted"] for uid in gone)
    assert all(row["deleted"] for row in bench.rows("content_elements", pid=about))
    assert done.content == {"done": "delete", "uid": about}
    assert done.heading == "Delete the page “About us”"
    targets = [change.uid for change in done.changes.changes if change.is_target]
    assert targets == [about]
    assert len(done.changes.changes) > 3


def test_it_marks_a_record_in_a_draft(bench: Bench) -> None:
    before, about = bench.live(), bench.page("about")
    done = bench.write("delete_record", workspace=bench.draft, table="pages", uid=about)
    assert bench.live() == before
    assert done.result.target is not None
    mark = bench.row("pages", done.result.target.uid)
    assert (mark["live_uid"], mark["workspace_id"], mark["version_state"]) == (about, bench.draft, 2)
    assert done.content["uid"] == about
    assert bench.rows("content_elements", workspace_id=bench.draft) == [], "the content of the page gets no rows"


def test_it_does_not_delete_twice_in_a_draft(bench: Bench) -> None:
    call = {"workspace": bench.draft, "table": "pages", "uid": bench.page("about")}
    bench.write("delete_record", **call)
    assert bench.refused("delete_record", **call)[0] == "marked_deleted"


def test_it_removes_what_was_new_in_the_draft(bench: Bench) -> None:
    new = bench.write("create_page_draft", workspace=bench.draft, parent=bench.page("visit"), title="Café")
    bench.write("delete_record", workspace=bench.draft, table="pages", uid=new.content["uid"])
    assert bench.rows("pages", workspace_id=bench.draft) == []


@pytest.mark.parametrize(
    ("table", "name", "title"), [("content_elements", "header", "Winter"), ("contacts", "name", "Mara Holt")]
)
def test_it_deletes_other_records(bench: Bench, table: str, name: str, title: str) -> None:
    uid = bench.one(table, **{name: title})
    done = bench.write("delete_record", table=table, uid=uid)
    assert bench.row(table, uid)["deleted"]
    assert title in done.heading


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_record_and_one_of_somebody_else(bench: Bench) -> None:
    answers = {bench.refused("delete_record", table="pages", uid=uid) for uid in (999_999, bench.page("staff"))}
    keys = bench.one("content_elements", header="Keys")
    answers |= {bench.refused("delete_record", table="content_elements", uid=keys)}
    bench.write("delete_record", table="pages", uid=bench.page("hours"))
    answers |= {bench.refused("delete_record", table="pages", uid=bench.page("hours"))}
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_does_not_delete_a_page_with_a_closed_one_below(bench: Bench) -> None:
    assert bench.refused("delete_record", table="pages", uid=bench.page("visit"))[0] == "denied_below"


def test_it_asks_for_the_languages_of_translations(bench: Bench) -> None:
    about = bench.page("about")
    assert bench.refused("delete_record", "dora", table="pages", uid=about)[0] == "denied_language"


@pytest.mark.behaviour("RT-18")
def test_it_claims_no_success_for_what_is_still_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.content.types import RecordRef
    from app.content.writer import Batch

    monkeypatch.setattr(Batch, "delete", lambda _batch, table, uid: RecordRef(table=table, uid=uid))
    monkeypatch.setattr(Batch, "mark_target", lambda _batch, _ref: None)
    assert bench.refused("delete_record", table="pages", uid=bench.page("hours"))[0] == "not_deleted"
