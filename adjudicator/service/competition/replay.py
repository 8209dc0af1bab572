"""Follow the log of a tournament line by line, and compute again all that is decided by lots and
rules: numbers, pairings, byes, seats, points, and the table (club, 7.4 to 7.9).

The club asks it whether its own log is right, an audit whether the log of a club is. It has no
rules of its own: it builds the tournament that the lines tell of, and asks its kind. What it
believes are the inputs: who entered and left, ratings, who was silent, results of matches, and
decisions, which all entrants are told.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from msgspec import Struct, convert, structs

from adjudicator.core import contest_log, public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.contest_log import (
    ClosedLine,
    ContestLine,
    DecidedLine,
    EnteredLine,
    LogLine,
    NumberLine,
    OpenedLine,
    RestoredLine,
    ResultLine,
    RoundLine,
    StartedLine,
    WithdrawnLine,
)
from adjudicator.core.message import Message, say
from adjudicator.core.pairing import history
from adjudicator.core.pairing.points import points_of, points_of_match
from adjudicator.core.pairing.table import TableLine
from adjudicator.service.competition import entering, rounds
from adjudicator.service.competition.kinds import KINDS
from adjudicator.service.competition.kinds.kind import (
    Kind,
    NewPairing,
    Tournament,
    drawn_boards,
    in_order_of_numbers,
    too_few_left,
)
from adjudicator.store import tournaments
from adjudicator.store.database import Tx
from adjudicator.store.tournaments import EntryRow, Format, PairingRow, TournamentRow

# What kinds raise that are asked about lines which no club of ours has written.
_IMPOSSIBLE = (ValueError, LookupError, TypeError, AssertionError, ArithmeticError)
_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


class _Course(Struct):
    """A tournament as far as its lines were followed. Its entries have their numbers in the log as
    ids. `seed` is what the last line opens, None before that."""

    row: TournamentRow
    kind: Kind
    seed: bytes | None
    entries: dict[int, EntryRow] = {}
    ratings: dict[int, int] = {}
    pairings: dict[tuple[int, int, int], PairingRow] = {}
    came: int = 0

    @property
    def now(self) -> Tournament:
        in_order = sorted(self.pairings.values(), key=lambda one: one.key)
        return Tournament(self.row, [*self.entries.values()], in_order, self.kind)

    def change(self, key: tuple[int, int, int], **values: Any) -> None:
        self.pairings[key] = structs.replace(self.pairings[key], **values)


def parse(texts: Sequence[str]) -> list[LogLine]:
    """Read the lines of a log. Raises ValueError for one that is none."""
    return [contest_log.read(text) for text in texts]


class FollowedLog(Struct, frozen=True):
    """What in the lines of a tournament cannot be, and the tournament after them; None if a line
    makes no sense, with which it stops."""

    faults: Sequence[Message]
    end: Tournament | None


def follow(name: str, lines: Sequence[LogLine]) -> FollowedLog:
    faults: list[Message] = []
    n = 1
    try:
        course = _begin(name, lines)
        for n, line in enumerate(lines, start=1):
            if line.n != n or (n > 1 and isinstance(line, OpenedLine)):
                raise ValueError(n)
            wrong = [*_STEPS[type(line)](course, line)]
            faults += [say("line {n} of the log: {what}", n=n, what=one) for one in wrong]
    except _IMPOSSIBLE:
        return FollowedLog([*faults, say("line {n} of the log makes no sense", n=n)], None)
    return FollowedLog(faults, course.now)


def verify(tx: Tx, tournament: Tournament) -> list[Message]:
    """Return what is wrong with the log of a tournament of this club: its heads, what its lines
    say, and rows of which they say something else."""
    name, logged = tournament.row.name, tournaments.log(tx, tournament.row.id)
    if not logged:
        return []
    try:
        lines = parse([one.line for one in logged])
    except ValueError as trouble:
        return [say("{name}: {why}", name=name, why=str(trouble))]
    heads = contest_log.heads(name, [one.line for one in logged])
    wrong = [
        say("line {n} of the log has another fingerprint than is stored", n=one.n)
        for one, head in zip(logged, heads, strict=True)
        if one.head != head
    ]
    found = follow(name, lines)
    if found.end is not None and _rows(found.end) != _rows(tournament):
        wrong.append(say("the log says other pairings or results than are stored"))
    return [*wrong, *found.faults]


def _rows(tournament: Tournament) -> list[Any]:
    serials = {one.id: one.serial for one in tournament.entries}
    played = [
        (*one.key, one.kind, [serials[id_] for id_ in one.entries], one.points, bool(one.done_at))
        for one in tournament.pairings
    ]
    return [*played, sorted((one.serial or 0, one.number or 0) for one in tournament.entries)]


def _begin(name: str, lines: Sequence[LogLine]) -> _Course:
    first, last = lines[0], lines[-1]
    if not isinstance(first, OpenedLine):
        raise TypeError(first)
    seed = bytes.fromhex(last.seed) if isinstance(last, ClosedLine) else None
    row = TournamentRow(
        id=0,
        name=name,
        kind=first.kind,
        game=first.game,
        variant=first.variant,
        # Which names are hidden changes what is shown, and nothing that is decided.
        options={key: value for key, value in first.options.items() if key != "names"},
        format=convert(dict(first.format), Format),
        seed=seed or b"",
        chance=first.chance,
        status="open",
        round=0,
        is_public=False,
        starts_at=None,
        created_at=_LONG_AGO,
        started_at=None,
        ended_at=None,
        wake_at=None,
        trouble=None,
        changes=0,
    )
    return _Course(row, KINDS[first.kind], seed)


def _is_open(course: _Course, *statuses: str) -> None:
    """Raise ValueError for a line that comes at another time than it can."""
    if course.row.status not in statuses:
        raise ValueError(course.row.status)


def _opened(course: _Course, line: OpenedLine) -> Iterator[Message]:
    if course.seed is not None and history.commitment(course.seed) != line.commitment:
        yield say("the secret number that was shown at the end is another one")


def _entered(course: _Course, line: EnteredLine) -> Iterator[Message]:
    _is_open(course, "open")
    course.came += 1
    if line.entry != course.came:
        raise ValueError(line.entry)
    course.entries[line.entry] = EntryRow(
        id=line.entry,
        player_id=line.entry,
        player=str(line.entry),
        address=str(line.entry),
        serial=line.entry,
        number=None,
        status="in",
        silent_forfeits=0,
        entered_at=_LONG_AGO,
    )
    yield from ()


def _withdrawn(course: _Course, line: WithdrawnLine) -> Iterator[Message]:
    _is_open(course, "open", "waiting", "playing")
    one = course.entries[line.entry]
    if course.row.status == "open":
        del course.entries[line.entry]
    elif one.status == "withdrawn":
        raise ValueError(line.entry)
    else:
        course.entries[line.entry] = structs.replace(one, status="withdrawn")
    yield from ()


def _started(course: _Course, line: StartedLine) -> Iterator[Message]:
    _is_open(course, "open")
    came = [*course.entries]
    if [entry for entry, _ in line.ratings] != came:
        raise ValueError(line.ratings)
    course.ratings = {entry: rating for entry, rating in line.ratings if rating is not None}
    if course.row.chance == public_chance.SEED:
        yield from _numbered(course, line.numbers)
        return
    at = datetime.fromisoformat(line.at)
    course.row = structs.replace(course.row, status="waiting", started_at=at)
    if line.numbers:
        raise ValueError(line.numbers)
    if line.which != course.row.which:
        yield say(
            "the public number is {seen}, by the time of the start it must be {right}",
            seen=line.which,
            right=course.row.which,
        )
    if public_chance.is_too_early(line.which, at):
        yield say("the draw was less than a day after the start")


def _number(course: _Course, line: NumberLine) -> Iterator[Message]:
    """Check the public number as far as anybody can who does not look it up, and what it draws."""
    _is_open(course, "waiting")
    if line.which != course.row.which:
        yield say("another public number decides than was named")
    due = public_chance.publication_time(line.which)
    if due is None or (public_chance.draw_of(line.which) and datetime.fromisoformat(line.at) < due):
        yield say("the numbers were entered before they were drawn")
    with suppress(NoLibrary):
        fault = public_chance.fault(line.which, line.value)
        if fault is not None:
            yield fault
    course.row = structs.replace(course.row, public_value=line.value)
    yield from _numbered(course, line.numbers)


def _numbered(course: _Course, numbers: Sequence[int]) -> Iterator[Message]:
    """Number the entries, and compare that with lots and ratings; let the tournament be played."""
    came = [*course.entries]
    if sorted(numbers) != came:
        raise ValueError(numbers)
    if course.seed is not None:
        lots = {entry: str(entry) for entry in came}
        seed = course.row.lot_seed
        right = in_order_of_numbers(course.kind, seed, came, lots, course.ratings)
        if right != [*numbers]:
            yield say(
                "the numbers are {seen}, by ratings and lots they must be {right}",
                seen=_listed(numbers),
                right=_listed(right),
            )
    for number, entry in enumerate(numbers, start=1):
        course.entries[entry] = structs.replace(course.entries[entry], number=number)
    form = course.kind.at_start(course.row.format, len(came))
    course.row = structs.replace(course.row, status="playing", format=form)


def _round(course: _Course, line: RoundLine) -> Iterator[Message]:
    _is_open(course, "playing")
    if line.again:
        yield from _replays(course, line)
        return
    before = course.now
    if line.round != course.row.round + 1 or line.round > before.rounds:
        raise ValueError(line.round)
    if not course.kind.is_due(before, line.round):
        yield say("round {n} was paired too early", n=line.round)
    if course.seed is not None or course.kind.schedule is not None:
        right = _pairs(course, line)
        seen = [NewPairing(one.kind, one.numbers, list(one.points) or None) for one in line.boards]
        if seen != right:
            yield say(
                "round {n} is {seen}, by rules and lots it must be {right}",
                n=line.round,
                seen=_boards(seen),
                right=_boards(right),
            )
    for one in line.boards:
        _pair(course, line.round, one.board, 0, one)
    course.row = structs.replace(course.row, round=line.round)


def _pairs(course: _Course, line: RoundLine) -> list[NewPairing]:
    """Return the pairings of the next round, given who is left out and who is kept apart."""
    left_out = {n for one in line.boards if one.kind == "left_out" for n in one.numbers}
    address = {n: f"of {numbers[0]}" for numbers in line.apart for n in numbers}
    entries = []
    for one in course.entries.values():
        number = one.number or 0
        status = "silent" if number in left_out and one.status == "in" else one.status
        where = address.get(number, one.address)
        entries.append(structs.replace(one, status=status, address=where))
    now = course.now
    made = course.kind.pairs(Tournament(now.row, entries, now.pairings, course.kind), line.round)
    if made is None:
        return []
    return [structs.replace(one, points=list(one.points or ()) or None) for one in made]


def _replays(course: _Course, line: RoundLine) -> Iterator[Message]:
    now = course.now
    right = [
        (one.board, tuple(now.numbers[id_] for id_ in reversed(one.entries)))
        for one in (drawn_boards(now) if course.kind.knocks_out else [])
    ]
    if line.round != course.row.round or right != [(one.board, one.numbers) for one in line.boards]:
        yield say("other matches are played again than those that were drawn")
    for one in line.boards:
        _pair(course, line.round, one.board, 1, one)


def _pair(course: _Course, round_: int, board: int, again: int, one: Any) -> None:
    by_number = course.now.by_number
    who = [by_number[number] for number in one.numbers]
    is_match = one.kind == "match"
    is_gone = is_match and any(entry.status == "withdrawn" for entry in who)
    key = (round_, board, again)
    if key in course.pairings or (is_match and len(set(one.numbers)) < 2):
        raise ValueError(key)
    course.pairings[key] = PairingRow(
        round=round_,
        board=board,
        again=again,
        kind=one.kind,
        match_id=None,
        ending="withdrawn" if is_gone else "",
        made_at=_LONG_AGO,
        done_at=_LONG_AGO if is_gone or not is_match else None,
        ruling=None,
        entries=tuple(entry.id for entry in who),
        points=tuple(one.points) or tuple(None if is_match else 0 for _ in who),
    )


def _result(course: _Course, line: ResultLine) -> Iterator[Message]:
    _is_open(course, "playing")
    key = (line.round, line.board, line.again)
    pairing, now = course.pairings[key], course.now
    if pairing.kind != "match" or pairing.done_at is not None:
        raise ValueError(key)
    numbers = [now.numbers[id_] for id_ in pairing.entries]
    gone = [id_ for id_ in pairing.entries if course.entries[id_].status == "withdrawn"]
    if not line.match:
        if line.ending != "withdrawn" or not gone:
            raise ValueError(line.ending)
        right = entering.points_without_match(now, pairing.entries, gone[-1])
    else:
        if line.match != rounds.match_name(now, pairing):
            raise ValueError(line.match)
        if sorted(n for group in line.places for n in group) != sorted(numbers):
            raise ValueError(line.places)
        left = dict(line.left)
        silent = {str(n) for n, how in left.items() if how in ("silence", "asleep")}
        places = [[str(n) for n in group] for group in line.places]
        given = points_of_match(places, silent, seats=len(numbers))
        right = [given[str(n)] for n in numbers]
        by_result = "forfeit" if any(how != "resigned" for how in left.values()) else "played"
        if line.ending != by_result and not (line.ending == "withdrawn" and gone):
            yield say("the ending of {match} is {seen}", match=line.match, seen=line.ending)
    if [*line.points] != [*right]:
        yield _other_points(line.match or _board_named(line), line.points, right)
    points = line.points or (None,) * len(numbers)
    course.change(key, done_at=_LONG_AGO, ending=line.ending, points=tuple(points))


def _board_named(line: ResultLine | DecidedLine) -> str:
    return f"{line.round}-{line.board}"


def _other_points(match: str, seen: Sequence[int], right: Sequence[int]) -> Message:
    return say(
        "{match} gives {seen} points in 24ths, by its result it must be {right}",
        match=match,
        seen=_listed(seen),
        right=_listed(right),
    )


def _decided(course: _Course, line: DecidedLine) -> Iterator[Message]:
    if line.act == "replace":
        _is_open(course, "open", "waiting", "playing")
        if course.entries[line.entry].status == "withdrawn":
            raise ValueError(line.entry)
        return
    if line.act == "chance":
        _is_open(course, "open")
        draws = [public_chance.draw_of(str(one)) for one in (course.row.chance, line.ruling)]
        if None in draws:
            raise ValueError(line.ruling)
        course.row = structs.replace(course.row, chance=str(line.ruling))
        return
    _is_open(course, "playing")
    key = (line.round, line.board, line.again)
    pairing, now = course.pairings[key], course.now
    numbers = [str(now.numbers[id_]) for id_ in pairing.entries]
    later = course.kind.knocks_out and line.round < course.row.round
    if line.act != "result" or pairing.kind != "match" or later:
        raise ValueError(line.act)
    if line.ruling in ("draw", "void"):
        given = points_of([numbers]) if line.ruling == "draw" else dict.fromkeys(numbers, 0)
    else:
        winner = str(line.ruling)
        given = points_of([[winner], [one for one in numbers if one != winner]])
    right = [given[one] for one in numbers]
    if [*line.points] != right:
        yield _other_points(_board_named(line), line.points, right)
    ending = "void" if line.ruling == "void" else "ruled"
    course.change(key, done_at=_LONG_AGO, ending=ending, points=tuple(line.points))


def _restored(course: _Course, line: RestoredLine) -> Iterator[Message]:
    yield from ()


def _closed(course: _Course, line: ClosedLine) -> Iterator[Message]:
    _is_open(course, "open", "waiting", "playing")
    now = course.now
    if line.why == "over":
        is_last = course.row.round >= now.rounds or too_few_left(now)
        is_played = course.row.status == "playing"
        if not (is_played and now.is_done(course.row.round) and is_last):
            yield say("the tournament ended too early")
        course.row = structs.replace(course.row, status="over")
        right = course.kind.table(course.now, None)
        seen = [
            TableLine(
                place=one.place,
                number=one.number,
                points=one.points,
                compared=Fraction(one.compared),
                won=one.won,
                played=one.played,
                round=one.round,
            )
            for one in line.table
        ]
        for one, other in zip(seen, right, strict=True):
            if one != other:
                yield say(
                    "the table has number {n} in place {seen}, by the results it must be number "
                    "{right} in place {place}, or other points",
                    n=one.number,
                    seen=one.place,
                    right=other.number,
                    place=other.place,
                )
    elif line.why != "cancelled":
        raise ValueError(line.why)
    course.row = structs.replace(course.row, status="over")


def _listed(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers)) or "-"


def _boards(made: Sequence[NewPairing]) -> str:
    """Return pairings as the log's readers compare them: `1-4 2-3 5 (bye)`."""
    return (
        " ".join(
            "-".join(map(str, one.numbers)) + ("" if one.kind == "match" else f" ({one.kind})")
            for one in made
        )
        or "-"
    )


_STEPS: Mapping[type[ContestLine], Callable[[_Course, Any], Iterator[Message]]] = {
    OpenedLine: _opened,
    EnteredLine: _entered,
    WithdrawnLine: _withdrawn,
    StartedLine: _started,
    NumberLine: _number,
    RoundLine: _round,
    ResultLine: _result,
    DecidedLine: _decided,
    RestoredLine: _restored,
    ClosedLine: _closed,
}
