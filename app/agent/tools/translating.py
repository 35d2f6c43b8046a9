"""The tool that makes a translation as an overlay: the source text, marked "to be translated"; it invents no text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.agent.tools.base import Plan, ToolContext, WriteResult
from app.agent.tools.reading import language_id_of
from app.agent.tools.schemas import arguments, choice, line, uid
from app.agent.tools.words import named, title_of
from app.content import rights, store
from app.content.errors import WriteRefused
from app.content.types import RecordRef
from app.content.writer import Batch
from app.core.i18n import text
from app.policy.invocation import ToolEffect, ToolFacts


class CreateTranslationDraft:
    """A hidden translation of a page with its content, or of one content element."""

    facts = ToolFacts(name="create_translation_draft", group="editing", effect=ToolEffect.WRITE)
    description = (
        "Creates a hidden translation of a page together with its content, or of one content element. "
        "The texts are those of the source, marked to be translated; change them afterwards."
    )
    parameters = arguments(
        ("table", "uid", "language"),
        table=choice("Kind of record.", "pages", "content_elements"),
        uid=uid("Number of the record in the default language."),
        language=line("Code of the language, as list_languages names it.", 20),
    )
    label = text("Create a translation")
    sentence = text("Creates a hidden translation whose texts are marked to be translated.")

    def plan(self, context: ToolContext, arguments: Mapping[str, Any]) -> Plan:
        """See ``WriteTool``."""
        table, language_id = arguments["table"], language_id_of(context, arguments["language"])
        row = rights.require_localize(
            context.connection, context.acting, context.workspace_id, table, arguments["uid"], language_id
        )
        if table == "pages":
            heading = text("Translate the page “%(title)s” with its content", title=title_of(row))
        else:
            heading = text("Translate the content element “%(title)s”", title=title_of(row))
        return Plan(
            target=RecordRef(table=table, uid=row.live_uid),
            heading=heading,
            generic_heading=self.label,
            named=(named(row, context.workspace_id),),
            language_id=language_id,
            details={"language": language_id},
        )

    def execute(self, context: ToolContext, plan: Plan, batch: Batch) -> WriteResult:
        """See ``WriteTool``."""
        source = plan.target
        if source is None:
            raise WriteRefused("no_target", text("The step names no record."))
        language_id = plan.details["language"]
        created = batch.localize(source.table, source.uid, language_id, with_content=source.table == "pages")
        batch.mark_target(created)
        row = store.find_stored_row(context.connection, source.table, created.uid)
        if row is None or not row["hidden"] or row["language_id"] != language_id:
            raise WriteRefused("not_hidden", text("The new record could not be kept hidden, so it was not created."))
        return WriteResult(
            content={"done": "translate", "table": source.table, "uid": row.live_uid, "hidden": True},
            target=created,
            kind="translate",
        )
