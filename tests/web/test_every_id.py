"""Every id a form sends is checked on its own, and no form writes what it has no field for (I24, I25)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import func, select

from app.content.models import ContentElement
from app.content.schema import REGISTRY
from app.core.db import db, reading
from app.seed.demo import PAGE, DemoSite
from tests.conftest import IdentityOf
from tests.support.page import Page, PageClient
from tests.web.test_census import ARCHIVED_FILE, UNKNOWN_ID, checksums
from tests.web.test_content_pages import change

Browsers = Callable[[str], PageClient]
ELEMENT = ContentElement.__table__
NOBODYS = "77777"
"""A value no form writes where a field of that name is not in it."""
DRAFT, FOREIGN = "Relaunch", "Campaign"


@dataclass(frozen=True, kw_only=True)
class Sent:
    """A form that works, and for each field with an id the values that must be refused."""

    path: str
    fields: Mapping[str, str]
    wrong: Mapping[str, Sequence[str]]
    who: str = "anna"


@dataclass(frozen=True, kw_only=True)
class Known:
    """Numbers of the demo."""

    pages: Mapping[str, int]
    element: int
    foreign_element: int
    draft_row: int
    foreign_row: int
    french_page: int
    """A translation in a language Dora has no access to."""

    def page(self, key: str) -> str:
        return str(self.pages[key])


@pytest.fixture
def known(site: DemoSite, identity_of: IdentityOf) -> Known:
    """The demo with one draft of Anna in Relaunch and one of Cem in Campaign."""
    workspaces = site.people.workspaces
    change(identity_of, "anna", workspaces[DRAFT], site.pages["directions"], title="Draft of Anna")
    change(identity_of, "cem", workspaces[FOREIGN], site.pages["tickets"], title="Draft of Cem")
    with reading() as connection:
        elements = select(func.min(ELEMENT.c.uid)).where(ELEMENT.c.workspace_id == 0)
        row_in = select(PAGE.c.uid).where(PAGE.c.version_state >= 0)
        return Known(
            pages=site.pages,
            element=connection.execute(elements.where(ELEMENT.c.pid == site.pages["hours"])).scalar_one(),
            foreign_element=connection.execute(elements.where(ELEMENT.c.pid == site.pages["staff"])).scalar_one(),
            draft_row=connection.execute(row_in.where(PAGE.c.workspace_id == workspaces[DRAFT])).scalar_one(),
            foreign_row=connection.execute(row_in.where(PAGE.c.workspace_id == workspaces[FOREIGN])).scalar_one(),
            french_page=connection.execute(
                select(PAGE.c.uid).where(
                    PAGE.c.language_id == 2,
                    PAGE.c.workspace_id == 0,
                    PAGE.c.translation_parent == site.pages["visit"],
                )
            ).scalar_one(),
        )


def record_forms(known: Known) -> Iterator[Sent]:
    """Forms and commands of records."""
    hours, about = known.page("hours"), known.page("about")
    nobodys_pages = [known.page("staff"), str(UNKNOWN_ID), "-1", "x", "0"]
    foreign = {"in-workspace": ["2", "3", "0", str(UNKNOWN_ID)]}
    yield Sent(path=f"/records/pages/{hours}", fields={"title": "New"}, wrong=foreign)
    yield Sent(
        path=f"/records/pages/{hours}/move",
        fields={"to": about, "place": "last"},
        wrong={**foreign, "to": nobodys_pages, "place": [known.page("staff"), hours, str(UNKNOWN_ID), "x"]},
    )
    yield Sent(
        path=f"/records/content_elements/{known.element}/move",
        fields={"to": about, "place": "last"},
        wrong={"to": nobodys_pages, "place": [str(known.foreign_element), str(known.element), "x"]},
    )
    french = {"to": [str(known.french_page)]}
    yield Sent(who="dora", path=f"/records/pages/{known.page('tickets')}/copy", fields={"to": about}, wrong=french)
    yield Sent(path=f"/records/pages/{hours}/copy", fields={"to": about}, wrong={**foreign, "to": [*nobodys_pages, ""]})
    yield Sent(
        path=f"/records/pages/{hours}/translation",
        fields={"language-id": "1"},
        wrong={**foreign, "language-id": ["0", "99", "-1", "x", ""]},
    )
    yield Sent(path=f"/records/pages/{hours}/visibility", fields={"hidden": "1"}, wrong={**foreign, "hidden": ["x"]})
    yield Sent(path=f"/records/content_elements/{known.element}/deletion", fields={}, wrong=foreign)
    yield Sent(
        path=f"/records/pages/new?page={about}",
        fields={"title": "New"},
        wrong={**foreign, "place": [known.page("staff"), str(UNKNOWN_ID), known.page("hours")]},
    )
    yield Sent(
        path=f"/records/content_elements/new?page={hours}",
        fields={"header": "New"},
        wrong={
            **foreign,
            "place": [str(known.foreign_element), str(UNKNOWN_ID)],
            "in-language": ["99", "55"],
        },
    )
    yield Sent(
        who="dora",
        path=f"/records/content_elements/new?page={hours}",
        fields={"header": "New"},
        wrong={"in-language": ["2"]},
    )
    yield Sent(
        who="dora",
        path=f"/records/pages/{hours}/translation",
        fields={"language-id": "1"},
        wrong={"language-id": ["2"]},
    )
    yield Sent(
        who="admin",
        path="/records/redirects/new",
        fields={"source": "/new", "target_page": hours, "status": "301"},
        wrong={"target_page": [str(UNKNOWN_ID), "-1", "x"]},
    )


def file_forms(known: Known) -> Iterator[Sent]:
    """Forms of files; number 1 lies in the folder Anna writes in."""
    folders = ["/archive/", "/press/", "/", "/nowhere/", "/editorial/../archive/", "editorial", ""]
    described = {"language": "0", "title": "T", "alternative": "A", "description": "", "seen": "SEEN"}
    yield Sent(path="/files/1/place", fields={"name": "new.png", "folder": "/editorial/"}, wrong={"folder": folders})
    yield Sent(
        path="/files/folders",
        fields={"storage": "1", "folder": "/editorial/", "name": "new"},
        wrong={"storage": ["2", "0", "x", str(UNKNOWN_ID)], "folder": folders},
    )
    yield Sent(path="/files/1/description", fields=described, wrong={"language": ["99", "-1", "x", ""]})
    yield Sent(who="dora", path="/files/1/description", fields=described, wrong={"language": ["2"]})


def workspace_forms(known: Known) -> Iterator[Sent]:
    """Acts on a draft by its owner; records are named by their row."""
    foreign = [
        f"pages:{known.foreign_row}",
        f"pages:{known.page('staff')}",
        f"pages:{known.page('hours')}",
        f"pages:{UNKNOWN_ID}",
        f"content_elements:{known.draft_row}",
        f"nothing:{known.draft_row}",
        "pages:x",
    ]
    base, chosen = "/workspaces/1", f"pages:{known.draft_row}"
    for act, more in (("publication", {}), ("discarding", {}), ("stage", {"to": "ready"})):
        fields = {"chosen": chosen, "seen": "SEEN", **more}
        yield Sent(who="olga", path=f"{base}/{act}", fields=fields, wrong={"chosen": foreign})
    yield Sent(
        path="/workspaces/selection", fields={"workspace": "0"}, wrong={"workspace": ["2", str(UNKNOWN_ID), "x"]}
    )


def forms(known: Known) -> list[Sent]:
    return [*record_forms(known), *file_forms(known), *workspace_forms(known)]


def with_seen(browser: PageClient, sent: Sent, fields: Mapping[str, str]) -> dict[str, str]:
    """With what the page of the form says the record was when it was opened; nothing where there is no such page."""
    if fields.get("seen") != "SEEN":
        return dict(fields)
    if "chosen" in fields:
        opened = browser.get(sent.path, query_string={"record": fields["chosen"], "to": fields.get("to", "ready")})
    else:
        opened = browser.get(sent.path.removesuffix("/description"))
    marks = opened.all(f"form[action='{sent.path}'] input[name=seen]")
    return {**fields, "seen": str(marks[0]["value"]) if marks else ""}


def contents() -> dict[str, str]:
    """As ``checksums``, without the count of transactions: one that finds nothing to do counts too."""
    return {name: found for name, found in checksums().items() if name != "content_clock"}


def test_every_id_of_a_form_is_checked(browser_of: Browsers, known: Known) -> None:
    for sent in forms(known):
        browser = browser_of(sent.who)
        for name, values in sent.wrong.items():
            for value in values:
                fields = with_seen(browser, sent, {**sent.fields, name: value})
                before = contents()
                found = browser.post(sent.path, fields)
                assert is_refused(found), (sent.path, name, value, found.status, found.location)
                assert contents() == before, (sent.path, name, value)


def is_refused(found: Page) -> bool:
    """With an error, or by leading back to the list with nothing done."""
    return found.status in {404, 409, 422} or (found.status == 303 and "/workspaces/1" in found.location)


def test_a_file_of_others_is_not_described_by_number(browser_of: Browsers, known: Known) -> None:
    fields = {"language": "0", "title": "T", "alternative": "A", "description": "", "seen": ""}
    anna = browser_of("anna")
    before = checksums()
    for path in (f"/files/{ARCHIVED_FILE}/description", "/files/2/description"):
        assert anna.post(path, fields).status == 404
    assert checksums() == before


def columns_without_a_field() -> list[str]:
    """Every column of every record table that no form of that table offers."""
    fields = {field.name for trait in REGISTRY.values() for field in trait.fields}
    columns = {column.name for trait in REGISTRY.values() for column in trait.table.columns}
    return sorted(columns - fields)


def stored() -> str:
    """Every value of the database, as text."""
    with reading() as connection:
        rows: list[Any] = [
            tuple(row) for table in db.metadata.sorted_tables for row in connection.execute(select(table)).all()
        ]
    return repr(rows)


def test_what_a_form_has_no_field_for_is_never_written(browser_of: Browsers, known: Known) -> None:
    unknown = dict.fromkeys(columns_without_a_field(), NOBODYS)
    assert {"rev", "workspace_id", "live_uid", "owner_bits", "deleted", "pid", "sorting"} <= unknown.keys()
    for sent in forms(known):
        browser = browser_of(sent.who)
        fields = {**unknown, **with_seen(browser, sent, sent.fields)}
        before = checksums()
        found = browser.post(sent.path, fields)
        assert found.status == 303, (sent.path, found.status, found.text)
        assert checksums() != before or "/workspaces/selection" in sent.path, sent.path
        assert NOBODYS not in stored(), sent.path
