"""The page tree and the page module: bounded however large the site, and only with what the person may do."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import insert

from app.content import editing, store
from app.content.models import Page
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.support.page import PageClient
from tests.support.personas import IdentityOf
from tests.support.statements import count_statements

Browsers = Callable[[str], PageClient]
LIVE = 0
PAGES = Page.__table__


def add_pages(parent: int, count: int, group: int, first_uid: int = 100_000) -> None:
    rows = [
        {
            "uid": first_uid + number,
            "pid": parent,
            "title": f"Page {number:05}",
            "group_id": group,
            "sorting": f"b{number:06}",
        }
        for number in range(count)
    ]
    with transaction() as connection:
        connection.execute(insert(PAGES), rows)


def uids(page: object) -> list[int]:
    return [int(str(link["data-page"])) for link in page.all("a[data-page]")]  # type: ignore[attr-defined]


def test_it_opens_the_tree_as_far_as_it_fits(anna: PageClient, site: DemoSite) -> None:
    found = anna.get("/pages")
    assert uids(found)[:3] == [site.pages["root"], site.pages["visit"], site.pages["hours"]]
    below = found.one(f"#below-{site.pages['visit']}")
    assert below.has_attr("open")
    assert [child.name for child in below.summary.children if child.name] == []  # type: ignore[union-attr]


def test_ten_thousand_pages_cost_what_ten_do(browser_of: Browsers, site: DemoSite) -> None:
    anna = browser_of("anna")
    anna.get("/pages")
    with count_statements() as few:
        small = anna.get("/pages")
    group, about = site.people.groups["Editorial"], site.pages["about"]
    add_pages(about, 5_000, group)
    add_pages(site.pages["press"], 5_000, group, first_uid=200_000)
    with count_statements() as many:
        large = anna.get("/pages")
    assert len(many) <= len(few)
    assert len(large.html) < 2 * len(small.html)
    about_row = large.one(f"#below-{about}")
    assert not about_row.has_attr("open")
    load = about_row.select_one(".tree__load")
    assert load is not None
    assert load["hx-get"] == f"/pages/{about}/below"
    with count_statements() as opening:
        part = anna.get(f"/pages/{about}/below", headers={"HX-Request": "true"})
    assert len(opening) <= 14
    assert len(uids(part)) == 200
    assert uids(part)[:2] == [site.pages["press"], site.pages["history"]]
    assert part.one(f"#below-{site.pages['press']} .tree__load")
    further = part.all("a[href*='part=2']")
    assert len(further) == 1
    rest = anna.get(str(further[0]["href"]))
    assert rest.heading == "Pages below “About us”"
    assert uids(rest)[0] == 100_000 + 198
    assert not set(uids(rest)) & set(uids(part))
    assert anna.get(f"/pages/{about}").status == 200


@pytest.mark.parametrize("who", ["anna", "dora", "emil"])
def test_parts_hold_what_the_person_sees(browser_of: Browsers, site: DemoSite, who: str) -> None:
    browser, visit = browser_of(who), site.pages["visit"]
    found = browser.get(f"/pages/{visit}/below", headers={"HX-Request": "true"})
    if who == "emil":
        assert found.status == 404
        return
    assert uids(found) == [site.pages[key] for key in ("hours", "tickets", "directions")]
    for part in ("2", "99999"):
        assert uids(browser.get(f"/pages/{visit}/below?part={part}")) == []
    assert browser.get(f"/pages/{visit}/below?part=x").status == 422


def test_a_page_that_is_hidden_below_opens_nothing(browser_of: Browsers, site: DemoSite) -> None:
    for who in ("anna", "emil", "gus"):
        closed, missing = (browser_of(who).get(f"/pages/{uid}/below") for uid in (site.pages["staff"], 987654))
        assert closed.status == missing.status == 404
        assert closed.text == missing.text
    only_staff = browser_of("anna").get(f"/pages/{site.pages['visit']}/below")
    assert not only_staff.all(f"#below-{site.pages['hours']}")


def test_it_finds_a_page_by_its_number(browser_of: Browsers, site: DemoSite) -> None:
    hours, staff = str(site.pages["hours"]), str(site.pages["staff"])
    assert uids(browser_of("anna").get("/pages", query_string={"q": hours})) == [site.pages["hours"]]
    assert uids(browser_of("anna").get("/pages", query_string={"q": staff})) == []
    assert uids(browser_of("admin").get("/pages", query_string={"q": staff})) == [site.pages["staff"]]


def test_a_draft_page_stands_in_its_place(browser_of: Browsers, site: DemoSite, identity_of: IdentityOf) -> None:
    draft = site.people.workspaces["Relaunch"]
    made = editing.create_record(
        identity_of("anna"), draft, "pages", site.pages["visit"], {"title": "Café"}, first=True
    ).ref.uid
    editing.move_record(identity_of("anna"), draft, "pages", site.pages["hours"], page_uid=site.pages["about"])
    assert uids(browser_of("ben").get(f"/pages/{site.pages['visit']}/below"))[0] == made
    assert site.pages["hours"] in uids(browser_of("ben").get(f"/pages/{site.pages['about']}/below"))
    assert made not in uids(browser_of("dora").get(f"/pages/{site.pages['visit']}/below"))
    assert made not in uids(browser_of("cem").get("/pages"))


def commands_of(page: object, selector: str = ".actions.commands") -> set[str]:
    return {str(link["data-command"]) for link in page.all(f"{selector} [data-command]")}  # type: ignore[attr-defined]


def test_it_offers_what_the_person_may_do(browser_of: Browsers, site: DemoSite) -> None:
    hours = f"/pages/{site.pages['hours']}"
    full = {"new-element", "new-page", "hide", "move", "copy", "delete"}
    assert commands_of(browser_of("admin").get(hours)) == full
    with transaction() as connection:
        connection.execute(PAGES.update().where(PAGES.c.uid == site.pages["hours"]).values(group_bits=27))
    assert commands_of(browser_of("dora").get(hours)) == full - {"delete"}
    assert browser_of("dora").get(f"/records{hours}/deletion").status == 404
    assert browser_of("fay").get(hours).status == 404
    for command in commands_of(browser_of("dora").get(hours)):
        link = browser_of("dora").get(hours).one(f"[data-command={command}]:not(.target)")
        assert browser_of("dora").get(str(link["href"])).status == 200, command


def test_links_of_commands_say_which_record(anna: PageClient, site: DemoSite) -> None:
    for key in ("visit", "tickets", "summer", "hours"):
        found = anna.get(f"/pages/{site.pages[key]}")
        names = [link.get_text() for link in found.all(".commands__list a")]
        assert len(names) == len(set(names))


def test_languages_stand_side_by_side_and_what_is_missing_is_said(
    browser_of: Browsers, site: DemoSite, identity_of: IdentityOf
) -> None:
    anna, dora = browser_of("anna"), browser_of("dora")
    tickets = anna.get(f"/pages/{site.pages['tickets']}")
    columns = tickets.all(".page-module__column")
    assert [column.h3.get_text() for column in columns] == ["Language: English", "Language: German"]  # type: ignore[union-attr]
    missing = columns[1].select(".page-module__element--missing")
    assert [item.p.get_text() for item in missing] == ["“Members” has no translation in this language."]  # type: ignore[union-attr]
    translate = missing[0].select_one("a")
    assert translate is not None
    assert translate.get_text() == "Translate “Members” into German"
    assert anna.get(str(translate["href"])).status == 200
    english = [link.get_text() for link in columns[0].select("h4")]
    german = [item.get_text(" ", strip=True) for item in columns[1].select("li.page-module__element")]
    assert english[0] == "Prices"
    assert german[0].startswith("Preise")
    hours = f"/pages/{site.pages['hours']}"
    assert [link.get_text() for link in anna.get(hours).all("#h-missing ~ ul a")] == [
        "Translate into German",
        "Translate into French",
    ]
    assert dora.get(hours).all("#h-missing ~ ul a[href$='in=1']")
    assert not dora.get(hours).all("#h-missing ~ ul a[href$='in=2']")


def test_hidden_and_restricted_states_are_words(anna: PageClient, site: DemoSite) -> None:
    found = anna.get(f"/pages/{site.pages['summer']}")
    hidden = found.all("li.page-module__element[data-hidden=true]")
    assert len(hidden) == 1
    assert "hidden" in [fact.get_text() for fact in hidden[0].select("[data-fact]")]


def test_the_module_costs_the_same_for_a_hundred_elements(
    browser_of: Browsers, site: DemoSite, identity_of: IdentityOf
) -> None:
    anna, page = browser_of("anna"), f"/pages/{site.pages['hours']}"
    anna.get(page)
    with count_statements() as few:
        anna.get(page)
    with transaction() as connection:
        element = store.list_elements(connection, LIVE, site.pages["hours"])[0]
        columns = {name: value for name, value in element.values.items() if name != "uid"}
        rows = [{**columns, "header": f"Element {number}"} for number in range(100)]
        connection.execute(insert(editing.REGISTRY["content_elements"].table), rows)
    with count_statements() as many:
        found = anna.get(page)
    assert len(found.all("li.page-module__element")) == 103
    assert len(many) == len(few)


def test_it_links_the_site_in_live_and_as_a_preview(browser_of: Browsers, site: DemoSite) -> None:
    draft = site.people.workspaces["Relaunch"]
    hours = site.pages["hours"]
    for who, ending in (("anna", f"?workspace={draft}"), ("dora", "")):
        links = browser_of(who).get(f"/pages/{hours}").all("a[href^='/site/']")
        assert [str(link["href"]) for link in links] == [f"/site/en/{hours}-opening-hours{ending}"]


def test_the_tree_reads_the_same_on_postgresql_rules(site: DemoSite, identity_of: IdentityOf) -> None:
    """What is listed part by part is what the whole tree has."""
    from app.content.page_lists import list_below, open_tree
    from app.content.reading import page_tree

    for who in ("admin", "anna", "emil", "gus"):
        identity = identity_of(who, LIVE if who in {"admin", "emil"} else None)
        workspace_id = identity.workspace_id
        if workspace_id is None:
            continue
        with reading() as connection:
            whole = page_tree(connection, identity, workspace_id, depth=4)
            assert [node.uid for node in open_tree(connection, identity, workspace_id).pages] == [
                node.uid for node in whole
            ]
            for node in whole:
                below = list_below(connection, identity, workspace_id, node.uid).pages
                assert [child.uid for child in below] == [child.uid for child in whole if child.parent_uid == node.uid]
                assert bool(below) is node.has_children
