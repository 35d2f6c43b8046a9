"""axe on every page, in both languages and both appearances (T56 of a11y.md section 9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from e2e.conftest import Server
from e2e.pages.journey import Journey
from e2e.pages.product import all_pages

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en", "de"])
def test_t56_axe_finds_nothing_on_any_page(
    open_journey: Callable[..., Journey], server: Server, locale: str, theme: str
) -> None:
    anna = open_journey("anna", locale=locale, theme=theme, bypass_csp=True)
    if theme == "dark":
        anna.page.emulate_media(color_scheme="dark")
    found = {}
    for name in all_pages(anna, locale):
        found[name] = anna.violations(contrast=True)
    assert {name: problems for name, problems in found.items() if problems} == {}
    assert len(found) > 30
