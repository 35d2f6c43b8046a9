"""A tiny site that answers the tool calls of a model, and a conversation with it. Test material, no app code."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jsonschema import Draft202012Validator

from app.agent.llm.base import (
    AssistantMessage,
    LanguageModel,
    Message,
    ModelSettings,
    ModelTurn,
    ToolMessage,
    ToolSpec,
    UserMessage,
)

UID = {"type": "integer", "minimum": 1}


def spec(name: str, required: Sequence[str], **properties: Mapping[str, Any]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, description=name, parameters=schema)


def words(longest: int = 255, shortest: int = 0) -> dict[str, Any]:
    return {"type": "string", "maxLength": longest, "minLength": shortest}


TABLE = {"type": "string", "enum": ["pages", "content_elements", "files"]}
READS = (
    spec("get_page_tree", (), page=UID, depth={"type": "integer"}),
    spec("read_record", ("table", "uid"), table=TABLE, uid=UID),
    spec("search_records", ("query",), query=words(200, 1), table=TABLE, language=words(20),
         deleted={"type": "boolean"}),
    spec("list_languages", ()),
)  # fmt: skip
WRITES = (
    spec("update_page_metadata", ("page",), page=UID, title=words(), subtitle=words(), description=words(2000),
         keywords=words(), nav_title=words()),
    spec("update_content_element", ("element",), element=UID, header=words(), body=words(20_000)),
    spec("create_page_draft", ("parent", "title"), parent=UID, title=words(255, 1), description=words(2000), after=UID),
    spec("create_content_element_draft", ("page",), page=UID, header=words(), body=words(20_000), after=UID),
    spec("copy_page", ("page",), page=UID, target=UID, subpages={"type": "boolean"}),
    spec("create_translation_draft", ("table", "uid", "language"), table=TABLE, uid=UID, language=words(20)),
    spec("move_page", ("page",), page=UID, target=UID, after=UID),
    spec("move_content_element", ("element",), element=UID, page=UID, after=UID),
    spec("create_redirect", ("source", "target"), source=words(500, 2), target=UID,
         status={"type": "integer", "enum": [301, 302]}),
    spec("set_file_alternative_text", ("file", "text"), file=UID, text=words(1000), language=words(20)),
    spec("attach_file_to_content_element", ("file", "element"), file=UID, element=UID),
    spec("undelete_record", ("table", "uid"), table=TABLE, uid=UID),
    spec("hide_record", ("table", "uid"), table=TABLE, uid=UID),
    spec("publish_record", ("table", "uid"), table=TABLE, uid=UID),
    spec("delete_record", ("table", "uid"), table=TABLE, uid=UID),
)  # fmt: skip
TOOLS = READS + WRITES
WRITE_NAMES = frozenset(tool.name for tool in WRITES)

Row = dict[str, Any]


def page(uid: int, title: str, parent: int = 1, *, language: str = "en", hidden: bool = False, **more: Any) -> Row:
    row = {"table": "pages", "uid": uid, "title": title, "parent": parent, "language": language, "hidden": hidden}
    return row | more


def element(uid: int, title: str, parent: int) -> Row:
    return page(uid, title, parent) | {"table": "content_elements"}


SITE = (
    page(1, "Town Museum", 0),
    page(5, "Museum"),
    page(6, "Guides"),
    page(10, "Opening hours", 5),
    page(11, "Opening hours 2025", 5),
    page(12, "Article management", 6),
    page(20, "Contact", 5),
    page(21, "Contact", 6, hidden=True),
    page(30, "Tickets", 5, translations=[{"uid": 31, "language": "de"}]),
    page(31, "Eintritt", 5, language="de"),
    page(40, "Öffnungszeiten", 5),
    page(50, "Old news", 5, hidden=True),
    page(60, "Terms and conditions"),
    element(118, "Winter hours", 10),
    element(119, "Prices", 10),
    page(3, "ferry.png", 0) | {"table": "files", "language": None, "hidden": None},
    page(70, "Old café", 5) | {"deleted": True},
)
LANGUAGES = [{"code": "en", "title": "English", "default": True}, {"code": "de", "title": "Deutsch", "default": False}]

Answer = str | Mapping[str, Any] | tuple[str, str]


class World:
    """Answers reads from its rows, and writes with `outcomes` by tool name, else as done with a new number."""

    def __init__(
        self,
        rows: Sequence[Row] = SITE,
        languages: Sequence[Row] = tuple(LANGUAGES),
        outcomes: Mapping[str, Answer] | None = None,
    ) -> None:
        self.rows = {row["uid"]: dict(row) for row in rows}
        self.languages = list(languages)
        self.outcomes = dict(outcomes or {})
        self.next_uid = 900

    def answer(self, name: str, arguments: Row) -> tuple[str, bool]:
        if name in self.outcomes:
            outcome = self.outcomes[name]
            if isinstance(outcome, tuple):
                return "\n".join(part for part in outcome if part), True
            return outcome if isinstance(outcome, str) else json.dumps(outcome), False
        reader: Callable[[Row], Row | None] = getattr(self, f"_{name}", self._write)
        data = reader(arguments)
        return ("not_found\nThere is no such record.", True) if data is None else (json.dumps(data), False)

    def _search_records(self, arguments: Row) -> Row:
        wanted = arguments["query"].casefold()
        hits = [
            {**self._row(row), "exact": row["title"].casefold() == wanted}
            for row in self.rows.values()
            if wanted in row["title"].casefold()
            and row.get("deleted", False) is arguments.get("deleted", False)
            and arguments.get("table", row["table"]) == row["table"]
            and arguments.get("language", row["language"]) == row["language"]
        ]
        return {"records": sorted(hits, key=lambda hit: not hit["exact"]), "more": 0}

    def _row(self, row: Row) -> Row:
        parent = self.rows.get(row["parent"])
        return {key: row[key] for key in ("table", "uid", "title", "language", "hidden")} | {
            "parent_title": parent["title"] if parent else ""
        }

    def _read_record(self, arguments: Row) -> Row | None:
        row = self.rows.get(arguments["uid"])
        if row is None or row["table"] != arguments["table"] or row.get("deleted"):
            return None
        elements = [r for r in self.rows.values() if r["parent"] == row["uid"] and r["table"] == "content_elements"]
        return self._row(row) | {
            "fields": {"description": "How to reach us"},
            "elements": [self._row(r) for r in elements],
            "translations": row.get("translations", []),
        }

    def _get_page_tree(self, arguments: Row) -> Row:
        pages = [row for row in self.rows.values() if row["table"] == "pages"]
        below = [row for row in pages if arguments.get("page") in (None, row["parent"])]
        return {"pages": [self._row(row) | {"parent": row["parent"], "level": 1} for row in below]}

    def _list_languages(self, _: Row) -> Row:
        return {"languages": self.languages}

    def _write(self, arguments: Row) -> Row:
        self.next_uid += 1
        source = self.rows.get(arguments.get("page", 0), {"title": arguments.get("title", "New"), "language": "en"})
        self.rows[self.next_uid] = page(self.next_uid, source["title"], language=source["language"], hidden=True)
        return {"done": "written", "uid": self.next_uid, "hidden": True}


class Conversation:
    """Talks to a model the way the runtime does; every call is checked against what is offered."""

    def __init__(
        self, model: LanguageModel, world: World | None = None, tools: Sequence[ToolSpec] = TOOLS, language: str = "en"
    ) -> None:
        self.model = model
        self.world = world or World()
        self.tools = tools
        self.settings = ModelSettings(model="builtin", max_output_tokens=2000, language=language)
        self.messages: list[Message] = []
        self.turns: list[ModelTurn] = []

    def say(self, text: str) -> str:
        """The closing answer to a message."""
        self.messages.append(UserMessage(content=text))
        self.turns = []
        for _ in range(8):
            turn = self.model.respond(self.messages, self.tools, self.settings)
            self.turns.append(turn)
            self.messages.append(AssistantMessage(content=turn.content, calls=turn.calls))
            if not turn.calls:
                return turn.content
            for request in turn.calls:
                self._execute(request.id, request.name, request.arguments)
        raise AssertionError("the model did not come to an end")

    def _execute(self, call_id: str, name: str, arguments: str) -> None:
        schema = next(tool.parameters for tool in self.tools if tool.name == name)
        parsed = json.loads(arguments)
        Draft202012Validator(schema).validate(parsed)
        content, failed = self.world.answer(name, parsed)
        self.messages.append(ToolMessage(call_id=call_id, tool=name, content=content, is_error=failed))

    @property
    def writes(self) -> list[list[tuple[str, Row]]]:
        """The write calls of the last message, turn by turn."""
        proposed = [
            [(c.name, json.loads(c.arguments)) for c in turn.calls if c.name in WRITE_NAMES] for turn in self.turns
        ]
        return [calls for calls in proposed if calls]

    @property
    def proposal(self) -> str:
        """What was said with the first proposed steps."""
        return next(t.content for t in self.turns if any(c.name in WRITE_NAMES for c in t.calls))
