"""Files of the site: pictures to look at, everything else to save, and only what something visible uses."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from flask import Blueprint, Response, send_file

from app.content.files import RENDITION_MIME, FileRecord, disposition, open_file, rendition
from app.content.site import find_site_file
from app.core.errors import NotFound
from app.web.current import current
from app.web.guards import public
from app.web.site_visits import find_visit, for_visitors, not_found

bp = Blueprint("site_files", __name__)
LONGEST_SIDE: Final = 1600
"""Of a picture in pixels: enough for a page, and without what the camera wrote into it."""
POLICY: Final = "default-src 'none'; sandbox"
"""A file opened by itself may do nothing at all (B69)."""
_DOWNLOAD: Final = "application/octet-stream"


@bp.get("/site/files/<id:uid>/<string:name>")
@public
def show(uid: int, name: str) -> Response:
    """The bytes of a file; its kind is what was found in it when it was stored. ``name`` is for people."""
    visit = find_visit()
    file = None if visit is None else find_site_file(current().connection, visit.stance, uid)
    found = None if file is None else _bytes_of(file)
    if visit is None or file is None or found is None:
        return not_found()
    path, mime = found
    response = send_file(path, mimetype=mime, etag=file.sha256, conditional=True)
    response.headers["Content-Security-Policy"] = POLICY
    if mime == _DOWNLOAD:
        response.headers["Content-Disposition"] = disposition(file.name)
    return for_visitors(response, visit)


def _bytes_of(file: FileRecord) -> tuple[Path, str] | None:
    """What is sent and as what; None when the bytes are gone or are no picture after all."""
    folder = current().settings.data_folder
    try:
        opened = open_file(current().connection, folder, file)
    except NotFound:
        return None
    if not file.is_picture:
        return opened.path, _DOWNLOAD
    if file.mime == "image/gif":  # a smaller copy would stand still
        return opened.path, file.mime
    smaller = rendition(folder, opened.storage, file.sha256, file.mime, LONGEST_SIDE)
    return None if smaller is None else (smaller, RENDITION_MIME)
