"""T11 of a11y.md: what is withheld from a reader stands in no body that reader gets, and is only counted."""

from __future__ import annotations

import pytest
from flask import Flask
from sqlalchemy import select, update

from app.accounts.store import USER
from app.core.db import reading, transaction
from app.seed.demo import PAGE, DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, tree

NOTES = {
    ("en", 1): "1 further record is not shown.",
    ("en", 2): "2 further records are not shown.",
    ("de", 1): "1 weiterer Datensatz wird nicht angezeigt.",
    ("de", 2): "2 weitere Datensätze werden nicht angezeigt.",
}


@pytest.mark.behaviour("CH-18")
@pytest.mark.parametrize(("locale", "count"), NOTES)
def test_t11_withheld_records_are_counted_and_nothing_else(
    app: Flask, assignments: Assignments, site: DemoSite, locale: str, count: int
) -> None:
    french = _french_pages()[:count]
    assignments.ask([("hide_record", {"table": "pages", "uid": uid}) for uid, _ in french], DONE)
    assignments.decide()
    assignments.share("dora")
    with transaction() as connection:
        connection.execute(update(USER).where(USER.c.username == "dora").values(language=locale))
    numbers = [str(record.uid) for record in assignments.changes().records] + [str(uid) for uid, _ in french]
    dora = Visitor(app, site, "dora")
    base = f"/conversations/{assignments.id}"
    fragment = dora.ask(f"{base}/changes")
    for answer in (fragment, dora.get(f"{base}?changes=1"), dora.ask(f"{base}/updates?after=0&rev=0")):
        body = answer.get_data(as_text=True)
        assert answer.status_code == 200
        assert not [title for _, title in french if title in body]
        assert not [number for number in numbers if f"pages/{number}" in body or f"chg-pages-{number}" in body]
        assert "data-record" not in body
    note = tree(fragment).select_one("[data-note=withheld]")
    assert note is not None
    assert (note.get_text(strip=True), note["data-count"]) == (NOTES[locale, count], str(count))


def _french_pages() -> list[tuple[int, str]]:
    with reading() as connection:
        rows = connection.execute(select(PAGE.c.uid, PAGE.c.title).where(PAGE.c.language_id == 2).order_by(PAGE.c.uid))
        return [(row.uid, row.title) for row in rows]
