"""Restoring what was deleted live, and finding it by title."""

from __future__ import annotations

import pytest

from tests.agent.tools.bench import Bench

NOT_FOUND = ("not_found", "There is no such record, or you have no access to it.")


def found(bench: Bench, query: str, who: str = "anna", **given: object) -> list[tuple[str, int]]:
    """Deleted records found by title."""
    answer = bench.read("search_records", who, query=query, deleted=True, **given)
    return [(hit["table"], hit["uid"]) for hit in answer["records"]]


def test_it_brings_a_page_back_with_what_was_deleted_along(bench: Bench) -> None:
    about = bench.page("about")
    bench.write("delete_record", table="pages", uid=about)
    assert ("pages", about) in found(bench, "about us")
    done = bench.write("undelete_record", table="pages", uid=about)
    back = [about, bench.page("press"), bench.page("history")]
    assert not any(bench.row("pages", uid)["deleted"] for uid in back)
    assert done.content == {"done": "undelete", "table": "pages", "uid": about, "hidden": False}
    assert (done.result.kind, done.heading) == ("undelete", "Restore the deleted page “About us”")
    assert [change.uid for change in done.changes.changes if change.is_target] == [about]
    assert len(done.changes.changes) > 3


@pytest.mark.parametrize(
    ("table", "name", "title"),
    [("content_elements", "header", "Winter"), ("contacts", "name", "Mara Holt")],
)
def test_it_brings_other_records_back(bench: Bench, table: str, name: str, title: str) -> None:
    uid = bench.one(table, **{name: title})
    bench.write("delete_record", table=table, uid=uid)
    assert found(bench, title, table=table) == [(table, uid)]
    done = bench.write("undelete_record", table=table, uid=uid)
    assert not bench.row(table, uid)["deleted"]
    assert title in done.heading
    assert found(bench, title, table=table) == []


@pytest.mark.parametrize("who", ["anna", "admin"])
def test_it_refuses_in_a_draft_with_its_own_sentence(bench: Bench, who: str) -> None:
    press = bench.page("press")
    bench.write("delete_record", table="pages", uid=press)
    assert bench.refused("undelete_record", who, bench.draft, table="pages", uid=press) == (
        "live_only",
        "Deleted records can be restored in the workspace Live only. Nothing was changed. "
        "Switch to the workspace Live and send the request again.",
    )


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_record_and_one_of_somebody_else(bench: Bench) -> None:
    rota, keys = bench.page("rota"), bench.one("content_elements", header="Keys")
    for table, uid in (("pages", rota), ("content_elements", keys)):
        bench.write("delete_record", "admin", table=table, uid=uid)
    answers = {bench.refused("undelete_record", table="pages", uid=uid) for uid in (999_999, rota)}
    answers |= {bench.refused("undelete_record", table="content_elements", uid=keys)}
    assert answers == {NOT_FOUND}
    assert bench.refused("undelete_record", table="pages", uid=bench.page("press"))[0] == "not_deleted"


def test_it_finds_only_what_the_person_could_read(bench: Bench) -> None:
    rota, press = bench.page("rota"), bench.page("press")
    for uid in (rota, press):
        bench.write("delete_record", "admin", table="pages", uid=uid)
    assert found(bench, "rota") == []
    assert found(bench, "rota", "admin") == [("pages", rota)]
    assert found(bench, "press") == [("pages", press)]
    for stranger in ("gus", "fay", "emil", "ben"):
        assert found(bench, "press", stranger) == [], stranger
    french = bench.one("pages", title="À propos")
    bench.write("delete_record", "admin", table="pages", uid=french)
    assert (found(bench, "propos"), found(bench, "propos", "dora")) == ([("pages", french)], [])


def test_it_finds_live_deletions_from_a_draft_and_no_marks(bench: Bench) -> None:
    press, history = bench.page("press"), bench.page("history")
    bench.write("delete_record", table="pages", uid=press)
    bench.write("delete_record", workspace=bench.draft, table="pages", uid=history)
    answer = bench.read("search_records", workspace=bench.draft, query="press", deleted=True, table="pages")
    assert [hit["uid"] for hit in answer["records"]] == [press]
    assert found(bench, "history of") == []
    assert "Press" not in [hit["title"] for hit in bench.read("search_records", query="press")["records"]]
