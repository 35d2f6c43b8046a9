"""The digest of a card: one function for the card that is served and for every check of it (RT-04).

It is an HMAC under a random key of that card, so it says nothing about records its reader may not see (D7).
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence

from app.agent.types import Call, Preview
from app.core import canonical

_FORM = 1
"""Raised when the canonical form changes: a card of an older form then no longer matches and is offered again (I34)."""


def new_turn_key() -> str:
    """A fresh key for one revision of a card: 256 random bits as hex."""
    return secrets.token_hex(32)


def turn_digest(key: str, calls: Sequence[Call], previews: Sequence[Preview]) -> str:
    """HMAC-SHA256 as hex over the calls on a card, their previews and their refused tags.

    A call without a preview is not on this card (an earlier revision carried it out) and does not count. The
    arguments enter as the stored canonical text, never parsed again (rehearsal.md rule 5).
    """
    shown = {preview.ordinal: preview for preview in previews}
    steps = [_step(call, shown[call.ordinal]) for call in sorted(calls, key=_ordinal) if call.ordinal in shown]
    words = canonical.dumps({"form": _FORM, "steps": steps, "previews": len(shown)})
    return hmac.new(bytes.fromhex(key), words.encode(), hashlib.sha256).hexdigest()


def is_same_digest(given: str, expected: str) -> bool:
    """Compare in constant time; whatever is not the hex text of a digest is different."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def _ordinal(call: Call) -> int:
    return call.ordinal


def _step(call: Call, preview: Preview) -> list[object]:
    return [
        call.run_uuid,
        call.turn,
        call.ordinal,
        call.tool,
        call.kept_text,
        preview.kind.value,
        preview.refused_rule,
        preview.refused_reason,
        preview.effect_hash,
        preview.workspace_id,
        preview.language_id,
    ]
