"""Tools that read: nothing in an answer the acting person may not read (I28)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from app.agent.tools.reading import LONGEST_FIELD
from tests.agent.tools.bench import LIVE, Bench

SECRET = ("Staff area", "Rota", "Keys are kept", "This month")


def titles(answer: Any, name: str = "pages") -> list[str]:
    """Titles of a list in an answer."""
    return [str(part["title"]) for part in answer[name]]


def test_it_lists_the_page_tree_from_the_top(bench: Bench) -> None:
    answer = bench.read("get_page_tree")
    assert answer["pages"][0] == {
        "uid": bench.page("root"),
        "title": "Town Museum",
        "parent": answer["pages"][0]["parent"],
        "level": 1,
        "hidden": False,
    }
    assert titles(answer) == ["Town Museum", "Visit", "Exhibitions", "About us"]


def test_it_lists_pages_below_one(bench: Bench) -> None:
    answer = bench.read("get_page_tree", page=bench.page("exhibitions"), depth=1)
    assert titles(answer) == ["Exhibitions", "Summer exhibition", "Members' evening", "Past exhibitions", "Collection"]
    assert {part["title"]: part["hidden"] for part in answer["pages"]}["Past exhibitions"] is True
    assert [part["level"] for part in answer["pages"]] == [0, 1, 1, 1, 1]


def test_it_lists_what_the_draft_holds(bench: Bench) -> None:
    bench.write("create_page_draft", workspace=bench.draft, parent=bench.page("about"), title="Café")
    bench.write("delete_record", workspace=bench.draft, table="pages", uid=bench.page("press"))
    below = {"page": bench.page("about"), "depth": 1}
    assert titles(bench.read("get_page_tree", workspace=bench.draft, **below)) == [
        "About us",
        "History of the house",
        "Café",
    ]
    assert titles(bench.read("get_page_tree", **below)) == ["About us", "Press", "History of the house"]


@pytest.mark.parametrize("workspace", ["live", "draft"])
def test_it_shows_nothing_of_a_closed_branch(bench: Bench, workspace: str) -> None:
    number = bench.draft if workspace == "draft" else LIVE
    answers = [
        bench.read("get_page_tree", workspace=number, depth=10),
        bench.read("read_record", workspace=number, table="pages", uid=bench.page("visit")),
        *(bench.read("search_records", workspace=number, query=query) for query in ("staff", "rota", "keys", "month")),
    ]
    words = json.dumps(answers)
    assert not [secret for secret in SECRET if secret in words]
    assert "Staff area" in json.dumps(bench.read("get_page_tree", "admin", depth=10))


def test_it_reads_a_page(bench: Bench) -> None:
    tickets = bench.page("tickets")
    answer = bench.read("read_record", table="pages", uid=tickets)
    assert (answer["table"], answer["uid"], answer["title"]) == ("pages", tickets, "Tickets and tours")
    assert (answer["language"], answer["hidden"]) == ("en", False)
    assert answer["fields"]["title"] == "Tickets and tours"
    assert [part["title"] for part in answer["elements"] if part["language"] == "en"] == ["Prices", "Members"]
    assert [part["language"] for part in answer["translations"]] == ["de"]


def test_it_reads_other_records(bench: Bench) -> None:
    summer = bench.one("content_elements", header="Summer")
    assert "Tuesday to Sunday" in bench.read("read_record", table="content_elements", uid=summer)["fields"]["body"]
    mara = bench.one("contacts", name="Mara Holt")
    answer = bench.read("read_record", table="contacts", uid=mara)
    assert (answer["title"], answer["language"]) == ("Mara Holt", None)


def test_it_reads_the_draft_and_live_apart(bench: Bench) -> None:
    hours = bench.page("hours")
    bench.write("update_page_metadata", workspace=bench.draft, page=hours, title="Hours")
    assert bench.read("read_record", workspace=bench.draft, table="pages", uid=hours)["title"] == "Hours"
    assert bench.read("read_record", table="pages", uid=hours)["title"] == "Opening hours"


def test_it_leaves_fields_out_the_person_may_not_use(bench: Bench) -> None:
    hours = bench.page("hours")
    bench.write("update_page_metadata", "admin", page=hours, keywords="secret words")
    assert bench.read("read_record", table="pages", uid=hours)["fields"]["keywords"] == "secret words"
    assert "secret" not in json.dumps(bench.read("read_record", "ben", bench.draft, table="pages", uid=hours))


def test_it_leaves_languages_out_the_person_may_not_use(bench: Bench) -> None:
    about = bench.page("about")
    assert [part["language"] for part in bench.read("read_record", table="pages", uid=about)["translations"]] == [
        "de",
        "fr",
    ]
    answer = bench.read("read_record", "dora", table="pages", uid=about)
    assert [part["language"] for part in answer["translations"]] == ["de"]
    assert "À propos" not in json.dumps(bench.read("search_records", "dora", query="propos"))


def test_it_cuts_long_fields_and_says_so(bench: Bench) -> None:
    summer = bench.one("content_elements", header="Summer")
    bench.write("update_content_element", element=summer, body="x" * (LONGEST_FIELD + 1))
    body = bench.read("read_record", table="content_elements", uid=summer)["fields"]["body"]
    assert body == "x" * LONGEST_FIELD + f"… [{LONGEST_FIELD + 1} characters]"
    bench.write("update_content_element", element=summer, body="x" * LONGEST_FIELD)
    assert bench.read("read_record", table="content_elements", uid=summer)["fields"]["body"] == "x" * LONGEST_FIELD


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_record_and_one_of_somebody_else(bench: Bench) -> None:
    keys = bench.one("content_elements", header="Keys")
    answers = {
        bench.refused("read_record", table="pages", uid=uid)
        for uid in (999_999, bench.page("staff"), bench.page("rota"))
    }
    answers |= {bench.refused("read_record", table="content_elements", uid=uid) for uid in (999_999, keys)}
    answers |= {bench.refused("get_page_tree", page=uid) for uid in (999_999, bench.page("staff"))}
    answers |= {bench.refused("read_record", "gus", table="pages", uid=bench.page("hours"))}
    answers |= {bench.refused("read_record", "ben", table="pages", uid=bench.page("hours"))}
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_finds_records_by_title(bench: Bench) -> None:
    answer = bench.read("search_records", query="opening HOURS")
    assert answer["more"] is False
    hit, *others = answer["records"]
    assert not [other for other in others if other["exact"]]
    assert hit == {
        "table": "pages",
        "uid": bench.page("hours"),
        "title": "Opening hours",
        "language": "en",
        "parent_title": "Visit",
        "hidden": False,
        "exact": True,
    }
    assert titles(bench.read("search_records", query="members"), "records")[0] == "Members"


def test_it_limits_a_search_to_a_table_or_language(bench: Bench) -> None:
    assert {hit["table"] for hit in bench.read("search_records", query="e", table="content_elements")["records"]} == {
        "content_elements"
    }
    found = bench.read("search_records", query="besuch", language="DE")["records"]
    assert (found[0]["title"], {hit["language"] for hit in found}) == ("Besuch", {"de"})
    assert bench.read("search_records", query="besuch", language="en")["records"] == []


def test_it_takes_wildcards_as_they_are(bench: Bench) -> None:
    for query in ("%", "_", "O%s", "\\"):
        assert bench.read("search_records", query=query)["records"] == []


def test_it_says_when_there_is_more(bench: Bench) -> None:
    answer = bench.read("search_records", "admin", query="e")
    assert (len(answer["records"]), answer["more"]) == (20, True)


def test_it_refuses_a_search_in_a_language_the_site_has_not(bench: Bench) -> None:
    assert bench.refused("search_records", query="x", language="xx")[0] == "unknown_language"


def test_it_lists_the_languages_the_person_may_use(bench: Bench) -> None:
    answer = bench.read("list_languages")
    assert answer["languages"] == [
        {"code": "en", "title": "English", "default": True},
        {"code": "de", "title": "German", "default": False},
        {"code": "fr", "title": "French", "default": False},
    ]
    assert [part["code"] for part in bench.read("list_languages", "dora")["languages"]] == ["en", "de"]


@pytest.mark.parametrize("who", ["gus", "fay"])
def test_it_shows_no_page_to_people_without_one(bench: Bench, who: str) -> None:
    assert bench.read("get_page_tree", who) == {"pages": []}
    assert bench.read("search_records", who, query="e") == {"records": [], "more": False}


def test_it_finds_files_and_redirects_the_person_may_read(bench: Bench) -> None:
    ferry, opening = bench.one("files", name="ferry.png"), bench.one("files", name="opening.png")
    (hit,) = bench.read("search_records", query="ferry", table="files")["records"]
    assert (hit["table"], hit["uid"], hit["parent_title"], hit["language"]) == ("files", ferry, "/editorial/", None)
    assert bench.read("search_records", query="opening.png")["records"] == []
    (closed,) = bench.read("search_records", "admin", query="opening.png", table="files")["records"]
    assert closed["uid"] == opening
    assert [hit["title"] for hit in bench.read("search_records", query="/hours", table="redirects")["records"]] == [
        "/hours"
    ]


def test_it_reads_a_file_with_its_alternative_texts(bench: Bench) -> None:
    ferry, opening = bench.one("files", name="ferry.png"), bench.one("files", name="opening.png")
    answer = bench.read("read_record", table="files", uid=ferry)
    assert answer["alternative_texts"] == [
        {"language": "en", "text": "A wooden ferry with a red roof"},
        {"language": "de", "text": "Eine hölzerne Fähre mit rotem Dach"},
    ]
    answers = {bench.refused("read_record", table="files", uid=uid) for uid in (999_999, opening)}
    (closed,) = bench.rows("file_metadata", file_uid=opening, language_id=0)
    answers |= {bench.refused("read_record", table="file_metadata", uid=closed["uid"])}
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}


def test_it_writes_nothing(bench: Bench) -> None:
    before = bench.state()
    bench.read("get_page_tree", workspace=bench.draft, depth=10)
    bench.read("read_record", workspace=bench.draft, table="pages", uid=bench.page("hours"))
    bench.read("search_records", workspace=bench.draft, query="e")
    assert bench.state() == before
