"""Texts of reliability.md B45 to B56 in titles and bodies: kept exactly, or refused, alike on both databases (I31)."""

from __future__ import annotations

import pytest

from app.content.errors import WriteRefused
from app.content.search import search_records
from app.content.titles import title_of
from tests.content.writer.fixtures import ADMIN, DRAFT, LIVE, Store

KEPT = {
    "B45 right-to-left override": "rechnung\u202efdp.exe",
    "B45 isolates": "a\u2066b\u2069c",
    "B46 zero width": "pay\u200bpal\u2060 \ufeff\u00ad",
    "B46 tags": "Flag \U000e0041\U000e0042",
    "B46 variation selectors": "a\ufe0fb\ufe00",
    "B47 line separators": "one\u2028two\u2029three",
    "B48 combining marks": "e" + "\u0301" * 200,
    "B49 family": "x" * 78 + "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "B50 nothing breaks": "W" * 255,
    "B52 composed": "Caf\u00e9",
    "B52 decomposed": "Cafe\u0301",
    "B52 dotted I": "\u0130stanbul Stra\u00dfe",
    "B54 template": "{{7*7}} %s %(x)s ${x} __proto__",
    "B54 formula": "=cmd|'/C calc'!A0",
    "B54 at, plus, minus": "@SUM(1) +1 -1",
    "B55 a phrase of the interface": "3 weitere Datensätze sind nicht aufgeführt",
    "B56 an address": "Anna https://evil.example/x",
    "markup": "<script>alert(1)</script> & \"quotes\" 'single'",
    "beyond the basic plane": "\U0001f3db\ufe0f \U00020000",
}
REFUSED = {
    "B47 next line": ("a\u0085b", "forbidden_character"),
    "B47 form feed": ("a\u000cb", "forbidden_character"),
    "B50 too long": ("W" * 10_000, "too_long"),
    "B51 empty": ("", "required"),
    "B51 spaces": ("   ", "required"),
    "B51 no-break spaces": ("\u00a0\u2007", "required"),
    "B51 an empty letter": ("\u3164", "required"),
    "B51 nothing but marks": ("\u200b\u202e", "required"),
    "B53 NUL": ("a\x00b", "forbidden_character"),
    "B61 half a character": ("a\ud800", "forbidden_character"),
}


@pytest.mark.parametrize("words", KEPT.values(), ids=KEPT.keys())
def test_it_keeps_every_character_of_a_title(any_store: Store, words: str) -> None:
    any_store.do(lambda batch: batch.update("pages", 14, {"title": words}), LIVE)
    any_store.do(lambda batch: batch.update("pages", 14, {"subtitle": words}), DRAFT)
    live, draft = any_store.rows("pages", uid=14)[0], any_store.rows("pages", live_uid=14)[0]
    assert live["title"].encode() == words.encode()
    assert draft["subtitle"].encode() == draft["title"].encode() == words.encode()
    assert any_store.history()[0]["changes"]
    with any_store.engine.connect() as connection:
        found = search_records(connection, ADMIN, LIVE, words, table="pages").records
    assert 14 in [record.uid for record in found], "what was written is found by what was typed"
    assert title_of("pages", live), "it shows something in lists"


@pytest.mark.parametrize(("words", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_it_refuses_what_a_title_cannot_hold(any_store: Store, words: str, reason: str) -> None:
    before = any_store.hash_of_live()
    with pytest.raises(WriteRefused) as refused:
        any_store.do(lambda batch: batch.update("pages", 14, {"title": words}))
    assert refused.value.reason == reason
    assert any_store.hash_of_live() == before
    assert not any_store.history()


def test_twins_are_compared_as_typed_and_found_alike(any_store: Store) -> None:
    any_store.do(lambda batch: batch.update("pages", 14, {"title": "Café Straße"}))
    changes = any_store.do(lambda batch: batch.update("pages", 14, {"title": "Cafe\u0301 Straße"}))
    assert len(changes.changes) == 1, "another spelling is another text"
    with any_store.engine.connect() as connection:
        for words in ("café strasse", "CAFÉ STRASSE", "cafe\u0301 stra"):
            found = search_records(connection, ADMIN, LIVE, words, table="pages").records
            assert [record.uid for record in found] == [14], words
