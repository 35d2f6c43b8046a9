"""Use cases of administrators on people: adding, changing, deleting, a new password by link, ending sign-ins.

Each opens its own transaction and asks in it whether the acting person administers (I27).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import and_, delete, insert
from sqlalchemy.engine import Connection

from app.accounts import names, service, sessions, store
from app.accounts.administrators import keeping_an_administrator, require_administrator
from app.accounts.directory import find_person_row, list_own_groups, read_person
from app.accounts.mounts import encode_mounts, encode_numbers
from app.accounts.values import PersonRecord, PersonValues
from app.core import clock
from app.core.db import transaction
from app.core.errors import Conflict, Invalid, NotFound
from app.core.i18n import Text, known_locales, text

LONGEST_NAME = 200
LONGEST_EMAIL = 254
_SET_ELSEWHERE = frozenset({"page_mounts", "file_mounts", "group_ids"})
CHANGED_MEANWHILE = text("Somebody else has changed this meanwhile. Check the current values, then save again.")


@dataclass(frozen=True, kw_only=True, slots=True)
class PasswordLink:
    """A one-time link for a new password; ``token`` is its secret part and is stored nowhere."""

    token: str
    expires_at: int


def create_person(actor_id: int, values: PersonValues) -> int:
    """Add a person without a password; returns the id. Raises ``Invalid`` with the fields that are wrong."""
    with transaction() as connection:
        require_administrator(connection, actor_id)
        _check(connection, values, None)
        user_id = service.create_user(connection, **_columns(values))
        _set_groups(connection, user_id, values.group_ids)
    return user_id


def change_person(actor_id: int, user_id: int, values: PersonValues, *, seen: str) -> None:
    """Give a person these values. ``seen`` is the ``version`` the form was filled from.

    Disabling somebody and taking the administrator flag ends their sign-ins. Raises ``NotFound``, ``Conflict`` when somebody
    else was faster, ``Invalid`` with the fields that are wrong or when nobody could administer any more.
    """
    with transaction() as connection:
        require_administrator(connection, actor_id)
        found = read_person(connection, user_id)
        if found.version != seen:
            raise Conflict(f"user {user_id}", text=CHANGED_MEANWHILE)
        _check(connection, values, found)
        update_person(connection, user_id, _columns(values))
        if values.group_ids != found.values.group_ids:
            _set_groups(connection, user_id, values.group_ids)


def update_person(connection: Connection, user_id: int, columns: Mapping[str, Any]) -> None:
    """Change columns of a person; for the command line too. Raises ``Invalid`` when nobody could administer any more."""
    before = find_person_row(connection, user_id)
    if before is None:
        raise NotFound(f"user {user_id}")
    with keeping_an_administrator(connection):
        service.update_user(connection, user_id, columns)
    if before["is_admin"] and not columns.get("is_admin", True):
        sessions.end_all_sessions(connection, user_id)


def delete_person(actor_id: int, user_id: int) -> None:
    """Take a person out: they can do nothing any more, their name stays on what they did and is given to nobody else."""
    with transaction() as connection:
        require_administrator(connection, actor_id)
        update_person(connection, user_id, {"deleted": True})


def create_password_link(actor_id: int, user_id: int) -> PasswordLink:
    """A link with which a person sets a new password; an earlier unused one ends, the present password works until then.

    Raises ``Invalid`` for somebody who may not act now: their link would open nothing.
    """
    with transaction() as connection:
        require_administrator(connection, actor_id)
        if not read_person(connection, user_id).may_act:
            raise Invalid(
                "password link",
                text=text("This person cannot sign in now, so a link would open nothing. Enable the person first."),
            )
        token = service.create_link(connection, "password", user_id)
        return PasswordLink(token=token, expires_at=clock.now() + service.LINK_DAYS * 86400)


def end_sessions_of(actor_id: int, user_id: int, reference: str = "") -> int:
    """End one sign-in of a person by the beginning of its stored hash, without one every sign-in; returns how many ended."""
    session = store.SESSION.c
    theirs = and_(session.user_id == user_id, session.token_hash.startswith(reference, autoescape=True))
    with transaction() as connection:
        require_administrator(connection, actor_id)
        read_person(connection, user_id)
        return int(connection.execute(delete(store.SESSION).where(theirs)).rowcount)


def _columns(values: PersonValues) -> dict[str, Any]:
    plain = {name: value for name, value in asdict(values).items() if name not in _SET_ELSEWHERE}
    return {
        **plain,
        "page_mounts": encode_numbers(values.page_mounts),
        "file_mounts": encode_mounts(values.file_mounts),
    }


def _set_groups(connection: Connection, user_id: int, group_ids: tuple[int, ...]) -> None:
    """Put a person into these groups, in this order, and out of others; what deleted groups held stays with them."""
    kept = list_own_groups(connection, user_id)
    member = store.MEMBER.c
    connection.execute(delete(store.MEMBER).where(member.user_id == user_id, member.group_id.in_(kept or [0])))
    for position, group_id in enumerate(dict.fromkeys(group_ids)):
        connection.execute(insert(store.MEMBER).values(user_id=user_id, group_id=group_id, position=position))


def _check(connection: Connection, values: PersonValues, before: PersonRecord | None) -> None:
    problems = {
        "username": _username_problem(connection, values.username, before),
        "name": name_problem(values.name, LONGEST_NAME),
        "email": _email_problem(values.email),
        "language": None if values.language in known_locales() else text("Choose a language."),
        "endtime": _times_problem(values),
        "group_ids": _groups_problem(connection, values.group_ids),
    }
    wrong = {field: sentence for field, sentence in problems.items() if sentence is not None}
    if wrong:
        raise Invalid("person", fields=wrong)


def _username_problem(connection: Connection, username: str, before: PersonRecord | None) -> Text | None:
    if before is not None and before.values.username == username:
        return None
    if not username:
        return text("Enter a name to sign in with.")
    return service.name_problem(connection, username, but=before.id if before else 0)


def name_problem(words: str, longest: int) -> Text | None:
    """Why a name or title cannot be stored, as a sentence."""
    if len(words) > longest:
        return text("This is too long: at most %(most)s characters.", most=longest)
    if not names.is_storable(words):
        return text("This contains characters that cannot be stored.")
    return None


def _email_problem(email: str) -> Text | None:
    if not email:
        return None
    local, at, domain = email.rpartition("@")
    is_plain = email.isprintable() and not any(sign.isspace() for sign in email)
    if at and local and domain and is_plain and len(email) <= LONGEST_EMAIL and names.is_storable(email):
        return None
    return text("Enter an e-mail address, for example name@example.org.")


def _times_problem(values: PersonValues) -> Text | None:
    if values.endtime and values.endtime <= values.starttime:
        return text("The end lies before the beginning. Enter a later end.")
    return None


def _groups_problem(connection: Connection, group_ids: tuple[int, ...]) -> Text | None:
    if set(group_ids) <= set(store.list_group_titles(connection)):
        return None
    return text("A chosen group does not exist any more. Choose another one.")
