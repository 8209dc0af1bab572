"""What surrounds single matches: results of ended ones (club, section 15)."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("result", sa.Text()))
        match.add_column(sa.Column("ended_at", sa.Text()))


def downgrade() -> None:
    with op.batch_alter_table("match") as match:
        match.drop_column("ended_at")
        match.drop_column("result")
