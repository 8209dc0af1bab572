"""Holders and what lies in them: free places, counting, winning, the deal (R1, R5, R9, A38)."""

from collections.abc import Iterable, Mapping, Sequence

from adjudicator.core.dice import Stream
from adjudicator.core.match import Outcome, Seat
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.rules.board_file import COPIES
from adjudicator.games.spion.rules.state import Card, Holder, Place, State

PLACES = (1, 2, 3, 4)


def free(holder: Holder) -> tuple[int, ...]:
    return tuple(place for place in PLACES if holder[place - 1] is None)


def filled_places(holder: Holder) -> tuple[int, ...]:
    return tuple(place for place in PLACES if holder[place - 1] is not None)


def put(holder: Holder, place: int, card: Card | None) -> Holder:
    """Return the holder with this card, or nothing, on the place."""
    first, second, third, fourth = (
        card if place == here else held for here, held in zip(PLACES, holder, strict=True)
    )
    return first, second, third, fourth


def complete(holder: Holder) -> bool:
    """Return whether a holder has four cards of one type (R9)."""
    return None not in holder and len(set(holder)) == 1


def deal(board: Board, players: int, chance: Stream) -> Mapping[Place, Card]:
    """Return the shuffled cards, by embassy (section 6.3)."""
    cards = (card for card in board.types_in_play(players) for _ in range(COPIES))
    return dict(zip(board.embassies_with_cards(players), chance.shuffled(cards), strict=True))


def winner(state: State) -> Seat | None:
    """Return who has won (R9); a seat that left cannot (5.4)."""
    return next(
        (s for s in state.seats if s not in state.left and complete(state.holders[s])), None
    )


def win_of(seat: Seat, reason: str) -> Outcome:
    return Outcome(winner=seat, winners=(seat,), reason=reason)


def no_winner(reason: str) -> Outcome:
    return Outcome(winner=None, winners=(), reason=reason)


def by_cards(state: State) -> Outcome:
    """Decide a match by cards (A38): the largest number of equal cards, then most cards, then it is
    shared."""
    playing = [seat for seat in state.seats if seat not in state.left]
    weights = {seat: _weight(state.holders[seat]) for seat in playing}
    best = max(weights.values())
    winners = tuple(seat for seat in playing if weights[seat] == best)
    return Outcome(
        winner=winners[0] if len(winners) == 1 else None, winners=winners, reason="max-rounds"
    )


def _weight(holder: Holder) -> tuple[int, int]:
    cards = [card for card in holder if card is not None]
    return max((cards.count(card) for card in cards), default=0), len(cards)


def rarest(cards: Sequence[Card]) -> frozenset[Card]:
    """Return the types of which there are fewest among the cards (5.4)."""
    fewest = min(cards.count(card) for card in cards)
    return frozenset(card for card in cards if cards.count(card) == fewest)


def first_place(holder: Holder, types: Iterable[Card]) -> int | None:
    """Return the lowest place with a card of one of the types."""
    wanted = set(types)
    return next((place for place in filled_places(holder) if holder[place - 1] in wanted), None)
