"""What the writer raises inside a batch; the caller's savepoint is rolled back, so nothing of the batch stays."""

from __future__ import annotations

from app.core.errors import AppError
from app.core.i18n import Text, text


class WriteRefused(AppError):
    """The store refuses a write: ``reason`` is a code, ``text`` a sentence for people and the model.

    ``not_found`` covers "does not exist" and "not yours" alike, so that existence never leaks (RT-18).
    """

    def __init__(self, reason: str, sentence: Text) -> None:
        super().__init__(reason, text=sentence)
        self.reason = reason


def not_found() -> WriteRefused:
    """One sentence for a record that is missing and for one the acting person may not use."""
    return WriteRefused("not_found", text("There is no such record, or you have no access to it."))
