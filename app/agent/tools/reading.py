"""Tools that read: page tree, record, search, languages. Their answers hold only what the acting person may read (I28)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from babel import Locale, UnknownLocaleError

from app.agent.tools.base import ToolContext
from app.agent.tools.schemas import arguments, choice, flag, line, uid
from app.content import reading, store
from app.content.errors import WriteRefused
from app.content.file_texts import list_readable_descriptions
from app.content.schema import FILES
from app.core.i18n import text
from app.policy.invocation import ToolEffect, ToolFacts

LONGEST_FIELD = 4000
TABLES = ("pages", "content_elements", "contacts", "files", "file_metadata", "redirects")
"""Kinds of records the assistant reads and finds."""


def _facts(name: str) -> ToolFacts:
    return ToolFacts(name=name, group="reading", effect=ToolEffect.READ)


class GetPageTree:
    """Pages below a page."""

    facts = _facts("get_page_tree")
    description = "Lists pages below a page (or from the top) with number, title, level and whether they are hidden."
    parameters = arguments(
        page=uid("Number of the page to start from; absent = from the top."),
        depth={"type": "integer", "minimum": 1, "maximum": 10, "description": "Levels to list; 2 when absent."},
    )
    label = text("Read the page tree")
    sentence = text("Lists pages below a page.")

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ReadTool``."""
        nodes = reading.page_tree(
            context.connection,
            context.acting,
            context.workspace_id,
            root_uid=arguments.get("page"),
            depth=arguments.get("depth", 2),
        )
        return {
            "pages": [
                {
                    "uid": node.uid,
                    "title": node.title,
                    "parent": node.parent_uid,
                    "level": node.level,
                    "hidden": node.is_hidden,
                }
                for node in nodes
            ]
        }


class ReadRecord:
    """One record with its fields."""

    facts = _facts("read_record")
    description = (
        "Reads one record: its fields, for a page its content elements and translations, "
        "for a file its alternative texts by language."
    )
    parameters = arguments(
        ("table", "uid"),
        table=choice("Kind of record.", *TABLES),
        uid=uid("Number of the record."),
    )
    label = text("Read a record")
    sentence = text("Reads one record with its fields.")

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ReadTool``."""
        view = reading.read_record(
            context.connection, context.acting, context.workspace_id, arguments["table"], arguments["uid"]
        )
        texts = {"alternative_texts": _alternative_texts(context, view.uid)} if view.table == FILES.name else {}
        return {
            **texts,
            "table": view.table,
            "uid": view.uid,
            "title": view.title,
            "language": view.language_code,
            "hidden": view.is_hidden,
            "fields": {name: _bounded(value) for name, value in view.fields.items()},
            "elements": [
                {"uid": part.uid, "title": part.title, "language": part.language_code, "hidden": part.is_hidden}
                for part in view.elements
            ],
            "translations": [{"uid": part.uid, "language": part.language_code} for part in view.translations],
        }


def _alternative_texts(context: ToolContext, file_uid: int) -> list[Mapping[str, Any]]:
    codes = {language.id: language.code for language in store.list_languages(context.connection)}
    found = list_readable_descriptions(context.connection, context.acting, context.workspace_id, file_uid)
    return [{"language": codes.get(row["language_id"]), "text": _bounded(row["alternative"])} for row in found]


def _bounded(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_FIELD:
        return f"{value[:LONGEST_FIELD]}… [{len(value)} characters]"
    return value


class SearchRecords:
    """Records by words of their title."""

    facts = _facts("search_records")
    description = (
        "Searches records by words of their title, files by their name. Exact titles come first. "
        "With deleted it finds what was deleted on the live site, for undelete_record."
    )
    parameters = arguments(
        ("query",),
        query={"type": "string", "minLength": 1, "maxLength": 200, "description": "Words of the title."},
        table=choice("Kind of record; absent = any kind.", *TABLES),
        language=line("Language code; absent = any language.", 20),
        deleted=flag("Whether deleted records are searched instead of existing ones; false when absent."),
    )
    label = text("Search records")
    sentence = text("Searches records by title.")

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ReadTool``."""
        code = arguments.get("language")
        result = reading.search_records(
            context.connection,
            context.acting,
            context.workspace_id,
            arguments["query"],
            table=arguments.get("table"),
            language_id=None if code is None else language_id_of(context, code),
            deleted=arguments.get("deleted", False),
        )
        return {
            "records": [
                {
                    "table": hit.table,
                    "uid": hit.uid,
                    "title": hit.title,
                    "language": hit.language_code,
                    "parent_title": hit.parent_title,
                    "hidden": hit.is_hidden,
                    "exact": hit.is_exact,
                }
                for hit in result.records
            ],
            "more": result.more,
        }


class ListLanguages:
    """Languages of the site."""

    facts = _facts("list_languages")
    description = "Lists the languages of the site with code and title; one of them is the default."
    parameters = arguments()
    label = text("List languages")
    sentence = text("Lists the languages of the site.")

    def read(self, context: ToolContext, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ``ReadTool``."""
        return {
            "languages": [
                {
                    "code": language.code,
                    "title": language_title(language.code, language.title, context.language),
                    "default": language.id == 0,
                }
                for language in store.list_languages(context.connection)
                if context.acting.may_use_language(language.id)
            ]
        }


def language_title(code: str, title: str, reader: str) -> str:
    """The name of a language in the reader's language, else its stored title."""
    try:
        return Locale.parse(code.replace("-", "_")).get_display_name(reader) or title
    except (UnknownLocaleError, ValueError):
        return title


def language_id_of(context: ToolContext, code: str) -> int:
    """Number of the language with this code; refused when the site has no such language."""
    for language in store.list_languages(context.connection):
        if language.code.casefold() == code.casefold():
            return language.id
    raise WriteRefused("unknown_language", text("The site has no language with the code “%(code)s”.", code=code))
