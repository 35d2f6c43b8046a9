"""What people choose for themselves: language, appearance, time zone, sending key, workspace."""

from __future__ import annotations

from typing import TypedDict, Unpack

from app.accounts import service, sessions
from app.core.db import transaction


class Preferences(TypedDict, total=False):
    """Columns of a person they may change themselves, and no others."""

    language: str
    timezone: str
    theme: str
    enter_sends: bool


def save_preferences(user_id: int, **chosen: Unpack[Preferences]) -> None:
    """Keep what a person chose; the caller has checked the values."""
    with transaction() as connection:
        service.update_user(connection, user_id, chosen)


def choose_workspace(user_id: int, workspace_id: int) -> None:
    """Let a person stand in another workspace. Raises ``NotFound`` for one they may not use."""
    with transaction() as connection:
        service.switch_workspace(connection, user_id, workspace_id)


def open_browser_session(user_id: int, user_agent: str) -> str:
    """Sign a person in after a one-time link proved who they are; returns the token."""
    with transaction() as connection:
        return sessions.open_session(connection, user_id, user_agent)
