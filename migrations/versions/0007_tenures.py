"""The tenure and the address for which a letter was written, and what the game master announced."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("tenure", sa.Integer(), nullable=True))
        outbox.add_column(sa.Column("address", sa.Text(), nullable=True))
    _note_tenures()
    with op.batch_alter_table("match") as match:
        match.add_column(sa.Column("hurried_ply", sa.Integer(), nullable=True))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("forfeit_ply", sa.Integer(), nullable=True))
        seat.add_column(sa.Column("forfeit_at", sa.Text(), nullable=True))


def _note_tenures() -> None:
    """Give each letter its tenure: its player's first in its seat that had not ended when it was
    queued.

    A letter that belongs to none has tenure 0, which nobody has.
    """
    integer, text = sa.Integer(), sa.Text()
    outbox = sa.table(
        "outbox",
        sa.column("match_id", integer),
        sa.column("seat", text),
        sa.column("player_id", integer),
        sa.column("created_at", text),
        sa.column("tenure", integer),
    )
    tenure = sa.table(
        "tenure",
        sa.column("match_id", integer),
        sa.column("seat", text),
        sa.column("number", integer),
        sa.column("player_id", integer),
        sa.column("ended_at", text),
    )
    seat = sa.table(
        "seat",
        sa.column("match_id", integer),
        sa.column("name", text),
        sa.column("player_id", integer),
        sa.column("tenure", integer),
    )
    ended = sa.select(sa.func.min(tenure.c.number)).where(
        tenure.c.match_id == outbox.c.match_id,
        tenure.c.seat == outbox.c.seat,
        tenure.c.player_id == outbox.c.player_id,
        tenure.c.ended_at >= outbox.c.created_at,
    )
    present = sa.select(seat.c.tenure).where(
        seat.c.match_id == outbox.c.match_id,
        seat.c.name == outbox.c.seat,
        seat.c.player_id == outbox.c.player_id,
    )
    belongs = sa.func.coalesce(ended.scalar_subquery(), present.scalar_subquery(), 0)
    op.execute(sa.update(outbox).where(outbox.c.seat.is_not(None)).values(tenure=belongs))


def downgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("forfeit_at")
        seat.drop_column("forfeit_ply")
    with op.batch_alter_table("match") as match:
        match.drop_column("hurried_ply")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("address")
        outbox.drop_column("tenure")
