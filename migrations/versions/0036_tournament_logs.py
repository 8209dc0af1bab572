"""Keep a log of each new tournament, line by line (rules of tournaments, 7.9)."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tournament_log",
        sa.Column("tournament_id", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("head", sa.Text(), nullable=False),
        sa.Column("epoch", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournament.id"],
            name=op.f("fk_tournament_log_tournament_id_tournament"),
        ),
        sa.PrimaryKeyConstraint("tournament_id", "n", name=op.f("pk_tournament_log")),
        sqlite_strict=True,
    )
    op.add_column("entry", sa.Column("serial", sa.Integer()))


def downgrade() -> None:
    op.drop_column("entry", "serial")
    op.drop_table("tournament_log")
