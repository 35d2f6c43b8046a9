"""Encryption at rest for what a run keeps while it works (RT-16) and the keys in the data folder.

Every value has its own random nonce; the purpose (column and owner) is authenticated with it, so a value moved to another
place does not open. The text form starts with a version so that a later key or scheme can be told apart.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "v1"
_NONCE = 12


class Unreadable(Exception):
    """The stored value cannot be opened: wrong key, other purpose, or changed."""


class NotKept(Unreadable):
    """There is nothing to open: the value was removed when its time was over."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Keys:
    """The secrets of one installation.

    ``secret_key`` signs cookies; ``state_keys`` encrypt, by id, ``current`` is used for new values.
    """

    secret_key: str
    state_keys: tuple[tuple[str, bytes], ...]
    current: str

    def __repr__(self) -> str:
        return f"Keys(current={self.current!r})"


def load_keys(data_folder: Path) -> Keys:
    """Read ``keys`` of the data folder; a missing file is created once with mode 0600 and kept."""
    path = data_folder / "keys"
    if not path.exists():
        _create(path)
    stored = json.loads(path.read_text())
    return Keys(
        secret_key=stored["secret_key"],
        state_keys=tuple((name, base64.b64decode(value)) for name, value in stored["state_keys"].items()),
        current=stored["current"],
    )


def add_key(data_folder: Path) -> Keys:
    """Make a fresh key the current one; earlier keys stay, so that everything can still be opened."""
    keys = load_keys(data_folder)
    name = f"k{max(int(known[1:]) for known, _ in keys.state_keys) + 1}"
    fresh = (name, AESGCM.generate_key(bit_length=256))
    return _store(data_folder, replace(keys, state_keys=(*keys.state_keys, fresh), current=name))


def drop_earlier_keys(data_folder: Path) -> Keys:
    """Keep the current key only. What an earlier one sealed can never be opened again."""
    keys = load_keys(data_folder)
    kept = tuple((name, key) for name, key in keys.state_keys if name == keys.current)
    return _store(data_folder, replace(keys, state_keys=kept))


def _store(data_folder: Path, keys: Keys) -> Keys:
    """Write the file beside the old one and put it in its place: a crash leaves either, never half of one."""
    path, part = data_folder / "keys", data_folder / "keys.new"
    content = {
        "secret_key": keys.secret_key,
        "state_keys": {name: base64.b64encode(key).decode() for name, key in keys.state_keys},
        "current": keys.current,
    }
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as target:
        json.dump(content, target)
        target.flush()
        os.fsync(target.fileno())
    part.replace(path)
    return keys


def _create(path: Path) -> None:
    content = {
        "secret_key": secrets.token_urlsafe(48),
        "state_keys": {"k1": base64.b64encode(AESGCM.generate_key(bit_length=256)).decode()},
        "current": "k1",
    }
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return  # another process of the same start was faster
    with os.fdopen(handle, "w") as target:
        json.dump(content, target)


class Cipher:
    """Encrypts and opens texts with the keys of the installation.

    ``reload`` gives the keys as they are now: another process may have rotated them since this one began.
    """

    def __init__(self, keys: Keys, *, reload: Callable[[], Keys] | None = None) -> None:
        self._reload = reload
        self._take(keys)

    def _take(self, keys: Keys) -> None:
        self._ciphers = {name: AESGCM(key) for name, key in keys.state_keys}
        self._current = keys.current

    def is_current(self, sealed: str) -> bool:
        """Whether ``sealed`` was encrypted with the key new values get."""
        return sealed.startswith(f"{_VERSION}.{self._current}.")

    def seal(self, plain: str, purpose: str) -> str:
        """``plain`` encrypted for ``purpose`` as text."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._ciphers[self._current].encrypt(nonce, plain.encode(), purpose.encode())
        return f"{_VERSION}.{self._current}.{base64.b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, purpose: str) -> str:
        """The plain text of ``sealed``; raises ``NotKept`` for nothing, ``Unreadable`` for what was not stored for ``purpose``."""
        if not sealed:
            raise NotKept
        try:
            version, name, body = sealed.split(".", 2)
            raw = base64.b64decode(body, validate=True)
            if version != _VERSION:
                raise Unreadable
            return self._cipher(name).decrypt(raw[:_NONCE], raw[_NONCE:], purpose.encode()).decode()
        except (ValueError, KeyError, InvalidTag) as error:
            raise Unreadable from error

    def _cipher(self, name: str) -> AESGCM:
        if name not in self._ciphers and self._reload is not None:
            self._take(self._reload())
        return self._ciphers[name]
