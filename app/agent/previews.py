"""Previews as stored: plain JSON with a version, never pickled objects (reliability.md finding 6, I34)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from app.agent.types import Preview, PreviewKind, RecordPreview
from app.content.types import ChangeAction, FieldChange, PlannedRef
from app.core import canonical, i18n
from app.core.crypto import Unreadable

VERSION = 1


def purpose(column: str, run_uuid: str) -> str:
    """What a sealed value is authenticated with: its column and its run, so it opens nowhere else."""
    return f"{column}/{run_uuid}"


def encode_preview(preview: Preview) -> str:
    """``preview`` as canonical JSON text."""
    return canonical.dumps(
        {
            "v": VERSION,
            "ordinal": preview.ordinal,
            "kind": preview.kind.value,
            "heading": i18n.encode(preview.heading),
            "generic_heading": i18n.encode(preview.generic_heading),
            "named": [
                [ref.table, ref.workspace_id, ref.language_id, ref.page_uid, ref.file_uid] for ref in preview.named
            ],
            "workspace": preview.workspace_id,
            "language": preview.language_id,
            "refused": [preview.refused_rule, preview.refused_reason],
            "explanation": None if preview.explanation is None else i18n.encode(preview.explanation),
            "records": [_encode_record(record) for record in preview.records],
            "counts": [[table, action.value, count] for table, action, count in preview.counts],
            "hash": preview.effect_hash,
            "after_hooks": preview.has_after_hooks,
        }
    )


def decode_preview(stored: str) -> Preview:
    """The preview ``encode_preview`` made; raises ``core.crypto.Unreadable`` for anything else, other versions
    included.
    """
    try:
        found = json.loads(stored)
        if found["v"] != VERSION:
            raise Unreadable
        return _decode(found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unreadable from error


def _decode(found: Mapping[str, Any]) -> Preview:
    rule, reason = found["refused"]
    explanation = found["explanation"]
    return Preview(
        ordinal=int(found["ordinal"]),
        kind=PreviewKind(found["kind"]),
        heading=i18n.decode(found["heading"]),
        generic_heading=i18n.decode(found["generic_heading"]),
        named=tuple(
            PlannedRef(table=table, workspace_id=workspace, language_id=language, page_uid=page, file_uid=file)
            for table, workspace, language, page, file in found["named"]
        ),
        workspace_id=int(found["workspace"]),
        language_id=found["language"],
        refused_rule=str(rule),
        refused_reason=str(reason),
        explanation=None if explanation is None else i18n.decode(explanation),
        records=tuple(_decode_record(record) for record in found["records"]),
        counts=tuple((str(table), ChangeAction(action), int(count)) for table, action, count in found["counts"]),
        effect_hash=str(found["hash"]),
        has_after_hooks=bool(found["after_hooks"]),
    )


def _encode_record(record: RecordPreview) -> dict[str, Any]:
    return {
        "table": record.table,
        "uid": record.uid,
        "live_uid": record.live_uid,
        "name": record.name,
        "action": record.action.value,
        "workspace": record.workspace_id,
        "page": record.page_uid,
        "title": record.title,
        "target": record.is_target,
        "language": record.language_id,
        "hidden": record.hidden,
        "starttime": record.starttime,
        "endtime": record.endtime,
        "groups": None if record.groups is None else list(record.groups),
        "fields": [[item.name, item.old, item.new] for item in record.fields],
    }


def _decode_record(found: Mapping[str, Any]) -> RecordPreview:
    groups = found["groups"]
    return RecordPreview(
        table=str(found["table"]),
        uid=int(found["uid"]),
        live_uid=int(found["live_uid"]),
        name=str(found["name"]),
        action=ChangeAction(found["action"]),
        workspace_id=int(found["workspace"]),
        page_uid=int(found["page"]),
        title=str(found["title"]),
        is_target=bool(found["target"]),
        language_id=found["language"],
        hidden=found["hidden"],
        starttime=found["starttime"],
        endtime=found["endtime"],
        groups=None if groups is None else tuple(groups),
        fields=_decode_fields(found["fields"]),
    )


def _decode_fields(found: Sequence[Sequence[Any]]) -> tuple[FieldChange, ...]:
    return tuple(FieldChange(name=str(name), old=old, new=new) for name, old, new in found)
