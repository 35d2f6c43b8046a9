"""Encryption at rest for what a run keeps while it works (RT-16) and the keys in the data folder.

Every value has its own random nonce; the purpose (column and owner) is authenticated with it, so a value moved to another
place does not open. The text form starts with a version so that a later key or scheme can be told apart.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_VERSION = "v1"
_NONCE = 12


class Unreadable(Exception):
    """The stored value cannot be opened: wrong key, other purpose, or changed."""


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
    """Encrypts and opens texts with the keys of the installation."""

    def __init__(self, keys: Keys) -> None:
        self._ciphers = {name: AESGCM(key) for name, key in keys.state_keys}
        self._current = keys.current

    def seal(self, plain: str, purpose: str) -> str:
        """``plain`` encrypted for ``purpose`` as text."""
        nonce = secrets.token_bytes(_NONCE)
        sealed = self._ciphers[self._current].encrypt(nonce, plain.encode(), purpose.encode())
        return f"{_VERSION}.{self._current}.{base64.b64encode(nonce + sealed).decode()}"

    def open(self, sealed: str, purpose: str) -> str:
        """The plain text of ``sealed``; raises ``Unreadable`` when it is not what was stored for ``purpose``."""
        try:
            version, name, body = sealed.split(".", 2)
            raw = base64.b64decode(body, validate=True)
            if version != _VERSION:
                raise Unreadable
            return self._ciphers[name].decrypt(raw[:_NONCE], raw[_NONCE:], purpose.encode()).decode()
        except (ValueError, KeyError, InvalidTag) as error:
            raise Unreadable from error
