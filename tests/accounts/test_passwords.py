"""Passwords: hashed with argon2id, taken as given, bounded (B27, B28)."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from app.accounts import passwords
from app.accounts.passwords import LONGEST, MOST_BYTES, SHORTEST, hash_password, password_matches, problem_with
from app.core.i18n import render


def test_it_knows_the_password_it_hashed() -> None:
    hashed = hash_password("a long pässword ")
    assert hashed.startswith("$argon2id$")
    assert "pässword" not in hashed
    assert password_matches(hashed, "a long pässword ")


@pytest.mark.parametrize(
    "wrong",
    [
        "a long pässword",
        "A long pässword ",
        unicodedata.normalize("NFD", "a long pässword "),
        "a long pässword \x00",
        "",
        "\ud800",
        "x" * 1_000_000,
    ],
)
def test_it_takes_a_password_as_it_was_given(wrong: str) -> None:
    assert not password_matches(hash_password("a long pässword "), wrong)


def test_it_tells_long_passwords_apart_to_the_last_sign() -> None:
    hashed = hash_password("x" * 100 + "a")
    assert password_matches(hashed, "x" * 100 + "a")
    assert not password_matches(hashed, "x" * 100 + "b")


def test_it_salts_every_hash() -> None:
    assert hash_password("the same password") != hash_password("the same password")


@pytest.mark.parametrize("stored", [None, "", "not a hash", "$argon2id$v=19$broken"])
def test_it_lets_nobody_in_without_a_hash(stored: str | None) -> None:
    assert not password_matches(stored, "nobody has this password")


def test_it_does_the_same_work_for_an_unknown_person(monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[str] = []

    class Counting:
        def verify(self, stored: str, _password: str) -> bool:
            verified.append(stored)
            return True

        def hash(self, _password: str) -> str:
            return "dummy"

    monkeypatch.setattr(passwords, "_HASHER", Counting())
    monkeypatch.setattr(passwords, "_dummy_hash", [])
    assert not password_matches(None, "guess")
    assert password_matches("stored", "guess")
    assert verified == ["dummy", "stored"]


def test_it_hashes_nothing_beyond_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refusing:
        def verify(self, *_arguments: Any) -> bool:
            raise AssertionError

    monkeypatch.setattr(passwords, "_HASHER", Refusing())
    assert not password_matches("stored", "ü" * (MOST_BYTES // 2) + "x")


@pytest.mark.parametrize(
    ("password", "words"),
    [
        ("x1y2z3a4b5", f"The password needs at least {SHORTEST} characters."),
        ("", f"The password needs at least {SHORTEST} characters."),
        ("abcd" * 40, f"The password can have at most {LONGEST} characters."),
        ("PasswordPassword", "This password is too easy to guess. Choose another one."),
        ("aaaaaaaaaaaaaaaa", "This password is too easy to guess. Choose another one."),
        ("abababababab", "This password is too easy to guess. Choose another one."),
        ("Anna.Bergmann", "This password is too easy to guess. Choose another one."),
    ],
)
def test_it_says_what_is_wrong_with_a_new_password(password: str, words: str) -> None:
    problem = problem_with(password, "anna.bergmann")
    assert problem is not None
    assert render(problem, "en") == words


@pytest.mark.parametrize("password", ["correct horse", "ünïcödé wörds 12", "x" * 100 + "abc", "            abcd"])
def test_it_takes_any_long_password(password: str) -> None:
    assert problem_with(password, "anna") is None
