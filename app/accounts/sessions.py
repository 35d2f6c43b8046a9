"""Signing in and out: server-side sessions whose token only the browser knows (reliability.md section 5)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, insert, select, update
from sqlalchemy.engine import Connection

from app.accounts import limits, names, passwords, store
from app.config import Settings
from app.core import clock, ids
from app.core.db import reading, transaction
from app.core.errors import Invalid
from app.core.i18n import Text, text

TOUCH_SECONDS = 60
_SHOWN = ("id", "username", "name", "language", "timezone", "theme", "is_admin", "enter_sends")
_TIME = store.SESSION.c.seen_at.type
_SIGNED_IN = (  # built once: every request asks it, and an unchanged poll asks hardly anything else (perf.md P2)
    select(
        store.SESSION.c.seen_at,
        store.SESSION.c.created_at.label("opened_at"),
        store.SESSION.c.confirmed_at,
        *(store.USER.c[name] for name in _SHOWN),
    )
    .join(store.USER, store.USER.c.id == store.SESSION.c.user_id)
    .where(
        store.SESSION.c.token_hash == bindparam("token"),
        store.SESSION.c.seen_at > bindparam("idle_since", type_=_TIME),
        store.SESSION.c.created_at > bindparam("opened_since", type_=_TIME),
        store.usable(bindparam("now", type_=_TIME)),
    )
)
WRONG: Text = text("The name or the password is wrong.")


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedIn:
    """A person in a browser, as every request needs them: one statement."""

    token: str
    user_id: int
    username: str
    name: str
    language: str
    timezone: str
    theme: str
    is_admin: bool
    enter_sends: bool
    seen_at: int
    created_at: int
    confirmed_at: int
    """When they last proved who they are, in seconds."""


def sign_in(username: str, password: str, *, address: str, user_agent: str, earlier: str | None = None) -> str:
    """Check name and password; returns the token of a new session (an ``earlier`` one of the browser ends).

    Raises ``Invalid`` with one sentence for an unknown name and a wrong password, ``TooMany`` when the pair of name and address is
    slowed down; the account itself is never locked (B29).
    """
    if not names.is_storable(username):
        username = ""  # nobody has this name, and asking for it is answered like any wrong one
    subject = f"{ids.token_hash(username)[:32]}|{address}"
    with transaction() as connection:
        limits.check_limit(connection, "sign_in", subject, most=20, seconds=900)
        limits.check_limit(connection, "sign_in", subject, most=5, seconds=60)
        limits.count_attempt(connection, "sign_in", subject)
        user = store.find_user_by_name(connection, username)
    stored = user["password_hash"] if user else None
    if not passwords.password_matches(stored, password) or user is None:
        raise Invalid("sign_in", text=WRONG)
    with transaction() as connection:
        if store.find_user(connection, user["id"], clock.now()) is None:
            raise Invalid("sign_in", text=WRONG)
        limits.forget_attempts(connection, "sign_in", subject)
        if earlier:
            end_session(connection, earlier)
        return open_session(connection, user["id"], user_agent)


def open_session(connection: Connection, user_id: int, user_agent: str) -> str:
    """Start a session; returns its token."""
    token, now = ids.new_token(), clock.now()
    connection.execute(
        insert(store.SESSION).values(
            token_hash=ids.token_hash(token),
            user_id=user_id,
            created_at=now,
            seen_at=now,
            confirmed_at=now,
            user_agent=user_agent[:200],
        )
    )
    return token


def end_session(connection: Connection, token: str) -> None:
    """End one session."""
    connection.execute(delete(store.SESSION).where(store.SESSION.c.token_hash == ids.token_hash(token)))


def end_all_sessions(connection: Connection, user_id: int) -> None:
    """End every session of a person: after a new password, when disabled, when roles go."""
    connection.execute(delete(store.SESSION).where(store.SESSION.c.user_id == user_id))


def find_signed_in(connection: Connection, token: str, settings: Settings) -> SignedIn | None:
    """Who stands behind a token now; None when the session or the person's right to act has ended."""
    now = clock.now()
    asked = {
        "token": ids.token_hash(token),
        "idle_since": now - settings.session_idle_minutes * 60,
        "opened_since": now - settings.session_hours * 3600,
        "now": now,
    }
    row = connection.execute(_SIGNED_IN, asked).mappings().first()
    if row is None:
        return None
    return SignedIn(
        token=token,
        user_id=row["id"],
        username=row["username"],
        name=row["name"] or row["username"],
        language=row["language"],
        timezone=row["timezone"],
        theme=row["theme"],
        is_admin=bool(row["is_admin"]),
        enter_sends=bool(row["enter_sends"]),
        seen_at=row["seen_at"],
        created_at=row["opened_at"],
        confirmed_at=row["confirmed_at"],
    )


