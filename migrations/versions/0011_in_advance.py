"""A sheet may be kept for a later turn; what became of it is told in its seat's reports."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("submission") as submission:
        submission.add_column(sa.Column("turn", sa.Integer(), nullable=True))
        submission.add_column(sa.Column("verdict", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("submission") as submission:
        submission.drop_column("verdict")
        submission.drop_column("turn")
