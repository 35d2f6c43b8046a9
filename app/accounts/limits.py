"""Counted attempts, kept in the database so that several processes share them (reliability.md section 5)."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select
from sqlalchemy.engine import Connection

from app.accounts.store import ATTEMPT
from app.core import clock
from app.core.errors import TooMany

KEPT_SECONDS = 3600


def check_limit(connection: Connection, kind: str, subject: str, *, most: int, seconds: int) -> None:
    """Raise ``TooMany`` when ``subject`` has used up ``most`` attempts of ``kind`` within the last ``seconds``."""
    since = clock.now() - seconds
    condition = (ATTEMPT.c.kind == kind) & (ATTEMPT.c.subject == subject) & (ATTEMPT.c.at > since)
    row = connection.execute(select(func.count(), func.min(ATTEMPT.c.at)).where(condition)).one()
    if row[0] >= most:
        raise TooMany(kind, retry_after=max(1, int(row[1]) + seconds - clock.now()))


def count_attempt(connection: Connection, kind: str, subject: str) -> None:
    """Remember one attempt; old ones of the same subject are forgotten."""
    now = clock.now()
    old = (ATTEMPT.c.kind == kind) & (ATTEMPT.c.subject == subject) & (ATTEMPT.c.at <= now - KEPT_SECONDS)
    connection.execute(delete(ATTEMPT).where(old))
    connection.execute(insert(ATTEMPT).values(kind=kind, subject=subject, at=now))


def forget_attempts(connection: Connection, kind: str, subject: str) -> None:
    """After a success the slate is clean."""
    connection.execute(delete(ATTEMPT).where(ATTEMPT.c.kind == kind, ATTEMPT.c.subject == subject))


def remove_attempts(connection: Connection, *, before: int, most: int) -> int:
    """Remove at most ``most`` attempts counted before a moment, of whatever kind; returns how many."""
    old = select(ATTEMPT.c.id).where(ATTEMPT.c.at < before).order_by(ATTEMPT.c.id).limit(most)
    ids = connection.execute(old).scalars().all()
    connection.execute(delete(ATTEMPT).where(ATTEMPT.c.id.in_(ids)))
    return len(ids)
