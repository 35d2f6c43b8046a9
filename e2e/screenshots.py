"""Makes the pictures of the documentation from the demo: ``bin/test -- e2e/screenshots.py``. Not part of the check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from e2e.pages.journey import Journey

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"
REQUESTS = {
    "en": (
        "Hide the page 'Getting here'",
        "Translate the page 'Opening hours' into German and hide the old one",
        "Copy the page 'Visit' with its subpages below 'About us'",
    ),
    "de": (
        "Blende die Seite „Getting here“ aus",
        "Übersetze die Seite „Opening hours“ ins Deutsche und blende die alte aus",
        "Kopiere die Seite „Visit“ mit ihren Unterseiten unter „About us“",
    ),
}
COMBINATIONS = pytest.mark.parametrize(
    ("locale", "theme"), [("en", "light"), ("en", "dark"), ("de", "light"), ("de", "dark")]
)


def _carry_out(anna: Journey, request: str) -> None:
    anna.send(request)
    anna.wait_for("awaiting_approval")
    anna.approve.click()
    anna.wait_for("idle")


@pytest.mark.browser
@COMBINATIONS
@pytest.mark.parametrize("width", [1280, 320])
def test_take_the_card(open_journey: Callable[..., Journey], locale: str, theme: str, width: int) -> None:
    anna = open_journey("anna", locale=locale, theme=theme, width=width)
    first, second, _ = REQUESTS[locale]
    anna.new_conversation()
    _carry_out(anna, first)
    anna.send(second)
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    anna.open_changes()
    anna.page.locator("h1").click()
    anna.page.screenshot(path=IMAGES / f"card-{locale}-{theme}-{width}.png", full_page=True)


@pytest.mark.browser
@COMBINATIONS
def test_take_the_list(open_journey: Callable[..., Journey], locale: str, theme: str) -> None:
    anna = open_journey("anna", locale=locale, theme=theme)
    anna.new_conversation()
    _carry_out(anna, REQUESTS[locale][2])
    anna.open_changes()
    anna.page.locator("section[aria-labelledby=h-task]").screenshot(path=IMAGES / f"list-{locale}-{theme}-1280.png")
