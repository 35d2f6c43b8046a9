"""The card over the web."""

from __future__ import annotations

import pytest
from flask import Flask

from app.seed.demo import DemoSite
from tests.support.assignments import DONE, Assignments
from tests.support.visitor import Visitor, one, tree


def hide(site: DemoSite) -> tuple[str, dict[str, object]]:
    return ("hide_record", {"table": "pages", "uid": site.pages["hours"]})


def test_part_and_page_show_the_same_card(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    anna, url = Visitor(app, site, "anna"), f"/runs/{assignments.run_uuid}/card"
    part, page = tree(anna.ask(url)), tree(anna.get(url))
    for found in (part, page):
        entry = one(found, f"li#card-{assignments.run_uuid}[data-card-url='{url}']")
        assert entry["data-seq"] == "2"
        article = one(entry, "article.approval-card")
        assert article["data-digest"] == assignments.card().digest
        assert one(article, "[data-call]")["data-tool"] == "hide_record"
        assert one(article, "[data-field=hidden] ins").get_text() == "hidden"
    assert not part.select("main")
    assert one(page, f'a[href="/conversations/{assignments.id}"]:not(.threads__link)')


@pytest.mark.parametrize("card", ["0", "2", "x", "-1"])
def test_a_card_that_does_not_exist_is_not_found(
    app: Flask, site: DemoSite, assignments: Assignments, card: str
) -> None:
    assignments.ask([hide(site)])
    assert Visitor(app, site, "anna").get(f"/runs/{assignments.run_uuid}/card?card={card}").status_code == 404


def test_strangers_learn_nothing(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)])
    unknown = "00000000-0000-4000-8000-000000000000"
    for name in ("emil", "gus"):
        visitor = Visitor(app, site, name)
        for uuid in (assignments.run_uuid, unknown):
            assert visitor.get(f"/runs/{uuid}/card").status_code == 404, (name, uuid)
            assert visitor.post(f"/runs/{uuid}/approval", decision="approve").status_code == 404, (name, uuid)


def test_a_settled_card_has_no_form(app: Flask, site: DemoSite, assignments: Assignments) -> None:
    assignments.ask([hide(site)], DONE)
    assignments.decide(approve=False, reason="Not this week")
    page = tree(Visitor(app, site, "anna").ask(f"/runs/{assignments.run_uuid}/card"))
    assert one(page, "article")["data-state"] == "declined"
    assert not page.select("form")
    assert "Not this week" in page.get_text()
