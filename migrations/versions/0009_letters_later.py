"""A letter at which the program was killed is read again later; its faults are counted apart."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("letter") as letter:
        letter.add_column(sa.Column("faults", sa.Integer(), nullable=False, server_default="0"))
        letter.add_column(sa.Column("again_at", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("letter") as letter:
        letter.drop_column("again_at")
        letter.drop_column("faults")
