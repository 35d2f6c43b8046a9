"""A record and its history, as far as the person may read them."""

from __future__ import annotations

from flask import Blueprint, Response

from app.content.history import read_history
from app.content.reading import read_record
from app.web.arguments import optional_number
from app.web.content_views import record_page
from app.web.current import current
from app.web.guards import requires_sign_in, standing_or_404
from app.web.history_views import history_page
from app.web.render import page

bp = Blueprint("records", __name__)


@bp.get("/records/<table:table>/<id:uid>")
@requires_sign_in
def show(table: str, uid: int) -> Response:
    """The fields of a record in the workspace the person stands in."""
    found = read_record(current().connection, current().identity, standing_or_404(), table, uid)
    return page("records/show.html", view=record_page(current().connection, current().identity, found))


@bp.get("/records/<table:table>/<id:uid>/history")
@requires_sign_in
def history(table: str, uid: int) -> Response:
    """The newest changes; ``workspace`` says which draft is read too (0 = live only)."""
    asked = optional_number("workspace")
    workspace_id = standing_or_404() if asked is None else asked
    found = read_history(current().connection, current().identity, table, uid, workspace_id)
    return page("records/history.html", view=history_page(current().connection, current().identity, found))
