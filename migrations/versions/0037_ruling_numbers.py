"""Keep the number of a ruling that its match's log has, so that a later way of counting changes no
line that is there."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("ruling", sa.Column("number", sa.Integer(), nullable=False, server_default="0"))
    # So far all rulings of a match were counted together, as they were made.
    op.execute(
        "UPDATE ruling SET number = (SELECT count(*) FROM ruling AS earlier"
        " WHERE earlier.match_id = ruling.match_id AND earlier.id <= ruling.id)"
    )


def downgrade() -> None:
    op.drop_column("ruling", "number")
