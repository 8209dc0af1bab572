"""Keep the numbers of emails to a seat's holder, which their values have (emails, section 6)."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "email_number",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("sent", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_email_number_match_id_match")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_email_number")),
        sa.UniqueConstraint(
            "match_id", "seat", "tenure", "n", name=op.f("uq_email_number_match_id_seat_tenure_n")
        ),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_email_number_outbox_id"), "email_number", ["outbox_id"])


def downgrade() -> None:
    op.drop_table("email_number")
