"""An opened log: its lines, what they say was so at any ply, and the match that was played again
from it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Any, TypeVar

from msgspec import Struct

from adjudicator.core import chain
from adjudicator.core.acts import Act, clock_changes, tells_holder
from adjudicator.core.chain import DeclaredWord, HolderChange, Opening, PlyText, Ruled
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, at, say
from adjudicator.core.orders import shown
from adjudicator.service.audit.papers import Document, differ
from adjudicator.service.base.bank import Running
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import reserves_after, reserves_decided
from adjudicator.service.base.options import Terms, options_after, terms

# What rules and readers raise that are given what no club of ours has written.
UNREPLAYABLE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
    OverflowError,
    Refusal,
)

A = TypeVar("A", bound=Act)
BY_COMPUTER, BY_DEFAULT = "computer", "default"  # who gave orders, as the log says
LOOK = chain.LOOK


class ParsedLog(Struct, frozen=True):
    """An opened log: the paper that opened it, what its first line says was agreed, its heads, and
    its entries from ply 1 on."""

    paper: Document
    opening: Opening
    lines: Sequence[str]
    heads: Sequence[str]
    entries: Sequence[PlyText]

    @property
    def rulings(self) -> list[tuple[PlyText, Ruled]]:
        """Return the rulings, each with its line."""
        return [(entry, one) for entry in self.entries for one in entry.rulings]

    def acts(self, kind: type[A]) -> list[A]:
        return [act for _, one in self.rulings for act in one.acts if isinstance(act, kind)]

    @property
    def is_whole(self) -> bool:
        """Return whether it has all acts of the clock, as logs have since 1.0.0."""
        return self.opening.max_gap is not None

    @property
    def has_undo(self) -> bool:
        return any(map(taken_back, self.entries))

    def at(self, ply: int) -> str:
        """Return when a ply was adjudicated; of ply 0 when the match began."""
        return [self.opening.at, *(one.at for one in self.entries[:ply])][-1]

    def due(self, ply: int) -> str:
        """Return the deadline that the line of a ply sets; empty if it sets none."""
        return [self.opening.due, *(one.due for one in self.entries[:ply])][-1]

    def version_at(self, ply: int) -> str:
        """Return the version of adjud that adjudicated a ply."""
        named = (one.version for one in self.entries[:ply] if one.version)
        return [self.opening.version, *named][-1]

    def due_in(self, entry: PlyText) -> str:
        """Return the deadline that was in force when a ply was adjudicated, as its line and the one
        before say; empty if there was none."""
        # A ruling that is told with the ply, as that of a forfeit, tells the deadline of before it.
        return deadline_after(self.due(entry.ply - 1), entry.rulings, entry.holders)

    def options_at(self, ply: int, since: Sequence[Ruled] = ()) -> dict[str, str]:
        """Return the options after a ply, as rulings that all players were told have changed those
        of the first line, and after the rulings since."""
        made = [*(one for entry in self.entries[:ply] for one in entry.rulings), *since]
        return options_after(self.opening.options, (act for one in made for act in one.acts))

    def terms_at(self, ply: int, since: Sequence[Ruled] = ()) -> Terms | None:
        """Return what these options say; None if they are none that a match can have."""
        try:
            return terms(self.options_at(ply, since))
        except (Refusal, ValueError, KeyError):
            return None

    def reserves_at(
        self,
        seats: Sequence[str],
        ply: int,
        rulings: Sequence[Ruled] = (),
        holders: Sequence[HolderChange] = (),
    ) -> Mapping[str, int] | None:
        """Return what the reserves hold after a ply and what came since."""
        reserves = reserves_after(self.opening, self.entries[:ply], seats)
        return reserves_decided(reserves, self.options_at(ply), rulings, holders, seats)

    def holders_at(self, ply: int) -> dict[str, str]:
        """Return who held the seats when a ply was adjudicated, persons and computers."""
        held = {one.seat: one.kind for one in self.opening.holders}
        for entry in self.entries[:ply]:
            held |= {one.seat: one.kind for one in entry.holders}
        return held

    def handovers(self, entry: PlyText) -> list[HolderChange]:
        """Return the changes before a ply by which a holder gave a seat up that was not open."""
        held, found = self.holders_at(entry.ply - 1), []
        for change in entry.holders:
            if held.get(change.seat) != chain.OPEN:
                found.append(change)
            held[change.seat] = change.kind
        return found

    def last_ordered_ply(self, seat: str, ply: int) -> int:
        """Return the last ply, up to that one, in which orders of a seat were adjudicated that were
        not given for it because it was silent; 0 if there is none."""
        own = (
            entry.ply
            for entry in self.entries[:ply]
            if any(one.seat == seat and one.by != BY_DEFAULT for one in entry.orders)
        )
        return max(own, default=0)

    def in_ply(self, entry: PlyText, what: Message) -> Message:
        return say("{paper}: ply {ply}: {what}", paper=self.paper.name, ply=entry.ply, what=what)


def read_log(match: str, papers: Sequence[Document]) -> tuple[ParsedLog | None, list[Message]]:
    """Return the opened log, if there is one that can be read."""
    opened = [(paper, paper.log) for paper in papers if paper.log is not None]
    if not opened:
        return None, []
    paper, first = opened[0]
    wrong = [differ(say("the full log"), paper, other) for other, log in opened if log != first]
    try:
        opening = chain.read_opening(first.lines[0])
        told = [chain.read(line, opening.label) for line in first.lines[1:]]
        entries = [*chain.with_deadlines(opening, told)]
    except (ValueError, OverflowError):
        return None, [*wrong, say("{paper}: the full log cannot be read", paper=paper.name)]
    if [one.ply for one in entries] != list(range(1, len(entries) + 1)):
        wrong.append(say("{paper}: a ply is missing from the full log", paper=paper.name))
    heads = list(chain.heads(match, bytes.fromhex(first.key), first.lines))
    return ParsedLog(paper, opening, first.lines, heads, entries), wrong


def moment(told: str) -> Message | str:
    """Put a time of a log into a sentence; what is none, as it stands there."""
    try:
        return at(told) if datetime.fromisoformat(told).tzinfo else shown(told)
    except ValueError:
        return shown(told)


# What follows from lines.


def deadline_after(
    due: str, rulings: Iterable[Ruled], holders: Iterable[HolderChange], *, before: str = ""
) -> str:
    """Return the deadline in force after these, where it was `due`; or `before` a time."""
    made = [one for one in rulings if one.action != LOOK and not (before and one.at >= before)]
    changes = [one for one in holders if not (before and one.at >= before)]
    # What came before the clock was set back is earlier, whatever its time.
    if set_back := [number for number, one in enumerate(made) if clock_changes(one.acts)]:
        earlier, made = made[: set_back[-1]], made[set_back[-1] :]
        told = {one.at for one in earlier if tells_holder(one.acts)}
        changes = [one for one in changes if one.at not in told and one.at >= made[0].at]
    moved = [(one.at, one.due) for one in changes] + [(one.at, one.due) for one in made]
    return sorted(moved, key=itemgetter(0))[-1][1] if moved else due  # of one second the last


def calendar_of(agreed: Terms) -> Running:
    """Return what runs for a seat whose player is never away."""
    return Running(zone=agreed.zone, skip=agreed.skip, double=agreed.double)


def offers_after(
    entries: Sequence[PlyText], said: Sequence[DeclaredWord], holders: Sequence[HolderChange]
) -> tuple[str, ...]:
    """Return the seats whose offers of a draw stand after these lines and what came since: until
    another seat's orders are adjudicated, or until the seat withdraws it or changes hands. The
    offer of a seat that resigns is shown until another seat's orders are adjudicated."""
    standing: dict[str, str] = {}  # since when
    since = PlyText(ply=0, turn=0, at="", cause="", said=tuple(said), holders=tuple(holders))
    for entry in (*entries, since):
        for one in entry.said:
            if one.word != "RESIGN":
                standing.pop(one.seat, None)
            if one.word == "DRAW":
                standing[one.seat] = one.at
        for change in entry.holders:
            if standing.get(change.seat, "~") <= change.at:
                del standing[change.seat]
        ordered = {one.seat for one in entry.orders}
        standing = {seat: at for seat, at in standing.items() if not ordered - {seat}}
    return tuple(standing)


