"""Addresses of the pages of content, for tests that ask for everything a person could look at."""

from __future__ import annotations

from collections.abc import Iterable

COMMANDS = ("copy", "move", "deletion", "translation", "visibility", "history")
"""What stands below the address of a record."""


def record_addresses(workspace_id: int, table: str, uids: Iterable[int]) -> list[str]:
    """Forms, commands, history and comparison of records."""
    found: list[str] = []
    for uid in uids:
        record = f"/records/{table}/{uid}"
        found += [record, *(f"{record}/{command}" for command in COMMANDS)]
        found += [f"{record}/history?workspace={workspace_id}", f"/workspaces/{workspace_id}/records/{table}/{uid}"]
    return found


def page_addresses(workspace_id: int, uids: Iterable[int]) -> list[str]:
    """The tree, the module, the archive, the preview and the forms of new records of pages."""
    found = ["/pages", f"/site/?workspace={workspace_id}", "/records/pages/new", "/records/redirects/new"]
    for uid in uids:
        page = f"/pages/{uid}"
        found += [page, f"{page}?deleted=1", f"{page}/below", f"{page}/export", f"/pages?q={uid}"]
        found += [f"/records/{table}/new?page={uid}" for table in ("pages", "content_elements", "contacts")]
        found += [f"/site/{code}/{uid}?workspace={workspace_id}" for code in ("en", "de", "fr")]
        found += [f"/records/pages/{uid}/move?to={uid}", f"/records/pages/{uid}/translation?in=2"]
    return found


def file_addresses(uids: Iterable[int]) -> list[str]:
    """Folders and files with their bytes."""
    folders = ("/", "/editorial/", "/press/", "/archive/", "/nowhere/")
    found = ["/files", *(f"/files?storage=1&folder={folder}" for folder in folders)]
    for uid in uids:
        found += [f"/files/{uid}{part}" for part in ("", "/content", "/thumbnail", "/place", "/deletion")]
        found += [f"/records/files/{uid}", f"/records/files/{uid}/history"]
    return found


def workspace_addresses(workspace_id: int, keys: Iterable[str] = ()) -> list[str]:
    """What a draft holds, and the pages of its acts; ``keys`` are chosen records as the list names them."""
    base = f"/workspaces/{workspace_id}"
    found = ["/workspaces", base, f"{base}?part=2", f"{base}/deletion"]
    for chosen in ("all=yes", *(f"record={key}" for key in keys)):
        found += [f"{base}/publication?{chosen}", f"{base}/discarding?{chosen}", f"{base}/stage?to=ready&{chosen}"]
    return found
