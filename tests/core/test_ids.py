from __future__ import annotations

import uuid

from app.core.ids import new_token, new_uuid, token_hash


def test_it_makes_random_identifiers() -> None:
    made = {new_uuid() for _ in range(100)}
    assert len(made) == 100
    assert {uuid.UUID(value).version for value in made} == {4}


def test_it_makes_tokens_nobody_can_guess() -> None:
    made = {new_token() for _ in range(100)}
    assert len(made) == 100
    assert min(len(token) for token in made) >= 43  # 256 bits in base 64


def test_it_stores_tokens_as_a_hash_only() -> None:
    token = new_token()
    assert token_hash(token) == token_hash(token)
    assert len(token_hash(token)) == 64
    assert token not in token_hash(token)
