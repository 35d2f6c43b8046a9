"""Commands for records: each says before what it would do, and leads to its result."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from app.content import editing, store
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.page import Page, PageClient
from tests.support.personas import IdentityOf

Browsers = Callable[[str], PageClient]
FORM = "#command-form"
TARGET = "#target-form"
LIVE = 0
GERMAN = "1"


@pytest.fixture
def draft(site: DemoSite) -> int:
    return site.people.workspaces["Relaunch"]


def find(table: str, uid: int, workspace_id: int = LIVE) -> store.Row | None:
    with reading() as connection:
        return store.find_row(connection, table, uid, workspace_id)


def row_of(table: str, uid: int, workspace_id: int = LIVE) -> store.Row:
    found = find(table, uid, workspace_id)
    assert found is not None
    return found


def consequences(page: Page) -> list[str]:
    return [item.get_text() for item in page.all(".consequences li")]


def address(uid: int, command: str, table: str = "pages") -> str:
    return f"/records/{table}/{uid}/{command}"


def elements_of(page_uid: int, workspace_id: int = LIVE) -> list[int]:
    with reading() as connection:
        return [row.live_uid for row in store.list_elements(connection, workspace_id, page_uid)]


def test_it_states_what_a_deletion_takes_along_live(browser_of: Browsers, site: DemoSite) -> None:
    admin, dora, emil = (browser_of(who) for who in ("admin", "dora", "emil"))
    found = admin.get(address(site.pages["about"], "deletion"))
    said = " ".join(consequences(found))
    assert "deleted live" in said
    assert "2 translations go along." in said
    assert "Goes along: 4 pages." in said
    assert re.search(r"Goes along: \d+ content elements?\.", said)
    assert "Only records you may read are counted." in said
    dora.get("/preferences?language=en")
    refused = dora.get(address(site.pages["about"], "deletion"))
    assert "languages you may not use" in refused.text
    assert not refused.all(FORM)
    assert dora.post(address(site.pages["about"], "deletion")).status == 422
    assert emil.get(address(site.pages["about"], "deletion")).status == 404
    assert emil.post(address(site.pages["about"], "deletion")).status == 404
    assert find("pages", site.pages["press"]) is not None
    done = admin.submit(found, FORM)
    assert done.location == f"/pages/{site.pages['root']}#h-content"
    assert "“About us” is deleted live." in admin.follow(done).text
    assert find("pages", site.pages["about"]) is None
    assert find("pages", site.pages["press"]) is None


def test_a_draft_only_marks(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    anna, cem, gus = (browser_of(who) for who in ("anna", "cem", "gus"))
    element = elements_of(site.pages["hours"])[0]
    found = anna.get(address(element, "deletion", "content_elements"))
    assert any("marked to be deleted" in sentence for sentence in consequences(found))
    assert any("Live stays as it is" in sentence for sentence in consequences(found))
    done = anna.submit(found, FORM)
    assert done.location == f"/pages/{site.pages['hours']}#h-content"
    assert find("content_elements", element, draft) is None
    assert find("content_elements", element) is not None
    assert cem.get(address(element, "deletion", "content_elements")).status == 200
    assert gus.get(address(element, "deletion", "content_elements")).status == 404
    assert anna.post(address(element, "deletion", "content_elements")).status == 404


def test_it_says_when_not_everything_may_be_deleted(browser_of: Browsers, site: DemoSite) -> None:
    for who, uid in (("olga", site.pages["visit"]), ("anna", site.pages["visit"]), ("dora", site.pages["visit"])):
        found = browser_of(who).get(address(uid, "deletion"))
        assert found.status == 200
        assert not found.all(FORM)
        assert browser_of(who).post(address(uid, "deletion")).status == 422
    assert find("pages", site.pages["visit"]) is not None


def test_it_hides_and_shows(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["hours"]
    anna, dora, emil = (browser_of(who) for who in ("anna", "dora", "emil"))
    dora.get("/preferences?language=en")
    done = anna.submit(anna.get(address(uid, "visibility")), FORM)
    assert done.location == f"/pages/{uid}#record"
    assert "is hidden in the draft workspace" in anna.follow(done).text
    assert (row_of("pages", uid, draft)["hidden"], row_of("pages", uid)["hidden"]) == (True, False)
    shown = anna.get(address(uid, "visibility"))
    assert shown.heading == "Show “Opening hours”"
    anna.submit(shown, FORM)
    assert not row_of("pages", uid, draft)["hidden"]
    dora.submit(dora.get(address(uid, "visibility")), FORM)
    assert row_of("pages", uid)["hidden"]
    assert "it is so already" in dora.follow(dora.post(address(uid, "visibility"), {"hidden": "1"})).text
    assert dora.post(address(uid, "visibility"), {"hidden": "maybe"}).status == 422
    assert emil.post(address(uid, "visibility"), {"hidden": "0"}).status == 404


def test_it_translates_into_a_language_that_is_missing(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["hours"]
    anna, dora, emil = (browser_of(who) for who in ("anna", "dora", "emil"))
    found = anna.get(address(uid, "translation"), query_string={"in": GERMAN})
    assert [box["value"] for box in found.all(f"{FORM} input[name=language-id]")] == ["1", "2"]
    assert found.one(f"{FORM} input[name=with-content]").has_attr("checked")
    assert [box["value"] for box in dora.get(address(uid, "translation")).all("input[name=language-id]")] == ["1"]
    done = anna.submit(found, FORM, **{"language-id": GERMAN})
    made = int(done.location.removeprefix("/pages/").split("#")[0])
    assert (row_of("pages", made, draft)["translation_parent"], row_of("pages", made, draft)["hidden"]) == (uid, True)
    page = anna.get(f"/pages/{uid}")
    assert "Language: German" in page.text
    again = anna.post(address(uid, "translation"), {"language-id": GERMAN})
    assert again.status == 422
    assert anna.post(address(uid, "translation"), {"language-id": "zz"}).status == 422
    assert dora.post(address(uid, "translation"), {"language-id": "2"}).status == 422
    assert emil.get(address(uid, "translation")).status == 404
    assert anna.get(address(made, "translation")).status == 404


def test_it_copies_below_a_page_found_by_search(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["exhibitions"]
    anna, ben, gus = (browser_of(who) for who in ("anna", "ben", "gus"))
    found = anna.submit(anna.get(address(uid, "copy")), TARGET, q="about")
    assert [choice["value"] for choice in found.all(f"{FORM} input[name=to]")] == [
        str(site.pages["root"]),
        str(site.pages["about"]),
    ]
    done = anna.submit(found, FORM, to=str(site.pages["about"]), subpages="1")
    made = int(done.location.removeprefix("/pages/").split("#")[0])
    copied = row_of("pages", made, draft)
    assert (copied["pid"], copied["title"], copied["hidden"]) == (site.pages["about"], "Exhibitions (copy 1)", True)
    assert "The copy “Exhibitions (copy 1)” is created" in anna.follow(done).text
    with reading() as connection:
        assert len(store.list_children(connection, draft, made)) == 4
    inside = ben.post(address(uid, "copy"), {"to": str(site.pages["summer"])})
    assert inside.status == 422
    assert "below itself" in inside.one(".error-summary").get_text()
    assert ben.post(address(uid, "copy")).status == 422
    assert ben.post(address(uid, "copy"), {"to": str(site.pages["staff"])}).status == 404
    assert gus.post(address(uid, "copy"), {"to": str(site.pages["about"])}).status == 404


def test_it_copies_an_element_to_another_page(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    anna, ben, gus = (browser_of(who) for who in ("anna", "ben", "gus"))
    (uid, *_), press = elements_of(site.pages["hours"]), site.pages["press"]
    before = elements_of(press, draft)
    found = anna.get(address(uid, "copy", "content_elements"))
    assert "The copy is the last one on the page." in " ".join(consequences(found))
    done = anna.submit(found, FORM, to=str(press))
    assert done.status == 303
    made = [element for element in elements_of(press, draft) if element not in before]
    assert [row_of("content_elements", element, draft)["header"] for element in made] == [
        row_of("content_elements", uid)["header"]
    ]
    assert elements_of(press) == before, "live is as it was"
    assert ben.post(address(uid, "copy", "content_elements"), {"to": str(site.pages["staff"])}).status == 404
    assert ben.post(address(uid, "copy", "content_elements")).status == 422
    assert gus.post(address(uid, "copy", "content_elements"), {"to": str(press)}).status == 404


def test_it_moves_a_page_to_a_place_among_others(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["directions"]
    anna, dora, emil = (browser_of(who) for who in ("anna", "dora", "emil"))
    start = anna.get(address(uid, "move"))
    targets = {str(choice["value"]) for choice in start.all(f"{TARGET} input[name=to]")}
    assert str(uid) not in targets
    assert str(site.pages["staff"]) not in targets
    there = anna.submit(start, TARGET, to=str(site.pages["about"]))
    assert there.values(FORM)["shown"] == str(site.pages["about"])
    done = anna.submit(there, FORM, place=str(site.pages["press"]))
    assert done.location == f"/pages/{uid}#record"
    with reading() as connection:
        order = [row.live_uid for row in store.list_children(connection, draft, site.pages["about"])]
        assert order == [site.pages["press"], uid, site.pages["history"]]
        assert uid in [row.live_uid for row in store.list_children(connection, LIVE, site.pages["visit"])]
    here = dora.submit(dora.get(address(uid, "move")), FORM, place="first")
    assert here.status == 303
    with reading() as connection:
        assert store.list_children(connection, LIVE, site.pages["visit"])[0].live_uid == uid
    assert dora.post(address(uid, "move"), {"to": str(site.pages["visit"]), "place": "987654"}).status == 422
    assert dora.post(address(uid, "move"), {"to": str(site.pages["staff"]), "place": "last"}).status == 404
    assert emil.post(address(uid, "move"), {"to": str(site.pages["visit"]), "place": "last"}).status == 404


def test_it_moves_nothing_while_the_places_of_another_page_are_shown(
    browser_of: Browsers, site: DemoSite, draft: int
) -> None:
    """The choice of the page and of the place are one form: a place on the page before must not be taken for it."""
    uid, about = site.pages["directions"], str(site.pages["about"])
    anna = browser_of("anna")
    start = anna.get(address(uid, "move"))
    assert all(choice["form"] == "command-form" for choice in start.all(f"{TARGET} input[name=to]"))
    asked = anna.submit(start, FORM, to=about, show="places")
    assert asked.location == f"/records/pages/{uid}/move?to={about}&q=#choices"
    refused = anna.submit(start, FORM, to=about, place="last")
    assert refused.status == 422
    assert "Choose a place on the page you chose last." in refused.one(".error-summary").get_text()
    assert refused.values(FORM)["shown"] == about
    assert row_of("pages", uid, draft)["pid"] == site.pages["visit"]
    assert anna.submit(refused, FORM, to=about, place="last").status == 303
    assert row_of("pages", uid, draft)["pid"] == site.pages["about"]


def test_a_place_is_found_by_number_and_a_search_without_a_hit_says_so(browser_of: Browsers, site: DemoSite) -> None:
    anna, about = browser_of("anna"), site.pages["about"]
    for command in ("move", "copy"):
        found = anna.get(address(site.pages["hours"], command), query_string={"q": str(about)})
        assert str(about) in {str(choice["value"]) for choice in found.all("input[name=to]")}
        assert not found.all("#nothing-found")
        for nothing in (site.pages["staff"], "zeppelin"):
            missed = anna.get(address(site.pages["hours"], command), query_string={"q": str(nothing)})
            assert str(nothing) not in {str(choice["value"]) for choice in missed.all("input[name=to]")}
            assert missed.one("#nothing-found")


def test_the_notice_of_a_deletion_says_which_it_was(browser_of: Browsers, site: DemoSite) -> None:
    anna, hours = browser_of("anna"), site.pages["hours"]
    marked = anna.follow(anna.submit(anna.get(address(hours, "deletion")), FORM))
    assert "is marked to be deleted in the draft workspace" in marked.one("#flash").get_text()
    copied = anna.submit(anna.get(address(site.pages["press"], "copy")), FORM)
    uid = int(re.findall(r"/pages/(\d+)", str(copied.location))[0])
    removed = anna.follow(anna.submit(anna.get(address(uid, "deletion")), FORM))
    assert "is removed from the draft workspace. Live never had it." in removed.one("#flash").get_text()


def test_it_moves_an_element_to_another_page(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    element = elements_of(site.pages["hours"])[0]
    anna, ben, cem = (browser_of(who) for who in ("anna", "ben", "cem"))
    move = address(element, "move", "content_elements")
    there = anna.submit(anna.get(move), TARGET, to=str(site.pages["press"]))
    done = anna.submit(there, FORM, place="last")
    assert done.location == f"/pages/{site.pages['press']}#element-{element}"
    assert anna.follow(done).one(f"#element-{element}")
    assert elements_of(site.pages["press"], draft) == [element]
    assert element not in elements_of(site.pages["hours"], draft)
    assert elements_of(site.pages["hours"])[0] == element
    assert element in elements_of(site.pages["hours"], site.people.workspaces["Campaign"])
    assert ben.submit(ben.get(move), FORM, place="first").status == 303
    assert cem.get(move).status == 200
    assert anna.get(move, query_string={"to": site.pages["staff"]}).status == 404


def test_another_workspace_than_that_of_the_page_changes_nothing(browser_of: Browsers, site: DemoSite) -> None:
    uid, anna = site.pages["hours"], browser_of("anna")
    for command, values in (
        ("deletion", {}),
        ("visibility", {}),
        ("translation", {"language-id": GERMAN}),
        ("copy", {"to": str(site.pages["about"])}),
        ("move", {"place": "first"}),
    ):
        anna.post("/workspaces/selection", {"workspace": str(site.people.workspaces["Relaunch"])})
        shown = anna.get(address(uid, command))
        anna.post("/workspaces/selection", {"workspace": str(LIVE)})
        refused = anna.submit(shown, FORM, **values)
        assert refused.status == 409, command
        assert "another workspace" in refused.one(".error-summary").get_text()
    assert row_of("pages", uid)["rev"] == 1


def test_it_restores_what_was_deleted_on_a_page(browser_of: Browsers, site: DemoSite, identity_of: IdentityOf) -> None:
    page, element = site.pages["hours"], elements_of(site.pages["hours"])[1]
    editing.delete_record(identity_of("admin", LIVE), LIVE, "pages", site.pages["press"])
    editing.delete_record(identity_of("dora", LIVE), LIVE, "content_elements", element)
    dora, admin, emil = (browser_of(who) for who in ("dora", "admin", "emil"))
    dora.get("/preferences?language=en")
    listed = dora.get(f"/pages/{page}?deleted=1")
    assert [item["data-deleted"] for item in listed.all("[data-deleted]")] == [f"content_elements:{element}"]
    done = dora.submit(listed, f"#deleted-content_elements-{element} form")
    assert done.location == f"/pages/{page}#element-{element}"
    assert "is restored live" in dora.follow(done).text
    assert elements_of(page)[1] == element
    about = admin.get(f"/pages/{site.pages['about']}?deleted=1")
    assert f"pages:{site.pages['press']}" in [item["data-deleted"] for item in about.all("[data-deleted]")]
    restore = address(site.pages["press"], "restoration")
    assert emil.post(restore).status == 404
    assert admin.post(restore).status == 303
    assert find("pages", site.pages["press"]) is not None
    assert admin.post(restore).status == 422


def test_a_draft_restores_nothing(browser_of: Browsers, site: DemoSite, identity_of: IdentityOf) -> None:
    editing.delete_record(identity_of("admin", LIVE), LIVE, "pages", site.pages["press"])
    anna = browser_of("anna")
    assert not anna.get(f"/pages/{site.pages['about']}?deleted=1").all("#h-deleted")
    assert anna.post(address(site.pages["press"], "restoration")).status == 404


@pytest.mark.parametrize("command", ["deletion", "visibility", "translation", "copy", "move"])
@pytest.mark.parametrize("who", ["gus", "fay", "emil"])
def test_missing_and_withheld_are_one_answer(browser_of: Browsers, site: DemoSite, who: str, command: str) -> None:
    """I21"""
    browser = browser_of(who)
    closed, missing = (browser.get(address(uid, command)) for uid in (site.pages["staff"], 987654))
    assert closed.status == missing.status == 404
    assert closed.text == missing.text


def test_files_have_no_commands_here(browser_of: Browsers) -> None:
    admin = browser_of("admin")
    for command in ("deletion", "copy", "move", "visibility", "translation"):
        assert admin.get(address(1, command, "files")).status == 404
        assert admin.post(address(1, command, "files")).status == 404
