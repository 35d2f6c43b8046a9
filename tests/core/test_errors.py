from __future__ import annotations

import pytest

from app.core import errors
from app.core.i18n import render, text


def test_it_logs_ids_and_shows_people_a_sentence() -> None:
    error = errors.Conflict("run 7", text=text("Too late."))
    assert (str(error), render(error.text, "en")) == ("run 7", "Too late.")
    assert str(errors.NotFound()) == "NotFound"


def test_it_has_a_sentence_of_its_own_for_every_family() -> None:
    families = [
        errors.AppError,
        errors.NotFound,
        errors.Forbidden,
        errors.Conflict,
        errors.Invalid,
        errors.Unavailable,
        errors.TooMany,
    ]
    assert len({family.text for family in families}) == len(families)


def test_it_names_the_fields_that_are_wrong() -> None:
    given = {"title": text("Too long.")}
    error = errors.Invalid("form", fields=given)
    given.clear()
    assert dict(error.fields) == {"title": text("Too long.")}
    assert dict(errors.Invalid().fields) == {}


def test_it_says_how_long_to_wait() -> None:
    error = errors.TooMany("sign_in", retry_after=7)
    assert error.retry_after == 7
    with pytest.raises(errors.Unavailable):
        raise error
