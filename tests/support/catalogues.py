"""The catalogues of ``translations/``: what the source asks for, what they hold, and what is wrong with them.

As a program: ``python -m tests.support.catalogues check`` says what is wrong; ``update`` extracts again and rewrites
the template and every catalogue (English is filled from the source, ``--words DIR`` fills German from JSON files:
``{"message": "Wort", "one": ["eins", "mehrere"], "context\\u0004message": "Wort"}``).
"""

from __future__ import annotations

import argparse
import copy
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "translations"
TEMPLATE = FOLDER / "messages.pot"
SOURCE_LOCALE = "en"
LOCALES = ("en", "de")
"""Every text exists in these languages; further folders are checked as well when they are there."""

Key = tuple[str | None, str]
"""Context and (singular) message: what identifies an entry."""

_PLACEHOLDER = re.compile(r"%\((\w+)\)[sd]")
_TAG = re.compile(r"</?[a-z][^>]*>")


@dataclass(frozen=True, kw_only=True, slots=True)
class WordRule:
    """Words that may not stand in an entry: in ``locale``, where the English message matches ``message``."""

    locale: str
    message: str
    banned: str
    reason: str


WORD_RULES = (
    WordRule(locale="de", message="", banned=r"(?i)\b(du|dir|dich|dein\w*)\b", reason="people are addressed with Sie"),
    WordRule(locale="de", message="", banned=r"[*:_/]innen?\b", reason="gender-neutral by other words, without signs"),
    WordRule(locale="de", message="", banned="[\"']", reason="quotation marks are „ and “, the apostrophe is ’"),
    WordRule(locale="en", message="", banned='"', reason="quotation marks are “ and ”"),
    WordRule(locale="*", message="", banned=r"\.\.\.", reason="the ellipsis is one character"),
    WordRule(locale="*", message="", banned="!", reason="the interface does not exclaim"),
    WordRule(locale="*", message="", banned=r"(?i)klick|\bclick|\boops\b|\bhoppla\b", reason="not everybody clicks"),
    WordRule(locale="*", message="", banned=r"(?i)\b(ro)?bots?\b|\bchat.sessions?\b", reason="AI assistant"),
    WordRule(locale="*", message="", banned=r"\bUIDs?\b", reason="a record has a number (no. 7, Nr. 7)"),
    WordRule(
        locale="de",
        message="",
        banned=r"\b(Aufgaben?|Jobs?|Tickets?|Aufrufe?|Vier-Augen\S*)\b",
        reason="Auftrag, Schritt",
    ),
    WordRule(locale="en", message="", banned=r"(?i)\b(tasks?|tickets?|jobs?)\b", reason="assignment"),
    WordRule(locale="en", message="", banned=r"\(s\)", reason="a count uses its plural forms"),
    WordRule(locale="en", message="(?i)approv", banned=r"(?i)\bconfirm\w*|\bOK\b", reason="approve, approval"),
    WordRule(locale="de", message="(?i)approv", banned=r"(?i)bestätig|genehmig|\bOK\b", reason="freigeben, Freigabe"),
    WordRule(locale="de", message="(?i)refused by a rule", banned="(?i)abgelehnt|ablehn", reason="zurückgewiesen"),
    WordRule(locale="de", message="(?i)^(not )?hidden$", banned="(?i)sichtbar|öffentlich", reason="ausgeblendet"),
    WordRule(locale="de", message="(?i)^workspace: live", banned="(?i)öffentlich", reason="Live"),
    WordRule(
        locale="*",
        message="(?i)^the list shows what",
        banned="(?i)vollständig|complete|\\ball\\b|\\balle\\b",
        reason="CL",
    ),
)


