"""Texts for people: lazy, with named placeholders, worded in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po
from hypothesis import given
from hypothesis import strategies as st

from app.core import i18n
from app.core.i18n import Text, decode, encode, known_locales, nptext, ntext, ptext, render, text
from app.core.moments import Moment

AFTERNOON = 1_794_576_720  # 2026-11-13 13:32 UTC


@pytest.fixture
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A small German catalogue instead of the real ones."""
    catalogue = Catalog(locale="de")
    catalogue.add("Hello %(name)s", "Guten Tag, %(name)s")
    catalogue.add("open", "öffnen", context="verb")
    catalogue.add("open", "offen", context="state")
    catalogue.add(("%(n)s page", "%(n)s pages"), ("%(n)s Seite", "%(n)s Seiten"))
    catalogue.add(("%(n)s page", "%(n)s pages"), ("%(n)s Blatt", "%(n)s Blätter"), context="paper")
    catalogue.add("Since %(when)s", "Seit %(when)s")
    catalogue.add("100 %%", "100\u00a0%%")
    catalogue.fuzzy = False
    path = tmp_path / "de" / "LC_MESSAGES" / "messages.po"
    path.parent.mkdir(parents=True)
    with path.open("wb") as target:
        write_po(target, catalogue)
    monkeypatch.setattr(i18n, "CATALOGUES", tmp_path)
    i18n.catalogue.cache_clear()
    yield
    i18n.catalogue.cache_clear()


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize(
    ("value", "english", "words"),
    [
        (text("Hello %(name)s", name="Anna"), "Hello Anna", "Guten Tag, Anna"),
        (text("Hello %(name)s", name="100 %(n)s"), "Hello 100 %(n)s", "Guten Tag, 100 %(n)s"),
        (text("100 %%"), "100 %", "100\u00a0%"),
        (ptext("verb", "open"), "open", "öffnen"),
        (ptext("state", "open"), "open", "offen"),
        (text("open"), "open", "open"),
        (ntext("%(n)s page", "%(n)s pages", 1), "1 page", "1 Seite"),
        (ntext("%(n)s page", "%(n)s pages", 0), "0 pages", "0 Seiten"),
        (ntext("%(n)s page", "%(n)s pages", 1000), "1,000 pages", "1.000 Seiten"),
        (nptext("paper", "%(n)s page", "%(n)s pages", 2), "2 pages", "2 Blätter"),
        (nptext("none", "%(n)s page", "%(n)s pages", 2), "2 pages", "2 pages"),
        (
            text("Hello %(name)s", name=ntext("%(n)s page", "%(n)s pages", 2)),
            "Hello 2 pages",
            "Guten Tag, 2 Seiten",
        ),
        (
            text("Since %(when)s", when=Moment(seconds=AFTERNOON)),
            "Since 13 November 2026, 14:32",
            "Seit 13. November 2026, 14:32 Uhr",
        ),
    ],
)
def test_it_words_a_text_in_both_languages(value: Text, english: str, words: str) -> None:
    assert render(value, "en", "Europe/Berlin") == english
    assert render(value, "de", "Europe/Berlin") == words


@pytest.mark.usefixtures("german")
def test_it_speaks_the_source_language_where_there_is_no_catalogue() -> None:
    assert render(text("Hello %(name)s", name="Anna"), "fr") == "Hello Anna"
    assert known_locales() == ("en", "de")


@pytest.mark.parametrize("locale", ["../de", "", "de/../de"])
def test_it_does_not_fail_for_a_locale_that_is_none(locale: str) -> None:
    assert render(text("no such entry"), locale) == "no such entry"


def test_it_fills_placeholders_later() -> None:
    value = text("%(a)s %(b)s", a="1").with_params(b="2", a="3")
    assert render(value, "en") == "3 2"
    assert value == text("%(a)s %(b)s", b="2", a="3")
    counted = ntext("%(n)s of %(a)s", "%(n)s of %(a)s", 3).with_params(a="x")
    assert render(counted, "en") == "3 of x"


_WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
_NAMES = st.text("abcdefghijklmnopqrstuvwxyz_", min_size=1, max_size=8) | st.sampled_from(
    ["moment", "m", "p", "c", "n", "a"]
)


def _texts(param: st.SearchStrategy[i18n.Param]) -> st.SearchStrategy[Text]:
    params = st.dictionaries(_NAMES, param, max_size=3).map(lambda found: tuple(sorted(found.items())))
    return st.builds(
        Text,
        message=_WORDS,
        plural=st.none() | _WORDS,
        context=st.none() | _WORDS,
        count=st.none() | st.integers(),
        params=params,
    )


_PARAMS: st.SearchStrategy[i18n.Param] = st.recursive(
    _WORDS | st.integers() | st.builds(Moment, seconds=st.integers(0, 2**40)), _texts, max_leaves=4
)


@given(_texts(_PARAMS))
def test_it_keeps_a_text_in_plain_data(value: Text) -> None:
    assert decode(json.loads(json.dumps(encode(value)))) == value


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"m": "a"},
        {"m": "a", "p": None, "c": None, "n": None, "a": []},
        {"m": "a", "p": None, "c": None, "n": None, "a": {"x": None}},
        {"m": "a", "p": None, "c": None, "n": None, "a": {"x": [1]}},
        {"m": "a", "p": None, "c": None, "n": None, "a": {"x": {"b": 1}}},
    ],
)
def test_it_takes_nothing_that_is_no_text(stored: dict[str, object]) -> None:
    with pytest.raises((KeyError, TypeError)):
        decode(stored)
