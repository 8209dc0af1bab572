"""Keep by which lots the seats of a match were drawn (club, 6.2)."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("lots", sa.Text()))


def downgrade() -> None:
    op.drop_column("match", "lots")
