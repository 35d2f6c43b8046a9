"""Forms of records: who may change what, what was typed is kept, and nobody overwrites anybody silently."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from werkzeug.datastructures import MultiDict

from app.content import editing, store
from app.core.db import reading
from app.seed.demo import DemoSite
from tests.support.page import Page, PageClient
from tests.support.personas import IdentityOf

Browsers = Callable[[str], PageClient]
FORM = "#record-form"
LIVE = 0
HOSTILE = [
    "\u202egnp.exe",
    "a\u200bb\u2060c",
    "e\u0301" * 20,
    "👩‍👩‍👧‍👦 family",
    "\u0627\u0644\u0639\u0631\u0628\u064a\u0629",
    "<script>alert(1)</script>",
    "{{7*7}} %s %(x)s ${x}",
    "'; DROP TABLE pages; --",
    "ﷺ ꧁ ☃ \U0001d4b3",
    "trailing  spaces  ",
    "\ufeffmark",
]
"""B45 to B56 of reliability.md."""


def row_of(table: str, uid: int, workspace_id: int = LIVE) -> store.Row:
    with reading() as connection:
        found = store.find_row(connection, table, uid, workspace_id)
    assert found is not None
    return found


@pytest.fixture
def draft(site: DemoSite) -> int:
    return site.people.workspaces["Relaunch"]


def record(uid: int, table: str = "pages") -> str:
    return f"/records/{table}/{uid}"


def problems(page: Page) -> list[tuple[str, str]]:
    return [(str(link["href"]), link.get_text()) for link in page.all(".error-summary a")]


def test_it_saves_in_the_workspace_the_person_stands_in(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["hours"]
    for who, workspace_id, title in (("anna", draft, "In the draft"), ("dora", LIVE, "In live")):
        browser = browser_of(who)
        saved = browser.submit(browser.get(record(uid)), FORM, title=title)
        assert saved.location == f"{record(uid)}#record"
        assert title in browser.follow(saved).one(".notice--ok").get_text()
        assert row_of("pages", uid, workspace_id)["title"] == title
    refused = browser_of("emil").post(record(uid), {"title": "Not mine"})
    assert refused.status == 404
    assert row_of("pages", uid)["title"] == "In live"


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_titles_come_back_as_they_were(anna: PageClient, site: DemoSite, draft: int, title: str) -> None:
    uid = site.pages["hours"]
    assert anna.submit(anna.get(record(uid)), FORM, title=title).status == 303
    assert row_of("pages", uid, draft)["title"] == title
    again = anna.get(record(uid))
    assert again.values(FORM)["title"] == title
    assert "49" not in again.heading
    assert "\u202e" not in again.heading
    assert not again.all("h1 script")
    unchanged = anna.submit(again, FORM)
    assert "Nothing was changed" in anna.follow(unchanged).one(".notice").get_text()


def test_it_says_what_is_wrong_and_keeps_what_was_typed(anna: PageClient, site: DemoSite, draft: int) -> None:
    uid = site.pages["hours"]
    typed = {"title": "", "subtitle": "x" * 256, "starttime": "2026-03-29T02:30", "description": "kept\ntext"}
    found = anna.submit(anna.get(record(uid)), FORM, **typed)
    assert found.status == 422
    assert [address for address, _ in problems(found)] == ["#field-title", "#field-subtitle", "#field-starttime"]
    assert found.title.startswith("Error: ")
    for name in ("title", "subtitle", "starttime"):
        control = found.one(f"#field-{name}")
        assert control["aria-invalid"] == "true"
        assert f"field-{name}-error" in str(control["aria-describedby"]).split()
    kept = found.values(FORM)
    assert (kept["subtitle"], kept["starttime"], kept["description"].strip()) == (
        "x" * 256,
        "2026-03-29T02:30",
        "kept\ntext",
    )
    assert row_of("pages", uid, draft)["workspace_id"] == LIVE
    again = anna.submit(found, FORM, title="Good", subtitle="", starttime="")
    assert again.status == 303


def test_it_marks_required_fields_and_hides_what_is_not_granted(browser_of: Browsers, site: DemoSite) -> None:
    found = browser_of("emil").get(record(site.pages["summer"]))
    assert found.one("#field-title").has_attr("required")
    assert not found.all("#field-keywords")
    assert browser_of("anna").get(record(site.pages["summer"])).all("#field-keywords")


def test_a_field_without_a_grant_is_dropped(browser_of: Browsers, site: DemoSite) -> None:
    uid = site.pages["summer"]
    emil = browser_of("emil")
    values = {
        **emil.get(record(uid)).values(FORM),
        "keywords": "forged",
        "subtitle": "Mine",
        "pid": "1",
        "owner_id": "7",
    }
    assert emil.post(record(uid), values).status == 303
    stored = row_of("pages", uid)
    assert (stored["keywords"], stored["subtitle"]) == ("", "Mine")
    assert stored["pid"] == site.pages["exhibitions"]


def test_those_who_may_only_read_see_values_and_are_told(browser_of: Browsers, site: DemoSite) -> None:
    dora, anna, fay = (browser_of(who) for who in ("dora", "anna", "fay"))
    form = dora.get(f"/records/redirects/new?page={site.pages['visit']}")
    made = dora.submit(form, FORM, source="/old-hours", target_page=str(site.pages["hours"]), status="301")
    address = made.location.split("#")[0]
    assert dora.get(address).all(FORM)
    for found in (anna.get(address), anna.get(record(1, "files"))):
        assert found.status == 200
        assert found.one("[data-read-only]")
        assert found.all("dl.summary-list")
        assert not found.all(f"{FORM}, [data-command]")
    assert "draft workspace" in anna.get(address).one("[data-read-only]").get_text()
    assert anna.post(record(1, "files"), {"name": "x"}).status == 404
    assert anna.post(address, {"source": "/new"}).status in {404, 422}
    assert fay.post(address, {"source": "/new"}).status == 404


def test_times_keep_their_seconds_and_zone(
    anna: PageClient, site: DemoSite, identity_of: IdentityOf, draft: int
) -> None:
    uid = site.pages["hours"]
    moment = 1_793_500_217  # 2026-10-31, with seconds the form does not show
    editing.update_record(identity_of("anna"), draft, "pages", uid, {"endtime": moment}, seen_rev=None)
    found = anna.get(record(uid))
    assert found.values(FORM)["endtime"] == "2026-11-01T03:30"
    assert "Europe/Berlin" in found.one("#field-endtime-hint").get_text()
    anna.submit(found, FORM, subtitle="Other")
    assert row_of("pages", uid, draft)["endtime"] == moment
    anna.submit(anna.get(record(uid)), FORM, endtime="2026-12-24T18:00")
    assert row_of("pages", uid, draft)["endtime"] == 1_798_131_600


def test_groups_are_boxes_and_unknown_ones_stay(anna: PageClient, site: DemoSite, draft: int) -> None:
    uid, members = site.pages["evening"], site.people.groups["Members"]
    found = anna.get(record(uid))
    assert "title not visible to you" in found.one("#field-groups").get_text()
    assert [box["value"] for box in found.all("#field-groups input[checked]")] == [str(members)]
    own = str(site.people.groups["Editorial"])
    values = MultiDict({**found.values(FORM), "csrf_token": anna.token()})
    values.setlist("groups", [own, str(members)])
    assert anna.post_raw(record(uid), data=values).status == 303
    assert row_of("pages", uid, draft)["groups"] == f"{own},{members}"
    none = {name: value for name, value in anna.get(record(uid)).values(FORM).items() if name != "groups"}
    assert anna.post(record(uid), none).status == 303
    assert row_of("pages", uid, draft)["groups"] == ""


def test_a_box_that_was_not_shown_is_not_cleared(anna: PageClient, site: DemoSite, draft: int) -> None:
    uid = site.pages["archive"]
    assert anna.post(record(uid), {"subtitle": "Only this"}).status == 303
    stored = row_of("pages", uid, draft)
    assert (stored["subtitle"], stored["hidden"], stored["title"]) == ("Only this", True, "Past exhibitions")


def test_a_conflict_shows_both_versions_and_loses_nothing(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    uid = site.pages["hours"]
    anna, ben, cem = (browser_of(who) for who in ("anna", "ben", "cem"))
    opened = anna.get(record(uid))
    ben.submit(ben.get(record(uid)), FORM, title="Hours by Ben", description="Ben's words")
    assert cem.submit(cem.get(record(uid)), FORM, title="In Campaign").status == 303
    found = anna.submit(opened, FORM, title="Hours by Anna", subtitle="Typed")
    assert found.status == 409
    assert found.heading == "“Hours by Ben” was changed by Ben Carter since you opened it"
    title = found.one(".clash[data-field=title]")
    assert title.select_one("[data-side=saved] del").get_text() == "only here: Ben"  # type: ignore[union-attr]
    assert title.select_one("[data-side=typed] ins").get_text() == "only here: Anna"  # type: ignore[union-attr]
    assert [clash["data-field"] for clash in found.all(".clash")] == ["title", "subtitle"]
    assert "Ben's words" in found.one("dl [data-field=description]").get_text()
    kept = found.values(FORM)
    assert (kept["title"], kept["subtitle"], kept["description"].strip()) == ("Hours by Anna", "Typed", "Ben's words")
    assert row_of("pages", uid, draft)["title"] == "Hours by Ben"
    assert anna.submit(found, FORM).status == 303
    stored = row_of("pages", uid, draft)
    assert (stored["title"], stored["subtitle"], stored["description"]) == ("Hours by Anna", "Typed", "Ben's words")
    assert row_of("pages", uid)["title"] == "Opening hours"


def test_theirs_can_be_taken_and_a_second_conflict_is_one_too(browser_of: Browsers, site: DemoSite) -> None:
    uid = site.pages["hours"]
    anna, ben, olga = (browser_of(who) for who in ("anna", "ben", "olga"))
    opened = anna.get(record(uid))
    ben.submit(ben.get(record(uid)), FORM, title="Ben")
    found = anna.submit(opened, FORM, title="Anna")
    taken = anna.get(str(found.one(f"{FORM} a.button")["href"]))
    assert taken.values(FORM)["title"] == "Ben"
    olga.submit(olga.get(record(uid)), FORM, title="Olga")
    again = anna.submit(found, FORM)
    assert again.status == 409
    assert "changed by Olga Danner" in again.heading
    assert again.values(FORM)["title"] == "Anna"


def test_a_forged_row_is_a_conflict(anna: PageClient, site: DemoSite) -> None:
    uid = site.pages["hours"]
    for mark in ("", "x", "1.1", "3.99999", "-1.1", f"{2**70}.1"):
        assert anna.submit(anna.get(record(uid)), FORM, title="X", **{"seen-row": mark}).status in {303, 409}
    assert anna.submit(anna.get(record(uid)), FORM, title="Y", **{"seen-row": "3.99999"}).status == 409


def test_another_workspace_than_that_of_the_form_saves_nothing(
    browser_of: Browsers, site: DemoSite, draft: int
) -> None:
    uid, anna = site.pages["hours"], browser_of("anna")
    opened = anna.get(record(uid))
    anna.post("/workspaces/selection", {"workspace": str(LIVE)})
    found = anna.submit(opened, FORM, title="Typed for the draft")
    assert found.status == 409
    assert "another workspace" in found.text
    assert found.values(FORM)["title"] == "Typed for the draft"
    assert {row_of("pages", uid, where)["title"] for where in (LIVE, draft)} == {"Opening hours"}
    assert anna.submit(found, FORM).status == 303
    assert row_of("pages", uid, LIVE)["title"] == "Typed for the draft"


def test_a_row_of_another_workspace_is_not_there(browser_of: Browsers, site: DemoSite, identity_of: IdentityOf) -> None:
    uid, campaign = site.pages["hours"], site.people.workspaces["Campaign"]
    editing.update_record(identity_of("cem"), campaign, "pages", uid, {"title": "Theirs"}, seen_rev=None)
    foreign = row_of("pages", uid, campaign).uid
    for who in ("anna", "dora", "olga"):
        browser = browser_of(who)
        assert browser.get(record(foreign)).status == 404
        assert browser.post(record(foreign), {"title": "Mine"}).status == 404
    assert row_of("pages", uid, campaign)["title"] == "Theirs"


def test_what_was_typed_is_shown_when_the_record_is_gone(
    browser_of: Browsers, site: DemoSite, identity_of: IdentityOf
) -> None:
    uid = site.pages["press"]
    dora, emil, gus = (browser_of(who) for who in ("dora", "emil", "gus"))
    opened = dora.get(record(uid))
    editing.delete_record(identity_of("admin", LIVE), LIVE, "pages", uid)
    found = dora.submit(opened, FORM, title="A long and careful title")
    assert found.status == 404
    assert "A long and careful title" in found.one("#typed-title").get_text()
    closed, missing = (emil.post(record(number), {"title": "T"}) for number in (site.pages["staff"], 987654))
    assert closed.status == missing.status == 404
    assert closed.text == missing.text
    assert "#typed-title" not in gus.post(record(uid), {"title": "T"}).html


def test_a_translation_takes_some_fields_from_its_default_record(
    anna: PageClient, site: DemoSite, identity_of: IdentityOf, draft: int
) -> None:
    uid = site.pages["tickets"]
    editing.update_record(identity_of("anna"), draft, "pages", uid, {"keywords": "prices"}, seen_rev=None)
    with reading() as connection:
        german = store.list_translations(connection, "pages", uid, draft)[0].live_uid
    found = anna.get(record(german))
    assert not found.all("#field-keywords")
    assert "prices" in found.one("[data-field=keywords]").get_text()
    assert found.one("#field-title")["lang"] == "de"


@pytest.mark.parametrize(("table", "field"), [("content_elements", "header"), ("contacts", "name")])
def test_it_creates_records_where_the_person_may(
    browser_of: Browsers, site: DemoSite, draft: int, table: str, field: str
) -> None:
    page, address = site.pages["hours"], f"/records/{table}/new?page={site.pages['hours']}"
    for who, workspace_id in (("anna", draft), ("dora", LIVE)):
        browser = browser_of(who)
        made = browser.submit(browser.get(address), FORM, **{field: f"By {who}"})
        assert made.status == 303
        assert f"By {who}" in browser.follow(made).text
        with reading() as connection:
            found = store.list_records(connection, table, workspace_id, page)
        assert f"By {who}" in {row[field] for row in found}
    emil = browser_of("emil")
    assert emil.get(address).status == 404
    assert emil.post(address, {field: "No"}).status == 404


def test_it_creates_at_the_asked_place_and_language(anna: PageClient, site: DemoSite, draft: int) -> None:
    page = site.pages["hours"]
    with reading() as connection:
        first = store.list_elements(connection, draft, page)[0].live_uid
    form = anna.get(f"/records/content_elements/new?page={page}&after={first}&in=1")
    chosen = form.values(FORM)
    assert (chosen["place"], chosen["in-language"]) == (str(first), "1")
    made = anna.submit(form, FORM, header="Dazwischen", body="Ein *Satz*.")
    uid = int(made.location.rsplit("-", 1)[1])
    stored = row_of("content_elements", uid, draft)
    assert (stored["language_id"], stored["body"]) == (1, "Ein *Satz*.")
    with reading() as connection:
        assert [row.live_uid for row in store.list_elements(connection, draft, page)][:2] == [first, uid]
    bad = anna.submit(form, FORM, header="x" * 300, body="kept")
    assert bad.status == 422
    assert bad.values(FORM)["body"].strip() == "kept"


def test_it_creates_pages_below_and_at_the_root(browser_of: Browsers, site: DemoSite, draft: int) -> None:
    anna, admin, emil = (browser_of(who) for who in ("anna", "admin", "emil"))
    made = anna.submit(anna.get(f"/records/pages/new?page={site.pages['visit']}"), FORM, title="Café", place="first")
    uid = int(made.location.removeprefix("/pages/").split("#")[0])
    assert (row_of("pages", uid, draft)["pid"], row_of("pages", uid, draft)["version_state"]) == (
        site.pages["visit"],
        1,
    )
    at_root = admin.submit(admin.get("/records/pages/new"), FORM, title="Second site")
    assert at_root.status == 303
    for browser in (anna, emil):
        assert browser.get("/records/pages/new").status == 404
        assert browser.post("/records/pages/new", {"title": "X"}).status == 404
    assert emil.get("/records/site_settings/new").status == 404
    assert admin.get("/records/site_settings/new").status == 200
    assert admin.get("/records/files/new").status == 404


def test_references_lead_only_to_what_the_person_reads(browser_of: Browsers, site: DemoSite) -> None:
    dora, visit = browser_of("dora"), site.pages["visit"]
    form = dora.get(f"/records/redirects/new?page={visit}")
    values = {"source": "/old", "status": "301"}
    closed, missing = (dora.submit(form, FORM, **values, target_page=str(uid)) for uid in (site.pages["staff"], 987654))
    assert closed.status == missing.status == 422
    assert problems(closed) == problems(missing)
    assert dora.submit(form, FORM, **values, target_page="twelve").status == 422
    assert dora.submit(form, FORM, **values, target_page=str(visit)).status == 303
    assert browser_of("anna").get(f"/records/redirects/new?page={visit}").status == 422
    assert browser_of("gus").get(f"/records/redirects/new?page={visit}").status == 404


def test_a_form_needs_its_token_and_a_sign_in(anonymous: PageClient, anna: PageClient, site: DemoSite) -> None:
    uid = site.pages["hours"]
    assert anonymous.post(record(uid), {"title": "X"}).status == 401
    assert anna.post_raw(record(uid), data={"title": "X"}).status == 403
    assert anonymous.get("/records/pages/new").location.startswith("/sign-in")
