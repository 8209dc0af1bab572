"""Matches, seats, sheets, the log of plies, reports, and letters."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "match",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("seed_given", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("deadline_at", sa.Text(), nullable=True),
        sa.Column("wake_at", sa.Text(), nullable=True),
        sa.Column("held_at", sa.Text(), nullable=True),
        sa.Column("trouble", sa.Text(), nullable=True),
        sa.Column("reminded_ply", sa.Integer(), nullable=True),
        sa.Column("alerted_ply", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint("name", name=op.f("uq_match_name")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("match", schema=None) as batch_op:
        batch_op.create_index(
            "ix_match_wake_at",
            ["wake_at"],
            unique=False,
            sqlite_where=sa.text("wake_at IS NOT NULL"),
            postgresql_where=sa.text("wake_at IS NOT NULL"),
        )

    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("confirmed_at", sa.Text(), nullable=True),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_player")),
        sa.UniqueConstraint("name_key", name=op.f("uq_player_name_key")),
        sqlite_strict=True,
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("seat", sa.Text(), nullable=True),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("next_at", sa.Text(), nullable=True),
        sa.Column("sent_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_outbox_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_outbox_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_outbox_next_at",
            ["next_at"],
            unique=False,
            sqlite_where=sa.text("status = 'waiting'"),
            postgresql_where=sa.text("status = 'waiting'"),
        )

    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("told", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_ruling_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("ruling", schema=None) as batch_op:
        batch_op.create_index("ix_ruling_match_id", ["match_id"], unique=False)

    op.create_table(
        "seat",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=True),
        sa.Column("computer", sa.Text(), nullable=True),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("ordered_ply", sa.Integer(), nullable=False),
        sa.Column("not_ready_ply", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_seat_match_id")),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_seat_player_id")),
        sa.PrimaryKeyConstraint("match_id", "name", name=op.f("pk_seat")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index("ix_seat_player_id", ["player_id"], unique=False)

    op.create_table(
        "turn",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("adjudicated_at", sa.Text(), nullable=False),
        sa.Column("snapshot", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_turn_match_id")),
        sa.PrimaryKeyConstraint("match_id", "ply", name=op.f("pk_turn")),
        sqlite_strict=True,
    )
    op.create_table(
        "commitment",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_commitment_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("match_id", "what", "seat", name=op.f("pk_commitment")),
        sqlite_strict=True,
    )
    op.create_table(
        "declaration",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_declaration_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_declaration")),
        sqlite_strict=True,
    )
    with op.batch_alter_table("declaration", schema=None) as batch_op:
        batch_op.create_index("ix_declaration_match_id", ["match_id"], unique=False)

    op.create_table(
        "event",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "ply"], ["turn.match_id", "turn.ply"], name=op.f("fk_event_match_id_ply")
        ),
        sa.PrimaryKeyConstraint("match_id", "ply", "seq", name=op.f("pk_event")),
        sqlite_strict=True,
    )
    op.create_table(
        "report",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("shown_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["match_id", "ply"], ["turn.match_id", "turn.ply"], name=op.f("fk_report_match_id_ply")
        ),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_report_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("match_id", "ply", "seat", name=op.f("pk_report")),
        sqlite_strict=True,
    )
    op.create_table(
        "submission",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("orders", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_submission_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission")),
        sa.UniqueConstraint(
            "match_id",
            "ply",
            "seat",
            "revision",
            name=op.f("uq_submission_match_id_ply_seat_revision"),
        ),
        sqlite_strict=True,
    )


def downgrade() -> None:
    op.drop_table("submission")
    op.drop_table("report")
    op.drop_table("event")
    with op.batch_alter_table("declaration", schema=None) as batch_op:
        batch_op.drop_index("ix_declaration_match_id")

    op.drop_table("declaration")
    op.drop_table("commitment")
    op.drop_table("turn")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_index("ix_seat_player_id")

    op.drop_table("seat")
    with op.batch_alter_table("ruling", schema=None) as batch_op:
        batch_op.drop_index("ix_ruling_match_id")

    op.drop_table("ruling")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_outbox_next_at",
            sqlite_where=sa.text("status = 'waiting'"),
            postgresql_where=sa.text("status = 'waiting'"),
        )

    op.drop_table("outbox")
    op.drop_table("player")
    with op.batch_alter_table("match", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_match_wake_at",
            sqlite_where=sa.text("wake_at IS NOT NULL"),
            postgresql_where=sa.text("wake_at IS NOT NULL"),
        )

    op.drop_table("match")
