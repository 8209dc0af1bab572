"""Whether a player gets tips in reports: in the first matches of each game, always or never."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("tips", sa.Text(), nullable=False, server_default="first"))


def downgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.drop_column("tips")
