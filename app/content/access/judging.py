"""The whole check of records in the order of cms.md section 16, for many records in a constant number of statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from app.content.access.evaluator import shown_in
from app.content.access.files import StoredFile, may_read_file, read_files
from app.content.access.rootlines import read_rootlines
from app.content.schema import PAGES, TableTrait
from app.policy.identity import LIVE, Identity


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What decides about one record."""

    trait: TableTrait
    workspace_id: int
    """The workspace whose right is needed and in which the page lies."""
    language_id: int | None
    page_uid: int
    """The page itself for pages (the default page for translations), else where the record lies; 0 = the root."""
    file_uid: int = 0

    @property
    def needs_file(self) -> bool:
        """Whether the file check applies."""
        return self.trait.judged_by_file is not None

    @property
    def needs_page(self) -> bool:
        """Whether the page check applies: files and their descriptions have the file check instead."""
        return self.trait.on_pages or self.trait.judged_by_file is None


def judged_row(trait: TableTrait, values: Mapping[str, Any], workspace_id: int | None = None) -> Judged:
    """What decides about a stored row; in the workspace it is stored in unless a reader's workspace is given."""
    stored_in = int(values["workspace_id"]) if trait.versioned else LIVE
    return Judged(
        trait=trait,
        workspace_id=stored_in if workspace_id is None else workspace_id,
        language_id=int(values["language_id"]) if trait.has_language else None,
        page_uid=page_of(trait, values),
        file_uid=int(values[trait.judged_by_file]) if trait.judged_by_file is not None else 0,
    )


def page_of(trait: TableTrait, values: Mapping[str, Any]) -> int:
    """Uid of the page whose rights decide about a row."""
    if trait is PAGES:
        return int(values["translation_parent"] or values["live_uid"] or values["uid"])
    return int(values["pid"])


def judge(
    connection: Connection, identity: Identity, records: Sequence[Judged], *, deleted_too: bool
) -> tuple[bool, ...]:
    """Whether each record may be seen. At most one statement for files and one for pages (per 900).

    ``deleted_too`` is the rule of change lists, which ignores deletion (CH-19); without it a record below a deleted
    page is not there for anybody.
    """
    passed = [_passes_at_once(identity, record) for record in records]
    files = _files_of(connection, records, passed)
    passed = [
        ok and (not record.needs_file or _file_readable(identity, files, record))
        for ok, record in zip(passed, records, strict=True)
    ]
    open_pages = {
        (record.workspace_id, record.page_uid)
        for ok, record in zip(passed, records, strict=True)
        if ok and record.needs_page and record.page_uid and not (identity.is_admin and deleted_too)
    }
    rootlines = read_rootlines(connection, open_pages)
    closed = open_pages - shown_in(identity, rootlines, open_pages, deleted_too=deleted_too)
    return tuple(
        ok and not (record.needs_page and (record.workspace_id, record.page_uid) in closed)
        for ok, record in zip(passed, records, strict=True)
    )


def _passes_at_once(identity: Identity, record: Judged) -> bool:
    """Table, language, workspace, and the root where the record lies there."""
    trait = record.trait
    if not identity.may_select(trait.name, admin_only=trait.admin_only):
        return False
    if not identity.may_use_language(record.language_id) or not identity.may_use_workspace(record.workspace_id):
        return False
    return not record.needs_page or record.page_uid > 0 or identity.is_admin or trait.readable_at_root


def _files_of(connection: Connection, records: Sequence[Judged], passed: Sequence[bool]) -> Mapping[int, StoredFile]:
    wanted = {record.file_uid for ok, record in zip(passed, records, strict=True) if ok and record.needs_file}
    return read_files(connection, wanted)


def _file_readable(identity: Identity, files: Mapping[int, StoredFile], record: Judged) -> bool:
    file = files.get(record.file_uid)
    return file is not None and may_read_file(identity, file)
