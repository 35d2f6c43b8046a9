"""The real bilingual manual, when it lies next to the project."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from app.content.imports.markdown import ReportKind, SourceTree, read_tree

MANUAL = Path(__file__).resolve().parents[5] / "shared" / "data" / "contao-manual"

pytestmark = pytest.mark.skipif(not MANUAL.is_dir(), reason="the manual is not at ../shared/data/contao-manual")


@pytest.fixture(scope="module")
def manual() -> SourceTree:
    return read_tree(MANUAL, ["en", "de"])


def test_it_imports_every_page_in_both_languages(manual: SourceTree) -> None:
    assert len(manual.pages) == 152
    assert all(list(page.translations) == ["en", "de"] for page in manual.pages)
    assert {page.key for page in manual.pages} == {
        re.sub(r"(^|/)_index$", "", path.relative_to(MANUAL).as_posix().removesuffix(".en.md"))
        for path in MANUAL.rglob("*.en.md")
    }


def test_it_makes_one_element_per_section(manual: SourceTree) -> None:
    counts = {
        language: sum(len(page.translations[language].sections) for page in manual.pages) for language in ("en", "de")
    }
    assert counts == {"en": 624, "de": 624}
    surplus = [s for page in manual.pages for s in page.translations["de"].sections if s.partner_index is None]
    assert len(surplus) == 1


def test_it_puts_parents_before_children(manual: SourceTree) -> None:
    seen: set[str | None] = {None}
    for page in manual.pages:
        assert page.parent_key in seen
        seen.add(page.key)


def test_it_leaves_no_shortcode_and_no_token_behind(manual: SourceTree) -> None:
    bodies = [s.body + s.header for page in manual.pages for text in page.translations.values() for s in text.sections]
    assert not [body for body in bodies if re.search(r"\{\{[<%]|shortcode\w*\d+z", body)]


def test_it_points_only_at_pages_that_exist(manual: SourceTree) -> None:
    keys = {page.key for page in manual.pages}
    bodies = [s.body for page in manual.pages for text in page.translations.values() for s in text.sections]
    targets = {target for body in bodies for target in re.findall(r"\]\(page:([^)#]*)", body)}
    assert len(targets) > 50
    assert targets <= keys


def test_it_reports_the_missing_pictures_and_little_else(manual: SourceTree) -> None:
    counts = Counter(entry.kind for entry in manual.report)
    assert counts.pop(ReportKind.MISSING_IMAGE) > 600
    assert counts == {ReportKind.UNRESOLVED_LINK: 5, ReportKind.SKIPPED_NO_LANGUAGE: 1}
