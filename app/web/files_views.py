"""Folders and files in words, for people who may read them."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from sqlalchemy.engine import Connection

from app.chat.changes import kind_words
from app.chat.facts import LANGUAGE_NAMES, workspace_words
from app.chat.links import edit_url, history_url
from app.chat.view_models import Words
from app.content import store
from app.content.access import may_add_file, may_change_file, may_write_file
from app.content.files import (
    BY_MIME,
    FileRecord,
    Folder,
    Uses,
    descriptions_of,
    find_uses,
    list_files,
    list_mounted,
    list_subfolders,
    version_of,
)
from app.content.schema import FILE_METADATA, REGISTRY
from app.content.store import Language
from app.content.types import Row, VersionState
from app.core.i18n import Text, ntext, ptext, text
from app.policy.identity import LIVE, Identity
from app.web.content_views import STATES, UNTITLED
from app.web.files_values import DescriptionView, FileItem, FilePageView, FolderLink, FolderView, StorageView, UseView
from app.web.locale import number

OTHER_KIND = ptext("kind of file", "other file")
_KILO = 1_000


def folder_url(folder: Folder, page: str = "") -> str:
    """The address of a folder; ``page`` may be the literal ``{page}``."""
    query = urlencode({"storage": folder.storage_id, "folder": folder.path}, safe="/")
    return f"/files?{query}&page={page}" if page else f"/files?{query}"


def storage_views(connection: Connection, identity: Identity) -> tuple[StorageView, ...]:
    """Storages and folders as the person's mounts show them."""
    return tuple(
        StorageView(
            title=mounted.title,
            folders=tuple(_link(identity, folder, full=True) for folder in mounted.folders),
        )
        for mounted in list_mounted(connection, identity)
    )


def folder_view(connection: Connection, identity: Identity, workspace_id: int, folder: Folder, page: int) -> FolderView:
    """A folder the person was found to see; a constant number of statements."""
    part = list_files(connection, folder, page)
    described = descriptions_of(connection, identity, workspace_id, [file.uid for file in part.files])
    return FolderView(
        storage_id=folder.storage_id,
        path=folder.path,
        title=folder.name or text("Files at the top of the storage"),
        way=way_to(connection, identity, folder.above),
        folders=tuple(_link(identity, below) for below in list_subfolders(connection, folder)),
        files=tuple(_item(file, described.get(file.uid, {})) for file in part.files),
        count=part.count,
        page=part.page,
        pages=part.pages,
        pages_url=folder_url(folder, "{page}"),
        may_add=may_add_file(identity, folder.storage_id, folder.path),
    )


def way_to(connection: Connection, identity: Identity, folder: Folder | None) -> tuple[FolderLink, ...]:
    """Folders from a mount down to ``folder``."""
    starts = {begin for mounted in list_mounted(connection, identity) for begin in mounted.folders}
    way: list[Folder] = []
    while folder is not None and any(folder.path.startswith(start.path) for start in starts):
        way.append(folder)
        folder = folder.above
    return tuple(_link(identity, step) for step in reversed(way))


def file_page(
    connection: Connection,
    identity: Identity,
    workspace_id: int,
    file: FileRecord,
    sent: DescriptionView | None = None,
) -> FilePageView:
    """A file the person was found to read; ``sent`` is a description that could not be written, with what was typed."""
    languages = store.list_languages(connection)
    found = descriptions_of(connection, identity, workspace_id, [file.uid]).get(file.uid, {})
    views = _descriptions(identity, workspace_id, file, languages, found)
    if sent is not None:
        views = tuple(sent if view.language_id == sent.language_id else view for view in views)
    uses = find_uses(connection, identity, workspace_id, file.uid)
    item = _item(file, found)
    return FilePageView(
        uid=file.uid,
        name=file.name,
        kind=item.kind,
        size=item.size,
        sides=text("%(width)s × %(height)s pixels", width=file.width, height=file.height) if file.width else None,
        stored_at=file.created_at,
        way=way_to(connection, identity, file.folder),
        workspace=workspace_words(workspace_id, identity),
        is_draft=workspace_id != LIVE,
        thumbnail_url=item.thumbnail_url,
        preview_text=_words(found.get(0), "alternative"),
        content_url=f"/files/{file.uid}/content",
        is_missing=file.missing,
        alternative_missing=item.alternative_missing,
        descriptions=views,
        uses=use_views(uses, languages),
        further_uses=further_uses(uses),
        may_change=may_change_file(identity, file.stored),
        history_url=history_url("files", file.uid, LIVE),
    )


