"""Makes a translation anew: the old one is deleted, and the record is translated again (cms.md section 10)."""

from __future__ import annotations

from app.content import rights
from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, PAGES
from app.content.store import list_translations
from app.content.types import RecordRef, Row
from app.content.writer import overlay
from app.content.writer.deleting import delete_record, mark_rows
from app.content.writer.translating import localize
from app.content.writer.work import Work, trait_of
from app.core.i18n import text


def overwrite_translation(
    work: Work, table: str, uid: int, language_id: int, *, with_content: bool
) -> tuple[RecordRef, RecordRef]:
    """Delete the translation of a record and make it anew; of a page ``with_content`` those of its elements too.

    The old one (in a draft its mark, or the row that was removed) and the new one. Without content the elements of the
    page keep their translations. Raises ``WriteRefused`` as a deletion and ``localize`` do, and ``no_translation``.
    """
    trait = trait_of(table)
    row = rights.require_localize(work.connection, work.actor, work.workspace_id, table, uid, language_id)
    translations = list_translations(work.connection, trait.name, row.live_uid, work.workspace_id)
    old = next((found for found in translations if found["language_id"] == language_id), None)
    if old is None:
        raise WriteRefused("no_translation", text("There is no translation in this language yet."))
    deleted = delete_record(work, table, old.live_uid, with_content=with_content)
    if work.in_draft and with_content and trait is PAGES:
        _mark_elements(work, row, language_id)
    return deleted, localize(work, table, uid, language_id, with_content=with_content)


def _mark_elements(work: Work, page: Row, language_id: int) -> None:
    """The translations of the elements on a page: a draft marks them one by one, live they go with the page."""
    if not work.actor.may_modify(CONTENT_ELEMENTS.name):
        raise WriteRefused("denied_below", text("You may not delete everything below this page or on it."))
    args = (work.connection, work.actor, work.workspace_id)
    rights.require_create(*args, CONTENT_ELEMENTS.name, page.live_uid, language_id)
    rows = overlay.rows_by(
        work.connection, CONTENT_ELEMENTS, work.workspace_id, "pid", [page.live_uid], language_id=language_id
    )
    mark_rows(work, CONTENT_ELEMENTS, [row for row in rows if row["translation_parent"]])
