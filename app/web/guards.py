"""Who may use which view. Every view carries exactly one guard; one without is closed to everybody (I23)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from flask import Flask, current_app, request

from app.accounts import sessions
from app.core.errors import Forbidden, NotFound
from app.policy.identity import Identity
from app.web.confirming import demand_confirmation
from app.web.current import NotSignedIn, current
from app.web.security import UNSAFE_METHODS

View = TypeVar("View", bound=Callable[..., Any])
Allows = Callable[[Identity], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class Guard:
    """The condition of one view."""

    name: str
    needs_sign_in: bool = True
    allows: Allows | None = None
    """Asked with the person's rights; None = everybody who is signed in."""
    is_quiet: bool = False
    """A request the page makes by itself: it does not prolong the sign-in."""
    needs_confirmation: bool = False
    """A form that changes who may do what: the person has proved who they are in the last ten minutes."""


def public(view: View) -> View:
    """Anybody, without signing in."""
    return _guarded(view, Guard(name="public", needs_sign_in=False))


def requires_sign_in(view: View) -> View:
    """Everybody who is signed in; the view's loaders decide about the rest."""
    return _guarded(view, Guard(name="signed in"))


def requires_sign_in_quietly(view: View) -> View:
    """As ``requires_sign_in``, for polls: they never prolong a sign-in."""
    return _guarded(view, Guard(name="signed in, quietly", is_quiet=True))


def requires(right: str | Allows, *, confirmed: bool = False) -> Callable[[View], View]:
    """People with a grant of their groups, or for whom a predicate on the identity holds; 403 for others.

    ``confirmed``: a form of this view is taken only from somebody who gave their password in the last ten minutes;
    others are asked for it, and what they typed goes along (reliability.md section 5, step-up).
    """
    name = right if isinstance(right, str) else getattr(right, "__name__", "predicate")

    def allows(identity: Identity) -> bool:
        return identity.may(right) if isinstance(right, str) else right(identity)

    return lambda view: _guarded(view, Guard(name=name, allows=allows, needs_confirmation=confirmed))


def administrator(identity: Identity) -> bool:
    """For ``requires``: administrators only."""
    return identity.is_admin


def repeats(*names: str) -> Callable[[View], View]:
    """Fields a view takes several values of; all others may be sent once only (B4)."""

    def mark(view: View) -> View:
        view.__dict__["__repeats__"] = names
        return view

    return mark


def takes_bytes(most: int) -> Callable[[View], View]:
    """A view for files: people who are signed in may send it up to ``most`` bytes at once."""

    def mark(view: View) -> View:
        view.__dict__["__most_bytes__"] = most
        return view

    return mark


def _guarded(view: View, guard: Guard) -> View:
    view.__dict__["__guard__"] = guard
    return view


def install(app: Flask) -> None:
    """Ask the guard of the view before each request."""
    app.before_request(check_guard)


def check_guard() -> None:
    """Refuse who may not; the person's last visit is noted except for quiet requests."""
    if request.endpoint is None or request.endpoint == "static":
        return
    guard = getattr(current_app.view_functions[request.endpoint], "__guard__", None)
    if not isinstance(guard, Guard):
        raise Forbidden(request.endpoint)
    if guard.needs_sign_in:
        _check_person(guard)
    if request.method in UNSAFE_METHODS:
        current().release()  # a reader held open by the same request would make the writer wait for it


def _check_person(guard: Guard) -> None:
    person = current().signed_in
    if person is None:
        raise NotSignedIn
    if guard.allows is not None and not guard.allows(current().identity):
        raise Forbidden(guard.name)
    if guard.needs_confirmation and request.method in UNSAFE_METHODS:
        demand_confirmation(person)
    if not guard.is_quiet:
        current().release()
        sessions.touch_session(person)


def workspace_or_404(workspace_id: int) -> int:
    """A draft workspace the person may use; missing and forbidden are one answer (I21)."""
    if workspace_id not in current().identity.workspaces:
        raise NotFound("workspace")
    return workspace_id


def standing_or_404() -> int:
    """The workspace the person stands in. Raises ``NotFound`` when they stand nowhere."""
    found = current().identity.workspace_id
    if found is None:
        raise NotFound("workspace")
    return found
