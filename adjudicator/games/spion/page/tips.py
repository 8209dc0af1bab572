"""Tips for players who are new to Spion, from a seat's view alone.

Each is a row of `TIPS`. A view has no types that were shown once only, so no tip repeats them (5.5,
5.6).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.tips import Holes, Tip, choose, fitting, when
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title
from adjudicator.games.spion.orders.values import Answer, Fifth
from adjudicator.games.spion.page.names import Names, embassy_names, seats, where
from adjudicator.games.spion.rules.cards import PLACES
from adjudicator.games.spion.rules.position import Position, eligible
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.view import (
    SeenSeat,
    View,
    blocking,
    doubled,
    own_roll,
    position_of,
    seat_in,
    standing_of,
)

_EARLY = 4  # rounds up to which the rules of moving are worth saying
_FEW = 4  # cards in embassies


class Table(Struct, frozen=True):
    """A view, and what is looked up in it again and again. `ordering` says that the seat has a turn
    to order and nothing else, `moving` that it need not challenge in it, `held` are its own cards
    by type."""

    view: View
    here: Position
    own: SeenSeat
    names: Names
    ordering: bool
    held: Mapping[Card, int]

    @property
    def playing(self) -> bool:
        return self.view.phase == "play"

    @property
    def moving(self) -> bool:
        return self.ordering and not self.must_challenge

    @property
    def must_challenge(self) -> bool:
        """Return whether the seat has to challenge, as things stand (R2.1)."""
        return doubled(self.view) and bool(self.view.targets)

    @property
    def cards(self) -> int:
        return sum(self.held.values())

    @property
    def others(self) -> Sequence[SeenSeat]:
        return [entry for entry in self.view.seats if entry.seat != self.view.seat]

    @property
    def with_card(self) -> Sequence[Place]:
        """Return the embassies with a card that are in reach."""
        return [place for place in self.view.reach if place in self.here.out]

    def has_standing(self, kind: type[Answer] | type[Fifth]) -> bool:
        return any(isinstance(order, kind) for order in standing_of(self.view))


def table(view: View, words: Words) -> Table:
    own = seat_in(view, view.seat)
    mine = view.mode == "rounds" or view.to_move == view.seat
    return Table(
        view=view,
        here=position_of(view),
        own=own,
        names=embassy_names(view, words),
        ordering=view.phase == "play" and mine and not view.pending and own.left is None,
        held=Counter(card for card in own.cards or () if card),
    )


# What the seat can do now.


def _card_in_reach(table: Table) -> Iterator[Holes]:
    if table.moving and (found := table.with_card):
        yield {"n": len(found), "place": where(found[0], table.names)}


def _shelter(table: Table) -> Iterator[Holes]:
    """An embassy without a card still protects from challenges."""
    if table.moving and table.cards and not table.view.open_doors and not table.with_card:
        found = (place for place in table.view.reach if place in table.here.board.embassies)
        yield from ({"place": where(place, table.names)} for place in found)


def _likely_guess(table: Table) -> Iterator[Holes]:
    """Others have more of a type of which the seat has few."""
    types = table.view.types
    least, most = (pick(types, key=lambda one: table.held.get(one, 0)) for pick in (min, max))
    more = table.held.get(most, 0) > table.held.get(least, 0)
    if table.ordering and table.must_challenge and more:
        yield {"most": most, "least": least}


def _double_to_move(table: Table) -> bool:
    view = table.view
    return table.ordering and doubled(view) and not view.targets and view.mode != "rounds"


def _swap(table: Table) -> Iterator[Holes]:
    if table.ordering and (by := blocking(table.view)):
        yield {"seats": seats(by)}


def _ambush(table: Table) -> Iterator[Holes]:
    if table.ordering and table.view.ambushes:
        yield {"seats": seats(list(table.view.ambushes))}


def _several_goals(table: Table) -> bool:
    view = table.view
    in_rounds = table.ordering and view.mode == "rounds"
    return in_rounds and len(view.reach) > 1 and not doubled(view)


def _on_a_well(table: Table) -> Iterator[Holes]:
    board = table.here.board
    if table.own.spy in board.wells and board.params.tunnel_cost == 1:
        yield {"place": table.own.spy}


def _well_in_reach(table: Table) -> Iterator[Holes]:
    if table.moving:
        found = (place for place in table.view.reach if place in table.here.board.wells)
        yield from ({"place": place} for place in found)


def _whole_roll(table: Table) -> bool:
    params = table.here.board.params
    usual = params.exact_count_needed_on_street and not params.exact_count_needed_into_embassy
    early = table.view.round <= _EARLY
    return table.ordering and own_roll(table.view) is not None and usual and early


def _refuse(table: Table) -> bool:
    pending = table.view.pending
    return pending is not None and pending.defender == table.view.seat


# Standing orders that are missing.


def _no_answer(table: Table) -> bool:
    """In mode `rounds` nobody is asked, so without such a line chance decides (5.4)."""
    in_rounds = table.playing and table.view.mode == "rounds"
    return in_rounds and table.cards > 0 and not table.has_standing(Answer)


def _no_fifth(table: Table) -> bool:
    full = len(table.own.filled) >= len(PLACES)
    return table.playing and full and not table.has_standing(Fifth)


# What the cards and pieces mean.


def _three_alike(table: Table) -> Iterator[Holes]:
    yield from ({"card": card_title(card)} for card, n in table.held.items() if n == 3)


def _pair(table: Table) -> Iterator[Holes]:
    if max(table.held.values(), default=0) == 2:
        yield from ({"card": card_title(card)} for card, n in table.held.items() if n == 2)


def _exposed(table: Table) -> Iterator[Holes]:
    """The own spy can be challenged by whoever rolls a double (section 2)."""
    if not table.playing or table.view.open_doors or table.view.pending:
        return
    by = [one.seat for one in table.others if table.view.seat in eligible(table.here, one.seat)]
    if by:
        yield {"place": table.own.spy, "seats": seats(by)}


def _sheltered(table: Table) -> Iterator[Holes]:
    place = table.own.spy
    if place in table.here.board.embassies and table.cards and not table.view.open_doors:
        yield {"place": where(place, table.names)}


def _in_the_dossier(table: Table) -> Iterator[Holes]:
    """The open dossier tells where a card lies of a type that the seat collects."""
    for note in table.view.dossier or ():
        if not note.moved and note.seat != table.view.seat and table.held.get(note.card, 0) >= 2:
            yield {
                "card": card_title(note.card),
                "where": _noted_at(note.seat, note.place, table.names),
            }


def _noted_at(seat: str | None, place: str, names: Names) -> Message | str:
    if seat:
        return say("{seat}, place {n}", seat=SEAT_TITLES[seat], n=place)
    return where(place, names)


def _full_hand(table: Table) -> Iterator[Holes]:
    full = (entry.seat for entry in table.others if len(entry.filled) == len(PLACES))
    yield from ({"seat": SEAT_TITLES[seat]} for seat in full)


def _few_cards_out(table: Table) -> Iterator[Holes]:
    """Ambushes come when no card is out, which two players never see (I3)."""
    n = len(table.here.out)
    if table.playing and len(table.view.seats) > 2 and 0 < n <= _FEW:
        yield {"n": n}


def _bodyguard_out(table: Table) -> Iterator[Holes]:
    place = table.own.bodyguard
    if place != table.own.home:
        yield {"place": place}


def _bodyguard_at_home(table: Table) -> bool:
    at_home = table.own.bodyguard == table.own.home
    return table.playing and at_home and table.view.round <= _EARLY


# The most useful first.
TIPS: Mapping[str, Tip[Table]] = {
    "three_alike": Tip(
        _three_alike, say("You have three cards of one type ({card}). The fourth one wins.")
    ),
    "refuse": Tip(
        when(_refuse),
        say(
            "You need not keep the card that you take. A KEEP line with REFUSE puts it in an "
            "embassy."
        ),
    ),
    "likely_guess": Tip(
        _likely_guess,
        say("You have more {most} than {least}, so a guess of {least} may be right more often."),
    ),
    "card_in_reach": Tip(
        _card_in_reach,
        count(
            "Your spy can reach an embassy with a card: {place}.",
            "Your spy can reach {n} embassies with a card, one of them {place}.",
            1,
        ),
    ),
    "shelter": Tip(
        _shelter, say("No card is in reach now, but in {place} your spy is safe from challenges.")
    ),
    "ambush": Tip(
        _ambush,
        say(
            "You may ambush now: {seats}. It is a challenge without a double, and you need not "
            "make it."
        ),
    ),
    "swap": Tip(
        _swap,
        say("Your spy is blocked. Your bodyguard may replace one that is in its way: {seats}."),
    ),
    "in_the_dossier": Tip(
        _in_the_dossier, say("Everyone has seen a card that goes with yours: {card}, {where}.")
    ),
    "exposed": Tip(
        _exposed,
        say(
            "Your spy on {place} can be challenged after a double of: {seats}. In an embassy it is "
            "safe."
        ),
    ),
    "no_fifth": Tip(
        when(_no_fifth),
        say(
            "Your four places are full. A FIFTH line can say which card goes out when you take "
            "another."
        ),
    ),
    "no_answer": Tip(
        when(_no_answer),
        say(
            "You have no ANSWER line. If someone guesses wrong about your cards, chance decides "
            "which of theirs you take."
        ),
    ),
    "double_to_move": Tip(
        when(_double_to_move),
        say("Nobody can be challenged, so you move your double like any other roll."),
    ),
    "several_goals": Tip(
        when(_several_goals),
        say(
            "Others may move before you in this round. Name several destinations: the first one "
            "that is possible is used."
        ),
    ),
    "on_a_well": Tip(
        _on_a_well,
        say("Your spy is on a well ({place}). From there it can go to any free well in one step."),
    ),
    "well_in_reach": Tip(
        _well_in_reach,
        say(
            "Your spy can reach a well ({place}). From a well, a later move can go through the "
            "tunnel to another one."
        ),
    ),
    "pair": Tip(
        _pair,
        say(
            "You have two cards of one type ({card}). The other two are in embassies or with other "
            "players."
        ),
    ),
    "no_cards": Tip(
        when(lambda table: table.playing and not table.cards),
        say("While you have no card, you can neither challenge nor be challenged."),
    ),
    "sheltered": Tip(_sheltered, say("While your spy is in {place}, nobody can challenge you.")),
    "full_hand": Tip(
        _full_hand,
        say("{seat} has four cards. With a fifth one, a card has to go back to an embassy."),
    ),
    "few_cards_out": Tip(
        _few_cards_out,
        count(
            "Only {n} card is left in embassies. When there is none, players may ambush one "
            "another.",
            "Only {n} cards are left in embassies. When there is none, players may ambush one "
            "another.",
            1,
        ),
    ),
    "bodyguard_out": Tip(
        _bodyguard_out,
        say("Your bodyguard on {place} is in the way of all other spies. Your own may pass it."),
    ),
    "whole_roll": Tip(
        when(_whole_roll),
        say("On the streets your spy uses the whole roll. It can enter an embassy earlier."),
    ),
    "bodyguard_at_home": Tip(
        when(_bodyguard_at_home),
        say(
            "Your bodyguard is at home. When you challenge, it goes to the place of the challenged"
            " spy, and that spy to its start."
        ),
    ),
    "four_alike": Tip(
        when(lambda table: table.view.phase == "setup"),
        say(
            "There are four cards of each type. The first player to have all four of one type wins."
        ),
    ),
}


def tip(view: View, words: Words) -> Message | None:
    """Return a tip for this round; None if none fits, or if the seat is played by the defaults."""
    here = table(view, words)
    if here.own.left:
        return None
    at = [entry.seat for entry in view.seats].index(view.seat)
    return choose(fitting(TIPS, here).values(), view.round + at)
