"""Keep of a ruling the acts that it is, beside the sentence that was told."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ruling", sa.Column("acts", sa.Text()))


def downgrade() -> None:
    op.drop_column("ruling", "acts")
