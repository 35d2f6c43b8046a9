"""The built-in assistant: offline, without a key, deterministic. Documented in docs/built-in-assistant.md."""

from __future__ import annotations

from app.agent.llm.builtin.assistant import BuiltInAssistant

__all__ = ["BuiltInAssistant"]
