"""The tables of ladders (club, 8 and 15), as the code expects them."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text

from adjudicator.store.metadata import metadata
from adjudicator.store.types import UtcDateTime
from adjudicator.store.whose import OURS, SHOWN, person

ladder = Table(
    "ladder",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True, info=OURS),
    Column("game", Text, nullable=False, info=OURS),
    Column("variant", Text, nullable=False, info=OURS),
    Column("options", Text, nullable=False, info=OURS),  # JSON: KEY=VALUE texts
    Column("status", Text, nullable=False, info=OURS),  # open, closed
    Column("created_at", UtcDateTime, nullable=False),
    Column("changes", Integer, nullable=False, server_default="0"),  # of what its page shows
    sqlite_strict=True,
)

rung = Table(
    "rung",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder_id", ForeignKey("ladder.id"), nullable=False, info=SHOWN),
    Column("player_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("place", Integer, info=SHOWN),  # from 1 without gaps; null: he has left
    Column("joined_at", UtcDateTime, nullable=False, info=SHOWN),
    Column("left_at", UtcDateTime, info=SHOWN),
    sqlite_strict=True,
)
Index("ix_rung_ladder_id", rung.c.ladder_id)
Index("ix_rung_player_id", rung.c.player_id)

challenge = Table(
    "challenge",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("ladder_id", ForeignKey("ladder.id"), nullable=False),
    Column("challenger_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("asked_id", ForeignKey("player.id"), nullable=False, info=person("stays")),
    Column("match_id", ForeignKey("match.id")),  # null: not accepted
    Column("seat", Text, info=OURS),  # of the challenger
    Column("created_at", UtcDateTime, nullable=False),
    Column("done_at", UtcDateTime),  # null: it goes on
    # won, lost or drawn by the challenger; declined, expired, void
    Column("ending", Text, info=OURS),
    Column("silent", Text, nullable=False, server_default="", info=OURS),  # challenger, asked, both
    sqlite_strict=True,
)
Index("ix_challenge_ladder_id", challenge.c.ladder_id)
Index("ix_challenge_match_id", challenge.c.match_id, sqlite_where=challenge.c.done_at.is_(None))
