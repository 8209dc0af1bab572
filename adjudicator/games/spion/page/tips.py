"""Tips for players who are new to Spion, from a seat's view alone.

Each kind is a function that returns its tip where that fits. A view has no types that were shown
once only, so no tip repeats them (5.5, 5.6).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.tips import chosen
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
from adjudicator.games.spion.orders.values import Answer, Fifth
from adjudicator.games.spion.page.names import Names, embassy_names, seats, where
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.position import Position, eligible
from adjudicator.games.spion.rules.state import Card
from adjudicator.games.spion.sight.view import (
    SeenSeat,
    View,
    blocking,
    doubled,
    own_roll,
    position_seen,
    seat_in,
    standing_of,
)

_EARLY = 4  # rounds up to which the rules of moving are worth saying
_FEW = 4  # cards in embassies


class Table(Struct, frozen=True):
    """A view, and what is looked up in it again and again. `ordering` says that the seat has a turn
    to order and nothing else, `held` are its own cards by type."""

    view: View
    here: Position
    own: SeenSeat
    names: Names
    ordering: bool
    held: Mapping[Card, int]

    @property
    def cards(self) -> int:
        return sum(self.held.values())

    @property
    def others(self) -> Sequence[SeenSeat]:
        return [entry for entry in self.view.seats if entry.seat != self.view.seat]


def table(view: View, words: Words) -> Table:
    own = seat_in(view, view.seat)
    mine = view.mode == "rounds" or view.to_move == view.seat
    return Table(
        view=view,
        here=position_seen(view),
        own=own,
        names=embassy_names(view, words),
        ordering=view.phase == "play" and mine and not view.pending and own.left is None,
        held=Counter(card for card in own.cards or () if card),
    )


# Before the first turn.


def four_alike(table: Table) -> Message | None:
    if table.view.phase != "setup":
        return None
    return say(
        "There are four cards of each type. The first player to have all four of one type wins."
    )


# What the seat can do now.


def card_in_reach(table: Table) -> Message | None:
    if not table.ordering or _must_challenge(table):
        return None
    found = [place for place in table.view.reach if place in table.here.out]
    if not found:
        return None
    return count(
        "Your spy can reach an embassy with a card: {place}.",
        "Your spy can reach {n} embassies with a card, one of them {place}.",
        len(found),
        place=where(found[0], table.names),
    )


def shelter(table: Table) -> Message | None:
    """An embassy without a card still protects from challenges."""
    if not table.ordering or _must_challenge(table) or table.view.open_doors or not table.cards:
        return None
    found = [place for place in table.view.reach if place in table.here.board.embassies]
    if not found or any(place in table.here.out for place in found):
        return None
    return say(
        "No card is in reach now, but in {place} your spy is safe from challenges.",
        place=where(found[0], table.names),
    )


def likely_guess(table: Table) -> Message | None:
    """Others have more of a type of which the seat has few."""
    if not table.ordering or not _must_challenge(table):
        return None
    types = table.view.types
    least, most = (pick(types, key=lambda one: table.held.get(one, 0)) for pick in (min, max))
    if table.held.get(least, 0) == table.held.get(most, 0):
        return None
    return say(
        "You have more {most} than {least}, so a guess of {least} may be right more often.",
        most=most,
        least=least,
    )


def double_to_move(table: Table) -> Message | None:
    view = table.view
    if not table.ordering or not doubled(view) or view.targets or view.mode == "rounds":
        return None
    return say("Nobody can be challenged, so you move your double like any other roll.")


def swap(table: Table) -> Message | None:
    if not table.ordering or not (by := blocking(table.view)):
        return None
    return say(
        "Your spy is blocked. Your bodyguard may replace one that is in its way: {seats}.",
        seats=seats(by),
    )


def ambush(table: Table) -> Message | None:
    if not table.ordering or not table.view.ambushes:
        return None
    return say(
        "You may ambush now: {seats}. It is a challenge without a double, and you need not make"
        " it.",
        seats=seats(list(table.view.ambushes)),
    )


def several_goals(table: Table) -> Message | None:
    view = table.view
    if not table.ordering or view.mode != "rounds" or len(view.reach) < 2 or doubled(view):
        return None
    return say(
        "Others may move before you in this round. Name several destinations: the first one that is"
        " possible is used."
    )


def on_a_well(table: Table) -> Message | None:
    board = table.here.board
    if table.own.spy not in board.wells or board.params.tunnel_cost != 1:
        return None
    return say(
        "Your spy is on a well ({place}). From there it can go to any free well in one step.",
        place=table.own.spy,
    )


def well_in_reach(table: Table) -> Message | None:
    if not table.ordering or _must_challenge(table):
        return None
    found = [place for place in table.view.reach if place in table.here.board.wells]
    if not found:
        return None
    return say(
        "Your spy can reach a well ({place}). From a well, a later move can go through the tunnel"
        " to another one.",
        place=found[0],
    )


def whole_roll(table: Table) -> Message | None:
    params = table.here.board.params
    usual = params.exact_count_needed_on_street and not params.exact_count_needed_into_embassy
    if not table.ordering or not own_roll(table.view) or not usual or table.view.round > _EARLY:
        return None
    return say("On the streets your spy uses the whole roll. It can enter an embassy earlier.")


def refuse(table: Table) -> Message | None:
    pending = table.view.pending
    if not pending or pending.defender != table.view.seat:
        return None
    return say(
        "You need not keep the card that you take. A KEEP line with REFUSE puts it in an embassy."
    )


# Standing orders that are missing.


def no_answer(table: Table) -> Message | None:
    """In mode `rounds` nobody is asked, so without such a line chance decides (5.4)."""
    if table.view.phase != "play" or table.view.mode != "rounds" or not table.cards:
        return None
    if any(isinstance(order, Answer) for order in standing_of(table.view)):
        return None
    return say(
        "You have no ANSWER line. If someone guesses wrong about your cards, chance decides "
        "which of theirs you take."
    )


def no_fifth(table: Table) -> Message | None:
    if table.view.phase != "play" or len(table.own.filled) < len(PLACES):
        return None
    if any(isinstance(order, Fifth) for order in standing_of(table.view)):
        return None
    return say(
        "Your four places are full. A FIFTH line can say which card goes out when you take another."
    )


# What the cards and pieces mean.


def three_alike(table: Table) -> Message | None:
    found = [card for card, n in table.held.items() if n == 3]
    if not found:
        return None
    return say(
        "You have three cards of one type ({card}). The fourth one wins.", card=card_title(found[0])
    )


def pair(table: Table) -> Message | None:
    most = max(table.held.values(), default=0)
    found = [card for card, n in table.held.items() if n == 2]
    if most != 2:
        return None
    return say(
        "You have two cards of one type ({card}). The other two are in embassies or with other"
        " players.",
        card=card_title(found[0]),
    )


def no_cards(table: Table) -> Message | None:
    if table.view.phase != "play" or table.cards:
        return None
    return say("While you have no card, you can neither challenge nor be challenged.")


def exposed(table: Table) -> Message | None:
    """The own spy can be challenged by whoever rolls a double (section 2)."""
    if table.view.phase != "play" or table.view.open_doors or table.view.pending:
        return None
    by = [one.seat for one in table.others if table.view.seat in eligible(table.here, one.seat)]
    if not by:
        return None
    return say(
        "Your spy on {place} can be challenged after a double of: {seats}. In an embassy it is"
        " safe.",
        place=table.own.spy,
        seats=seats(by),
    )


def sheltered(table: Table) -> Message | None:
    place = table.own.spy
    if table.view.open_doors or place not in table.here.board.embassies or not table.cards:
        return None
    return say(
        "While your spy is in {place}, nobody can challenge you.", place=where(place, table.names)
    )


def in_the_dossier(table: Table) -> Message | None:
    """The open dossier tells where a card lies of a type that the seat collects."""
    for note in table.view.dossier or ():
        if not note.moved and note.seat != table.view.seat and table.held.get(note.card, 0) >= 2:
            return say(
                "Everyone has seen a card that goes with yours: {card}, {where}.",
                card=card_title(note.card),
                where=_noted_at(note.seat, note.place, table.names),
            )
    return None


def _noted_at(seat: str | None, place: str, names: Names) -> Message | str:
    if seat:
        return say("{seat}, place {n}", seat=SEAT_TITLES[seat], n=place)
    return where(place, names)


def full_hand(table: Table) -> Message | None:
    full = [entry.seat for entry in table.others if len(entry.filled) == len(PLACES)]
    if not full:
        return None
    return say(
        "{seat} has four cards. With a fifth one, a card has to go back to an embassy.",
        seat=SEAT_TITLES[full[0]],
    )


def few_cards_out(table: Table) -> Message | None:
    """Ambushes come when no card is out, which two players never see (I3)."""
    n = len(table.here.out)
    if table.view.phase != "play" or len(table.view.seats) < 3 or not 0 < n <= _FEW:
        return None
    return count(
        "Only {n} card is left in embassies. When there is none, players may ambush one another.",
        "Only {n} cards are left in embassies. When there is none, players may ambush one another.",
        n,
    )


def bodyguard_out(table: Table) -> Message | None:
    place = table.own.bodyguard
    if place == table.own.home:
        return None
    return say(
        "Your bodyguard on {place} is in the way of all other spies. Your own may pass it.",
        place=place,
    )


def bodyguard_at_home(table: Table) -> Message | None:
    if table.view.phase != "play" or table.own.bodyguard != table.own.home:
        return None
    if table.view.round > _EARLY:
        return None
    return say(
        "Your bodyguard is at home. When you challenge, it goes to the place of the challenged"
        " spy, and that spy to its start."
    )


# The most useful first.
KINDS: Sequence[Callable[[Table], Message | None]] = (
    three_alike,
    refuse,
    likely_guess,
    card_in_reach,
    shelter,
    ambush,
    swap,
    in_the_dossier,
    exposed,
    no_fifth,
    no_answer,
    double_to_move,
    several_goals,
    on_a_well,
    well_in_reach,
    pair,
    no_cards,
    sheltered,
    full_hand,
    few_cards_out,
    bodyguard_out,
    whole_roll,
    bodyguard_at_home,
    four_alike,
)


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this round; None if none fits, or if the seat is played by the defaults."""
    here = table(view, words)
    if here.own.left:
        return None
    at = [entry.seat for entry in view.seats].index(view.seat)
    return chosen((kind(here) for kind in KINDS), view.round + at)


def _must_challenge(table: Table) -> bool:
    """Return whether the seat has to challenge, as things stand (R2.1)."""
    return doubled(table.view) and bool(table.view.targets)
