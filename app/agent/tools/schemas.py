"""Pieces of JSON schema the tools share. Every object refuses unknown arguments (I24)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UID: Mapping[str, Any] = {"type": "integer", "minimum": 1, "maximum": 2**53 - 1}


def uid(meaning: str) -> Mapping[str, Any]:
    """A record number."""
    return {**UID, "description": meaning}


def line(meaning: str, longest: int = 255) -> Mapping[str, Any]:
    """A text of one line."""
    return {"type": "string", "maxLength": longest, "description": meaning}


def words(meaning: str, longest: int) -> Mapping[str, Any]:
    """A text of several lines."""
    return {"type": "string", "maxLength": longest, "description": meaning}


def flag(meaning: str) -> Mapping[str, Any]:
    """Yes or no."""
    return {"type": "boolean", "description": meaning}


def choice(meaning: str, *values: str) -> Mapping[str, Any]:
    """One of a few words."""
    return {"type": "string", "enum": list(values), "description": meaning}


def number_choice(meaning: str, *values: int) -> Mapping[str, Any]:
    """One of a few numbers."""
    return {"type": "integer", "enum": list(values), "description": meaning}


def arguments(required: tuple[str, ...] = (), /, **properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
        "additionalProperties": False,
    }
