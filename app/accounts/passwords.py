"""Password hashing with argon2id, bounded in memory, and the rules for new passwords (reliability.md section 5)."""

from __future__ import annotations

import secrets
import threading
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from app.core.i18n import Text, ntext, text

SHORTEST: Final = 12
LONGEST: Final = 128
MOST_BYTES: Final = 1024
_HASHER = PasswordHasher(memory_cost=47_104, time_cost=1, parallelism=1)
_AT_ONCE = threading.Semaphore(4)  # 184 MiB at most
_COMMON: Final = frozenset(
    {"passwordpassword", "123456789012", "imprimatur123", "qwertyuiopas", "passwort1234", "administrator"}
)


def hash_password(password: str) -> str:
    """The argon2id hash to store."""
    with _AT_ONCE:
        return _HASHER.hash(password)


def password_matches(stored: str | None, password: str) -> bool:
    """Whether ``password`` is the one behind ``stored``; an unknown person costs the same work (B28)."""
    if len(password.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        return False
    with _AT_ONCE:
        try:
            _HASHER.verify(stored or _dummy(), password)
        except (Argon2Error, InvalidHashError, UnicodeEncodeError):
            return False
    return bool(stored)


def problem_with(password: str, username: str) -> Text | None:
    """What is wrong with a new password, as a sentence; None when it can be taken."""
    if len(password) < SHORTEST:
        return ntext(
            "The password needs at least %(n)s character.", "The password needs at least %(n)s characters.", SHORTEST
        )
    if len(password) > LONGEST:
        return ntext(
            "The password can have at most %(n)s character.", "The password can have at most %(n)s characters.", LONGEST
        )
    folded = password.casefold()
    if folded in _COMMON or folded == username.casefold() or len(set(folded)) < 4:
        return text("This password is too easy to guess. Choose another one.")
    return None


_dummy_hash: list[str] = []


def _dummy() -> str:
    if not _dummy_hash:
        _dummy_hash.append(_HASHER.hash(secrets.token_urlsafe(32)))
    return _dummy_hash[0]
