"""The transcript of a run: messages exactly as the model saw and wrote them, append-only and encrypted (RT-16)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Table, bindparam, func, insert, select
from sqlalchemy.engine import Connection

from app.agent.llm.base import Message, decode_message, encode_message
from app.agent.models import RunMessage
from app.core import canonical
from app.core.crypto import Cipher, Unreadable

MAX_BYTES = 64 * 1024 * 1024
"""Bound of one stored message when it is read back; what is written is bounded long before."""

_messages: Table = RunMessage.__table__
_OF_RUN = _messages.c.run_uuid == bindparam("uuid", type_=_messages.c.run_uuid.type)
# Built once: every step of a run asks them, and building costs more than asking (perf.md A1).
_ADD = insert(_messages)
_LAST_NUMBER = select(func.max(_messages.c.seq)).where(_OF_RUN)
_IN_ORDER = select(_messages.c.seq, _messages.c.body_sealed).where(_OF_RUN).order_by(_messages.c.seq)
_NEWEST = select(_messages.c.seq, _messages.c.body_sealed).where(_OF_RUN).order_by(_messages.c.seq.desc()).limit(1)


def storable(words: str) -> str:
    """``words`` without NUL and with lone surrogates replaced: what both databases and a page can hold (finding 6)."""
    return words.replace("\x00", "").encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def append_messages(connection: Connection, cipher: Cipher, run_uuid: str, messages: Sequence[Message]) -> None:
    """Add ``messages`` in order. The caller holds the run (fence or row lock), so nobody else takes the same numbers."""
    if not messages:
        return
    last = connection.execute(_LAST_NUMBER, {"uuid": run_uuid}).scalar()
    first = 0 if last is None else last + 1
    rows = [
        {
            "run_uuid": run_uuid,
            "seq": seq,
            "body_sealed": cipher.seal(canonical.dumps(encode_message(message)), message_purpose(run_uuid, seq)),
        }
        for seq, message in enumerate(messages, start=first)
    ]
    connection.execute(_ADD, rows)


def load_messages(connection: Connection, cipher: Cipher, run_uuid: str) -> tuple[Message, ...]:
    """The transcript in order. Raises ``core.crypto.Unreadable`` when one message cannot be opened or understood."""
    rows = connection.execute(_IN_ORDER, {"uuid": run_uuid}).all()
    return tuple(_read(cipher, run_uuid, seq, sealed) for seq, sealed in rows)


def last_message(connection: Connection, cipher: Cipher, run_uuid: str) -> Message | None:
    """The newest message. Raises ``core.crypto.Unreadable``."""
    row = connection.execute(_NEWEST, {"uuid": run_uuid}).first()
    return None if row is None else _read(cipher, run_uuid, row.seq, row.body_sealed)


def _read(cipher: Cipher, run_uuid: str, seq: int, sealed: str) -> Message:
    try:
        return decode_message(
            canonical.parse_object(cipher.open(sealed, message_purpose(run_uuid, seq)), max_bytes=MAX_BYTES)
        )
    except ValueError as error:
        raise Unreadable from error


def message_purpose(run_uuid: str, seq: int) -> str:
    """What a stored message is authenticated with: its run and its place."""
    return f"run_message/{run_uuid}/{seq}"
