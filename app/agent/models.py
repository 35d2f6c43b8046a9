"""Tables of the runtime. The run row is the truth; dispatch only wakes workers up (design section 6).

Nothing here grows with the length of a run except append-only rows. Columns named ``*_sealed`` are encrypted (RT-16).
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, ForeignKey, ForeignKeyConstraint, Index, Integer, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from app.core.db import db

STRICT = {"sqlite_strict": True}


class Configuration(db.Model):  # type: ignore[name-defined, misc]
    """What an administrator sets for a kind of assignment."""

    __tablename__ = "configuration"
    __table_args__ = (STRICT,)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    """What people see and commands name."""
    model: Mapped[str] = mapped_column(String(120), default="builtin")
    prompt: Mapped[str] = mapped_column(Text, default="")
    tool_groups: Mapped[str] = mapped_column(Text, default="[]")
    """Groups of tools offered; an empty list = no restriction."""
    excluded_tools: Mapped[str] = mapped_column(Text, default="[]")
    allowed_groups: Mapped[str] = mapped_column(Text, default="[]")
    """Ids of groups of people who may use it; an empty list = everybody with the grant."""
    requires_second_approver: Mapped[bool] = mapped_column(Boolean, default=False)
    requires_draft_workspace: Mapped[bool] = mapped_column(Boolean, default=False)
    branch_page: Mapped[int] = mapped_column(BigInteger, default=0)
    """Writes are restricted to this page and what lies below it; 0 = no restriction."""
    requires_read_before_write: Mapped[bool] = mapped_column(Boolean, default=False)
    approval_days: Mapped[int | None] = mapped_column(Integer, default=None)
    """Days a card of it waits before it expires, 0 = for ever; None = as the setting of the installation says."""
    budget_requests_day: Mapped[int] = mapped_column(Integer, default=0)
    """Requests to the model on one day (UTC) by everybody who uses it; 0 = no limit (RT-17)."""
    budget_tokens_day: Mapped[int] = mapped_column(BigInteger, default=0)
    """Tokens read and written on one day; 0 = no limit."""
    budget_cost_day: Mapped[int] = mapped_column(BigInteger, default=0)
    """Cost of one day in hundredths of the currency of the prices; 0 = no limit."""
    active: Mapped[bool] = mapped_column(Boolean, default=True)
    created_at: Mapped[int] = mapped_column(BigInteger)


class ConfigurationChange(db.Model):  # type: ignore[name-defined, misc]
    """One change of a configuration: when, by whom, and each changed setting before and after. Append-only."""

    __tablename__ = "configuration_change"
    __table_args__ = (Index("ix_configuration_change_configuration_id", "configuration_id", "id"), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    configuration_id: Mapped[int] = mapped_column(Integer)
    at: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[int] = mapped_column(Integer, default=0)
    """Who changed it; 0 = a command or the set-up of the installation."""
    changes: Mapped[str] = mapped_column(Text)
    """Canonical JSON: setting -> [before, after]; before is null in the entry of the creation."""


class Run(db.Model):  # type: ignore[name-defined, misc]
    """One run: from a message to an answer, over as many pauses as it needs."""

    __tablename__ = "run"
    __table_args__ = (
        Index("ix_run_status_lease_until", "status", "lease_until"),
        Index("ix_run_subject", "subject"),
        Index("ix_run_owner_id_status", "owner_id", "status"),
        Index("ix_run_finished_at", "finished_at"),
        STRICT,
    )

    uuid: Mapped[str] = mapped_column(String(36), primary_key=True)
    subject: Mapped[str] = mapped_column(String(60), default="")
    """What the run belongs to, in the words of the layer above (``conversation:7``); opaque here."""
    owner_id: Mapped[int] = mapped_column(Integer)
    configuration_id: Mapped[int] = mapped_column(Integer)
    workspace_id: Mapped[int | None] = mapped_column(Integer)
    """The workspace the owner stood in at the start; None = an older run that recorded nothing."""
    language: Mapped[str] = mapped_column(String(20))
    """Language of the owner's interface at the start."""
    status: Mapped[str] = mapped_column(String(24))
    reason: Mapped[str] = mapped_column(String(40), default="")
    """Why it ended; empty while it lives."""
    error: Mapped[str] = mapped_column(String(80), default="")
    """Code or class name of a failure, never a message (RT-15)."""
    fence: Mapped[int] = mapped_column(Integer, default=0)
    lease_token: Mapped[str | None] = mapped_column(String(64), default=None)
    lease_until: Mapped[int] = mapped_column(BigInteger, default=0)
    heartbeat: Mapped[int] = mapped_column(Integer, default=0)
    attempts: Mapped[int] = mapped_column(Integer, default=0)
    cancel_at: Mapped[int | None] = mapped_column(BigInteger, default=None)
    cancelled_by: Mapped[int] = mapped_column(Integer, default=0)
    resume_at: Mapped[int] = mapped_column(BigInteger, default=0)
    """When a run that waits for its provider goes on, in seconds; 0 = it does not wait (F26)."""
    retry_of: Mapped[str | None] = mapped_column(String(36), default=None)
    """The failed run this one tries again; None = it is the first for its message (F27)."""
    turn: Mapped[int] = mapped_column(Integer, default=0)
    """Ordinal of the newest turn; 0 before the first."""
    revision: Mapped[int] = mapped_column(Integer, default=0)
    """Revision of the newest turn's card; 0 = that turn needs no card."""
    rounds: Mapped[int] = mapped_column(Integer, default=0)
    prompt_tokens: Mapped[int] = mapped_column(Integer, default=0)
    completion_tokens: Mapped[int] = mapped_column(Integer, default=0)
    hooks_pending: Mapped[str] = mapped_column(String(20), default="")
    """``turn/call`` whose after-commit hooks have not run yet; a crash before them is told from it (D7)."""
    created_at: Mapped[int] = mapped_column(BigInteger)
    started_at: Mapped[int | None] = mapped_column(BigInteger, default=None)
    changed_at: Mapped[int] = mapped_column(BigInteger)
    finished_at: Mapped[int | None] = mapped_column(BigInteger, default=None)


