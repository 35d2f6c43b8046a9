"""Colours are decided in one file, in pairs for both appearances."""

from __future__ import annotations

import re

import pytest

from tests.house.sources import files, name, read, templates

TOKENS = "static/css/tokens.css"
_COMMENT = re.compile(r"/\*.*?\*/", flags=re.DOTALL)
_COLOUR = re.compile(
    r"""(?ix)
    (?<![\w(/"'-]) \#[0-9a-f]{3,8} \b (?! [^{};]* \{ )      # hex, not an id selector, not url(#…)
    | \b (?: rgba? | hsla? | hwb | lab | lch | oklab | oklch | light-dark ) \(
    | (?: color | background | border[\w-]* | outline | fill | stroke | box-shadow ) \s* : [^;{}]*
      (?<![\w-]) (?: white | black | red | green | blue | gr[ae]y | yellow | orange | purple | silver | navy | teal )
      (?![\w-])
    """
)
_DRAWN = re.compile(
    r"""(?i)\b(?:fill|stroke|stop-color|color)\s*=\s*["']\s*(?:\#|rgb|hsl|white|black|red|green|blue)"""
)


def colours(source: str) -> list[str]:
    """Colours written out in a style sheet."""
    return [match.group().strip() for match in _COLOUR.finditer(_COMMENT.sub("", source))]


def test_it_writes_colours_in_the_tokens_only() -> None:
    sheets = [path for path in files("static", "*.css") if name(path) != TOKENS]
    found = {name(path): hits for path in sheets if (hits := colours(read(path)))}
    assert not found, f"a colour outside {TOKENS} does not follow the appearance; name a token there: {found}"


def test_it_draws_icons_in_the_colour_of_the_text() -> None:
    # The favicon stands in the browser's own frame and follows no style sheet.
    drawings = [*templates(), *[path for path in files("static", "*.svg") if path.name != "favicon.svg"]]
    found = [name(path) for path in drawings if _DRAWN.search(read(path))]
    assert not found, f"a drawing with its own colour vanishes in one appearance; use currentColor: {found}"


@pytest.mark.parametrize(
    "rule",
    ["a { color: #fff; }", "a { color: rgb(0 0 0); }", "a { border: 1px solid red; }", "a { --x: light-dark(a, b); }"],
)
def test_it_notices_a_colour(rule: str) -> None:
    assert colours(rule)


@pytest.mark.parametrize(
    "rule",
    ["#add:focus { color: var(--color-text); }", "a { color: CanvasText; }", "a { mask: url(#abc); } /* #fff */"],
)
def test_it_allows_tokens_and_system_colours(rule: str) -> None:
    assert not colours(rule)
