"""Judge a sheet on its sender's own view: what it orders and what is wrong with it. One that was
sent in advance is judged when its turn comes (Espionage rules 8.4, 8.7).

`core/conditions.py` opens with the theory of these. They are judged in the transaction that appends
the ply before that turn: a sheet is used or dropped with that ply, or it is still kept.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from msgspec import structs

from adjudicator.core import chain, conditions
from adjudicator.core.command_table import ACTING, WORDS
from adjudicator.core.commands import Jotting, jotting_of, split_jottings
from adjudicator.core.conditions import (
    canonical,
    doubtful,
    has_conditions,
    impossible,
    read_plan,
    reads_as_orders,
)
from adjudicator.core.conditions import judge as judge_plan
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import (
    MOST_ORDERS,
    Line,
    Problem,
    Sheet,
    clean,
    in_order,
    problem,
    shown,
    split_lines,
)
from adjudicator.core.sheets import Head, RawSheet
from adjudicator.core.text import told_strange
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.deadlines import MOST_KEPT, is_ahead, is_open, ply_of, takes_advance
from adjudicator.service.base.loaded_match import (
    Loaded,
    MatchSession,
    load,
    refuse_unopened,
    seat_of,
)
from adjudicator.service.emails.paragraphs import Receipt, receipt_of_no_seat
from adjudicator.service.matches import sheet_parsing
from adjudicator.service.matches.sheet_parsing import Ahead, JudgedSheet, Source, judged_sheet
from adjudicator.service.reports.standing import read_log
from adjudicator.store import submissions
from adjudicator.store.database import Tx
from adjudicator.store.submissions import AdvanceVerdict, KeptSheet

# Understand a sheet for a later turn: nothing of it is judged but what no position allows.


# Commands that say something of the present turn or of the match, and so nothing of a later one.
_OF_NOW = ACTING - {"CLEAR", "CLEAR ADVANCE"}


def judge_in_advance(
    loaded: Loaded, seat: Seat, raw: RawSheet, ahead: Ahead, view: Any = None
) -> JudgedSheet:
    """Understand a sheet for a later turn: nothing is judged but what no position allows.

    `view` is what is known of the match, if not all that the seat sees.
    """
    game = loaded.game
    says_orders = bool(any(clean(line.text) for line in raw.body) or not raw.commands)
    plan = read_plan(game, raw.body)
    view = view or game.sight.observe(loaded.state, seat)
    problems = list(_unkeepable(loaded, seat, raw, ahead, says_orders))
    if says_orders and not problems:
        found = [*plan.problems, *impossible(game, plan, view)]
        problems = in_order(found)
    warnings = () if problems or not says_orders else tuple(doubtful(game, plan, view))
    return structs.replace(
        judged_sheet(loaded, seat, raw, canonical(game, plan), problems),
        warnings=warnings,
        says_orders=says_orders,
        ahead=ahead,
    )


def _unkeepable(
    loaded: Loaded, seat: Seat, raw: RawSheet, ahead: Ahead, says_orders: bool
) -> Iterator[Problem]:
    """Return why a sheet for a later turn is not kept (Espionage rules 8.1, 8.2)."""
    if told := sheet_parsing.message_for_ended(loaded, seat):
        yield problem(raw.line, told)
        return
    if not is_open(loaded):
        told = say(
            "orders for later turns can be saved once the match and its first turn have begun"
        )
        yield problem(raw.line, told)
        return
    for command in raw.commands:
        if command.word in _OF_NOW:
            told = say(
                "{word} does not belong in orders for a later turn; send it separately",
                word=WORDS[command.word],
            )
            yield problem(command.line, told)
    clears = any(command.word == "CLEAR ADVANCE" for command in raw.commands)
    others = [sheet.turn for sheet in loaded.kept.get(seat, ()) if sheet.turn != ahead.turn]
    if says_orders and len(others) >= MOST_KEPT and not clears:
        told = say(
            "you already have orders saved for {most} later turns: {turns}",
            most=MOST_KEPT,
            turns=", ".join(map(str, others)),
        )
        yield problem(raw.line, told)


# Commands that may be sent at any time and replace nothing (interface, section 2).
_BESIDE_ANY = frozenset({"DRAW", "RESIGN"})
CAPITALS = say(
    "a mark or note must start with MARK or NOTE in capitals and without a colon, or be between "
    "ORDERS and END"
)


def judge(
    tx: Tx,
    raw: RawSheet,
    given: Source,
    beside: Sequence[RawSheet],
    known: Loaded | None,
    now: datetime,
    is_hidden: Callable[[Loaded, Seat], bool] = lambda loaded, seat: False,
) -> JudgedSheet | Receipt:
    """Return the sheet and what is wrong with it, or the receipt of a sheet that is nobody's.

    `beside` are all sheets of the text, `known` is the match if it is loaded already. What a seat
    that `is_hidden` may know and others may not has no part in it.
    """
    try:
        loaded, seat = _whose(tx, raw, given, known)
    except Refusal as refusal:
        found = [problem(raw.line, message) for message in refusal.messages]
        return receipt_of_no_seat(raw, [*raw.problems, *found])
    hidden = is_hidden(loaded, seat)
    if hidden:
        loaded = structs.replace(loaded, sheets={}, kept={}, declarations=())
    if raw.head and raw.head.origin and not sheet_parsing.is_of_ours(tx, loaded, raw.head.origin):
        undone = judged_sheet(loaded, seat, raw, (), [problem(raw.line, sheet_parsing.UNDONE)])
        return structs.replace(undone, words_alone=hidden)
    orders, jottings = _without_jottings(loaded, raw)
    if _is_empty(orders) and jottings:
        understood = _jottings_alone(loaded, seat, orders)
    elif hidden:
        understood = _understand_words(loaded, seat, orders, given, now)
    else:
        understood = _understand(tx, loaded, seat, orders, given, now)
    problems = [*raw.problems, *_with_strange_letters(loaded.game, understood.problems)]
    if told := _twice(loaded, seat, raw, given, beside):
        problems.append(problem(raw.line, told))
    return structs.replace(
        understood,
        problems=problems,
        jottings=jottings,
        seen=_ply_of_marks(loaded, seat, raw, given),
        words_alone=hidden,
    )


def orders_nothing(loaded: Loaded, raw: RawSheet) -> bool:
    """Return whether a sheet holds marks and notes alone: it needs no turn and replaces nothing
    (Espionage rule 9.2)."""
    orders, jottings = _without_jottings(loaded, raw)
    return bool(jottings) and _is_empty(orders)


def _without_jottings(loaded: Loaded, raw: RawSheet) -> tuple[RawSheet, tuple[Jotting, ...]]:
    """Split a sheet into its orders, and its marks and notes where the game takes any."""
    if loaded.game.marks is None:
        return raw, ()
    jottings, body = split_jottings(raw.body, outside=raw.head is None)
    return structs.replace(raw, body=body), jottings


def _nearly_marks(game: AnyGame, raw: RawSheet, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Say of lines without a frame that they would be marks or notes in capitals and without a
    colon, in place of what is wrong with them as orders."""
    takes = game.marks is not None and raw.head is None
    small = {line.number for line in raw.body if takes and jotting_of(line)}
    for one in problems:
        yield structs.replace(one, message=CAPITALS) if one.line in small else one