def use_views(uses: Uses, languages: tuple[Language, ...]) -> tuple[UseView, ...]:
    """Records the reader may know."""
    codes = {language.id: language.code for language in languages}
    return tuple(
        UseView(
            title=use.title or UNTITLED,
            kind=kind_words(REGISTRY[use.table].label, use.uid),
            url=edit_url(use.table, use.uid),
            language=None if use.language_id is None else codes.get(use.language_id),
        )
        for use in uses.named
    )


def further_uses(uses: Uses) -> Text | None:
    """How many records use the file that are not named; None for none."""
    if not uses.withheld:
        return None
    return ntext(
        "%(n)s further record uses this file. It is not shown here.",
        "%(n)s further records use this file. They are not shown here.",
        uses.withheld,
    )


def size_words(size: int) -> Text:
    """ "512 bytes", "34 kB", "1.4 MB"."""
    if size < _KILO:
        return ntext("%(n)s byte", "%(n)s bytes", size)
    if size < _KILO**2:
        return text("%(size)s kB", size=number(round(size / _KILO)))
    return text("%(size)s MB", size=words_of_megabytes(size))


def words_of_megabytes(size: int) -> str:
    """Megabytes with one decimal, in the reader's language."""
    return number(round(size / _KILO**2, 1))


def _descriptions(
    identity: Identity,
    workspace_id: int,
    file: FileRecord,
    languages: tuple[Language, ...],
    found: Mapping[int, Row],
) -> tuple[DescriptionView, ...]:
    may_write = (
        identity.may_modify(FILE_METADATA.name)
        and identity.may_use_workspace(workspace_id)
        and may_write_file(identity, file.stored)
    )
    return tuple(
        description_view(language, found.get(language.id), workspace_id, may_write=may_write)
        for language in languages
        if identity.may_use_language(language.id) and identity.may_select(FILE_METADATA.name)
    )


def description_view(language: Language, row: Row | None, workspace_id: int, *, may_write: bool) -> DescriptionView:
    """A description as stored."""
    in_draft = row is not None and workspace_id != LIVE and row["workspace_id"] == workspace_id
    name: Words = LANGUAGE_NAMES.get(language.code, language.title)
    return DescriptionView(
        language_id=language.id,
        language=name,
        code=language.code,
        seen=version_of(row),
        title=_words(row, "title"),
        alternative=_words(row, "alternative"),
        description=_words(row, "description"),
        may_write=may_write,
        state=STATES[VersionState(row["version_state"])] if row is not None and in_draft else None,
        history_url=None if row is None else history_url(FILE_METADATA.name, row.live_uid, workspace_id),
    )


def _item(file: FileRecord, described: Mapping[int, Row]) -> FileItem:
    kind = BY_MIME.get(file.mime)
    can_show = file.is_picture and not file.missing
    return FileItem(
        uid=file.uid,
        name=file.name,
        title=_words(described.get(0), "title"),
        kind=kind.label if kind is not None else OTHER_KIND,
        size=size_words(file.size),
        url=f"/files/{file.uid}",
        thumbnail_url=f"/files/{file.uid}/thumbnail" if can_show else None,
        alternative_missing=file.is_picture and not _words(described.get(0), "alternative").strip(),
        is_missing=file.missing,
    )


def _link(identity: Identity, folder: Folder, *, full: bool = False) -> FolderLink:
    name: Words = folder.path.strip("/") if full else folder.name
    return FolderLink(
        name=name or text("Top of the storage"),
        url=folder_url(folder),
        is_read_only=not may_add_file(identity, folder.storage_id, folder.path),
    )


def _words(row: Row | None, name: str) -> str:
    return "" if row is None else str(row[name])
