"""The tables. Migrations make them; this says what the code expects of them.

Append only where it matters: a turn is inserted whole with its events, snapshot, reports and
outbox rows, or not at all, and its primary key makes a second time impossible.

The migrations make the partial indexes partial on PostgreSQL too; to say `postgresql_where` here
would import that whole dialect in every run on SQLite.
"""

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from adjudicator.store.types import UtcDateTime

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

player = Table(
    "player",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False, unique=True),  # the name without case
    Column("address", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("zone", Text, nullable=False),
    Column("confirmed_at", UtcDateTime),  # null: no content goes to this address
    Column("created_at", UtcDateTime, nullable=False),
    sqlite_strict=True,
)

match = Table(
    "match",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("game", Text, nullable=False),
    Column("variant", Text, nullable=False),
    Column("options", Text, nullable=False),  # JSON
    Column("seed", LargeBinary, nullable=False),
    Column("seed_given", Integer, nullable=False),
    Column("status", Text, nullable=False),  # open, playing, held, over
    Column("ply", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("created_at", UtcDateTime, nullable=False),
    Column("deadline_at", UtcDateTime),
    Column("wake_at", UtcDateTime),  # when `tick` must look next; null: at no time
    Column("held_at", UtcDateTime),
    Column("trouble", Text),  # what the operator must know, null when all is well
    Column("reminded_ply", Integer),
    Column("alerted_ply", Integer),
    sqlite_strict=True,
)
Index(
    "ix_match_wake_at",
    match.c.wake_at,
    sqlite_where=match.c.wake_at.is_not(None),
)

seat = Table(
    "seat",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("player_id", ForeignKey("player.id")),
    Column("computer", Text),  # the built-in player that holds the seat
    Column("tenure", Integer, nullable=False),
    Column("ordered_ply", Integer, nullable=False),  # its last ply with orders of its own
    Column("not_ready_ply", Integer),  # NOTREADY was said for this ply
    sqlite_strict=True,
)
Index("ix_seat_player_id", seat.c.player_id)

submission = Table(
    "submission",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("ply", Integer, nullable=False),
    Column("seat", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("received_at", UtcDateTime, nullable=False),
    Column("channel", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("orders", Text, nullable=False),  # JSON: canonical lines
    Column("status", Text, nullable=False),  # in force, replaced, withdrawn, used, unused
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    UniqueConstraint("match_id", "ply", "seat", "revision"),
    sqlite_strict=True,
)

declaration = Table(
    "declaration",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", Integer, nullable=False),
    Column("seat", Text, nullable=False),
    Column("kind", Text, nullable=False),  # RESIGN, DRAW
    Column("received_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False),  # pending, standing, used, withdrawn, lapsed
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)
Index("ix_declaration_match_id", declaration.c.match_id)

turn = Table(
    "turn",
    metadata,
    Column("match_id", ForeignKey("match.id"), primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("turn", Integer, nullable=False),  # the turn to be ordered after this ply
    Column("cause", Text, nullable=False),
    Column("adjudicated_at", UtcDateTime, nullable=False),
    Column("snapshot", Text, nullable=False),  # JSON of the state after the ply
    sqlite_strict=True,
)

event = Table(
    "event",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", Text, nullable=False),  # JSON
    ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
    sqlite_strict=True,
)

report = Table(
    "report",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("ply", Integer, primary_key=True),
    Column("seat", Text, primary_key=True),
    Column("turn", Integer, nullable=False),
    Column("tenure", Integer, nullable=False),
    Column("body", Text, nullable=False),  # JSON: the value that every form is made from
    Column("shown_at", UtcDateTime),  # first printed or handed over; such a ply stays
    ForeignKeyConstraint(["match_id", "ply"], ["turn.match_id", "turn.ply"]),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)

commitment = Table(
    "commitment",
    metadata,
    Column("match_id", Integer, primary_key=True),
    Column("what", Text, primary_key=True),
    Column("seat", Text, primary_key=True),
    Column("ply", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("salt", Text, nullable=False),
    ForeignKeyConstraint(["match_id", "seat"], ["seat.match_id", "seat.name"]),
    sqlite_strict=True,
)

ruling = Table(
    "ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match_id", ForeignKey("match.id"), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("at", UtcDateTime, nullable=False),
    Column("action", Text, nullable=False),
    Column("told", Text, nullable=False),  # JSON of the message that players read
    Column("reason", Text, nullable=False),
    sqlite_strict=True,
)
Index("ix_ruling_match_id", ruling.c.match_id)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),  # match/ply/seat/kind: queued once
    Column("kind", Text, nullable=False),
    Column("match_id", ForeignKey("match.id")),
    Column("ply", Integer),
    Column("seat", Text),
    Column("player_id", ForeignKey("player.id")),  # null: the operator
    Column("body", Text, nullable=False),  # JSON of what the letter says beside the report
    Column("created_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False),  # kept, unconfirmed, waiting, sent, stuck, dropped
    Column("tries", Integer, nullable=False),
    Column("next_at", UtcDateTime),
    Column("sent_at", UtcDateTime),
    sqlite_strict=True,
)
Index(
    "ix_outbox_next_at",
    outbox.c.next_at,
    sqlite_where=outbox.c.status == "waiting",
)
