"""The site knows by a count in a match, and in a player, that its pages must be made anew."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("match", "player"):
        with op.batch_alter_table(table) as batch:
            batch.add_column(sa.Column("changes", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    for table in ("match", "player"):
        with op.batch_alter_table(table) as batch:
            batch.drop_column("changes")
