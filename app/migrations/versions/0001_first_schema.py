"""The first schema: people, content, runs, conversations.

Events of runs and the record history can only be added to: triggers refuse to change or remove a row (I9).
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

APPEND_ONLY = ("run_event", "record_history")


def upgrade() -> None:
    _create_tables()
    op.execute("INSERT INTO content_clock (id, n) VALUES (1, 0)")
    for table in APPEND_ONLY:
        _forbid_changes(table)


def _forbid_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{action.lower()} BEFORE {action} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_append_only()"
    )


def downgrade() -> None:
    _drop_tables()
    if op.get_bind().dialect.name != "sqlite":
        for table in APPEND_ONLY:
            op.execute(f"DROP FUNCTION {table}_append_only()")


def _create_tables() -> None:
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=200), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
        sqlite_strict=True,
    )
    op.create_index("ix_attempt_kind_subject_at", "attempt", ["kind", "subject", "at"], unique=False)
    op.create_table(
        "configuration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("model", sa.String(length=120), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("tool_groups", sa.Text(), nullable=False),
        sa.Column("excluded_tools", sa.Text(), nullable=False),
        sa.Column("allowed_groups", sa.Text(), nullable=False),
        sa.Column("requires_second_approver", sa.Boolean(), nullable=False),
        sa.Column("requires_draft_workspace", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configuration")),
        sa.UniqueConstraint("name", name=op.f("uq_configuration_name")),
        sqlite_strict=True,
    )
    op.create_table(
        "contacts",
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("role", sa.String(length=200), nullable=False),
        sa.Column("phone", sa.String(length=60), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column(
            "sorting",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("version_state", sa.Integer(), nullable=False),
        sa.Column("version_stage", sa.Integer(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_contacts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_contacts_import_key",
        "contacts",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_contacts_pid", "contacts", ["pid"], unique=False)
    op.create_index(
        "uq_contacts_version",
        "contacts",
        ["live_uid", "workspace_id"],
        unique=True,
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.create_table(
        "content_clock",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_content_clock")),
        sqlite_strict=True,
    )
    op.create_table(
        "content_elements",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("header", sa.String(length=255), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column(
            "sorting",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("version_state", sa.Integer(), nullable=False),
        sa.Column("version_stage", sa.Integer(), nullable=False),
        sa.Column("language_id", sa.Integer(), nullable=False),
        sa.Column("translation_parent", sa.BigInteger(), nullable=False),
        sa.Column("translation_source", sa.BigInteger(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("starttime", sa.BigInteger(), nullable=False),
        sa.Column("endtime", sa.BigInteger(), nullable=False),
        sa.Column("groups", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_content_elements")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_content_elements_import_key",
        "content_elements",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_content_elements_pid", "content_elements", ["pid"], unique=False)
    op.create_index(
        "ix_content_elements_translation",
        "content_elements",
        ["translation_parent", "language_id"],
        unique=False,
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.create_index(
        "uq_content_elements_version",
        "content_elements",
        ["live_uid", "workspace_id"],
        unique=True,
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.create_table(
        "conversation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("status", sa.String(length=20), nullable=False),
        sa.Column("error", sa.String(length=40), nullable=False),
        sa.Column("run_uuid", sa.String(length=36), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changes_version", sa.Integer(), nullable=False),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("run_record", sa.Text(), nullable=False),
        sa.Column("run_record_dropped", sa.Boolean(), nullable=False),
        sa.Column("archived", sa.Boolean(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("touched_at", sa.BigInteger(), nullable=False),
        sa.Column("status_since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_conversation")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_conversation_owner_id_archived", "conversation", ["owner_id", "archived", "touched_at"], unique=False
    )
    op.create_table(
        "file_metadata",
        sa.Column("file_uid", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("alternative", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("version_state", sa.Integer(), nullable=False),
        sa.Column("version_stage", sa.Integer(), nullable=False),
        sa.Column("language_id", sa.Integer(), nullable=False),
        sa.Column("translation_parent", sa.BigInteger(), nullable=False),
        sa.Column("translation_source", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_file_metadata")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_file_metadata_file_uid", "file_metadata", ["file_uid"], unique=False)
    op.create_index(
        "ix_file_metadata_import_key",
        "file_metadata",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_file_metadata_pid", "file_metadata", ["pid"], unique=False)
    op.create_index(
        "ix_file_metadata_translation",
        "file_metadata",
        ["translation_parent", "language_id"],
        unique=False,
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.create_index(
        "uq_file_metadata_version",
        "file_metadata",
        ["live_uid", "workspace_id"],
        unique=True,
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.create_table(
        "file_references",
        sa.Column("file_uid", sa.BigInteger(), nullable=False),
        sa.Column("owner_table", sa.String(length=60), nullable=False),
        sa.Column("owner_uid", sa.BigInteger(), nullable=False),
        sa.Column("owner_field", sa.String(length=60), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("alternative", sa.Text(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column(
            "sorting",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("version_state", sa.Integer(), nullable=False),
        sa.Column("version_stage", sa.Integer(), nullable=False),
        sa.Column("language_id", sa.Integer(), nullable=False),
        sa.Column("translation_parent", sa.BigInteger(), nullable=False),
        sa.Column("translation_source", sa.BigInteger(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_file_references")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_file_references_import_key",
        "file_references",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_file_references_owner", "file_references", ["owner_table", "owner_uid"], unique=False)
    op.create_index("ix_file_references_pid", "file_references", ["pid"], unique=False)
    op.create_index(
        "ix_file_references_translation",
        "file_references",
        ["translation_parent", "language_id"],
        unique=False,
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.create_index(
        "uq_file_references_version",
        "file_references",
        ["live_uid", "workspace_id"],
        unique=True,
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.create_table(
        "file_storage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.Column("folder", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_file_storage")),
        sqlite_strict=True,
    )
    op.create_table(
        "files",
        sa.Column("storage_id", sa.Integer(), nullable=False),
        sa.Column("path", sa.String(length=500), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("mime", sa.String(length=120), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("missing", sa.Boolean(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_files")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_files_import_key",
        "files",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_files_pid", "files", ["pid"], unique=False)
    op.create_index("ix_files_storage_id_path", "files", ["storage_id", "path"], unique=True)
    op.create_table(
        "governance_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("decision", sa.String(length=30), nullable=False),
        sa.Column("reason", sa.String(length=64), nullable=False),
        sa.Column("rule", sa.String(length=64), nullable=False),
        sa.Column("tool", sa.String(length=120), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_governance_event")),
        sqlite_strict=True,
    )
    op.create_index("ix_governance_event_at", "governance_event", ["at"], unique=False)
    op.create_index("ix_governance_event_run_uuid", "governance_event", ["run_uuid"], unique=False)
    op.create_table(
        "one_time_link",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("purpose", sa.String(length=20), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_one_time_link")),
        sqlite_strict=True,
    )
    op.create_table(
        "pages",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("title", sa.String(length=255), nullable=False),
        sa.Column("nav_title", sa.String(length=255), nullable=False),
        sa.Column("subtitle", sa.String(length=255), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("keywords", sa.Text(), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("owner_bits", sa.Integer(), nullable=False),
        sa.Column("group_bits", sa.Integer(), nullable=False),
        sa.Column("everybody_bits", sa.Integer(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column(
            "sorting",
            sa.String(length=120).with_variant(sa.String(length=120, collation="C"), "postgresql"),
            nullable=False,
        ),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("version_state", sa.Integer(), nullable=False),
        sa.Column("version_stage", sa.Integer(), nullable=False),
        sa.Column("language_id", sa.Integer(), nullable=False),
        sa.Column("translation_parent", sa.BigInteger(), nullable=False),
        sa.Column("translation_source", sa.BigInteger(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("starttime", sa.BigInteger(), nullable=False),
        sa.Column("endtime", sa.BigInteger(), nullable=False),
        sa.Column("groups", sa.String(length=200), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_pages")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_pages_import_key",
        "pages",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_pages_pid", "pages", ["pid"], unique=False)
    op.create_index(
        "ix_pages_translation",
        "pages",
        ["translation_parent", "language_id"],
        unique=False,
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.create_index(
        "uq_pages_version",
        "pages",
        ["live_uid", "workspace_id"],
        unique=True,
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.create_table(
        "record_history",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("table_name", sa.String(length=60), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("live_uid", sa.BigInteger(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=12), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("origin", sa.String(length=10), nullable=False),
        sa.Column("correlation", sa.String(length=80), nullable=False),
        sa.Column("changes", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record_history")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_record_history_correlation", "record_history", ["correlation"], unique=False)
    op.create_index(
        "ix_record_history_table_name_live_uid", "record_history", ["table_name", "live_uid", "id"], unique=False
    )
    op.create_table(
        "redirects",
        sa.Column("source", sa.String(length=500), nullable=False),
        sa.Column("target_page", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        sa.Column("starttime", sa.BigInteger(), nullable=False),
        sa.Column("endtime", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_redirects")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_redirects_import_key",
        "redirects",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_redirects_pid", "redirects", ["pid"], unique=False)
    op.create_index("ix_redirects_source", "redirects", ["source"], unique=False)
    op.create_table(
        "run",
        sa.Column("uuid", sa.String(length=36), nullable=False),
        sa.Column("subject", sa.String(length=60), nullable=False),
        sa.Column("owner_id", sa.Integer(), nullable=False),
        sa.Column("configuration_id", sa.Integer(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=True),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("status", sa.String(length=24), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=False),
        sa.Column("error", sa.String(length=80), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_token", sa.String(length=64), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("heartbeat", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("cancel_at", sa.BigInteger(), nullable=True),
        sa.Column("cancelled_by", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("hooks_pending", sa.String(length=20), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("uuid", name=op.f("pk_run")),
        sqlite_strict=True,
    )
    op.create_index("ix_run_owner_id_status", "run", ["owner_id", "status"], unique=False)
    op.create_index("ix_run_status_lease_until", "run", ["status", "lease_until"], unique=False)
    op.create_index("ix_run_subject", "run", ["subject"], unique=False)
    op.create_table(
        "site_language",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("code", sa.String(length=20), nullable=False),
        sa.Column("title", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_site_language")),
        sa.UniqueConstraint("code", name=op.f("uq_site_language_code")),
        sqlite_strict=True,
    )
    op.create_table(
        "site_settings",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("import_key", sa.String(length=400), nullable=False),
        sa.Column("import_hash", sa.String(length=64), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_site_settings")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_site_settings_import_key",
        "site_settings",
        ["import_key"],
        unique=False,
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.create_index("ix_site_settings_pid", "site_settings", ["pid"], unique=False)
    op.create_table(
        "user",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("username", sa.String(length=120), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("is_admin", sa.Boolean(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("starttime", sa.BigInteger(), nullable=False),
        sa.Column("endtime", sa.BigInteger(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("timezone", sa.String(length=64), nullable=False),
        sa.Column("theme", sa.String(length=10), nullable=False),
        sa.Column("enter_sends", sa.Boolean(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("uses_group_page_mounts", sa.Boolean(), nullable=False),
        sa.Column("uses_group_file_mounts", sa.Boolean(), nullable=False),
        sa.Column("page_mounts", sa.Text(), nullable=False),
        sa.Column("file_mounts", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user")),
        sa.UniqueConstraint("username", name=op.f("uq_user_username")),
        sqlite_strict=True,
    )
    op.create_table(
        "user_group",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("grants", sa.Text(), nullable=False),
        sa.Column("tables_select", sa.Text(), nullable=False),
        sa.Column("tables_modify", sa.Text(), nullable=False),
        sa.Column("field_grants", sa.Text(), nullable=False),
        sa.Column("languages", sa.Text(), nullable=False),
        sa.Column("page_mounts", sa.Text(), nullable=False),
        sa.Column("file_mounts", sa.Text(), nullable=False),
        sa.Column("file_permissions", sa.Text(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_user_group")),
        sa.UniqueConstraint("title", name=op.f("uq_user_group_title")),
        sqlite_strict=True,
    )
    op.create_table(
        "workspace",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(length=200), nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        sa.Column("page_mounts", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace")),
        sqlite_strict=True,
    )
    op.create_table(
        "approval_decision",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("approved", sa.Boolean(), nullable=False),
        sa.Column("decided_by", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("token", sa.String(length=80), nullable=False),
        sa.Column("reason_sealed", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_approval_decision_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "turn", "revision", name=op.f("pk_approval_decision")),
        sqlite_strict=True,
    )
    op.create_table(
        "call_outcome",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("code", sa.String(length=80), nullable=False),
        sa.Column("content_sealed", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_call_outcome_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "turn", "ordinal", name=op.f("pk_call_outcome")),
        sqlite_strict=True,
    )
    op.create_table(
        "conversation_reader",
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_conversation_reader_conversation_id_conversation")
        ),
        sa.PrimaryKeyConstraint("conversation_id", "user_id", "group_id", name=op.f("pk_conversation_reader")),
        sqlite_strict=True,
    )
    op.create_index("ix_conversation_reader_user_id", "conversation_reader", ["user_id"], unique=False)
    op.create_table(
        "message",
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=12), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("run_uuid", sa.String(length=36), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_message_conversation_id_conversation")
        ),
        sa.PrimaryKeyConstraint("conversation_id", "seq", name=op.f("pk_message")),
        sqlite_strict=True,
    )
    op.create_index("ix_message_card", "message", ["run_uuid", "turn", "revision"], unique=False)
    op.create_table(
        "message_draft",
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_message_draft_conversation_id_conversation")
        ),
        sa.PrimaryKeyConstraint("conversation_id", "user_id", name=op.f("pk_message_draft")),
        sqlite_strict=True,
    )
    op.create_table(
        "message_token",
        sa.Column("conversation_id", sa.Integer(), nullable=False),
        sa.Column("token", sa.String(length=80), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["conversation_id"], ["conversation.id"], name=op.f("fk_message_token_conversation_id_conversation")
        ),
        sa.PrimaryKeyConstraint("conversation_id", "token", name=op.f("pk_message_token")),
        sqlite_strict=True,
    )
    op.create_table(
        "run_event",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_run_event_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "seq", name=op.f("pk_run_event")),
        sqlite_strict=True,
    )
    op.create_index("ix_run_event_run_uuid_kind", "run_event", ["run_uuid", "kind", "seq"], unique=False)
    op.create_table(
        "run_message",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body_sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_run_message_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "seq", name=op.f("pk_run_message")),
        sqlite_strict=True,
    )
    op.create_table(
        "sign_in_session",
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("user_agent", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_sign_in_session_user_id_user")),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sign_in_session")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_sign_in_session_user_id"), "sign_in_session", ["user_id"], unique=False)
    op.create_table(
        "tool_call",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("provider_id", sa.String(length=200), nullable=False),
        sa.Column("tool", sa.String(length=120), nullable=False),
        sa.Column("arguments_sealed", sa.Text(), nullable=False),
        sa.Column("arguments_valid", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_tool_call_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "turn", "ordinal", name=op.f("pk_tool_call")),
        sqlite_strict=True,
    )
    op.create_table(
        "turn",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("cause", sa.String(length=20), nullable=False),
        sa.Column("digest_key_sealed", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_uuid"], ["run.uuid"], name=op.f("fk_turn_run_uuid_run")),
        sa.PrimaryKeyConstraint("run_uuid", "ordinal", "revision", name=op.f("pk_turn")),
        sqlite_strict=True,
    )
    op.create_table(
        "user_group_inclusion",
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("subgroup_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["user_group.id"], name=op.f("fk_user_group_inclusion_group_id_user_group")
        ),
        sa.ForeignKeyConstraint(
            ["subgroup_id"], ["user_group.id"], name=op.f("fk_user_group_inclusion_subgroup_id_user_group")
        ),
        sa.PrimaryKeyConstraint("group_id", "subgroup_id", name=op.f("pk_user_group_inclusion")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_user_group_inclusion_subgroup_id"), "user_group_inclusion", ["subgroup_id"], unique=False)
    op.create_table(
        "user_group_member",
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["group_id"], ["user_group.id"], name=op.f("fk_user_group_member_group_id_user_group")),
        sa.ForeignKeyConstraint(["user_id"], ["user.id"], name=op.f("fk_user_group_member_user_id_user")),
        sa.PrimaryKeyConstraint("user_id", "group_id", name=op.f("pk_user_group_member")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_user_group_member_group_id"), "user_group_member", ["group_id"], unique=False)
    op.create_table(
        "workspace_member",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("workspace_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("group_id", sa.Integer(), nullable=False),
        sa.Column("is_owner", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["workspace_id"], ["workspace.id"], name=op.f("fk_workspace_member_workspace_id_workspace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workspace_member")),
        sa.UniqueConstraint(
            "workspace_id", "user_id", "group_id", name=op.f("uq_workspace_member_workspace_id_user_id_group_id")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_workspace_member_user_id", "workspace_member", ["user_id"], unique=False)
    op.create_table(
        "call_preview",
        sa.Column("run_uuid", sa.String(length=36), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("refused_rule", sa.String(length=64), nullable=False),
        sa.Column("refused_reason", sa.String(length=64), nullable=False),
        sa.Column("effect_hash", sa.String(length=64), nullable=False),
        sa.Column("preview_sealed", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_uuid", "turn", "revision"],
            ["turn.run_uuid", "turn.ordinal", "turn.revision"],
            name=op.f("fk_call_preview_run_uuid_turn"),
        ),
        sa.PrimaryKeyConstraint("run_uuid", "turn", "revision", "ordinal", name=op.f("pk_call_preview")),
        sqlite_strict=True,
    )


def _drop_tables() -> None:
    op.drop_table("call_preview")
    op.drop_index("ix_workspace_member_user_id", table_name="workspace_member")
    op.drop_table("workspace_member")
    op.drop_index(op.f("ix_user_group_member_group_id"), table_name="user_group_member")
    op.drop_table("user_group_member")
    op.drop_index(op.f("ix_user_group_inclusion_subgroup_id"), table_name="user_group_inclusion")
    op.drop_table("user_group_inclusion")
    op.drop_table("turn")
    op.drop_table("tool_call")
    op.drop_index(op.f("ix_sign_in_session_user_id"), table_name="sign_in_session")
    op.drop_table("sign_in_session")
    op.drop_table("run_message")
    op.drop_index("ix_run_event_run_uuid_kind", table_name="run_event")
    op.drop_table("run_event")
    op.drop_table("message_token")
    op.drop_table("message_draft")
    op.drop_index("ix_message_card", table_name="message")
    op.drop_table("message")
    op.drop_index("ix_conversation_reader_user_id", table_name="conversation_reader")
    op.drop_table("conversation_reader")
    op.drop_table("call_outcome")
    op.drop_table("approval_decision")
    op.drop_table("workspace")
    op.drop_table("user_group")
    op.drop_table("user")
    op.drop_index("ix_site_settings_pid", table_name="site_settings")
    op.drop_index(
        "ix_site_settings_import_key",
        table_name="site_settings",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("site_settings")
    op.drop_table("site_language")
    op.drop_index("ix_run_subject", table_name="run")
    op.drop_index("ix_run_status_lease_until", table_name="run")
    op.drop_index("ix_run_owner_id_status", table_name="run")
    op.drop_table("run")
    op.drop_index("ix_redirects_source", table_name="redirects")
    op.drop_index("ix_redirects_pid", table_name="redirects")
    op.drop_index(
        "ix_redirects_import_key",
        table_name="redirects",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("redirects")
    op.drop_index("ix_record_history_table_name_live_uid", table_name="record_history")
    op.drop_index("ix_record_history_correlation", table_name="record_history")
    op.drop_table("record_history")
    op.drop_index(
        "uq_pages_version",
        table_name="pages",
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.drop_index(
        "ix_pages_translation",
        table_name="pages",
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.drop_index("ix_pages_pid", table_name="pages")
    op.drop_index(
        "ix_pages_import_key",
        table_name="pages",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("pages")
    op.drop_table("one_time_link")
    op.drop_index("ix_governance_event_run_uuid", table_name="governance_event")
    op.drop_index("ix_governance_event_at", table_name="governance_event")
    op.drop_table("governance_event")
    op.drop_index("ix_files_storage_id_path", table_name="files")
    op.drop_index("ix_files_pid", table_name="files")
    op.drop_index(
        "ix_files_import_key",
        table_name="files",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("files")
    op.drop_table("file_storage")
    op.drop_index(
        "uq_file_references_version",
        table_name="file_references",
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.drop_index(
        "ix_file_references_translation",
        table_name="file_references",
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.drop_index("ix_file_references_pid", table_name="file_references")
    op.drop_index("ix_file_references_owner", table_name="file_references")
    op.drop_index(
        "ix_file_references_import_key",
        table_name="file_references",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("file_references")
    op.drop_index(
        "uq_file_metadata_version",
        table_name="file_metadata",
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.drop_index(
        "ix_file_metadata_translation",
        table_name="file_metadata",
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.drop_index("ix_file_metadata_pid", table_name="file_metadata")
    op.drop_index(
        "ix_file_metadata_import_key",
        table_name="file_metadata",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_index("ix_file_metadata_file_uid", table_name="file_metadata")
    op.drop_table("file_metadata")
    op.drop_index("ix_conversation_owner_id_archived", table_name="conversation")
    op.drop_table("conversation")
    op.drop_index(
        "uq_content_elements_version",
        table_name="content_elements",
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.drop_index(
        "ix_content_elements_translation",
        table_name="content_elements",
        sqlite_where=sa.text("translation_parent > 0"),
        postgresql_where=sa.text("translation_parent > 0"),
    )
    op.drop_index("ix_content_elements_pid", table_name="content_elements")
    op.drop_index(
        "ix_content_elements_import_key",
        table_name="content_elements",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("content_elements")
    op.drop_table("content_clock")
    op.drop_index(
        "uq_contacts_version",
        table_name="contacts",
        sqlite_where=sa.text("live_uid > 0"),
        postgresql_where=sa.text("live_uid > 0"),
    )
    op.drop_index("ix_contacts_pid", table_name="contacts")
    op.drop_index(
        "ix_contacts_import_key",
        table_name="contacts",
        sqlite_where=sa.text("import_key <> ''"),
        postgresql_where=sa.text("import_key <> ''"),
    )
    op.drop_table("contacts")
    op.drop_table("configuration")
    op.drop_index("ix_attempt_kind_subject_at", table_name="attempt")
    op.drop_table("attempt")
