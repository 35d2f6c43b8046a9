"""Enumerations whose members carry the stored value and the word for people."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from app.core.i18n import Text


class LabelledEnum(StrEnum):
    """``NAME = "stored", text("Label")``; ``.label`` is the lazy word."""

    label: Text

    def __new__(cls, value: str, label: Text) -> Self:
        member = str.__new__(cls, value)
        member._value_ = value
        member.label = label
        return member
