"""Letters that came in, and sheets that wait to be confirmed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "letter",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("spool_name", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("received_at", sa.Text(), nullable=False),
        sa.Column("sender", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=True),
        sa.Column("seat", sa.Text(), nullable=True),
        sa.Column("dated_at", sa.Text(), nullable=True),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_letter_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_letter")),
        sa.UniqueConstraint("spool_name", name=op.f("uq_letter_spool_name")),
        sqlite_strict=True,
    )
    op.create_index(
        "ix_letter_status",
        "letter",
        ["status"],
        sqlite_where=sa.text("status = 'received'"),
        postgresql_where=sa.text("status = 'received'"),
    )
    op.create_index("ix_letter_match_id_seat", "letter", ["match_id", "seat"])
    op.create_table(
        "parked",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("tenure", sa.Integer(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letter.id"], name=op.f("fk_parked_letter_id")),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_parked_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_parked")),
        sqlite_strict=True,
    )
    op.create_index("ix_parked_match_id_seat", "parked", ["match_id", "seat"])
    op.create_table(
        "joining",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=True),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_joining")),
        sqlite_strict=True,
    )
    op.create_index("ix_joining_address", "joining", ["address"])
    op.create_table(
        "press",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("letter_id", sa.Integer(), nullable=False),
        sa.Column("sent_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["letter_id"], ["letter.id"], name=op.f("fk_press_letter_id")),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_press_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_press")),
        sqlite_strict=True,
    )
    op.create_index("ix_press_match_id_seat", "press", ["match_id", "seat"])
    op.create_table(
        "tenure",
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("ended_at", sa.Text(), nullable=False),
        sa.Column("told_at", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_tenure_player_id")),
        sa.ForeignKeyConstraint(
            ["match_id", "seat"],
            ["seat.match_id", "seat.name"],
            name=op.f("fk_tenure_match_id_seat"),
        ),
        sa.PrimaryKeyConstraint("match_id", "seat", "number", name=op.f("pk_tenure")),
        sqlite_strict=True,
    )
    op.create_index("ix_tenure_player_id", "tenure", ["player_id"])
    op.create_table(
        "absence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Integer(), nullable=False),
        sa.Column("first_day", sa.Text(), nullable=False),
        sa.Column("last_day", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name=op.f("fk_absence_player_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absence")),
        sqlite_strict=True,
    )
    op.create_index("ix_absence_player_id", "absence", ["player_id"])
    clock = op.create_table(
        "clock",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("last_tick_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_clock")),
        sqlite_strict=True,
    )
    op.bulk_insert(clock, [{"id": 1}])
    with op.batch_alter_table("player") as player:
        player.add_column(sa.Column("reminders", sa.Text(), nullable=False, server_default="on"))
    with op.batch_alter_table("seat") as seat:
        seat.add_column(sa.Column("missed", sa.Integer(), nullable=False, server_default="0"))
    with op.batch_alter_table("declaration") as declaration:
        declaration.add_column(sa.Column("settled_ply", sa.Integer(), nullable=True))
    # No foreign key: SQLite would have to copy the whole table for it.
    with op.batch_alter_table("submission") as submission:
        submission.add_column(sa.Column("letter_id", sa.Integer(), nullable=True))
    with op.batch_alter_table("outbox") as outbox:
        outbox.add_column(sa.Column("raw", sa.LargeBinary(), nullable=True))
        outbox.add_column(sa.Column("reason", sa.Text(), nullable=True))
        outbox.add_column(sa.Column("bounce_tag", sa.Text(), nullable=True))
        outbox.add_column(sa.Column("bounces", sa.Integer(), nullable=False, server_default="0"))
    op.create_index(
        "ix_outbox_bounce_tag",
        "outbox",
        ["bounce_tag"],
        sqlite_where=sa.text("bounce_tag IS NOT NULL"),
        postgresql_where=sa.text("bounce_tag IS NOT NULL"),
    )


def downgrade() -> None:
    with op.batch_alter_table("seat") as seat:
        seat.drop_column("missed")
    with op.batch_alter_table("player") as player:
        player.drop_column("reminders")
    op.drop_table("clock")
    op.drop_table("absence")
    with op.batch_alter_table("submission") as submission:
        submission.drop_column("letter_id")
    with op.batch_alter_table("declaration") as declaration:
        declaration.drop_column("settled_ply")
    op.drop_index(
        "ix_outbox_bounce_tag",
        "outbox",
        sqlite_where=sa.text("bounce_tag IS NOT NULL"),
        postgresql_where=sa.text("bounce_tag IS NOT NULL"),
    )
    with op.batch_alter_table("outbox") as outbox:
        outbox.drop_column("bounces")
        outbox.drop_column("bounce_tag")
        outbox.drop_column("reason")
        outbox.drop_column("raw")
    op.drop_table("tenure")
    op.drop_table("press")
    op.drop_table("joining")
    op.drop_table("parked")
    op.drop_table("letter")
