"""Run by test_extensions.py in a process of its own, where the example extension is installed. Prints JSON.

Tables are registered once in a process, so the test's own process cannot take them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import select

from app import create_app
from app.accounts.models import User
from app.accounts.service import find_identity
from app.config import Settings
from app.content.errors import WriteRefused
from app.content.hooks import HOOKS
from app.content.reading import page_tree
from app.content.schema import REGISTRY
from app.content.store import find_row
from app.content.types import Origin, WriteContext
from app.content.writer import Batch
from app.core.db import Base, db, transaction
from app.policy.identity import Identity
from tests.support.page import PageClient


def probe(data: str) -> dict[str, object]:
    """What the product does with the extension's table and hooks, on the demo of ``data``."""
    app = create_app(Settings(data=data, workers=0))
    with app.app_context():
        with db.engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": False})
            differences = [str(found) for found in compare_metadata(context, Base.metadata)]
            user_id = connection.execute(select(User.id).where(User.username == "admin")).scalar_one()
            admin = find_identity(connection, user_id)
            assert admin is not None
            page = page_tree(connection, admin, 0, depth=1)[0].uid
        refused = _refused(admin, page)
        found = _write(admin, page)
        client = PageClient(app).sign_in_as(user_id)
        answer = client.get(f"/records/events/{found['uid']}")
        return {
            "differences": differences,
            "hooks": [len(HOOKS.before), len(HOOKS.inside), len(HOOKS.after_commit)],
            "registered": "events" in REGISTRY,
            "refused": refused,
            **found,
            "status": answer.status,
            "page_shows_title": "Long night of museums" in answer.html,
        }


def _context(admin: Identity, workspace_id: int, correlation: str) -> WriteContext:
    return WriteContext(
        actor=replace(admin, workspace_id=workspace_id),
        workspace_id=workspace_id,
        origin=Origin.PERSON,
        correlation=correlation,
        now=1_800_000_000,
    )


def _refused(admin: Identity, page: int) -> str:
    try:
        with transaction() as connection:
            Batch(connection, _context(admin, 0, "probe/1")).create("events", page, {"title": "Nowhere"})
    except WriteRefused as refusal:
        return refusal.reason
    return ""


def _write(admin: Identity, page: int) -> dict[str, object]:
    with transaction() as connection:
        batch = Batch(connection, _context(admin, 0, "probe/2"))
        made = batch.create("events", page, {"title": "Long night of museums", "place": "Hall 1"})
        batch.mark_target(made)
        changes = batch.finish().changes
    with transaction() as connection:
        draft = Batch(connection, _context(admin, 1, "probe/3"))
        draft.update("events", made.uid, {"place": "Hall 2"})
        draft.finish()
        live, in_draft = (find_row(connection, "events", made.uid, number) for number in (0, 1))
        assert live is not None
        assert in_draft is not None
    return {
        "uid": made.uid,
        "changes": [[change.table, change.action.value, change.is_target] for change in changes],
        "places": [live["place"], in_draft["place"]],
    }


if __name__ == "__main__":
    print(json.dumps(probe(sys.argv[1])))  # noqa: T201
