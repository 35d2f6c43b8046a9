"""Folding for searching, alike in Python and both databases (B52)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, literal, select

from app.core.db import reading
from app.core.folding import fold, folded

WORDS = [
    "Öffnungszeiten",
    unicodedata.normalize("NFD", "Öffnungszeiten"),
    "STRASSE",
    "Straße",
    "ΟΔΥΣΣΕΥΣ",
    "Οδυσσεύς",
    "ABC",
    "a_b%c",
    "",
]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Öffnung", unicodedata.normalize("NFD", "öffnung")),
        ("Straße", "STRASSE"),
        ("ΟΔΟΣ", "οδος"),
        ("Ä", "ä"),
    ],
)
def test_it_finds_words_written_another_way(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_it_keeps_letters_apart_that_are_different() -> None:
    assert fold("a") != fold("ä")
    assert fold(None) is None


@given(st.text())
def test_it_changes_nothing_the_second_time(words: str) -> None:
    folded_once = fold(words)
    assert folded_once is not None
    assert fold(unicodedata.normalize("NFC", folded_once)) == fold(folded_once)


@pytest.mark.usefixtures("app")
def test_it_folds_in_sqlite_as_in_python() -> None:
    with reading() as connection:
        for words in WORDS:
            assert connection.execute(select(folded(literal(words)))).scalar_one() == fold(words)


@pytest.mark.postgres
def test_it_folds_in_postgresql_as_in_python(postgres_url: str) -> None:
    engine = create_engine(postgres_url)
    with engine.connect() as connection:
        for words in WORDS:
            assert connection.execute(select(folded(literal(words)))).scalar_one() == fold(words), words
    engine.dispose()
