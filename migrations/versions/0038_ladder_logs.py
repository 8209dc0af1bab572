"""Keep a log of each ladder, line by line (club, 8.5)."""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ladder_log",
        sa.Column("ladder_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ladder_id"], ["ladder.id"], name=op.f("fk_ladder_log_ladder_id_ladder")
        ),
        sa.PrimaryKeyConstraint("ladder_id", "n", name=op.f("pk_ladder_log")),
        sqlite_strict=True,
    )
    op.add_column("rung", sa.Column("entry", sa.Integer()))
    op.add_column("challenge", sa.Column("number", sa.Integer()))


def downgrade() -> None:
    op.drop_column("challenge", "number")
    op.drop_column("rung", "entry")
    op.drop_table("ladder_log")
