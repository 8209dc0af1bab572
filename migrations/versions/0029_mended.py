"""Mend what was found in 0.2.28: what the club knows of a clock in doubt (letters, 7.4)."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _doubt()


def downgrade() -> None:
    _drop_doubt()


def _doubt() -> None:
    """Keep since when the clock is in doubt, what it leapt over, and when it was last right."""
    with op.batch_alter_table("clock") as clock:
        clock.add_column(sa.Column("right_at", sa.Text()))
        clock.add_column(sa.Column("doubted_at", sa.Text()))
        clock.add_column(sa.Column("leap", sa.Integer()))


def _drop_doubt() -> None:
    with op.batch_alter_table("clock") as clock:
        for column in ("leap", "doubted_at", "right_at"):
            clock.drop_column(column)
