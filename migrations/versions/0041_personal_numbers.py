"""Keep the numbers of emails to players and to no seat, which their values have."""

import sqlalchemy as sa
from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "personal_number",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("sent", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"], ["player.id"], name=op.f("fk_personal_number_player_id_player")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_personal_number")),
        sa.UniqueConstraint("player_id", "n", name=op.f("uq_personal_number_player_id_n")),
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_personal_number_outbox_id"), "personal_number", ["outbox_id"])


def downgrade() -> None:
    op.drop_table("personal_number")
