"""Keep what players wish of their letters."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_WISHES = {"board": "table", "page": "attached", "receipts": "full", "reports": "few"}


def upgrade() -> None:
    with op.batch_alter_table("player") as player:
        for name, default in _WISHES.items():
            player.add_column(sa.Column(name, sa.Text(), nullable=False, server_default=default))


def downgrade() -> None:
    with op.batch_alter_table("player") as player:
        for name in _WISHES:
            player.drop_column(name)
