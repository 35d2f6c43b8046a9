"""``imprimatur export``: content as plain files."""

from __future__ import annotations

from pathlib import Path

import click
from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.cli.installation import Installation, in_application
from app.cli.lookups import languages_by_code, workspace_named
from app.content.exports import read_branch, render_branch, write_folder
from app.content.files import Storage
from app.content.store import list_languages
from app.core.db import reading
from app.core.i18n import SOURCE_LOCALE, render
from app.policy.identity import LIVE
from app.seed.installation import STORAGE


@click.group("export")
def export_commands() -> None:
    """Content as plain files, to keep or to take elsewhere."""


@export_commands.command("markdown")
@click.argument("directory", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--page",
    "page_uid",
    type=click.IntRange(min=1),
    required=True,
    metavar="UID",
    help="Page at the top of the branch.",
)
@click.option(
    "--languages", default="", metavar="CODES", help="Codes of the site's languages, the default first. Default: all."
)
@click.option("--workspace", metavar="NAME", help="Draft workspace to read. Default: what is live.")
@in_application
def markdown(installation: Installation, directory: Path, page_uid: int, languages: str, workspace: str | None) -> None:
    """Write a branch of the page tree as Markdown files, as "import markdown" reads them."""
    with reading() as connection:
        codes = [code.strip() for code in languages.split(",") if code.strip()]
        numbers = languages_by_code(connection, codes or [language.code for language in list_languages(connection)])
        if next(iter(numbers.values()), None) != 0:
            raise click.UsageError("The first language must be the default language of the site.")
        workspace_id = LIVE if workspace is None else workspace_named(connection, workspace)
        branch = read_branch(connection, page_uid, workspace_id, list(numbers.values()))
        storages = _storages(connection, installation.settings.data_folder)
    export = render_branch(branch, {number: code for code, number in numbers.items()})
    counts = write_folder(export, directory, storages)
    for note in export.notes:
        click.echo(render(note.sentence, SOURCE_LOCALE))
    click.echo(f"pages {export.page_count}, texts {counts.texts}, files {counts.files}, missing files {counts.missing}")


def _storages(connection: Connection, data_folder: Path) -> dict[int, Storage]:
    rows = connection.execute(select(STORAGE.c.id, STORAGE.c.folder)).all()
    return {int(row.id): Storage(folder=data_folder / str(row.folder)) for row in rows}
