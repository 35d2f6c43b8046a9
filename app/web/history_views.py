"""The history of a record in words."""

from __future__ import annotations

from sqlalchemy.engine import Connection

from app.accounts import store as accounts
from app.chat.card_fields import value_words
from app.chat.changes import kind_words
from app.chat.facts import workspace_words
from app.chat.links import edit_url
from app.chat.view_models import FieldView
from app.content.history import FieldComparison, HistoryEntry, HistoryView
from app.content.schema import REGISTRY
from app.content.types import Origin
from app.core.i18n import ntext, ptext, text
from app.policy.identity import Identity
from app.web.content_values import HistoryEntryView, HistoryPageView
from app.web.content_views import UNTITLED

ACTIONS = {
    "created": (ptext("history", "Created"), text("Created by %(name)s")),
    "updated": (ptext("history", "Changed"), text("Changed by %(name)s")),
    "moved": (ptext("history", "Moved"), text("Moved by %(name)s")),
    "deleted": (ptext("history", "Deleted"), text("Deleted by %(name)s")),
    "published": (ptext("history", "Published"), text("Published by %(name)s")),
    "discarded": (ptext("history", "Discarded"), text("Discarded by %(name)s")),
}
"""What happened, alone and with the name of the person."""
UNKNOWN = (ptext("history", "Action not recorded"), text("Action not recorded, by %(name)s"))
ORIGINS = {
    Origin.PERSON: text("by a person"),
    Origin.RUN: text("by an approved step"),
    Origin.IMPORT: text("by an import"),
    Origin.SEED: text("when the site was set up"),
}


def history_page(connection: Connection, identity: Identity, found: HistoryView) -> HistoryPageView:
    """The newest changes, with who made them."""
    names = accounts.names_of(connection, [entry.user_id for entry in found.entries])
    return HistoryPageView(
        title=found.title or UNTITLED,
        kind=kind_words(REGISTRY[found.table].label, found.uid),
        record_url=None if found.is_deleted else edit_url(found.table, found.uid),
        workspace=workspace_words(found.workspace_id, identity),
        entries=tuple(_history_entry(identity, found.table, entry, names) for entry in found.entries),
        has_more=found.more,
    )


def _history_entry(identity: Identity, table: str, entry: HistoryEntry, names: dict[int, str]) -> HistoryEntryView:
    alone, with_name = ACTIONS.get(entry.action, UNKNOWN)
    name = names.get(entry.user_id)
    heading = with_name.with_params(name=name) if name else alone
    hidden = entry.withheld_fields
    return HistoryEntryView(
        id=entry.id,
        at=entry.at,
        heading=heading,
        origin=ORIGINS[entry.origin],
        workspace=workspace_words(entry.workspace_id, identity),
        fields=tuple(_field(table, field) for field in entry.fields),
        withheld=ntext(
            "%(n)s field is not shown, because you have no right to it.",
            "%(n)s fields are not shown, because you have no right to them.",
            hidden,
        )
        if hidden
        else None,
    )


def _field(table: str, field: FieldComparison) -> FieldView:
    trait = REGISTRY[table].field_by_name[field.name]
    old = None if field.old is None else value_words(trait, field.old)
    new = None if field.new is None else value_words(trait, field.new)
    return FieldView(name=field.name, label=field.label, old=old, new=new)
