"""What people do with a draft workspace: send on, publish, discard, delete; each with a page that says so before."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from app.content.store import find_row, find_stored_rows
from app.core.db import reading
from app.policy.identity import LIVE
from app.seed.demo import DemoSite
from tests.conftest import IdentityOf
from tests.support.page import Page, PageClient
from tests.web.test_content_pages import change

Browsers = Callable[[str], PageClient]


def draft_of(site: DemoSite) -> int:
    return site.people.workspaces["Relaunch"]


def title(workspace_id: int, uid: int) -> str | None:
    with reading() as connection:
        row = find_row(connection, "pages", uid, workspace_id)
    return None if row is None else str(row["title"])


def key(page: Page, uid: int) -> str:
    """What the check box of a page sends."""
    return str(page.one(f"[data-record='pages:{uid}'] input[name=record]")["value"])


def choose(browser: PageClient, site: DemoSite, act: str, *uids: int, **query: str) -> Page:
    """Tick pages in the list and press a button that leads to the confirmation of ``act``."""
    address = f"/workspaces/{draft_of(site)}"
    listed = browser.get(address)
    return browser.get(f"{address}/{act}", query_string={"record": [key(listed, uid) for uid in uids], **query})


@pytest.fixture
def drafts(site: DemoSite, identity_of: IdentityOf) -> tuple[int, int]:
    """Two pages changed in Relaunch by Anna; their uids."""
    first, second = site.pages["hours"], site.pages["directions"]
    change(identity_of, "anna", draft_of(site), first, title="When we are open")
    change(identity_of, "anna", draft_of(site), second, title="How to find us")
    return first, second


def test_it_publishes_what_was_chosen_and_keeps_the_rest(
    anna: PageClient, site: DemoSite, drafts: tuple[int, int]
) -> None:
    first, second = drafts
    confirmation = choose(anna, site, "publication", first)
    assert [str(row["data-record"]) for row in confirmation.all("#confirmation li[data-record]")] == [f"pages:{first}"]
    assert confirmation.one("#confirmation button").get_text() == "Publish 1 record"
    assert title(LIVE, first) == "Opening hours"
    done = anna.follow(anna.submit(confirmation, "#confirmation"))
    assert "Published: 1 record." in done.text
    assert title(LIVE, first) == "When we are open"
    assert title(LIVE, second) == "Getting here"
    assert [row["data-record"] for row in done.all("li[data-record]")] == [f"pages:{second}"]


def test_it_publishes_the_whole_workspace(anna: PageClient, site: DemoSite, drafts: tuple[int, int]) -> None:
    address = f"/workspaces/{draft_of(site)}"
    link = next(link for link in anna.get(address).all("main a") if link.get_text() == "Publish the workspace")
    done = anna.follow(anna.submit(anna.get(str(link["href"])), "#confirmation"))
    assert "Published: 2 records." in done.text
    assert [title(LIVE, uid) for uid in drafts] == ["When we are open", "How to find us"]
    assert "No record you may read differs from live" in done.text


def test_it_shows_a_conflict_with_both_versions_and_overwrites_only_on_request(
    anna: PageClient, browser_of: Browsers, site: DemoSite, drafts: tuple[int, int], identity_of: IdentityOf
) -> None:
    first, second = drafts
    change(identity_of, "olga", LIVE, first, title="Hours and holidays")
    listed = anna.get(f"/workspaces/{draft_of(site)}")
    assert listed.one(f"[data-record='pages:{first}']")["data-conflict"] == "true"
    assert "1 record was changed live after its draft was made." in listed.text
    confirmation = choose(anna, site, "publication", first, second)
    panel = confirmation.one("#confirmation [data-conflict]")
    assert panel.select_one("del").get_text() == "Hours and holidays"  # type: ignore[union-attr]
    assert panel.select_one("ins").get_text() == "When we are open"  # type: ignore[union-attr]
    assert "The live record was changed by Olga Danner" in panel.get_text()
    done = anna.follow(anna.submit(confirmation, "#confirmation"))
    assert "1 record was changed live and not overwritten. Its draft is kept." in done.text
    assert (title(LIVE, first), title(LIVE, second)) == ("Hours and holidays", "How to find us")
    again = choose(anna, site, "publication", first)
    box = again.one("input[name=overwrite]")
    done = anna.follow(anna.submit(again, "#confirmation", overwrite=str(box["value"])))
    assert "Published: 1 record." in done.text
    assert title(LIVE, first) == "When we are open"


@pytest.mark.parametrize("workspace", ["live", "draft"])
def test_it_does_nothing_when_something_changed_since_the_page_was_shown(
    anna: PageClient, site: DemoSite, drafts: tuple[int, int], identity_of: IdentityOf, workspace: str
) -> None:
    first, second = drafts
    shown = choose(anna, site, "publication", first, second)
    change(identity_of, "olga", LIVE if workspace == "live" else draft_of(site), first, title="Meanwhile")
    found = anna.submit(shown, "#confirmation")
    assert found.status == 409
    assert "Something changed since you opened this page" in found.text
    assert title(LIVE, second) == "Getting here"
    if workspace == "draft":
        assert anna.follow(anna.submit(found, "#confirmation")).status == 200
        assert title(LIVE, first) == "Meanwhile"


def test_it_does_not_overwrite_what_was_changed_again_after_the_conflict_was_shown(
    anna: PageClient, site: DemoSite, drafts: tuple[int, int], identity_of: IdentityOf
) -> None:
    first = drafts[0]
    change(identity_of, "olga", LIVE, first, title="One")
    shown = choose(anna, site, "publication", first)
    change(identity_of, "olga", LIVE, first, title="Two")
    found = anna.submit(shown, "#confirmation", overwrite=str(shown.one("input[name=overwrite]")["value"]))
    assert found.status == 409
    assert title(LIVE, first) == "Two"
    assert "Two" in found.one("#confirmation [data-conflict]").get_text()


def test_it_sends_on_and_back(anna: PageClient, browser_of: Browsers, site: DemoSite, drafts: tuple[int, int]) -> None:
    first, ben, olga = drafts[0], browser_of("ben"), browser_of("olga")
    done = ben.follow(ben.submit(choose(ben, site, "stage", first, to="ready"), "#confirmation"))
    assert "Sent on to publishing: 1 record." in done.text
    assert done.one(f"[data-record='pages:{first}']")["data-stage"] == "ready"
    assert not [button for button in done.all("button") if button.get_text() == "Send back to editing"]
    assert choose(ben, site, "stage", first, to="editing").status == 403
    done = olga.follow(olga.submit(choose(olga, site, "stage", first, to="editing", language="en"), "#confirmation"))
    assert "Sent back to editing: 1 record." in done.text
    entries = [
        words.get_text() for words in anna.get(f"/records/pages/{first}/history?workspace={draft_of(site)}").all("h2")
    ]
    assert entries[:2] == ["Sent back to editing by Olga Danner", "Sent on to publishing by Ben Carter"]


def test_it_lets_a_member_without_live_edit_but_not_publish(
    browser_of: Browsers, site: DemoSite, drafts: tuple[int, int]
) -> None:
    ben, address = browser_of("ben"), f"/workspaces/{draft_of(site)}"
    listed = ben.get(address)
    assert "Publish" not in [words.get_text()[:7] for words in listed.all("main button, main a.button")]
    assert choose(ben, site, "publication", drafts[0]).status == 403
    assert ben.post(f"{address}/publication", {"chosen": key(listed, drafts[0]), "seen": ""}).status == 403
    assert title(LIVE, drafts[0]) == "Opening hours"


def test_it_discards(anna: PageClient, site: DemoSite, drafts: tuple[int, int]) -> None:
    first, second = drafts
    confirmation = choose(anna, site, "discarding", first)
    assert "Live stays as it is." in confirmation.text
    done = anna.follow(anna.submit(confirmation, "#confirmation"))
    assert "Discarded: 1 draft." in done.text
    assert title(draft_of(site), first) == title(LIVE, first) == "Opening hours"
    assert title(draft_of(site), second) == "How to find us"


def test_it_asks_for_at_least_one_record(anna: PageClient, site: DemoSite, drafts: tuple[int, int]) -> None:
    for act in ("publication", "discarding", "stage"):
        sent = anna.get(f"/workspaces/{draft_of(site)}/{act}")
        assert sent.location.endswith("#error-summary")
        found = anna.follow(sent)
        assert found.title.startswith("Error:")
        assert "Choose at least one record." in found.one("#error-summary").get_text()


def test_it_withholds_what_a_member_may_not_read(
    browser_of: Browsers, anna: PageClient, site: DemoSite, drafts: tuple[int, int]
) -> None:
    emil, address = browser_of("emil"), f"/workspaces/{draft_of(site)}"
    row = key(anna.get(address), drafts[0])
    assert "2 further records are not shown." in emil.get(address).text
    for act in ("publication", "discarding"):
        found = emil.get(f"{address}/{act}", query_string={"record": row})
        assert "When we are open" not in found.html
        assert "There is nothing here that can be done." in found.text
    assert emil.get(f"{address}/records/pages/{drafts[0]}").status == 404
    emil.post(f"{address}/discarding", {"chosen": row, "seen": ""})
    assert title(draft_of(site), drafts[0]) == "When we are open"


@pytest.mark.parametrize("given", ["pages", "pages:", "pages:x", "nothing:1", "pages:0", ":1", "pages:1:2"])
def test_it_takes_only_records_of_its_own_making(anna: PageClient, site: DemoSite, given: str) -> None:
    address = f"/workspaces/{draft_of(site)}/publication"
    assert anna.get(address, query_string={"record": given}).status == 422
    assert anna.post(address, {"chosen": given, "seen": ""}).status == 422


def test_it_tells_the_consequences_of_a_deletion_and_deletes(
    browser_of: Browsers, anna: PageClient, site: DemoSite, drafts: tuple[int, int]
) -> None:
    address = f"/workspaces/{draft_of(site)}/deletion"
    assert anna.get(address).status == anna.post(address).status == 403
    olga = browser_of("olga")
    shown = olga.get(address)
    assert "2 Entwürfe werden endgültig verworfen." in shown.text
    assert "3 Personen befinden sich darin und wechseln in einen anderen Arbeitsbereich." in shown.text
    done = olga.follow(olga.submit(shown, "#deletion"))
    assert "Der Arbeitsbereich „Relaunch“ wurde gelöscht." in done.text
    assert olga.get(f"/workspaces/{draft_of(site)}").status == 404
    assert "Workspace: Live" in anna.get("/help").one("header").get_text()
    assert title(LIVE, drafts[0]) == "Opening hours"
    with reading() as connection:
        rows = find_stored_rows(connection, "pages", range(1, 500)).values()
    assert [row.uid for row in rows if row["workspace_id"] == draft_of(site)] == []


def test_it_compares_with_live(anna: PageClient, site: DemoSite, drafts: tuple[int, int]) -> None:
    address = f"/workspaces/{draft_of(site)}/records/pages/{drafts[0]}"
    page, part = anna.get(address), anna.get(address, headers={"HX-Request": "true"})
    for found in (page, part):
        field = found.one("[data-field=title]")
        assert field.select_one("del").get_text() == "Opening hours"  # type: ignore[union-attr]
        assert field.select_one("ins").get_text() == "When we are open"  # type: ignore[union-attr]
    assert "<html" not in part.html
    assert anna.get(f"/workspaces/{draft_of(site)}/records/pages/{site.pages['visit']}").status == 404


def test_it_withholds_fields_without_their_grant(
    anna: PageClient, browser_of: Browsers, site: DemoSite, identity_of: IdentityOf
) -> None:
    uid = site.pages["hours"]
    change(identity_of, "anna", draft_of(site), uid, keywords="secret, times")
    address = f"/workspaces/{draft_of(site)}/records/pages/{uid}"
    assert "secret, times" in anna.get(address).html
    found = browser_of("ben").get(address)
    assert "secret" not in found.html
    assert "1 field is not shown, because you have no right to it." in found.text
