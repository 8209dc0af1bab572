"""The tables of what surrounds single matches (club, section 15), as the code expects them."""

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text

from adjudicator.store.metadata import metadata
from adjudicator.store.types import UtcDateTime

# A letter to a personal address that waits for a code (club, 2).
parked_letter = Table(
    "parked_letter",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("player_id", ForeignKey("player.id"), nullable=False),
    Column("letter_id", ForeignKey("letter.id"), nullable=False),
    Column("code", Text, nullable=False),
    Column("text", Text, nullable=False),  # what waits to be confirmed
    Column("created_at", UtcDateTime, nullable=False),
    Column("status", Text, nullable=False),  # waiting, confirmed, fallen, void
    Column("tries", Integer, nullable=False, server_default="0"),  # wrong codes while it waited
    sqlite_strict=True,
)
Index("ix_parked_letter_player_id", parked_letter.c.player_id)
