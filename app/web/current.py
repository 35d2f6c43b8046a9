"""Who asks, seen from one request: sign-in, rights and a connection that cannot write, each only when needed.

Nothing of it outlives the request, so a right taken away counts with the next one (I27).
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import cached_property

from flask import Flask, current_app, g
from flask_login import LoginManager, UserMixin, current_user
from sqlalchemy.engine import Connection

from app.accounts import sessions
from app.accounts.identities import find_identity
from app.accounts.sessions import SignedIn
from app.agent.runtime import Runtime, Services
from app.config import Settings
from app.core import clock
from app.core.db import reading
from app.policy.identity import Identity


class NotSignedIn(Exception):
    """Somebody has to sign in first."""


class SessionUser(UserMixin):
    """What Flask-Login keeps of a person: only the token of the session, never an id somebody could set."""

    def __init__(self, signed_in: SignedIn) -> None:
        self.signed_in = signed_in

    def get_id(self) -> str:
        return self.signed_in.token


class Current:
    """One request."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self._identity: Identity | None = None

    @cached_property
    def services(self) -> Services:
        """What the application was wired with."""
        found: Services = current_app.extensions["imprimatur"]
        return found

    @property
    def runtime(self) -> Runtime:
        """The parts runs are executed with."""
        return self.services.runtime

    @property
    def settings(self) -> Settings:
        """Settings of the installation."""
        return self.services.settings

    @property
    def connection(self) -> Connection:
        """A connection that reads one consistent moment and cannot write; opened on first use, closed with the request."""
        if self._connection is None:
            self._connection = self._stack.enter_context(reading())
        return self._connection

    def release(self) -> None:
        """Close the connection: before a service writes, and to see afterwards what was written."""
        self._connection = None
        self._stack.close()

    @property
    def signed_in(self) -> SignedIn | None:
        """The person behind the browser's session; one statement per request."""
        user = current_user._get_current_object()
        return user.signed_in if isinstance(user, SessionUser) else None

    @property
    def person(self) -> SignedIn:
        """``signed_in``, for views that are not public. Raises ``NotSignedIn``."""
        found = self.signed_in
        if found is None:
            raise NotSignedIn
        return found

    @property
    def identity(self) -> Identity:
        """The person's rights now: three statements, once per request. Raises ``NotSignedIn``."""
        if self._identity is None:
            found = find_identity(self.connection, self.person.user_id)
            if found is None:
                raise NotSignedIn
            self._identity = found
        return self._identity

    @property
    def session_seconds(self) -> int:
        """Seconds until the sign-in ends when nothing more is asked for."""
        person, settings = self.person, self.settings
        seen = clock.now() if clock.now() - person.seen_at >= sessions.TOUCH_SECONDS else person.seen_at
        ends = min(seen + settings.session_idle_minutes * 60, person.created_at + settings.session_hours * 3600)
        return max(0, ends - clock.now())


def current() -> Current:
    """The request being answered."""
    found: Current | None = g.get("imprimatur")
    if found is None:
        found = g.imprimatur = Current()
    return found


def install(app: Flask) -> None:
    """Flask-Login on our own sessions, and the end of every request."""
    login = LoginManager(app)
    login.session_protection = None
    login.user_loader(_load)
    app.teardown_request(_end)


def _load(token: str) -> SessionUser | None:
    found = sessions.find_signed_in(current().connection, token, current().settings)
    return SessionUser(found) if found else None


def _end(_error: BaseException | None) -> None:
    found: Current | None = g.pop("imprimatur", None)
    if found is not None:
        found.release()
