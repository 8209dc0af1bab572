"""Keep what a seat's holder writes down for himself: marks on pieces, and notes."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "jotting",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer()),
        sa.Column("place", sa.Text()),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name="fk_jotting_match_id_seat",
        ),
        sqlite_strict=True,
    )
    op.create_index("ix_jotting_match_id", "jotting", ["match_id"])


def downgrade() -> None:
    op.drop_table("jotting")
