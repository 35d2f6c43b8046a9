"""Out and in again: an exported branch, imported elsewhere, has the same titles, texts, languages and hidden marks."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import update

from app.content import models
from app.content.errors import WriteRefused
from app.content.exports import TooLarge, read_branch, render_branch, write_folder, write_zip
from app.content.exports.bodies import Section, escaped, joined, plain_heading
from app.content.exports.branch import Branch
from app.content.files import Storage
from app.content.imports.markdown import read_tree
from app.content.imports.writing import ImportTarget, import_tree
from app.content.types import Origin, Row, WriteContext
from app.content.writer import Batch
from app.core import clock as core_clock
from app.core.db import reading, transaction
from app.core.errors import Conflict
from app.core.i18n import render
from app.policy.identity import LIVE
from app.seed.demo import DemoSite
from app.seed.installation import seed_actor
from tests.support.clock import FakeClock
from tests.support.personas import IdentityOf
from tests.support.statements import count_statements

CODES = {0: "en", 1: "de"}
ROOT = Path(__file__).resolve().parents[3]
FIXTURE = ROOT / "tests" / "fixtures" / "markdown_site"
MANUAL = ROOT.parent / "shared" / "data" / "contao-manual"
PARTS = ["article-management", "introduction", "guides", "cli"]


class Bench:
    """Imports and exports on the demo's site."""

    def __init__(self, app: Flask, site: DemoSite) -> None:
        self.site = site
        self.files = app.extensions["imprimatur"].settings.data_folder / "files"
        self.storages = {1: Storage(folder=self.files)}

    def write(self, act: Callable[[Batch], Any]) -> Any:
        context = WriteContext(
            actor=seed_actor(), workspace_id=LIVE, origin=Origin.SEED, correlation="t/1", now=core_clock.now()
        )
        with transaction() as connection:
            batch = Batch(connection, context)
            found = act(batch)
            batch.finish()
        return found

    def take_in(self, folder: Path) -> int:
        """Import below a new page; returns the uid of the imported root."""
        parent = self.write(lambda batch: batch.create("pages", self.site.pages["root"], {"title": "In"}).uid)
        languages = {code: number for number, code in CODES.items()}
        target = ImportTarget(
            actor=seed_actor(), parent_uid=parent, languages=languages, storage_id=1, files_folder=self.files
        )
        result = import_tree(read_tree(folder, list(languages)), target)
        assert result.failed == 0, [render(note.sentence, "en") for note in result.notes]
        (top,) = self.branch(parent).below[parent]
        return top.live_uid

    def branch(self, uid: int) -> Branch:
        with reading() as connection:
            return read_branch(connection, uid, LIVE, list(CODES))

    def give_out(self, uid: int, folder: Path) -> list[str]:
        export = render_branch(self.branch(uid), CODES)
        counts = write_folder(export, folder, self.storages)
        assert counts.missing == 0
        return [render(note.sentence, "en") for note in export.notes]

    def shape(self, uid: int) -> list[Any]:
        """Titles, texts, languages and marks of a branch, without numbers."""
        branch = self.branch(uid)
        names = {page.live_uid: f"<{page['title']}>" for page in branch.pages}
        files = {number: f"<{row['sha256'][:8]}>" for number, row in branch.files.items()}

        def named(element: Row) -> tuple[str, str]:
            body = re.sub(r"page:(\d+)", lambda match: names.get(int(match[1]), match[0]), element["body"])
            body = re.sub(r"file:(\d+)", lambda match: files.get(int(match[1]), match[0]), body)
            return element["header"], body

        def text(row: Row | None, page: int, number: int) -> Any:
            elements = [named(element) for element in branch.elements.get((page, number), ())]
            return None if row is None else (row["title"], row["description"], row["hidden"], elements)

        def of(page: Row) -> Any:
            uid = page.live_uid
            texts = [text(page, uid, 0), text(branch.translations.get(uid, {}).get(1), uid, 1)]
            return (texts, [of(child) for child in branch.below.get(uid, ())])

        return [of(branch.pages[0])]


