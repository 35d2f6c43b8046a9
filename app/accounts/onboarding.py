"""One-time links: the first administrator of an installation, and a new password for somebody."""

from __future__ import annotations

from typing import Any

from app.accounts import passwords, service, store
from app.core import clock
from app.core.db import reading, transaction
from app.core.errors import Invalid, NotFound
from app.core.i18n import text

SETUP = "setup"
PASSWORD = "password"  # noqa: S105  the purpose of a link


def require_setup_link(token: str) -> None:
    """Raises ``NotFound`` unless ``token`` opens the set-up of an installation that has no administrator yet."""
    with reading() as connection:
        service.find_link(connection, SETUP, token)
        if service.has_administrator(connection):
            raise NotFound("setup")


def create_first_administrator(
    token: str, *, username: str, name: str, password: str, repeated: str, language: str
) -> int:
    """Make the first administrator and use the link up; returns the id.

    Raises ``Invalid`` with the field that is wrong, ``NotFound`` for a link that opens nothing.
    """
    require_setup_link(token)
    if not username.strip():
        raise Invalid("username", fields={"username": text("Enter a name to sign in with.")})
    service.check_new_password(password, repeated, username)
    hashed = passwords.hash_password(password)
    with transaction() as connection:
        service.find_link(connection, SETUP, token)
        if service.has_administrator(connection):
            raise NotFound("setup")
        user_id = service.create_user(connection, username=username, name=name, is_admin=True, language=language)
        service.set_password(connection, user_id, hashed)
        service.use_link(connection, token)
    return user_id


def find_person_of_link(token: str) -> dict[str, Any]:
    """``id``, ``username`` and ``name`` of the person a password link is for. Raises ``NotFound``."""
    with reading() as connection:
        link = service.find_link(connection, PASSWORD, token)
        user = store.find_user(connection, link["user_id"], clock.now())
        if user is None:
            raise NotFound("password")
        return {"id": user["id"], "username": user["username"], "name": user["name"] or user["username"]}


def set_password_by_link(token: str, *, password: str, repeated: str) -> int:
    """Store a new password, end every sign-in of the person and use the link up; returns the id."""
    person = find_person_of_link(token)
    service.check_new_password(password, repeated, person["username"])
    hashed = passwords.hash_password(password)
    with transaction() as connection:
        service.use_link(connection, token)
        service.set_password(connection, person["id"], hashed)
    return int(person["id"])
