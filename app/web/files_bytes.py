"""The bytes of files: originals to save, and small pictures to look at (B69, B74)."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, Response, send_file

from app.content.files import RENDITION_MIME, OpenFile, disposition, open_file, read_file, rendition
from app.core.errors import NotFound
from app.web.current import current
from app.web.guards import requires_sign_in

bp = Blueprint("files_bytes", __name__)
POLICY: Final = "sandbox; default-src 'none'"
"""A file opened by itself may do nothing at all."""


@bp.get("/files/<id:file_uid>/content")
@requires_sign_in
def content(file_uid: int) -> Response:
    """The file as it was stored: always saved, never opened in the site."""
    found = _open(file_uid)
    response = send_file(found.path, mimetype=found.file.mime, conditional=False, etag=False)
    response.headers["Content-Disposition"] = disposition(found.file.name)
    response.headers["Content-Security-Policy"] = POLICY
    return response


@bp.get("/files/<id:file_uid>/thumbnail")
@requires_sign_in
def thumbnail(file_uid: int) -> Response:
    """A small picture without what the camera wrote into the original; for pictures only."""
    found = _open(file_uid)
    place = rendition(current().settings.data_folder, found.storage, found.file.sha256, found.file.mime)
    if place is None:
        raise NotFound("thumbnail")
    response = send_file(place, mimetype=RENDITION_MIME, conditional=False, etag=False)
    response.headers["Content-Disposition"] = "inline"
    response.headers["Content-Security-Policy"] = POLICY
    return response


def _open(file_uid: int) -> OpenFile:
    connection, identity = current().connection, current().identity
    file = read_file(connection, identity, file_uid)
    found = open_file(connection, current().settings.data_folder, file)
    current().release()  # sending takes as long as the person's line; no reader is held open for it
    return found
