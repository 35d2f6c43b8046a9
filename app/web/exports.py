"""A branch as an archive of Markdown files, with what the person may read of it."""

from __future__ import annotations

from io import BytesIO
from typing import Final

from flask import Blueprint, Response, send_file

from app.content.exports import MOST_PAGES, TooLarge, read_branch, render_branch, write_zip
from app.content.files import disposition, storage_of
from app.content.site import slug_of
from app.content.store import list_languages
from app.web.current import current
from app.web.guards import requires_sign_in, standing_or_404

bp = Blueprint("exports", __name__)
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of all pictures together: the archive is made in memory."""


@bp.get("/pages/<id:uid>/export")
@requires_sign_in
def show(uid: int) -> Response:
    """The page and the pages below it in the workspace the person stands in."""
    connection, identity, workspace_id = current().connection, current().identity, standing_or_404()
    codes = {language.id: language.code for language in list_languages(connection)}
    branch = read_branch(connection, uid, workspace_id, list(codes), reader=identity, most=MOST_PAGES)
    export = render_branch(branch, codes)
    if sum(int(row["size"]) for row in export.files.values()) > MOST_BYTES:
        raise TooLarge("branch")
    folder = current().settings.data_folder
    numbers = {int(row["storage_id"]) for row in export.files.values()}
    storages = {number: storage_of(connection, folder, number) for number in numbers}
    archive = BytesIO()
    write_zip(export, archive, storages)
    archive.seek(0)
    response = send_file(archive, mimetype="application/zip", etag=False, conditional=False)
    response.headers["Content-Disposition"] = disposition(f"{slug_of(branch.pages[0]['title']) or 'pages'}-{uid}.zip")
    return response
