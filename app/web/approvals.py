"""Deciding a card, and the inbox of cards that wait (design sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Blueprint, Response, request, url_for

from app.agent import approvals
from app.agent.approvals import DecisionKind, DecisionResult
from app.agent.inbox import WaitingFilter
from app.chat.approval_card import read_card
from app.chat.view_models import ApprovalCardView
from app.core.i18n import Text, text
from app.web import render
from app.web.approval_views import DAYS, read_inbox
from app.web.arguments import optional_number
from app.web.cards import card_response, readable_conversation
from app.web.current import current
from app.web.forms.conversation import DecisionForm
from app.web.guards import requires_sign_in

bp = Blueprint("approvals", __name__)
FILTERS = ("configuration", "person", "days")
LONGEST_NUMBER = 20
STANDS = frozenset({DecisionKind.RECORDED, DecisionKind.REPEATED})
OBJECTIONS: Mapping[DecisionKind, Text] = {
    DecisionKind.ALREADY_DECIDED: text("This approval has already been decided."),
    DecisionKind.STALE: text("This card has changed since you opened it. Nothing was decided. Check it again."),
    DecisionKind.NOT_WAITING: text("This approval does not wait for a decision any more. Nothing was decided."),
    DecisionKind.NOTHING_TO_APPROVE: text("Nothing can be approved: a rule refuses every step."),
    DecisionKind.NOT_ALLOWED: text("You may not decide this. Nothing was decided."),
}


@bp.get("/approvals")
@requires_sign_in
def index() -> Response:
    """Turns that wait for somebody like this person, the longest waiting first, and what was decided lately."""
    view = read_inbox(current().connection, current().identity, _filter(), current().runtime)
    asked = {name: request.args.get(name, "")[:LONGEST_NUMBER] for name in FILTERS}
    return render.page("approvals/index.html", view=view, asked=asked)


def _filter() -> WaitingFilter:
    days = optional_number("days")
    return WaitingFilter(
        configuration_id=optional_number("configuration"),
        owner_id=optional_number("person"),
        days=days if days in DAYS else None,
    )


@bp.post("/runs/<uuid:run_uuid>/approval")
@requires_sign_in
def create(run_uuid: str) -> Response:
    """Approve or decline the waiting card of a run; whatever speaks against it leaves it waiting and is said."""
    form = DecisionForm.read(request.form, request.args)
    if form.approve is None:
        card = _own_card(run_uuid, form)
        problem = text("Choose to approve or to decline.")
        return card_response(replace(card, problem=problem, draft_reason=form.reason), 422)
    identity, runtime = current().identity, current().runtime
    current().release()
    result = approvals.decide(
        identity,
        run_uuid,
        approve=form.approve,
        digest=form.digest,
        token=form.token,
        reason=form.reason,
        runtime=runtime,
    )
    if result.kind in STANDS:
        return _decided(_own_card(run_uuid, form))
    return _objected(run_uuid, form, result)


def _own_card(run_uuid: str, form: DecisionForm) -> ApprovalCardView:
    """The card the form stood in: a script's answer replaces exactly that one; a page shows the one that counts now."""
    number = form.card if render.wants_fragment() else None
    return read_card(current().connection, current().identity, run_uuid, current().runtime, card=number)


def _decided(card: ApprovalCardView) -> Response:
    if render.wants_fragment():
        return card_response(card, tells_page=True)
    conversation_id = readable_conversation(card.run_uuid)
    if conversation_id is None:
        return render.see_other(url_for("approvals.index"), card.heading)
    anchor = f"{card.dom_id}-h"
    return render.see_other(url_for("conversations.show", conversation_id=conversation_id, _anchor=anchor))


def _objected(run_uuid: str, form: DecisionForm, result: DecisionResult) -> Response:
    card = _own_card(run_uuid, form)
    sentence = result.text or OBJECTIONS[result.kind]
    return card_response(replace(card, note=sentence, draft_reason=form.reason), 409, tells_page=True)