def _with_strange_letters(game: AnyGame, problems: Iterable[Problem]) -> Iterator[Problem]:
    """Say of a line that is no order, and has a letter that is not Latin, which letter that is: a
    player sees no difference."""
    told: set[int] = set()
    for one in problems:
        line = Line(one.line, one.text)
        strange = told_strange(one.text) if one.line else None
        if strange is None or reads_as_orders(game, [line]):
            yield one
        elif one.line not in told:
            told.add(one.line)
            yield structs.replace(one, message=strange)


def _is_empty(raw: RawSheet) -> bool:
    return not raw.commands and _has_no_lines(raw)


def _has_no_lines(raw: RawSheet) -> bool:
    return not any(clean(line.text) for line in raw.body)


def _jottings_alone(loaded: Loaded, seat: Seat, raw: RawSheet) -> JudgedSheet:
    """Understand a sheet of marks and notes alone, which is refused only after the end."""
    told = sheet_parsing.message_for_ended(loaded, seat)
    problems = [problem(raw.line, told)] if told else []
    understood = judged_sheet(loaded, seat, raw, (), problems)
    return structs.replace(understood, says_orders=False)


def _ply_of_marks(loaded: Loaded, seat: Seat, raw: RawSheet, given: Source) -> int:
    """Return the ply after which the places of a sheet's marks are meant (Espionage rule 9.2).

    It is that of the report whose turn the sheet names, or of the one that its email answers. If
    that turn is still to come, or nothing tells, it is the last one.
    """
    last = loaded.match.ply
    turn = raw.head.turn if raw.head else None
    if turn is not None and loaded.game.advance is not None:
        return max(0, min(last, last + loaded.game.advance.ply(loaded.state, seat, turn)))
    return last if given.ply is None else min(last, given.ply)


