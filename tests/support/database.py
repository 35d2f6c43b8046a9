"""Bringing a test database to the newest migration."""

from __future__ import annotations

from flask_migrate import upgrade


def migrate() -> None:
    """Upgrade the database of the current application to the newest migration."""
    upgrade()
