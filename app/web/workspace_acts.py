"""What people do with a draft workspace: a page that says what would happen, then the act itself.

Without script throughout: the list sends its chosen records by GET, the confirmation sends the act by POST.
"""

from __future__ import annotations

from collections.abc import Iterable

from flask import Blueprint, Response, flash, request, url_for
from werkzeug.exceptions import UnprocessableEntity

from app.chat.workspaces import delete_workspace, plan_deletion
from app.content.schema import REGISTRY
from app.content.types import RecordRef
from app.content.workspaces import SeenChanged, discard, publish, send_to_stage
from app.content.writer import PublishOutcome, plan_publish
from app.core.errors import Forbidden
from app.core.i18n import Text, ntext, text
from app.web import render
from app.web.act_views import (
    STAGE_NAMES,
    changeable,
    deletion_view,
    discarding_view,
    moving_to,
    publication_view,
    refs_to_publish,
    stage_view,
)
from app.web.arguments import parse_number
from app.web.current import current
from app.web.guards import repeats, requires_sign_in, workspace_or_404
from app.web.locale import words
from app.web.workspace_values import ConfirmationView
from app.web.workspaces import NOTHING_CHOSEN

bp = Blueprint("workspace_acts", __name__)
EXTENSION_FAILED = text("The records were written, but an extension failed afterwards.")


@bp.get("/workspaces/<id:workspace_id>/publication")
@requires_sign_in
@repeats("record")
def show_publication(workspace_id: int) -> Response:
    """What publishing the chosen records (``all``: the workspace) would do."""
    _publisher(workspace_id)
    refs = _chosen()
    if refs == ():
        return _nothing_chosen(workspace_id)
    return _confirmation(publication_view(current().connection, current().identity, workspace_id, refs))


@bp.post("/workspaces/<id:workspace_id>/publication")
@requires_sign_in
@repeats("overwrite")
def create_publication(workspace_id: int) -> Response:
    """Publish; what was changed live meanwhile only where its own box was ticked."""
    _publisher(workspace_id)
    identity, refs = current().identity, _sent()
    plan = plan_publish(current().connection, identity, workspace_id, refs)
    current().release()
    overwrite = _refs(request.form.getlist("overwrite"))
    try:
        outcome = publish(
            identity, workspace_id, refs_to_publish(plan), overwrite=overwrite, seen=request.form.get("seen", "")
        )
    except SeenChanged:
        view = publication_view(current().connection, identity, workspace_id, refs, is_stale=True)
        return _confirmation(view, status=409)
    _tell(_published(outcome), failed=outcome.changes.failed_after_write)
    return _back(workspace_id)


@bp.get("/workspaces/<id:workspace_id>/discarding")
@requires_sign_in
@repeats("record")
def show_discarding(workspace_id: int) -> Response:
    """What discarding the chosen records (``all``: what the person may change in the workspace) would do."""
    workspace_or_404(workspace_id)
    refs = _chosen()
    if refs == ():
        return _nothing_chosen(workspace_id)
    return _confirmation(discarding_view(current().connection, current().identity, workspace_id, refs))


@bp.post("/workspaces/<id:workspace_id>/discarding")
@requires_sign_in
def create_discarding(workspace_id: int) -> Response:
    """Give the drafts up."""
    workspace_or_404(workspace_id)
    identity, refs = current().identity, _sent()
    found = changeable(current().connection, identity, workspace_id, refs)
    current().release()
    try:
        changes = discard(identity, workspace_id, [item.ref for item in found], seen=request.form.get("seen", ""))
    except SeenChanged:
        view = discarding_view(current().connection, identity, workspace_id, refs, is_stale=True)
        return _confirmation(view, status=409)
    count = len(changes.changes)
    _tell([ntext("Discarded: %(n)s draft.", "Discarded: %(n)s drafts.", count)], failed=changes.failed_after_write)
    return _back(workspace_id)


@bp.get("/workspaces/<id:workspace_id>/stage")
@requires_sign_in
@repeats("record")
def show_stage(workspace_id: int) -> Response:
    """What sending the chosen records on (``to=ready``) or back (``to=editing``) would do."""
    workspace_or_404(workspace_id)
    stage, refs = _stage(workspace_id, request.args.get("to", "ready")), _chosen()
    if not refs:
        return _nothing_chosen(workspace_id)
    return _confirmation(stage_view(current().connection, current().identity, workspace_id, refs, stage))