@pytest.fixture
def bench(app: Flask, clock: FakeClock, site: DemoSite) -> Bench:
    return Bench(app, site)


def test_it_comes_back_as_it_went(bench: Bench, tmp_path: Path) -> None:
    first = bench.take_in(FIXTURE)
    assert bench.give_out(first, tmp_path / "out") == []
    second = bench.take_in(tmp_path / "out")
    assert bench.shape(second) == bench.shape(first)
    assert len(bench.branch(first).pages) > 3
    assert (tmp_path / "out" / "_index.de.md").read_text(encoding="utf-8").startswith("---\ntitle: Garten\n")


@pytest.mark.parametrize("part", PARTS)
def test_it_brings_a_manual_back(bench: Bench, tmp_path: Path, part: str) -> None:
    if not MANUAL.is_dir():
        pytest.skip("the manual lies beside a full checkout, in shared/data/contao-manual")
    first = bench.take_in(MANUAL / part)
    bench.give_out(first, tmp_path / "out")
    second = bench.take_in(tmp_path / "out")
    assert bench.shape(second) == bench.shape(first)


def test_it_keeps_marks_and_tells_what_files_cannot_say(bench: Bench, tmp_path: Path) -> None:
    def make(batch: Batch) -> int:
        top = batch.create("pages", bench.site.pages["root"], {"title": "Top: “a”", "description": "x\ny"}).uid
        batch.create("pages", top, {"title": "Index"}, hidden=True)
        batch.create("pages", top, {"title": "de"})
        batch.create("pages", top, {"title": "Same"})
        batch.create("pages", top, {"title": "Same", "groups": "9", "endtime": 2**31})
        batch.create("pages", top, {"title": "日本"})
        batch.create("content_elements", top, {"header": "Secret", "body": "quiet"}, hidden=True)
        batch.create("content_elements", top, {"header": "Open", "body": "loud"})
        return int(top)

    top = bench.write(make)
    notes = bench.give_out(top, tmp_path / "out")
    found = {
        path.relative_to(tmp_path / "out").as_posix(): path.read_text() for path in (tmp_path / "out").rglob("*.md")
    }
    index, de, _, other, japanese = (page.live_uid for page in bench.branch(top).pages[1:])
    names = {f"index-{index}", f"de-{de}", "same", f"same-{other}", f"page-{japanese}"}
    assert found.keys() == {"_index.en.md", "_index.en.hidden.md", *(f"{name}.en.md" for name in names)}
    assert "draft: true" in found[f"index-{index}.en.md"]
    assert "draft: true" in found[f"same-{other}.en.md"]
    assert "expiryDate: '2038" in found[f"same-{other}.en.md"]
    assert "quiet" not in found["_index.en.md"]
    assert "quiet" in found["_index.en.hidden.md"]
    assert notes == ["_index.en.hidden.md holds 1 content element that is hidden or limited. An import leaves it out."]
    again = bench.take_in(tmp_path / "out")
    hidden = {page["title"]: page["hidden"] for page in bench.branch(again).pages}
    assert hidden == {"Top: “a”": False, "Index": True, "de": False, "Same": True, "日本": False}


def test_it_takes_pictures_along(bench: Bench, site: DemoSite, tmp_path: Path) -> None:
    bench.give_out(site.pages["root"], tmp_path / "out")
    pictures = list((tmp_path / "out" / "static" / "files").iterdir())
    assert pictures
    again = bench.take_in(tmp_path / "out")
    assert bench.branch(again).files.keys()


