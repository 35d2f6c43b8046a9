"""The poll of a conversation: nothing for nothing, else the new entries and signals for the page's script (a11y.md SW-2, SW-3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import BadRequest

from app.chat import pages
from app.chat.pages import CardState, Updates
from app.core.i18n import Text, text
from app.core.visible import visible
from app.web import render
from app.web.current import current
from app.web.forms.conversation import read_number
from app.web.guards import requires_sign_in_quietly
from app.web.locale import words
from app.web.spoken import spoken

bp = Blueprint("updates", __name__)
DECIDED = text("This approval has already been decided.")
CARD_NOTES: Mapping[str, Text] = {
    "approved": DECIDED,
    "declined": DECIDED,
    "expired": text("This approval has expired. Nothing of it is carried out."),
    "superseded": text("A newer approval replaces this one."),
    "cancelled": text("The assignment was stopped. This approval cannot be decided any more."),
}


@bp.get("/conversations/<id:conversation_id>/updates")
@requires_sign_in_quietly
def show(conversation_id: int) -> Response:
    """What is new after entry ``after`` when the page shows version ``rev``; an unchanged poll is one statement (P1)."""
    after = _number("after")
    version = _number("rev") if "rev" in request.args else None
    asked = current()
    if pages.is_unchanged(asked.connection, asked.person.user_id, conversation_id, after, version):
        return render.empty()
    updates = pages.read_updates(asked.connection, asked.identity, conversation_id, after, version, asked.runtime)
    if updates is None:
        return render.empty()
    return render.fragment("conversations/_updates.html", headers=render.events(**signals(updates)), updates=updates)


def _number(name: str) -> int:
    found = read_number(request.args.get(name, "0"))
    if found is None:
        raise BadRequest
    return found


def signals(updates: Updates) -> dict[str, Any]:
    """The events of one answer: status always, the rest when there is something to it."""
    view = updates.view
    found: dict[str, Any] = {
        "chat_state": {
            "status": view.status,
            "label": view.status_label,
            "detail": view.status_detail or "",
            "card": f"{view.card_id}-h" if view.card_id else "",
            "stoppable": view.may_stop,
            "retryable": view.may_retry,
            "title": visible(words(view.title)),
        }
    }
    if view.has_changes:
        found["chat_changes"] = {"rev": view.changes_version, "run": view.run_uuid or ""}
    if updates.cards:
        found["chat_cards"] = {"cards": [_card_signal(card) for card in updates.cards]}
    said = spoken(updates)
    if said is not None:
        found["chat_say"] = said
    return found


def _card_signal(card: CardState) -> dict[str, Any]:
    return {"id": card.dom_id, "url": card.url, "state": card.state, "note": CARD_NOTES.get(card.state, "")}
