"""The small site on each database, for what is asked of the database in its own words."""

from __future__ import annotations

from tests.content.writer.fixtures import any_store, postgres_store, store

__all__ = ["any_store", "postgres_store", "store"]