class RunMessage(db.Model):  # type: ignore[name-defined, misc]
    """One message of the transcript, exactly as the model saw or wrote it. Append-only, encrypted."""

    __tablename__ = "run_message"
    __table_args__ = (STRICT,)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    body_sealed: Mapped[str] = mapped_column(Text)


class ToolCall(db.Model):  # type: ignore[name-defined, misc]
    """One call of a turn. Identity is (run, turn, ordinal); the provider's id is a label (F31)."""

    __tablename__ = "tool_call"
    __table_args__ = (STRICT,)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    ordinal: Mapped[int] = mapped_column(Integer, primary_key=True)
    provider_id: Mapped[str] = mapped_column(String(200))
    tool: Mapped[str] = mapped_column(String(120))
    arguments_sealed: Mapped[str] = mapped_column(Text)
    """Canonical JSON text of the arguments; when they could not be parsed, of ``{"invalid": reason}``."""
    arguments_valid: Mapped[bool] = mapped_column(Boolean, default=True)


class Turn(db.Model):  # type: ignore[name-defined, misc]
    """A card: one revision of a turn that waits for a decision. Immutable once decided or superseded."""

    __tablename__ = "turn"
    __table_args__ = (STRICT,)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    ordinal: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    state: Mapped[str] = mapped_column(String(12))
    """``waiting``, ``approved``, ``declined``, ``expired``, ``superseded`` or ``cancelled``."""
    cause: Mapped[str] = mapped_column(String(20), default="")
    """Why a revision after the first exists: ``target_changed``, ``effect_differs`` or ``stopped``."""
    digest_key_sealed: Mapped[str] = mapped_column(Text)
    digest: Mapped[str] = mapped_column(String(64))
    created_at: Mapped[int] = mapped_column(BigInteger)


class CallPreview(db.Model):  # type: ignore[name-defined, misc]
    """What one revision of a card says of one call: the bounded rehearsal and its hash (D19)."""

    __tablename__ = "call_preview"
    __table_args__ = (
        ForeignKeyConstraint(["run_uuid", "turn", "revision"], ["turn.run_uuid", "turn.ordinal", "turn.revision"]),
        STRICT,
    )

    run_uuid: Mapped[str] = mapped_column(String(36), primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    ordinal: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(10))
    """``shown``, ``failed``, ``refused``, ``remote`` or ``read``."""
    refused_rule: Mapped[str] = mapped_column(String(64), default="")
    """Set = the call is tagged refused and will not be carried out."""
    refused_reason: Mapped[str] = mapped_column(String(64), default="")
    effect_hash: Mapped[str] = mapped_column(String(64), default="")
    preview_sealed: Mapped[str] = mapped_column(Text)


class ApprovalDecision(db.Model):  # type: ignore[name-defined, misc]
    """The recorded yes or no to one revision of a turn: at most one (I4)."""

    __tablename__ = "approval_decision"
    __table_args__ = (STRICT,)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(Integer, primary_key=True)
    approved: Mapped[bool] = mapped_column(Boolean)
    decided_by: Mapped[int] = mapped_column(Integer)
    digest: Mapped[str] = mapped_column(String(64))
    token: Mapped[str] = mapped_column(String(80), default="")
    """Idempotency key of the form: the same press again is the same decision."""
    reason_sealed: Mapped[str] = mapped_column(Text, default="")
    decided_at: Mapped[int] = mapped_column(BigInteger)


