"""What the templates, scripts and catalogues must not hold: T06, T12 and T43 of a11y.md section 9."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.chat.facts import Facts, WordsOf, fact_views
from app.core.i18n import render
from app.policy.identity import Identity
from tests.house.sources import read, templates
from tests.house.test_templates import FORBIDDEN_HTMX, UNFRIENDLY, hits
from tests.support.catalogues import catalogue_path, entries
from tests.support.catalogues import read as read_catalogue

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
EVALUATES = {
    r"\beval\(": "eval",
    r"\bnew Function\b": "text as script",
    r"setTimeout\(\s*[\"'`]": "text as script",
    r"\b(?:inner|outer)HTML\s*=(?!=)": "text as markup",
    r"insertAdjacentHTML|document\.write": "text as markup",
    r"\.style\b|setAttribute\(\s*[\"']style": "a style in the page, which the policy refuses",
    r"setAttribute\(\s*[\"'](?:tabindex[\"'],\s*[\"']?[1-9]|accesskey|autofocus|aria-busy)": "what T06 forbids in templates",
    r"\bautofocus\b|\baccessKey\b|\bariaBusy\b": "what T06 forbids in templates",
    r"\.disabled\s*=": "a disabled control drops the focus",
}
PAGE_CONFIG = {
    "mode": "same-origin",
    "includeIndicatorCSS": False,
    "history": False,
    "noSwap": [204, 304, 400, 401, 403, 404, 429, "5xx"],
    "defaultTimeout": 15_000,
}
NEVER = {
    ("de", "hidden"): r"(?i)sichtbar|öffentlich|online|veröffentlicht",
    ("de", "not hidden"): r"(?i)sichtbar|öffentlich|online|veröffentlicht",
    ("en", "hidden"): r"(?i)\b(visible|public|online|published)\b",
    ("en", "not hidden"): r"(?i)\b(visible|public|online|published)\b",
    ("de", "Workspace: Live"): r"(?i)öffentlich",
    ("en", "Workspace: Live"): r"(?i)\bpublic\b",
    ("de", "Will not be carried out"): r"(?i)abgelehnt",
    ("de", "Declined"): r"(?i)zurückgewiesen",
    ("en", "Declined"): r"(?i)\brefused\b",
    ("en", "No change is listed."): r"(?i)nothing was changed|\bcomplete\b|\ball\b",
    ("de", "No change is listed."): r"(?i)nichts (wurde )?geändert|\bvollständig\b|\balle\b",
    ("en", "Writes live."): r"(?i)\bpublic\b",
    ("de", "Writes live."): r"(?i)öffentlich",
}
"""Words of the never-column of a11y.md section 8, by language and key."""


def test_t06_templates_hold_nothing_that_unsettles_a_reader() -> None:
    assert {path.name: found for path in templates() if (found := hits(UNFRIENDLY, read(path)))} == {}


def test_t43_templates_use_the_safe_part_of_htmx_only() -> None:
    assert {path.name: found for path in templates() if (found := hits(FORBIDDEN_HTMX, read(path)))} == {}


def test_t43_the_configuration_of_htmx_is_the_measured_one() -> None:
    base = read(ROOT / "templates" / "layouts" / "base.html")
    found = re.search(r"name=\"htmx-config\" content='([^']*)'", base)
    assert found is not None
    assert json.loads(found[1]) == PAGE_CONFIG


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_t06_t43_scripts_add_nothing_the_templates_may_not_have(path: Path) -> None:
    plain = COMMENT.sub("", path.read_text(encoding="utf-8"))
    assert [reason for pattern, reason in EVALUATES.items() if re.search(pattern, plain)] == []


def test_t12_hidden_is_said_as_hidden_or_not_hidden() -> None:
    words = WordsOf(identity=Identity(user_id=1, username="anna", name="Anna"), languages={})
    for hidden, said in ((True, ("hidden", "ausgeblendet")), (False, ("not hidden", "nicht ausgeblendet"))):
        facts = fact_views(Facts(action="created", workspace_id=0, hidden=hidden), words)
        label = next(fact.label for fact in facts if fact.name == "hidden")
        assert (render(label, "en"), render(label, "de")) == said


@pytest.mark.parametrize(("locale", "said"), [("en", "action not recorded"), ("de", "Aktion nicht aufgezeichnet")])
def test_t13_an_unknown_action_is_said_to_be_unknown(locale: str, said: str) -> None:
    words = WordsOf(identity=Identity(user_id=1, username="anna", name="Anna"), languages={})
    assert render(fact_views(Facts(action="unknown", workspace_id=0), words)[0].label, locale) == said


@pytest.mark.parametrize("locale", ["en", "de"])
def test_t12_no_entry_claims_more_than_is_known(locale: str) -> None:
    assert list(_claims(locale)) == []
    held = {key[1] for key in entries(read_catalogue(catalogue_path(locale), locale))}
    assert {key for wanted, key in NEVER if wanted == locale} <= held  # a key that went away guards nothing


def _claims(locale: str) -> Iterator[str]:
    for (_context, key), message in entries(read_catalogue(catalogue_path(locale), locale)).items():
        banned = NEVER.get((locale, key))
        forms = (message.string,) if isinstance(message.string, str) else tuple(message.string)
        for form in forms:
            if banned and re.search(banned, form):
                yield f"{key!r} is worded {form!r}"
