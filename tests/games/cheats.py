"""Games that cheat their contract: the skeleton with one function exchanged.

Each is a value of this module, so that another process finds it, and `CHEATS` says which check must
name it.
"""

import dataclasses
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Outcome, Seat, Setting
from adjudicator.core.message import Words, say
from adjudicator.core.orders import Line, Problem, Sheet, problem
from adjudicator.core.record import Chronicle, Refused, Transcript
from adjudicator.core.report import Report
from adjudicator.core.text import Lexicon
from tests.games import small_games
from tests.games.changed import with_part
from tests.games.skeleton.game import SKELETON
from tests.games.skeleton.game import page as honest_page
from tests.games.skeleton.game.orders import Mark, parse
from tests.games.skeleton.game.page import Page
from tests.games.skeleton.game.rules import (
    CROSS,
    SEATS,
    SQUARES,
    Ended,
    Event,
    Hit,
    Marked,
    State,
    adjudicate,
    apply,
    awaiting,
    phase,
    set_up,
)
from tests.games.skeleton.game.sight import News, View, observe, witness

CHEATS: dict[str, str] = {}  # the name in this module, and the check that must name it
_LAST: list[State] = []  # what a cheat remembers
_DICE = random.Random(5)


def cheat(named_by: str, name: str, part: str, /, **fields: Any) -> AnyGame:
    CHEATS[name] = named_by
    return with_part(SKELETON, part, **fields)


def with_computers(check: str, name: str, **computers: Any) -> AnyGame:
    """Exchange computers; None takes one away."""
    CHEATS[name] = check
    named = {"computer": "computer", "random": "computer:random"}
    found = {**SKELETON.computers, **{named[key]: value for key, value in computers.items()}}
    return dataclasses.replace(
        SKELETON, computers={key: value for key, value in found.items() if value}
    )


def remembering(state: State, event: Event) -> State:
    _LAST[:] = [apply(state, event)]
    return _LAST[0]


def hidden(view: View) -> list[str]:
    """Return the marks that a seat should not know, from the state that a cheat remembers."""
    marks = _LAST[0].marks if _LAST else {}
    return [square for square in marks if square not in view.marks]


# Chance of its own.


def rolling(state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance) -> Iterator[Event]:
    if _DICE.random() < 0.1:
        yield Ended(Outcome(winner=None, winners=(), reason="full-board"))
    else:
        yield from adjudicate(state, orders, chance)


def looking_at_the_clock(view: View, chance: Stream) -> tuple[Mark, ...]:
    free = [square for square in SQUARES if square not in view.marks]
    return (Mark(free[int(time.time()) % len(free)]),)


def counting(
    state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance
) -> Iterator[Event]:
    """End the match when it was called so often, which nobody sees from the state."""
    _CALLS[0] += 1
    if _CALLS[0] % 7 == 0:
        yield Ended(Outcome(winner=None, winners=(), reason="full-board"))
    else:
        yield from adjudicate(state, orders, chance)


_CALLS = [0]
ROLLS = cheat("chance", "ROLLS", "rules", adjudicate=rolling)
COUNTS = cheat("chance", "COUNTS", "rules", adjudicate=counting)


# Changing what was given.


def marking(state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance) -> Iterator[Event]:
    events = tuple(adjudicate(state, orders, chance))
    for event in events:
        if isinstance(event, Marked):
            state.marks[event.square] = event.seat  # type: ignore[index]
    yield from events


def scribbling(view: View, sheet: Sheet[Mark]) -> Sequence[Problem]:
    found = SKELETON.orders.check(view, sheet)
    view.marks["a1"] = CROSS  # type: ignore[index]
    return found


def empty_set_up(setting: Setting, chance: Chance) -> State:
    return replace(set_up(setting, chance), marks={})


MARKS = cheat("unchanged", "MARKS", "rules", adjudicate=marking, set_up=empty_set_up)
SCRIBBLES = cheat("unchanged", "SCRIBBLES", "orders", check=scribbling)


# Waiting and ending.


def nobody(state: State) -> frozenset[Seat]:
    return frozenset() if state.turn == 4 else awaiting(state)


def everybody(state: State) -> frozenset[Seat]:
    return frozenset(SEATS) if state.outcome else awaiting(state)


def endless(state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance) -> Iterator[Event]:
    yield Hit(state.to_move, orders[state.to_move][0].square)


def staying(state: State, seats: Sequence[Seat], reason: str) -> Iterator[Event]:
    yield Hit(seats[0], "a1")


