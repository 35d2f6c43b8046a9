"""Sign-in names that cannot be mistaken for others (B30)."""

from __future__ import annotations

import pytest

from app.accounts.names import LONGEST, is_storable, is_usable, skeleton

CYRILLIC_A = "\u0430"


@pytest.mark.parametrize(
    "name",
    [
        "anna",
        "Änne.Müller-2",
        "a_b@museum.example",
        "анна",
        "田中",
        "たなか田中",
        "\u0391\u039d\u039d\u0391",
        "7",
        "a" * LONGEST,
    ],
)
def test_it_takes_names_of_one_script(name: str) -> None:
    assert is_usable(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        " anna",
        "anna b",
        "anna\n",
        "anna\x00",
        "\ud800",
        f"{CYRILLIC_A}dmin",
        "ann\u03b1",
        "\uff41nna",
        "anna²",
        "a\u0301nna",
        "anna\u200d",
        "anna\u202e",
        "anna٣",
        "anna/../",
        "<b>",
        "a" * (LONGEST + 1),
    ],
)
def test_it_refuses_other_names(name: str) -> None:
    assert not is_usable(name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("admin", f"{CYRILLIC_A}dmin"),
        ("Admin", "admin"),
        ("Änne", "änne"),
        ("admin", "adm\u0131n"),
        ("cope", "\u0441\u043e\u0440\u0435"),
        ("COPE", "\u0421\u041e\u0420\u0415"),
        ("bob", "b0b"),
        ("lea", "1ea"),
        ("straße", "STRASSE"),
    ],
)
def test_it_sees_that_two_names_look_alike(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("anna", "änna"), ("anna", "anne"), ("a.b", "ab")])
def test_it_keeps_other_names_apart(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@pytest.mark.parametrize(("name", "storable"), [("anna", True), ("", True), ("a\x00", False), ("\udfff", False)])
def test_it_knows_what_no_database_can_be_asked_for(name: str, storable: bool) -> None:
    assert is_storable(name) is storable
