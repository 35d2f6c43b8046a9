"""The words of the interface and what each means (a11y.md section 8)."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.i18n import Text, ptext, text


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One word, always used for the same thing."""

    id: str
    word: Text
    meaning: Text


WORDS = (
    Word(
        id="assignment",
        word=ptext("glossary", "Assignment"),
        meaning=text("A request to the AI assistant together with everything the assistant does for it."),
    ),
    Word(
        id="conversation",
        word=ptext("glossary", "Conversation"),
        meaning=text(
            "Your messages and the answers of the AI assistant, with the approvals and lists that belong to them."
        ),
    ),
    Word(
        id="message",
        word=ptext("glossary", "Message"),
        meaning=text("One text in a conversation, by you or by the AI assistant."),
    ),
    Word(
        id="history",
        word=ptext("glossary", "History"),
        meaning=text("The messages and approvals of a conversation in their order; for a record, its changes."),
    ),
    Word(
        id="ai-assistant",
        word=ptext("glossary", "AI assistant"),
        meaning=text("The software that answers you and proposes steps. It is not a person and it can be wrong."),
    ),
    Word(
        id="step",
        word=ptext("glossary", "Step"),
        meaning=text("One thing the AI assistant reads or proposes to change, for example copying a page."),
    ),
    Word(
        id="run",
        word=ptext("glossary", "Run"),
        meaning=text("One stretch of work of the AI assistant on an assignment."),
    ),
    Word(
        id="approval",
        word=ptext("glossary", "Approval"),
        meaning=text("The yes of a person to proposed steps. Without it the AI assistant changes nothing."),
    ),
    Word(
        id="decline",
        word=ptext("glossary", "Decline"),
        meaning=text("The no of a person to proposed steps. None of them is carried out."),
    ),
    Word(
        id="refused",
        word=ptext("glossary", "Refused by a rule"),
        meaning=text("The no of a rule of this site to a step. Nobody can approve such a step."),
    ),
    Word(
        id="record",
        word=ptext("glossary", "Record"),
        meaning=text(
            "A page, a content element, a translation, a file or another entry of the site. Every record has a number."
        ),
    ),
    Word(
        id="live",
        word=ptext("glossary", "Live"),
        meaning=text("The state of the site that visitors get, as far as a record is not hidden or limited."),
    ),
    Word(
        id="draft-workspace",
        word=ptext("glossary", "Draft workspace"),
        meaning=text("A place for changes that live does not have until somebody publishes them."),
    ),
    Word(
        id="hidden",
        word=ptext("glossary", "Hidden"),
        meaning=text(
            "The record is marked so that the site leaves it out. Not hidden does not mean that everybody gets it."
        ),
    ),
    Word(
        id="changed-along",
        word=ptext("glossary", "Changed along with it"),
        meaning=text(
            "A record that a step changed besides the one it names, for example the content of a copied page."
        ),
    ),
    Word(
        id="not-shown",
        word=ptext("glossary", "Not shown"),
        meaning=text("A record you have no right to read. It is counted, and nothing else is said about it."),
    ),
)
