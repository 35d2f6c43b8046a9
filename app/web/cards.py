"""The approval card: a part of the history, or a page of its own (D15b)."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for
from werkzeug.exceptions import NotFound as NoSuchPage

from app.agent.runs import find_run
from app.chat import store
from app.chat.approval_card import read_card
from app.chat.news import conversation_of
from app.chat.view_models import ApprovalCardView
from app.web import render
from app.web.current import current
from app.web.forms.conversation import read_number
from app.web.guards import requires_sign_in_quietly

bp = Blueprint("cards", __name__)


@bp.get("/runs/<uuid:run_uuid>/card")
@requires_sign_in_quietly
def show(run_uuid: str) -> Response:
    """Card number ``card`` of a run, the newest without it."""
    number = read_number(request.args.get("card"))
    if "card" in request.args and number is None:
        raise NoSuchPage
    card = read_card(current().connection, current().identity, run_uuid, current().runtime, card=number)
    return card_response(card)


def card_response(card: ApprovalCardView, status: int = 200, *, tells_page: bool = False) -> Response:
    """``card`` as its entry of the history or as a page; ``tells_page`` makes an open page ask for news."""
    if render.wants_fragment():
        headers = render.events(poll_now={}) if tells_page else None
        return render.fragment("runs/_card_entry.html", status=status, headers=headers, card=card)
    conversation_id = readable_conversation(card.run_uuid)
    back = url_for("conversations.show", conversation_id=conversation_id) if conversation_id else None
    return render.page("runs/card.html", status=status, card=card, conversation_url=back)


def readable_conversation(run_uuid: str) -> int | None:
    """The conversation of a run when the person may read it."""
    connection, identity = current().connection, current().identity
    run = find_run(connection, run_uuid)
    number = conversation_of(run.subject) if run else None
    if number is None or store.find_readable(connection, number, identity.user_id, identity.group_ids) is None:
        return None
    return number
