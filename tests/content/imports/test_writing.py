"""The writing half: a tree becomes records, a second import changes nothing, a changed source changes only its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select
from sqlalchemy import text as sql

from app.content.errors import WriteRefused
from app.content.files.storage import Storage
from app.content.hooks import HOOKS, Values
from app.content.imports.markdown import read_tree
from app.content.imports.placeholders import resolve
from app.content.imports.sections import match_sections
from app.content.imports.stored import StoredRecord, bounded
from app.content.imports.writing import ImportResult, ImportTarget, find_parent, import_tree
from app.content.schema import REGISTRY
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock as core_clock
from app.core.db import reading, transaction
from app.core.errors import Invalid
from app.core.i18n import render
from app.seed.installation import seed_actor
from tests.support.clock import FakeClock
from tests.support.statements import count_statements

STATEMENTS_PER_RECORD = 10  # 8 when written: what a record costs must not grow unnoticed
MANUAL = Path(__file__).resolve().parents[4] / "shared" / "data" / "contao-manual"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000a49444154789c63000100000500010d0a2db40000000049454e44ae426082"
)

HOUSES = "Intro.\n\n## Roof\n\nTiles ![a roof](roof.png).\n\n## Door\n\nWood."
GERMAN_HOUSES = "Vorwort.\n\n## Dach\n\nZiegel ![ein Dach](roof.png).\n\n## Tür\n\nHolz.\n\n## Nur hier\n\nMehr."


def page(title: str, body: str = "", head: str = "") -> str:
    return f"---\ntitle: {title}\n{head}---\n{body}"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small bilingual tree with links in both directions, a picture and a draft."""
    folder = tmp_path / "source"
    files = {
        "_index.en.md": page("Guide", "See [houses](houses/) and [trees](trees.md)."),
        "_index.de.md": page("Handbuch", "Siehe [Häuser](houses/)."),
        "houses/_index.en.md": page("Houses", HOUSES, "weight: 1\n"),
        "houses/_index.de.md": page("Häuser", GERMAN_HOUSES),
        "houses/small.en.md": page("Small houses", "Back to [the guide](/_index.md).", "draft: true\n"),
        "trees.en.md": page("Trees", "## Oak\n\nOld.", "weight: 2\n"),
    }
    for name, words in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(words, encoding="utf-8")
    (folder / "houses" / "roof.png").write_bytes(PIXEL)
    return folder


class Importer:
    """Imports a folder below the root page of the demo."""

    def __init__(self, app: Flask, files: Path) -> None:
        with reading() as connection:
            parent = find_parent(connection, None)
        self.files = files
        self.target = ImportTarget(
            actor=seed_actor(main_group_id=1),
            parent_uid=parent,
            languages={"en": 0, "de": 1},
            storage_id=1,
            files_folder=files,
        )

    def __call__(self, folder: Path) -> ImportResult:
        return import_tree(read_tree(folder, ["en", "de"]), self.target)

    def row(self, table: str, **equal: Any) -> dict[str, Any]:
        found = self.rows(table, **equal)
        assert len(found) == 1, (table, equal, found)
        return found[0]

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        columns = REGISTRY[table].table
        conditions = [columns.c[name] == value for name, value in equal.items()]
        with reading() as connection:
            query = select(columns).where(columns.c.import_key != "", *conditions).order_by(columns.c.uid)
            return [dict(row) for row in connection.execute(query).mappings()]

    def sections(self, page_uid: int, language_id: int = 0) -> list[str]:
        rows = self.rows("content_elements", pid=page_uid, language_id=language_id, deleted=False)
        return [row["header"] for row in sorted(rows, key=lambda row: row["sorting"])]

    def change(self, act: Callable[[Batch], object]) -> None:
        """Something a person does to imported content."""
        context = WriteContext(
            actor=self.target.actor, workspace_id=0, origin=Origin.PERSON, correlation="person/1", now=core_clock.now()
        )
        with transaction() as connection:
            batch = Batch(connection, context)
            act(batch)
            batch.finish()


@pytest.fixture
def importer(app: Flask, clock: FakeClock, tmp_path: Path) -> Importer:
    return Importer(app, tmp_path / "data" / "files")


def numbers(result: ImportResult) -> tuple[int, int, int, int]:
    return result.created, result.updated, result.unchanged, result.failed


def sentences(result: ImportResult) -> list[str]:
    return [render(note.sentence, "en") for note in result.notes]


def edit(path: Path, old: str, new: str) -> None:
    words = path.read_text(encoding="utf-8")
    assert old in words
    path.write_text(words.replace(old, new), encoding="utf-8")