def _twice(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, beside: Sequence[RawSheet]
) -> Message | None:
    """Say that the text has another sheet for the same seat and turn; both are refused.

    Turns are compared as plies (Espionage rule 8.1): where Black waits in turn 12, his CLEAR is
    for White's part of it, and `turn 12` for his own. Where there are no sheets for later turns,
    another one for the seat is enough. A CLEAR above the orders withdraws what was before them, as
    it does outside of a sheet; below them nobody could say which of the two is meant.
    """
    if len(beside) == 1 or _replaces_nothing(loaded, raw):
        return None

    def meant(one: RawSheet) -> tuple[str, str, int]:
        ply = _ply_meant(loaded, seat, one, given) if takes_advance(loaded) else 0
        return (*_match_and_seat(loaded, one.head, given), ply)

    wanted = meant(raw)
    alike = [one for one in beside if meant(one) == wanted and not _replaces_nothing(loaded, one)]
    *above, last = (_clears(loaded, one) for one in alike)
    if all(above):
        return None
    if last and sum(not clears for clears in above) == 1:
        return say(
            "CLEAR is below the orders for the same turn; send only one of the two, or write "
            "CLEAR above the orders"
        )
    return say("there are two order sheets for this seat; send one")


def _clears(loaded: Loaded, raw: RawSheet) -> bool:
    """Return whether a sheet withdraws what was sent before, and orders nothing."""
    words = {command.word for command in raw.commands}
    empty = _has_no_lines(_without_jottings(loaded, raw)[0])
    return empty and "CLEAR" in words and words <= {"CLEAR", *_BESIDE_ANY}


def _replaces_nothing(loaded: Loaded, raw: RawSheet) -> bool:
    """Return whether a sheet may stand beside another one for its turn: it holds nothing but marks,
    notes, an offer of a draw and a resignation (interface, section 2)."""
    orders, jottings = _without_jottings(loaded, raw)
    if not _has_no_lines(orders):
        return False
    words = {command.word for command in orders.commands}
    return bool(words or jottings) and words <= _BESIDE_ANY


def _ply_meant(loaded: Loaded, seat: Seat, raw: RawSheet, given: Source) -> int:
    """Return the ply of the turn that a sheet names. If it names none, that is the present one for
    commands alone, and for orders the one that its email answers."""
    turn = raw.head.turn if raw.head else None
    if turn is None and _has_no_lines(_without_jottings(loaded, raw)[0]):
        return loaded.match.ply + 1
    taken = loaded.match.turn if given.turn is None else given.turn
    return ply_of(loaded, seat, taken if turn is None else turn)


def _match_and_seat(loaded: Loaded, head: Head | None, given: Source) -> tuple[str, str]:
    """Return the match and the seat that a sheet names; only for the match that is loaded a seat's
    words in all languages are one."""
    match = head.match if head else given.match
    seat = ((head.seat if head else None) or given.seat or "").casefold()
    return (match or "").lower(), loaded.game.seat_words.get(seat, seat)