@pytest.mark.parametrize(
    "bodies",
    [
        ["plain", "two\n\n### Deep"],
        ["## Two\n\ntext", "x"],
        ["Title\n=====\n\ntext", "# One\n\n```\n# no heading\n```"],
        ["```\nopen fence", "after"],
        ['{{< relref "x" >}} and {{% notice %}}', "`{{< y >}}`"],
        ["- a\n\n  # inside a list\n", "> ## quoted"],
    ],
)
def test_it_finds_the_same_sections_again(tmp_path: Path, bodies: list[str]) -> None:
    headers = ["1. First *of* [all] #", "Second_one_ <b> & `c` #hash"]
    sections = [Section(header=header, body=body) for header, body in zip(headers, bodies, strict=True)]
    words = joined([Section(header="", body="Before."), *sections])
    (tmp_path / "_index.en.md").write_text(f"---\ntitle: T\n---\n{words}\n", encoding="utf-8")
    tree = read_tree(tmp_path, ["en"])
    found = [(section.header, section.body) for section in tree.pages[0].translations["en"].sections]
    assert [header for header, _ in found] == ["", *headers]
    assert [word for _, body in found for word in re.findall(r"\w+", body)] == re.findall(
        r"\w+", "\n".join(["Before.", *bodies])
    )
    assert tree.report == ()


def test_it_escapes_what_would_be_more_than_words() -> None:
    assert plain_heading("1. a") == "1\\. a"
    assert escaped("{{< x >}}") == "{{</* x */>}}"


def test_it_gives_people_what_they_may_read(
    bench: Bench, site: DemoSite, identity_of: IdentityOf, tmp_path: Path
) -> None:
    with reading() as connection:
        anna = read_branch(connection, site.pages["visit"], LIVE, [0, 1, 2], reader=identity_of("anna"))
        dora = read_branch(connection, site.pages["visit"], LIVE, [0, 1, 2], reader=identity_of("dora"))
        for uid in (site.pages["staff"], 987_654):
            with pytest.raises(WriteRefused, match="not_found"):
                read_branch(connection, uid, LIVE, [0], reader=identity_of("anna"))
        with pytest.raises(TooLarge):
            read_branch(connection, site.pages["root"], LIVE, [0], most=3)
    titles = {page["title"] for page in anna.pages}
    assert "Opening hours" in titles
    assert titles.isdisjoint({"Staff area", "Rota"})
    assert anna.translations[site.pages["visit"]].keys() == {1, 2}
    assert dora.translations[site.pages["visit"]].keys() == {1}


def test_it_needs_a_constant_number_of_statements(bench: Bench, site: DemoSite) -> None:
    def grow(batch: Batch) -> None:
        for number in range(40):
            uid = batch.create("pages", site.pages["about"], {"title": f"P{number}"}).uid
            batch.create("content_elements", uid, {"header": "x"})

    with count_statements() as small:
        bench.branch(site.pages["root"])
    bench.write(grow)
    with count_statements() as large:
        bench.branch(site.pages["root"])
    assert len(large) == len(small) <= 9


def test_it_writes_into_empty_folders_only(bench: Bench, site: DemoSite, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(Conflict):
        bench.give_out(site.pages["root"], tmp_path)


def test_it_makes_the_same_archive_twice(bench: Bench, site: DemoSite) -> None:
    archives = []
    for _ in range(2):
        target = BytesIO()
        write_zip(render_branch(bench.branch(site.pages["about"]), CODES), target, bench.storages)
        archives.append(target.getvalue())
    assert archives[0] == archives[1]
    with zipfile.ZipFile(BytesIO(archives[0])) as archive:
        assert archive.testzip() is None
        assert "press.de.md" in archive.namelist()


def test_it_counts_files_whose_bytes_are_gone(bench: Bench, site: DemoSite, tmp_path: Path) -> None:
    with transaction() as connection:
        connection.execute(update(models.File.__table__).values(sha256="0" * 64))
    export = render_branch(bench.branch(site.pages["root"]), CODES)
    counts = write_folder(export, tmp_path / "out", bench.storages)
    assert (counts.files, counts.missing) == (0, len(export.files))