def test_it_makes_pages_elements_and_translations(importer: Importer, source: Path) -> None:
    result = importer(source)

    assert result.failed == 0
    guide = importer.row("pages", title="Guide")
    assert guide["pid"] == importer.target.parent_uid
    assert guide["group_id"] == 1
    german = importer.row("pages", title="Handbuch")
    assert (german["translation_parent"], german["language_id"], german["hidden"]) == (guide["uid"], 1, False)
    houses = importer.row("pages", title="Houses")
    assert houses["pid"] == guide["uid"]
    assert houses["sorting"] < importer.row("pages", title="Trees")["sorting"]
    assert importer.sections(houses["uid"]) == ["", "Roof", "Door"]
    roof = importer.row("content_elements", header="Roof")
    dach = importer.row("content_elements", header="Dach")
    assert (dach["translation_parent"], dach["pid"], dach["hidden"]) == (roof["uid"], houses["uid"], False)
    alone = importer.row("content_elements", header="Nur hier")
    assert (alone["translation_parent"], alone["language_id"], alone["pid"]) == (0, 1, houses["uid"])
    assert "[" not in dach["header"]


def test_it_hides_drafts_and_shows_future_pages_on_their_day(importer: Importer, source: Path) -> None:
    edit(source / "trees.en.md", "weight: 2\n", "date: 2099-01-01\n")

    importer(source)

    assert importer.row("pages", title="Small houses")["hidden"] is True
    assert importer.row("pages", title="Trees")["starttime"] == 4_070_908_800


def test_it_leads_links_to_records_also_forward(importer: Importer, source: Path) -> None:
    importer(source)

    guide, houses, trees = (importer.row("pages", title=title)["uid"] for title in ("Guide", "Houses", "Trees"))
    body = importer.row("content_elements", pid=guide, language_id=0)["body"]
    assert body == f"See [houses](page:{houses}) and [trees](page:{trees})."
    assert f"(page:{houses})" in importer.row("content_elements", pid=guide, language_id=1)["body"]


def test_it_brings_pictures_with_words_in_both_languages(importer: Importer, source: Path) -> None:
    importer(source)

    file = importer.row("files")
    assert (file["mime"], file["size"]) == ("image/png", len(PIXEL))
    assert Storage(folder=importer.files).place(file["sha256"]).read_bytes() == PIXEL
    words = {row["language_id"]: row["alternative"] for row in importer.rows("file_metadata", file_uid=file["uid"])}
    assert words == {0: "a roof", 1: "ein Dach"}
    roof, dach = (importer.row("content_elements", header=header)["uid"] for header in ("Roof", "Dach"))
    references = {
        row["owner_uid"]: row["alternative"] for row in importer.rows("file_references", file_uid=file["uid"])
    }
    assert references == {roof: "a roof", dach: "ein Dach"}
    assert f"![a roof](file:{file['uid']})" in importer.row("content_elements", header="Roof")["body"]


def test_it_changes_nothing_the_second_time(importer: Importer, source: Path) -> None:
    first = importer(source)
    before = _database()

    second = importer(source)

    assert numbers(second) == (0, 0, first.created, 0)
    assert _database() == before, "a second import wrote something"


def _database() -> list[tuple[Any, ...]]:
    """Every record, the history and the clock of content transactions."""
    found: list[tuple[Any, ...]] = []
    with reading() as connection:
        for table in [*REGISTRY, "record_history", "content_clock"]:
            found += [tuple(row) for row in connection.execute(sql(f"SELECT * FROM {table} ORDER BY 1")).all()]  # noqa: S608
    return found


def test_it_writes_history_with_its_origin(importer: Importer, source: Path) -> None:
    importer(source)

    with reading() as connection:
        count = connection.execute(sql("SELECT count(*) FROM record_history WHERE origin = 'import'")).scalar()
    assert count == sum(len(importer.rows(table)) for table in REGISTRY)


def test_it_updates_what_changed_in_the_source_only(importer: Importer, source: Path) -> None:
    total = importer(source).created
    edit(source / "houses" / "_index.en.md", "Wood.", "Oak wood.")

    result = importer(source)

    assert numbers(result) == (0, 1, total - 1, 0)
    assert importer.row("content_elements", header="Door")["body"] == "Oak wood."


def test_it_keeps_what_a_person_wrote_until_the_source_changes(importer: Importer, source: Path) -> None:
    importer(source)
    door = importer.row("content_elements", header="Door")["uid"]
    importer.change(lambda batch: batch.update("content_elements", door, {"body": "Mine.", "hidden": True}))

    assert importer(source).updated == 0
    assert importer.row("content_elements", uid=door)["body"] == "Mine."

    edit(source / "houses" / "_index.en.md", "Wood.", "Oak wood.")
    assert importer(source).updated == 1
    row = importer.row("content_elements", uid=door)
    assert (row["body"], row["hidden"]) == ("Oak wood.", True), "hiding is a person's decision and stays"


