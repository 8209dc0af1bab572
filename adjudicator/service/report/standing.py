"""All from which reports of one ply are made, read from the database at once."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.service.base.decoders import decoder
from adjudicator.service.base.loaded_match import Loaded, readable, rulings_since
from adjudicator.service.base.turns_ahead import takes_advance
from adjudicator.service.report import news_since
from adjudicator.store import jottings, sheets_ahead, turns
from adjudicator.store.database import Tx
from adjudicator.store.jottings import Jottings
from adjudicator.store.matches import Match
from adjudicator.store.rulings import Ruling
from adjudicator.store.sheets_ahead import Verdict
from adjudicator.store.turns import Commitment


class Standing(Struct, frozen=True):
    """All from which reports of one ply are made.

    `since` is the first ply of each seat's news, and `fresh`, if it is another, that of the news
    that a letter of their own tells once only. `log` holds (ply, event) from the earliest of them
    on, or the whole match once it is over or if its views remember what was seen. `lines` are those
    of the log's chain, once it is opened; `jottings` are given where the game takes marks and
    notes.
    """

    loaded: Loaded
    ply: int
    since: Mapping[Seat, int]
    log: Sequence[tuple[int, Any]]
    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]
    verdicts: Mapping[str, Sequence[Verdict]] = {}
    lines: Sequence[str | None] = ()
    fresh: Mapping[Seat, int] = {}
    jottings: Jottings | None = None


class Past(Struct, frozen=True, kw_only=True):
    """Tell all to which the match has committed, and all rulings in it."""

    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]


def past_of(tx: Tx, loaded: Loaded) -> Past:
    return Past(
        commitments=turns.commitments(tx, loaded.match.id),
        rulings=rulings_since(tx, loaded.match, 0),
    )


def standing_of(tx: Tx, loaded: Loaded, past: Past | None = None) -> Standing:
    """Return what reports of the match are made from now; `past` is what lies behind, if that is
    known."""
    past = past or past_of(tx, loaded)
    fresh = {seat: news_since.first_news(tx, loaded, seat) for seat in loaded.seats}
    since = {**fresh, **news_since.untold(tx, loaded, fresh)}
    verdicts: Mapping[str, Sequence[Verdict]] = {}
    if takes_advance(loaded):
        verdicts = sheets_ahead.verdicts(tx, loaded.match.id, min(since.values()))
    earliest = min(since.values())
    game = loaded.game
    whole = is_over(loaded) or game.sight.remember is not None or game.marks is not None
    return Standing(
        loaded=loaded,
        ply=loaded.match.ply,
        since=since,
        fresh=fresh,
        log=read_log(tx, loaded.match, game, 0 if whole else earliest),
        commitments=past.commitments,
        rulings=past.rulings,
        verdicts=verdicts,
        lines=turns.lines(tx, loaded.match.id) if is_over(loaded) else (),
        jottings=jottings.of_match(tx, loaded.match.id) if game.marks else None,
    )


def read_log(
    tx: Tx, match: Match, game: AnyGame, since: int = 0, until: int | None = None
) -> list[tuple[int, Any]]:
    """Return (ply, event) of the match's log from that ply on. Raises Unreadable."""
    with readable(match):
        rows = turns.events_since(tx, match.id, since)
        read_event = decoder(game.rules.event).decode
        return [(ply, read_event(body)) for ply, body in rows if until is None or ply <= until]


def is_over(loaded: Loaded) -> bool:
    return loaded.game.rules.outcome(loaded.state) is not None
