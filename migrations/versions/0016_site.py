"""Note of when the club's pages are, for letters that lead to them."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("club") as club:
        club.add_column(sa.Column("site_at", sa.Text(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("club") as club:
        club.drop_column("site_at")
