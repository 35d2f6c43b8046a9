"""Encryption at rest and the keys of an installation."""

from __future__ import annotations

import base64
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.crypto import Cipher, Keys, Unreadable, load_keys

KEYS = Keys(secret_key="s", state_keys=(("k1", b"1" * 32), ("k2", b"2" * 32)), current="k2")


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_it_opens_what_it_sealed(plain: str) -> None:
    cipher = Cipher(KEYS)
    assert cipher.open(cipher.seal(plain, "run/1"), "run/1") == plain


def test_it_does_not_show_what_it_sealed() -> None:
    cipher = Cipher(KEYS)
    first, second = cipher.seal("a secret", "run/1"), cipher.seal("a secret", "run/1")
    assert first != second, "a nonce used twice would show equal texts"
    assert "secret" not in first
    assert b"secret" not in base64.b64decode(first.split(".")[2])


def test_it_opens_nothing_for_another_purpose() -> None:
    cipher = Cipher(KEYS)
    with pytest.raises(Unreadable):
        cipher.open(cipher.seal("a", "run/1"), "run/2")


def test_it_notices_every_changed_byte() -> None:
    cipher = Cipher(KEYS)
    version, name, body = cipher.seal("abc", "run/1").split(".")
    raw = base64.b64decode(body)
    for place in range(len(raw)):
        changed = raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]
        with pytest.raises(Unreadable):
            cipher.open(f"{version}.{name}.{base64.b64encode(changed).decode()}", "run/1")


@pytest.mark.parametrize(
    "words",
    [
        "",
        "abc",
        "v1.k2",
        "v1.k2.",
        "v1.k2.%%%",
        "v1.k2.AAAA",
        "v1.k9.AAAAAAAAAAAAAAAAAAAAAAAA",
        "v2.k2.AAAA",
        "..",
        "v1.k2.ü",
    ],
)
def test_it_calls_anything_else_unreadable(words: str) -> None:
    with pytest.raises(Unreadable):
        Cipher(KEYS).open(words, "run/1")


def test_it_refuses_an_unknown_version_of_the_form() -> None:
    cipher = Cipher(KEYS)
    sealed = cipher.seal("a", "run/1")
    with pytest.raises(Unreadable):
        cipher.open("v2" + sealed.removeprefix("v1"), "run/1")


def test_it_opens_values_of_earlier_keys() -> None:
    earlier = Cipher(Keys(secret_key="s", state_keys=KEYS.state_keys, current="k1")).seal("a", "run/1")
    assert earlier.startswith("v1.k1.")
    assert Cipher(KEYS).open(earlier, "run/1") == "a"
    assert Cipher(KEYS).seal("a", "run/1").startswith("v1.k2.")


def test_it_makes_the_keys_once_for_the_owner_only(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    keys = load_keys(folder)
    assert stat.S_IMODE((folder / "keys").stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert load_keys(folder) == keys
    assert len(keys.secret_key) >= 40
    assert [len(key) for _name, key in keys.state_keys] == [32]


def test_it_makes_other_keys_for_another_installation(tmp_path: Path) -> None:
    first, second = load_keys(tmp_path / "a"), load_keys(tmp_path / "b")
    assert first.secret_key != second.secret_key
    assert first.state_keys != second.state_keys


def test_it_takes_the_keys_of_the_process_that_was_faster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    winner = load_keys(tmp_path)
    answers = iter([False])
    monkeypatch.setattr(Path, "exists", lambda _path: next(answers, True))
    assert load_keys(tmp_path) == winner


def test_it_shows_no_key_in_logs() -> None:
    assert repr(KEYS) == "Keys(current='k2')"
