"""Builds the ``Identity`` of a person from the database: three statements, no side effects (cms.md section 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from sqlalchemy.engine import Connection, RowMapping

from app.accounts import store
from app.core import clock
from app.policy.identity import LIVE, FileMount, Identity


def find_identity(connection: Connection, user_id: int, *, workspace_id: int | None = None) -> Identity | None:
    """Who somebody is right now; None for people who are missing, deleted, disabled or outside their times.

    With ``workspace_id`` the person stands in exactly that workspace, or nowhere (``identity.workspace_id`` is None) when they may
    not use it: never a fallback (DW-04). Without it, in the one they chose last, if they still may.
    """
    user = store.find_user(connection, user_id, clock.now())
    if user is None:
        return None
    groups = store.list_groups_of(connection, user_id)
    workspaces = store.list_workspaces_for(
        connection, user_id, [group["id"] for group in groups], everyone=bool(user["is_admin"])
    )
    return _build(user, groups, workspaces, workspace_id)


def _build(
    user: RowMapping,
    groups: Iterable[RowMapping],
    workspaces: Iterable[RowMapping],
    wanted: int | None,
) -> Identity:
    groups, workspaces = list(groups), list(workspaces)
    titles = {row["id"]: row["title"] for row in workspaces}
    may_live = bool(user["is_admin"]) or any(group["live"] for group in groups)
    main = [group for group in groups if group["main_position"] is not None]
    return Identity(
        user_id=user["id"],
        username=user["username"],
        name=user["name"] or user["username"],
        is_admin=bool(user["is_admin"]),
        language=user["language"],
        timezone=user["timezone"],
        group_ids=tuple(group["id"] for group in groups),
        main_group_id=min(main, key=lambda group: (group["main_position"], group["id"]))["id"] if main else 0,
        grants=_strings(groups, "grants"),
        tables_select=_strings(groups, "tables_select"),
        tables_modify=_strings(groups, "tables_modify"),
        field_grants=_strings(groups, "field_grants"),
        languages=_languages(groups),
        page_mounts=_page_mounts(user, groups),
        file_mounts=_file_mounts(user, groups),
        file_permissions=_strings(groups, "file_permissions"),
        may_work_live=may_live,
        workspaces=titles,
        owned_workspaces=frozenset(row["id"] for row in workspaces if row["is_owner"]),
        workspace_mounts={
            row["id"]: frozenset(store.decode_numbers(row["page_mounts"]))
            for row in workspaces
            if store.is_limited(row["page_mounts"])
        },
        workspace_id=_standing(user["workspace_id"], wanted, titles, may_live=may_live),
    )


def _standing(stored: int, wanted: int | None, titles: Mapping[int, str], *, may_live: bool) -> int | None:
    chosen = stored if wanted is None else wanted
    if chosen == LIVE:
        return LIVE if may_live else None
    return chosen if chosen in titles else None


def _strings(groups: Iterable[RowMapping], column: str) -> frozenset[str]:
    return frozenset(value for group in groups for value in store.decode_list(group[column]) if isinstance(value, str))


def _languages(groups: Iterable[RowMapping]) -> frozenset[int] | None:
    limiting = [group["languages"] for group in groups if store.is_limited(group["languages"])]
    return frozenset(value for words in limiting for value in store.decode_numbers(words)) if limiting else None


def _page_mounts(user: RowMapping, groups: Iterable[RowMapping]) -> frozenset[int]:
    own = store.decode_numbers(user["page_mounts"])
    shared = [value for group in groups for value in store.decode_numbers(group["page_mounts"])]
    return frozenset(own + (shared if user["uses_group_page_mounts"] else []))


def _file_mounts(user: RowMapping, groups: Iterable[RowMapping]) -> tuple[FileMount, ...]:
    own = store.decode_list(user["file_mounts"])
    shared = [value for group in groups for value in store.decode_list(group["file_mounts"])]
    found = own + (shared if user["uses_group_file_mounts"] else [])
    return tuple(mount for value in found if (mount := _file_mount(value)) is not None)


def _file_mount(value: Any) -> FileMount | None:
    match value:
        case {"storage": int(storage_id), "folder": str(path), **others}:
            inner = path.strip("/")
            folder = f"/{inner}/" if inner else "/"
            return FileMount(storage_id=storage_id, folder=folder, read_only=bool(others.get("read_only")))
        case _:
            return None


def file_mounts_of(words: str) -> tuple[FileMount, ...]:
    """The file mounts of one stored list; what cannot be read grants nothing."""
    return tuple(mount for value in store.decode_list(words) if (mount := _file_mount(value)) is not None)


def list_shares(
    user: RowMapping, groups: Iterable[RowMapping]
) -> tuple[Identity, tuple[tuple[RowMapping, Identity], ...]]:
    """What a person has of their own, and what each resolved group brings alone; the union is what they may do."""
    alone = cast(RowMapping, {**user, "is_admin": False})
    bare = cast(RowMapping, {**alone, "page_mounts": "[]", "file_mounts": "[]"})
    return _build(alone, [], [], None), tuple((group, _build(bare, [group], [], None)) for group in groups)
