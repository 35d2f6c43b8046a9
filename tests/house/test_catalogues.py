"""Every sentence of the interface exists in every language, in the words the house has agreed on."""

from __future__ import annotations

import ast
import io
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.pofile import write_po

from tests.house.sources import modules, name, read
from tests.support import catalogues
from tests.support.extraction import calls, literal, python_calls

_STRINGS = {"text": (0,), "ntext": (0, 1), "ptext": (0, 1), "nptext": (0, 1, 2)}


def dynamic_texts(source: str) -> list[int]:
    """Lines on which a text is not written out, so that no catalogue can hold it."""
    found = []
    for call in calls(ast.parse(source), _STRINGS):
        places = _STRINGS[getattr(call.func, "id", "")]
        written = [literal(argument) for argument in call.args[: places[-1] + 1]]
        if len(written) <= places[-1] or None in written:
            found.append(call.lineno)
    return found


def test_it_has_fresh_and_complete_catalogues() -> None:
    found = catalogues.problems()
    advice = "`python -m tests.support.catalogues update` extracts the texts; the German words are written by a person"
    assert not found, f"a text without words appears in the wrong language. {advice}:\n" + "\n".join(found)


def test_it_writes_texts_out() -> None:
    found = {name(path): lines for path in modules() if (lines := dynamic_texts(read(path)))}
    assert not found, f"a text built at run time is in no catalogue; write it out with placeholders: {found}"


def test_it_notices_a_text_that_is_not_written_out() -> None:
    source = 'text("a")\ntext(f"a {b}")\ntext(word)\nntext("one", many, 2)\nptext("verb", "open")\n'
    assert dynamic_texts(source) == [2, 3, 4]


def test_it_extracts_calls_and_not_subscripts() -> None:
    source = (
        b'x = text[0]\n"no text"\n# Translators: a verb\ny = ptext("verb", "open", n=1)\nz = ntext("one", "many", 2)\n'
    )
    found = list(python_calls(io.BytesIO(source), {}, ["Translators:"], {"keywords": {"text": None, "ptext": None}}))
    assert found == [(4, "ptext", ("verb", "open"), ["Translators: a verb"])]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of catalogues in which everything is right, for a source with three texts."""
    template = _catalogue(None)
    monkeypatch.setattr(catalogues, "FOLDER", tmp_path)
    monkeypatch.setattr(catalogues, "ROOT", tmp_path)
    monkeypatch.setattr(catalogues, "TEMPLATE", tmp_path / "messages.pot")
    monkeypatch.setattr(catalogues, "extract", lambda: _catalogue(None))
    _write(tmp_path / "messages.pot", template)
    _write(tmp_path / "en/LC_MESSAGES/messages.po", _catalogue("en"))
    _write(tmp_path / "de/LC_MESSAGES/messages.po", _catalogue("de"))
    return tmp_path


_GERMAN: dict[str, str | tuple[str, str]] = {
    "Approve %(step)s": "%(step)s freigeben",
    "hidden": "ausgeblendet",
    "%(n)s step": ("%(n)s Schritt", "%(n)s Schritte"),
}


def _catalogue(locale: str | None, **german: str | tuple[str, str]) -> Catalog:
    catalogue = Catalog(locale=locale)
    words = {**_GERMAN, **german}
    for message in _GERMAN:
        identifier = (message, "%(n)s steps") if message == "%(n)s step" else message
        empty: str | tuple[str, str] = ("", "") if isinstance(identifier, tuple) else ""
        catalogue.add(identifier, {"de": words[message], "en": identifier}.get(locale or "", empty))
    return catalogue


def _write(path: Path, catalogue: Catalog) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    catalogue.fuzzy = False
    with path.open("wb") as target:
        write_po(target, catalogue)


def test_it_has_nothing_to_say_about_good_catalogues(small: Path) -> None:
    assert catalogues.problems() == []


@pytest.mark.parametrize(
    ("message", "words", "complaint"),
    [
        ("hidden", "", "has no words"),
        ("hidden", "nicht sichtbar", "ausgeblendet"),
        ("hidden", "blende es für dich aus", "Sie"),
        ("hidden", "Redakteur:innen", "gender-neutral"),
        ("hidden", "ausgeblendet!", "exclaim"),
        ("hidden", 'als "ausgeblendet"', "quotation"),
        ("hidden", "ausgeblendet...", "ellipsis"),
        ("hidden", "100 % ausgeblendet", "percent sign"),
        ("Approve %(step)s", "Freigeben", "placeholders"),
        ("Approve %(step)s", "%(step)s bestätigen", "freigeben"),
        ("%(n)s step", ("Ein Schritt", "Schritte"), "placeholders"),
        ("%(n)s step", ("%(n)s Schritt", ""), "has no words"),
    ],
)
def test_it_notices_bad_words(small: Path, message: str, words: str | tuple[str, str], complaint: str) -> None:
    _write(small / "de/LC_MESSAGES/messages.po", _catalogue("de", **{message: words}))
    assert [line for line in catalogues.problems() if line.startswith("de: ") and complaint in line]


def test_it_notices_a_missing_and_an_unused_text(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = Catalog()
    for message in ("Approve %(step)s", "hidden", "new"):
        other.add(message)
    monkeypatch.setattr(catalogues, "extract", lambda: other)
    found = catalogues.problems()
    for place in ("messages.pot", "en", "de"):
        assert f"{place}: the source asks for 'new', which is missing" in found
        assert f"{place}: nothing in the source asks for '%(n)s step'" in found


def test_it_notices_an_uncertain_entry(small: Path) -> None:
    catalogue = _catalogue("de")
    catalogue["hidden"].flags.add("fuzzy")
    _write(small / "de/LC_MESSAGES/messages.po", catalogue)
    assert [line for line in catalogues.problems() if "uncertain" in line]


def test_it_notices_a_missing_catalogue(small: Path) -> None:
    (small / "de/LC_MESSAGES/messages.po").unlink()
    assert catalogues.problems() == ["de: no catalogue at de/LC_MESSAGES/messages.po"]
