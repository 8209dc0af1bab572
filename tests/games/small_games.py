"""Small games of `core/simple`: three seats claim squares of a board, or towns of a map, two at a
time, and never see whose claims are there before the end."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.simple import (
    Chance,
    Event,
    Look,
    Map,
    Option,
    Position,
    Seat,
    Seen,
    Setting,
    SimpleOrders,
    SimpleRules,
    SimpleSight,
    Square,
    Squares,
    Thing,
    Visible,
    Words,
    end_of_match,
    position_fields,
    say,
    simple_game,
    view_fields,
)

SEATS = tuple(Seat(name) for name in ("north", "east", "south"))
COLUMNS, ROWS = "abcd", "321"
PLACES = [f"{column}{row}" for row in ROWS for column in COLUMNS]


class Claim(Struct, frozen=True):
    place: str


class State(Position, frozen=True, kw_only=True):
    claims: Mapping[str, tuple[Seat, ...]] = {}


class Claimed(Event, frozen=True):
    seat: Seat
    place: str


class View(Seen, frozen=True, kw_only=True):
    claimed: tuple[str, ...]
    rounds: str


class News(Visible, frozen=True, kw_only=True):
    place: str


def set_up(setting: Setting, chance: Chance) -> State:
    return State(**position_fields(setting))


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Claim]], chance: Chance
) -> Iterator[Event]:
    for seat, claims in orders.items():
        for claim in claims:
            yield Claimed(seat, claim.place)
    if state.turn == int(state.options["rounds"]):
        yield end_of_match("enough", *state.playing)


def apply(state: State, event: Claimed) -> State:
    there = (*state.claims.get(event.place, ()), event.seat)
    turn = max(state.turn, state.ply + 1)
    return replace(state, claims={**state.claims, event.place: there}, turn=turn)


def observe(state: State, seat: Seat) -> View:
    claimed = tuple(place for place, by in state.claims.items() if seat in by)
    return View(**view_fields(state, seat), claimed=claimed, rounds=state.options["rounds"])


def witness(event: Claimed, seat: Seat) -> News | None:
    return News(place=event.place) if event.seat == seat else None


def legal(view: View) -> list[Claim]:
    return [Claim(place) for place in PLACES if place not in view.claimed]


def squares(view: View, words: Words) -> Squares:
    def square(name: str) -> Square:
        things = [Thing("X", "mine", name)] if name in view.claimed else []
        return Square("water" if name[0] == "a" else "", things)

    return Squares([*COLUMNS], [(row, [square(f"{c}{row}") for c in COLUMNS]) for row in ROWS])


def towns(view: View, words: Words) -> Map:
    at = {
        name: (33 * COLUMNS.index(name[0]), 50 * ROWS.index(name[1]))
        for name in PLACES
        if name != "d3"
    }
    marks = {name: "X" for name in view.claimed if name in at}
    return Map(at, [("a1", "b1"), ("b1", "c2")], marks)


def hunt(state: State, seats: Sequence[Seat], reason: str) -> Iterator[Event]:
    """Without East there is nobody to be hunted: all others win."""
    if SEATS[1] in seats:
        yield end_of_match(reason, *state.playing)


RULES: SimpleRules[State, Claim] = SimpleRules(
    state=State, event=Claimed, set_up=set_up, adjudicate=adjudicate, apply=apply
)


def game(slug: str, look: Look[View, News, Claim], **others: Any) -> AnyGame:
    """Return the game with this look; `others` are values in place of its own."""
    given: dict[str, Any] = {
        "slug": slug,
        "title": slug.title(),
        "gist": say("Claims."),
        "about": say("You claim places."),
        "lasts": say("Two turns."),
        "seats": {seat: say(seat.title()) for seat in SEATS},
        "players": range(2, 4),
        "options": {"rounds": Option(("2", "3"))},
        "rules": RULES,
        "orders": SimpleOrders(
            words={"CLAIM": Claim}, examples=("CLAIM b2",), legal=legal, many=lambda view: 2
        ),
        "sight": SimpleSight(view=View, sighting=News, observe=observe, witness=witness),
        "look": look,
    }
    made: AnyGame = simple_game(**{**given, **others})
    return made


def _square(claim: Claim) -> str:
    return claim.place


SQUARES = game("squares", Look(board=squares, square=_square))


def _town(claim: Claim) -> str:
    return claim.place if claim.place not in ("b1", "d3") else ""


TOWNS = game("towns", Look(board=towns))
TAPPED = game("tapped", Look(board=towns, square=_town, label=lambda claim, words: claim.place))
PLAIN = game("plain", Look())
HUNT = game("hunt", Look(), rules=dataclasses.replace(RULES, leave=hunt))
SMALL: Mapping[str, AnyGame] = {one.slug: one for one in (SQUARES, TOWNS, TAPPED, PLAIN)}
