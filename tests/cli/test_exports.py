"""``imprimatur export markdown`` and ``import wordpress``: options, last lines, refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Commands

SITE = Path(__file__).resolve().parents[1] / "fixtures" / "markdown_site"
WXR = """<?xml version="1.0"?><rss xmlns:wp="http://wordpress.org/export/1.2/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><wp:wxr_version>1.2</wp:wxr_version>
<item><title>A</title><content:encoded>Text</content:encoded><wp:post_id>1</wp:post_id>
<wp:post_type>page</wp:post_type><wp:status>publish</wp:status></item></channel></rss>"""


def last_line(output: str) -> str:
    return output.splitlines()[-1]


def test_it_writes_a_branch(commands: Commands, tmp_path: Path) -> None:
    output = commands.done("export", "markdown", str(tmp_path / "out"), "--page", "2", "--languages", "en,de")
    assert last_line(output).startswith("pages 6, texts ")
    assert (tmp_path / "out" / "_index.de.md").is_file()
    assert "title: Visit" in (tmp_path / "out" / "_index.en.md").read_text(encoding="utf-8")
    assert "is hidden or limited" in output


def test_it_writes_what_the_import_reads(commands: Commands, tmp_path: Path) -> None:
    commands.done("export", "markdown", str(tmp_path / "out"), "--page", "8")
    output = commands.done("import", "markdown", str(tmp_path / "out"), "--parent", "13")
    assert last_line(output).endswith(", updated 0, unchanged 0, failed 0")


@pytest.mark.parametrize(
    ("options", "code", "sentence"),
    [
        (("--page", "2", "--languages", "de,en"), 2, "The first language must be the default language of the site."),
        (("--page", "2", "--workspace", "None"), 1, "There is no workspace “None”."),
        (("--page", "99999"), 1, ""),
        ((), 2, "Missing option"),
    ],
)
def test_it_refuses_what_does_not_exist(
    commands: Commands, tmp_path: Path, options: tuple[str, ...], code: int, sentence: str
) -> None:
    result = commands("export", "markdown", str(tmp_path / "out"), *options)
    assert result.exit_code == code, result.output
    assert sentence in result.stderr
    assert not (tmp_path / "out").exists()


def test_it_writes_a_draft(commands: Commands, tmp_path: Path) -> None:
    output = commands.done("export", "markdown", str(tmp_path / "out"), "--page", "2", "--workspace", "Relaunch")
    assert last_line(output).startswith("pages 6, ")


def test_it_does_not_write_over_anything(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "a.txt").write_text("keep")
    result = commands("export", "markdown", str(tmp_path / "mine"), "--page", "2")
    assert (result.exit_code, (tmp_path / "mine" / "a.txt").read_text()) == (1, "keep")
    assert "exists and is not an empty folder." in result.stderr


def test_it_imports_an_export_of_wordpress_once(commands: Commands, tmp_path: Path) -> None:
    path = tmp_path / "x.xml"
    path.write_text(WXR)
    words = ("import", "wordpress", str(path), "--parent", "2", "--group", "Editorial")
    assert last_line(commands.done(*words)) == "created 2, updated 0, unchanged 0, failed 0"
    assert last_line(commands.done(*words)) == "created 0, updated 0, unchanged 2, failed 0"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("<!DOCTYPE rss>" + WXR.partition("?>")[2], "The file declares a document type or entities. It is not read."),
        ("<rss/>", "The file is no WordPress export."),
        ("{}", "The file is not valid XML."),
    ],
)
def test_it_refuses_other_files(commands: Commands, tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "x.xml"
    path.write_text(content)
    result = commands("import", "wordpress", str(path))
    assert result.exit_code == 1
    assert sentence in result.stderr
