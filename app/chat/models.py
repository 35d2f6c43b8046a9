"""Tables of conversations. A message is one row, so a poll that brings something new reads only what is new (P4)."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

STRICT = {"sqlite_strict": True}


class Conversation(db.Model):  # type: ignore[name-defined, misc]
    """A conversation of one person with the assistant."""

    __tablename__ = "conversation"
    __table_args__ = (Index("ix_conversation_owner_id_archived", "owner_id", "archived", "touched_at"), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    owner_id: Mapped[int] = mapped_column(Integer)
    configuration_id: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(String(255), default="")
    status: Mapped[str] = mapped_column(String(20), default="idle")
    """``idle``, ``working``, ``awaiting_approval``, ``awaiting_input`` or ``failed``."""
    error: Mapped[str] = mapped_column(String(40), default="")
    """Reason code of a failed run, worded when shown."""
    run_uuid: Mapped[str | None] = mapped_column(String(36), default=None)
    """The newest run."""
    version: Mapped[int] = mapped_column(Integer, default=1)
    """Raised in every transaction that changes what the page shows; the poll compares it (P1)."""
    changes_version: Mapped[int] = mapped_column(Integer, default=0)
    """Raised when the list of changes may differ; 0 = nothing to list (CH-24)."""
    last_seq: Mapped[int] = mapped_column(Integer, default=0)
    run_record: Mapped[str] = mapped_column(Text, default="[]")
    """The newest 200 entries (RR-01 to RR-06), canonical JSON."""
    run_record_dropped: Mapped[bool] = mapped_column(Boolean, default=False)
    """Whether entries fell off (CH-15)."""
    archived: Mapped[bool] = mapped_column(Boolean, default=False)
    pinned: Mapped[bool] = mapped_column(Boolean, default=False)
    deleted: Mapped[bool] = mapped_column(Boolean, default=False)
    created_at: Mapped[int] = mapped_column(BigInteger)
    touched_at: Mapped[int] = mapped_column(BigInteger)
    """Last message; renaming or pinning does not move it."""
    status_since: Mapped[int] = mapped_column(BigInteger, default=0)


class Message(db.Model):  # type: ignore[name-defined, misc]
    """One entry of the history: a message, or the place of a card."""

    __tablename__ = "message"
    __table_args__ = (Index("ix_message_card", "run_uuid", "turn", "revision"), STRICT)

    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversation.id"), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    role: Mapped[str] = mapped_column(String(12))
    """``user``, ``assistant`` or ``card``."""
    body: Mapped[str] = mapped_column(Text, default="")
    language: Mapped[str] = mapped_column(String(20), default="")
    """Language of the text when it is known."""
    run_uuid: Mapped[str | None] = mapped_column(String(36), default=None)
    turn: Mapped[int] = mapped_column(Integer, default=0)
    revision: Mapped[int] = mapped_column(Integer, default=0)
    at: Mapped[int] = mapped_column(BigInteger)
    reported: Mapped[str] = mapped_column(Text, default="")
    """What the events of the run said about changes when it ended with this answer; empty = nothing is said."""


class MessageToken(db.Model):  # type: ignore[name-defined, misc]
    """Idempotency keys of sent messages: the same token again is the same message (I26)."""

    __tablename__ = "message_token"
    __table_args__ = (STRICT,)

    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversation.id"), primary_key=True)
    token: Mapped[str] = mapped_column(String(80), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer)


class Reader(db.Model):  # type: ignore[name-defined, misc]
    """Somebody besides the owner who may read a conversation: a person or a group."""

    __tablename__ = "conversation_reader"
    __table_args__ = (Index("ix_conversation_reader_user_id", "user_id"), STRICT)

    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversation.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(Integer, primary_key=True, default=0)
    group_id: Mapped[int] = mapped_column(Integer, primary_key=True, default=0)
    added_at: Mapped[int] = mapped_column(BigInteger)


class ReaderChange(db.Model):  # type: ignore[name-defined, misc]
    """Read access that was given or taken back: never changed, never removed."""

    __tablename__ = "conversation_reader_change"
    __table_args__ = (Index("ix_conversation_reader_change_conversation_id", "conversation_id", "id"), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversation.id"))
    user_id: Mapped[int] = mapped_column(Integer, default=0)
    group_id: Mapped[int] = mapped_column(Integer, default=0)
    name: Mapped[str] = mapped_column(String(255))
    """As the person or group was called then."""
    is_given: Mapped[bool] = mapped_column(Boolean)
    by_user_id: Mapped[int] = mapped_column(Integer, default=0)
    """0 = the command line."""
    at: Mapped[int] = mapped_column(BigInteger)


class Draft(db.Model):  # type: ignore[name-defined, misc]
    """Text a person has typed and not sent; survives sign-in."""

    __tablename__ = "message_draft"
    __table_args__ = (STRICT,)

    conversation_id: Mapped[int] = mapped_column(ForeignKey("conversation.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(Integer, primary_key=True)
    body: Mapped[str] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)
