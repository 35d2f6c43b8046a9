"""``imprimatur import``: content from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click
from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.cli.installation import Installation, in_application
from app.cli.lookups import group_named, languages_by_code
from app.content.imports.markdown import SourceTree, iter_files, read_tree
from app.content.imports.wordpress import import_wordpress, read_items, read_wxr, source_of
from app.content.imports.writing import PASSES, ImportResult, ImportTarget, find_parent, import_tree
from app.content.store import list_languages
from app.core.db import reading
from app.core.i18n import SOURCE_LOCALE, Text, render
from app.seed.installation import STORAGE, seed_actor

_OWNERS = "Editorial"
_SHOWN_PER_KIND = 10


@click.group("import")
def import_commands() -> None:
    """Content from elsewhere, into the live site."""


@import_commands.command("markdown")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--languages", default="", metavar="CODES", help="Codes of the site's languages, the default first. Default: all."
)
@click.option(
    "--parent", type=click.IntRange(min=1), metavar="UID", help="Page below which it goes. Default: the root page."
)
@click.option(
    "--group", "title", metavar="TITLE", help=f"Group that owns the pages. Default: {_OWNERS}, else the first one."
)
@click.option("--verbose", is_flag=True, help="Print every note, not only the first ones of each kind.")
@in_application
def markdown(
    installation: Installation, directory: Path, languages: str, parent: int | None, title: str | None, verbose: bool
) -> None:
    """Import a tree of Markdown files named page.LANGUAGE.md.

    A second import of the same tree changes nothing; where the source has changed, it wins over what was written here.
    """
    with reading() as connection:
        target = _target(connection, installation, languages, parent, title)
    tree = _read(directory, tuple(target.languages))
    with click.progressbar(length=PASSES * len(tree.pages), label="Writing pages") as bar:
        result = import_tree(tree, target, lambda: bar.update(1))
    _echo_notes((entry.sentence() for entry in tree.report), verbose=verbose)
    _echo_notes((note.sentence for note in result.notes), verbose=verbose)
    _echo_numbers(result)


@import_commands.command("wordpress")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--parent", type=click.IntRange(min=1), metavar="UID", help="Page below which it goes. Default: the root page."
)
@click.option(
    "--group", "title", metavar="TITLE", help=f"Group that owns the pages. Default: {_OWNERS}, else the first one."
)
@click.option("--verbose", is_flag=True, help="Print every note, not only the first ones of each kind.")
@in_application
def wordpress(installation: Installation, file: Path, parent: int | None, title: str | None, verbose: bool) -> None:
    """Import an export file of WordPress: its pages, its posts below one page, and the records of its files.

    A second import of the same file changes nothing; where the source has changed, it wins over what was written here.
    """
    with reading() as connection:
        codes = _all_codes(connection)
        target = _target(connection, installation, codes[0] if codes else "", parent, title)
    export = read_wxr(file)
    target, source = replace(target, source=source_of(export)), read_items(export, next(iter(target.languages)))
    with click.progressbar(length=PASSES * len(source.tree.pages), label="Writing pages") as bar:
        result = import_wordpress(source, target, lambda: bar.update(1))
    _echo_notes((note.sentence for note in result.notes), verbose=verbose)
    _echo_numbers(result)


def _target(
    connection: Connection, installation: Installation, languages: str, parent: int | None, title: str | None
) -> ImportTarget:
    codes = [code.strip() for code in languages.split(",") if code.strip()]
    numbers = languages_by_code(connection, codes or _all_codes(connection))
    if next(iter(numbers.values()), None) != 0:
        raise click.UsageError("The first language must be the default language of the site.")
    storage = connection.execute(select(STORAGE.c.id, STORAGE.c.folder).order_by(STORAGE.c.id)).first()
    if storage is None:
        raise click.ClickException("The site has no storage for files yet.")
    return ImportTarget(
        actor=seed_actor(main_group_id=_owner_group(connection, title)),
        parent_uid=find_parent(connection, parent),
        languages=numbers,
        storage_id=int(storage.id),
        files_folder=installation.settings.data_folder / str(storage.folder),
    )


def _all_codes(connection: Connection) -> list[str]:
    return [language.code for language in list_languages(connection)]


def _owner_group(connection: Connection, title: str | None) -> int:
    if title is not None:
        return group_named(connection, title)
    found = accounts.find_group_by_title(connection, _OWNERS)
    if found is not None:
        return int(found["id"])
    group = accounts.GROUP.c
    first = connection.execute(select(group.id).where(group.deleted.is_(False)).order_by(group.id)).first()
    return 0 if first is None else int(first.id)


def _read(directory: Path, codes: tuple[str, ...]) -> SourceTree:
    with click.progressbar(length=sum(1 for _ in iter_files(directory)), label="Reading files") as bar:
        return read_tree(directory, codes, lambda _path: bar.update(1))


def _echo_notes(sentences: Iterable[Text], *, verbose: bool) -> None:
    """Notes grouped by kind (their sentence without names), in order of finding."""
    notes = list(sentences)
    counts = Counter(note.message for note in notes)
    for kind, count in counts.items():
        mine = [note for note in notes if note.message == kind]
        for note in mine if verbose else mine[:_SHOWN_PER_KIND]:
            click.echo(render(note, SOURCE_LOCALE))
        if not verbose and count > _SHOWN_PER_KIND:
            click.echo(f"… and {count - _SHOWN_PER_KIND} more of this kind (--verbose prints all).")


def _echo_numbers(result: ImportResult) -> None:
    click.echo(
        f"created {result.created}, updated {result.updated}, unchanged {result.unchanged}, failed {result.failed}"
    )
