"""Fixtures of the writer's tests."""

from __future__ import annotations

from tests.content.writer.fixtures import any_store, postgres_store, store

__all__ = ["any_store", "postgres_store", "store"]
