"""A manual of 150 pages is imported and copied: the step reports 50 records at most, and the list says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from app.content.imports.markdown import read_tree
from app.content.imports.writing import ImportResult, ImportTarget, find_parent, import_tree
from app.core.db import reading
from app.seed.installation import seed_actor
from e2e.conftest import Server
from e2e.journeys.content import content_of
from e2e.pages.journey import Journey

pytestmark = pytest.mark.browser
MANUAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "contao-manual"


def import_manual(server: Server) -> ImportResult:
    """As the command ``import markdown`` does it, below the root page of the demo."""
    with server.app.app_context():
        with reading() as connection:
            parent = find_parent(connection, None)
        target = ImportTarget(
            actor=seed_actor(main_group_id=server.site.people.groups["Editorial"]),
            parent_uid=parent,
            languages={"en": 0, "de": 1},
            storage_id=1,
            files_folder=server.settings.data_folder / "files",
        )
        return import_tree(read_tree(MANUAL, ("en", "de")), target)


@pytest.mark.skipif(not MANUAL.is_dir(), reason="the manual that this test imports is not beside the checkout")
def test_a_copied_chapter_says_how_much_the_list_leaves_out(
    open_journey: Callable[..., Journey], server: Server
) -> None:
    imported = import_manual(server)
    assert imported.failed == 0
    assert imported.created > 500
    live = content_of(server, 0)
    anna = open_journey("anna")
    anna.new_conversation()
    anna.send("Copy the page 'Article management' with its subpages below 'Guides'")
    anna.wait_for("awaiting_approval")
    expect(anna.card.locator("[data-call]")).to_have_count(1)
    expect(anna.card).to_contain_text("Article management")
    anna.approve.click()
    anna.wait_for("idle")
    assert content_of(server, 0) == live
    anna.open_changes()
    expect(anna.records).to_have_count(50)
    written = sum(len(rows) for rows in content_of(server).values()) - sum(len(rows) for rows in live.values())
    assert anna.notes()["omitted"] == written - 50
    assert anna.facts()[0]["role"] == "target"
