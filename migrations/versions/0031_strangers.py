"""Let the club write to people who are no members, if the game master allows each (club, 6.2)."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _letters_to_strangers()
    _results()


def downgrade() -> None:
    _drop_results()
    _drop_letters_to_strangers()


def _letters_to_strangers() -> None:
    """Keep to which addresses the club wrote by itself, as digests, and which of them said no."""
    op.create_table(
        "written_to",
        sa.Column("mark", sa.Text(), nullable=False),
        sa.Column("written_at", sa.Text(), nullable=False),
        sa.Column("refused_at", sa.Text()),
        sa.PrimaryKeyConstraint("mark", name=op.f("pk_written_to")),
        sqlite_strict=True,
    )
    op.add_column("guest", sa.Column("mark", sa.Text()))


def _drop_letters_to_strangers() -> None:
    op.drop_column("guest", "mark")
    op.drop_table("written_to")


def _results() -> None:
    """Forget after which match results are to be filled in: `db upgrade` does it (club, 15)."""
    op.drop_column("club", "unfilled_since")


def _drop_results() -> None:
    op.add_column("club", sa.Column("unfilled_since", sa.Integer()))
