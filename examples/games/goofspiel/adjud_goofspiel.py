"""Goofspiel, the game of pure strategy: thirteen prizes, and thirteen bids for them.

1.1 Each player has the cards 1 to 13. The prizes, also 1 to 13, are shuffled and turned up one by
    one.
1.2 For each prize both bid a card of their hand, in secret and at once. Each card is bid once.
1.3 The higher card wins the prize, which counts as many points as it says.
1.4 If both bid the same card, nobody wins the prize. In a match with `ties=carried` it lies there,
    and whoever wins the next prize wins it too.
1.5 After thirteen prizes most points win.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from adjudicator.core.simple import (
    Chance,
    Event,
    Look,
    Lookahead,
    Message,
    Option,
    Position,
    Seat,
    Seen,
    Setting,
    SimpleOrders,
    SimpleRules,
    SimpleSight,
    Stream,
    ValueTable,
    Visible,
    Words,
    end_of_match,
    position_fields,
    say,
    simple_game,
    view_fields,
)

CONTRACT = 1  # the version of docs/games.md for which this is written

BLUE, RED = SEATS = (Seat("blue"), Seat("red"))
TITLES: Mapping[Seat, Message] = {BLUE: say("Blue"), RED: say("Red")}
CARDS = tuple(range(1, 14))


class Bid(Struct, frozen=True):
    card: Annotated[int, Meta(ge=1, le=13)]


class State(Position, frozen=True, kw_only=True):
    """`prizes` lie there still, the one that is turned up first; nobody knows those behind it.
    `carried` are prizes of ties (1.4)."""

    prizes: tuple[int, ...]
    carried: tuple[int, ...] = ()
    hands: Mapping[Seat, tuple[int, ...]]
    points: Mapping[Seat, int]


class Round(Event, frozen=True):
    """Both have bid; `winner` is None after a tie."""

    bids: Mapping[Seat, int]
    prizes: tuple[int, ...]
    winner: Seat | None


class View(Seen, frozen=True, kw_only=True):
    """All that both see: everything but the order of the prizes to come."""

    ties: str
    prize: int | None
    to_come: tuple[int, ...]
    carried: tuple[int, ...]
    hands: Mapping[Seat, tuple[int, ...]]
    points: Mapping[Seat, int]


class News(Visible, frozen=True, kw_only=True):
    bids: Mapping[Seat, int]
    prizes: tuple[int, ...]
    winner: Seat | None


def set_up(setting: Setting, chance: Chance) -> State:
    return State(
        **position_fields(setting),
        prizes=tuple(chance.deal().shuffled(CARDS)),
        hands=dict.fromkeys(setting.seats, CARDS),
        points=dict.fromkeys(setting.seats, 0),
    )


def adjudicate(
    state: State, orders: Mapping[Seat, Sequence[Bid]], chance: Chance
) -> Iterator[Event]:
    bids = {seat: bid.card for seat, (bid,) in orders.items()}
    best = [seat for seat, card in bids.items() if card == max(bids.values())]
    winner = best[0] if len(best) == 1 else None  # 1.3, 1.4
    done = Round(bids, (*state.carried, state.prizes[0]), winner)
    yield done
    if len(state.prizes) == 1:  # 1.5
        points = apply(state, done).points
        first = [seat for seat in SEATS if points[seat] == max(points.values())]
        yield end_of_match("points", *first) if len(first) == 1 else end_of_match("level")


def apply(state: State, event: Round) -> State:
    hands = {
        seat: tuple(card for card in hand if card != event.bids[seat])
        for seat, hand in state.hands.items()
    }
    points = dict(state.points)
    if event.winner:
        points[event.winner] += sum(event.prizes)
    carries = event.winner is None and state.options["ties"] == "carried"
    return replace(
        state,
        turn=state.turn + 1,
        prizes=state.prizes[1:],
        carried=event.prizes if carries else (),
        hands=hands,
        points=points,
    )


def observe(state: State, seat: Seat) -> View:
    return View(
        **view_fields(state, seat),
        ties=state.options["ties"],
        prize=state.prizes[0] if state.prizes else None,
        to_come=tuple(sorted(state.prizes[1:])),
        carried=state.carried,
        hands=state.hands,
        points=state.points,
    )


def witness(event: Round, seat: Seat) -> News:
    return News(bids=event.bids, prizes=event.prizes, winner=event.winner)


def legal(view: View) -> Sequence[Bid]:
    return [Bid(card) for card in view.hands.get(view.seat, ())]


def board(view: View, words: Words) -> ValueTable:
    """Return the prize as a sentence, and what each player has as a row."""
    told = []
    if view.prize and not view.result:
        told.append(say("The prize is {prize}.", prize=view.prize))
        told.append(say("To come: {prizes}.", prizes=_cards(view.to_come) or "-"))
    if view.carried:
        told.append(say("Carried over: {prizes}.", prizes=_cards(view.carried)))
    return ValueTable(
        [words(head) for head in (say("Player"), say("Points"), say("Cards"))],
        [
            (words(TITLES[seat]), str(view.points[seat]), _cards(view.hands[seat]) or "-")
            for seat in view.seats
        ],
        [words(sentence) for sentence in told],
    )


def news(told: News) -> Message:
    blue, red = told.bids[BLUE], told.bids[RED]
    if told.winner is None:
        return say("Both bid {card}: nobody wins {prizes}.", card=blue, prizes=_cards(told.prizes))
    return say(
        "Blue bid {blue}, Red bid {red}: {winner} wins {prizes}.",
        blue=blue,
        red=red,
        winner=TITLES[told.winner],
        prizes=_cards(told.prizes),
    )


def _cards(cards: Sequence[int]) -> str:
    return " ".join(map(str, cards))


def guess(view: View, chance: Stream) -> State:
    """Shuffle the prizes to come."""
    return State(
        variant=view.variant,
        options={"ties": view.ties},
        seats=view.seats,
        turn=view.turn,
        prizes=(view.prize or 0, *chance.shuffled(view.to_come)),
        carried=view.carried,
        hands=view.hands,
        points=view.points,
    )


def value(view: View) -> float:
    """Return the lead in points and cards. A card in hand is worth its square, so that one bids
    about as much as the prize is worth."""
    worth = {
        seat: view.points[seat] + sum(card * card for card in view.hands[seat]) / 13
        for seat in view.seats
    }
    return 2 * worth[view.seat] - sum(worth.values())


GOOFSPIEL = simple_game(
    slug="goofspiel",
    contract=CONTRACT,
    title="Goofspiel",
    gist=say("Thirteen prizes, and thirteen cards to bid for them, in secret and at once."),
    about=say(
        "In Goofspiel you and your opponent bid cards for prizes, in secret and at once. The "
        "higher card wins the prize, and most points win."
    ),
    lasts=say("A match has thirteen turns of a minute each."),
    seats=TITLES,
    seat_words={"blå": BLUE, "bla": BLUE, "rød": RED, "rod": RED, "röd": RED},
    options={"ties": Option(("discarded", "carried"))},
    rules=SimpleRules(state=State, event=Round, set_up=set_up, adjudicate=adjudicate, apply=apply),
    orders=SimpleOrders(
        words={"BID": Bid}, examples=("BID 7",), legal=legal, also={"by": "BID", "bjud": "BID"}
    ),
    sight=SimpleSight(view=View, sighting=News, observe=observe, witness=witness),
    look=Look(
        board=board,
        news=news,
        label=lambda bid, words: str(bid.card),
        how=[say("Write BID and a card of your hand, as in BID 7.")],
        rules=[say("The higher card wins the prize. After thirteen prizes most points win.")],
        reasons={"points": say("most points"), "level": say("equal points")},
    ),
    lookahead=Lookahead(guess=guess, value=value),
)
