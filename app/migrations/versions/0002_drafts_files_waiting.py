"""What drafts were made from, sizes of pictures, folders, waiting for a provider, notices, changes of configurations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VERSIONED = ("pages", "content_elements", "file_metadata", "file_references", "contacts")


def _number(name: str, kind: type[sa.types.TypeEngine[int]] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), nullable=False, server_default="0")


def upgrade() -> None:
    for table in VERSIONED:
        op.add_column(table, _number("version_base"))
    op.add_column("files", _number("width"))
    op.add_column("files", _number("height"))
    op.add_column("run", _number("resume_at", sa.BigInteger))
    op.add_column("run", sa.Column("retry_of", sa.String(length=36), nullable=True))
    op.add_column("sign_in_session", _number("confirmed_at", sa.BigInteger))
    op.add_column("configuration", sa.Column("approval_days", sa.Integer(), nullable=True))
    op.add_column("configuration", _number("branch_page", sa.BigInteger))
    op.add_column(
        "configuration",
        sa.Column("requires_read_before_write", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "file_folder",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("storage_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_folder")),
        sqlite_strict=True,
    )
    op.create_index("ix_file_folder_storage_id_path", "file_folder", ["storage_id", "path"], unique=True)
    op.create_index(
        "ix_record_history_published",
        "record_history",
        ["table_name", "uid"],
        sqlite_where=sa.text("action = 'published'"),
        postgresql_where=sa.text("action = 'published'"),
    )
    op.create_index("ix_file_references_file_uid", "file_references", ["file_uid"])
    op.create_table(
        "operator_notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("subject", sa.String(length=120), nullable=False),
        sa.Column("code", sa.String(length=80), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_operator_notice")),
        sqlite_strict=True,
    )
    op.create_index("ix_operator_notice_kind_subject", "operator_notice", ["kind", "subject"], unique=True)
    op.create_index("ix_run_finished_at", "run", ["finished_at"])
    op.create_table(
        "configuration_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("changes", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configuration_change")),
        sqlite_strict=True,
    )
    op.create_index("ix_configuration_change_configuration_id", "configuration_change", ["configuration_id", "id"])
    _create_limits()
    _create_reading()


def _create_reading() -> None:
    op.add_column("message", sa.Column("reported", sa.Text(), nullable=False, server_default=""))
    op.create_table(
        "conversation_reader_change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("is_given", sa.Boolean(), nullable=False),
        sa.Column("by_user_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"],
            ["conversation.id"],
            name=op.f("fk_conversation_reader_change_conversation_id_conversation"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation_reader_change")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_conversation_reader_change_conversation_id", "conversation_reader_change", ["conversation_id", "id"]
    )


def _drop_reading() -> None:
    op.drop_index("ix_conversation_reader_change_conversation_id", table_name="conversation_reader_change")
    op.drop_table("conversation_reader_change")
    op.drop_column("message", "reported")


def _create_limits() -> None:
    op.add_column("configuration", _number("budget_requests_day"))
    op.add_column("configuration", _number("budget_tokens_day", sa.BigInteger))
    op.add_column("configuration", _number("budget_cost_day", sa.BigInteger))
    op.add_column("governance_event", sa.Column("detail", sa.String(length=200), nullable=False, server_default=""))
    op.create_table(
        "usage",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.BigInteger(), nullable=False),
        sa.Column("completion_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_micro", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", "day", "configuration_id", "model", name=op.f("pk_usage")),
        sqlite_strict=True,
    )
    op.create_index("ix_usage_configuration_id_day", "usage", ["configuration_id", "day"])
    op.create_table(
        "halt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("by_user_id", sa.Integer(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_halt")),
        sqlite_strict=True,
    )


def _drop_limits() -> None:
    op.drop_table("halt")
    op.drop_index("ix_usage_configuration_id_day", table_name="usage")
    op.drop_table("usage")
    op.drop_column("governance_event", "detail")
    op.drop_column("configuration", "budget_cost_day")
    op.drop_column("configuration", "budget_tokens_day")
    op.drop_column("configuration", "budget_requests_day")


def downgrade() -> None:
    _drop_reading()
    _drop_limits()
    op.drop_index("ix_configuration_change_configuration_id", table_name="configuration_change")
    op.drop_table("configuration_change")
    op.drop_index("ix_run_finished_at", table_name="run")
    op.drop_index("ix_operator_notice_kind_subject", table_name="operator_notice")
    op.drop_table("operator_notice")
    op.drop_index("ix_record_history_published", table_name="record_history")
    op.drop_index("ix_file_references_file_uid", table_name="file_references")
    op.drop_index("ix_file_folder_storage_id_path", table_name="file_folder")
    op.drop_table("file_folder")
    op.drop_column("configuration", "requires_read_before_write")
    op.drop_column("configuration", "branch_page")
    op.drop_column("configuration", "approval_days")
    op.drop_column("sign_in_session", "confirmed_at")
    op.drop_column("run", "retry_of")
    op.drop_column("run", "resume_at")
    op.drop_column("files", "height")
    op.drop_column("files", "width")
    for table in reversed(VERSIONED):
        op.drop_column(table, "version_base")