@bp.post("/workspaces/<id:workspace_id>/stage")
@requires_sign_in
def create_stage(workspace_id: int) -> Response:
    """Send the records on or back."""
    workspace_or_404(workspace_id)
    identity, stage, refs = current().identity, _stage(workspace_id, request.form.get("to", "")), _sent() or ()
    found = moving_to(changeable(current().connection, identity, workspace_id, refs), stage)
    current().release()
    seen = request.form.get("seen", "")
    try:
        count = send_to_stage(identity, workspace_id, [item.ref for item in found], STAGE_NAMES[stage], seen=seen)
    except SeenChanged:
        view = stage_view(current().connection, identity, workspace_id, refs, stage, is_stale=True)
        return _confirmation(view, status=409)
    on = ntext("Sent on to publishing: %(n)s record.", "Sent on to publishing: %(n)s records.", count)
    back = ntext("Sent back to editing: %(n)s record.", "Sent back to editing: %(n)s records.", count)
    _tell([on if stage == "ready" else back])
    return _back(workspace_id)


@bp.get("/workspaces/<id:workspace_id>/deletion")
@requires_sign_in
def show_deletion(workspace_id: int) -> Response:
    """What deleting the workspace would bring about; for administrators and owners."""
    plan = plan_deletion(current().connection, current().identity, workspace_id)
    return render.page("workspaces/deletion.html", view=deletion_view(plan, workspace_id))


@bp.post("/workspaces/<id:workspace_id>/deletion")
@requires_sign_in
def create_deletion(workspace_id: int) -> Response:
    """Delete the workspace with everything in it."""
    identity = current().identity
    title = identity.workspaces.get(workspace_id, "")
    current().release()
    done = delete_workspace(identity, workspace_id)
    sentences = [text("The workspace “%(title)s” was deleted.", title=title)]
    if done.discarded:
        sentences.append(ntext("Discarded: %(n)s draft.", "Discarded: %(n)s drafts.", done.discarded))
    _tell(sentences, failed=done.is_extension_failed)
    return render.see_other(url_for("workspaces.index"))


def _publisher(workspace_id: int) -> None:
    workspace_or_404(workspace_id)
    if not current().identity.may_publish(workspace_id):
        raise Forbidden(f"publish in {workspace_id}", text=text("You may not publish from this workspace."))


def _chosen() -> tuple[RecordRef, ...] | None:
    """The records the list sent; None = the whole workspace."""
    return None if request.args.get("all") == "yes" else _refs(request.args.getlist("record"))


def _sent() -> tuple[RecordRef, ...] | None:
    """The records a confirmation sent; None = the whole workspace."""
    chosen = request.form.get("chosen", "").split()
    return _refs(chosen) if chosen else None


def _refs(keys: Iterable[str]) -> tuple[RecordRef, ...]:
    """``table:uid`` as references, each once. Anything else is a 422."""
    found: dict[RecordRef, None] = {}
    for key in keys:
        table, _, uid = key.partition(":")
        number = parse_number(uid)
        if table not in REGISTRY or not number:
            raise UnprocessableEntity
        found[RecordRef(table=table, uid=number)] = None
    return tuple(found)


def _stage(workspace_id: int, name: str) -> str:
    if name not in STAGE_NAMES:
        raise UnprocessableEntity
    if name == "editing" and not current().identity.owns_workspace(workspace_id):
        raise Forbidden(f"send back in {workspace_id}", text=text("Only owners of the workspace send records back."))
    return name


def _confirmation(view: ConfirmationView, status: int = 200) -> Response:
    return render.page("workspaces/confirm.html", status=status, view=view)


def _nothing_chosen(workspace_id: int) -> Response:
    address = url_for("workspaces.show", workspace_id=workspace_id, problem=NOTHING_CHOSEN, _anchor="error-summary")
    return render.see_other(address)


def _published(outcome: PublishOutcome) -> list[Text]:
    count = len(outcome.published)
    sentences = [
        ntext("Published: %(n)s record.", "Published: %(n)s records.", count)
        if count
        else text("No record was published.")
    ]
    kept = len(outcome.conflicts)
    if kept:
        sentences.append(
            ntext(
                "%(n)s record was changed live and not overwritten. Its draft is kept.",
                "%(n)s records were changed live and not overwritten. Their drafts are kept.",
                kept,
            )
        )
    refused = len(outcome.refused)
    if refused:
        sentences.append(
            ntext(
                "%(n)s record could not be published. Its draft is kept.",
                "%(n)s records could not be published. Their drafts are kept.",
                refused,
            )
        )
    return sentences


def _tell(sentences: list[Text], *, failed: bool = False) -> None:
    for number, sentence in enumerate(sentences):
        flash(words(sentence), "ok" if number == 0 else "warn")
    if failed:
        flash(words(EXTENSION_FAILED), "warn")


def _back(workspace_id: int) -> Response:
    return render.see_other(url_for("workspaces.show", workspace_id=workspace_id, _anchor="flash"))
