"""Files of the old site as records. An export names them only: their bytes are marked missing until somebody brings them."""

from __future__ import annotations

import mimetypes
import posixpath
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from app.content.imports.batches import Anchor, PageBatch, Values
from app.content.imports.pages import fitting
from app.content.imports.stored import StoredRecord, bounded
from app.content.imports.wordpress.places import item_key
from app.content.imports.wordpress.text import plain_text
from app.content.imports.wordpress.wxr import WxrItem
from app.content.schema import FILE_METADATA, FILES
from app.content.writer import Batch

_MOST_NAME = 180
_UNKNOWN = "application/octet-stream"


def write_media(writing: PageBatch, items: Sequence[WxrItem]) -> dict[str, int]:
    """Create or update the records of ``items`` with their descriptions; uids by key, deleted ones left out."""
    found: dict[str, int] = {}
    for item in items:
        uid = _write(writing, item)
        if uid is not None:
            found[item_key(item)] = uid
    return found


def _write(writing: PageBatch, item: WxrItem) -> int | None:
    target = writing.target
    key = bounded(f"{target.prefix}image:{item_key(item)}")
    name = _name(item)
    values = {"name": name, "mime": mimetypes.guess_type(name)[0] or _UNKNOWN, "missing": True}
    place = {"storage_id": target.storage_id, "path": f"/import/{target.parent_uid}/wordpress/{item.id}/{name}"}

    def make(batch: Batch, values: Values) -> int:
        return batch.create(FILES.name, 0, {**values, **place}).uid

    uid = writing.put(FILES.name, key, values, found=writing.stored.find(FILES.name, key), make=make)
    if uid is not None:
        _describe(writing, item, key, uid)
    return uid


def _describe(writing: PageBatch, item: WxrItem, key: str, uid: int) -> None:
    def make(batch: Batch, values: Values) -> int:
        return batch.create(FILE_METADATA.name, 0, {**values, "file_uid": uid}).uid

    words = {
        "title": plain_text(item.title),
        "alternative": item.alternative,
        "description": plain_text(item.excerpt) or plain_text(item.content),
    }
    values = {name: fitting(writing, name, value, FILE_METADATA) for name, value in words.items()}
    found: StoredRecord | None = writing.stored.find(FILE_METADATA.name, key)
    usable = found if found is not None and found.file_uid == uid else None
    writing.put(FILE_METADATA.name, key, values, found=usable, make=make, anchor=Anchor(file_uid=uid))


def _name(item: WxrItem) -> str:
    """The file's own name in the address it had, without what cannot be part of a name."""
    try:
        path = unquote(urlsplit(item.url).path)
    except ValueError:
        path = ""
    name = "".join(sign for sign in posixpath.basename(path) if sign.isprintable() and sign not in "/\\").strip(". ")
    stem, ending = posixpath.splitext(name)
    return f"{stem[: _MOST_NAME - len(ending)]}{ending}" if name and len(ending) < 20 else item_key(item)
