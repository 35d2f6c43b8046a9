"""Fixtures of the writer's tests."""

from __future__ import annotations

from tests.content.writer.fixtures import postgres_store, store

__all__ = ["postgres_store", "store"]
