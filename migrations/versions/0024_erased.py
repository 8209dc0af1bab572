"""Players whose data was erased."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("erased_at", sa.Text()))


def downgrade() -> None:
    with op.batch_alter_table("player") as player:
        player.drop_column("erased_at")