def times_silent(entry: PlyText, seat: str) -> Iterator[str]:
    """Yield when a seat was treated as silent in a ply."""
    if entry.cause == "forfeit" and entry.leave and seat in entry.leave.seats:
        yield entry.at
    yield from (one.at for one in entry.orders if one.seat == seat and one.by == BY_DEFAULT)


def is_forfeit_decided(entry: PlyText) -> bool:
    """Return whether the game master decided the forfeit of a ply, and no clock; one that he took
    back with its ply does not count."""
    undone = max((one.number for one in entry.rulings if one.action == "undo"), default=0)
    return any(one.action == "forfeit" and one.number >= undone for one in entry.rulings)


def taken_back(entry: PlyText) -> bool:
    return any(ruled.action == "undo" for ruled in entry.rulings)


def undone_rulings(entries: Sequence[PlyText]) -> frozenset[int]:
    """Return the numbers of the rulings that were made in plies that were taken back. They stand in
    a later line than some that were made after them."""
    found, newest = set[int](), 0
    for entry in entries:
        numbers = [one.number for one in entry.rulings if one.action != LOOK]
        found.update(one for one in numbers if one < newest)
        newest = max([newest, *numbers])
    return frozenset(found)


def first_lost_ply(entries: Sequence[PlyText]) -> int:
    """Return the first ply that was taken back and after which no line was written with what was
    ruled in it: that stands in the line after it. One behind the last ply if there is none such."""
    found, undone = len(entries) + 1, 0
    for entry in reversed(entries):
        undone += sum(one.action == "undo" for one in entry.rulings)
        if taken_back(entry) and entry.ply + undone > len(entries):
            found = entry.ply
    return found


