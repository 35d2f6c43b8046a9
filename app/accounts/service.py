"""Use cases on people, groups and workspaces for commands, the seed and the web."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection, RowMapping

from app.accounts import names, passwords, sessions, store
from app.accounts.identities import find_identity
from app.core import clock, ids
from app.core.canonical import dumps
from app.core.errors import Conflict, Invalid, NotFound
from app.core.i18n import Text, text
from app.policy.identity import LIVE

__all__ = ["find_identity"]
LINK_DAYS = 3


def create_user(connection: Connection, *, username: str, name: str = "", is_admin: bool = False, **values: Any) -> int:
    """Add a person without a password; returns the id. Raises ``Invalid`` for a taken, empty or confusable name (B30)."""
    _check_name(connection, username)
    row = {"language": "en", "timezone": "", "workspace_id": 0, **values}
    connection.execute(
        insert(store.USER).values(
            username=username, name=name or username, is_admin=is_admin, created_at=clock.now(), **row
        )
    )
    found = store.find_user_by_name(connection, username)
    if found is None:
        raise NotFound("user")
    return int(found["id"])


def _check_name(connection: Connection, username: str) -> None:
    problem = name_problem(connection, username)
    if problem is not None:
        raise _wrong_name(problem)


def name_problem(connection: Connection, username: str, *, but: int = 0) -> Text | None:
    """Why somebody cannot sign in with this name, as a sentence; the name of the person ``but`` is no obstacle (B30)."""
    if not names.is_usable(username):
        return text("This name cannot be used. Enter letters, digits, dots, hyphens or underscores.")
    wanted, others = names.skeleton(username), select(store.USER.c.username).where(store.USER.c.id != but)
    if any(names.skeleton(taken) == wanted for taken in connection.execute(others).scalars().all()):
        return text("This name is already taken.")
    return None


def _wrong_name(sentence: Text) -> Invalid:
    return Invalid("username", text=sentence, fields={"username": sentence})


def set_password(connection: Connection, user_id: int, hashed: str) -> None:
    """Store a hash made outside the transaction and end every session of the person."""
    connection.execute(update(store.USER).where(store.USER.c.id == user_id).values(password_hash=hashed))
    sessions.end_all_sessions(connection, user_id)


def update_user(connection: Connection, user_id: int, values: Mapping[str, Any]) -> None:
    """Change columns of a person; disabling ends their sessions at once (I27)."""
    connection.execute(update(store.USER).where(store.USER.c.id == user_id).values(**values))
    if values.get("disabled") or values.get("deleted"):
        sessions.end_all_sessions(connection, user_id)


def create_group(connection: Connection, title: str, **rights: Any) -> int:
    """Add a group; list-valued rights are given as sequences. Returns the id."""
    if store.is_group_title_taken(connection, title):
        raise Invalid("group", text=text("There is already a group with this title."))
    connection.execute(insert(store.GROUP).values(title=title, **_encoded(rights)))
    return int(connection.execute(select(store.GROUP.c.id).where(store.GROUP.c.title == title)).scalar_one())


def update_group(connection: Connection, group_id: int, **rights: Any) -> None:
    """Change the rights of a group."""
    connection.execute(update(store.GROUP).where(store.GROUP.c.id == group_id).values(**_encoded(rights)))


def _encoded(rights: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: dumps(list(value))
        if isinstance(value, Sequence | set | frozenset) and not isinstance(value, str)
        else value
        for name, value in rights.items()
    }


def add_member(connection: Connection, user_id: int, group_id: int, position: int = 0) -> None:
    """Put a person into a group."""
    connection.execute(insert(store.MEMBER).values(user_id=user_id, group_id=group_id, position=position))


def include_group(connection: Connection, group_id: int, subgroup_id: int) -> None:
    """Let ``group_id`` include ``subgroup_id``."""
    connection.execute(insert(store.INCLUSION).values(group_id=group_id, subgroup_id=subgroup_id))


def create_workspace(connection: Connection, title: str, *, page_mounts: Sequence[int] = ()) -> int:
    """Add a draft workspace; returns its number."""
    row = {"title": title, "page_mounts": dumps(list(page_mounts)), "created_at": clock.now()}
    key = connection.execute(insert(store.WORKSPACE).values(**row)).inserted_primary_key
    if key is None:
        raise NotFound("workspace")
    return int(key[0])


def add_to_workspace(
    connection: Connection, workspace_id: int, *, user_id: int = 0, group_id: int = 0, is_owner: bool = False
) -> None:
    """Let a person or a group work in a workspace."""
    connection.execute(
        insert(store.WORKSPACE_MEMBER).values(
            workspace_id=workspace_id, user_id=user_id, group_id=group_id, is_owner=is_owner
        )
    )


def close_workspace(connection: Connection, workspace_id: int) -> int:
    """Delete a draft workspace; whoever stood in it stands in their default workspace now. Returns how many did.

    What it holds is the caller's to discard in the same transaction. Raises ``NotFound`` when there is no such one.
    """
    closed = connection.execute(
        update(store.WORKSPACE)
        .where(store.WORKSPACE.c.id == workspace_id, store.WORKSPACE.c.deleted.is_(False))
        .values(deleted=True)
    )
    if closed.rowcount != 1:
        raise NotFound("workspace")
    standing = store.list_standing_in(connection, workspace_id)
    for user_id in standing:
        connection.execute(
            update(store.USER)
            .where(store.USER.c.id == user_id)
            .values(workspace_id=_default_workspace(connection, user_id))
        )
    return len(standing)


def _default_workspace(connection: Connection, user_id: int) -> int:
    """Live where the person has it, else their first draft workspace by title, else live, where they stand nowhere."""
    identity = find_identity(connection, user_id)
    if identity is None or identity.may_use_workspace(LIVE):
        return LIVE
    return min(identity.workspaces, key=lambda number: (identity.workspaces[number].casefold(), number), default=LIVE)


def workspace_title(connection: Connection, workspace_id: int) -> str | None:
    """Title of an existing workspace."""
    found = connection.execute(
        select(store.WORKSPACE.c.title).where(
            store.WORKSPACE.c.id == workspace_id, store.WORKSPACE.c.deleted.is_(False)
        )
    ).first()
    return None if found is None else str(found[0])


def switch_workspace(connection: Connection, user_id: int, workspace_id: int) -> None:
    """Let a person stand in another workspace. Raises ``NotFound`` for one they may not use."""
    identity = find_identity(connection, user_id, workspace_id=workspace_id)
    if identity is None or identity.workspace_id != workspace_id:
        raise NotFound("workspace")
    connection.execute(update(store.USER).where(store.USER.c.id == user_id).values(workspace_id=workspace_id))


def create_link(connection: Connection, purpose: str, user_id: int = 0) -> str:
    """A one-time link for ``setup`` or ``password``; returns its token. An earlier unused one of the same kind ends."""
    token, now = ids.new_token(), clock.now()
    connection.execute(
        update(store.LINK)
        .where(store.LINK.c.purpose == purpose, store.LINK.c.user_id == user_id, store.LINK.c.used_at.is_(None))
        .values(used_at=now)
    )
    connection.execute(
        insert(store.LINK).values(
            token_hash=ids.token_hash(token),
            purpose=purpose,
            user_id=user_id,
            created_at=now,
            expires_at=now + LINK_DAYS * 86400,
        )
    )
    return token


def find_link(connection: Connection, purpose: str, token: str) -> RowMapping:
    """An unused, unexpired link. Raises ``NotFound`` otherwise."""
    found = (
        connection.execute(
            select(store.LINK).where(
                store.LINK.c.token_hash == ids.token_hash(token),
                store.LINK.c.purpose == purpose,
                store.LINK.c.used_at.is_(None),
                store.LINK.c.expires_at > clock.now(),
            )
        )
        .mappings()
        .first()
    )
    if found is None:
        raise NotFound("link")
    return found


def use_link(connection: Connection, token: str) -> None:
    """Mark a link used; raises ``Conflict`` when somebody else was faster."""
    changed = connection.execute(
        update(store.LINK)
        .where(store.LINK.c.token_hash == ids.token_hash(token), store.LINK.c.used_at.is_(None))
        .values(used_at=clock.now())
    )
    if changed.rowcount != 1:
        raise Conflict("link")


def has_administrator(connection: Connection) -> bool:
    """Whether somebody can administer this installation."""
    found = connection.execute(
        select(store.USER.c.id).where(
            store.USER.c.is_admin.is_(True), store.USER.c.password_hash.is_not(None), store.usable(clock.now())
        )
    ).first()
    return found is not None


def check_new_password(password: str, repeated: str, username: str) -> None:
    """Raise ``Invalid`` with the field that is wrong."""
    problem = passwords.problem_with(password, username)
    if problem is not None:
        raise Invalid("password", fields={"password": problem})
    if password != repeated:
        raise Invalid("password", fields={"repeated": text("The two passwords are different.")})
