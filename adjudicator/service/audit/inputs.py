"""Play an opened log again from its inputs and the rules, and compare the log with what follows.

Theory of operation. A match is its opening, its inputs and the rules: the seed, what was agreed,
and in each ply the orders, or who left, and between two plies who got another seat. All else
follows. So the state is made from these alone. The events of the log are compared with the events
that follow, and they are never taken over: an event that nothing explains changes nothing here, and
is named. The inputs themselves are judged as the club must judge them: orders must be those of the
seats that were to move, and legal on their view of the position before the ply.

Where a ply contradicts the rules, the audit goes on from the state that follows from the rules. So
later plies may come out differently because of it; only the first of them is named.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.chain import AdjudicatedSheet, PlyText
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import Message, count, listed, say
from adjudicator.core.orders import MOST_ORDERS, Sheet, number_lines, shown
from adjudicator.releases import plays_alike
from adjudicator.service.audit.log import (
    BY_COMPUTER,
    BY_DEFAULT,
    UNREPLAYABLE,
    ParsedLog,
    PlyToJudge,
    ReplayedMatch,
    ReplayedPly,
    chance_of,
    moment,
    number_of,
    offers_after,
    possible_plies,
    taken_back,
)
from adjudicator.service.audit.verdicts import AuditFinding, asks, contradicts, leaves_open

# What built-in players ordered: they see their own view and have their own chance.


class Thinking(Struct, frozen=True):
    """Whether the orders of computers are computed again, and who is told after each of them how
    many that were."""

    wanted: bool = True
    told: Callable[[int], object] = lambda number: None


THINKING = Thinking()


class Computers:
    """Compute the orders of the built-in players again, ply by ply."""

    def __init__(self, played: ReplayedMatch, thinking: Thinking) -> None:
        self._played, self._log, self._thinking = played, played.log, thinking
        self._seen: dict[str, tuple[int, list[Any]]] = {}
        self.found = self._skipped = 0

    def judge(self, ply: PlyToJudge, one: AdjudicatedSheet) -> Iterator[AuditFinding]:
        """Say what is wrong with who gave orders, and with those of a computer."""
        if one.by not in ("", BY_COMPUTER, BY_DEFAULT):
            yield contradicts("orders were given by '{by}'", by=shown(one.by))
        kind = self._log.holders_at(ply.entry.ply).get(one.seat, "")
        is_computer = kind not in (chain.PERSON, chain.OPEN)
        title = self._played.title(one.seat)
        if one.by != BY_DEFAULT and is_computer != (one.by == BY_COMPUTER):
            what = (
                say("{seat} is a computer, and a person gave its orders", seat=title)
                if is_computer
                else say("a computer gave orders for {seat}, which a person plays", seat=title)
            )
            yield contradicts(what)
        elif one.by == BY_COMPUTER and not self._thinking.wanted:
            self._skipped += 1
        elif one.by == BY_COMPUTER:
            yield from self._computed(ply, one, kind)

    def _computed(
        self, ply: PlyToJudge, one: AdjudicatedSheet, kind: str
    ) -> Iterator[AuditFinding]:
        title = self._played.title(one.seat)
        version = self._log.version_at(ply.entry.ply)
        if any(lines == one.lines for lines in self._possible(ply, Seat(one.seat), kind)):
            self.found += 1
            self._thinking.told(self.found)
        elif not plays_alike(version, self._played.game.slug):
            yield asks(
                "this adjud lets the computer that plays {seat} give other orders. The club "
                "had adjud {version}: audit the match with that version, too",
                seat=title,
                version=shown(version),
            )
        elif taken_back(ply.entry):
            yield leaves_open(
                "the orders of the computer that plays {seat}, for a ply was taken back", seat=title
            )
        else:
            yield contradicts(
                "the computer that plays {seat} gives other orders on its view", seat=title
            )

    def _possible(self, ply: PlyToJudge, seat: Seat, kind: str) -> Iterator[tuple[str, ...]]:
        played, game = self._played, self._played.game
        if kind not in game.computers:
            return
        for possible in possible_plies(played, ply):
            use = f"computer {possible.entry.ply}"
            for number, state in reversed([*enumerate(possible.since)]):
                chance = played.chance(state).private(seat, use)
                view = self._view(state, seat, possible, number)
                yield tuple(game.orders.lines(game.computers[kind](view, chance)))

    def _view(self, state: Any, seat: Seat, ply: PlyToJudge, number: int) -> Any:
        """Return what a seat sees and remembers before a ply, after so many events between."""
        game = self._played.game
        view = game.sight.observe(state, seat)
        if game.sight.remember is None:
            return view
        between = self._played.sights(seat, ply.between[:number])
        seen = [*self._seen_before(seat, ply.entry.ply), *between]
        return game.sight.remember(view, seen, self._played.setting.options)

    def _seen_before(self, seat: Seat, ply: int) -> Sequence[Any]:
        """Return what a seat had seen up to the ply before."""
        known, seen = self._seen.get(seat, (0, []))
        if ply - 1 < known:  # orders that were carried on; they are few
            known, seen = 0, []
        for one in self._played.plies[known : ply - 1]:
            seen += self._played.sights(seat, [*one.between, *one.events])
        self._seen[seat] = ply - 1, seen
        return seen

    def sheets_left_out(self) -> Iterator[AuditFinding]:
        """Say what was not computed again, and why."""
        if not self._skipped:
            return
        told = count(
            "{n} order sheet of a computer was not computed again: {why}",
            "{n} order sheets of computers were not computed again: {why}",
            self._skipped,
            why=say("--no-computers was given"),
        )
        yield leaves_open(told)


# The plies, one after the other.


def recompute(
    game: AnyGame,
    match: str,
    seed: bytes,
    setting: Setting,
    log: ParsedLog,
    thinking: Thinking = THINKING,
) -> tuple[ReplayedMatch, Sequence[AuditFinding], int]:
    """Play a match again from its inputs; say what of its log does not follow from them, and how
    many orders of computers were found again."""
    number = number_of(log.opening)
    state = game.rules.set_up(setting, chance_of(game, match, seed, number))
    plies: list[ReplayedPly] = []
    played = ReplayedMatch(
        log=log,
        game=game,
        match=match,
        seed=seed,
        setting=setting,
        number=number,
        opening=state,
        plies=plies,
    )
    findings: list[AuditFinding] = [*_committed(played)]
    computers = Computers(played, thinking)
    for entry in log.entries:
        found: list[AuditFinding] = []
        try:
            ply = _ply(played, entry, computers, found)
        except UNREPLAYABLE as trouble:
            why = say("it cannot be played by the rules ({kind})", kind=type(trouble).__name__)
            findings.append(contradicts(log.in_ply(entry, why)))
            if (first := entry.ply + 1) <= (last := len(log.entries)):
                told = say("not played again: plies {first} to {last}", first=first, last=last)
                findings.append(leaves_open(told))
            break
        findings += [replace(one, told=log.in_ply(entry, one.told)) for one in found]
        plies.append(ply)
    return played, [*findings, *computers.sheets_left_out()], computers.found


def _committed(played: ReplayedMatch) -> Iterator[AuditFinding]:
    """Compare the commitments in the first line with those that follow from the seed."""
    chance = played.chance(played.opening)
    links = (
        ("key" if one.opened else "anchor", one.seat, chance.key(one.chain, one.number - 1).hex())
        for one in played.game.proof.links(played.opening, Seat(""))
    )
    if played.log.opening.commitments != (("seed", None, chance.commitment), *links):
        yield contradicts(
            "{paper}: the proofs in the first line of the log do not follow from the seed",
            paper=played.log.paper.name,
        )


def _ply(
    played: ReplayedMatch, entry: PlyText, computers: Computers, found: list[AuditFinding]
) -> ReplayedPly:
    """Play a ply again, and add what was `found` of it."""
    game = played.game
    between = _between(played, entry, found)
    since = [*accumulate(between, game.rules.apply, initial=played.last)]
    before, turn = since[-1], game.rules.turn(since[-1])
    if entry.turn != turn:
        what = say("it is called turn {seen}, and is turn {turn}", seen=entry.turn, turn=turn)
        found.append(contradicts(what))
    if entry.cause == "orders":
        ply = PlyToJudge(entry=entry, since=since, between=between)
        found += _orders(played, ply, computers)
        events = _adjudicated(played, before, entry, found)
    else:
        events = _ended(played, before, entry, found)
    state = fold(game, before, events)
    return ReplayedPly(entry=entry, since=since, between=between, events=events, state=state)


# What came between two plies: seats that got other holders.


def _between(played: ReplayedMatch, entry: PlyText, found: list[AuditFinding]) -> list[Any]:
    """Return what follows from seats that changed hands since the ply before.

    The line names these seats, in order. After a ply was taken back, a seat that had changed hands
    twice has given up only once.
    """
    told = _unpacked(played, entry.between)
    changed = [one.seat for one in played.log.handovers(entry)]
    in_order = not taken_back(entry)
    seats = changed if in_order else sorted(changed)
    explained, rest, used = _explained(played, told, seats, in_order)
    if rest:
        event = event_text(rest[0])
        what = say(
            "before it there is an event that no change of players explains: {event}", event=event
        )
        found.append(contradicts(what))
    if lacking := [seat for seat in changed if seat not in used]:
        seat = played.title(lacking[0])
        what = say("before it {seat} changed hands, without what the rules say of that", seat=seat)
        found.append(contradicts(what))
    return explained


def _explained(
    played: ReplayedMatch, told: Sequence[Any], seats: Sequence[str], in_order: bool
) -> tuple[list[Any], Sequence[Any], list[str]]:
    """Return the events that seats that changed hands explain, the first that they do not and all
    after it, and those seats."""
    game, state = played.game, played.last
    explained: list[Any] = []
    used: list[str] = []
    rest = told
    while True:
        possible = seats[len(used) : len(used) + 1] if in_order else seats
        for seat in possible:
            step = list(game.rules.succeed(state, Seat(seat)))
            if rest[: len(step)] == step and (step or in_order):
                break
        else:
            unseen = [seat for seat in seats if seat not in used]
            return (
                explained,
                rest,
                used + [one for one in unseen if not [*game.rules.succeed(state, Seat(one))]],
            )
        used.append(seat)
        state = fold(game, state, step)
        explained += step
        rest = rest[len(step) :]


def _unpacked(played: ReplayedMatch, events: Sequence[Any]) -> list[Any]:
    return [chain.unpack(played.game.rules.event, one, {}) for one in events]


def event_text(event: Any) -> str:
    """Return an event as the log writes it, short enough for a sentence."""
    return shown(json.dumps(chain.pack(event, {}), separators=(",", ":")), 80)


# What a ply does that nobody ordered: players who leave, and the end of a match.


def _ended(
    played: ReplayedMatch, before: Any, entry: PlyText, found: list[AuditFinding]
) -> list[Any]:
    """Return the events of a ply in which seats left or the match was ended."""
    told, cause = _unpacked(played, entry.events), shown(entry.cause)
    possible = [*_possible(played, before, entry)]
    right = max(possible, key=lambda events: sum(one in told for one in events), default=[])
    right = told if told in possible else right
    if not possible:
        found.append(contradicts("its cause is unknown: '{cause}'", cause=cause))
    elif right != told:
        found.append(contradicts(_first_difference(right, told)))
    if entry.orders:
        found.append(contradicts("it has orders, though its cause is '{cause}'", cause=cause))
    found += _declared(played, before, entry)
    return right


def _declared(played: ReplayedMatch, before: Any, entry: PlyText) -> Iterator[AuditFinding]:
    """Compare a resignation and an agreement with what the seats have said."""
    titles, gone = played.game.seat_titles, played.game.rules.gone(before)
    if entry.cause == "resignation":
        seats = entry.leave.seats if entry.leave else ()
        word, said = "RESIGN", {one.seat for one in entry.said if one.word == "RESIGN"}
    elif entry.cause == "agreement":
        seats = tuple(seat for seat in played.setting.seats if seat not in gone)
        before = played.log.entries[: entry.ply - 1]
        word, said = "DRAW", {*offers_after(before, entry.said, entry.holders)}
    else:
        return
    for seat in seats:
        if seat not in said:
            title = titles.get(Seat(seat)) or shown(seat)
            yield contradicts("{seat} did not send {word}, by the log", seat=title, word=word)


def _possible(played: ReplayedMatch, before: Any, entry: PlyText) -> Iterator[list[Any]]:
    """Yield what the cause of a ply can do by the rules."""
    game = played.game
    if entry.cause in ("agreement", "cancelled"):
        yield list(game.rules.close(before, entry.cause))
    elif (
        entry.cause in ("resignation", "forfeit")
        and entry.leave
        and entry.leave.reason == entry.cause
        and set(entry.leave.seats) <= set(played.setting.seats)
    ):
        left = [Seat(seat) for seat in entry.leave.seats]
        yield list(game.rules.leave(before, left, entry.cause))


# Orders: whose they are, whether they are legal, and what comes of them.


def _orders(played: ReplayedMatch, ply: PlyToJudge, computers: Computers) -> Iterator[AuditFinding]:
    game, entry, before = played.game, ply.entry, ply.before
    awaited = [seat for seat in played.setting.seats if seat in game.rules.awaiting(before)]
    given = [one.seat for one in entry.orders]
    titles = game.seat_titles
    if absent := [seat for seat in awaited if seat not in given]:
        seats = listed(titles[seat] for seat in absent)
        yield contradicts("the orders of {seats} are missing, and it was their turn", seats=seats)
    for number, one in enumerate(entry.orders):
        if one.seat not in awaited:
            seat = titles.get(Seat(one.seat)) or shown(one.seat)
            yield contradicts("{seat} gave orders, and it was not their turn", seat=seat)
        elif one.seat in given[:number]:
            seat = titles[Seat(one.seat)]
            yield contradicts("{seat} gave orders twice", seat=seat)
        else:
            yield from _sheet(played, ply, one)
            yield from computers.judge(ply, one)


def _sheet(played: ReplayedMatch, ply: PlyToJudge, one: AdjudicatedSheet) -> Iterator[AuditFinding]:
    """Judge the orders of a seat as the club must have judged them."""
    game, seat, before = played.game, Seat(one.seat), ply.before
    title = game.seat_titles[seat]
    if one.at > ply.entry.at:
        yield contradicts(
            "the orders of {seat} came after it, at {at}", seat=title, at=moment(one.at)
        )
    if one.by == BY_DEFAULT:
        if not _is_default(played, ply, one):
            yield contradicts("the default orders of {seat} are not those of the rules", seat=title)
        return
    sheet: Sheet[Any] = game.orders.parse(number_lines(one.lines))
    if len(one.lines) > MOST_ORDERS * 2 or sheet.problems:
        yield contradicts(_not_legal(title, sheet))
        return
    problems = game.orders.check(game.sight.observe(before, seat), sheet)
    if problems:
        yield contradicts(_not_legal(title, Sheet(sheet.written, tuple(problems))))
    elif tuple(game.orders.lines(sheet.orders)) != one.lines:
        yield contradicts("the orders of {seat} are not written as adjud writes them", seat=title)


def _not_legal(title: Message, sheet: Sheet[Any]) -> Message:
    """Say what is wrong with orders, with the first line that is not allowed."""
    if not sheet.problems:
        return say("the orders of {seat} are too many", seat=title)
    first = min(sheet.problems, key=lambda one: one.line)
    lines = [one.line for one in sheet.written]
    text = first.text or next((one.text for one in lines if one.number == first.line), "")
    return say(
        "{seat} ordered '{text}', which was not allowed: {why}",
        seat=title,
        text=shown(text),
        why=first.message,
    )


def _is_default(played: ReplayedMatch, ply: PlyToJudge, one: AdjudicatedSheet) -> bool:
    """Return whether orders are those that the rules give a silent seat."""
    game = played.game
    if game.rules.default is None:
        return False
    for possible in possible_plies(played, ply):
        for state in reversed(possible.since):
            use = f"default {possible.entry.ply}"
            chance = played.chance(state).private(one.seat, use)
            orders = game.rules.default(state, Seat(one.seat), chance)
            if orders is not None and tuple(game.orders.lines(orders)) == one.lines:
                return True
    return False


def _adjudicated(
    played: ReplayedMatch, before: Any, entry: PlyText, found: list[AuditFinding]
) -> list[Any]:
    """Return what comes of the orders."""
    game = played.game
    lines = {one.seat: one.lines for one in entry.orders}
    told = [chain.unpack(game.rules.event, one, lines) for one in entry.events]
    sheets = {seat: game.orders.parse(number_lines(one)) for seat, one in lines.items()}
    orders = {Seat(seat): sheet.orders for seat, sheet in sheets.items()}
    events = list(game.rules.adjudicate(before, orders, played.chance(before)))
    lean = chain.lean(events, game.proof.repeated, entry.events)
    if told != lean:
        found.append(contradicts(_first_difference(lean, told)))
    return events


def _first_difference(follows: Sequence[Any], told: Sequence[Any]) -> Message:
    """Say where the events of the log are others than those that follow from the rules."""
    number = next(
        (n for n, (one, other) in enumerate(zip(follows, told, strict=False)) if one != other),
        min(len(follows), len(told)),
    )
    right = event_text(follows[number]) if number < len(follows) else say("nothing")
    seen = event_text(told[number]) if number < len(told) else say("nothing")
    return say(
        "it comes out differently when it is replayed: {seen} in the log, {right} by the rules",
        seen=seen,
        right=right,
    )
