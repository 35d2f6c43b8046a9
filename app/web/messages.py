"""Sending a message: the answer to the page's script is a signal, the entry itself comes with the poll (a11y.md SW-1)."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.chat import service
from app.core.errors import AppError, Invalid, NotFound, TooMany
from app.core.i18n import text
from app.web import render
from app.web.conversations import show_page
from app.web.current import current
from app.web.errors import status_of
from app.web.forms.conversation import MessageForm, MessageRefusal
from app.web.guards import requires_sign_in

bp = Blueprint("messages", __name__)
SENT = text("Message sent. The AI assistant is working.")
SHOWN_TO_SCRIPT = frozenset({409, 422})
"""Statuses whose body the page's script shows; others would leave the person without the sentence."""


@bp.post("/conversations/<id:conversation_id>/messages")
@requires_sign_in
def create(conversation_id: int) -> Response:
    """Send ``body``; ``decline`` = 1 declines the waiting card first, with ``reason``."""
    form = MessageForm.read(request.form)
    identity, runtime = current().identity, current().runtime
    current().release()
    try:
        if form.declines:
            seq = service.decline_and_send(
                identity, conversation_id, form.body, form.token, runtime, reason=form.reason
            )
        else:
            seq = service.send_message(identity, conversation_id, form.body, form.token, runtime)
    except NotFound:
        raise
    except AppError as error:
        return _refused(conversation_id, form, error)
    return _sent(conversation_id, form, seq)


def _sent(conversation_id: int, form: MessageForm, seq: int) -> Response:
    if not render.wants_fragment():
        return render.see_other(url_for("conversations.show", conversation_id=conversation_id, _anchor=f"m{seq}"))
    said = {"id": f"sent-{conversation_id}-{seq}", "kind": "A1", "text": SENT}
    return render.empty(
        204, render.events(poll_now={}, chat_sent={"nonce": form.token, "declined": form.declines}, chat_say=said)
    )


def _refused(conversation_id: int, form: MessageForm, error: AppError) -> Response:
    sentence = error.fields.get("body", error.text) if isinstance(error, Invalid) else error.text
    offers = isinstance(error, service.CardWaits)
    refusal = MessageRefusal(sentence=sentence, offers_decline=offers, reason=form.reason)
    status = status_of(error)
    if render.wants_fragment():
        shown = status if status in SHOWN_TO_SCRIPT else 409
        response = render.fragment("conversations/_composer_errors.html", status=shown, refusal=refusal)
    else:
        response = show_page(conversation_id, status=status, typed=form.body, refusal=refusal)
    if isinstance(error, TooMany):
        response.headers["Retry-After"] = str(error.retry_after)
    return response
