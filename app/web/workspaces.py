"""Workspaces: which there are for a person, what a draft holds, and in which one the person stands."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, request, url_for
from werkzeug.exceptions import HTTPException

from app.accounts.identities import find_identity
from app.accounts.preferences import choose_workspace
from app.content.comparison import compare_with_live
from app.content.differences import list_differences
from app.content.errors import WriteRefused
from app.content.reading import read_record
from app.content.schema import PAGES
from app.core.db import reading
from app.core.i18n import text
from app.web import render
from app.web.addresses import page_before
from app.web.arguments import optional_number, required_number
from app.web.current import current
from app.web.guards import requires_sign_in, workspace_or_404
from app.web.workspace_views import comparison_view, differences_view, wording, workspace_views

bp = Blueprint("workspaces", __name__)
NOTHING_CHOSEN = "nothing-chosen"
"""Value of ``problem``: a form about chosen records was sent without any."""


@bp.get("/workspaces")
@requires_sign_in
def index() -> Response:
    """The list, and the form that switches."""
    return render.page("workspaces/index.html", workspaces=workspace_views(current().identity))


@bp.get("/workspaces/<id:workspace_id>")
@requires_sign_in
def show(workspace_id: int) -> Response:
    """What the draft holds that live does not; ``part`` is the part of a long list."""
    workspace_or_404(workspace_id)
    connection, identity = current().connection, current().identity
    found = list_differences(connection, identity, workspace_id, optional_number("part") or 1)
    is_refused = request.args.get("problem") == NOTHING_CHOSEN
    view = differences_view(connection, identity, workspace_id, found)
    return render.page("workspaces/show.html", view=view, is_refused=is_refused)


@bp.get("/workspaces/<id:workspace_id>/records/<table:table>/<id:uid>")
@requires_sign_in
def compare(workspace_id: int, table: str, uid: int) -> Response:
    """A record of the draft beside the live one: a part of the open list, or a page of its own."""
    workspace_or_404(workspace_id)
    connection, identity = current().connection, current().identity
    found = compare_with_live(connection, identity, workspace_id, table, uid)
    known = wording(connection, identity, workspace_id, [found.difference], [found.live_last])
    view = comparison_view(found, known)
    if render.wants_fragment():
        return render.fragment("workspaces/_comparison.html", view=view)
    return render.page("workspaces/compare.html", view=view)


@bp.post("/workspaces/selection")
@requires_sign_in
def select() -> Response:
    """Stand in another workspace from now on; assignments under way stay where they started (DW-23).

    The person stays on the page they were on, unless its record does not exist there.
    """
    workspace_id = required_number("workspace")
    choose_workspace(current().person.user_id, workspace_id)
    before = page_before(url_for("workspaces.index"))
    if _exists_in(workspace_id, before):
        return render.see_other(before, text("You stand in another workspace now."))
    sentence = text("You stand in another workspace now. The record you looked at does not exist there.")
    return render.see_other(url_for("pages.index"), sentence, "warn")


def _exists_in(workspace_id: int, address: str) -> bool:
    """Whether the record of a page of this site, if it is about one, can be read in a workspace."""
    try:
        endpoint, arguments = current_app.url_map.bind("").match(urlsplit(address).path)
    except HTTPException:
        return True
    uid = arguments.get("uid")
    if not isinstance(uid, int) or "workspace_id" in arguments or endpoint.startswith("site."):
        return True
    with reading() as connection:
        identity = find_identity(connection, current().person.user_id, workspace_id=workspace_id)
        try:
            if identity is not None:
                read_record(connection, identity, workspace_id, arguments.get("table", PAGES.name), uid)
        except WriteRefused:
            return False
    return True
