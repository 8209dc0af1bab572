"""Several matches in one letter, the daily letter, and substitutes (club, 4 and 6.3)."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _parts()
    _daily_letters()
    _substitutes()


def downgrade() -> None:
    _drop_substitutes()
    _drop_daily_letters()
    _drop_parts()


def _parts() -> None:
    """Keep the parts of a letter about several matches (club, 4.2).

    What waits for a code says itself which ply was awaited when it came: its letter may be about
    other matches, too.
    """
    op.create_table(
        "letter_part",
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer()),
        sa.Column("seat", sa.Text()),
        sa.Column("ply", sa.Integer()),
        sa.Column("revision", sa.Integer()),
        sa.Column("parked_id", sa.Integer()),
        sa.Column("reply", sa.Text()),
        sa.ForeignKeyConstraint(
            ["letter_id"], ["letter.id"], name=op.f("fk_letter_part_letter_id")
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_letter_part_match_id")),
        sa.PrimaryKeyConstraint("letter_id", "number", name=op.f("pk_letter_part")),
        sqlite_strict=True,
    )
    op.create_index("ix_letter_part_match_id", "letter_part", ["match_id"])
    with op.batch_alter_table("parked") as parked:
        parked.add_column(sa.Column("ply", sa.Integer()))
    op.execute(
        "UPDATE parked SET ply = (SELECT letter.ply FROM letter WHERE letter.id = parked.letter_id)"
    )


def _drop_parts() -> None:
    with op.batch_alter_table("parked") as parked:
        parked.drop_column("ply")
    op.drop_table("letter_part")


def _daily_letters() -> None:
    """Let one letter carry others, and players wish for that (club, 4.3 and 4.4)."""
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("letters", sa.Text(), server_default="each", nullable=False))
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("carrier_id", sa.Integer()))
    op.create_index(
        "ix_outbox_carrier_id",
        "outbox",
        ["carrier_id"],
        sqlite_where=sa.text("carrier_id IS NOT NULL"),
        postgresql_where=sa.text("carrier_id IS NOT NULL"),
    )


def _drop_daily_letters() -> None:
    op.drop_index("ix_outbox_carrier_id", "outbox")
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("carrier_id")
    with op.batch_alter_table("player") as player:
        player.drop_column("letters")


def _substitutes() -> None:
    """Look for substitutes among the players who wish to be asked (club, 6.3)."""
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("substitute", sa.Text(), server_default="off", nullable=False))
    op.create_table(
        "substitute_search",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("due_at", sa.Text()),
        sa.Column("begun_at", sa.Text(), nullable=False),
        sa.Column("next_at", sa.Text()),
        sa.Column("ends_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_substitute_search_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_substitute_search")),
        sqlite_strict=True,
    )
    op.create_index("ix_substitute_search_match_id", "substitute_search", ["match_id"])
    op.create_index(
        "ix_substitute_search_next_at",
        "substitute_search",
        ["next_at"],
        sqlite_where=sa.text("next_at IS NOT NULL"),
        postgresql_where=sa.text("next_at IS NOT NULL"),
    )


def _drop_substitutes() -> None:
    op.drop_table("substitute_search")
    with op.batch_alter_table("player") as player:
        player.drop_column("substitute")
