"""What the page's announcer says of a poll: one utterance, short, in the order of a11y.md LV-5."""

from __future__ import annotations

from typing import Any

from app.chat.approval_card import read_card
from app.chat.pages import Updates
from app.chat.view_models import MessageView
from app.core.i18n import Text, ntext, text
from app.web.current import current
from app.web.locale import locale_code, words
from app.web.markdown import render_markdown

LONGEST = 240
_STRUCTURE = ("<ul", "<ol", "<a ", "<table", "<pre", "<h4", "<h5", "<h6", "<blockquote", "<hr")


def spoken(updates: Updates) -> dict[str, Any] | None:
    """The ``chat-say`` of an answer, or None. Own messages and steps are never spoken."""
    said = [*_card(updates), *_failure(updates), *_answers(updates)]
    if not said:
        return None
    sentences = [words(sentence) for _, sentence in said]
    utterance = sentences[0]
    for sentence in sentences[1:]:
        if len(utterance) + 1 + len(sentence) <= LONGEST:
            utterance = f"{utterance} {sentence}"
    view = updates.view
    return {"id": f"{view.id}-{view.version}", "kind": said[0][0], "text": utterance}


def _card(updates: Updates) -> list[tuple[str, Text]]:
    waiting = {card.dom_id for card in updates.cards if card.state == "waiting"}
    new = [message for message in updates.messages if message.role == "card" and message.card_id in waiting]
    if not new or updates.view.run_uuid is None:
        return []
    card = read_card(current().connection, current().identity, updates.view.run_uuid, current().runtime)
    carried = sum(not step.is_refused for step in card.steps)
    if not card.steps:
        return [("A6", card.heading)]
    sentence = ntext(
        "Approval needed: %(ok)s of %(n)s step.", "Approval needed: %(ok)s of %(n)s steps.", len(card.steps), ok=carried
    )
    return [("A6", sentence)]


def _failure(updates: Updates) -> list[tuple[str, Text]]:
    return [("A8", text("The assignment stopped with an error."))] if updates.view.status == "failed" else []


def _answers(updates: Updates) -> list[tuple[str, Text]]:
    answers = [message for message in updates.messages if message.role == "assistant"]
    return [_answer(answers[-1])] if answers else []


def _answer(message: MessageView) -> tuple[str, Text]:
    html = render_markdown(message.body, locale_code())
    plain = " ".join(html.striptags().split())
    short = text("AI assistant: %(text)s", text=plain)
    has_structure = html.count("<p>") > 1 or any(tag in html for tag in _STRUCTURE)
    if not has_structure and len(words(short)) <= LONGEST:
        return "A3", short
    count = len(plain.split())
    return "A4", ntext("Answer received, about %(n)s word.", "Answer received, about %(n)s words.", count)