def test_it_does_not_bring_back_what_a_person_deleted(importer: Importer, source: Path) -> None:
    importer(source)
    houses = importer.row("pages", title="Houses")["uid"]
    importer.change(lambda batch: batch.delete("pages", houses))
    edit(source / "houses" / "_index.en.md", "Wood.", "Oak wood.")

    result = importer(source)

    assert (result.created, result.updated, result.failed) == (0, 0, 0)
    assert "houses/_index.en.md has content that was deleted here. It was not brought back." in sentences(result)


def test_it_hides_and_shows_a_page_when_the_source_says_so(importer: Importer, source: Path) -> None:
    importer(source)
    small = importer.row("pages", title="Small houses")["uid"]

    edit(source / "houses" / "small.en.md", "draft: true", "draft: false")
    importer(source)
    assert importer.row("pages", uid=small)["hidden"] is False

    importer.change(lambda batch: batch.set_hidden("pages", small, True))
    edit(source / "houses" / "small.en.md", "Small houses", "Tiny houses")
    importer(source)
    row = importer.row("pages", uid=small)
    assert (row["title"], row["hidden"]) == ("Tiny houses", True)


def test_it_puts_a_new_section_in_its_place_and_keeps_the_others(importer: Importer, source: Path) -> None:
    importer(source)
    door = importer.row("content_elements", header="Door")["uid"]
    edit(source / "houses" / "_index.en.md", "## Door", "## Window\n\nGlass.\n\n## Door")

    result = importer(source)

    houses = importer.row("pages", title="Houses")["uid"]
    assert importer.sections(houses) == ["", "Roof", "Window", "Door"]
    assert importer.row("content_elements", header="Door")["uid"] == door
    assert result.failed == 0


def test_it_follows_a_renamed_section(importer: Importer, source: Path) -> None:
    importer(source)
    roof = importer.row("content_elements", header="Roof")["uid"]
    edit(source / "houses" / "_index.en.md", "## Roof", "## Top")

    result = importer(source)

    assert (result.created, result.updated, result.failed) == (0, 1, 0)
    assert importer.row("content_elements", header="Top")["uid"] == roof


def test_it_leaves_and_tells_what_the_source_has_no_more(importer: Importer, source: Path) -> None:
    importer(source)
    edit(source / "houses" / "_index.en.md", "\n\n## Door\n\nWood.", "")
    (source / "trees.en.md").unlink()

    result = importer(source)

    assert result.failed == 0
    assert importer.rows("content_elements", header="Door", deleted=False)
    assert importer.rows("pages", title="Trees", deleted=False)
    told = sentences(result)
    assert "houses/_index.en.md has lost 1 section. Its content element was left as it is." in told
    assert "trees@en is no longer part of the source. The page was left as it is." in told


def test_it_brings_each_picture_once_into_a_translation_that_comes_later(importer: Importer, source: Path) -> None:
    german = source / "houses" / "_index.de.md"
    words = german.read_text(encoding="utf-8")
    german.unlink()
    importer(source)
    german.write_text(words, encoding="utf-8")

    importer(source)

    dach = importer.row("content_elements", header="Dach")["uid"]
    table = REGISTRY["file_references"].table
    with reading() as connection:
        query = select(table.c.alternative).where(table.c.owner_uid == dach, table.c.deleted.is_(False))
        assert connection.execute(query).scalars().all() == ["ein Dach"]


def test_it_takes_a_new_version_of_a_picture(importer: Importer, source: Path) -> None:
    importer(source)
    (source / "houses" / "roof.png").write_bytes(PIXEL + b"more")

    result = importer(source)

    assert result.updated == 1
    file = importer.row("files")
    assert file["size"] == len(PIXEL) + 4
    assert Storage(folder=importer.files).place(file["sha256"]).stat().st_size == len(PIXEL) + 4


@pytest.fixture
def veto() -> Iterator[None]:
    """An extension that refuses one element of one page, after others of that page were written."""

    def refuse(_context: WriteContext, _table: str, _uid: int, values: Values) -> None:
        if values.get("header") == "Door":
            raise WriteRefused("refused", Invalid.text)

    HOOKS.before.append(refuse)
    yield
    HOOKS.before.remove(refuse)


