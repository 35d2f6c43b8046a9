"""What happens around a change of an event."""

from __future__ import annotations

import logging

from app.content.errors import WriteRefused
from app.content.hooks import Hooks, OpenBatch, Values
from app.content.types import ChangeAction, ChangeSet, WriteContext
from app.core.i18n import text

log = logging.getLogger(__name__)


def register(hooks: Hooks) -> None:
    """Add the hooks; called once when Imprimatur starts."""
    hooks.before.append(demand_place)
    hooks.inside.append(announce)
    hooks.after_commit.append(count)


def demand_place(_context: WriteContext, table: str, uid: int, values: Values) -> None:
    """An event takes place somewhere: refuses one without; nothing of the step is written then."""
    creating = uid == 0
    if table == "events" and (creating or "place" in values) and not str(values.get("place", "")).strip():
        raise WriteRefused("no_place", text("An event needs a place."))


def announce(batch: OpenBatch, changes: ChangeSet) -> None:
    """A new event in the default language gets a content element on its page: listed as changed along with it."""
    for change in changes.changes:
        if change.table == "events" and change.action is ChangeAction.CREATED and change.language_id == 0:
            batch.create("content_elements", change.page_uid, {"header": change.title}, hidden=True)


def count(_context: WriteContext, changes: ChangeSet) -> None:
    """Only after the commit is it certain that something was written."""
    written = sum(change.table == "events" for change in changes.changes)
    if written:
        log.info("events written: %d", written)
