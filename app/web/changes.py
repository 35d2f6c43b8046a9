"""The list of what an assignment changed: a part of the page, a page of its own, or data (design section 5)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from app.chat.changes import read_changes
from app.web import render
from app.web.current import current
from app.web.guards import requires_sign_in_quietly

bp = Blueprint("changes", __name__)


@bp.get("/conversations/<id:conversation_id>/changes")
@requires_sign_in_quietly
def show(conversation_id: int) -> Response:
    """The list by the rights the person has now (CH-21)."""
    found = read_changes(
        current().connection, current().identity, conversation_id, site_name=current().settings.site_name
    )
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        return jsonify(found.as_json())
    if render.wants_fragment():
        return render.fragment("conversations/_change_list.html", list=found)
    return render.page("conversations/changes.html", list=found)
