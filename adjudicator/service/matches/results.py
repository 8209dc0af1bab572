"""Keep in a match's row how it ended, in the ply that ends it, so that nobody has to load its state
to know (club, 1.5 and 7.6); fill that in for matches that ended before it was kept (15)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from adjudicator.core.game import AnyGame
from adjudicator.core.result import (
    CANCELLED,
    UNREAD,
    How,
    MatchResult,
    SeatDeparture,
    leavers,
    result_of,
    without_state,
    written,
)
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    decoder,
    gather,
    readable,
    refuse_unopened,
    rulings_since,
)
from adjudicator.service.base.next_step import DORMANT_AFTER
from adjudicator.store import matches, results, rulings, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.rulings import Ruling


def of_ply(
    tx: Tx,
    loaded: Loaded,
    state: Any,
    made: Sequence[Ruling],
    *,
    cause: str,
    leaving: Sequence[str],
    now: datetime,
) -> Mapping[str, Any]:
    """Return the columns of a match that its next ply fills in if it ends the match with `state`.

    `made` are all rulings in the match, `leaving` the seats that the ply ends.
    """
    if loaded.game.rules.outcome(state) is None:
        return {}
    ply = loaded.match.ply + 1
    earlier = _departures(tx, loaded.game, loaded.match, loaded.seats, made, before=ply)
    last = _departures_of(tx, loaded.match, leaving, cause, ply, made) if leaving else ()
    result = _result(loaded, state, [*earlier, *last], cause)
    return {"result": written(result), "ended_at": now}


def _result(
    loaded: Loaded, state: Any, departures: Sequence[SeatDeparture], cause: str
) -> MatchResult:
    dormant = [seat for seat in loaded.seats if loaded.holders[seat].silent >= DORMANT_AFTER]
    rules = loaded.game.rules
    result = result_of(rules, state, loaded.seats, departures, cause=cause, dormant=dormant)
    assert result is not None
    return result


def _departures(
    tx: Tx,
    game: AnyGame,
    match: Match,
    seats: Sequence[str],
    made: Sequence[Ruling],
    *,
    before: int,
) -> list[SeatDeparture]:
    """Return who left in the plies before that one, in their order."""
    found: list[SeatDeparture] = []
    for ply, cause in results.leaving_plies(tx, match.id, before):
        read = decoder(game.rules.state)  # type: ignore[arg-type]  # is hashable
        was, now = (read.decode(turns.one(tx, match.id, one).snapshot) for one in (ply - 1, ply))
        left = leavers(game.rules, was, now, seats)
        found += _departures_of(tx, match, left, cause, ply, made)
    return found


def _departures_of(
    tx: Tx,
    match: Match,
    seats: Collection[str],
    cause: str,
    ply: int,
    made: Iterable[Ruling],
) -> list[SeatDeparture]:
    how = _how(cause, ply, made)
    return [
        SeatDeparture(
            seat=seat,
            how=how,
            ply=ply,
            bounced=how != "resigned" and results.has_bounced(tx, match.id, seat, ply),
        )
        for seat in seats
    ]


def _how(cause: str, ply: int, made: Iterable[Ruling]) -> How:
    """Return how the seats of a ply left: the ruling of a forfeit is made while the ply before is
    the last. One that was taken back is there too, and older."""
    if cause == "resignation":
        return "resigned"
    actions = [one.action for one in made if one.ply == ply - 1]
    forfeits = [action for action in actions if action in ("silence", "forfeit")]
    return "silence" if forfeits[-1:] == ["silence"] else "forfeited"


def fill(tx: Tx) -> None:
    """Fill in the results of the matches that ended before they were kept. One that cannot be read
    has none, and stops no other."""
    for match in matches.without_result(tx):
        _fill(tx, match)


def _fill(tx: Tx, match: Match) -> None:
    with suppress(Unreadable), readable(match):
        result, ended_at = _of_ended(tx, match)
        matches.update(tx, match.id, result=written(result), ended_at=ended_at)


def _of_ended(tx: Tx, match: Match) -> tuple[MatchResult, datetime]:
    """Return how a match ended, and when. Raises Unreadable."""
    try:
        loaded = gather(tx, match)
    except Unreadable:
        if not rulings.has(tx, match.id, "cancel"):
            raise
        return _without_state(tx, match, results.seats(tx, match.id), UNREAD)
    if not loaded.is_opened:
        return _without_state(tx, match, loaded.seats, CANCELLED)
    if loaded.game.rules.outcome(loaded.state) is None:  # it could not be read when it was ended
        return _without_state(tx, match, loaded.seats, UNREAD)
    return of_loaded(tx, loaded), loaded.since


def of_loaded(tx: Tx, loaded: Loaded) -> MatchResult:
    """Return how a match ended that has an outcome, from its log. Raises Unreadable."""
    refuse_unopened(loaded)
    match = loaded.match
    with readable(match):
        made = rulings_since(tx, match, 0)
        cause = turns.one(tx, match.id, match.ply).cause
        left = _departures(tx, loaded.game, match, loaded.seats, made, before=match.ply + 1)
        return _result(loaded, loaded.state, left, cause)


def _without_state(
    tx: Tx, match: Match, seats: Sequence[str], reason: str
) -> tuple[MatchResult, datetime]:
    with readable(match):
        cancelled = rulings.last(tx, match.id, "cancel")
    return without_state(seats, reason, in_set_up=match.turn == 0), cancelled
