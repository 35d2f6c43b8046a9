"""Tools about files: the alternative text of a file, and a file on a content element (cms.md section 14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.reading import language_id_of
from app.agent.tools.schemas import arguments, line, uid, words
from app.agent.tools.updating import check_saved
from app.agent.tools.words import named, title_of
from app.content import access, rights, store
from app.content.errors import WriteRefused, not_found
from app.content.file_texts import find_description
from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, FILE_REFERENCES, FILES
from app.content.types import RecordRef, Row
from app.content.writer import Batch
from app.core.i18n import text
from app.policy.invocation import ToolEffect, ToolFacts

OWNER_FIELD = "images"


class SetFileAlternativeText:
    """The alternative text of a file in one language; the description is made when there is none."""

    facts = ToolFacts(name="set_file_alternative_text", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Sets the alternative text of one file (what a picture shows, for people who do not see it) in one language. "
        "An empty text means that the picture is decorative."
    )
    parameters = arguments(
        ("file", "text"),
        file=uid("Number of the file, from search_records with the table files."),
        text=words("The alternative text.", 1000),
        language=line("Code of the language, as list_languages names it; absent = the default language.", 20),
    )
    label = text("Set the alternative text of a file")
    sentence = text("Sets the alternative text of a file in one language.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        code = arguments.get("language")
        language_id = 0 if code is None else language_id_of(context, code)
        file = _writable_file(context, arguments["file"])
        found = find_description(context.connection, context.workspace_id, file.uid, language_id)
        default = find_description(context.connection, context.workspace_id, file.uid)
        _require_description(context, found, default, language_id)
        return Plan(
            target=RecordRef(table=FILES.name, uid=file.uid),
            heading=text("Set the alternative text of the file “%(title)s”", title=title_of(file)),
            generic_heading=self.label,
            named=(named(file, context.workspace_id),),
            language_id=language_id,
            details={
                "text": arguments["text"],
                "found": None if found is None else found.live_uid,
                "default": None if default is None else default.live_uid,
            },
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        file, details = plan.target, plan.details
        if file is None:
            raise WriteRefused("no_target", text("The step names no record."))
        values = {"alternative": details["text"]}
        if details["found"] is None:
            written = _describe(batch, file.uid, plan.language_id or 0, details["default"], values)
        else:
            changed = batch.update(FILE_METADATA.name, details["found"], values)
            written = changed or RecordRef(table=FILE_METADATA.name, uid=details["found"])
            if changed is None:
                _read_back(context, written, values)
                return WriteResult(content={"unchanged": True, "file": file.uid}, target=written, kind="update")
        batch.mark_target(written)
        row = _stored(context, written)
        check_saved(FILE_METADATA.name, values, row.values)
        kind = "create" if details["found"] is None else "update"
        content = {"done": "set_alternative_text", "file": file.uid, "uid": row.live_uid}
        return WriteResult(content=content, target=written, kind=kind)


class AttachFileToContentElement:
    """A file on a content element: a reference on the element's page, behind the files that are there."""

    facts = ToolFacts(name="attach_file_to_content_element", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Attaches one file to one content element, behind the files it has. Attaching twice attaches it twice."
    )
    parameters = arguments(
        ("file", "element"),
        file=uid("Number of the file, from search_records with the table files."),
        element=uid("Number of the content element."),
    )
    label = text("Attach a file to a content element")
    sentence = text("Attaches a file to a content element.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        file = _readable_file(context, arguments["file"])
        scope = (context.connection, context.acting, context.workspace_id)
        element = rights.require_update(*scope, CONTENT_ELEMENTS.name, arguments["element"])
        language_id = element["language_id"]
        rights.require_create(*scope, FILE_REFERENCES.name, element["pid"], language_id)
        return Plan(
            target=RecordRef(table=CONTENT_ELEMENTS.name, uid=element.live_uid),
            heading=text(
                "Attach the file “%(file)s” to the content element “%(title)s”",
                file=title_of(file),
                title=title_of(element),
            ),
            generic_heading=self.label,
            named=(named(file, context.workspace_id), named(element, context.workspace_id)),
            details={"file": file.uid, "page": element["pid"], "language": language_id},
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        element, details = plan.target, plan.details
        if element is None:
            raise WriteRefused("no_target", text("The step names no record."))
        owner: dict[str, Any] = {"owner_table": element.table, "owner_uid": element.uid, "owner_field": OWNER_FIELD}
        values: dict[str, Any] = {"file_uid": details["file"], **owner}
        made = batch.create(FILE_REFERENCES.name, details["page"], values, language_id=details["language"])
        batch.mark_target(made)
        row = _stored(context, made)
        if any(row[name] != value for name, value in values.items()):
            raise WriteRefused("not_attached", text("The file was not attached."))
        content = {"done": "attach", "file": details["file"], "element": element.uid, "uid": row.live_uid}
        return WriteResult(content=content, target=made, kind="create")


def _readable_file(context: ToolContext, file_uid: int) -> Row:
    """The file, if the acting person may read that very file (CH-17); ``not_found`` for missing and not theirs alike."""
    file = store.find_stored_row(context.connection, FILES.name, file_uid)
    may_select = context.acting.may_select(FILES.name, admin_only=FILES.admin_only)
    if file is None or not may_select:
        raise not_found()
    if file_uid not in access.files_readable(context.connection, context.acting, [file_uid]):
        raise not_found()
    return file


def _writable_file(context: ToolContext, file_uid: int) -> Row:
    """The file, if the acting person may describe it: in a mount that is not read-only."""
    file = store.find_stored_row(context.connection, FILES.name, file_uid)
    if file is None or file_uid not in access.files_writable(context.connection, context.acting, [file_uid]):
        raise not_found()
    return file


def _require_description(context: ToolContext, found: Row | None, default: Row | None, language_id: int) -> None:
    """The right to write the descriptions this step needs, each asked on its own (I25)."""
    scope = (context.connection, context.acting, context.workspace_id)
    if found is not None:
        rights.require_update(*scope, FILE_METADATA.name, found.live_uid)
        return
    if default is None:
        rights.require_create(*scope, FILE_METADATA.name, 0)
    if language_id and default is not None:
        rights.require_localize(*scope, FILE_METADATA.name, default.live_uid, language_id)
    elif language_id:
        rights.require_create(*scope, FILE_METADATA.name, 0, language_id)


def _describe(
    batch: Batch, file_uid: int, language_id: int, default: int | None, values: Mapping[str, Any]
) -> RecordRef:
    """Make the description in this language; a translation needs one in the default language, made empty if missing."""
    table = FILE_METADATA.name
    if not language_id:
        return batch.create(table, 0, {"file_uid": file_uid, **values})
    if default is None:
        default = batch.create(table, 0, {"file_uid": file_uid}).uid
    made = batch.localize(table, default, language_id, with_content=False)
    return batch.update(table, made.uid, values) or made


def _read_back(context: ToolContext, written: RecordRef, values: Mapping[str, Any]) -> None:
    row = store.find_row(context.connection, written.table, written.uid, context.workspace_id)
    check_saved(written.table, values, row.values if row else {})


def _stored(context: ToolContext, ref: RecordRef) -> Row:
    row = store.find_stored_row(context.connection, ref.table, ref.uid)
    if row is None:
        raise not_found()
    return row