def _whose(tx: Tx, raw: RawSheet, given: Source, known: Loaded | None) -> tuple[Loaded, Seat]:
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
            say("there are no orders here; write them between ORDERS match seat turn 7 and END")
        )
    name = head.match if head else str(given.match)
    if head and given.match and head.match.lower() != given.match.lower():
        raise Refusal(
            say("these orders are for {seen}, not for {wanted}", seen=name, wanted=given.match)
        )
    loaded = known or load(tx, name)
    refuse_unopened(loaded)
    word = (head.seat if head else None) or given.seat
    if word is None:
        raise Refusal(say("which seat? write ORDERS {match} and the seat", match=name))
    seat = seat_of(loaded.game, word)
    if given.seat and seat != seat_of(loaded.game, given.seat):
        raise Refusal(
            say(
                "these orders are for {seen}, not for {wanted}",
                seen=loaded.game.seat_titles[seat],
                wanted=loaded.game.seat_titles[seat_of(loaded.game, given.seat)],
            )
        )
    if seat not in loaded.holders:
        title = loaded.game.seat_titles[seat]
        raise Refusal(say("nobody plays {seat} in {match}", seat=title, match=name))
    return loaded, seat


def _understand(
    tx: Tx, loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, now: datetime
) -> JudgedSheet:
    turn = raw.head.turn if raw.head else None
    if turn is not None and is_ahead(loaded, seat, turn):
        return judge_in_advance(loaded, seat, raw, Ahead(turn, ply_of(loaded, seat, turn)))
    if takes_advance(loaded) and has_conditions(raw.body):
        return _understand_plan(tx, loaded, seat, raw, given, now)
    game = loaded.game
    sheet, orders = _parse_orders(game, raw)
    says_orders = bool(orders or not raw.commands)
    problems = _untimely(loaded, seat, raw, given, says_orders, now)
    if orders > MOST_ORDERS and not problems:
        problems = [problem(raw.line, _too_many(orders))]
    elif says_orders and not problems:
        # The sheet is judged by its sender's view, so that no answer tells him more than he sees.
        view = game.sight.observe(loaded.state, seat)
        found = [*sheet.problems, *game.orders.check(view, sheet)]
        problems = in_order(_nearly_marks(game, raw, found))
        if not problems:
            return _legal(loaded, seat, raw, view, sheet)
    understood = judged_sheet(loaded, seat, raw, game.orders.lines(sheet.orders), problems)
    return structs.replace(understood, says_orders=says_orders)


def _understand_words(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, now: datetime
) -> JudgedSheet:
    """Understand a sheet by its words, and by what everybody may know of its match."""
    game = loaded.game
    view = structs.replace(game.sight.observe(loaded.state, Seat("")), seat=seat)
    turn = raw.head.turn if raw.head else None
    if turn is not None and is_ahead(loaded, seat, turn):
        return judge_in_advance(loaded, seat, raw, Ahead(turn, ply_of(loaded, seat, turn)), view)
    if takes_advance(loaded) and has_conditions(raw.body):
        plan = read_plan(game, raw.body)
        lines, says_orders = canonical(game, plan), True
        found = [*plan.problems, *impossible(game, plan, view)]
    else:
        sheet, orders = _parse_orders(game, raw)
        lines, says_orders = game.orders.lines(sheet.orders), bool(orders or not raw.commands)
        found = [*sheet.problems, *game.orders.evident(view, sheet)] if says_orders else []
        if orders > MOST_ORDERS:
            found = [problem(raw.line, _too_many(orders))]
    problems = _untimely(loaded, seat, raw, given, says_orders, now)
    problems = problems or in_order(_nearly_marks(game, raw, found))
    understood = judged_sheet(loaded, seat, raw, lines, problems)
    return structs.replace(understood, says_orders=says_orders)


def _untimely(
    loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, says_orders: bool, now: datetime
) -> list[Problem]:
    told = sheet_parsing.untimely(loaded, seat, raw, given, now, says_orders=says_orders)
    return [problem(raw.line, told)] if told else []


def _legal(loaded: Loaded, seat: Seat, raw: RawSheet, view: Any, sheet: Sheet[Any]) -> JudgedSheet:
    """Return orders that are legal, with all that is told of them."""
    game = loaded.game
    orders = tuple(game.orders.completed(view, order) for order in sheet.orders)
    return structs.replace(
        judged_sheet(loaded, seat, raw, game.orders.lines(orders), ()),
        warnings=game.orders.warn(view, sheet),
        explained=tuple(game.orders.explain(view, orders)),
    )


