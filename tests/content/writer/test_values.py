"""Values before they are written."""

from __future__ import annotations

from typing import Any

import pytest

from app.content.errors import WriteRefused
from app.content.schema import CONTENT_ELEMENTS, FILE_METADATA, PAGES, REDIRECTS, TableTrait
from app.content.types import Origin, WriteContext
from app.content.writer.values import normalise
from app.policy.identity import Identity
from tests.content.writer.fixtures import ADMIN, ANNA, NOW


def written(
    trait: TableTrait, values: dict[str, Any], *, actor: Identity = ADMIN, origin: Origin = Origin.RUN, **kw: Any
) -> dict[str, Any]:
    context = WriteContext(actor=actor, workspace_id=0, origin=origin, correlation="x", now=NOW)
    return normalise(context, trait, values, **{"creating": False, **kw})


@pytest.mark.parametrize(
    ("trait", "values", "reason"),
    [
        (PAGES, {"nonsense": 1}, "unknown_field"),
        (PAGES, {"uid": 5}, "unknown_field"),
        (PAGES, {"pid": 5}, "unknown_field"),
        (PAGES, {"workspace_id": 0}, "unknown_field"),
        (PAGES, {"language_id": 1}, "unknown_field"),
        (PAGES, {"import_key": "x"}, "unknown_field"),
        (PAGES, {"owner_id": 1}, "unknown_field"),
        (PAGES, {"title": 5}, "wrong_type"),
        (PAGES, {"title": None}, "wrong_type"),
        (PAGES, {"title": " "}, "required"),
        (PAGES, {"title": "x" * 256}, "too_long"),
        (PAGES, {"title": "a\nb"}, "forbidden_character"),
        (PAGES, {"title": "a\x00b"}, "forbidden_character"),
        (CONTENT_ELEMENTS, {"body": "a\x00b"}, "forbidden_character"),
        (CONTENT_ELEMENTS, {"body": "\ud800"}, "forbidden_character"),
        (PAGES, {"hidden": 1}, "wrong_type"),
        (PAGES, {"hidden": "true"}, "wrong_type"),
        (PAGES, {"starttime": True}, "wrong_type"),
        (PAGES, {"starttime": 1.0}, "wrong_type"),
        (PAGES, {"starttime": "12"}, "wrong_type"),
        (PAGES, {"starttime": -1}, "out_of_range"),
        (PAGES, {"starttime": 2**63}, "out_of_range"),
        (REDIRECTS, {"status": 2**31}, "out_of_range"),
        (FILE_METADATA, {"file_uid": True}, "wrong_type"),
        (PAGES, {"groups": "1;2"}, "wrong_type"),
        (PAGES, {"groups": [True]}, "wrong_type"),
        (PAGES, {"groups": "1" * 300}, "wrong_type"),
    ],
)
def test_it_refuses_what_a_field_cannot_hold(trait: TableTrait, values: dict[str, Any], reason: str) -> None:
    with pytest.raises(WriteRefused) as refused:
        written(trait, values)
    assert refused.value.reason == reason


def test_it_refuses_a_new_record_without_a_required_field() -> None:
    with pytest.raises(WriteRefused, match="required"):
        written(PAGES, {"subtitle": "x"}, creating=True)


def test_it_brings_values_to_one_form() -> None:
    found = written(PAGES, {"title": "Ä 🏛", "groups": [3, "4", 3, 0], "description": "a\r\nb\rc\td"})
    assert found == {"title": "Ä 🏛", "groups": "3,4", "description": "a\nb\nc\td"}
    assert written(PAGES, {"groups": " 4 , -1,0"}) == {"groups": "4,-1"}
    assert written(PAGES, {"groups": ""}) == {"groups": ""}


def test_it_drops_fields_without_their_grant_silently_but_checks_them() -> None:
    assert written(PAGES, {"keywords": "x", "title": "T"}, actor=ANNA) == {"title": "T"}
    with pytest.raises(WriteRefused, match="wrong_type"):
        written(PAGES, {"keywords": 5}, actor=ANNA)


def test_it_leaves_fields_kept_equal_to_the_default_record() -> None:
    assert written(PAGES, {"keywords": "x", "title": "T"}, is_translation=True) == {"title": "T"}


def test_it_lets_imports_keep_their_marks_and_permissions() -> None:
    values = {"import_key": "hugo:/a", "import_hash": "0" * 64, "everybody_bits": 1}
    assert written(PAGES, values, origin=Origin.IMPORT) == values
