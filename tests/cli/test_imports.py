"""``imprimatur import markdown``: its options and its last line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Commands

SITE = Path(__file__).resolve().parents[1] / "fixtures" / "markdown_site"


def last_line(output: str) -> str:
    return output.splitlines()[-1]


def test_it_imports_once(commands: Commands) -> None:
    first = commands.done("import", "markdown", str(SITE), "--languages", "en,de")
    second = commands.done("import", "markdown", str(SITE), "--languages", "en,de")

    assert last_line(first) == "created 21, updated 0, unchanged 0, failed 0"
    assert last_line(second) == "created 0, updated 0, unchanged 21, failed 0"
    assert "only-german.de.md was skipped: there is no file in the default language." in first
    assert list(commands.folder.glob("files/??/??/*"))


def test_it_takes_all_languages_of_the_site(commands: Commands) -> None:
    assert last_line(commands.done("import", "markdown", str(SITE))) == "created 21, updated 0, unchanged 0, failed 0"


def test_it_goes_on_after_a_broken_file(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a.en.md").write_text("---\ntitle: [\n---\n", encoding="utf-8")
    (tmp_path / "source" / "b.en.md").write_text("---\ntitle: B\n---\nText.\n", encoding="utf-8")

    output = commands.done("import", "markdown", str(tmp_path / "source"), "--languages", "en")

    assert "a.en.md could not be read. Its front matter is not valid." in output
    assert last_line(output) == "created 3, updated 0, unchanged 0, failed 1"


def test_it_prints_the_first_notes_of_a_kind_or_all(commands: Commands, tmp_path: Path) -> None:
    pictures = "\n\n".join(f"![x](gone{at}.png)" for at in range(15))
    (tmp_path / "a.en.md").write_text(f"---\ntitle: A\n---\n{pictures}\n", encoding="utf-8")
    words = ("import", "markdown", str(tmp_path), "--languages", "en")

    short, long = commands.done(*words), commands.done(*words, "--verbose")

    assert short.count("which could not be used") == 10
    assert "… and 5 more of this kind (--verbose prints all)." in short
    assert long.count("which could not be used") == 15


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--languages", "de,en"), 2, "The first language must be the default language of the site."),
        (("--languages", "en,xx"), 2, "The site has no language “xx”. It has: en, de, fr."),
        (("--languages", "en", "--parent", "99999"), 1, "There is no page 99999 in the default language."),
        (("--languages", "en", "--group", "Nobody"), 1, "There is no group with the title “Nobody”."),
    ],
)
def test_it_refuses_what_does_not_exist(commands: Commands, options: tuple[str, ...], code: int, sentence: str) -> None:
    result = commands("import", "markdown", str(SITE), *options)

    assert result.exit_code == code
    assert sentence in result.stderr


def test_it_refuses_a_folder_that_is_not_there(commands: Commands) -> None:
    assert commands("import", "markdown", str(SITE / "nowhere")).exit_code == 2
