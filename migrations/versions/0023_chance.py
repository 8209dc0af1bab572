"""Matches whose chance takes a public number: when their last seat was taken, and the number."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("full_at", sa.Text()))
        match.add_column(sa.Column("public_value", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.drop_column("public_value")
        match.drop_column("full_at")
