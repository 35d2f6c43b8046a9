"""A content store of a test's own: empty tables on a temporary SQLite file, rows put in directly, people by hand.

Small on purpose and apart from the demo site, so that a test says in full what lies where.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, insert, update

from app.content import models
from app.content.schema import REGISTRY
from app.core.db import Base, engine_options, install_hooks, reading_options
from app.policy.identity import FileMount, Identity

CONTENT_TABLES = [
    *(trait.table for trait in REGISTRY.values()),
    models.SiteLanguage.__table__,
    models.FileStorage.__table__,
    models.RecordHistory.__table__,
    models.ContentClock.__table__,
]
EDITORS = 7
"""Number of the group most pages belong to."""
ALL_TABLES = frozenset(REGISTRY) - {"site_settings"}
DERIVED = frozenset({"CONSTANT", "start", "way", "tree", "subtree", "shown_pages"})
"""Names in a plan that are results of the statement itself, not tables."""
READ_FILE = frozenset({"read_file"})


@dataclass
class ContentStore:
    """A connection and short ways to fill the tables."""

    connection: Connection
    statements: list[tuple[str, Any]] = field(default_factory=list)
    """Statements since the last ``counted()``, with their parameters."""

    def add(self, table: str, **values: Any) -> int:
        """Puts a row in and returns its uid."""
        result = self.connection.execute(insert(REGISTRY[table].table).values(**values))
        key = result.inserted_primary_key
        assert key is not None
        return int(key[0])

    def page(self, uid: int, pid: int = 0, **values: Any) -> int:
        """A page of the group Editors with all bits for it."""
        given = {"title": f"Page {uid}", "group_id": EDITORS, "group_bits": 31, "sorting": f"a{uid:04}", **values}
        return self.add("pages", uid=uid, pid=pid, **given)

    def element(self, uid: int, pid: int, **values: Any) -> int:
        """A content element."""
        return self.add(
            "content_elements",
            uid=uid,
            pid=pid,
            **{"header": f"Element {uid}", "sorting": f"a{uid:04}", **values},
        )

    def file(self, uid: int, path: str, storage_id: int = 1) -> int:
        """A file of storage 1."""
        return self.add("files", uid=uid, path=path, name=path.rsplit("/", 1)[-1], storage_id=storage_id)

    def languages(self) -> None:
        """English, German and French."""
        rows = [
            {"id": 0, "code": "en", "title": "English"},
            {"id": 1, "code": "de", "title": "Deutsch"},
            {"id": 2, "code": "fr", "title": "Français"},
        ]
        self.connection.execute(insert(models.SiteLanguage.__table__), rows)

    def change(self, table: str, uid: int, **values: Any) -> None:
        """Changes columns of a row."""
        rows = REGISTRY[table].table
        self.connection.execute(update(rows).where(rows.c.uid == uid).values(**values))

    @contextmanager
    def counted(self) -> Iterator[list[tuple[str, Any]]]:
        """The statements executed inside."""
        self.statements.clear()
        yield self.statements

    def scans(self, captured: list[tuple[str, Any]]) -> list[str]:
        """Steps of SQLite's plans for captured statements that read a whole table or build an index over one."""
        return [
            row[3]
            for statement, parameters in list(captured)
            for row in self.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            if (row[3].startswith("SCAN") or "AUTOMATIC" in row[3]) and row[3].split()[1] not in DERIVED
        ]


def make_engines(url: str) -> tuple[Engine, Engine]:
    """The writing and the reading engine of an empty database, in which all content tables are made."""
    writing, reading = create_engine(url, **engine_options(url)), create_engine(url, **reading_options(url))
    install_hooks(writing, reading)
    with writing.begin() as connection:
        Base.metadata.create_all(connection, tables=CONTENT_TABLES)
    return writing, reading


@pytest.fixture
def content_store(tmp_path: Path) -> Iterator[ContentStore]:
    """An empty content store inside one transaction that is rolled back."""
    with _opened(f"sqlite:///{tmp_path / 'content.db'}") as store:
        yield store


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[ContentStore]:
    """The same on PostgreSQL."""
    with _opened(postgres_url) as store:
        yield store


@contextmanager
def _opened(url: str) -> Iterator[ContentStore]:
    writing, reading = make_engines(url)
    with writing.connect() as connection:
        store = ContentStore(connection=connection)

        def note(_c: Any, _cursor: Any, statement: str, parameters: Any, _x: Any, _many: bool) -> None:
            if not statement.startswith("EXPLAIN"):
                store.statements.append((statement, parameters))

        event.listen(connection, "before_cursor_execute", note)
        yield store
        connection.rollback()
    writing.dispose()
    reading.dispose()


def person(**rights: Any) -> Identity:
    """An editor: group Editors, every ordinary table, live and workspaces 1 and 2, mounts on page 1 and /press/."""
    given: dict[str, Any] = {
        "user_id": 5,
        "username": "anna",
        "name": "Anna",
        "group_ids": (EDITORS,),
        "main_group_id": EDITORS,
        "tables_select": ALL_TABLES,
        "tables_modify": ALL_TABLES,
        "page_mounts": frozenset({1}),
        "may_work_live": True,
        "workspaces": {1: "Relaunch", 2: "Campaign"},
        "file_mounts": (FileMount(storage_id=1, folder="/press/"),),
        "file_permissions": READ_FILE,
    }
    return Identity(**{**given, **rights})


def admin() -> Identity:
    """An administrator; workspaces 1 and 2 exist."""
    return Identity(user_id=1, username="admin", name="Admin", is_admin=True, workspaces={1: "Relaunch", 2: "Campaign"})
