"""Fingerprints of a club's keys, so that another key is not taken for its own, and a count of
letters to seats by addresses that no key of the club has signed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("club", sa.Column("fingerprints", sa.Text(), server_default="", nullable=False))
    op.add_column("club", sa.Column("unsigned", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    with op.batch_alter_table("club") as batch:
        batch.drop_column("unsigned")
        batch.drop_column("fingerprints")
