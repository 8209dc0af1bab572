"""Matches whose reports and emails were moved into a file, or deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("archived_at", sa.Text()))


def downgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.drop_column("archived_at")