AWAITS_NOBODY = cheat("awaited", "AWAITS_NOBODY", "rules", awaiting=nobody)
AWAITS_AFTER_THE_END = cheat("awaited", "AWAITS_AFTER_THE_END", "rules", awaiting=everybody)
NEVER_ENDS = cheat("ends", "NEVER_ENDS", "rules", adjudicate=endless)
CANNOT_BE_LEFT = cheat("left", "CANNOT_BE_LEFT", "rules", leave=staying)


# Not playing on when one of three seats has left.


def awaiting_the_gone(state: Any) -> frozenset[Seat]:
    return frozenset() if state.outcome else frozenset(state.seats)


def missing_the_gone(
    state: Any, orders: Mapping[Seat, Sequence[Any]], chance: Chance
) -> Iterator[Any]:
    for seat in state.seats:
        assert orders[seat]
    yield from small_games.SQUARES.rules.adjudicate(state, orders, chance)


def of_three(named_by: str, name: str, **fields: Any) -> AnyGame:
    CHEATS[name] = named_by
    return with_part(small_games.SQUARES, "rules", **fields)


AWAITS_THE_GONE = of_three("left", "AWAITS_THE_GONE", awaiting=awaiting_the_gone)
MISSES_THE_GONE = of_three("left", "MISSES_THE_GONE", adjudicate=missing_the_gone)


# What is not the same again.


def from_a_set(view: View, chance: Stream) -> tuple[Mark, ...]:
    return (Mark(chance.choice([*({*SQUARES} - view.marks.keys())])),)


class Knowing(State, frozen=True, kw_only=True, dict=True):
    """A state that knows something that is not stored."""


def knowing_set_up(setting: Setting, chance: Chance) -> State:
    return _knowing(set_up(setting, chance))


def knowing_apply(state: State, event: Event) -> State:
    return _knowing(apply(state, event))


def _knowing(state: State) -> State:
    made = Knowing(**{name: getattr(state, name) for name in state.__struct_fields__})
    made.__dict__["known"] = True
    return made


def forgetting(
    state: State, orders: Mapping[Seat, Sequence[Mark]], chance: Chance
) -> Iterator[Event]:
    if hasattr(state, "known"):
        yield from adjudicate(state, orders, chance)
    else:
        yield Ended(Outcome(winner=None, winners=(), reason="full-board"))


FOLLOWS_A_SET = with_computers("processes", "FOLLOWS_A_SET", random=from_a_set)
LOOKS_AT_THE_CLOCK = with_computers("chance", "LOOKS_AT_THE_CLOCK", random=looking_at_the_clock)
FORGETS = cheat(
    "replayed",
    "FORGETS",
    "rules",
    state=Knowing,
    set_up=knowing_set_up,
    apply=knowing_apply,
    adjudicate=forgetting,
)


def always_playing(state: State, seat: Seat) -> View:
    return replace(observe(state, seat), phase="play")


SAYS_PLAY = cheat("stored", "SAYS_PLAY", "sight", observe=always_playing)


# Telling what a seat may not know.


def with_words(event: Event, seat: Seat) -> News | None:
    news = witness(event, seat)
    return replace(news, square=event.square) if news and not isinstance(event, Ended) else news


def refusing(view: View, sheet: Sheet[Mark]) -> Sequence[Problem]:
    """Refuse a mark on a square of the other seat."""
    taken = [one for one in sheet.written if one.order.square in hidden(view)]
    told = [problem(one.line, say("that square is taken")) for one in taken]
    return [*SKELETON.orders.check(view, sheet), *told]


def hinting(view: View, sheet: Sheet[Mark]) -> Sequence[Problem]:
    """Say more than one may in a refusal that is right."""
    found = SKELETON.orders.check(view, sheet)
    return [
        replace(one, message=say("no; think of {it}", it=" ".join(hidden(view)))) for one in found
    ]


def printing(report: Report[View, News], words: Words) -> Page:
    rows = honest_page.rows(report, words)
    return replace(rows, rules=" ".join((rows.rules, *hidden(report.view))))


def seeing(state: State, seat: Seat) -> Any:
    return observe(state, seat)


def _remembers(game: AnyGame) -> AnyGame:
    return with_part(game, "rules", apply=remembering)


# Remembering in `apply`, and with_words it where no view, no news and no order is asked.


def _printed(report: Report[View, News], words: Words, told: bool, secrets: Sequence[str]) -> Page:
    rows = honest_page.rows(report, words)
    news = [" ".join((one, *secrets)) for one in rows.news] if told else rows.news
    return replace(rows, news=news)


def telling_first(report: Report[View, News], words: Words) -> Page:
    """Tell in the first turn's news what was hidden."""
    return _printed(report, words, report.view.turn <= 2, hidden(report.view))


def telling_later(report: Report[View, News], words: Words) -> Page:
    return _printed(report, words, report.view.turn > 2, hidden(report.view))


