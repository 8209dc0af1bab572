"""Fingerprints of a club's keys, so that another key is not taken for its own."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("club", sa.Column("fingerprints", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("club") as batch:
        batch.drop_column("fingerprints")
