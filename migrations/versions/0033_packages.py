"""Keep with which package's game a match is played."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("match", sa.Column("package", sa.Text(), server_default="", nullable=False))


def downgrade() -> None:
    op.drop_column("match", "package")
