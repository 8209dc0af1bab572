"""What was in force when a line of an opened log was written, and the facts by which the club's own
clock decides (`core/clock`), as the log tells them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.acts import (
    Effect,
    PlaysNow,
    SeatLeft,
    TakenBack,
    TakenBackUntil,
    WarningsEnded,
    effect_of,
)
from adjudicator.core.chain import PlyText, Ruled
from adjudicator.core.clock import DORMANT_AFTER, ClockFacts, SeatTime
from adjudicator.core.match import Seat
from adjudicator.core.message import Message
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    ParsedLog,
    ReplayedMatch,
    ReplayedPly,
    calendar_of,
    deadline_after,
    taken_back,
    undone_rulings,
)
from adjudicator.service.audit.sequence import goes_back
from adjudicator.service.audit.verdicts import AuditFinding
from adjudicator.service.base.bank import A_SECOND
from adjudicator.service.base.deadlines import timing_of
from adjudicator.service.base.options import Terms

_PEOPLE = (chain.PERSON, chain.OPEN, "")
# They end the announced forfeits of all seats.
_ENDS_ANNOUNCED = (SeatLeft, TakenBack, TakenBackUntil, WarningsEnded)
AFTER = "~"  # behind a time it stands for the end of that second


class LineInForce(Struct, frozen=True):
    """A line of the log, with the options that were in force when its ply was made."""

    match: ReplayedMatch
    ply: ReplayedPly
    agreed: Terms

    @property
    def log(self) -> ParsedLog:
        return self.match.log

    @property
    def entry(self) -> PlyText:
        return self.ply.entry

    @property
    def recent(self) -> Sequence[PlyText]:
        """Return the lines since orders were adjudicated last, this one included."""
        before = self.log.entries[: self.entry.ply - 1]
        ordered = max((n for n, one in enumerate(before, 1) if one.cause == "orders"), default=0)
        return [*before[ordered:], self.entry]

    @property
    def rulings(self) -> list[Ruled]:
        return [one for entry in self.recent for one in entry.rulings]

    @property
    def awaited(self) -> list[str]:
        awaiting = self.match.game.rules.awaiting(self.ply.before)
        return [seat for seat in self.match.setting.seats if seat in awaiting]

    @property
    def began(self) -> str:
        """Return when the line before was written."""
        return self.log.at(self.entry.ply - 1)

    @property
    def due(self) -> str:
        """Return the deadline that the line before told."""
        return self.log.due(self.entry.ply - 1)

    @property
    def is_whole(self) -> bool:
        return self.log.is_whole

    @property
    def undone(self) -> frozenset[int]:
        return undone_rulings(self.log.entries[: self.entry.ply])

    @property
    def made(self) -> list[Ruled]:
        """Return the rulings of this line since its ply was taken back last."""
        rulings = self.entry.rulings
        last_undo = max((one.number for one in rulings if one.action == "undo"), default=0)
        made = (one for one in rulings if one.number > last_undo or not self.is_whole)
        return [one for one in made if one.number not in self.undone]

    def of_the_clock(self) -> Iterator[tuple["LineInForce", Ruled]]:
        """Yield the rulings that excuse seats or look for substitutes, and that stand, with what
        was agreed then."""
        for number, one in enumerate(self.entry.rulings):
            made = effect_in(one)
            if (made.excused or made.sought_until) and one.number not in self.undone:
                agreed = self.log.terms_at(self.entry.ply - 1, self.entry.rulings[:number])
                yield replace(self, agreed=agreed or self.agreed), one

    @property
    def is_in_order(self) -> bool:
        """Return whether all that was decided since the line before came between the two: unless
        the clock was set back, of which all are told. In a match that began before 1.0.0 nobody is,
        and a ply may have been taken back whose line nobody has."""
        if self.is_whole:
            return not goes_back(self.log, self.entry)
        times = [*(one.at for one in self.entry.rulings), *(one.at for one in self.entry.holders)]
        return all(self.began <= at <= self.entry.at for at in times)

    def finding(self, what: Message, verdict: Callable[[Message], AuditFinding]) -> AuditFinding:
        return verdict(self.log.in_ply(self.entry, what))


def in_force(line: LineInForce, *, before: str = "") -> str:
    """Return the deadline that was in force when a ply was made, or `before` a time."""
    entry = line.entry
    if line.is_whole:
        rulings = [one for one in entry.rulings if one.number not in line.undone]
        return deadline_after(line.due, rulings, entry.holders, before=before)
    rulings = [one for one in entry.rulings if line.began <= one.at <= entry.at]
    holders = [one for one in entry.holders if line.began <= one.at <= entry.at]
    return deadline_after(line.due, rulings, holders, before=before)


def effect_in(one: Ruled) -> Effect:
    return effect_of(one.acts)


def facts_of(
    line: LineInForce,
    seats: Mapping[str, SeatTime],
    due: str,
    *,
    spare: timedelta = -A_SECOND,
    before: str = AFTER,
) -> ClockFacts:
    """Return what decides about a line; of searches for substitutes those from `before` a time."""
    rules, state = line.match.game.rules, line.ply.before
    effects = [(one, effect_in(one)) for one in line.rulings]
    searches = ((one, made.sought_until) for one, made in effects if one.due == due)
    sought = [until for one, until in searches if until and one.at < before]
    ends = _own_ends(line, due, spare)
    return ClockFacts(
        timing=timing_of(line.agreed),
        since=datetime.fromisoformat(line.began),
        due=datetime.fromisoformat(due) if due else None,
        seats={
            seat: replace(one, own_end=ends.get(seat), sought=bool(sought))
            for seat, one in seats.items()
        },
        provides=rules.provides(state),
        is_setup=rules.phase(state) == "setup",
        is_hurried=any(made.ends_waiting for _, made in effects),
        sought_until=max(sought, default=None),
    )


def _own_ends(line: LineInForce, due: str, spare: timedelta) -> Mapping[str, datetime]:
    """Return when the reserves of seats end, with some `spare` time, for a log has whole seconds: a
    second may be a day, where one begins that does not run. None in a match without."""
    if not due or not line.agreed.has_reserve:
        return {}
    seats = [str(seat) for seat in line.match.setting.seats]
    entry = line.entry
    held = line.log.reserves_at(seats, entry.ply - 1, entry.rulings, entry.holders)
    running, since = calendar_of(line.agreed), datetime.fromisoformat(due)
    return {
        seat: running.lasts_until(since, (held or {}).get(seat, 0) * A_SECOND + spare)
        for seat in seats
    }


def seat_time(
    line: LineInForce,
    seat: str,
    *,
    sent_at: datetime | None,
    is_awaited: bool = True,
    before: str = AFTER,
) -> SeatTime:
    """Return what decides about a seat, as the log tells it, `before` a time."""
    entry, rules = line.entry, line.match.game.rules
    return SeatTime(
        is_awaited=is_awaited,
        is_computer=line.log.holders_at(entry.ply).get(seat) not in _PEOPLE,
        has_left=seat in rules.gone(line.ply.before),
        sent_at=sent_at,
        missed=_excused(line, seat, before),
        silent=DORMANT_AFTER if is_awaited and _sleeps(line, seat) else 0,
        forfeit_at=_announced(line, seat),
        has_default=sent_at is None and _has_default(line, seat),
    )


def _has_default(line: LineInForce, seat: str) -> bool:
    default, before = line.match.game.rules.default, line.ply.before
    chance = line.match.chance(before).private(seat, f"default {line.entry.ply}")
    return default is not None and default(before, Seat(seat), chance) is not None


def _excused(line: LineInForce, seat: str, before: str) -> int:
    """Return how many misses of a seat's holder were excused `before` a time, and not given back
    because their ply was taken back; in a match that began before 1.0.0 all, if one was."""
    lines, undone = line.log.entries[: line.entry.ply], line.undone
    if any(map(taken_back, lines)) and not line.is_whole:
        return line.agreed.excused
    missed = 0
    for entry in lines:
        changed = max((one.at for one in entry.holders if one.seat == seat), default="")
        until = before if entry is line.entry else AFTER
        made = (one for one in entry.rulings if one.number not in undone)
        excused = (one for one in made if seat in effect_in(one).excused)
        missed = sum(changed <= one.at < until for one in excused) + (0 if changed else missed)
    return missed


def _sleeps(line: LineInForce, seat: str) -> bool:
    """Return whether a match does not wait for a seat, whose holder missed so many deadlines."""
    given: list[str] = []
    for entry in line.log.entries[: line.entry.ply]:
        given = [] if any(one.seat == seat for one in entry.holders) else given
        given += [one.by for one in entry.orders if one.seat == seat and entry.ply < line.entry.ply]
    return given[-DORMANT_AFTER:] == [BY_DEFAULT] * DORMANT_AFTER


def _announced(line: LineInForce, seat: str) -> datetime | None:
    """Return the time by which a seat had to send orders, as the game master announced it last
    since its own orders were adjudicated, a ply was taken back, or the seat got another holder.
    Moved deadlines are told with new times."""
    title = line.match.title(seat)
    found: datetime | None = None
    for entry in line.log.entries[: line.entry.ply]:
        made = (one for one in entry.rulings if one.number not in line.undone)
        for act in (act for one in made for act in one.acts):
            is_over = isinstance(act, _ENDS_ANNOUNCED) or (
                isinstance(act, PlaysNow) and act.seat == title
            )
            found = None if is_over else found
            for named, until in act.effect().forfeits:
                found = until if named == title else found
        ordered = any(one.seat == seat and one.by != BY_DEFAULT for one in entry.orders)
        if ordered and entry is not line.entry:
            found = None
    return found
