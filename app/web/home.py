"""The start page: one's newest conversation, else the list of conversations."""

from __future__ import annotations

from flask import Blueprint, Response

from app.chat.pages import find_newest
from app.web.current import current
from app.web.guards import requires_sign_in
from app.web.render import see_other

bp = Blueprint("home", __name__)


@bp.get("/")
@requires_sign_in
def show() -> Response:
    """Leads on."""
    newest = find_newest(current().connection, current().identity)
    return see_other("/conversations" if newest is None else f"/conversations/{newest}")
