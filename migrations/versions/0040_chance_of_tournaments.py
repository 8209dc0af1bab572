"""Let a public number decide the lots of a tournament with its seed (rules of tournaments, 7.4)."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name, default in (("chance", "seed"), ("public_value", "")):
        column = sa.Column(name, sa.Text(), nullable=False, server_default=default)
        op.add_column("tournament", column)


def downgrade() -> None:
    op.drop_column("tournament", "public_value")
    op.drop_column("tournament", "chance")
