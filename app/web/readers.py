"""Who else reads a conversation: the list, and for its owner the forms that give access and take it back."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from app.chat import readers
from app.chat.reader_list import list_readers
from app.core.errors import Invalid
from app.core.i18n import Text
from app.policy.identity import Identity
from app.web import render
from app.web.current import current
from app.web.forms.conversation import read_number
from app.web.guards import requires_sign_in

bp = Blueprint("readers", __name__)


@bp.get("/conversations/<id:conversation_id>/readers")
@requires_sign_in
def index(conversation_id: int) -> Response:
    """Who reads the conversation, for its owner and its readers."""
    return _page(conversation_id)


@bp.post("/conversations/<id:conversation_id>/readers")
@requires_sign_in
def create(conversation_id: int) -> Response:
    """Give the person or group called ``name`` read access."""
    typed = request.form.get("name", "")
    try:
        done = readers.give_access(_acting(), conversation_id, typed)
    except Invalid as error:
        return _page(conversation_id, status=422, typed=typed, problem=error.fields.get("name", error.text))
    kind, number = ("person", done.reader.user_id) if done.reader.user_id else ("group", done.reader.group_id)
    return _back(conversation_id, done.said, f"reader-{kind}-{number}")


@bp.post("/conversations/<id:conversation_id>/readers/removal")
@requires_sign_in
def destroy(conversation_id: int) -> Response:
    """Take the access of one reader back: ``person`` or ``group`` is its number."""
    person, group = (read_number(request.form.get(name, "0")) for name in ("person", "group"))
    done = readers.end_access(_acting(), conversation_id, user_id=person or 0, group_id=group or 0)
    return _back(conversation_id, done.said, "readers")


def _page(conversation_id: int, status: int = 200, typed: str = "", problem: Text | None = None) -> Response:
    view = list_readers(current().connection, current().identity, conversation_id)
    return render.page("conversations/readers.html", status=status, view=view, typed=typed, problem=problem)


def _acting() -> Identity:
    """The person, with the connection given back: a use case opens its own."""
    identity = current().identity
    current().release()
    return identity


def _back(conversation_id: int, said: Text, anchor: str) -> Response:
    return render.see_other(url_for("readers.index", conversation_id=conversation_id, _anchor=anchor), said)
