"""Tell what a club says after a restore apart from what it had said before: epochs."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_LETTERS = "bcdfghjkmnpqrstvwxz"


def upgrade() -> None:
    with op.batch_alter_table("club") as batch:
        batch.add_column(sa.Column("epoch", sa.Text(), nullable=False, server_default=""))
        batch.add_column(sa.Column("above", sa.Integer(), nullable=False, server_default="0"))
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(5))
    club = sa.table("club", sa.column("epoch", sa.Text()))
    op.execute(club.update().values(epoch=drawn))
    with op.batch_alter_table("seat") as batch:
        batch.add_column(sa.Column("above", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("outbox") as batch:
        batch.add_column(sa.Column("epoch", sa.Text(), nullable=True))
    op.create_table(
        "past_epoch",
        sa.Column("epoch", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("saved_at", sa.Text(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=False),
        sa.Column("told_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("epoch", "match_id", name=op.f("pk_past_epoch")),
        sa.ForeignKeyConstraint(
            ["match_id"], ["match.id"], name=op.f("fk_past_epoch_match_id_match")
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_past_epoch_told_at", "past_epoch", ["told_at"])


def downgrade() -> None:
    op.drop_index("ix_past_epoch_told_at", "past_epoch")
    op.drop_table("past_epoch")
    with op.batch_alter_table("outbox") as batch:
        batch.drop_column("epoch")
    with op.batch_alter_table("seat") as batch:
        batch.drop_column("above")
    with op.batch_alter_table("club") as batch:
        batch.drop_column("above")
        batch.drop_column("epoch")
