"""Tables of people, groups and their sign-ins."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

STRICT = {"sqlite_strict": True}


class User(db.Model):  # type: ignore[name-defined, misc]
    """A person. Names are compared as typed but unique in their folded form (B30)."""

    __tablename__ = "user"
    __table_args__ = (STRICT,)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    username: Mapped[str] = mapped_column(String(120), unique=True)
    name: Mapped[str] = mapped_column(String(200), default="")
    email: Mapped[str] = mapped_column(String(254), default="")
    password_hash: Mapped[str | None] = mapped_column(String(255), default=None)
    is_admin: Mapped[bool] = mapped_column(Boolean, default=False)
    disabled: Mapped[bool] = mapped_column(Boolean, default=False)
    deleted: Mapped[bool] = mapped_column(Boolean, default=False)
    starttime: Mapped[int] = mapped_column(BigInteger, default=0)
    endtime: Mapped[int] = mapped_column(BigInteger, default=0)
    language: Mapped[str] = mapped_column(String(20), default="en")
    timezone: Mapped[str] = mapped_column(String(64), default="")
    theme: Mapped[str] = mapped_column(String(10), default="system")
    enter_sends: Mapped[bool] = mapped_column(Boolean, default=False)
    workspace_id: Mapped[int] = mapped_column(Integer, default=0)
    """The workspace the person stands in (the switcher)."""
    uses_group_page_mounts: Mapped[bool] = mapped_column(Boolean, default=True)
    uses_group_file_mounts: Mapped[bool] = mapped_column(Boolean, default=True)
    page_mounts: Mapped[str] = mapped_column(Text, default="[]")
    file_mounts: Mapped[str] = mapped_column(Text, default="[]")
    created_at: Mapped[int] = mapped_column(BigInteger)


class Group(db.Model):  # type: ignore[name-defined, misc]
    """A group of people; rights unite over groups. Lists are canonical JSON text."""

    __tablename__ = "user_group"
    __table_args__ = (STRICT,)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    title: Mapped[str] = mapped_column(String(200), unique=True)
    deleted: Mapped[bool] = mapped_column(Boolean, default=False)
    grants: Mapped[str] = mapped_column(Text, default="[]")
    tables_select: Mapped[str] = mapped_column(Text, default="[]")
    tables_modify: Mapped[str] = mapped_column(Text, default="[]")
    field_grants: Mapped[str] = mapped_column(Text, default="[]")
    languages: Mapped[str] = mapped_column(Text, default="[]")
    """Language ids; an empty list adds nothing (cms.md section 5, union trap)."""
    page_mounts: Mapped[str] = mapped_column(Text, default="[]")
    file_mounts: Mapped[str] = mapped_column(Text, default="[]")
    """List of ``{"storage": id, "folder": "/x/", "read_only": bool}``."""
    file_permissions: Mapped[str] = mapped_column(Text, default="[]")
    live: Mapped[bool] = mapped_column(Boolean, default=False)
    """May work in the live workspace."""


class GroupMember(db.Model):  # type: ignore[name-defined, misc]
    """A person in a group; ``position`` orders the main groups."""

    __tablename__ = "user_group_member"
    __table_args__ = (STRICT,)

    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), primary_key=True)
    group_id: Mapped[int] = mapped_column(ForeignKey("user_group.id"), primary_key=True, index=True)
    position: Mapped[int] = mapped_column(Integer, default=0)


class GroupInclusion(db.Model):  # type: ignore[name-defined, misc]
    """``group_id`` includes ``subgroup_id``: its members have the rights of both."""

    __tablename__ = "user_group_inclusion"
    __table_args__ = (STRICT,)

    group_id: Mapped[int] = mapped_column(ForeignKey("user_group.id"), primary_key=True)
    subgroup_id: Mapped[int] = mapped_column(ForeignKey("user_group.id"), primary_key=True, index=True)


class Workspace(db.Model):  # type: ignore[name-defined, misc]
    """A draft workspace. Live is number 0 and has no row."""

    __tablename__ = "workspace"
    __table_args__ = (STRICT,)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    title: Mapped[str] = mapped_column(String(200))
    deleted: Mapped[bool] = mapped_column(Boolean, default=False)
    page_mounts: Mapped[str] = mapped_column(Text, default="[]")
    """Narrows page mounts in this workspace when not empty."""
    created_at: Mapped[int] = mapped_column(BigInteger)


class WorkspaceMember(db.Model):  # type: ignore[name-defined, misc]
    """A person or a group who owns a workspace or works in it."""

    __tablename__ = "workspace_member"
    __table_args__ = (
        UniqueConstraint("workspace_id", "user_id", "group_id"),
        Index("ix_workspace_member_user_id", "user_id"),
        STRICT,
    )

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    workspace_id: Mapped[int] = mapped_column(ForeignKey("workspace.id"))
    user_id: Mapped[int] = mapped_column(Integer, default=0)
    group_id: Mapped[int] = mapped_column(Integer, default=0)
    is_owner: Mapped[bool] = mapped_column(Boolean, default=False)


class SignInSession(db.Model):  # type: ignore[name-defined, misc]
    """A signed-in browser; only the hash of its token is stored."""

    __tablename__ = "sign_in_session"
    __table_args__ = (STRICT,)

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("user.id"), index=True)
    created_at: Mapped[int] = mapped_column(BigInteger)
    seen_at: Mapped[int] = mapped_column(BigInteger)
    confirmed_at: Mapped[int] = mapped_column(BigInteger, default=0)
    """When the person last proved who they are; settings of access want that to be recent."""
    user_agent: Mapped[str] = mapped_column(String(200), default="")


class OneTimeLink(db.Model):  # type: ignore[name-defined, misc]
    """A link that works once: first administrator (no user yet) or setting a password."""

    __tablename__ = "one_time_link"
    __table_args__ = (STRICT,)

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(20))
    user_id: Mapped[int] = mapped_column(Integer, default=0)
    created_at: Mapped[int] = mapped_column(BigInteger)
    expires_at: Mapped[int] = mapped_column(BigInteger)
    used_at: Mapped[int | None] = mapped_column(BigInteger, default=None)


class Attempt(db.Model):  # type: ignore[name-defined, misc]
    """One counted attempt (sign-in, message, decision): limits hold over several processes (reliability.md section 5)."""

    __tablename__ = "attempt"
    __table_args__ = (Index("ix_attempt_kind_subject_at", "kind", "subject", "at"), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    subject: Mapped[str] = mapped_column(String(200))
    at: Mapped[int] = mapped_column(BigInteger)
