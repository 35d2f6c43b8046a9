"""Who may administer people and groups, and that somebody always can: the last administrator keeps their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import select
from sqlalchemy.engine import Connection

from app.accounts import store
from app.accounts.identities import find_identity
from app.core import clock
from app.core.errors import Forbidden, Invalid
from app.core.i18n import text
from app.policy.identity import Identity

LAST = text("This is the last person who can administer the site. Make somebody else an administrator first.")


def require_administrator(connection: Connection, actor_id: int) -> Identity:
    """The acting person as the database knows them in this very transaction. Raises ``Forbidden`` unless they administer.

    Administration waits for other administration: the rows of administrators are locked until the transaction ends.
    """
    _lock(connection)
    actor = find_identity(connection, actor_id)
    if actor is None or not actor.is_admin:
        raise Forbidden(f"administration by {actor_id}")
    return actor


@contextmanager
def keeping_an_administrator(connection: Connection) -> Iterator[None]:
    """Refuse what is done inside when it leaves nobody who can administer. Raises ``Invalid``; the caller's transaction ends.

    Three counts may not fall to none: administrators who may act for good and have a password, those who may act now and
    have one, and those who may act now at all.
    """
    _lock(connection)
    before = _counts(connection)
    yield
    if any(had and not has for had, has in zip(before, _counts(connection), strict=True)):
        raise Invalid("last administrator", text=LAST)


def _lock(connection: Connection) -> None:
    """Nothing on SQLite, where one transaction writes at a time; sign-ins of these people go on meanwhile."""
    rows = select(store.USER.c.id).where(store.USER.c.is_admin.is_(True)).order_by(store.USER.c.id)
    connection.execute(rows.with_for_update(key_share=True)).all()


def _counts(connection: Connection) -> tuple[int, int, int]:
    user = store.USER.c
    query = select(user.password_hash, user.endtime).where(user.is_admin.is_(True), store.usable(clock.now()))
    found = connection.execute(query).all()
    with_password = [row for row in found if row.password_hash is not None]
    return sum(row.endtime == 0 for row in with_password), len(with_password), len(found)
