"""The first ply of a match: its opening position."""

from datetime import datetime
from typing import Any

from msgspec.json import encode

from adjudicator.core.game import AnyGame
from adjudicator.service.base.loaded_match import Loaded, load_open
from adjudicator.service.base.next_step import default_of
from adjudicator.service.base.session import Session
from adjudicator.service.matches import adjudication, append_ply
from adjudicator.store import submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.turns import Ply


def ply_0(game: AnyGame, state: Any, now: datetime) -> Ply:
    """Return ply 0 of a match, without its line, which also tells who plays and until when."""
    return Ply(
        ply=0,
        turn=game.rules.turn(state),
        cause="opening",
        adjudicated_at=now,
        snapshot=encode(state).decode(),
    )


def played_at_once(s: Session, loaded: Loaded) -> Loaded:
    """Adjudicate ply 1 of a match that has just been opened and whose first turn nobody orders,
    and tell all who play (Spion rule 6.2)."""
    for seat in loaded.awaited:
        lines = default_of(loaded, seat)
        assert lines is not None
        adjudication.put_in_force(s.tx, loaded, seat, lines, submissions.DEFAULT, s.now)
    ready = load_open(s.tx, loaded.match.name)
    return adjudication.adjudicate(s, ready, everyone=True)


def linked(tx: Tx, name: str) -> Loaded:
    """Write the first line of the log of a match that has just been opened; return the match."""
    loaded = load_open(tx, name)
    made = append_ply.opening_line(loaded)
    turns.link(tx, loaded.match.id, 0, made.line, made.head)
    return load_open(tx, name)