# The match that was played again.


def number_of(opening: chain.Opening) -> chain.PublicChance | None:
    """Return the public number that decided with the seed; None if there was none."""
    return opening.chance if isinstance(opening.chance, chain.PublicChance) else None


def chance_of(
    game: AnyGame,
    match: str,
    seed: bytes,
    number: chain.PublicChance | None,
    phrases: tuple[str, ...] = (),
) -> Chance:
    """Return the chance of a match of that opened seed."""
    label = game.proof.label
    if number is None:
        return Chance(seed, match, label, phrases)
    return Chance.of_number(seed, match, number.which, number.value, label, phrases)


class Happened(Struct, frozen=True):
    """An event of a match and its ply. `number` counts from 1 those that came between that ply and
    the next."""

    ply: int
    event: Any
    number: int = 0


class PlyToJudge(Struct, frozen=True, kw_only=True):
    """A ply whose orders are judged. `since` are the states from the ply before on: after it, and
    after each of the events `between` the two. The last of them is the one that was ordered in."""

    entry: PlyText
    since: Sequence[Any]
    between: Sequence[Any]

    @property
    def before(self) -> Any:
        return self.since[-1]


class ReplayedPly(PlyToJudge, frozen=True, kw_only=True):
    """A ply that was played again, and what came of it."""

    events: Sequence[Any]
    state: Any


class ReplayedMatch(Struct, frozen=True, kw_only=True):
    """A match that was played again from its log: its opening position, its plies, its events, and
    its states after each ply and after each event that came between that and the next."""

    log: ParsedLog
    game: AnyGame
    match: str
    seed: bytes
    setting: Setting
    number: chain.PublicChance | None
    opening: Any
    plies: Sequence[ReplayedPly]

    def title(self, seat: str) -> Message:
        return self.game.seat_titles[Seat(seat)]

    def sights(self, seat: Seat, events: Iterable[Any]) -> list[Any]:
        """Return what a seat sees of events."""
        seen = (self.game.sight.witness(event, seat) for event in events)
        return [one for one in seen if one is not None]

    @property
    def last(self) -> Any:
        return self.plies[-1].state if self.plies else self.opening

    def events(self) -> Iterator[Happened]:
        for one in self.plies:
            ply = one.entry.ply
            for number, event in enumerate(one.between, start=1):
                yield Happened(ply - 1, event, number)
            for event in one.events:
                yield Happened(ply, event)

    def states(self) -> Mapping[int, Sequence[Any]]:
        found: dict[int, Sequence[Any]] = {0: [self.opening]}
        for one in self.plies:
            found[one.entry.ply - 1] = one.since
            found[one.entry.ply] = [one.state]
        return found

    def chance(self, state: Any) -> Chance:
        phrases = self.game.proof.phrases(state)
        return chance_of(self.game, self.match, self.seed, self.number, phrases)


def possible_plies(played: ReplayedMatch, ply: PlyToJudge) -> Iterator[PlyToJudge]:
    """Yield the plies, the last first, for which its orders can have been given.

    Where a player left and nothing was ordered, the orders of the others are carried on.
    """
    yield ply
    for one in reversed(played.plies):
        if one.entry.cause == "orders":
            return
        yield one


def setting_of(opening: Opening, game: AnyGame, board: str = "") -> Setting:
    """Return what was agreed, as a game takes it."""
    held = {one.seat for one in opening.holders}
    seats = tuple(seat for seat in game.seats if seat in held)
    return Setting.of(game.options, opening.variant, opening.options, seats, board)
