"""The five families of errors; the web layer maps each to one status (style.md 3.5).

A refusal of policy is not an error but a value. Messages are for logs and carry ids only, never texts of people.
``text`` is what a person may read.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from app.core.i18n import Text, text


class AppError(Exception):
    """Root of everything the product raises on purpose."""

    text: Text = text("Something went wrong. Nothing was changed.")

    def __init__(self, message: str = "", *, text: Text | None = None) -> None:
        super().__init__(message or type(self).__name__)
        if text is not None:
            self.text = text


class NotFound(AppError):
    """404: it does not exist, or the person may not know that it does (I21)."""

    text = text("This page does not exist, or you have no access to it.")


class Forbidden(AppError):
    """403: seen, but not allowed."""

    text = text("You have no permission to do this.")


class Conflict(AppError):
    """409: somebody else was faster, or what was shown has changed."""

    text = text("This has changed in the meantime. Check the current state and try again.")


class Invalid(AppError):
    """422: the input cannot be taken; ``fields`` names each field with its sentence."""

    text = text("There is a problem with what was entered.")

    def __init__(
        self, message: str = "", *, text: Text | None = None, fields: Mapping[str, Text] | None = None
    ) -> None:
        super().__init__(message, text=text)
        self.fields: Mapping[str, Text] = MappingProxyType(dict(fields or {}))


class Unavailable(AppError):
    """503: not now; nothing was changed."""

    text = text("This is not available at the moment. Nothing was changed. Try again in a moment.")


class TooMany(Unavailable):
    """429: a limit of attempts is reached; ``retry_after`` in seconds."""

    text = text("Too many attempts. Wait a moment and try again.")

    def __init__(self, message: str = "", *, retry_after: int, text: Text | None = None) -> None:
        super().__init__(message, text=text)
        self.retry_after = retry_after
