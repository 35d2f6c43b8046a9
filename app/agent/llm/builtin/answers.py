"""The assistant's wording. Model output, so it follows the language of the message and is no interface text."""

from __future__ import annotations

from dataclasses import dataclass

from app.agent.llm.builtin.answers_de import GERMAN_ANSWERS
from app.agent.llm.builtin.answers_en import ENGLISH_ANSWERS
from app.agent.llm.builtin.text import plain

_CATALOGUES = {"en": ENGLISH_ANSWERS, "de": GERMAN_ANSWERS}
_QUESTION_KEYS = ("which", "which_language")

# An answer that ends in one of these sentences is an own question; the next message may answer it.
QUESTIONS: tuple[str, ...] = tuple(catalogue[key] for catalogue in _CATALOGUES.values() for key in _QUESTION_KEYS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Voice:
    """Speaks one language, `en` or `de`."""

    language: str

    def say(self, key: str, **values: str | int) -> str:
        """The sentence of that key. Values are numbers, own sentences, or foreign text that went through `quote`."""
        return _CATALOGUES[self.language][key] % values

    def count(self, key: str, n: int, **values: str | int) -> str:
        """The sentence of a key with a form for one and a form for other numbers."""
        return self.say(f"{key}_one" if n == 1 else f"{key}_other", n=n, **values)

    def quote(self, text: str) -> str:
        """Foreign text as a quotation in which nothing is markup."""
        return self.say("quote", text=plain(text))

    def record(self, table: str, title: str, uid: int) -> str:
        """A record by its title and number."""
        kind = {"content_elements": "element", "files": "file"}.get(table, "page")
        if not title.strip():
            return self.say(f"{kind}_untitled", uid=uid)
        return self.say(kind, title=self.quote(title), uid=uid)

    def field(self, name: str) -> str:
        """The name of a field."""
        return _CATALOGUES[self.language].get(f"field_{name}", plain(name))


def catalogue(language: str) -> dict[str, str]:
    """The sentences of one language, for checks."""
    return dict(_CATALOGUES[language])
