"""Keep what players wish of their letters, and no bytes that nobody will send again."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_WISHES = {"board": "table", "page": "attached", "receipts": "full", "reports": "few"}


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        for name, default in _WISHES.items():
            player.add_column(sa.Column(name, sa.Text(), nullable=False, server_default=default))
    op.execute("UPDATE outbox SET raw = NULL WHERE status = 'sent'")
    op.drop_index("ix_outbox_sent_at", table_name="outbox")
    kept = sa.text("length(raw) > 0")
    op.create_index(
        "ix_letter_received_at",
        "letter",
        ["received_at"],
        sqlite_where=kept,
        postgresql_where=kept,
    )


def downgrade() -> None:
    op.drop_index("ix_letter_received_at", table_name="letter")
    kept = sa.text("raw IS NOT NULL")
    op.create_index(
        "ix_outbox_sent_at", "outbox", ["sent_at"], sqlite_where=kept, postgresql_where=kept
    )
    with op.batch_alter_table("player") as player:
        for name in _WISHES:
            player.drop_column(name)
