"""Titles and alternative texts of files, one record per language, in the workspace the person stands in (cms.md section 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.content.editing import write_as_person
from app.content.errors import not_found
from app.content.files.reading import default_description, descriptions_of, read_file
from app.content.schema import FILE_METADATA
from app.content.types import Row
from app.content.writer import Batch
from app.core.errors import Conflict
from app.policy.identity import Identity

FIELDS: Final = ("title", "alternative", "description")


class DescriptionChanged(Conflict):
    """Somebody else was faster; ``row`` is the description as it is now, None when it was removed."""

    def __init__(self, row: Row | None) -> None:
        super().__init__("description")
        self.row = row


def describe_file(
    identity: Identity, workspace_id: int, file_uid: int, language_id: int, values: Mapping[str, str], *, seen: str
) -> bool:
    """Write the description of a file in one language; whether anything changed.

    ``seen`` is ``version_of`` the description the form was filled from; something else now raises
    ``DescriptionChanged``. The first description in another language makes an empty one in the default language to
    hang on. Raises ``NotFound``, ``WriteRefused``.
    """
    wanted = {name: values.get(name, "") for name in FIELDS}

    def act(batch: Batch) -> bool:
        read_file(batch.connection, identity, file_uid)
        rows = descriptions_of(batch.connection, identity, workspace_id, [file_uid]).get(file_uid, {})
        found = rows.get(language_id)
        if version_of(found) != seen:
            raise DescriptionChanged(found)
        if found is None and not any(wanted.values()):
            return False
        if found is not None:
            return _update(batch, found.live_uid, wanted)
        if language_id == 0:
            batch.mark_target(batch.create(FILE_METADATA.name, 0, {"file_uid": file_uid, **wanted}))
            return True
        return _translate(batch, workspace_id, file_uid, language_id, wanted)

    changed, _ = write_as_person(identity, workspace_id, act)
    return changed


def version_of(row: Row | None) -> str:
    """What a form remembers of the description it shows: row and revision; empty for none."""
    return "" if row is None else f"{row.uid}.{row['rev']}"


def _update(batch: Batch, uid: int, wanted: Mapping[str, str]) -> bool:
    written = batch.update(FILE_METADATA.name, uid, wanted)
    if written is not None:
        batch.mark_target(written)
    return written is not None


def _translate(batch: Batch, workspace_id: int, file_uid: int, language_id: int, wanted: Mapping[str, str]) -> bool:
    if not batch.context.actor.may_use_language(language_id):
        raise not_found()
    default = default_description(batch.connection, workspace_id, file_uid)
    parent = default.live_uid if default else batch.create(FILE_METADATA.name, 0, {"file_uid": file_uid}).uid
    made = batch.localize(FILE_METADATA.name, parent, language_id, with_content=False)
    batch.update(FILE_METADATA.name, made.uid, wanted)
    batch.mark_target(made)
    return True
