"""Turn a text into orders in force: understand it, check it against the sender's own view, store
it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from itertools import islice
from typing import Any, TypeAlias

from msgspec import Struct, structs

from adjudicator.core.commands import WORDS
from adjudicator.core.game import AnyGame, Seat
from adjudicator.core.message import Message, count, listed, say
from adjudicator.core.orders import MOST_ORDERS, Line, Problem, Sheet, clean, problem, said
from adjudicator.core.sheets import (
    COMMANDS,
    MOST_SHEETS,
    Command,
    Head,
    RawSheet,
    Reading,
    bare_sheet,
    read_sheets,
    unprefixed,
)
from adjudicator.games import GAMES
from adjudicator.service.base.loaded_match import Loaded, load, seat_of, titles
from adjudicator.service.base.next_step import has_ordered
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import append_ply
from adjudicator.service.match.receipts import Receipt
from adjudicator.store import matches, submissions
from adjudicator.store.database import Store, Tx

MOST_PROBLEMS = 50  # at most so many are listed in a receipt
MOST_OF_NONSENSE = 10  # the same, if nothing of the sheet is understood
MOST_TRIED = 60  # lines in a wrong place that are looked at for orders
MOST_MISPLACED = 10  # warnings of such lines


class Given(Struct, frozen=True):
    """What the command line or a letter's address says of a sheet beside its text.

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


class TakenApart(Struct, frozen=True):
    """A text taken apart, with no look at any match. `warnings` are about its `ignored` lines."""

    sheets: Sequence[RawSheet]
    ignored: Sequence[Line]
    warnings: Sequence[Problem]


Accept: TypeAlias = Callable[[Tx, Understood, Given, datetime], Receipt]


