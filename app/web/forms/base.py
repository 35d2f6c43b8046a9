"""What every form shares: texts in the reader's language, and its problems as a list for the error summary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, cast

from flask_wtf import FlaskForm
from wtforms import Field, SelectField
from wtforms.validators import StopValidation

from app.core.errors import Invalid
from app.core.i18n import Text
from app.web.locale import words


def lazy(words: Text) -> str:
    """``words`` for WTForms, which asks for a ``str`` but only hands it on: it is rendered where a template prints it."""
    return cast("str", words)


class Form(FlaskForm):
    """A form whose sentences are lazy texts."""

    class Meta:
        csrf = False
        """The application checks the token of every form before any view runs; one check is enough."""
        locales = ("en",)

    def problems(self) -> list[tuple[str, Any]]:
        """Control id and sentence of everything that is wrong, in the order of the form."""
        return [(field.id, error) for field in self for error in field.errors]

    def add_problems(self, error: Invalid) -> None:
        """Show what a service found wrong at the fields it named; a sentence without a field stands alone."""
        for name, sentence in error.fields.items():
            if name in self:
                self[name].errors = [*self[name].errors, sentence]


class Required:
    """Something has to be entered; ``sentence`` says what."""

    field_flags: ClassVar[dict[str, bool]] = {"required": True}

    def __init__(self, sentence: Text) -> None:
        self.sentence = sentence

    def __call__(self, _form: FlaskForm, field: Field) -> None:
        if not str(field.data or "").strip():
            raise StopValidation(lazy(self.sentence))


class OneOf:
    """The value is one of the offered ones."""

    def __init__(self, sentence: Text) -> None:
        self.sentence = sentence

    def __call__(self, _form: FlaskForm, field: SelectField) -> None:
        if field.data not in {choice[0] for choice in cast("list[tuple[str, str]]", field.choices)}:
            raise StopValidation(lazy(self.sentence))


def choices(pairs: Iterable[tuple[str, Text | str]]) -> list[tuple[str, str]]:
    """Values with labels in the reader's language."""
    return [(value, words(label)) for value, label in pairs]
