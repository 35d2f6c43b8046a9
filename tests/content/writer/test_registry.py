"""The tables of the content store and their traits; what a table lacks is unknown, not "no" (CM-01, cms.md section 1)."""

from __future__ import annotations

from typing import Any

import pytest

from app.content.schema import REGISTRY
from app.content.types import Origin
from tests.content.writer.fixtures import ADMIN, DE, DRAFT, LIVE, Store

VALUES: dict[str, tuple[int, dict[str, Any]]] = {
    "pages": (10, {"title": "New"}),
    "content_elements": (10, {"header": "New"}),
    "files": (0, {"name": "c.png", "path": "/press/c.png", "storage_id": 1}),
    "file_metadata": (0, {"file_uid": 2, "title": "New"}),
    "file_references": (
        10,
        {"file_uid": 1, "owner_table": "content_elements", "owner_uid": 100, "owner_field": "images"},
    ),
    "redirects": (0, {"source": "/new", "target_page": 11}),
    "site_settings": (0, {"name": "footer", "value": "New"}),
    "contacts": (11, {"name": "Carl"}),
}
"""For each table a page to lie on (0 = the root) and the least a record needs."""


@pytest.mark.behaviour("CM-01")
@pytest.mark.parametrize("table", VALUES)
def test_it_keeps_records_of_every_table_with_the_facts_it_has_columns_for(any_store: Store, table: str) -> None:
    page, values = VALUES[table]
    made = any_store.do(lambda batch: batch.create(table, page, values), LIVE, ADMIN, origin=Origin.IMPORT).changes
    (change,) = (found for found in made if found.table == table)
    trait = REGISTRY[table]
    assert any_store.row(table, change.uid) is not None
    assert change.hidden is (False if trait.can_hide else None), "without the column it is unknown, not visible"
    assert change.language_id == (0 if trait.has_language else None), "no language is not the default language"
    assert change.starttime == (0 if trait.has_times else None)
    assert change.groups == (() if trait.has_groups else None)


@pytest.mark.behaviour("CM-01")
def test_its_registry_has_the_kinds_of_tables_every_branch_needs() -> None:
    assert REGISTRY.keys() == VALUES.keys()
    assert [name for name, trait in REGISTRY.items() if trait.admin_only] == ["site_settings"]
    assert {name for name, trait in REGISTRY.items() if trait.versioned and not trait.has_language} == {"contacts"}
    assert {name for name, trait in REGISTRY.items() if not trait.versioned} == {"files", "redirects", "site_settings"}
    assert {name for name, trait in REGISTRY.items() if not trait.soft_delete} == {"files", "file_metadata"}
    assert {name for name, trait in REGISTRY.items() if trait.judged_by_file} == {
        "files",
        "file_metadata",
        "file_references",
    }


@pytest.mark.behaviour("CM-01")
@pytest.mark.parametrize("workspace_id", [LIVE, DRAFT])
def test_a_translation_is_a_row_over_its_record(any_store: Store, workspace_id: int) -> None:
    any_store.do(lambda batch: batch.localize("content_elements", 103, DE, with_content=False), workspace_id)
    (row,) = any_store.rows("content_elements", translation_parent=103)
    assert (row["language_id"], row["pid"], row["workspace_id"]) == (DE, 11, workspace_id)
