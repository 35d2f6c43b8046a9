"""A small site in a fresh database, on SQLite or PostgreSQL: pages, translations, elements, files, contacts, a redirect."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, func, insert, select

from app.content.hooks import Hooks
from app.content.models import ContentClock, FileStorage, RecordHistory, SiteLanguage
from app.content.schema import REGISTRY
from app.content.types import ChangeSet, Origin, WriteContext
from app.content.writer import Batch
from app.core.db import Base, engine_options, install_hooks, reading_options
from app.policy.identity import FileMount, Identity

LIVE, DRAFT, OTHER = 0, 1, 2
DE, FR = 1, 2
NOW = 1_800_000_000
ADMIN = Identity(
    user_id=1,
    username="admin",
    name="Administrator",
    is_admin=True,
    may_work_live=True,
    workspaces={DRAFT: "D", OTHER: "O"},
)
WRITABLE = frozenset({"pages", "content_elements", "file_references", "file_metadata", "contacts", "redirects"})
ANNA = Identity(
    user_id=2,
    username="anna",
    name="Anna",
    group_ids=(7,),
    main_group_id=7,
    tables_modify=WRITABLE,
    page_mounts=frozenset({1}),
    file_mounts=(FileMount(storage_id=1, folder="/press/"),),
    file_permissions=frozenset({"read_file"}),
    may_work_live=True,
    workspaces={DRAFT: "Relaunch"},
)
_numbers = count(1)


@dataclass(frozen=True, kw_only=True)
class Store:
    """A database with the small site of ``SITE``; uids are the keys used there."""

    engine: Engine
    statements: list[str] = field(default_factory=list)

    @contextmanager
    def batch(
        self,
        workspace_id: int = LIVE,
        actor: Identity = ADMIN,
        *,
        hooks: Hooks | None = None,
        origin: Origin = Origin.RUN,
        rehearsal: bool = False,
    ) -> Iterator[Batch]:
        """A batch in its own transaction."""
        context = WriteContext(
            actor=replace(actor, workspace_id=workspace_id),
            workspace_id=workspace_id,
            origin=origin,
            correlation=f"test/{next(_numbers)}",
            now=NOW,
            rehearsal=rehearsal,
        )
        with self.engine.begin() as connection:
            self.statements.clear()
            yield Batch(connection, context, hooks=hooks or Hooks())

    def do(
        self, command: Callable[[Batch], Any], workspace_id: int = LIVE, actor: Identity = ADMIN, **kw: Any
    ) -> ChangeSet:
        """Run one command as a batch and return what was observed."""
        with self.batch(workspace_id, actor, **kw) as batch:
            command(batch)
            return batch.finish()

    def row(self, table: str, uid: int) -> dict[str, Any] | None:
        """The stored row."""
        found = self.rows(table, uid=uid)
        return found[0] if found else None

    def rows(self, table: str, **equal: Any) -> list[dict[str, Any]]:
        """Stored rows whose columns equal ``equal``, by uid."""
        rows = REGISTRY[table].table
        statement = select(rows).where(*(rows.c[name] == value for name, value in equal.items())).order_by(rows.c.uid)
        with self.engine.connect() as connection:
            return [dict(row) for row in connection.execute(statement).mappings()]

    def history(self) -> Sequence[Mapping[Any, Any]]:
        """All history rows in order."""
        rows = RecordHistory.__table__
        with self.engine.connect() as connection:
            return connection.execute(select(rows).order_by(rows.c.id)).mappings().all()

    def hash_of_live(self) -> str:
        """One hash over every column of every live row (I13)."""
        found = hashlib.sha256()
        for name in sorted(REGISTRY):
            for row in self.rows(name):
                if row.get("workspace_id", LIVE) == LIVE:
                    found.update(repr(sorted(row.items())).encode())
        return found.hexdigest()


def _site() -> list[tuple[str, dict[str, Any]]]:
    rights = {"owner_id": 2, "group_id": 7, "owner_bits": 31, "group_bits": 27, "everybody_bits": 0}

    def page(uid: int, pid: int, title: str, key: str, **values: Any) -> tuple[str, dict[str, Any]]:
        return "pages", {"uid": uid, "pid": pid, "title": title, "sorting": key, **rights, **values}

    def element(uid: int, pid: int, header: str, key: str, **values: Any) -> tuple[str, dict[str, Any]]:
        return "content_elements", {"uid": uid, "pid": pid, "header": header, "sorting": key, **values}

    def german(parent: int) -> dict[str, int]:
        return {"language_id": DE, "translation_parent": parent, "translation_source": parent}

    reference = {"pid": 10, "file_uid": 1, "owner_table": "content_elements"}
    return [
        page(1, 0, "Root", "a0"),
        page(10, 1, "Museum", "a0", keywords="art", description="All about it"),
        page(11, 10, "Hours", "a0", starttime=5, groups="3,4"),
        page(12, 10, "Secret", "a1", owner_id=9, group_id=9),
        page(13, 12, "Below secret", "a0"),
        page(14, 10, "Shop", "a2"),
        page(20, 1, "Guides", "a1"),
        page(30, 1, "Museum, deutsch", "a0", keywords="art", **german(10)),
        page(31, 10, "Zeiten", "a0", **german(11)),
        element(100, 10, "Welcome", "a0", body="See [hours](page:11), [guides](page:20) and [secret](page:12)."),
        element(101, 10, "Hidden one", "a1", hidden=True),
        element(102, 10, "Willkommen", "a0", body="Siehe [Zeiten](page:11).", **german(100)),
        element(103, 11, "When", "a0"),
        element(104, 11, "", "a1", body="Only text"),
        element(105, 12, "Nobody sees this", "a0"),
        ("contacts", {"uid": 1, "pid": 11, "name": "Carla", "sorting": "a0"}),
        ("redirects", {"uid": 1, "pid": 11, "source": "/old", "target_page": 11, "status": 301}),
        ("files", {"uid": 1, "storage_id": 1, "path": "/press/a.png", "name": "a.png"}),
        ("files", {"uid": 2, "storage_id": 1, "path": "/press-archive/b.png", "name": "b.png"}),
        ("file_metadata", {"uid": 1, "file_uid": 1, "title": "A picture"}),
        ("file_references", {"uid": 1, **reference, "owner_uid": 100, "title": "Front"}),
        ("file_references", {"uid": 2, **reference, "owner_uid": 102, "title": "Vorn", **german(1)}),
    ]


def _fill(connection: Connection) -> None:
    languages = [{"id": 0, "code": "en", "title": "English"}, {"id": DE, "code": "de", "title": "German"}]
    connection.execute(insert(SiteLanguage), [*languages, {"id": FR, "code": "fr", "title": "French"}])
    connection.execute(insert(FileStorage), [{"id": 1, "title": "Main", "folder": "main"}])
    for table, values in _site():
        connection.execute(insert(REGISTRY[table].table), values)
    if connection.dialect.name == "postgresql":
        for name in REGISTRY:
            highest = select(func.coalesce(func.max(REGISTRY[name].table.c.uid), 1)).scalar_subquery()
            connection.execute(select(func.setval(func.pg_get_serial_sequence(name, "uid"), highest)))


def make_store(url: str) -> Store:
    """A fresh database at ``url`` with the small site."""
    engine = create_engine(url, **engine_options(url))
    install_hooks(engine, create_engine(url, **reading_options(url)))
    Base.metadata.create_all(engine, tables=_tables())
    with engine.begin() as connection:
        _fill(connection)
    store = Store(engine=engine)

    @event.listens_for(engine, "before_cursor_execute")
    def _note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        store.statements.append(statement)

    return store


def _tables() -> list[Any]:
    others = [ContentClock, FileStorage, RecordHistory, SiteLanguage]
    return [*(trait.table for trait in REGISTRY.values()), *(model.__table__ for model in others)]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """The small site on SQLite."""
    made = make_store(f"sqlite:///{tmp_path / 'content.db'}")
    yield made
    made.engine.dispose()


@pytest.fixture(params=["store", pytest.param("postgres_store", marks=pytest.mark.postgres)])
def any_store(request: pytest.FixtureRequest) -> Store:
    """The small site on each database in turn."""
    found: Store = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def postgres_store(postgres_url: str) -> Iterator[Store]:
    """The small site on PostgreSQL."""
    made = make_store(postgres_url)
    yield made
    made.engine.dispose()
