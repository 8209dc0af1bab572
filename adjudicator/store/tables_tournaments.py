"""The tables of tournaments (club, sections 7 and 15), as the code expects them."""

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
)

from adjudicator.store.metadata import metadata
from adjudicator.store.types import UtcDateTime
from adjudicator.store.whose import OURS, person, words

tournament = Table(
    "tournament",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, info=OURS),
    Column("kind", Text, nullable=False, info=OURS),  # a key of `kinds.KINDS`
    Column("game", Text, nullable=False, info=OURS),
    Column("variant", Text, nullable=False, info=OURS),
    Column("options", Text, nullable=False, info=OURS),  # JSON, of its matches
    Column("format", Text, nullable=False, info=OURS),  # JSON: seats, rounds, at once
    Column("seed", LargeBinary, nullable=False, info=OURS),
    Column("status", Text, nullable=False, info=OURS),  # open, playing, held, over, cancelled
    Column("round", Integer, nullable=False, server_default="0"),  # the last that was made
    Column("is_public", Integer, nullable=False),  # everybody may enter by email
    Column("starts_at", UtcDateTime),
    Column("created_at", UtcDateTime, nullable=False),
    Column("started_at", UtcDateTime),
    Column("ended_at", UtcDateTime),
    Column("wake_at", UtcDateTime),  # when `tick` must look next, beside the ends of its matches
    # JSON: what the operator must know; null when all is well
    Column("trouble", Text, info=words(clean="json")),
    Column("changes", Integer, nullable=False, server_default="0"),  # as in `match`
    sqlite_strict=True,
)
Index(
    "ix_tournament_wake_at",
    tournament.c.wake_at,
    sqlite_where=tournament.c.wake_at.is_not(None),
)

entry = Table(
    "entry",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournament.id"), nullable=False),
    # who plays for it now
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("number", Integer),  # from the start on
    Column("status", Text, nullable=False, info=OURS),  # in, silent, withdrawn, out
    Column("silent_forfeits", Integer, nullable=False, server_default="0"),
    Column("silent_at", UtcDateTime),  # the last of them
    Column("entered_at", UtcDateTime, nullable=False),
    sqlite_strict=True,
)
Index("ix_entry_tournament_id", entry.c.tournament_id)
Index("ix_entry_player_id", entry.c.player_id)

# Who played for an entry, if it changed hands.
entry_holder = Table(
    "entry_holder",
    metadata,
    Column("entry_id", ForeignKey("entry.id"), primary_key=True),
    Column("since_round", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), primary_key=True, info=person("stays")),
    sqlite_strict=True,
)

pairing = Table(
    "pairing",
    metadata,
    Column("tournament_id", ForeignKey("tournament.id"), primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("again", Integer, primary_key=True),  # a replay of a knock-out
    Column("kind", Text, nullable=False, info=OURS),  # match, bye, left_out
    Column("match_id", ForeignKey("match.id"), unique=True),  # null until its match is made
    # core/pairing/history.Ending
    Column("ending", Text, nullable=False, server_default="", info=OURS),
    Column("made_at", UtcDateTime, nullable=False),
    Column("done_at", UtcDateTime),
    Column("ruling", Text, info=OURS),  # the game master's result: a seat, draw or void
    sqlite_strict=True,
)

Index("ix_pairing_made_at", pairing.c.made_at, sqlite_where=pairing.c.done_at.is_(None))

# Who meets in a pairing, in the order of the game's seats.
paired = Table(
    "paired",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("board", Integer, primary_key=True),
    Column("again", Integer, primary_key=True),
    Column("place", Integer, primary_key=True),  # 0 for the first seat
    Column("entry_id", ForeignKey("entry.id"), nullable=False),
    Column("points", Integer),  # 24ths; null while it is not done
    ForeignKeyConstraint(
        ["tournament_id", "round", "board", "again"],
        ["pairing.tournament_id", "pairing.round", "pairing.board", "pairing.again"],
    ),
    sqlite_strict=True,
)
Index("ix_paired_entry_id", paired.c.entry_id)

# What the game master decided; the entrants are told in their next emails.
tournament_ruling = Table(
    "tournament_ruling",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("tournament_id", ForeignKey("tournament.id"), nullable=False),
    Column("round", Integer, nullable=False),  # told with the first emails of the next one
    Column("made_at", UtcDateTime, nullable=False),
    Column("told", Text, nullable=False, info=words(clean="json")),  # JSON of a message
    Column("reason", Text, nullable=False, info=words(clean="text")),
    sqlite_strict=True,
)
Index("ix_tournament_ruling_tournament_id", tournament_ruling.c.tournament_id)