@pytest.mark.usefixtures("veto")
def test_it_rolls_back_a_failing_page_alone(importer: Importer, source: Path) -> None:
    result = importer(source)

    assert result.failed == 1
    houses = importer.row("pages", title="Houses")["uid"]
    assert importer.rows("content_elements", pid=houses) == []
    assert importer.rows("files") == []
    assert importer.sections(importer.row("pages", title="Trees")["uid"]) == ["Oak"]
    assert any(line.startswith("houses/_index.en.md could not be imported.") for line in sentences(result))


def test_it_counts_unreadable_files_as_failed_and_goes_on(importer: Importer, source: Path) -> None:
    (source / "broken.en.md").write_bytes(b"---\ntitle: [\n---\n")

    result = importer(source)

    assert result.failed == 1
    assert importer.rows("pages", title="Trees")


def test_it_keeps_imports_below_different_pages_apart(importer: Importer, source: Path) -> None:
    total = importer(source).created
    guide = importer.row("pages", title="Guide")["uid"]
    other = Importer.__new__(Importer)
    other.__dict__.update(importer.__dict__)
    other.target = ImportTarget(
        actor=importer.target.actor,
        parent_uid=guide,
        languages=importer.target.languages,
        storage_id=1,
        files_folder=importer.files,
    )

    assert other(source).created == total
    assert len(importer.rows("pages", title="Houses")) == 2


def test_it_cuts_what_is_too_long_and_tells(importer: Importer, source: Path) -> None:
    edit(source / "trees.en.md", "## Oak", f"## {'O' * 300}")

    result = importer(source)

    assert result.failed == 0
    assert any("too long" in line for line in sentences(result))


def test_it_refuses_a_parent_that_is_no_page(app: Flask) -> None:
    with reading() as connection, pytest.raises(Invalid):
        find_parent(connection, 999_999)


def test_it_copies_no_file_over_one_of_a_person(importer: Importer, source: Path) -> None:
    place = f"/import/{importer.target.parent_uid}/houses/roof.png"
    values = {"storage_id": 1, "path": place, "name": "roof.png", "mime": "image/png", "size": 1, "sha256": ""}
    context = WriteContext(
        actor=importer.target.actor, workspace_id=0, origin=Origin.SEED, correlation="seed/x", now=core_clock.now()
    )
    with transaction() as connection:
        batch = Batch(connection, context)
        batch.create("files", 0, values)
        batch.finish()

    result = importer(source)

    assert result.failed == 1
    assert not (importer.files / place.lstrip("/")).exists()


def test_it_resolves_targets_and_nothing_else() -> None:
    body = "[a](page:x%20y#top) ![b](image:i.png) [c](page:gone) page:x\n\n[d]: page:\n"

    assert resolve(body, {"x y": 7, "": 1}, {"i.png": 9}) == (
        "[a](page:7#top) ![b](file:9) [c](page:gone) page:x\n\n[d]: page:1\n"
    )


def test_it_matches_sections_by_name_then_heading_then_place() -> None:
    stored = [
        StoredRecord(table="content_elements", uid=at, import_key=f"k#{name}", import_hash="")
        for at, name in enumerate(("1", "2-roof", "3-door", "4-wall"))
    ]

    matches = match_sections(("1", "2-top", "3-window", "4-door", "5-wall"), stored)

    assert {at: found.uid for at, found in matches.items()} == {0: 0, 1: 1, 3: 2, 4: 3}


def test_it_keeps_keys_inside_their_column() -> None:
    long = "markdown:1:" + "a/" * 400

    assert len(bounded(long)) <= 300
    assert bounded(long + "b") != bounded(long + "c")
    assert bounded("short") == "short"


@pytest.mark.skipif(not MANUAL.is_dir(), reason="the manual is not at ../shared/data/contao-manual")
def test_it_imports_the_manual_once_at_a_bounded_cost(importer: Importer) -> None:
    with count_statements() as seen:
        result = importer(MANUAL)

    assert len(seen) <= STATEMENTS_PER_RECORD * (152 * 2 + 1248)
    assert numbers(result) == (152 * 2 + 1248, 0, 0, 0)
    again = importer(MANUAL)
    assert numbers(again) == (0, 0, 152 * 2 + 1248, 0)
    table = REGISTRY["content_elements"].table
    with reading() as connection:
        unresolved = connection.execute(
            select(func.count()).select_from(table).where(table.c.body.regexp_match(r"\]\(page:[a-z]"))
            if connection.dialect.name != "sqlite"
            else select(func.count()).select_from(table).where(table.c.body.op("GLOB")("*](page:[a-z]*"))
        ).scalar_one()
    assert unresolved == 0
