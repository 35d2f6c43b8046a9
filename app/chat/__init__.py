"""Conversations: messages, the run record, the approval card and the list of changes as people see them.

May import ``agent`` and everything below; knows nothing of the web.
"""

from __future__ import annotations

from app.agent.news import subscribe
from app.chat.news import apply_news


def install() -> None:
    """Listen to the runs from now on."""
    subscribe(apply_news)
