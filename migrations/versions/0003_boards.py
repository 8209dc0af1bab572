"""A board of the game master's own, and deadlines that a seat missed in a row."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("board", sa.Text(), nullable=False, server_default=""))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("silent", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("silent")
    with op.batch_alter_table("match") as match:
        match.drop_column("board")
