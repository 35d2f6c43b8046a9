"""Rights in words: what a person may do, and through which group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts.rights_summary import Right, RightKind, RightsSummary, Source
from app.content.grantable import FIELDS, is_folder, titles_of_pages, titles_of_storages
from app.content.schema import REGISTRY
from app.content.store import list_languages
from app.core.i18n import Text, ptext, text
from app.policy.identity import FileMount
from app.web.forms.people import FILE_WORDS, GRANT_WORDS
from app.web.forms.rights import page_words

FIELD = text("%(table)s: %(field)s")
AREAS: Mapping[str, tuple[Text, tuple[RightKind, ...]]] = {
    "assignments": (text("Working with assignments"), (RightKind.GRANT,)),
    "workspaces": (text("Workspaces"), (RightKind.LIVE, RightKind.WORKSPACE)),
    "pages": (text("Pages whose branch is open"), (RightKind.PAGE,)),
    "reading": (text("May read"), (RightKind.SELECT,)),
    "changing": (text("May read and change"), (RightKind.MODIFY,)),
    "fields": (text("Fields that need a grant"), (RightKind.FIELD,)),
    "languages": (text("Languages"), (RightKind.LANGUAGE,)),
    "folders": (text("Folders of files"), (RightKind.FILE,)),
    "files": (text("Files"), (RightKind.FILE_PERMISSION,)),
}
"""Areas of the summary in their order, with the kinds of rights each holds."""
NOTHING: Mapping[str, Text] = {
    "assignments": text("No assignments, no approvals of others, no reading of decisions."),
    "workspaces": text("No workspace: this person can work nowhere."),
    "pages": text("No pages: without one the person sees no page of the site."),
    "reading": text("Nothing: records of no kind can be read."),
    "changing": text("Nothing: records of no kind can be changed."),
    "fields": text("None: these fields are left out when the person saves."),
    "languages": text("Every language: no group limits them."),
    "folders": text("No folders: no file can be reached."),
    "files": text("No permission for files."),
}
UNION_TRAP = text("Languages are limited although other groups set no limit: %(groups)s. They do not lift it.")
SWITCHED_OFF: Mapping[RightKind, Text] = {
    RightKind.PAGE: text("Pages of the groups are not taken. This is set for the person."),
    RightKind.FILE: text("Folders of the groups are not taken. This is set for the person."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class RightLine:
    """Rights that come from the same: what, and through which groups."""

    what: tuple[Text | str, ...]
    through: tuple[Text, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RightsArea:
    """Rights of one area; ``remarks`` are sentences that stand with them."""

    name: str
    title: Text
    lines: tuple[RightLine, ...]
    remarks: tuple[Text, ...] = ()


class Words:
    """Words for the values of rights; titles of pages, languages and storages are read once."""

    def __init__(self, connection: Connection, rights: Iterable[Right]) -> None:
        found = tuple(rights)
        self._connection = connection
        self._pages = titles_of_pages(
            connection,
            {right.value for right in found if right.kind is RightKind.PAGE and isinstance(right.value, int)},
        )
        self._languages = {language.id: language.title for language in list_languages(connection)}
        self._storages = titles_of_storages(connection)

    def lines(self, rights: Iterable[Right]) -> tuple[RightLine, ...]:
        """Rights with their sources; those that come from the same stand in one line."""
        found: dict[tuple[Source, ...], list[Text | str]] = {}
        for right in rights:
            found.setdefault(right.sources, []).append(self.what(right))
        return tuple(
            RightLine(what=tuple(what), through=tuple(map(source_words, sources))) for sources, what in found.items()
        )

    def what(self, right: Right) -> Text | str:
        """What a right is about."""
        match right.kind, right.value:
            case RightKind.LIVE, _:
                return text("Live")
            case RightKind.WORKSPACE, str(title):
                return text("Draft “%(title)s”", title=title)
            case RightKind.GRANT, str(name):
                return GRANT_WORDS.get(name, name)
            case RightKind.FILE_PERMISSION, str(name):
                return FILE_WORDS.get(name, name)
            case ((RightKind.SELECT | RightKind.MODIFY), str(name)):
                return table_words(name)
            case RightKind.FIELD, str(name):
                return field_words(name)
            case RightKind.LANGUAGE, int(number):
                return self._languages.get(number, text("Language no. %(number)s", number=str(number)))
            case RightKind.PAGE, int(uid):
                return page_words(uid, self._pages)
            case RightKind.FILE, FileMount() as mount:
                return self._mount(mount)
            case _:
                return str(right.value)

    def _mount(self, mount: FileMount) -> Text:
        storage = self._storages.get(mount.storage_id, str(mount.storage_id))
        named = {"storage": storage, "folder": mount.folder}
        if not is_folder(self._connection, mount.storage_id, mount.folder):
            return text("%(folder)s in “%(storage)s”, which does not exist: it opens nothing", **named)
        if mount.read_only:
            return text("%(folder)s in “%(storage)s”, read only", **named)
        return text("%(folder)s in “%(storage)s”", **named)


def rights_areas(connection: Connection, summary: RightsSummary) -> tuple[RightsArea, ...]:
    """Every area with its rights, or the sentence that there are none; of administrators only what groups bring besides."""
    words = Words(connection, summary.rights)
    areas = tuple(_area(name, words, summary) for name in AREAS)
    return tuple(area for area in areas if area.lines) if summary.is_admin else areas


def _area(name: str, words: Words, summary: RightsSummary) -> RightsArea:
    title, kinds = AREAS[name]
    lines = words.lines(right for kind in kinds for right in summary.of(kind))
    remarks = [SWITCHED_OFF[kind] for kind in kinds if kind in summary.switched_off]
    if name == "languages" and summary.limits_languages:
        if not lines:
            remarks.append(text("No language: a group limits them, but to none that can be read."))
        if summary.unlimited:
            remarks.append(UNION_TRAP.with_params(groups=", ".join(summary.unlimited)))
    elif not lines:
        remarks.append(NOTHING[name])
    return RightsArea(name=name, title=title, lines=lines, remarks=tuple(remarks))


def lost_words(connection: Connection, rights: Sequence[Right]) -> tuple[tuple[Text, tuple[Text | str, ...]], ...]:
    """By area everything somebody would lose."""
    words = Words(connection, rights)
    by_area = (
        (title, tuple(words.what(right) for right in rights if right.kind in kinds)) for title, kinds in AREAS.values()
    )
    return tuple((title, lost) for title, lost in by_area if lost)


def source_words(source: Source) -> Text:
    """Where a right comes from."""
    if source.group_id is None:
        return text("a setting of this person")
    if source.through:
        return text("“%(group)s”, which “%(outer)s” includes", group=source.title, outer=source.through)
    return ptext("through a group", "“%(group)s”", group=source.title)


def table_words(name: str) -> Text | str:
    """A record table as people know it."""
    return REGISTRY[name].label if name in REGISTRY else name


def field_words(name: str) -> Text | str:
    """A field with its table."""
    if name not in FIELDS:
        return name
    return FIELD.with_params(table=REGISTRY[name.partition(".")[0]].label, field=FIELDS[name].label)