def confirm_session(signed_in: SignedIn, password: str, *, address: str) -> None:
    """Note that a person proved again who they are.

    Raises ``Invalid`` for a wrong password and ``TooMany`` as ``sign_in`` does, counted together with it.
    """
    subject = f"{ids.token_hash(signed_in.username)[:32]}|{address}"
    with transaction() as connection:
        limits.check_limit(connection, "sign_in", subject, most=20, seconds=900)
        limits.check_limit(connection, "sign_in", subject, most=5, seconds=60)
        limits.count_attempt(connection, "sign_in", subject)
        user = store.find_user(connection, signed_in.user_id, clock.now())
    if not passwords.password_matches(user["password_hash"] if user else None, password):
        raise Invalid("confirm", text=text("The password is wrong."))
    with transaction() as connection:
        limits.forget_attempts(connection, "sign_in", subject)
        connection.execute(
            update(store.SESSION)
            .where(store.SESSION.c.token_hash == ids.token_hash(signed_in.token))
            .values(confirmed_at=clock.now())
        )


def touch_session(signed_in: SignedIn) -> None:
    """Remember that a person was seen, at most once a minute; polls never call this."""
    now = clock.now()
    if now - signed_in.seen_at < TOUCH_SECONDS:
        return
    with transaction() as connection:
        connection.execute(
            update(store.SESSION)
            .where(store.SESSION.c.token_hash == ids.token_hash(signed_in.token))
            .values(seen_at=now)
        )


def list_sessions(user_id: int) -> list[dict[str, int | str]]:
    """A person's own sessions, newest first: hash, times and browser."""
    with reading() as connection:
        rows = connection.execute(
            select(store.SESSION).where(store.SESSION.c.user_id == user_id).order_by(store.SESSION.c.created_at.desc())
        ).mappings()
        return [dict(row) for row in rows]


def find_owner(connection: Connection, token: str) -> int | None:
    """Whose session a token names, also when the session has ended by time."""
    query = select(store.SESSION.c.user_id).where(store.SESSION.c.token_hash == ids.token_hash(token))
    found = connection.execute(query).scalar()
    return None if found is None else int(found)


def end_own_session(user_id: int, reference: str) -> bool:
    """End one sign-in of a person by the beginning of its stored hash; False when there is none of theirs."""
    mine = and_(store.SESSION.c.user_id == user_id, store.SESSION.c.token_hash.startswith(reference, autoescape=True))
    with transaction() as connection:
        return connection.execute(delete(store.SESSION).where(mine)).rowcount > 0


def end_other_sessions(signed_in: SignedIn) -> int:
    """End every sign-in of a person but the one asking; returns how many there were."""
    others = and_(
        store.SESSION.c.user_id == signed_in.user_id, store.SESSION.c.token_hash != ids.token_hash(signed_in.token)
    )
    with transaction() as connection:
        return connection.execute(delete(store.SESSION).where(others)).rowcount


def sign_out(token: str) -> None:
    """End the session of a browser."""
    with transaction() as connection:
        end_session(connection, token)
