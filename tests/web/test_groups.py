"""Groups for administrators: rights, nesting, members, and what deleting one would take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from app.accounts.directory import list_groups, read_group
from app.accounts.identities import find_identity
from app.accounts.values import GroupValues
from app.core.db import reading, transaction
from app.policy.identity import FileMount, Identity
from app.seed.demo import DemoSite
from tests.support.clock import FakeClock
from tests.support.page import Page, PageClient
from tests.support.personas import IdentityOf

Browsers = Callable[[str], PageClient]
PEOPLE = ("anna", "fay", "gus")
HOSTILE = "<script>alert(1)</script> \u202egnp {{7*7}}"


@pytest.fixture
def admin(clock: FakeClock, app: Flask, browser_of: Browsers) -> PageClient:
    return browser_of("admin")


def stored(group_id: int) -> GroupValues:
    with reading() as connection:
        return read_group(connection, group_id).values


def data_of(page: Page, form: str = "#group") -> dict[str, Any]:
    """What the browser would send, boxes with several values too."""
    found: dict[str, Any] = page.values(form)
    for box in page.one(form).select("input[type=checkbox][checked]"):
        name = str(box["name"])
        found[name] = [*([] if not isinstance(found.get(name), list) else found[name]), str(box["value"])]
    return found


def save(admin: PageClient, group_id: int, **values: Any) -> Page:
    page = admin.get(f"/groups/{group_id}")
    return admin.post_raw(f"/groups/{group_id}", data={**data_of(page), **values})


@pytest.mark.parametrize("username", PEOPLE)
def test_it_is_closed_to_everybody_else(browser_of: Browsers, site: DemoSite, username: str) -> None:
    browser, group = browser_of(username), site.people.groups["Live"]
    for address in ("/groups", "/groups/new", f"/groups/{group}", f"/groups/{group}/deletion", "/groups/987654"):
        assert browser.get(address).status == 403, address
    for address in ("new", f"{group}", f"{group}/members", f"{group}/members/removal", f"{group}/deletion"):
        assert browser.post(f"/groups/{address}", {"title": "x", "username": username}).status == 403, address
    assert stored(group).title == "Live"


def test_it_saves_an_unchanged_form_without_changing_anything(admin: PageClient, site: DemoSite) -> None:
    for group_id in site.people.groups.values():
        before = stored(group_id)
        assert save(admin, group_id).status == 303
        after = stored(group_id)
        assert set(after.tables_modify) == set(before.tables_modify)
        assert (after.languages, after.file_mounts, after.page_mounts) == (
            before.languages,
            before.file_mounts,
            before.page_mounts,
        )


def test_it_adds_a_group_with_every_right(admin: PageClient, site: DemoSite) -> None:
    page = admin.get("/groups/new")
    sent = {
        **data_of(page),
        "title": "Night  desk ",
        "grants": ["tasks_use", "audit_read"],
        "live": "y",
        "tables_select": ["pages", "files"],
        "tables_modify": ["contacts"],
        "field_grants": ["pages.keywords"],
        "language_limit": "some",
        "languages": ["0", "2"],
        "add_page": f"{site.pages['hours']}, 1",
        "file_mounts-0-folder": "press",
        "file_mounts-0-read_only": "y",
        "file_permissions": ["read_file"],
        "includes-0": str(site.people.groups["Keywords"]),
    }
    done = admin.post_raw("/groups/new", data=sent)
    assert done.status == 303
    group_id = int(done.location.split("/")[2].split("#")[0])
    assert stored(group_id) == GroupValues(
        title="Night desk",
        grants=("tasks_use", "audit_read"),
        live=True,
        tables_select=("pages", "files"),
        tables_modify=("contacts",),
        field_grants=("pages.keywords",),
        languages=(0, 2),
        page_mounts=(site.pages["hours"], 1),
        file_mounts=(FileMount(storage_id=1, folder="/press/", read_only=True),),
        file_permissions=("read_file",),
        includes=(site.people.groups["Keywords"],),
    )
    assert "Opening hours (no. " in admin.follow(done).text


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ({"title": ""}, "#title"),
        ({"title": "Editorial"}, "#title"),
        ({"title": "editorial"}, "#title"),
        ({"grants": ["everything"]}, "#grants"),
        ({"tables_modify": ["site_settings"]}, "#tables_modify"),
        ({"tables_select": ["user"]}, "#tables_select"),
        ({"field_grants": ["pages.title"]}, "#field_grants"),
        ({"language_limit": "some", "languages": []}, "#languages"),
        ({"language_limit": "perhaps"}, "#language_limit"),
        ({"languages": ["99"]}, "#languages"),
        ({"file_permissions": ["erase"]}, "#file_permissions"),
        ({"file_mounts-0-folder": "/pres"}, "#file_mounts-0-folder"),
        ({"file_mounts-0-folder": "/press/", "file_mounts-0-storage": "7"}, "#file_mounts-0-storage"),
        ({"includes-0": "987654"}, "#includes-0"),
    ],
)
def test_it_refuses_what_is_wrong_and_keeps_the_rest(
    admin: PageClient, site: DemoSite, values: dict[str, Any], target: str
) -> None:
    sent = {**data_of(admin.get("/groups/new")), "title": "Kept title", **values}
    page = admin.post_raw("/groups/new", data=sent)
    assert page.status == 422
    assert [str(link["href"]) for link in page.all("#error-summary a")] == [target]
    assert page.all(target)
    assert page.values("#group")["title"] == sent["title"]
    with reading() as connection:
        assert len(list_groups(connection)) == len(site.people.groups)


@pytest.mark.parametrize("username", ["anna", "dora", "olga"])
def test_rights_count_with_the_next_request(
    admin: PageClient, browser_of: Browsers, site: DemoSite, identity_of: IdentityOf, username: str
) -> None:
    """I27"""
    browser = browser_of(username)
    assert browser.get(f"/records/pages/{site.pages['hours']}").status == 200
    assert save(admin, site.people.groups["Whole site"], page_mounts=[]).status == 303
    assert identity_of(username).page_mounts == frozenset()
    assert browser.get(f"/records/pages/{site.pages['hours']}").status == 404
    assert save(admin, site.people.groups["Whole site"], add_page="1").status == 303
    assert browser.get(f"/records/pages/{site.pages['hours']}").status == 200


def test_it_refuses_a_circle_with_a_sentence(admin: PageClient, site: DemoSite) -> None:
    live, keywords = site.people.groups["Live"], site.people.groups["Keywords"]
    assert save(admin, live, **{"includes-0": str(keywords)}).status == 303
    page = save(admin, keywords, **{"includes-0": str(live)})
    assert page.status == 422
    assert "“Keywords” cannot include “Live”, because “Live” includes “Keywords”." in page.text
    assert page.values("#group")["includes-0"] == str(live)
    assert "A group cannot include itself." in save(admin, live, **{"includes-0": str(live)}).text
    assert stored(keywords).includes == ()


@pytest.mark.parametrize("username", PEOPLE)
def test_it_puts_people_in_and_takes_them_out(
    admin: PageClient, site: DemoSite, identity_of: IdentityOf, username: str
) -> None:
    group, user_id = site.people.groups["German desk"], site.people.users[username]
    added = admin.submit(admin.get(f"/groups/{group}"), "#addition", username=username)
    assert added.location.endswith("#members")
    assert identity_of(username).languages == {0, 1}
    again = admin.submit(admin.get(f"/groups/{group}"), "#addition", username=username)
    assert (again.status, again.values("#addition")["username"]) == (422, username)
    assert "in the group already" in again.one("#error-summary").get_text()
    none = admin.post(f"/groups/{group}/members/removal")
    assert (none.status, "Tick the people" in none.text) == (422, True)
    gone = admin.post(f"/groups/{group}/members/removal", {"person": [str(user_id), str(site.people.users["ben"])]})
    assert "1 person was taken out of the group." in admin.follow(gone).text
    assert identity_of(username).languages is None
    left = admin.get(f"/groups/{group}").all("li[data-person]")
    assert [int(str(row["data-person"])) for row in left] == [site.people.users["dora"]]


def test_it_says_who_would_lose_what_before_deleting(admin: PageClient, site: DemoSite) -> None:
    page = admin.get(f"/groups/{site.people.groups['Keywords']}/deletion")
    rows = {int(str(row["data-person"])): row.get_text(" ", strip=True) for row in page.all("[data-person]")}
    assert set(rows) == {site.people.users["anna"], site.people.users["olga"]}
    assert all("Page: Keywords" in words for words in rows.values())
    desk = admin.get(f"/groups/{site.people.groups['German desk']}/deletion")
    assert "Languages are not limited any more" in desk.one("[data-person]").get_text()
    assert "Nobody is in this group." in admin.get(f"/groups/{site.people.groups['Members']}/deletion").text


@pytest.mark.parametrize("username", ["anna", "dora", "olga"])
def test_it_deletes_a_group(admin: PageClient, site: DemoSite, username: str) -> None:
    group = site.people.groups["Live"]
    done = admin.submit(admin.get(f"/groups/{group}/deletion"), "#deletion")
    assert "The group “Live” was deleted." in admin.follow(done).text
    with reading() as connection:
        found = find_identity(connection, site.people.users[username])
    assert isinstance(found, Identity)
    assert not found.may_work_live
    assert admin.get(f"/groups/{group}").status == 404
    refused = admin.post_raw("/groups/new", data={**data_of(admin.get("/groups/new")), "title": "Live"})
    assert refused.status == 422


def test_it_shows_hostile_titles_as_text(admin: PageClient, site: DemoSite) -> None:
    group = site.people.groups["Live"]
    assert save(admin, group, title=HOSTILE).status == 303
    for address in ("/groups", f"/groups/{group}", f"/groups/{group}/deletion", f"/users/{site.people.users['anna']}"):
        page = admin.get(address)
        assert "<script>alert" not in page.html
        assert "⟨U+202E⟩" in page.text, address
        assert "{{7*7}}" in page.text


def test_it_keeps_what_this_installation_does_not_know(admin: PageClient, site: DemoSite) -> None:
    """A table of an extension that is away, a page that was deleted: saving something else takes nothing."""
    from app.accounts import service

    group = site.people.groups["Live"]
    with transaction() as connection:
        service.update_group(
            connection, group, tables_modify=["gone_table"], page_mounts=[987_654], languages=[0, 77], grants=["x"]
        )
    page = admin.get(f"/groups/{group}")
    assert "Page no. 987654, which does not exist any more" in page.text
    before = stored(group)
    assert save(admin, group, title="Live again").status == 303
    assert stored(group) == replace(before, title="Live again")


def test_it_never_widens_a_limit_that_was_damaged(admin: PageClient, site: DemoSite) -> None:
    from app.accounts import store

    group = site.people.groups["German desk"]
    with transaction() as connection:
        connection.execute(store.GROUP.update().where(store.GROUP.c.id == group).values(languages="?"))
    page = save(admin, group)
    assert page.status == 422
    assert "Choose at least one language." in page.text
    assert "no language" in admin.get(f"/users/{site.people.users['dora']}").text.lower()


def test_it_says_when_somebody_else_was_faster(admin: PageClient, site: DemoSite) -> None:
    group = site.people.groups["Live"]
    old = data_of(admin.get(f"/groups/{group}"))
    assert admin.post_raw(f"/groups/{group}", data={**old, "title": "First"}).status == 303
    late = admin.post_raw(f"/groups/{group}", data={**old, "title": "Second"})
    assert (late.status, late.values("#group")["title"], stored(group).title) == (409, "Second", "First")