def submit(
    store: Store,
    text: str,
    given: Given,
    *,
    now: datetime,
    then: Callable[[Tx, Receipt], None] | None = None,
) -> list[Receipt]:
    """Hand in every sheet of a text, each in a transaction of its own: as a whole or not at all.

    `then` is called in that transaction once a sheet is stored.
    """

    def accept(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
        receipt = _store(tx, understood, given, now)
        if receipt.stored and then is not None:
            then(tx, receipt)
        return receipt

    return _answers(take_apart(unprefixed(text)), given, now, lambda: store.transaction(), accept)


def check(store: Store, text: str, given: Given, *, now: datetime) -> list[Receipt]:
    """Return the answers that `submit` would give; nothing is stored."""
    return _answers(take_apart(unprefixed(text)), given, now, lambda: store.reading(), _would_store)


def submit_in(tx: Tx, taken: TakenApart, given: Given, *, now: datetime) -> list[Receipt]:
    """Submit as `submit` does, but all of it in a transaction that is open already."""
    return _answers(taken, given, now, lambda: nullcontext(tx), _store)


def check_in(tx: Tx, taken: TakenApart, given: Given, *, now: datetime) -> list[Receipt]:
    """Check as `check` does, but in a transaction that is open already."""
    return _answers(taken, given, now, lambda: nullcontext(tx), _would_store)


def take_apart(text: str) -> TakenApart:
    """Take a text apart: its frames, or all of it as one sheet."""
    reading = read_sheets(text)
    return taken_apart(reading, would_read_as_orders(reading.ignored))


def taken_apart(reading: Reading, warnings: Iterable[Problem]) -> TakenApart:
    """Make the parts of a text that was read. `warnings` are about the lines outside of its
    sheets."""
    if not reading.sheets:
        return TakenApart((bare_sheet(reading),), (), ())
    return TakenApart(reading.sheets, reading.ignored, tuple(warnings))


def _answers(
    taken: TakenApart,
    given: Given,
    now: datetime,
    opened: Callable[[], AbstractContextManager[Tx]],
    accept: Accept,
) -> list[Receipt]:
    sheets = taken.sheets
    if len(sheets) > MOST_SHEETS:
        raise Refusal(
            say(
                "there are {n} sheets in one text; send at most {most} at once",
                n=len(sheets),
                most=MOST_SHEETS,
            )
        )
    twice = _twice(sheets, given)
    receipts = []
    for raw in sheets:
        with opened() as tx:
            understood = _read(tx, raw, given, twice, now)
            if isinstance(understood, Receipt):
                receipts.append(understood)
            else:
                receipts.append(accept(tx, understood, given, now))
    first, *rest = receipts
    return [_with_surroundings(first, taken), *rest]


def _with_surroundings(receipt: Receipt, taken: TakenApart) -> Receipt:
    """Tell what stood around the frames once, with the first sheet."""
    warnings = (*receipt.warnings, *taken.warnings)
    return structs.replace(receipt, warnings=warnings, ignored=taken.ignored)


def would_read_as_orders(ignored: Sequence[Line]) -> Iterator[Problem]:
    """Warn of the first lines outside of any sheet that seem to be meant as orders."""
    meant = (line for line in terse(ignored) if _is_an_order(line))
    for line in islice(meant, MOST_MISPLACED):
        yield problem(line, say("this reads as an order but stands outside ORDERS ... END"))


def terse(lines: Sequence[Line]) -> Sequence[Line]:
    """Return the first lines that are as short as orders are.

    To read a line as orders in vain takes a thousand times as long as to see that it is none, and
    most letters quote a whole report.
    """
    return tuple(islice((line for line in lines if _is_terse(line)), MOST_TRIED))


def _is_terse(line: Line) -> bool:
    return len(line.text) <= 80 and 0 < len(line.text.split()) <= 6


def _is_an_order(line: Line) -> bool:
    if said(line.text) in COMMANDS:
        return True
    sheets = (game.orders.parse([line]) for game in GAMES.values())
    return any(sheet.written and not sheet.problems for sheet in sheets)


def _twice(sheets: Sequence[RawSheet], given: Given) -> frozenset[tuple[str, str]]:
    """Return the (match, seat) that have more than one sheet in this text; all of those are
    refused."""
    named = Counter(_named(raw.head, given) for raw in sheets)
    return frozenset(pair for pair, n in named.items() if n > 1)


def _named(head: Head | None, given: Given) -> tuple[str, str]:
    match = head.match if head else given.match
    seat = (head.seat if head else None) or given.seat
    words = {word: seat for game in GAMES.values() for word, seat in game.seat_words.items()}
    return (match or "").lower(), words.get((seat or "").casefold(), (seat or "").casefold())


def _read(
    tx: Tx, raw: RawSheet, given: Given, twice: frozenset[tuple[str, str]], now: datetime
) -> Understood | Receipt:
    """Return the sheet and what is wrong with it, or the receipt of a sheet that is nobody's."""
    try:
        loaded, seat = _whose(tx, raw, given)
    except Refusal as refusal:
        found = [problem(raw.line, message) for message in refusal.messages]
        return _unaddressed(raw, [*raw.problems, *found])
    understood = _understand(loaded, seat, raw, given, now)
    problems = [*raw.problems, *understood.problems]
    if _named(raw.head, given) in twice:
        problems.append(problem(raw.line, say("there are two sheets for this seat; send one")))
    return structs.replace(understood, problems=problems)


def _whose(tx: Tx, raw: RawSheet, given: Given) -> tuple[Loaded, Seat]:
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
    loaded = load(tx, name)
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


def _store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
    """Put the sheet in force and do what its commands say."""
    loaded, seat = understood.loaded, understood.seat
    awake(tx, loaded, seat)
    if understood.problems:
        return _refused(understood)
    match = loaded.match
    words = dict.fromkeys(command.word for command in understood.commands)
    # A resignation by mail waits for its confirmation, for which the mail dialog asks.
    obeyed = [word for word in words if word != "RESIGN" or given.may_resign]
    done = [_OBEY[word](tx, loaded, seat, now) for word in obeyed]
    revision = None
    if understood.says_orders:
        revision = submissions.store(
            tx,
            match.id,
            match.ply + 1,
            seat,
            lines=understood.lines,
            text=understood.text,
            channel=given.channel,
            now=now,
            letter_id=given.letter_id,
        )
    fresh = append_ply.rest(tx, loaded, now)
    return _receipt(
        structs.replace(understood, loaded=fresh),
        accepted=True,
        stored=True,
        revision=revision,
        done=done,
    )


def awake(tx: Tx, loaded: Loaded, seat: Seat) -> None:
    """Note that somebody is there again, because he sent something, even if it was refused."""
    if loaded.holders[seat].silent:
        matches.update_seats(tx, loaded.match.id, [seat], silent=0)


def _would_store(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
    if understood.problems:
        return _refused(understood)
    match = understood.loaded.match
    last = submissions.last_revision(tx, match.id, match.ply + 1, understood.seat)
    words = dict.fromkeys(command.word for command in understood.commands)
    return _receipt(
        understood,
        accepted=True,
        revision=last + 1 if understood.says_orders else None,
        done=[say("understood: {words}", words=listed(WORDS[w] for w in words))] if words else (),
    )


def _resign(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if not _declared(loaded, seat, "RESIGN"):
        submissions.declare(tx, loaded.match.id, seat, "RESIGN", now)
    return say("your resignation takes effect at the next tick")


def _offer_draw(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if not _declared(loaded, seat, "DRAW"):
        submissions.declare(tx, loaded.match.id, seat, "DRAW", now)
    if set(loaded.seats) - loaded.gone - {seat} <= set(loaded.draw_offers):
        return say(
            "you accept the draw; the match ends at the next tick, unless the offer is withdrawn "
            "before"
        )
    return say(
        "your offer of a draw stands until the next orders of the others are adjudicated, or "
        "until you send CLEAR"
    )


def _clear(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    """Withdraw the sheet in force and an offer of a draw.

    A seat that had orders when it was to be forfeited is not forfeited afterwards.
    """
    match, forfeit_at = loaded.match, loaded.holders[seat].forfeit_at
    if forfeit_at and now >= forfeit_at and has_ordered(loaded, seat):
        matches.update_seats(tx, match.id, [seat], forfeit_at=None, forfeit_ply=None)
    submissions.close(tx, match.id, match.ply + 1, [seat], "withdrawn")
    submissions.settle_declarations(tx, _declared(loaded, seat, "DRAW"), "withdrawn")
    return say("what you had sent for this turn is withdrawn")


def _ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    matches.update_seats(tx, loaded.match.id, [seat], not_ready_ply=None)
    return say("you are ready; the turn may be adjudicated as soon as all orders are in")


def _not_ready(tx: Tx, loaded: Loaded, seat: Seat, now: datetime) -> Message:
    if loaded.match.hurried_ply == loaded.match.ply + 1:
        return say(
            "the game master has ended the waiting; the turn is adjudicated as soon as all orders "
            "are in"
        )
    matches.update_seats(tx, loaded.match.id, [seat], not_ready_ply=loaded.match.ply + 1)
    return say("the turn waits for you until the deadline, or until you say READY")


_OBEY = {
    "RESIGN": _resign,
    "DRAW": _offer_draw,
    "CLEAR": _clear,
    "READY": _ready,
    "NOTREADY": _not_ready,
}


def _declared(loaded: Loaded, seat: Seat, kind: str) -> list[int]:
    return [d.id for d in loaded.declarations if (d.seat, d.kind) == (seat, kind)]


def _refused(understood: Understood) -> Receipt:
    most = MOST_PROBLEMS if understood.lines else MOST_OF_NONSENSE
    return _receipt(understood, accepted=False, problems=_first(understood.problems, most))


def _first(problems: Sequence[Problem], most: int) -> Sequence[Problem]:
    """Return the first few, and how many more there are."""
    more = len(problems) - most
    if more <= 0:
        return problems
    left = count("and {n} more line like these", "and {n} more lines like these", more)
    return [*problems[:most], Problem(0, "", left)]


def _receipt(
    understood: Understood,
    *,
    accepted: bool,
    stored: bool = False,
    revision: int | None = None,
    problems: Sequence[Problem] = (),
    done: Sequence[Message] = (),
) -> Receipt:
    loaded = understood.loaded
    sheet = loaded.sheets.get(understood.seat)
    return Receipt(
        match=loaded.match.name,
        seat=understood.seat,
        turn=loaded.match.turn,
        accepted=accepted,
        stored=stored,
        revision=revision,
        orders=understood.lines if accepted else [],
        problems=problems,
        warnings=understood.warnings if accepted else (),
        ignored=[],
        in_force=sheet.revision if sheet else None,
        done=(*understood.explained, *done) if accepted else done,
        awaited=understood.seat in loaded.awaited and understood.seat not in loaded.resigned,
    )


def _unaddressed(raw: RawSheet, problems: Sequence[Problem]) -> Receipt:
    """Make the receipt of a sheet whose match or seat is not known: nothing was looked up for
    it."""
    head = raw.head
    return Receipt(
        match=head.match if head else None,
        seat=head.seat if head else None,
        turn=None,
        accepted=False,
        stored=False,
        revision=None,
        orders=[],
        problems=_first(problems, MOST_PROBLEMS),
        warnings=[],
        ignored=[],
        in_force=None,
    )
