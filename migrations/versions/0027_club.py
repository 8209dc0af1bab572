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
    # Results of matches that ended before (15): ticks fill them in, from the first match on.
    with op.batch_alter_table("club") as club:
        club.add_column(sa.Column("unfilled_since", sa.Integer()))
    op.execute(
        "UPDATE club SET unfilled_since = 0"
        " WHERE EXISTS (SELECT 1 FROM match WHERE status = 'over')"
    )
    # The last ply when a player's tenure ended: a loss is rated by who held a seat longer.
    with op.batch_alter_table("tenure") as tenure:
        tenure.add_column(sa.Column("ply", sa.Integer()))


def downgrade() -> None:
    with op.batch_alter_table("tenure") as tenure:
        tenure.drop_column("ply")
    with op.batch_alter_table("club") as club:
        club.drop_column("unfilled_since")
    with op.batch_alter_table("match") as match:
        match.drop_column("ended_at")
        match.drop_column("result")
