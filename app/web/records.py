"""A record and its history, as far as the person may read them."""

from __future__ import annotations

from flask import Blueprint, Response

from app.content.history import read_history
from app.content.reading import read_record
from app.web.arguments import optional_number
from app.web.current import current
from app.web.guards import requires_sign_in, standing_or_404
from app.web.history_views import history_page
from app.web.record_views import edit_page
from app.web.render import page

bp = Blueprint("records", __name__)


@bp.get("/records/<table:table>/<id:uid>")
@requires_sign_in
def show(table: str, uid: int) -> Response:
    """A record in the workspace the person stands in: its form, or its fields where they may not change it."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    found = read_record(connection, identity, workspace_id, table, uid)
    return page("records/show.html", view=edit_page(connection, identity, workspace_id, found))


@bp.get("/records/<table:table>/<id:uid>/history")
@requires_sign_in
def history(table: str, uid: int) -> Response:
    """Twenty changes, the newest or those ``before`` or ``after`` an entry; ``workspace`` says which draft is read too
    (0 = live only).
    """
    asked = optional_number("workspace")
    workspace_id = standing_or_404() if asked is None else asked
    found = read_history(
        current().connection,
        current().identity,
        table,
        uid,
        workspace_id,
        before=optional_number("before"),
        after=optional_number("after"),
    )
    return page("records/history.html", view=history_page(current().connection, current().identity, found))
