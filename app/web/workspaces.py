"""Workspaces: which there are for a person, what a draft holds, and in which one the person stands."""

from __future__ import annotations

from flask import Blueprint, Response, url_for

from app.accounts.preferences import choose_workspace
from app.core.i18n import text
from app.web.addresses import page_before
from app.web.arguments import required_number
from app.web.current import current
from app.web.guards import requires_sign_in, workspace_or_404
from app.web.render import page, see_other
from app.web.workspace_views import difference_views, workspace_views

bp = Blueprint("workspaces", __name__)


@bp.get("/workspaces")
@requires_sign_in
def index() -> Response:
    """The list, and the form that switches."""
    return page("workspaces/index.html", workspaces=workspace_views(current().identity))


@bp.get("/workspaces/<id:workspace_id>")
@requires_sign_in
def show(workspace_id: int) -> Response:
    """What the draft holds that live does not."""
    workspace_or_404(workspace_id)
    view = difference_views(current().connection, current().identity, workspace_id)
    return page("workspaces/show.html", view=view)


@bp.post("/workspaces/selection")
@requires_sign_in
def select() -> Response:
    """Stand in another workspace from now on; assignments under way stay where they started (DW-23)."""
    choose_workspace(current().person.user_id, required_number("workspace"))
    return see_other(page_before(url_for("workspaces.index")), text("You stand in another workspace now."))
