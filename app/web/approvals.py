"""Deciding a card, and the inbox of cards that wait (design sections 5 and 6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from flask import Blueprint, Response, request, url_for

from app.accounts import store as accounts
from app.agent import approvals, configurations, runs
from app.agent.approvals import DecisionKind, DecisionResult
from app.chat import links
from app.chat.approval_card import read_card
from app.chat.view_models import ApprovalCardView
from app.core.i18n import Text, text
from app.web import render
from app.web.cards import card_response, readable_conversation
from app.web.current import current
from app.web.forms.conversation import DecisionForm
from app.web.guards import requires_sign_in

bp = Blueprint("approvals", __name__)
STANDS = frozenset({DecisionKind.RECORDED, DecisionKind.REPEATED})
OBJECTIONS: Mapping[DecisionKind, Text] = {
    DecisionKind.ALREADY_DECIDED: text("This approval has already been decided."),
    DecisionKind.STALE: text("This card has changed since you opened it. Nothing was decided. Check it again."),
    DecisionKind.NOT_WAITING: text("This approval does not wait for a decision any more. Nothing was decided."),
    DecisionKind.NOTHING_TO_APPROVE: text("Nothing can be approved: a rule refuses every step."),
    DecisionKind.NOT_ALLOWED: text("You may not decide this. Nothing was decided."),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingTurnView:
    """One entry of the inbox."""

    run_uuid: str
    url: str
    heading: Text
    asked_by: Text
    configuration: str
    since: int


@bp.get("/approvals")
@requires_sign_in
def index() -> Response:
    """Turns that wait for somebody like this person, the longest waiting first."""
    connection, identity = current().connection, current().identity
    waiting = runs.list_waiting(connection, identity)
    names = accounts.names_of(connection, [run.owner_id for run in waiting])
    titles = {found.id: found.name for found in configurations.list_configurations(connection)}
    inbox = tuple(
        WaitingTurnView(
            run_uuid=run.uuid,
            url=links.card_url(run.uuid, 1).partition("?")[0],
            heading=_heading(place, None if run.owner_id == identity.user_id else names.get(run.owner_id, "?")),
            asked_by=text("Asked by %(name)s", name=names.get(run.owner_id, "?")),
            configuration=titles.get(run.configuration_id, ""),
            since=run.changed_at,
        )
        for place, run in enumerate(waiting, start=1)
    )
    return render.page("approvals/index.html", inbox=inbox)


def _heading(place: int, name: str | None) -> Text:
    """The words of a link, different for every entry; None = the person's own."""
    if name is None:
        return text("Approval %(place)s: your own assignment", place=place)
    return text("Approval %(place)s: assignment of %(name)s", place=place, name=name)


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
