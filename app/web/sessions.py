"""A person's own sign-ins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from app.accounts import sessions
from app.core import ids
from app.core.errors import Invalid, NotFound
from app.core.i18n import ntext, text
from app.web.current import current
from app.web.guards import requires_sign_in
from app.web.render import page, see_other

bp = Blueprint("sessions", __name__)
_REFERENCE = 16
_SIGNS = re.compile(rf"[0-9a-f]{{{_REFERENCE}}}")


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionView:
    """One signed-in browser."""

    reference: str
    browser: str
    opened_at: int
    seen_at: int
    is_this: bool


@bp.get("/sessions")
@requires_sign_in
def index() -> Response:
    """The list, newest first."""
    person = current().person
    this = ids.token_hash(person.token)
    found = [
        SessionView(
            reference=str(row["token_hash"])[:_REFERENCE],
            browser=str(row["user_agent"]),
            opened_at=int(row["created_at"]),
            seen_at=int(row["seen_at"]),
            is_this=row["token_hash"] == this,
        )
        for row in sessions.list_sessions(person.user_id)
    ]
    return page("sessions/index.html", sessions=found)


@bp.post("/sessions")
@requires_sign_in
def destroy() -> Response:
    """End one other sign-in (``session``) or all others (``others``)."""
    person = current().person
    if request.form.get("others"):
        ended = sessions.end_other_sessions(person)
        return see_other(
            url_for("sessions.index"), ntext("%(n)s other sign-in ended.", "%(n)s other sign-ins ended.", ended)
        )
    reference = request.form.get("session", "")
    if not _SIGNS.fullmatch(reference):
        raise Invalid("session")
    if ids.token_hash(person.token).startswith(reference) or not sessions.end_own_session(person.user_id, reference):
        raise NotFound("session")
    return see_other(url_for("sessions.index"), text("The sign-in has ended."))
