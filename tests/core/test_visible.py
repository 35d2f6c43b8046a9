"""What hides in text is shown where people decide on it (I15, B45 to B49)."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.i18n import render, text
from app.core.visible import exact

HIDING = st.text(
    alphabet="ab1日م\u200b\u200c\u200d\u2060\ufe0f\u202e\u00ad\u3164\u2028\r\U000e0041\U000e0100❤👩", max_size=8
)


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("a\u2028b\r\u0085", "a⟨U+2028⟩b⟨U+000D⟩⟨U+0085⟩"),
        ("s\ufe0f 1\ufe0f א\ufe0f", "s⟨U+FE0F⟩ 1⟨U+FE0F⟩ א⟨U+FE0F⟩"),
        ("1\ufe0f\u20e3 ❤\ufe0f", "1\ufe0f\u20e3 ❤\ufe0f"),
        ("日\u200d本", "日⟨U+200D⟩本"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),
        ("👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
        ("a\U000e0100\u034f\ue000", "a⟨U+E0100⟩⟨U+034F⟩⟨U+E000⟩"),
        ("line\nand\ttab", "line\nand\ttab"),
    ],
)
def test_it_spells_what_shows_nothing(typed: str, shown: str) -> None:
    assert exact(typed) == shown


@given(HIDING)
def test_it_leaves_only_signs_that_change_how_their_neighbours_look(words: str) -> None:
    shown = exact(words)
    left = [
        sign
        for sign in shown
        if unicodedata.category(sign) in {"Cf", "Cc", "Zl", "Zp", "Cn", "Co"} and sign not in "\n\t"
    ]
    assert set(left) <= {"\u200c", "\u200d"}
    assert exact(shown) == shown


def test_it_spells_the_names_in_sentences() -> None:
    assert render(text("Hide the page “%(title)s”", title="a\u202eb"), "en") == "Hide the page “a⟨U+202E⟩b”"
