"""Indexes for an outbox that grows for years, and keys that sort by their signs everywhere."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _collate("C")
    op.create_index(op.f("ix_outbox_match_id_seat_ply"), "outbox", ["match_id", "seat", "ply"])
    op.create_index(op.f("ix_outbox_created_at"), "outbox", ["created_at"])
    kept = sa.text("raw IS NOT NULL")
    op.create_index(
        op.f("ix_outbox_sent_at"),
        "outbox",
        ["sent_at"],
        sqlite_where=kept,
        postgresql_where=kept,
    )


def downgrade() -> None:
    for name in ("ix_outbox_sent_at", "ix_outbox_created_at", "ix_outbox_match_id_seat_ply"):
        op.drop_index(op.f(name), table_name="outbox")
    _collate("default")


def _collate(collation: str) -> None:
    """Set the collation on PostgreSQL only; SQLite compares by signs already."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(f'ALTER TABLE outbox ALTER COLUMN key TYPE text COLLATE "{collation}"')
