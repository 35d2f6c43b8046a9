"""Asking for the password again before a change of access; the form that was sent is kept and goes through afterwards."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response, request

from app.accounts import sessions
from app.accounts.sessions import SignedIn
from app.core import clock
from app.core.errors import Invalid, TooMany
from app.core.i18n import Text, text
from app.web import render
from app.web.current import current

RECENT: Final = 600
"""Seconds for which a proof counts."""
FIELD: Final = "confirm_password"
_OWN: Final = frozenset({FIELD, "csrf_token"})


class ConfirmationNeeded(Exception):
    """Somebody has to give their password first; ``problem`` says what was wrong with the one they gave."""

    def __init__(self, problem: Text | None = None, status: int = 403, retry_after: int = 0) -> None:
        super().__init__("confirmation needed")
        self.problem, self.status, self.retry_after = problem, status, retry_after


def install(app: Flask) -> None:
    """Answer ``ConfirmationNeeded`` with the page that asks."""
    app.register_error_handler(ConfirmationNeeded, ask_for_password)


def demand_confirmation(person: SignedIn) -> None:
    """Let a form pass whose sender proved lately who they are, or does so now with the field ``confirm_password``."""
    if clock.now() - person.confirmed_at < RECENT:
        return
    given = request.form.get(FIELD)
    if given is None:
        raise ConfirmationNeeded
    if not given:
        raise ConfirmationNeeded(text("Enter your password."), 422)
    current().release()
    try:
        sessions.confirm_session(person, given, address=request.remote_addr or "")
    except TooMany as error:
        raise ConfirmationNeeded(error.text, 429, error.retry_after) from error
    except Invalid as error:
        raise ConfirmationNeeded(error.text, 422) from error


def ask_for_password(needed: ConfirmationNeeded) -> Response:
    """The page with the password field and, hidden, everything that was typed."""
    sent = [(name, value) for name, values in request.form.lists() if name not in _OWN for value in values]
    headers = {"Retry-After": str(needed.retry_after)} if needed.retry_after else {}
    return render.page(
        "auth/confirm.html",
        status=needed.status,
        headers=headers,
        sent=sent,
        address=request.full_path.removesuffix("?"),
        problem=needed.problem,
        field_name=FIELD,
    )
