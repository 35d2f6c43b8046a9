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
        "Copy the page 'Visit' with its subpages below 'About us'",
        "Translate the page no. 3 into German and hide the old one",
    ),
    "de": (
        "Kopiere die Seite „Visit“ mit ihren Unterseiten unter „About us“",
        "Übersetze die Seite Nr. 3 ins Deutsche und blende die alte aus",
    ),
}


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 320])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en", "de"])
def test_take_pictures(open_journey: Callable[..., Journey], locale: str, theme: str, width: int) -> None:
    anna = open_journey("anna", locale=locale, theme=theme, width=width)
    first, second = REQUESTS[locale]
    anna.new_conversation()
    anna.send(first)
    anna.wait_for("awaiting_approval")
    anna.approve.click()
    anna.wait_for("idle")
    anna.send(second)
    anna.wait_for("awaiting_approval")
    expect(anna.card).to_be_visible()
    anna.page.wait_for_timeout(300)
    anna.page.screenshot(path=IMAGES / f"card-{locale}-{theme}-{width}.png", full_page=True)
    anna.approve.click()
    anna.wait_for("idle")
    anna.open_changes()
    anna.page.wait_for_timeout(300)
    anna.page.locator("section[aria-labelledby=h-task]").screenshot(path=IMAGES / f"list-{locale}-{theme}-{width}.png")
