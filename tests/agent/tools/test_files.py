"""Alternative texts and files on content elements (cms.md section 14)."""

from __future__ import annotations

import pytest
from sqlalchemy import delete

from app.content.schema import FILE_METADATA
from app.core.db import transaction
from tests.agent.tools.bench import LIVE, Bench

NOT_FOUND = ("not_found", "There is no such record, or you have no access to it.")


def file(bench: Bench, name: str) -> int:
    """Number of a demo file."""
    return bench.one("files", name=name)


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_changes_the_alternative_text(bench: Bench, in_draft: bool) -> None:
    workspace, live, ferry = bench.draft if in_draft else LIVE, bench.live(), file(bench, "ferry.png")
    done = bench.write("set_file_alternative_text", workspace=workspace, file=ferry, text="A red ferry")
    assert done.result.target is not None
    row = bench.row("file_metadata", done.result.target.uid)
    assert (row["alternative"], row["file_uid"], row["workspace_id"]) == ("A red ferry", ferry, workspace)
    assert row["title"] == "The ferry"
    assert (done.result.kind, done.heading) == ("update", "Set the alternative text of the file “ferry.png”")
    assert [change.is_target for change in done.changes.changes] == [True]
    assert (bench.live() == live) is in_draft


def test_it_changes_the_text_of_one_language(bench: Bench) -> None:
    ferry = file(bench, "ferry.png")
    done = bench.write("set_file_alternative_text", file=ferry, text="Eine rote Fähre", language="DE")
    assert done.plan.language_id == 1
    texts = {row["language_id"]: row["alternative"] for row in bench.rows("file_metadata", file_uid=ferry)}
    assert texts == {0: "A wooden ferry with a red roof", 1: "Eine rote Fähre"}


def test_it_makes_the_translation_of_a_description(bench: Bench) -> None:
    ferry = file(bench, "ferry.png")
    done = bench.write("set_file_alternative_text", file=ferry, text="Un bac rouge", language="fr")
    (row,) = bench.rows("file_metadata", file_uid=ferry, language_id=2)
    assert (row["alternative"], row["uid"]) == ("Un bac rouge", done.content["uid"])
    assert row["translation_parent"] == bench.rows("file_metadata", file_uid=ferry, language_id=0)[0]["uid"]
    assert (done.result.kind, len(done.changes.changes)) == ("create", 1)


@pytest.mark.parametrize("language", [None, "de"])
def test_it_makes_the_description_of_a_file_without_one(bench: Bench, language: str | None) -> None:
    ferry = file(bench, "ferry.png")
    _remove_descriptions(ferry)
    given = {} if language is None else {"language": language}
    done = bench.write("set_file_alternative_text", file=ferry, text="New words", **given)
    rows = bench.rows("file_metadata", file_uid=ferry)
    assert [(row["language_id"], row["alternative"]) for row in rows] == (
        [(0, "New words")] if language is None else [(0, ""), (1, "New words")]
    )
    assert done.result.kind == "create"


def _remove_descriptions(file_uid: int) -> None:
    table = FILE_METADATA.table
    with transaction() as connection:
        connection.execute(delete(table).where(table.c.file_uid == file_uid))


def test_it_says_unchanged_and_takes_an_empty_text(bench: Bench) -> None:
    ferry = file(bench, "ferry.png")
    same = bench.write("set_file_alternative_text", file=ferry, text="A wooden ferry with a red roof")
    assert (same.content, bool(same.changes)) == ({"unchanged": True, "file": ferry}, False)
    bench.write("set_file_alternative_text", file=ferry, text="")
    assert bench.rows("file_metadata", file_uid=ferry, language_id=0)[0]["alternative"] == ""


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_file_and_one_it_may_not_describe(bench: Bench) -> None:
    read_only, closed = file(bench, "house.png"), file(bench, "opening.png")
    answers = {bench.refused("set_file_alternative_text", file=uid, text="x") for uid in (999_999, read_only, closed)}
    answers |= {bench.refused("set_file_alternative_text", "gus", file=file(bench, "ferry.png"), text="x")}
    assert answers == {NOT_FOUND}
    assert bench.write("set_file_alternative_text", "admin", file=closed, text="x").content["file"] == closed


def test_it_asks_for_the_right_on_descriptions_and_on_the_language(bench: Bench) -> None:
    ferry = file(bench, "ferry.png")
    refused = bench.refused("set_file_alternative_text", "dora", file=ferry, text="x", language="fr")
    assert refused[0] == "denied_language"
    assert bench.refused("set_file_alternative_text", "dora", file=ferry, text="x", language="xx")[0] == (
        "unknown_language"
    )


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_attaches_a_file_behind_the_others(bench: Bench, in_draft: bool) -> None:
    workspace, live = bench.draft if in_draft else LIVE, bench.live()
    house, element = file(bench, "house.png"), bench.one("content_elements", header="Summer")
    made = [
        bench.write("attach_file_to_content_element", workspace=workspace, file=uid, element=element)
        for uid in (house, file(bench, "ferry.png"), house)
    ]
    rows = [bench.row("file_references", done.content["uid"]) for done in made]
    assert {(row["owner_table"], row["owner_uid"], row["owner_field"]) for row in rows} == {
        ("content_elements", element, "images")
    }
    assert {(row["pid"], row["workspace_id"], row["hidden"]) for row in rows} == {
        (bench.page("hours"), workspace, False)
    }
    assert [row["sorting"] for row in rows] == sorted(row["sorting"] for row in rows)
    assert [row["file_uid"] for row in rows] == [house, file(bench, "ferry.png"), house]
    assert made[0].heading == "Attach the file “house.png” to the content element “Summer”"
    assert [change.is_target for change in made[0].changes.changes] == [True]
    assert (bench.live() == live) is in_draft


def test_it_attaches_in_the_language_of_the_element(bench: Bench) -> None:
    german = bench.one("content_elements", header="Preise")
    done = bench.write("attach_file_to_content_element", file=file(bench, "ferry.png"), element=german)
    row = bench.row("file_references", done.content["uid"])
    assert (row["language_id"], row["owner_uid"]) == (1, german)


@pytest.mark.behaviour("RT-18")
def test_it_asks_for_the_file_and_the_element_each_on_its_own(bench: Bench) -> None:
    ferry, closed = file(bench, "ferry.png"), file(bench, "opening.png")
    summer, keys = (bench.one("content_elements", header=header) for header in ("Summer", "Keys"))
    answers = {
        bench.refused("attach_file_to_content_element", file=uid, element=element)
        for uid, element in ((999_999, summer), (closed, summer), (ferry, 999_999), (ferry, keys), (closed, keys))
    }
    answers |= {bench.refused("attach_file_to_content_element", "gus", file=ferry, element=summer)}
    assert answers == {NOT_FOUND}


@pytest.mark.behaviour("CH-17")
def test_its_heading_names_the_very_file_and_the_element(bench: Bench) -> None:
    ferry, summer = file(bench, "ferry.png"), bench.one("content_elements", header="Summer")
    plan = bench.write("attach_file_to_content_element", file=ferry, element=summer).plan
    assert [(ref.table, ref.file_uid, ref.page_uid) for ref in plan.named] == [
        ("files", ferry, 0),
        ("content_elements", 0, bench.page("hours")),
    ]
