"""One file: its facts, its descriptions, where it is used; renaming, moving and deleting it."""

from __future__ import annotations

from dataclasses import replace

from flask import Blueprint, Response, request

from app.content import store
from app.content.access import may_change_file, may_write_file
from app.content.errors import WriteRefused
from app.content.files import (
    DescriptionChanged,
    FileRecord,
    Folder,
    delete_file,
    describe_file,
    find_uses,
    list_writable,
    read_file,
    rename_file,
    version_of,
)
from app.content.schema import FILE_METADATA
from app.content.store import Language
from app.content.types import Row
from app.core.errors import Invalid, NotFound
from app.core.i18n import Text, text
from app.policy.identity import LIVE
from app.web.current import current
from app.web.files_values import DescriptionView
from app.web.files_views import description_view, file_page, folder_url, further_uses, use_views, way_to
from app.web.forms.files import DescriptionForm
from app.web.guards import requires_sign_in, standing_or_404
from app.web.render import page, see_other

bp = Blueprint("files_record", __name__)


@bp.get("/files/<id:file_uid>")
@requires_sign_in
def show(file_uid: int) -> Response:
    """The page of a file; its descriptions as the workspace of the person has them."""
    return _file_page(read_file(current().connection, current().identity, file_uid))


@bp.post("/files/<id:file_uid>/description")
@requires_sign_in
def describe(file_uid: int) -> Response:
    """Write the description in one language, in the workspace the person stands in."""
    connection, identity = current().connection, current().identity
    file = read_file(connection, identity, file_uid)
    if not (may_write_file(identity, file.stored) and identity.may_modify(FILE_METADATA.name)):
        raise NotFound("file")
    workspace_id, form = standing_or_404(), DescriptionForm.read(request.form)
    language = _language(form.language_id)
    current().release()
    try:
        if form.problems:
            return _refused(file, form, language, tuple(form.problems.items()), 422)
        changed = describe_file(identity, workspace_id, file_uid, language.id, form.values, seen=form.seen)
    except DescriptionChanged as error:
        sentence = text("This description has changed since you opened it. Compare, then save again.")
        return _refused(file, form, language, (("title", sentence),), 409, error)
    except WriteRefused as error:
        if error.reason == "not_found":
            raise
        return _refused(file, form, language, (("", error.text),), 422)
    said = text("The description is saved.") if changed else text("Nothing differs. Nothing was written.")
    return see_other(f"/files/{file_uid}#described-{language.code}", said)


@bp.get("/files/<id:file_uid>/place")
@requires_sign_in
def place(file_uid: int) -> Response:
    """The form for another name or folder, with what follows from it."""
    return _place_page(_changeable(file_uid))


@bp.post("/files/<id:file_uid>/place")
@requires_sign_in
def move(file_uid: int) -> Response:
    """Rename or move."""
    file, identity = _changeable(file_uid), current().identity
    name, folder = request.form.get("name", ""), request.form.get("folder", "")
    current().release()
    try:
        rename_file(identity, file_uid, name, folder)
    except Invalid as error:
        return _place_page(file, 422, name=name, folder=folder, problem=error)
    return see_other(f"/files/{file_uid}", text("Name and folder of the file are saved."))


@bp.get("/files/<id:file_uid>/deletion")
@requires_sign_in
def confirm_deletion(file_uid: int) -> Response:
    """What deleting the file would mean, or why it cannot be deleted."""
    return _deletion_page(_changeable(file_uid))


@bp.post("/files/<id:file_uid>/deletion")
@requires_sign_in
def delete(file_uid: int) -> Response:
    """Delete it, if no record uses it."""
    file, identity = _changeable(file_uid), current().identity
    current().release()
    try:
        name = delete_file(identity, current().settings.data_folder, file_uid)
    except WriteRefused as error:
        if error.reason != "file_used":
            raise
        return _deletion_page(file, 409, error.text)
    return see_other(folder_url(file.folder), text("The file “%(name)s” was deleted.", name=name))


def _changeable(file_uid: int) -> FileRecord:
    """A file the person may change; one they may only read is no answer here, as is one they may not."""
    file = read_file(current().connection, current().identity, file_uid)
    if not may_change_file(current().identity, file.stored):
        raise NotFound("file")
    return file


def _language(language_id: int | None) -> Language:
    for language in store.list_languages(current().connection):
        if language.id == language_id and current().identity.may_use_language(language.id):
            return language
    raise NotFound("language")


def _file_page(file: FileRecord, status: int = 200, sent: DescriptionView | None = None) -> Response:
    view = file_page(current().connection, current().identity, standing_or_404(), file, sent)
    return page("files/show.html", status=status, view=view)


def _refused(
    file: FileRecord,
    form: DescriptionForm,
    language: Language,
    problems: tuple[tuple[str, Text], ...],
    status: int,
    conflict: DescriptionChanged | None = None,
) -> Response:
    """The page again with what was typed; after a conflict with what is stored now, which a second save replaces."""
    view = description_view(language, None, standing_or_404(), may_write=True)
    seen = form.seen if conflict is None else version_of(conflict.row)
    stored = () if conflict is None else _stored_words(conflict.row)
    sent = replace(
        view,
        seen=seen,
        problems=problems,
        conflict=stored,
        title=form.title,
        alternative=form.alternative,
        description=form.description,
    )
    return _file_page(file, status, sent)


def _stored_words(row: Row | None) -> tuple[tuple[Text, str], ...]:
    fields = (FILE_METADATA.field_by_name[name] for name in ("title", "alternative", "description"))
    return tuple((field.label, "" if row is None else str(row[field.name])) for field in fields)


def _place_page(
    file: FileRecord,
    status: int = 200,
    *,
    name: str | None = None,
    folder: str | None = None,
    problem: Invalid | None = None,
) -> Response:
    connection, identity = current().connection, current().identity
    writable = list_writable(connection, identity, file.storage_id)
    folders = sorted({*(found.path for found in writable), file.folder.path})
    return page(
        "files/place.html",
        status=status,
        file=file,
        way=way_to(connection, identity, file.folder),
        name=file.name if name is None else name,
        folder=file.folder.path if folder is None else folder,
        folders=tuple(Folder(storage_id=file.storage_id, path=path) for path in folders),
        problems=dict(problem.fields) if problem is not None else {},
    )


def _deletion_page(file: FileRecord, status: int = 200, problem: Text | None = None) -> Response:
    connection, identity = current().connection, current().identity
    uses = find_uses(connection, identity, identity.workspace_id or LIVE, file.uid)
    return page(
        "files/deletion.html",
        status=status,
        file=file,
        way=way_to(connection, identity, file.folder),
        uses=use_views(uses, store.list_languages(connection)),
        further_uses=further_uses(uses),
        is_used=bool(uses.count),
        problem=problem,
    )
