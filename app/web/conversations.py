"""Conversations: the list, the page, and what their owner does with them."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Blueprint, Response, request, url_for

from app.agent import configurations
from app.chat import changes, pages, service
from app.chat.pages import ConversationPage
from app.chat.view_models import ConversationLinkView
from app.core import clock, ids
from app.core.errors import Invalid
from app.core.i18n import Text, text
from app.policy.identity import Identity
from app.web import conversation_filters, render
from app.web.current import current
from app.web.forms.conversation import (
    MOST_TOKEN,
    ComposerView,
    ConfigurationChoice,
    MessageRefusal,
    read_number,
)
from app.web.guards import requires_sign_in
from app.web.model_notices import ModelNotice, model_notices

bp = Blueprint("conversations", __name__)
conversation_filters.install(bp)
DEFAULT = "Editorial"


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationIndex:
    """The list page."""

    configurations: tuple[ConfigurationChoice, ...]
    threads: tuple[ConversationLinkView, ...]
    is_archive: bool = False
    error: Text | None = None
    notices: tuple[ModelNotice, ...] = ()
    """For administrators: models that cannot be used."""


@bp.get("/conversations")
@requires_sign_in
def index() -> Response:
    """Every conversation the person may read, and the form for a new one; ``?archived=1`` lists the archive."""
    return _index_page()


def _index_page(error: Text | None = None) -> Response:
    connection, identity = current().connection, current().identity
    is_archive = request.args.get("archived") == "1"
    usable = configurations.list_usable_configurations(connection, identity)
    names = [found.name for found in usable]
    default = DEFAULT if DEFAULT in names else (names[0] if names else "")
    view = ConversationIndex(
        configurations=tuple(
            ConfigurationChoice(id=found.id, name=found.name, is_default=found.name == default) for found in usable
        ),
        threads=pages.list_conversations(connection, identity, archived=is_archive),
        is_archive=is_archive,
        error=error,
        notices=model_notices(),
    )
    return render.page("conversations/index.html", status=422 if error else 200, index=view)


@bp.post("/conversations")
@requires_sign_in
def create() -> Response:
    """Start an empty conversation; without a choice with the usual configuration."""
    wanted = request.form.get("configuration", "")
    number = read_number(wanted)
    try:
        if wanted and number is None:
            raise Invalid("configuration", fields={"configuration": text("Choose a configuration from the list.")})
        created = service.create_conversation(_acting(), number)
    except Invalid as error:
        return _index_page(error.fields.get("configuration", error.text))
    return render.see_other(url_for("conversations.show", conversation_id=created))


@bp.get("/conversations/<id:conversation_id>")
@requires_sign_in
def show(conversation_id: int) -> Response:
    """The page of a conversation; ``?changes=1`` brings the open list with it."""
    return show_page(conversation_id)


def show_page(
    conversation_id: int,
    *,
    status: int = 200,
    typed: str | None = None,
    refusal: MessageRefusal | None = None,
    title_error: Text | None = None,
) -> Response:
    """The page, also as the answer to a form that was refused: ``typed`` is what the message field held."""
    connection, identity, settings = current().connection, current().identity, current().settings
    found = pages.read_conversation(connection, identity, conversation_id, current().runtime)
    listed = None
    if request.args.get("changes") == "1" and found.view.has_changes:
        listed = changes.read_changes(connection, identity, conversation_id, site_name=settings.site_name)
    return render.page(
        "conversations/show.html",
        status=status,
        page=found,
        threads=pages.list_conversations(connection, identity, conversation_id),
        list=listed,
        composer=_composer(found, typed, refusal),
        title_error=title_error,
        now=clock.now(),
        session_seconds=current().session_seconds,
    )


def _composer(found: ConversationPage, typed: str | None, refusal: MessageRefusal | None) -> ComposerView:
    return ComposerView(
        view=found.view,
        text=found.view.draft if typed is None else typed,
        token=ids.new_token(),
        most=current().settings.message_length,
        enter_sends=current().person.enter_sends,
        refusal=refusal,
    )


@bp.post("/conversations/<id:conversation_id>/title")
@requires_sign_in
def rename(conversation_id: int) -> Response:
    """Another title."""
    try:
        service.rename_conversation(_acting(), conversation_id, request.form.get("title", ""))
    except Invalid as error:
        return show_page(conversation_id, status=422, title_error=error.fields.get("title", error.text))
    return _back(conversation_id, text("The conversation was renamed."))


@bp.post("/conversations/<id:conversation_id>/pin")
@requires_sign_in
def pin(conversation_id: int) -> Response:
    """To the top of the list, or not."""
    wanted = _yes_or_no("pinned")
    service.set_pinned(_acting(), conversation_id, pinned=wanted)
    said = text("The conversation is pinned.") if wanted else text("The conversation is not pinned any more.")
    return _back(conversation_id, said)


@bp.post("/conversations/<id:conversation_id>/archive")
@requires_sign_in
def archive(conversation_id: int) -> Response:
    """Out of the list, or back."""
    wanted = _yes_or_no("archived")
    service.set_archived(_acting(), conversation_id, archived=wanted)
    said = text("The conversation is archived.") if wanted else text("The conversation is in the list again.")
    return _back(conversation_id, said)


@bp.post("/conversations/<id:conversation_id>/cancellation")
@requires_sign_in
def stop(conversation_id: int) -> Response:
    """Stop the assignment."""
    has_stopped = service.stop_assignment(_acting(), conversation_id, current().runtime)
    said = text("The assignment is being stopped.") if has_stopped else text("The assignment had ended already.")
    return _back(conversation_id, said, anchor="latest")


@bp.post("/conversations/<id:conversation_id>/retry")
@requires_sign_in
def retry(conversation_id: int) -> Response:
    """Try the newest message again after the AI model could not be had; ``token`` makes two presses one."""
    token = request.form.get("token", "")[:MOST_TOKEN]
    service.retry_assignment(_acting(), conversation_id, token, current().runtime)
    return _back(conversation_id, text("The assignment is tried again."), anchor="latest")


@bp.post("/conversations/<id:conversation_id>/draft")
@requires_sign_in
def keep_draft(conversation_id: int) -> Response:
    """Keep what is in the message field; without the field ``body`` it only prolongs the sign-in."""
    if "body" in request.form:
        body = request.form["body"].replace("\r\n", "\n")
        service.keep_draft(_acting(), conversation_id, body, current().runtime)
    if not render.wants_fragment():
        return _back(conversation_id, text("You are still signed in."))
    return render.empty(204, render.events(session_extended={"ends_in": current().session_seconds}))


def _acting() -> Identity:
    """The person, with the connection given back: a service opens its own."""
    identity = current().identity
    current().release()
    return identity


def _yes_or_no(name: str) -> bool:
    wanted = {"yes": True, "no": False}.get(request.form.get(name, ""))
    if wanted is None:
        raise Invalid(name)
    return wanted


def _back(conversation_id: int, said: Text, anchor: str | None = None) -> Response:
    return render.see_other(url_for("conversations.show", conversation_id=conversation_id, _anchor=anchor), said)
