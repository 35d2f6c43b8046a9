from __future__ import annotations

import pytest

from tests.agent.tools.bench import LIVE, Bench


@pytest.mark.parametrize("in_draft", [False, True])
def test_it_translates_a_page_with_its_content(bench: Bench, in_draft: bool) -> None:
    workspace, live, hours = bench.draft if in_draft else LIVE, bench.live(), bench.page("hours")
    done = bench.write("create_translation_draft", workspace=workspace, table="pages", uid=hours, language="de")
    assert done.result.target is not None
    page = bench.row("pages", done.result.target.uid)
    assert (page["language_id"], page["translation_parent"], page["hidden"]) == (1, hours, True)
    assert "Opening hours" in page["title"]
    assert page["title"] != "Opening hours", "the text is marked to be translated"
    elements = bench.rows("content_elements", pid=hours, language_id=1)
    assert len(elements) == 3
    assert all(row["workspace_id"] == workspace for row in (page, *elements))
    assert done.content == {"done": "translate", "table": "pages", "uid": page["uid"], "hidden": True}
    assert (done.plan.language_id, done.heading) == (1, "Translate the page “Opening hours” with its content")
    assert (bench.live() == live) is in_draft


def test_it_translates_one_content_element(bench: Bench) -> None:
    bench.write("create_translation_draft", table="pages", uid=bench.page("hours"), language="fr")
    members = bench.one("content_elements", header="Members")
    done = bench.write("create_translation_draft", table="content_elements", uid=members, language="DE")
    assert done.heading == "Translate the content element “Members”"
    assert [change.table for change in done.changes.changes] == ["content_elements"]


def test_it_does_not_translate_twice(bench: Bench) -> None:
    visit = bench.page("visit")
    reason, sentence = bench.refused("create_translation_draft", table="pages", uid=visit, language="de")
    assert reason == "translation_exists"
    assert "Besuch" in sentence


def test_it_does_not_translate_twice_in_a_draft(bench: Bench) -> None:
    call = {"workspace": bench.draft, "table": "pages", "uid": bench.page("hours"), "language": "de"}
    bench.write("create_translation_draft", **call)
    assert bench.refused("create_translation_draft", **call)[0] == "translation_exists"


def test_it_refuses_a_language_the_site_has_not(bench: Bench) -> None:
    reason, sentence = bench.refused("create_translation_draft", table="pages", uid=bench.page("hours"), language="xx")
    assert (reason, sentence) == ("unknown_language", "The site has no language with the code “xx”.")


def test_it_refuses_a_language_the_person_may_not_use(bench: Bench) -> None:
    hours = bench.page("hours")
    refused = bench.refused("create_translation_draft", "dora", table="pages", uid=hours, language="fr")
    assert refused[0] == "denied_language"
    assert bench.write("create_translation_draft", "dora", table="pages", uid=hours, language="de").content["hidden"]


@pytest.mark.behaviour("RT-18")
def test_it_says_the_same_of_a_missing_page_and_one_of_somebody_else(bench: Bench) -> None:
    answers = {
        bench.refused("create_translation_draft", table="pages", uid=uid, language="de")
        for uid in (999_999, bench.page("staff"))
    }
    assert answers == {("not_found", "There is no such record, or you have no access to it.")}
