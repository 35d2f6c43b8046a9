"""Parts that the forms of people and of groups share: page mounts, folders of files, rows of groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from sqlalchemy.engine import Connection
from wtforms import BooleanField, Field, FieldList, FormField, SelectField, StringField
from wtforms import Form as PlainForm

from app.accounts.mounts import mount_on
from app.content.grantable import is_folder, titles_of_pages, titles_of_storages
from app.content.search import search_records
from app.core.errors import Invalid
from app.core.i18n import Text, ptext, text
from app.policy.identity import LIVE, FileMount, Identity
from app.web.arguments import parse_number
from app.web.forms.base import Form, choices, lazy
from app.web.forms.records import BoxesField

LONGEST_FOLDER = 300
MOST_HITS = 20
MOUNTS: Final = ("page_mounts", "add_page", "file_mounts")
SPARE_ROWS = 2
"""Empty rows a form offers below those in use; saving brings new ones."""
PAGE = text("%(title)s (no. %(number)s)")
NO_PAGE = text("Page no. %(number)s, which does not exist any more")
SEVERAL = text("Several pages have these words in their title. Tick those you mean.")


class MountRow(PlainForm):
    """One folder of files."""

    storage = SelectField(lazy(ptext("of files", "Storage")), validate_choice=False)
    folder = StringField(lazy(text("Folder")))
    read_only = BooleanField(lazy(text("Read only")), false_values=("", "0", "false"))


class RightsForm(Form):
    """What people and groups both have: page mounts and file mounts."""

    page_mounts = BoxesField(lazy(text("Pages whose branch is open")), validate_choice=False)
    add_page = StringField(lazy(text("Add a page by number or title")))
    file_mounts = FieldList(FormField(MountRow))
    offered_pages: tuple[int, ...] = ()
    """What ``page_mounts`` can be chosen from, ticked or not."""
    after_mounts: ClassVar[tuple[str, ...]] = ()
    """Fields that stand below those of mounts."""

    def problems(self) -> list[tuple[str, Any]]:
        """Control id and sentence, those of rows too, in the order of the form."""
        last = (*MOUNTS, *self.after_mounts)
        names = [*(name for name in self._fields if name not in last), *last]
        return [problem for name in names for problem in problems_of(self[name])]

    def offer(self, connection: Connection, hits: Iterable[int] = ()) -> None:
        """Fill in what the fields can be chosen from; of page mounts those that are chosen, and ``hits`` of a search."""
        uids = _numbers(self.page_mounts.data)
        titles = titles_of_pages(connection, {*uids, *hits})
        self.offered_pages = tuple(dict.fromkeys((*uids, *hits)))
        self.page_mounts.choices = choices((str(uid), page_words(uid, titles)) for uid in self.offered_pages)
        storages = [(str(number), title) for number, title in titles_of_storages(connection).items()]
        for row in self.file_mounts:
            row.form.storage.choices = storages


@dataclass(frozen=True, kw_only=True, slots=True)
class Mounts:
    """What a form says about mounts, read and checked."""

    pages: tuple[int, ...]
    files: tuple[FileMount, ...]
    hits: tuple[int, ...] = ()
    """Pages the words of ``add_page`` may mean; then nothing is saved and they are offered."""


def problems_of(field: Field) -> list[tuple[str, Any]]:
    """Control id and sentence of a field and of the fields inside it."""
    inner = list(field) if isinstance(field, FieldList | FormField) else []
    if not inner:
        return [(field.id, error) for error in field.errors]
    return [problem for part in inner for problem in problems_of(part)]


def page_words(uid: int, titles: dict[int, str]) -> Text:
    """A page as a mount names it."""
    if uid not in titles:
        return NO_PAGE.with_params(number=str(uid))
    return PAGE.with_params(title=titles[uid] or "–", number=str(uid))


def mount_rows(mounts: Sequence[FileMount]) -> list[dict[str, Any]]:
    """Rows for a form that shows these mounts, and empty ones."""
    filled = [
        {"storage": str(mount.storage_id), "folder": mount.folder, "read_only": mount.read_only} for mount in mounts
    ]
    return [*filled, *({"storage": "", "folder": "", "read_only": False} for _ in range(SPARE_ROWS))]


def read_mounts(
    form: RightsForm, connection: Connection, identity: Identity, kept: Sequence[int], files: Sequence[FileMount]
) -> Mounts:
    """The mounts of a sent form; what is wrong is noted at its field. ``kept`` and ``files`` are stored already and stay valid."""
    ticked = _numbers(form.page_mounts.data)
    known = titles_of_pages(connection, ticked)
    pages = [uid for uid in ticked if uid in known or uid in kept]
    added, hits = _added_pages(form, connection, identity)
    return Mounts(
        pages=tuple(dict.fromkeys((*pages, *added))), files=_read_files(form, connection, files), hits=tuple(hits)
    )


def _added_pages(form: RightsForm, connection: Connection, identity: Identity) -> tuple[list[int], list[int]]:
    words = " ".join((form.add_page.data or "").split())
    if not words:
        return [], []
    parts = [parse_number(part) for part in words.replace(",", " ").split()]
    if None not in parts:
        numbers = [number for number in parts if number is not None]
        known = titles_of_pages(connection, numbers)
        missing = [number for number in numbers if number not in known]
        if missing:
            _say(form.add_page, text("There is no page no. %(number)s.", number=str(missing[0])))
        return numbers, []
    found = search_records(connection, identity, LIVE, words, table="pages", language_id=0, limit=MOST_HITS).records
    exact = [record.uid for record in found if record.is_exact]
    if len(exact) == 1 or len(found) == 1:
        return (exact or [record.uid for record in found])[:1], []
    if not found:
        _say(form.add_page, text("No page has these words in its title."))
        return [], []
    form.add_page.data = ""
    _say(form.page_mounts, SEVERAL)
    return [], [record.uid for record in found]


def _read_files(form: RightsForm, connection: Connection, stored: Sequence[FileMount]) -> tuple[FileMount, ...]:
    storages = titles_of_storages(connection)
    found = []
    for row in form.file_mounts:
        words = (row.form.folder.data or "").strip()
        if not words:
            continue
        storage_id = parse_number(row.form.storage.data or "") or 0
        mount = mount_on(storage_id, words, read_only=bool(row.form.read_only.data))
        places = {(known.storage_id, known.folder) for known in stored}
        if storage_id not in storages:
            _say(row.form.storage, text("Choose a storage."))
        elif (mount.storage_id, mount.folder) not in places and (
            len(words) > LONGEST_FOLDER or not is_folder(connection, storage_id, mount.folder)
        ):
            _say(row.form.folder, text("There is no folder “%(folder)s” in this storage.", folder=words[:80]))
        found.append(mount)
    return tuple(dict.fromkeys(found))


def show_problems(form: Form, error: Invalid, aliases: dict[str, str] | None = None) -> None:
    """Show what a use case found wrong at its fields; a field the form calls otherwise is looked up in ``aliases``."""
    for name, sentence in error.fields.items():
        target: Any = form[(aliases or {}).get(name, name)]
        while isinstance(target, FieldList) and len(target):
            target = target[0]
        _say(target, sentence)


def chosen_numbers(field: FieldList[Any]) -> tuple[int, ...]:
    """What rows of selects name, in their order, each once; empty rows are none."""
    return tuple(dict.fromkeys(number for row in field if (number := parse_number(str(row.data or "")))))


def _numbers(values: Iterable[str] | None) -> list[int]:
    return list(dict.fromkeys(number for value in values or () if (number := parse_number(str(value)))))


def _say(field: Any, sentence: Text) -> None:
    field.errors = [*field.errors, sentence]
