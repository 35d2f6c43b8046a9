"""What the forms of a conversation send, read once and bounded, and what the message field shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.chat.view_models import ConversationView
from app.core.i18n import Text

MOST_TOKEN = 80
"""Characters of an idempotency key that count."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageForm:
    """A message as sent; line ends of forms become those of texts."""

    body: str
    token: str
    declines: bool
    """Whether the person chose to decline the waiting card with it."""
    reason: str
    """Why they decline it."""

    @classmethod
    def read(cls, form: Mapping[str, str]) -> MessageForm:
        """The fields ``body``, ``token``, ``decline`` and ``reason``; absent ones are empty."""
        return cls(
            body=form.get("body", "").replace("\r\n", "\n"),
            token=form.get("token", "")[:MOST_TOKEN],
            declines=form.get("decline") == "1",
            reason=" ".join(form.get("reason", "").split()),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionForm:
    """A decision on a card as sent. ``approve`` is None for every word that is not exactly one of the two (B7)."""

    approve: bool | None
    digest: str
    token: str
    reason: str
    card: int | None
    """Which card of the run the form stood in; None = not said."""

    @classmethod
    def read(cls, form: Mapping[str, str], query: Mapping[str, str]) -> DecisionForm:
        """The fields ``decision``, ``digest``, ``token`` and ``reason``, and ``card`` of the address."""
        return cls(
            approve={"approve": True, "decline": False}.get(form.get("decision", "")),
            digest=form.get("digest", ""),
            token=form.get("token", "")[:MOST_TOKEN],
            reason=form.get("reason", "").replace("\r\n", "\n"),
            card=read_number(query.get("card")),
        )


def read_number(value: str | None, *, longest: int = 15) -> int | None:
    """A number in ASCII digits without sign; None for everything else."""
    if value is None or not value.isascii() or not value.isdigit() or len(value) > longest:
        return None
    return int(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class MessageRefusal:
    """Why a message was not sent; the text that was typed stays in the field."""

    sentence: Text
    offers_decline: bool = False
    """Whether declining the waiting card would let the message through."""
    reason: str = ""
    """The reason that was typed for it."""

    @property
    def errors(self) -> tuple[tuple[str, Text], ...]:
        """For the error summary: the field and the sentence."""
        return (("message", self.sentence),)


@dataclass(frozen=True, kw_only=True, slots=True)
class ComposerView:
    """The message field of one page."""

    view: ConversationView
    text: str
    token: str
    most: int
    """Characters a message may have; 0 = no limit."""
    enter_sends: bool
    refusal: MessageRefusal | None = None

    @property
    def error(self) -> Text | None:
        """The sentence beside the field."""
        return self.refusal.sentence if self.refusal else None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConfigurationChoice:
    """One entry of the select ``configuration``."""

    id: int
    name: str
    is_default: bool
