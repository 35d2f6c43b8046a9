"""What planning a step takes, and the step."""

from __future__ import annotations

from dataclasses import dataclass

from app.agent.llm.builtin.intents import Intent
from app.agent.llm.builtin.request import Request
from app.agent.llm.builtin.resolve import Found, Resolver
from app.agent.llm.builtin.transcript import Call, Results


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A write call to propose and the phrase that names it."""

    call: Call
    phrase: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Need:
    """An intent with what planning it takes."""

    intent: Intent
    request: Request
    results: Results
    resolver: Resolver

    def say(self, key: str, **values: str | int) -> str:
        """A sentence in the language of the request."""
        return self.resolver.voice.say(key, **values)

    def quote(self, text: str) -> str:
        """A quotation in the language of the request."""
        return self.resolver.voice.quote(text)

    def name(self, found: Found, uid: int | None = None) -> str:
        """A record by title and number."""
        return self.resolver.voice.record(found.table, found.title, found.uid if uid is None else uid)
