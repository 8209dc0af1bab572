"""Players whose messages are not passed on."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("muted_at", sa.Text()))


def downgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.drop_column("muted_at")
