"""Count how players kept their deadlines (club, 6.1), in the transaction of a ply and nowhere else:
no figure depends on what was sent for an open turn."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from msgspec import Struct, structs

from adjudicator.service.base.deadlines import days_of
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import shows_names
from adjudicator.service.base.reserve import own_end
from adjudicator.store import conduct, players
from adjudicator.store.conduct import ENDED, LEFT, MISSED, ON_TIME, Counted
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import DEFAULT


class PlyMade(Struct, frozen=True, kw_only=True):
    """A ply that is appended now: the seats whose orders it adjudicates, those that leave in it and
    whether that is by forfeit, the rulings in the match, and whether it ends it."""

    ordering: Collection[str]
    leaving: Sequence[str]
    forfeit: bool
    rulings: Iterable[Ruling]
    over: bool
    now: datetime


def count_ply(tx: Tx, loaded: Loaded, made: PlyMade) -> None:
    """Count what the coming ply says of the players of a match."""
    rows = [*_turns(tx, loaded, made), *_tenures(loaded, made)]
    hidden = int(hides_names(loaded.match))
    conduct.count(tx, [structs.replace(one, hidden=hidden) for one in rows])
    if made.over:
        conduct.fold(tx, loaded.match.id)


def count_tenure(tx: Tx, match: Match, holder: Holder, *, left: bool, now: datetime) -> None:
    """Count that a player gave up a seat, or lost it; `left` if the game master says that he has
    left the match."""
    kinds = (ENDED, LEFT) if left else (ENDED,)
    ply = conduct.of_tenure(holder.tenure)
    rows = [_row(match, holder, ply, kind, now) for kind in kinds]
    hidden = int(hides_names(match))
    conduct.count(tx, [structs.replace(one, hidden=hidden) for one in rows])


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
        if seat in made.leaving and made.forfeit:
            yield _row(match, holder, ply, LEFT, made.now)
        if seat in made.leaving or made.over:
            yield _row(match, holder, ply, ENDED, made.now)


def _turns(tx: Tx, loaded: Loaded, made: PlyMade) -> Iterator[Counted]:
    match = loaded.match
    between = [one for one in made.rulings if one.ply == match.ply]
    acted = {one.action for one in between}
    silence = any((one.action, one.at) == ("silence", made.now) for one in between)
    seats = [*made.ordering, *(made.leaving if made.forfeit and silence else ())]
    people = {
        seat: loaded.holders[seat]
        for seat in loaded.seats
        if seat in seats and loaded.holders[seat].player_id is not None
    }
    if match.deadline_at is None or match.held_at or acted & {"hold", "resume"} or not people:
        return
    spared = _excused_seats(tx, loaded, people.values())
    excused = {
        seat
        for one in between
        if one.action == "excuse"
        for seat in str(one.told.values.get("names", "")).split()
    }
    for seat, holder in people.items():
        kind = _is_in_time(loaded, seat, made.now) if seat in made.ordering else MISSED
        if seat in spared or kind is None:
            continue
        if seat in excused:
            kind = MISSED
        yield _row(match, holder, match.ply + 1, kind, made.now)


def _excused_seats(tx: Tx, loaded: Loaded, people: Iterable[Holder]) -> set[str]:
    """Return the seats whose reports came back, or whose deadline fell on an announced absence."""
    match = loaded.match
    assert match.deadline_at is not None
    spared = conduct.bounced(tx, match.id, match.ply)
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
