"""Storages and folders, and storing files in them."""

from __future__ import annotations

from flask import Blueprint, Response, request

from app.accounts import limits
from app.content.files import MOST_BYTES, MOST_FILES, create_folder, folder_or_404, upload_files
from app.core.db import transaction
from app.core.errors import Invalid, TooMany
from app.core.i18n import Text, ntext, text
from app.policy.identity import LIVE
from app.web.arguments import optional_number
from app.web.current import current
from app.web.files_values import UploadOutcome
from app.web.files_views import folder_url, folder_view, storage_views
from app.web.forms.files import FolderForm, uploads_of
from app.web.guards import repeats, requires_sign_in, takes_bytes
from app.web.render import page, see_other

bp = Blueprint("files", __name__)
UPLOADS_PER_MINUTE = 10
MOST_OF_FORM = MOST_FILES * MOST_BYTES + 1024 * 1024
"""Ten files of the largest size, and the form around them."""


@bp.get("/files")
@requires_sign_in
def index() -> Response:
    """Storages and folders as the person's mounts show them; with ``storage`` and ``folder`` what lies in that folder."""
    connection, identity = current().connection, current().identity
    if "folder" not in request.args and "storage" not in request.args:
        return page("files/index.html", storages=storage_views(connection, identity))
    return _folder_page(FolderForm.read(request.args))


@bp.post("/files")
@requires_sign_in
@repeats("files")
@takes_bytes(MOST_OF_FORM)
def create() -> Response:
    """Store the files of the form, each on its own; the page says what became of every one that was refused."""
    form, identity = FolderForm.read(request.form), current().identity
    folder_or_404(current().connection, identity, form.storage_id, form.path)
    current().release()
    try:
        _count(identity.user_id)
        uploads = uploads_of(request.files.getlist("files"))
        results = upload_files(identity, current().settings.data_folder, form.storage_id, form.path, uploads)
    except TooMany as error:
        response = _folder_page(form, 429, UploadOutcome(problem=error.text))
        response.headers["Retry-After"] = str(error.retry_after)
        return response
    except Invalid as error:
        return _folder_page(form, 422, UploadOutcome(problem=error.fields.get("files", error.text)))
    outcome = UploadOutcome(results=results)
    if outcome.problems:
        return _folder_page(form, 422, outcome)
    return _stored(form, outcome)


@bp.post("/files/folders")
@requires_sign_in
def create_below() -> Response:
    """Make a folder in a folder."""
    form, name, identity = FolderForm.read(request.form), request.form.get("name", ""), current().identity
    current().release()
    try:
        made = create_folder(identity, form.storage_id, form.path, name)
    except Invalid as error:
        return _folder_page(form, 422, folder_error=error.fields.get("name", error.text), folder_name=name)
    return see_other(folder_url(made), text("The folder “%(name)s” was made.", name=made.name))


def _stored(form: FolderForm, outcome: UploadOutcome) -> Response:
    """One file leads to its page, where its alternative text is written; several to their folder."""
    if len(outcome.stored) == 1:
        stored = outcome.stored[0]
        said = text("The file “%(name)s” was stored.", name=stored.name)
        return see_other(f"/files/{stored.uid}#descriptions", said)
    number = len(outcome.stored)
    folder = folder_or_404(current().connection, current().identity, form.storage_id, form.path)
    return see_other(
        f"{folder_url(folder)}#file-{outcome.stored[0].uid}",
        ntext("%(n)s file was stored.", "%(n)s files were stored.", number),
    )


def _count(user_id: int) -> None:
    """One attempt for each form (reliability.md section 5)."""
    with transaction() as connection:
        limits.check_limit(connection, "upload", str(user_id), most=UPLOADS_PER_MINUTE, seconds=60)
        limits.count_attempt(connection, "upload", str(user_id))


def _folder_page(
    form: FolderForm,
    status: int = 200,
    outcome: UploadOutcome | None = None,
    *,
    folder_error: Text | None = None,
    folder_name: str = "",
) -> Response:
    connection, identity = current().connection, current().identity
    folder = folder_or_404(connection, identity, form.storage_id, form.path)
    number = optional_number("page") if request.method == "GET" else None
    view = folder_view(connection, identity, identity.workspace_id or LIVE, folder, number or 1)
    return page(
        "files/folder.html",
        status=status,
        view=view,
        outcome=outcome or UploadOutcome(),
        folder_error=folder_error,
        folder_name=folder_name,
        most_files=MOST_FILES,
        most_megabytes=MOST_BYTES // 1024**2,
    )
