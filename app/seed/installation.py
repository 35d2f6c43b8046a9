"""A new installation (design section 5): a root page, languages, one group, one workspace, one configuration."""

from __future__ import annotations

from typing import Any, cast

from babel import Locale
from sqlalchemy import Table, insert, select
from sqlalchemy.engine import Connection

from app.accounts import service as accounts
from app.agent.configurations import create_configuration
from app.config import Settings
from app.content import models
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core import clock, ids
from app.policy.identity import LIVE, Identity

LANGUAGE = cast(Table, models.SiteLanguage.__table__)
STORAGE = cast(Table, models.FileStorage.__table__)
PAGES = cast(Table, models.Page.__table__)
EDITED_TABLES = ("pages", "content_elements", "file_references", "file_metadata", "redirects", "contacts")


def is_installed(connection: Connection) -> bool:
    """Whether the database already holds a site."""
    return connection.execute(select(LANGUAGE.c.id)).first() is not None


def seed_actor(*, main_group_id: int = 0) -> Identity:
    """Who writes a seed or an import: an administrator who is no person."""
    return Identity(
        user_id=0, username="system", name="System", is_admin=True, main_group_id=main_group_id, workspace_id=LIVE
    )


def seed_batch(connection: Connection, actor: Identity) -> Batch:
    """A batch for rows that come with the product."""
    return Batch(
        connection,
        WriteContext(
            actor=actor,
            workspace_id=LIVE,
            origin=Origin.SEED,
            correlation=f"seed/{ids.new_uuid()}",
            now=clock.now(),
        ),
    )


def install_site(connection: Connection, settings: Settings) -> None:
    """Fill an empty database with what a new installation has; an installed one is left alone."""
    if is_installed(connection):
        return
    add_languages(connection, settings.language_codes)
    connection.execute(insert(STORAGE).values(id=1, title="Files", folder="files"))
    root = add_root_page(connection, settings.site_name, group_id=0)
    group = accounts.create_group(connection, "Editors", **editor_rights(), page_mounts=[root], live=True)
    connection.execute(PAGES.update().where(PAGES.c.uid == root).values(group_id=group))
    workspace = accounts.create_workspace(connection, "Draft")
    accounts.add_to_workspace(connection, workspace, group_id=group)
    create_configuration(connection, "Editorial")


def editor_rights() -> dict[str, Any]:
    """Rights of a group of editors: reading and writing content, working with the assistant."""
    return {
        "grants": ["tasks_use"],
        "tables_select": [*EDITED_TABLES, "files"],
        "tables_modify": list(EDITED_TABLES),
        "field_grants": ["pages.keywords"],
        "file_permissions": ["read_file", "write_file", "add_file"],
        "file_mounts": [{"storage": 1, "folder": "/", "read_only": False}],
    }


def add_languages(connection: Connection, codes: tuple[str, ...]) -> None:
    """Languages of the site by code; the first is the default, number 0."""
    for number, code in enumerate(codes):
        locale = Locale.parse(code.replace("-", "_"))
        connection.execute(insert(LANGUAGE).values(id=number, code=code, title=locale.get_language_name("en") or code))


def add_root_page(connection: Connection, title: str, *, group_id: int) -> int:
    """The root page of the site; returns its uid."""
    batch = seed_batch(connection, seed_actor(main_group_id=group_id))
    ref = batch.create("pages", 0, {"title": title})
    batch.finish()
    return ref.uid