def drawing(report: Report[View, News], words: Words) -> Page:
    rows = honest_page.rows(report, words)
    return replace(rows, board=[*rows.board, *hidden(report.view)])


def looking_ahead(view: View, chance: Stream) -> tuple[Mark, ...]:
    """Think as an honest computer does, with the game's own `apply`."""
    (mark,) = SKELETON.computers["computer"](view, chance)
    guessed = State(variant=view.variant, marks=view.marks, to_move=view.seat, turn=view.turn)
    remembering(guessed, Marked(view.seat, mark.square))
    return (mark,)


_FIRST: dict[int, str] = {}  # the first mark that was ever made in a turn


def remembering_the_first(state: State, event: Event) -> State:
    if isinstance(event, Marked):
        _FIRST.setdefault(state.turn, event.square)
    return apply(state, event)


def telling_the_first(report: Report[View, News], words: Words) -> Page:
    return _printed(report, words, True, [_FIRST.get(report.view.turn - 1, "")])


TELLS_FIRST = _remembers(cheat("twins", "TELLS_FIRST", "page", rows=telling_first))
TELLS_LATER = _remembers(cheat("twins", "TELLS_LATER", "page", rows=telling_later))
DRAWS = dataclasses.replace(
    _remembers(cheat("twins", "DRAWS", "page", rows=drawing)),
    computers={**SKELETON.computers, "computer": looking_ahead},
)
KEEPS_THE_FIRST = with_part(
    cheat("processes", "KEEPS_THE_FIRST", "page", rows=telling_the_first),
    "rules",
    apply=remembering_the_first,
)
TELLS = cheat("news", "TELLS", "sight", witness=with_words)
REFUSES = _remembers(cheat("refusals", "REFUSES", "orders", check=refusing))
HINTS = _remembers(cheat("refusals", "HINTS", "orders", check=hinting))
PRINTS = _remembers(cheat("twins", "PRINTS", "page", rows=printing))
SEES_ANYTHING = cheat("visible", "SEES_ANYTHING", "sight", observe=seeing)


def showing(state: State, seat: Seat) -> View:
    return replace(observe(state, seat), marks=state.marks)


SHOWS_ALL = with_part(SKELETON, "sight", observe=showing)


# Orders, pages, records.


def raising(lines: Sequence[Line]) -> Sheet[Mark]:
    if any(len(line.text) > 400 for line in lines):
        raise ValueError("too long")
    return parse(lines)


def failing_at_the_end(report: Report[View, News], words: Words) -> Page:
    if report.result and report.result.reason == "three-in-a-row":
        raise KeyError(report.result.reason)
    return honest_page.rows(report, words)


def failing_on_the_way(report: Report[View, News], words: Words) -> Page:
    if any(news.hit for news in report.news):
        raise KeyError("hit")
    return honest_page.rows(report, words)


def unread(transcript: Transcript) -> Refused:
    return transcript.refusal("Game", say("this is not played again"))


def untitled(chronicle: Chronicle, state: State, events: Sequence[Event]) -> str:
    return SKELETON.record.write(chronicle, state, events).replace("Skeleton", "Other")


def ready(view: View) -> Sequence[str]:
    return [f"CLAIM {min({*SQUARES} - {*view.marks})}"]


def forbidding(view: View, sheet: Sheet[Mark]) -> Iterator[Problem]:
    if sheet.written:
        yield problem(sheet.written[0].line, say("nobody marks anything"))


FORBIDS_ALL = cheat("orders", "FORBIDS_ALL", "orders", evident=forbidding)
SENDS_ITSELF = cheat("template", "SENDS_ITSELF", "orders", template=ready)
RAISES = cheat("any text", "RAISES", "orders", parse=raising)
LACKS_A_COMPUTER = with_computers("computers", "LACKS_A_COMPUTER", computer=None)
HAS_NO_LAST_PAGE = cheat("last pages", "HAS_NO_LAST_PAGE", "page", rows=failing_at_the_end)
HAS_NO_WORDS = cheat("pages", "HAS_NO_WORDS", "page", rows=failing_on_the_way)
HAS_A_WORD_MORE = cheat(
    "card",
    "HAS_A_WORD_MORE",
    "orders",
    lexicon=Lexicon({"CLAIM": say("CLAIM"), "LEAP": say("LEAP")}),
)
REFUSES_ITS_RECORD = cheat("records", "REFUSES_ITS_RECORD", "record", replay=unread)
MISNAMES_ITS_RECORD = cheat("records", "MISNAMES_ITS_RECORD", "record", write=untitled)


def mispaced(state: State) -> str:
    return "begun" if state.turn == 2 else phase(state)


HAS_ANOTHER_PHASE = cheat("awaited", "HAS_ANOTHER_PHASE", "rules", phase=mispaced)
