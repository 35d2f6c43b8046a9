"""The people of the demo and of the tests: nine rights that differ (cms.md section 19, design section 5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from app.accounts import service as accounts
from app.seed.installation import EDITED_TABLES, editor_rights

NAMES: Mapping[str, tuple[str, str]] = {
    "admin": ("Ada Min", "en"),
    "anna": ("Anna Bergmann", "en"),
    "ben": ("Ben Carter", "en"),
    "olga": ("Olga Danner", "de"),
    "cem": ("Cem Ersoy", "de"),
    "dora": ("Dora Fischer", "de"),
    "emil": ("Emil Graf", "en"),
    "fay": ("Fay Hughes", "en"),
    "gus": ("Gus Ibsen", "en"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class DemoPeople:
    """Ids of the demo's people, groups and workspaces by name."""

    users: Mapping[str, int]
    groups: Mapping[str, int]
    workspaces: Mapping[str, int]


def add_groups(connection: Connection, *, root: int, second_branch: int) -> dict[str, int]:
    """Groups of the demo. ``root`` is the root page, ``second_branch`` the page Emil is mounted on."""
    rights = editor_rights()
    rights["field_grants"] = []
    rights["file_mounts"] = [
        {"storage": 1, "folder": "/editorial/", "read_only": False},
        {"storage": 1, "folder": "/press/", "read_only": True},
    ]
    return {
        "Editorial": accounts.create_group(connection, "Editorial", **rights),
        "Whole site": accounts.create_group(connection, "Whole site", page_mounts=[root]),
        "Live": accounts.create_group(connection, "Live", live=True),
        "Keywords": accounts.create_group(connection, "Keywords", field_grants=["pages.keywords"]),
        "German desk": accounts.create_group(connection, "German desk", languages=[0, 1]),
        "Exhibitions branch": accounts.create_group(connection, "Exhibitions branch", page_mounts=[second_branch]),
        "Approvers": accounts.create_group(
            connection, "Approvers", grants=["agent_approve", "audit_read"], tables_select=list(EDITED_TABLES)
        ),
        "Freelancers": accounts.create_group(connection, "Freelancers"),
        "Members": accounts.create_group(connection, "Members"),
    }


MEMBERSHIPS: Mapping[str, tuple[str, ...]] = {
    "admin": (),
    "anna": ("Editorial", "Whole site", "Live", "Keywords"),
    "ben": ("Editorial", "Whole site", "Freelancers"),
    "olga": ("Editorial", "Whole site", "Live", "Keywords", "Approvers"),
    "cem": ("Editorial", "Whole site"),
    "dora": ("Editorial", "Whole site", "Live", "German desk"),
    "emil": ("Editorial", "Exhibitions branch", "Live"),
    "fay": ("Approvers",),
    "gus": (),
}


def add_people(connection: Connection, groups: Mapping[str, int]) -> DemoPeople:
    """People, workspaces and who is in what; nobody has a password yet."""
    workspaces = {
        title: accounts.create_workspace(connection, title) for title in ("Relaunch", "Campaign", "Old draft")
    }
    users = {
        username: accounts.create_user(
            connection,
            username=username,
            name=name,
            language=language,
            is_admin=username == "admin",
            workspace_id=_standing(username, workspaces),
        )
        for username, (name, language) in NAMES.items()
    }
    for username, titles in MEMBERSHIPS.items():
        for position, title in enumerate(titles):
            accounts.add_member(connection, users[username], groups[title], position)
    _add_to_workspaces(connection, users, groups, workspaces)
    return DemoPeople(users=users, groups=dict(groups), workspaces=workspaces)


def _add_to_workspaces(
    connection: Connection, users: Mapping[str, int], groups: Mapping[str, int], workspaces: Mapping[str, int]
) -> None:
    for username in ("anna", "dora", "emil"):
        accounts.add_to_workspace(connection, workspaces["Relaunch"], user_id=users[username])
    accounts.add_to_workspace(connection, workspaces["Relaunch"], group_id=groups["Freelancers"])
    accounts.add_to_workspace(connection, workspaces["Relaunch"], user_id=users["olga"], is_owner=True)
    accounts.add_to_workspace(connection, workspaces["Campaign"], user_id=users["cem"])
    accounts.add_to_workspace(connection, workspaces["Old draft"], user_id=users["anna"])


def _standing(username: str, workspaces: Mapping[str, int]) -> int:
    if username in {"anna", "ben", "olga"}:
        return workspaces["Relaunch"]
    return workspaces["Campaign"] if username == "cem" else 0
