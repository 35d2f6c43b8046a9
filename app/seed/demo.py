"""The demo: a town museum with people whose rights differ (design section 5)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sqlalchemy import Table, insert, update
from sqlalchemy.engine import Connection

from app.agent.configurations import create_configuration
from app.config import Settings
from app.content import models
from app.content.writer import Batch
from app.core import clock
from app.seed.demo_content import CONTACTS, FILES, FRENCH_ELEMENTS, PAGES, DemoElement, DemoPage
from app.seed.installation import STORAGE, add_languages, add_root_page, is_installed, seed_actor, seed_batch
from app.seed.people import DemoPeople, add_groups, add_people

PAGE = cast(Table, models.Page.__table__)
FILE = cast(Table, models.File.__table__)
DAY = 86_400


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoSite:
    """Uids of the demo's pages by key, and its people."""

    pages: Mapping[str, int]
    people: DemoPeople


def install_demo(connection: Connection, settings: Settings) -> DemoSite | None:
    """Fill an empty database with the demo; None when there is a site already."""
    if is_installed(connection):
        return None
    add_languages(connection, ("en", "de", "fr"))
    connection.execute(insert(STORAGE).values(id=1, title="Files", folder="files"))
    root = add_root_page(connection, "Town Museum", group_id=0)
    pages = _add_empty_pages(connection, root)
    groups = add_groups(connection, root=root, second_branch=pages["exhibitions"])
    people = add_people(connection, groups)
    _set_rights(connection, pages, editorial=groups["Editorial"], owner=people.users["admin"])
    _fill_pages(connection, pages, editorial=groups["Editorial"], members=groups["Members"])
    _add_files(connection, settings.data_folder / "files")
    _add_other_records(connection, pages, editorial=groups["Editorial"])
    create_configuration(connection, "Editorial")
    create_configuration(connection, "Editorial, drafts only", requires_draft_workspace=True)
    return DemoSite(pages=pages, people=people)


def _add_empty_pages(connection: Connection, root: int) -> dict[str, int]:
    batch = seed_batch(connection, seed_actor())
    uids = {"root": root}
    for page in PAGES:
        values = {"title": page.title, "description": page.description}
        uids[page.key] = batch.create("pages", uids[page.parent], values, hidden=page.hidden).uid
    batch.finish()
    return uids


def _set_rights(connection: Connection, pages: Mapping[str, int], *, editorial: int, owner: int) -> None:
    closed = [pages[page.key] for page in PAGES if page.only_owner]
    connection.execute(update(PAGE).values(group_id=editorial, group_bits=31, owner_id=owner))
    connection.execute(update(PAGE).where(PAGE.c.uid.in_(closed)).values(group_bits=0))


def _fill_pages(connection: Connection, pages: Mapping[str, int], *, editorial: int, members: int) -> None:
    batch = seed_batch(connection, seed_actor(main_group_id=editorial))
    for page in PAGES:
        uid = pages[page.key]
        limits = _limits(page, members)
        if limits:
            batch.update("pages", uid, limits)
        elements = [(element, _add_element(batch, uid, element, pages, members)) for element in page.elements]
        _translate(batch, page, uid, elements)
    batch.finish()


def _limits(item: DemoPage | DemoElement, members: int) -> dict[str, int | str]:
    values: dict[str, int | str] = {}
    if item.days_until:
        values["endtime"] = clock.now() + item.days_until * DAY
    if item.for_members:
        values["groups"] = str(members)
    return values


def _add_element(batch: Batch, page_uid: int, element: DemoElement, pages: Mapping[str, int], members: int) -> int:
    body = element.body
    for key, uid in pages.items():
        body = body.replace(f"(page:{key})", f"(page:{uid})")
    values = {"header": element.header, "body": body, **_limits(element, members)}
    return batch.create("content_elements", page_uid, values, hidden=element.hidden).uid


def _translate(batch: Batch, page: DemoPage, uid: int, elements: list[tuple[DemoElement, int]]) -> None:
    for language, title in ((1, page.german), (2, page.french)):
        if title is None:
            continue
        translation = batch.localize("pages", uid, language, with_content=False)
        batch.update("pages", translation.uid, {"title": title, "description": ""})
        batch.set_hidden("pages", translation.uid, hidden=page.hidden)
    for element, element_uid in elements:
        texts = {1: element.german, 2: FRENCH_ELEMENTS.get(page.key) if page.french else None}
        for language, words in texts.items():
            if words is None:
                continue
            copy = batch.localize("content_elements", element_uid, language, with_content=False)
            batch.update("content_elements", copy.uid, {"header": words[0], "body": words[1]})
            batch.set_hidden("content_elements", copy.uid, hidden=False)


def _add_files(connection: Connection, folder: Path) -> None:
    batch = seed_batch(connection, seed_actor())
    for number, (path, title, alternative, german) in enumerate(FILES, start=1):
        target = folder / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        content = f"{title}\n".encode()
        target.write_bytes(content)
        connection.execute(
            insert(FILE).values(
                uid=number,
                pid=0,
                storage_id=1,
                path=path,
                name=target.name,
                mime="text/plain",
                size=len(content),
                sha256=hashlib.sha256(content).hexdigest(),
                missing=False,
                created_at=clock.now(),
                changed_at=clock.now(),
                rev=1,
                import_key="",
                import_hash="",
            )
        )
        metadata = batch.create("file_metadata", 0, {"file_uid": number, "title": title, "alternative": alternative})
        translated = batch.localize("file_metadata", metadata.uid, 1, with_content=False)
        batch.update("file_metadata", translated.uid, {"alternative": german})
    batch.finish()


def _add_other_records(connection: Connection, pages: Mapping[str, int], *, editorial: int) -> None:
    batch = seed_batch(connection, seed_actor(main_group_id=editorial))
    for name, role, phone, email in CONTACTS:
        batch.create("contacts", pages["about"], {"name": name, "role": role, "phone": phone, "email": email})
    batch.create("redirects", 0, {"source": "/hours", "target_page": pages["hours"], "status": 301})
    batch.create("site_settings", 0, {"name": "analytics", "value": "off"})
    batch.finish()
