"""A report's row says from which ply on it tells, so that a newer one may stand for it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("since", sa.Integer(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("since")
