"""Note of a restore, after which players may know of plies that the database does not."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("club") as club:
        club.add_column(sa.Column("saved_at", sa.Text(), nullable=True))
        club.add_column(sa.Column("restored_at", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("club") as club:
        club.drop_column("restored_at")
        club.drop_column("saved_at")
