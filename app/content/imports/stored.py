"""What earlier imports left in the database, found again by import key: one statement per table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, FILE_REFERENCES, FILES, PAGES, TableTrait
from app.core import canonical
from app.policy.identity import LIVE

_TABLES = (PAGES, CONTENT_ELEMENTS, FILES, FILE_METADATA, FILE_REFERENCES)
_COLUMNS = (
    "uid",
    "pid",
    "created_at",
    "import_key",
    "import_hash",
    "deleted",
    "translation_parent",
    "owner_uid",
    "file_uid",
    "path",
)
_LONGEST_KEY = 300
"""Characters of a key before its section, so that the whole fits into the column."""


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredRecord:
    """A live row an import wrote, whatever a person did to it since."""

    table: str
    uid: int
    import_key: str
    import_hash: str
    pid: int = 0
    created_at: int = 0
    deleted: bool = False
    translation_parent: int = 0
    owner_uid: int = 0
    file_uid: int = 0
    path: str = ""


def bounded(key: str) -> str:
    """``key`` as it fits into the column: a long one is replaced by its hash, the beginning stays readable."""
    return key if len(key) <= _LONGEST_KEY else f"{key[:200]}~{canonical.sha256(key)}"


class StoredImport:
    """Records of earlier imports with one prefix, and those written since."""

    def __init__(self) -> None:
        self._by_key: dict[tuple[str, str], StoredRecord] = {}
        self._sections: dict[str, dict[int, StoredRecord]] = defaultdict(dict)
        self._references: dict[tuple[int, int], StoredRecord] = {}
        self._parents: set[int] = set()

    @classmethod
    def load(cls, connection: Connection, prefix: str) -> Self:
        """Everything live, deleted rows too: what a person deleted must not come back."""
        stored = cls()
        for trait in _TABLES:
            for record in _rows(connection, trait, prefix):
                stored.add(record)
        return stored

    def add(self, record: StoredRecord) -> None:
        """Remember a record; of two with one key the one that is not deleted counts."""
        known = self._by_key.get((record.table, record.import_key))
        if known is not None and not known.deleted and record.deleted:
            return
        self._by_key[record.table, record.import_key] = record
        if record.table == CONTENT_ELEMENTS.name:
            self._sections[record.import_key.rpartition("#")[0]][record.uid] = record
        elif record.table == FILE_REFERENCES.name:
            self._references[record.owner_uid, record.file_uid] = record
        elif record.table == PAGES.name:
            self._parents.add(record.pid)

    def find(self, table: str, key: str) -> StoredRecord | None:
        """The record with this import key."""
        return self._by_key.get((table, key))

    def find_reference(self, owner_uid: int, file_uid: int) -> StoredRecord | None:
        """The reference of an element to a file."""
        return self._references.get((owner_uid, file_uid))

    def references_of(self, owner_uid: int) -> list[int]:
        """Imported references of an element."""
        return [found.uid for (owner, _), found in self._references.items() if owner == owner_uid]

    def sections(self, text_key: str) -> list[StoredRecord]:
        """Elements of one page in one language in the order in which they were made."""
        return (
            [self._sections[text_key][uid] for uid in sorted(self._sections[text_key])]
            if text_key in self._sections
            else []
        )

    def has_children(self, page_uid: int) -> bool:
        """Whether the import put pages below this one before."""
        return page_uid in self._parents

    def texts(self) -> Iterator[StoredRecord]:
        """Pages and their translations that are not deleted."""
        return (record for (table, _), record in self._by_key.items() if table == PAGES.name and not record.deleted)


def _rows(connection: Connection, trait: TableTrait, prefix: str) -> Iterator[StoredRecord]:
    table = trait.table
    columns = [table.c[name] for name in _COLUMNS if name in table.c]
    statement = select(*columns).where(table.c.import_key != "", table.c.import_key.startswith(prefix, autoescape=True))
    if trait.versioned:
        statement = statement.where(table.c.workspace_id == LIVE)
    for row in connection.execute(statement.order_by(table.c.uid)).mappings().all():
        yield StoredRecord(table=trait.name, **row)