def _understand_plan(
    tx: Tx, loaded: Loaded, seat: Seat, raw: RawSheet, given: Source, now: datetime
) -> JudgedSheet:
    """Judge a sheet with conditions whose turn has come: at once, as one that was kept is.

    Like that one it is refused first for what no position allows (Espionage rule 8.2), for a slip
    of the pen is no reason to take another line.
    """
    game = loaded.game
    problems = _untimely(loaded, seat, raw, given, True, now)
    plan = read_plan(game, raw.body)
    view = game.sight.observe(loaded.state, seat)
    found = [*plan.problems, *impossible(game, plan, view)]
    problems = problems or list(_nearly_marks(game, raw, found))
    if not problems:
        verdict = judge_plan(game, plan, view, seen_since_orders(tx, loaded, seat))
        if verdict.taken:
            taken = say(
                "line {line} was used: {text}",
                line=verdict.taken.line.number,
                text=shown(clean(verdict.taken.line.text), MOST_SHOWN),
            )
            understood = _legal(loaded, seat, raw, view, verdict.taken.sheet)
            return structs.replace(understood, explained=(taken, *understood.explained))
        problems = list(verdict.fallen)
    return judged_sheet(loaded, seat, raw, canonical(game, plan), problems)


def _parse_orders(game: AnyGame, raw: RawSheet) -> tuple[Sheet[Any], int]:
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
        "{n} lines of orders are too many; at most {most} are allowed",
        n=n,
        most=MOST_ORDERS,
    )


MOST_SHOWN = 100  # characters of a line that a report quotes


def use_sheets_in_advance(session: MatchSession) -> None:
    """Judge the kept sheets whose turn has come.

    The sheets of a seat that has left are withdrawn; if the match has ended, all are.
    """
    loaded = session.loaded
    over = loaded.match.status == "over"
    if ended := [seat for seat in loaded.kept if over or seat in loaded.gone]:
        submissions.end_kept(session.tx, loaded.match.id, ended, "withdrawn")
        session.mark_changed()
    coming = loaded.match.ply + 1
    for seat in loaded.awaited if not over else ():
        for sheet in loaded.kept.get(seat, ()):
            if sheet.ply == coming and seat not in ended:
                sights = seen_since_orders(session.tx, loaded, seat)
                _judge(session.tx, loaded, seat, sheet, sights, session.now)
                session.mark_changed()


def seen_since_orders(tx: Tx, loaded: Loaded, seat: Seat) -> list[Any]:
    """Return what the seat has seen since its own last orders."""
    log = read_log(tx, loaded.match, loaded.game, loaded.holders[seat].ordered_ply + 1)
    sights = (loaded.game.sight.witness(event, seat) for _, event in log)
    return [sight for sight in sights if sight is not None]


def _judge(
    tx: Tx, loaded: Loaded, seat: Seat, sheet: KeptSheet, sights: Sequence[Any], now: datetime
) -> None:
    """Put a sheet in force, or drop it. It counts as received now."""
    game = loaded.game
    view = game.sight.observe(loaded.state, seat)
    offering = [Seat(other) for other in loaded.draw_offers if other != seat]
    outcome = conditions.use(game, body_of(sheet), view, sights, offering)
    taken = outcome.taken
    if taken is None:
        fallen = tuple(
            structs.replace(one, text=shown(one.text, MOST_SHOWN)) for one in outcome.fallen
        )
        dropped = AdvanceVerdict(ply=sheet.ply, turn=sheet.turn, fallen=fallen)
        submissions.drop_kept(tx, sheet, dropped)
        return
    told = (taken.line.number, shown(clean(conditions.branch_text(game, taken)), MOST_SHOWN))
    match = loaded.match
    head = chain.receipt_head(match.label, match.name, seat, sheet.turn, sheet.revision)
    used = AdvanceVerdict(
        ply=sheet.ply,
        turn=sheet.turn,
        used=told,
        revision=sheet.revision,
        digest=chain.sheet_digest(head, outcome.lines),
        hashed=head,
    )
    submissions.use_kept(tx, sheet, outcome.lines, used, now)


def body_of(sheet: KeptSheet) -> Sequence[Line]:
    """Return the lines of a sheet below its head, numbered from it."""
    return split_lines(sheet.text)[1:]