class CallOutcome(db.Model):  # type: ignore[name-defined, misc]
    """How a call ended; written once, in the transaction of its write (I4, RT-11)."""

    __tablename__ = "call_outcome"
    __table_args__ = (STRICT,)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    turn: Mapped[int] = mapped_column(Integer, primary_key=True)
    ordinal: Mapped[int] = mapped_column(Integer, primary_key=True)
    state: Mapped[str] = mapped_column(String(20))
    """See ``types.CallState``."""
    code: Mapped[str] = mapped_column(String(80), default="")
    content_sealed: Mapped[str] = mapped_column(Text)
    """The result as the model reads it."""
    at: Mapped[int] = mapped_column(BigInteger)


class RunEvent(db.Model):  # type: ignore[name-defined, misc]
    """What happened in a run, in order, without gaps; never changed or removed alone (I9)."""

    __tablename__ = "run_event"
    __table_args__ = (Index("ix_run_event_run_uuid_kind", "run_uuid", "kind", "seq"), STRICT)

    run_uuid: Mapped[str] = mapped_column(ForeignKey("run.uuid"), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(20))
    version: Mapped[int] = mapped_column(Integer, default=1)
    payload: Mapped[str] = mapped_column(Text)
    at: Mapped[int] = mapped_column(BigInteger)


class GovernanceEvent(db.Model):  # type: ignore[name-defined, misc]
    """A refusal for auditors: rule and reason code, never arguments, results or explanations (DW-08)."""

    __tablename__ = "governance_event"
    __table_args__ = (Index("ix_governance_event_at", "at"), Index("ix_governance_event_run_uuid", "run_uuid"), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    run_uuid: Mapped[str] = mapped_column(String(36))
    decision: Mapped[str] = mapped_column(String(30))
    reason: Mapped[str] = mapped_column(String(64))
    rule: Mapped[str] = mapped_column(String(64), default="")
    tool: Mapped[str] = mapped_column(String(120), default="")
    configuration_id: Mapped[int] = mapped_column(Integer, default=0)
    user_id: Mapped[int] = mapped_column(Integer, default=0)
    detail: Mapped[str] = mapped_column(String(200), default="")
    """What a person said about their own act; never arguments or content."""
    at: Mapped[int] = mapped_column(BigInteger)


class Usage(db.Model):  # type: ignore[name-defined, misc]
    """What one person used of one model in one configuration on one day; written with the answer it counts (RT-17)."""

    __tablename__ = "usage"
    __table_args__ = (Index("ix_usage_configuration_id_day", "configuration_id", "day"), STRICT)

    user_id: Mapped[int] = mapped_column(Integer, primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True)
    """The day in UTC, as in ``2026-12-01``."""
    configuration_id: Mapped[int] = mapped_column(Integer, primary_key=True)
    model: Mapped[str] = mapped_column(String(120), primary_key=True)
    requests: Mapped[int] = mapped_column(Integer, default=0)
    prompt_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    completion_tokens: Mapped[int] = mapped_column(BigInteger, default=0)
    cost_micro: Mapped[int] = mapped_column(BigInteger, default=0)
    """Millionths of the currency of the prices, with the prices of that moment."""


class Halt(db.Model):  # type: ignore[name-defined, misc]
    """The switch that stops every run: one row while it is on, none while it is off (I7)."""

    __tablename__ = "halt"
    __table_args__ = (STRICT,)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    since: Mapped[int] = mapped_column(BigInteger)
    by_user_id: Mapped[int] = mapped_column(Integer, default=0)
    """Who switched it on; 0 = somebody at the command line."""
    reason: Mapped[str] = mapped_column(String(200))


class OperatorNotice(db.Model):  # type: ignore[name-defined, misc]
    """Something an administrator has to see to (F25); one row per kind and subject, counted, never with a text."""

    __tablename__ = "operator_notice"
    __table_args__ = (Index("ix_operator_notice_kind_subject", "kind", "subject", unique=True), STRICT)

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    kind: Mapped[str] = mapped_column(String(40))
    subject: Mapped[str] = mapped_column(String(120))
    code: Mapped[str] = mapped_column(String(80), default="")
    first_at: Mapped[int] = mapped_column(BigInteger)
    last_at: Mapped[int] = mapped_column(BigInteger)
    times: Mapped[int] = mapped_column(Integer, default=1)
