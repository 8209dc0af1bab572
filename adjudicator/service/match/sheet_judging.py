"""Judge a sheet on its sender's own view: what it orders and what is wrong with it."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.game import AnyGame, Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import MOST_ORDERS, Problem, Sheet, clean, problem
from adjudicator.core.sheets import Command, Head, RawSheet
from adjudicator.games import GAMES
from adjudicator.service.base.loaded_match import Loaded, seat_of, titles
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match.receipts import Receipt, unaddressed


class Given(Struct, frozen=True):
    """The command line or a letter's address says this of a sheet beside its text.

    `turn` is that of the report which its letter answers. By mail a resignation is not taken until
    it is confirmed (letters, section 3).
    """

    match: str | None = None
    seat: str | None = None
    channel: str = "file"
    may_resign: bool = True
    letter_id: int | None = None
    turn: int | None = None


class Understood(Struct, frozen=True):
    """A sheet whose match and seat are known: what it orders and what is wrong with it;
    `explained` says what its lines mean."""

    loaded: Loaded
    seat: Seat
    text: str
    lines: Sequence[str]
    commands: Sequence[Command]
    problems: Sequence[Problem]
    warnings: Sequence[Problem] = ()
    explained: Sequence[Message] = ()
    says_orders: bool = True


def judge(
    raw: RawSheet,
    given: Given,
    twice: frozenset[tuple[str, str]],
    find: Callable[[str], Loaded],
    now: datetime,
) -> Understood | Receipt:
    """Return the sheet and what is wrong with it, or the receipt of a sheet that is nobody's.

    `find` returns the match of a name, or raises Refusal.
    """
    try:
        loaded, seat = _whose(raw, given, find)
    except Refusal as refusal:
        found = [problem(raw.line, message) for message in refusal.messages]
        return unaddressed(raw, [*raw.problems, *found])
    understood = _understand(loaded, seat, raw, given, now)
    problems = [*raw.problems, *understood.problems]
    if _named(raw.head, given) in twice:
        problems.append(problem(raw.line, say("there are two sheets for this seat; send one")))
    return structs.replace(understood, problems=problems)


def twice_named(sheets: Sequence[RawSheet], given: Given) -> frozenset[tuple[str, str]]:
    """Return the (match, seat) that have more than one sheet in this text; all of those are
    refused."""
    named = Counter(_named(raw.head, given) for raw in sheets)
    return frozenset(pair for pair, n in named.items() if n > 1)


def _named(head: Head | None, given: Given) -> tuple[str, str]:
    match = head.match if head else given.match
    seat = (head.seat if head else None) or given.seat
    words = {word: seat for game in GAMES.values() for word, seat in game.seat_words.items()}
    return (match or "").lower(), words.get((seat or "").casefold(), (seat or "").casefold())


def _whose(raw: RawSheet, given: Given, find: Callable[[str], Loaded]) -> tuple[Loaded, Seat]:
    """Return the match and seat of a sheet. Raises Refusal."""
    head = raw.head
    if head is None and (given.match is None) != (given.seat is None):
        raise Refusal(
            say(
                "lines without ORDERS ... END need both --match and --seat; {missing} is missing",
                missing="--match" if given.match is None else "--seat",
            )
        )
    if head is None and not (given.match and given.seat):
        raise Refusal(
            say("there is no sheet here; frame one with ORDERS match seat turn 7 ... END")
        )
    name = head.match if head else str(given.match)
    if head and given.match and head.match.lower() != given.match.lower():
        raise Refusal(
            say("this sheet is for {seen}, not for {wanted}", seen=name, wanted=given.match)
        )
    loaded = find(name)
    word = (head.seat if head else None) or given.seat
    if word is None:
        raise Refusal(say("which seat? write ORDERS {match} and the seat", match=name))
    seat = seat_of(loaded.game, word)
    if given.seat and seat != seat_of(loaded.game, given.seat):
        raise Refusal(
            say(
                "this sheet is for {seen}, not for {wanted}",
                seen=loaded.game.seat_titles[seat],
                wanted=loaded.game.seat_titles[seat_of(loaded.game, given.seat)],
            )
        )
    if seat not in loaded.holders:
        title = loaded.game.seat_titles[seat]
        raise Refusal(say("nobody plays {seat} in {match}", seat=title, match=name))
    return loaded, seat


def _understand(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Given, now: datetime
) -> Understood:
    game = loaded.game
    sheet, orders = _parsed(game, raw)
    understood = sheet.orders
    says_orders = bool(orders or not raw.commands)
    meant = given.turn if says_orders else None
    problems = list(_untimely(loaded, seat, raw, meant, says_orders, now))
    warnings: Sequence[Problem] = ()
    explained: Sequence[Message] = ()
    if orders > MOST_ORDERS and not problems:
        problems = [problem(raw.line, _too_many(orders))]
    elif says_orders and not problems:
        # The sheet is judged by its sender's view, so that no answer tells him more than he sees.
        view = game.sight.observe(loaded.state, seat)
        found = [*sheet.problems, *game.orders.check(view, sheet)]
        problems = sorted(found, key=lambda entry: (entry.line == 0, entry.line))
        if not problems:
            understood = tuple(game.orders.completed(view, order) for order in understood)
            warnings = game.orders.warn(view, sheet)
            explained = tuple(game.orders.explain(view, understood))
    return Understood(
        loaded=loaded,
        seat=seat,
        text="\n".join(line.text for line in (raw.line, *raw.body)),
        lines=[line for order in understood for line in game.orders.canonical(order).split("\n")],
        commands=raw.commands,
        problems=problems,
        warnings=warnings,
        explained=explained,
        says_orders=says_orders,
    )


def _parsed(game: AnyGame, raw: RawSheet) -> tuple[Sheet[Any], int]:
    """Return the orders of a sheet and how many it has, or lines that should be orders.

    Of far too many nothing is read: to read and judge them takes as long as their writer wishes.
    """
    lines = sum(1 for line in raw.body if clean(line.text))
    if lines > MOST_ORDERS:
        return Sheet((), ()), lines
    sheet: Sheet[Any] = game.orders.parse(raw.body)
    n = len(sheet.written) + len(sheet.problems)
    return (sheet, n) if n <= MOST_ORDERS else (Sheet((), ()), n)


def _too_many(n: int) -> Message:
    return say(
        "there are {n} lines to be read as orders here; a sheet has at most {most}",
        n=n,
        most=MOST_ORDERS,
    )


def _untimely(
    loaded: Loaded,
    seat: Seat,
    raw: RawSheet,
    meant: int | None,
    says_orders: bool,
    now: datetime,
) -> Iterator[Problem]:
    """Return what is wrong with the time of a sheet (interface, section 2).

    It may be for another turn, for a match that is over, from a seat that is not awaited, or a
    change after the deadline. `meant` is the turn of a sheet that names none.
    """
    turn, match = loaded.match.turn, loaded.match
    asked = raw.head.turn if raw.head else None
    words = {command.word for command in raw.commands}
    if match.status == "over":
        yield problem(raw.line, say("{match} is over", match=match.name))
    elif seat in loaded.gone:
        yield problem(raw.line, say("{seat} has left this match", seat=titles(loaded, [seat])))
    elif seat not in loaded.awaited and (says_orders or words & {"READY", "NOTREADY"}):
        others = titles(loaded, loaded.awaited)
        told = say(
            "turn {turn} waits for the orders of {seats} now, not for yours",
            turn=turn,
            seats=others,
        )
        yield problem(raw.line, told)
    elif asked is not None and asked != turn:
        yield problem(
            raw.line,
            say(
                "this sheet is for turn {asked}; turn {turn} is to be ordered",
                asked=asked,
                turn=turn,
            ),
        )
    elif asked is None and meant not in (None, turn):
        told = say(
            "your letter answers the report of turn {meant}, and turn {turn} is to be ordered; "
            "write ORDERS {match} turn {turn} if that is what you mean",
            meant=str(meant),
            turn=turn,
            match=match.name,
        )
        yield problem(raw.line, told)
    elif _too_late(loaded, seat, now) and (says_orders or "CLEAR" in words):
        late = say("the deadline has passed; the orders that you have in force stay")
        yield problem(raw.line, late)


def _too_late(loaded: Loaded, seat: Seat, now: datetime) -> bool:
    """Return whether a sheet is too late: after the deadline it counts only for a seat that had
    none."""
    deadline = loaded.match.deadline_at
    return deadline is not None and now >= deadline and seat in loaded.sheets
