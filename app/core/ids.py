"""The only source of identifiers and random tokens (fakeable in tests)."""

from __future__ import annotations

import hashlib
import secrets
import uuid


def new_uuid() -> str:
    """A random UUID in its usual text form."""
    return str(uuid.uuid4())


def new_token() -> str:
    """256 random bits as URL-safe text: session ids, one-time links, lease tokens."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What is stored of a token: its SHA-256 as hex, so that a copy of the database opens nothing."""
    return hashlib.sha256(token.encode()).hexdigest()
