"""People for administrators: who may, what is kept, what takes effect at once, and what the summary says."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from app.accounts import service
from app.accounts.directory import list_people, read_person
from app.accounts.passwords import hash_password
from app.accounts.values import PersonRecord
from app.core.db import reading, transaction
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.page import Page, PageClient
from tests.support.statements import count_statements

Browsers = Callable[[str], PageClient]
PASSWORD = "a long enough pass phrase"
PEOPLE = ("anna", "fay", "gus")
HOSTILE = "<img src=x onerror=alert(1)> \u202egnp \"'{{7*7}}"


@pytest.fixture
def admin(clock: FakeClock, app: Flask, site: DemoSite, browser_of: Browsers) -> PageClient:
    with transaction() as connection:
        service.set_password(connection, site.people.users["admin"], hash_password(PASSWORD))
    return browser_of("admin")


def record(user_id: int) -> PersonRecord:
    with reading() as connection:
        return read_person(connection, user_id)


def submit(browser: PageClient, address: str, form: str = "#person", **values: str) -> Page:
    return browser.submit(browser.get(address), form, **{name.replace("__", "-"): one for name, one in values.items()})


def area(page: Page, name: str) -> str:
    return " ".join(page.one(f"[data-area='{name}']").get_text(" ").split())


@pytest.mark.parametrize("username", PEOPLE)
def test_it_is_closed_to_everybody_else(browser_of: Browsers, admin: PageClient, site: DemoSite, username: str) -> None:
    browser, ben = browser_of(username), site.people.users["ben"]
    for address in ("/users", "/users/new", f"/users/{ben}", f"/users/{ben}/deletion", "/users/987654"):
        assert browser.get(address).status == 403, address
    for address in (
        "/users/new",
        f"/users/{ben}",
        f"/users/{ben}/password",
        f"/users/{ben}/sessions",
        f"/users/{ben}/deletion",
    ):
        assert browser.post(address, {"username": "x", "every": "yes", "is_admin": "y"}).status == 403, address
    assert not record(ben).values.is_admin
    assert "People" not in [link.get_text() for link in browser.get("/conversations").all(".bar__link")]


def test_it_lists_searches_and_filters(admin: PageClient, site: DemoSite) -> None:
    page = admin.get("/users")
    assert len(page.all("tr[data-person]")) == 9
    assert page.one("nav a[aria-current=page]").get_text(strip=True) == "People"
    found = admin.submit(page, "form[role=search]", q="carter")
    assert [row["data-person"] for row in found.all("tr[data-person]")] == [str(site.people.users["ben"])]
    assert "Nobody matches" in admin.get("/users?q=%25&state=disabled").text
    assert len(admin.get("/users?state=nonsense").all("tr[data-person]")) == 9
    assert admin.get("/users?page=9").status == 200
    assert admin.get("/users?page=x").status == 422


def test_it_asks_no_more_for_more_people(admin: PageClient, site: DemoSite) -> None:
    def statements() -> int:
        with count_statements() as seen:
            admin.get("/users")
        return len(seen)

    before = statements()
    with transaction() as connection:
        for number in range(60):
            user = service.create_user(connection, username=f"more{number}")
            service.add_member(connection, user, site.people.groups["Live"])
    assert statements() == before
    page = admin.get("/users")
    assert len(page.all("tr[data-person]")) == 50
    assert "19" in str(len(admin.get(page.one("a[rel=next]")["href"]).all("tr[data-person]")))  # type: ignore[arg-type]


def test_it_adds_a_person_and_gives_a_link_once(admin: PageClient, anonymous: PageClient, site: DemoSite) -> None:
    groups = site.people.groups
    done = submit(
        admin,
        "/users/new",
        username="uma",
        name="Uma Night",
        email="uma@example.org",
        groups__0=str(groups["Live"]),
        groups__1=str(groups["Editorial"]),
        add_page="Opening hours",
    )
    assert done.location.endswith("#password")
    page = admin.follow(done)
    assert page.heading == "Uma Night"
    user_id = int(done.location.split("/")[2].split("#")[0])
    values = record(user_id).values
    assert (values.group_ids, values.page_mounts) == ((groups["Live"], groups["Editorial"]), (site.pages["hours"],))
    shown = admin.submit(page, "#password-link")
    assert shown.status == 200
    link = str(shown.one("#link")["value"])
    assert "/password/" in link
    assert link.rsplit("/", 1)[1] not in admin.get(f"/users/{user_id}").html
    path = link[link.index("/password/") :]
    set_page = anonymous.get(path)
    assert anonymous.submit(set_page, "main form", password=PASSWORD, repeated=PASSWORD).status == 303
    assert anonymous.get(path).status == 404


def test_it_keeps_what_was_typed_and_says_what_is_wrong(admin: PageClient) -> None:
    page = submit(
        admin,
        "/users/new",
        username="\u0430dmin",
        name=HOSTILE,
        email="nobody",
        starttime="yesterday",
        file_mounts__0__folder="/nowhere/",
        add_page="no such title",
    )
    assert page.status == 422
    assert page.title.startswith("Error:")
    values = page.values("#person")
    assert (values["username"], values["name"], values["email"]) == ("\u0430dmin", HOSTILE, "nobody")
    assert (values["file_mounts-0-folder"], values["add_page"]) == ("/nowhere/", "no such title")
    wrong = [str(link["href"]) for link in page.all("#error-summary a")]
    assert wrong == ["#starttime", "#add_page", "#file_mounts-0-folder"], "in the order of the form"
    for target in wrong:
        assert page.all(target)
    again = admin.submit(page, "#person", starttime="", **{"file_mounts-0-folder": "", "add_page": ""})
    assert {str(link["href"]) for link in again.all("#error-summary a")} == {"#username", "#email"}
    with reading() as connection:
        assert list_people(connection).count == 9


@pytest.mark.parametrize("name", ["admin", "\u0430dmin", "ADMIN", "adm\u0456n", "a/b", "", "a" * 121])
def test_it_refuses_names_that_are_taken_or_look_like_one(admin: PageClient, name: str) -> None:
    """B30"""
    page = submit(admin, "/users/new", username=name)
    assert page.status == 422
    assert [str(link["href"]) for link in page.all("#error-summary a")] == ["#username"]


@pytest.mark.parametrize("username", PEOPLE)
def test_it_shows_hostile_names_as_text(admin: PageClient, site: DemoSite, username: str) -> None:
    user_id = site.people.users[username]
    assert submit(admin, f"/users/{user_id}", name=HOSTILE).status == 303
    for address in ("/users", f"/users/{user_id}", f"/users/{user_id}/deletion"):
        page = admin.get(address)
        assert "<img src=x" not in page.html
        assert "\u202e" not in page.one("main").get_text()
        assert "⟨U+202E⟩" in page.text
        assert "{{7*7}}" in page.text


@pytest.mark.parametrize("username", PEOPLE)
def test_rights_count_with_the_next_request(
    admin: PageClient, browser_of: Browsers, site: DemoSite, username: str
) -> None:
    """I27"""
    user_id, browser = site.people.users[username], browser_of(username)
    assert browser.get("/users").status == 403
    page = admin.get(f"/users/{user_id}")
    assert admin.submit(page, "#person", is_admin="y").status == 303
    assert browser.get("/users").status == 200
    values = {name: one for name, one in admin.get(f"/users/{user_id}").values("#person").items() if name != "is_admin"}
    assert admin.post_raw(f"/users/{user_id}", data=values).status == 303
    assert browser.get("/users").location.startswith("/sign-in"), "losing the flag ends sign-ins"
    again = browser_of(username)
    assert again.get("/users").status == 403
    assert submit(admin, f"/users/{user_id}", disabled="y").status == 303
    assert again.get("/conversations").location.startswith("/sign-in")


def test_it_keeps_the_last_administrator(admin: PageClient, site: DemoSite) -> None:
    user_id = site.people.users["admin"]
    for values in ({"disabled": "y"}, {"endtime": "2030-01-01T00:00"}):
        page = submit(admin, f"/users/{user_id}", **values)
        assert page.status == 422
        assert "last person who can administer" in page.one("#error-summary").get_text()
    kept = {name: one for name, one in admin.get(f"/users/{user_id}").values("#person").items() if name != "is_admin"}
    assert admin.post_raw(f"/users/{user_id}", data=kept).status == 422
    refused = submit(admin, f"/users/{user_id}/deletion", "#deletion")
    assert refused.status == 422
    assert "last person who can administer" in refused.one("#error-summary").get_text()
    assert record(user_id).values.is_admin


@pytest.mark.parametrize("username", PEOPLE)
def test_it_deletes_somebody(admin: PageClient, browser_of: Browsers, site: DemoSite, username: str) -> None:
    user_id, browser = site.people.users[username], browser_of(username)
    page = admin.get(f"/users/{user_id}/deletion")
    assert f"“{username}” cannot be given to anybody else" in page.text
    assert admin.follow(admin.submit(page, "#deletion")).status == 200
    assert browser.get("/conversations").location.startswith("/sign-in")
    assert admin.get(f"/users/{user_id}").status == 404
    assert submit(admin, "/users/new", username=username).status == 422


@pytest.mark.parametrize("username", PEOPLE)
def test_it_ends_sign_ins_of_that_person_only(
    admin: PageClient, browser_of: Browsers, site: DemoSite, username: str
) -> None:
    user_id = site.people.users[username]
    first, second, ben = browser_of(username), browser_of(username), browser_of("ben")
    page = admin.get(f"/users/{user_id}")
    assert len(page.all("#sign-ins .item-list__item")) == 2
    reference = page.values("#sign-ins .item-list__item:first-child form")["session"]
    assert admin.post(f"/users/{site.people.users['ben']}/sessions", {"session": reference}).status == 303
    assert [browser.get("/conversations").status for browser in (first, second, ben)] == [200, 200, 200]
    assert "1 sign-in has ended." in admin.follow(admin.post(f"/users/{user_id}/sessions", {"session": reference})).text
    assert sorted(browser.get("/conversations").status for browser in (first, second)) == [200, 303]
    admin.submit(admin.get(f"/users/{user_id}"), "#every-sign-in", every="yes")
    assert [browser.get("/conversations").status for browser in (first, second, ben)] == [303, 303, 200]
    assert admin.post(f"/users/{user_id}/sessions", {"session": "%"}).status == 422
    assert admin.post(f"/users/{user_id}/sessions").status == 422


def test_it_says_what_through_which_group(admin: PageClient, site: DemoSite) -> None:
    dora = admin.get(f"/users/{site.people.users['dora']}")
    languages = area(dora, "languages")
    assert "English and German through: “German desk”" in languages
    assert "They do not lift it." in languages, "the union trap is said"
    assert "French" not in languages
    assert "Live through: “Live”" in area(dora, "workspaces")
    ben = admin.get(f"/users/{site.people.users['ben']}")
    assert "Draft “Relaunch” through: “Freelancers”" in area(ben, "workspaces")
    assert "Every language" in area(ben, "languages")
    gus = admin.get(f"/users/{site.people.users['gus']}")
    assert "No workspace" in area(gus, "workspaces")
    assert "may read and change everything" in admin.get(f"/users/{site.people.users['admin']}").text


def test_it_says_that_mounts_of_groups_are_not_taken(admin: PageClient, site: DemoSite) -> None:
    user_id = site.people.users["anna"]
    page = admin.get(f"/users/{user_id}")
    kept = {name: one for name, one in page.values("#person").items() if name != "uses_group_page_mounts"}
    assert admin.post_raw(f"/users/{user_id}", data={**kept, "add_page": str(site.pages["hours"])}).status == 303
    pages = area(admin.get(f"/users/{user_id}"), "pages")
    assert "through: a setting of this person" in pages
    assert "Pages of the groups are not taken." in pages
    assert "Whole site" not in pages


def test_it_offers_pages_that_words_may_mean(admin: PageClient, site: DemoSite) -> None:
    address = f"/users/{site.people.users['gus']}"
    page = submit(admin, address, add_page="o")
    assert page.status == 422
    offered = [str(box["value"]) for box in page.all("input[name=page_mounts]")]
    assert len(offered) > 1
    assert not page.all("input[name=page_mounts][checked]")
    done = admin.post_raw(address, data={**page.values("#person"), "page_mounts": offered[:2]})
    assert done.status == 303
    assert sorted(map(str, record(site.people.users["gus"]).values.page_mounts)) == sorted(offered[:2])
    assert submit(admin, address, add_page="987654").status == 422


def test_it_says_when_somebody_else_was_faster(admin: PageClient, site: DemoSite) -> None:
    address = f"/users/{site.people.users['ben']}"
    old = admin.get(address)
    assert admin.submit(old, "#person", name="First").status == 303
    late = admin.submit(old, "#person", name="Second")
    assert late.status == 409
    assert late.values("#person")["name"] == "Second"
    assert record(site.people.users["ben"]).values.name == "First"
    assert admin.submit(late, "#person").status == 303
    assert record(site.people.users["ben"]).values.name == "Second"


def test_it_wants_the_password_again_and_keeps_the_form(admin: PageClient, site: DemoSite, clock: FakeClock) -> None:
    user_id = site.people.users["anna"]
    groups = [site.people.groups["Live"], site.people.groups["Keywords"]]
    page = admin.get(f"/users/{user_id}")
    clock.advance(601)
    data = {**page.values("#person"), "name": "Anna Neu", "page_mounts": [str(site.pages["hours"]), "1"]}
    asked = admin.post_raw(f"/users/{user_id}", data={**data, "groups-0": str(groups[0])})
    assert asked.status == 403
    assert record(user_id).values.name == "Anna Bergmann"
    kept = [(str(field["name"]), str(field["value"])) for field in asked.all("#confirmation input[type=hidden]")]
    sent: dict[str, list[str]] = {}
    for name, value in kept:
        sent.setdefault(name, []).append(value)
    done = admin.post_raw(f"/users/{user_id}", data={**sent, "confirm_password": PASSWORD})
    assert done.status == 303
    values = record(user_id).values
    assert (values.name, values.group_ids[0]) == ("Anna Neu", groups[0])
    assert set(values.page_mounts) == {site.pages["hours"], 1}


def test_it_makes_no_link_for_somebody_who_cannot_sign_in(admin: PageClient, site: DemoSite) -> None:
    user_id = site.people.users["gus"]
    submit(admin, f"/users/{user_id}", disabled="y")
    page = admin.get(f"/users/{user_id}")
    assert not page.all("#password-link")
    assert "cannot sign in now" in page.text
    assert admin.post(f"/users/{user_id}/password").status == 422
