"""The demo: a town museum with people whose rights differ (design section 5)."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from sqlalchemy import Table, insert, update
from sqlalchemy.engine import Connection

from app.agent.configurations import create_configuration
from app.config import Settings
from app.content import models
from app.content.files.folders import Folder, keep_folder
from app.content.files.pictures import measure
from app.content.files.storage import Storage
from app.content.writer import Batch
from app.core import clock
from app.seed.demo_content import CONTACTS, FILES, FRENCH_ELEMENTS, HOME, HOME_GERMAN, PAGES, DemoElement, DemoPage
from app.seed.demo_pictures import picture
from app.seed.installation import STORAGE, add_languages, add_root_page, is_installed, seed_actor, seed_batch
from app.seed.people import DemoPeople, add_groups, add_people

PAGE = cast(Table, models.Page.__table__)
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
    files = _add_files(connection, settings.data_folder / "files")
    _fill_pages(connection, pages, files, editorial=groups["Editorial"], members=groups["Members"])
    _add_other_records(connection, pages, editorial=groups["Editorial"])
    _add_home(connection, pages, editorial=groups["Editorial"])
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


def _fill_pages(
    connection: Connection, pages: Mapping[str, int], files: Mapping[str, int], *, editorial: int, members: int
) -> None:
    batch = seed_batch(connection, seed_actor(main_group_id=editorial))
    for page in PAGES:
        uid = pages[page.key]
        limits = _limits(page, members)
        if limits:
            batch.update("pages", uid, limits)
        elements = [(element, _add_element(batch, uid, element, pages, members)) for element in page.elements]
        for element, element_uid in elements:
            if element.picture:
                _attach(batch, uid, element_uid, files[element.picture])
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
    values = {"header": element.header, "body": _linked(element.body, pages), **_limits(element, members)}
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


def _add_home(connection: Connection, pages: Mapping[str, int], *, editorial: int) -> None:
    """The first page of the site. Last, so that it changes no number of what is known by number."""
    batch = seed_batch(connection, seed_actor(main_group_id=editorial))
    home = DemoPage(key="root", parent="", title="", german=HOME_GERMAN)
    elements = [
        (_linked_german(element, pages), _add_element(batch, pages["root"], element, pages, 0)) for element in HOME
    ]
    _translate(batch, home, pages["root"], elements)
    batch.finish()


def _linked_german(element: DemoElement, pages: Mapping[str, int]) -> DemoElement:
    german = element.german and (element.german[0], _linked(element.german[1], pages))
    return replace(element, german=german)


def _linked(body: str, pages: Mapping[str, int]) -> str:
    """``body`` with the keys of pages in its links replaced by their numbers."""
    for key, uid in pages.items():
        body = body.replace(f"(page:{key})", f"(page:{uid})")
    return body


def _attach(batch: Batch, page_uid: int, element_uid: int, file_uid: int) -> None:
    """Before the translation of its element, which takes it along."""
    owner = {"owner_table": "content_elements", "owner_uid": element_uid, "owner_field": "images"}
    batch.create("file_references", page_uid, {**owner, "file_uid": file_uid})


def _add_files(connection: Connection, folder: Path) -> dict[str, int]:
    """The pictures with their descriptions; uids by path. One has no alternative text yet: somebody has to see that."""
    batch, storage = seed_batch(connection, seed_actor()), Storage(folder=folder)
    uids = {}
    for path, title, alternative, german_title, german in FILES:
        content = picture(path)
        with storage.incoming(io.BytesIO(content)) as incoming:
            storage.settle(incoming)
            width, height = measure(storage.place(incoming.sha256), "image/png")
        place = {"storage_id": 1, "path": path, "name": path.rpartition("/")[2]}
        facts = {"mime": "image/png", "size": incoming.size, "sha256": incoming.sha256}
        uids[path] = batch.create("files", 0, {**place, **facts, "width": width, "height": height}).uid
        keep_folder(connection, Folder(storage_id=1, path=path.rpartition("/")[0] + "/"))
        metadata = batch.create(
            "file_metadata", 0, {"file_uid": uids[path], "title": title, "alternative": alternative}
        )
        if german:
            translated = batch.localize("file_metadata", metadata.uid, 1, with_content=False)
            batch.update("file_metadata", translated.uid, {"title": german_title, "alternative": german})
    batch.finish()
    return uids


def _add_other_records(connection: Connection, pages: Mapping[str, int], *, editorial: int) -> None:
    batch = seed_batch(connection, seed_actor(main_group_id=editorial))
    for name, role, phone, email in CONTACTS:
        batch.create("contacts", pages["about"], {"name": name, "role": role, "phone": phone, "email": email})
    batch.create("redirects", 0, {"source": "/hours", "target_page": pages["hours"], "status": 301})
    batch.create("site_settings", 0, {"name": "analytics", "value": "off"})
    batch.finish()
