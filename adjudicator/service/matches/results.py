"""Keep in a match's row how it ended, in the ply that ends it, so that nobody has to load its state
to know (club, 7.6); fill that in for matches that ended before it was kept (club, 15).

How players kept their deadlines (club, 6.1) is counted here, in the transaction of a ply and
nowhere else: no figure depends on what was sent for an open turn. And the club's hooks are told.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct, structs

from adjudicator.core import result
from adjudicator.core.clock import DORMANT_AFTER
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
    write,
)
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.deadlines import days_of, own_end
from adjudicator.service.base.loaded_match import (
    Loaded,
    Unreadable,
    decoder,
    gather,
    readable,
    refuse_unopened,
    rulings_since,
)
from adjudicator.service.base.options import shows_names
from adjudicator.store import matches, players, results, rulings, turns
from adjudicator.store.database import Tx
from adjudicator.store.happenings import note_event
from adjudicator.store.matches import Holder, Match
from adjudicator.store.results import ENDED, LEFT, MISSED, ON_TIME, Counted
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import DEFAULT


class PlyMade(Struct, frozen=True, kw_only=True):
    """A ply that is appended now: the state that its events make, the seats whose orders it
    adjudicates, those that leave in it, and all rulings in the match."""

    state: Any
    events: Sequence[Any]
    cause: str
    ordering: Collection[str]
    leaving: Sequence[str]
    rulings: Sequence[Ruling]
    at: datetime

    def ends(self, game: AnyGame) -> bool:
        return game.rules.outcome(self.state) is not None


def of_ply(tx: Tx, loaded: Loaded, made: PlyMade) -> Mapping[str, Any]:
    """Return the columns of a match that its next ply fills in if it ends the match."""
    if not made.ends(loaded.game):
        return {}
    ply, rulings = loaded.match.ply + 1, made.rulings
    earlier = _departures(tx, loaded.game, loaded.match, loaded.seats, rulings, before=ply)
    last = (
        _departures_of(tx, loaded.match, made.leaving, made.cause, ply, rulings)
        if made.leaving
        else ()
    )
    result = _result(loaded, made.state, [*earlier, *last], made.cause)
    return {"result": write(result), "ended_at": made.at}


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
    tx: Tx, match: Match, seats: Collection[str], cause: str, ply: int, made: Iterable[Ruling]
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
        matches.update(tx, match.id, result=write(result), ended_at=ended_at)


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
    return result_of_loaded_match(tx, loaded), loaded.since


def result_of_loaded_match(tx: Tx, loaded: Loaded) -> MatchResult:
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


def count_ply(tx: Tx, loaded: Loaded, made: PlyMade) -> None:
    """Count what the coming ply says of the players of a match."""
    rows = [*_turns(tx, loaded, made), *_tenures(loaded, made)]
    hidden = int(hides_names(loaded.match))
    results.count_conduct(tx, [structs.replace(one, hidden=hidden) for one in rows])
    if made.ends(loaded.game):
        results.fold_conduct(tx, loaded.match.id)


def count_tenure(tx: Tx, match: Match, holder: Holder, *, left: bool, now: datetime) -> None:
    """Count that a player gave up a seat, or lost it; `left` if the game master says that he has
    left the match."""
    kinds = (ENDED, LEFT) if left else (ENDED,)
    ply = results.of_tenure(holder.tenure)
    rows = [_row(match, holder, ply, kind, now) for kind in kinds]
    hidden = int(hides_names(match))
    results.count_conduct(tx, [structs.replace(one, hidden=hidden) for one in rows])


def hides_names(match: Match) -> bool:
    """Return whether nobody may know who plays a match before it has ended (club, 6.4)."""
    return not shows_names("playing", match.options)


def _row(match: Match, holder: Holder, ply: int, kind: str, now: datetime) -> Counted:
    assert holder.player_id is not None
    return Counted(
        match_id=match.id,
        seat=holder.seat,
        ply=ply,
        kind=kind,
        player_id=holder.player_id,
        day=now.astimezone(UTC).date().isoformat(),
    )


def _tenures(loaded: Loaded, made: PlyMade) -> Iterator[Counted]:
    match, ply = loaded.match, loaded.match.ply + 1
    for seat in loaded.seats:
        holder = loaded.holders[seat]
        if holder.player_id is None or seat in loaded.gone:
            continue
        if seat in made.leaving and made.cause == "forfeit":
            yield _row(match, holder, ply, LEFT, made.at)
        if seat in made.leaving or made.ends(loaded.game):
            yield _row(match, holder, ply, ENDED, made.at)


def _turns(tx: Tx, loaded: Loaded, made: PlyMade) -> Iterator[Counted]:
    match = loaded.match
    between = [one for one in made.rulings if one.ply == match.ply]
    acted = {one.action for one in between}
    silence = any((one.action, one.at) == ("silence", made.at) for one in between)
    is_missed = made.cause == "forfeit" and silence
    seats = [*made.ordering, *(made.leaving if is_missed else ())]
    people = {
        seat: loaded.holders[seat]
        for seat in loaded.seats
        if seat in seats and loaded.holders[seat].player_id is not None
    }
    if match.deadline_at is None or match.held_at or acted & {"hold", "resume"} or not people:
        return
    spared = _excused_seats(tx, loaded, people.values())
    excused = {seat for one in between for seat in one.effect.excused}
    for seat, holder in people.items():
        kind = _is_in_time(loaded, seat, made.at) if seat in made.ordering else MISSED
        if seat in spared or kind is None:
            continue
        if seat in excused:
            kind = MISSED
        yield _row(match, holder, match.ply + 1, kind, made.at)


def _excused_seats(tx: Tx, loaded: Loaded, people: Iterable[Holder]) -> set[str]:
    """Return the seats whose reports came back, or whose deadline fell on an announced absence."""
    match = loaded.match
    assert match.deadline_at is not None
    spared = results.seats_bounced(tx, match.id, match.ply)
    holders = list(people)
    away = players.absences_of(tx, [one.player_id for one in holders if one.player_id is not None])
    for holder in holders:
        due = match.deadline_at.astimezone(holder.where).date()
        if due in days_of(one for one in away if one.player_id == holder.player_id):
            spared.add(holder.seat)
    return spared


def _is_in_time(loaded: Loaded, seat: str, now: datetime) -> str | None:
    """Return whether a seat's orders came by the end of its own time; None if the rules gave them,
    so that nobody missed anything."""
    sheet = loaded.sheets[seat]
    if sheet.channel == DEFAULT:
        return None if loaded.game.rules.provides(loaded.state) else MISSED
    ends = own_end(loaded, seat, given=False)
    return ON_TIME if ends is None or min(sheet.received_at, now) <= ends else MISSED


# What of a match is an event for the club's hooks (club, 12.2): nothing that the first page would
# not say, and nothing that depends on what a seat has sent in an open turn.


def note_opening(tx: Tx, loaded: Loaded, now: datetime) -> None:
    """Tell that a match begins, and its first turn. One that began before tells its turn again: it
    waited for a seat to be taken."""
    if loaded.match.ply <= 0:
        note_event(tx, "match.opened", at=now, match=loaded.match.name)
    note_turn(tx, loaded, now)


def note_turn(tx: Tx, loaded: Loaded, now: datetime) -> None:
    match = loaded.match
    if match.status == "open":
        return
    note_event(
        tx,
        "match.turn",
        at=now,
        match=match.name,
        turn=match.turn,
        awaited=list(loaded.awaited),
        deadline=rfc3339(match.deadline_at),
    )


def note_after_ply(tx: Tx, after: Loaded, ending: str | None, now: datetime) -> None:
    """Tell the next turn, or how the match has ended, as `core/result` writes it."""
    if ending is None:
        note_turn(tx, after, now)
    else:
        note_end(tx, after.match, ending, now)


def note_end(tx: Tx, match: Match, ending: str, now: datetime) -> None:
    ended = result.read(ending)
    note_event(
        tx,
        "match.over",
        at=now,
        match=match.name,
        result={"winners": list(ended.winners), "reason": ended.reason},
        places=[list(group) for group in ended.places],
    )


def note_hold(tx: Tx, match: Match, now: datetime) -> None:
    note_event(tx, "match.held", at=now, match=match.name)


def note_resumption(tx: Tx, match: Match, now: datetime) -> None:
    note_event(tx, "match.resumed", at=now, match=match.name)


def note_seat_change(tx: Tx, match: Match, seat: str, now: datetime) -> None:
    note_event(tx, "seat.changed", at=now, match=match.name, seat=seat)