def extract() -> Catalog:
    """What the source asks for now, by the mapping of pyproject.toml."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messages.pot"
        command = [sys.executable, "-m", "babel.messages.frontend", "-q", "extract", "-F", "pyproject.toml"]
        options = ["--add-location=file", "--sort-output", "--project=Imprimatur", "--version=0", "-c", "Translators:"]
        done = subprocess.run(  # noqa: S603
            [*command, *options, "-o", str(path), "."],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            msg = f"the texts of the source cannot be extracted:\n{done.stderr}"
            raise RuntimeError(msg)
        return read(path)


def read(path: Path, locale: str | None = None) -> Catalog:
    """The catalogue at ``path``."""
    with path.open("rb") as source:
        return read_po(source, locale=locale)


def catalogue_path(locale: str) -> Path:
    """Where the catalogue of ``locale`` lies."""
    return FOLDER / locale / "LC_MESSAGES" / "messages.po"


def locales() -> list[str]:
    """The languages to check: those that must exist and those that do."""
    found = {path.parents[1].name for path in FOLDER.glob("*/LC_MESSAGES/messages.po")}
    return [*LOCALES, *sorted(found - set(LOCALES))]


def entries(catalogue: Catalog) -> dict[Key, Message]:
    """The entries of ``catalogue`` without its header."""
    return {_key(message): message for message in catalogue if message.id}


def _key(message: Message) -> Key:
    return (message.context, _singular(message))


def _singular(message: Message) -> str:
    return message.id if isinstance(message.id, str) else str(message.id[0])


def _sources(message: Message) -> tuple[str, ...]:
    return (message.id,) if isinstance(message.id, str) else tuple(message.id)


def _words(message: Message) -> tuple[str, ...]:
    found = message.string
    return (found,) if isinstance(found, str) else tuple(found or ())


def problems() -> list[str]:
    """Everything that is wrong with the catalogues, one line each."""
    wanted = entries(extract())
    found = list(_source_problems(wanted))
    if not TEMPLATE.is_file():
        return [*found, "translations/messages.pot is missing"]
    found += _differences("messages.pot", wanted, entries(read(TEMPLATE)))
    for locale in locales():
        path = catalogue_path(locale)
        if not path.is_file():
            found.append(f"{locale}: no catalogue at {path.relative_to(ROOT)}")
            continue
        catalogue = read(path, locale)
        held = entries(catalogue)
        found += _differences(locale, wanted, held)
        found += [f"{locale}: obsolete entry {_singular(message)!r}" for message in catalogue.obsolete.values()]
        for message in held.values():
            found += [f"{locale}: {problem}: {_singular(message)!r}" for problem in _entry_problems(message, locale)]
    return found


def _differences(name: str, wanted: Mapping[Key, Message], held: Mapping[Key, Message]) -> Iterator[str]:
    for key in sorted(wanted.keys() - held.keys(), key=str):
        yield f"{name}: the source asks for {key[1]!r}, which is missing"
    for key in sorted(held.keys() - wanted.keys(), key=str):
        yield f"{name}: nothing in the source asks for {key[1]!r}"
    for key in sorted(held.keys() & wanted.keys(), key=str):
        if _sources(held[key]) != _sources(wanted[key]):
            yield f"{name}: {key[1]!r} has another plural in the source"


def _source_problems(wanted: Mapping[Key, Message]) -> Iterator[str]:
    for (_context, name), message in wanted.items():
        for source in _sources(message):
            if not _is_format(source):
                yield f"source: a percent sign that is no %(name)s and not doubled in {name!r}"


def _is_format(words: str) -> bool:
    return "%" not in _PLACEHOLDER.sub("", words.replace("%%", ""))


def _entry_problems(message: Message, locale: str) -> Iterator[str]:
    words = _words(message)
    if not words or not all(form.strip() for form in words):
        yield "has no words"
        return
    if message.fuzzy:
        yield "is marked as uncertain (fuzzy)"
    if not all(_is_format(form) for form in words):
        yield "has a percent sign that is no %(name)s and not doubled"
    yield from _placeholder_problems(message, words)
    for rule in WORD_RULES:
        if rule.locale in ("*", locale) and re.search(rule.message, _singular(message)):
            for form in words:
                plain = _TAG.sub("", _PLACEHOLDER.sub("", form))
                if hit := re.search(rule.banned, plain):
                    yield f"says {hit.group()!r} ({rule.reason})"


def _placeholder_problems(message: Message, words: tuple[str, ...]) -> Iterator[str]:
    sources = _sources(message)
    for number, form in enumerate(words):
        names = set(_PLACEHOLDER.findall(form))
        expected = set(_PLACEHOLDER.findall(sources[-1]))
        # The singular may say "one" in place of its number.
        allowed = [expected, expected - {"n"}] if len(words) > 1 and number == 0 else [expected]
        if names not in allowed:
            yield f"has the placeholders {sorted(names)} where the message has {sorted(expected)}"


def update(words_folder: Path | None) -> None:
    """Writes the template and the catalogues anew from the source."""
    template = extract()
    german = _read_words(words_folder) if words_folder else {}
    TEMPLATE.parent.mkdir(parents=True, exist_ok=True)
    if TEMPLATE.is_file():
        template.creation_date = read(TEMPLATE).creation_date  # so that an update without news changes nothing
    _write(TEMPLATE, template)
    for locale in locales():
        path = catalogue_path(locale)
        catalogue = read(path, locale) if path.is_file() else Catalog(locale=locale, project="Imprimatur", version="0")
        catalogue.update(copy.deepcopy(template), no_fuzzy_matching=True)  # new entries are taken over, not copied
        catalogue.obsolete.clear()
        for message in catalogue:
            if message.id:
                _fill(message, locale, german)
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, catalogue)


def _fill(message: Message, locale: str, german: Mapping[str, str | list[str]]) -> None:
    if locale == SOURCE_LOCALE:
        message.string = message.id
    elif locale == "de":
        name = f"{message.context}\u0004{_singular(message)}" if message.context else _singular(message)
        if (words := german.get(name)) is not None:
            message.string = tuple(words) if isinstance(words, list) else words


def _read_words(folder: Path) -> dict[str, str | list[str]]:
    merged: dict[str, str | list[str]] = {}
    for path in sorted(folder.glob("*.json")):
        for name, words in json.loads(path.read_text(encoding="utf-8")).items():
            if merged.setdefault(name, words) != words:
                sys.stdout.write(
                    f"{path.name}: {name!r} has other words in an earlier file: {merged[name]!r}, {words!r}\n"
                )
    return merged


def _write(path: Path, catalogue: Catalog) -> None:
    catalogue.header_comment = "# Imprimatur: the words of the interface."
    catalogue.msgid_bugs_address, catalogue.last_translator, catalogue.language_team = (
        "none",
        "Imprimatur",
        "Imprimatur",
    )
    catalogue.revision_date, catalogue.fuzzy = catalogue.creation_date, False
    with path.open("wb") as target:
        write_po(
            target,
            catalogue,
            sort_output=True,
            omit_header=False,
            width=120,
            include_lineno=False,
            ignore_obsolete=True,
        )


def main(arguments: list[str] | None = None) -> int:
    """Checks or updates; 1 when something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.support.catalogues")
    parser.add_argument("command", choices=["check", "update"])
    parser.add_argument("--words", type=Path, help="folder of JSON files with German words")
    options = parser.parse_args(arguments)
    if options.command == "update":
        update(options.words)
    found = problems()
    sys.stdout.writelines(f"{line}\n" for line in found)
    if not found:
        sys.stdout.write("The catalogues are fresh and complete.\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
