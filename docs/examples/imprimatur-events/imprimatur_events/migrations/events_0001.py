"""Events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.content.columns import SortingKey

revision = "events_0001"
down_revision = None
branch_labels = ("events",)
depends_on = "0002"


def _number(name: str, kind: type[sa.types.TypeEngine[int]] = sa.Integer) -> sa.Column[int]:
    return sa.Column(name, kind(), nullable=False)


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("uid", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        _number("pid", sa.BigInteger),
        _number("created_at", sa.BigInteger),
        _number("changed_at", sa.BigInteger),
        _number("rev"),
        sa.Column("import_key", sa.String(400), nullable=False),
        sa.Column("import_hash", sa.String(64), nullable=False),
        sa.Column("sorting", SortingKey, nullable=False),
        sa.Column("deleted", sa.Boolean(), nullable=False),
        _number("workspace_id"),
        _number("live_uid", sa.BigInteger),
        _number("version_state"),
        _number("version_stage"),
        _number("version_base"),
        _number("language_id"),
        _number("translation_parent", sa.BigInteger),
        _number("translation_source", sa.BigInteger),
        sa.Column("hidden", sa.Boolean(), nullable=False),
        _number("starttime", sa.BigInteger),
        _number("endtime", sa.BigInteger),
        sa.Column("title", sa.String(200), nullable=False),
        sa.Column("place", sa.String(200), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        _number("begins_at", sa.BigInteger),
        sa.PrimaryKeyConstraint("uid", name=op.f("pk_events")),
        sqlite_strict=True,
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_pid", "events", ["pid"])
    _create_partial("ix_events_import_key", ["import_key"], "import_key <> ''")
    _create_partial("uq_events_version", ["live_uid", "workspace_id"], "live_uid > 0", unique=True)
    _create_partial("ix_events_translation", ["translation_parent", "language_id"], "translation_parent > 0")


def _create_partial(name: str, columns: list[str], condition: str, *, unique: bool = False) -> None:
    where = sa.text(condition)
    op.create_index(name, "events", columns, unique=unique, sqlite_where=where, postgresql_where=where)


def downgrade() -> None:
    op.drop_table("events")
