"""Chain the log: a key for each new match, a line and a head for each of its plies."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("log_key", sa.LargeBinary(), nullable=True))
    with op.batch_alter_table("turn") as turn:
        turn.add_column(sa.Column("line", sa.Text(), nullable=True))
        turn.add_column(sa.Column("head", sa.Text(), nullable=True))
        turn.add_column(sa.Column("added", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("turn") as turn:
        turn.drop_column("added")
        turn.drop_column("head")
        turn.drop_column("line")
    with op.batch_alter_table("match") as match:
        match.drop_column("log_key")
