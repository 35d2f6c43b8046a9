"""The list of what an assignment changed: a part of the page, a page of its own, or data (design section 5)."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, request

from app.chat.changes import read_changes
from app.chat.facts import ACTIONS
from app.chat.filters import Filters
from app.web import render
from app.web.arguments import optional_number
from app.web.current import current
from app.web.guards import requires_sign_in_quietly

bp = Blueprint("changes", __name__)
LONGEST_CODE = 20
"""Characters of the code of a language."""


@bp.get("/conversations/<id:conversation_id>/changes")
@requires_sign_in_quietly
def show(conversation_id: int) -> Response:
    """The list by the rights the person has now (CH-21); ``action``, ``workspace``, ``language`` and ``check`` filter it."""
    found = read_changes(
        current().connection,
        current().identity,
        conversation_id,
        site_name=current().settings.site_name,
        filters=asked_filters(),
    )
    if request.accept_mimetypes.best_match(["text/html", "application/json"]) == "application/json":
        return jsonify(found.as_json())
    if render.wants_fragment():
        return render.fragment("conversations/_change_list.html", list=found)
    return render.page("conversations/changes.html", list=found)


def asked_filters() -> Filters:
    """The filters of the address; words that name none are left out, as a form never sends them."""
    action, language = request.args.get("action", ""), request.args.get("language", "")
    return Filters(
        action=action if action in ACTIONS else "",
        workspace_id=optional_number("workspace"),
        language=language[:LONGEST_CODE],
        needs_check=request.args.get("check") == "1",
    )
