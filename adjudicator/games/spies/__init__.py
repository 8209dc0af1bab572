"""Spies: the table of contents of the game. Numbers in comments are the rule book's.

The packages are the parts of every game: `rules` (map, pieces, deal, the turns of a year,
outcome), `orders` (values, reading, checking), `sight` (what a seat sees and is told), `page`
(what is printed of it), `record` (written and played again) and `computers`.
"""

from collections.abc import Mapping, Sequence

from adjudicator.core.dice import LABEL, Stream
from adjudicator.core.game import Game, Orders, Page, Proof, Records, Rules, Sight
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.games.spies.computers import COMPUTERS
from adjudicator.games.spies.lexicon import LEXICON, SEAT_TITLES, VARIANT_TITLES, seat_words
from adjudicator.games.spies.orders.check import check
from adjudicator.games.spies.orders.explain import explain
from adjudicator.games.spies.orders.missing_letters import complete_codes
from adjudicator.games.spies.orders.parse import parse
from adjudicator.games.spies.orders.template import example, reach, template
from adjudicator.games.spies.orders.values import Order, canonical
from adjudicator.games.spies.orders.warn import warn
from adjudicator.games.spies.orders.words import likeness
from adjudicator.games.spies.page import rules_page
from adjudicator.games.spies.page.full_board import truth
from adjudicator.games.spies.page.history import STEPPING, OldReport
from adjudicator.games.spies.page.rows import looking_back, page, retold
from adjudicator.games.spies.page.suggest import suggest
from adjudicator.games.spies.page.tips import tip
from adjudicator.games.spies.record import replay, write
from adjudicator.games.spies.rules.apply import apply
from adjudicator.games.spies.rules.atlas import SEATS, atlas
from adjudicator.games.spies.rules.audit import audit
from adjudicator.games.spies.rules.events import AnyEvent, Instructed, Ordered, Passed, Turned
from adjudicator.games.spies.rules.match import (
    adjudicate,
    awaiting,
    close,
    leave,
    number,
    phase,
    seats_that_left,
    set_up,
)
from adjudicator.games.spies.rules.outcome import places
from adjudicator.games.spies.rules.state import OPTIONS, State
from adjudicator.games.spies.sight.observe import observe
from adjudicator.games.spies.sight.sightings import News
from adjudicator.games.spies.sight.view import View
from adjudicator.games.spies.sight.witness import witness


def _nothing(state: State, seat: Seat, chance: Stream) -> Sequence[Order]:
    """Return an empty sheet: the set-up is drawn, a turn follows from standing orders (2.7,
    6.7)."""
    return ()


def _seating(variant: str, board: str) -> Mapping[int, tuple[Seat, ...]]:
    """Return the seats that so many players take; with two each leads two powers (1.2, 1.3)."""
    return {number: tuple(seats) for number, seats in atlas().seating.items()}


SPIES: Game[State, Order, AnyEvent, View, News] = Game(
    slug="spies",
    title="Spies",
    gist=say(
        "Europe, 1933 to 1939: spies carry secrets home, and police hunt the spies. Most points "
        "win."
    ),
    about=say(
        "In Spies you lead a power of Europe: your spies bring foreign secrets home, and your "
        "police catch foreign spies. The player with the most points at the end of 1939 wins."
    ),
    lasts=say("A match has seven years, from 1933 to 1939. A year takes you about half an hour."),
    seats=SEATS,
    seat_titles=SEAT_TITLES,
    seat_words=seat_words(),
    players=range(2, 6),
    seating=_seating,
    variants=("standard",),
    variant_titles=VARIANT_TITLES,
    options=OPTIONS,
    rules=Rules(
        state=State,
        event=AnyEvent,
        set_up=set_up,
        awaiting=awaiting,
        outcome=lambda state: state.outcome,
        turn=number,
        phase=phase,
        adjudicate=adjudicate,
        apply=apply,
        leave=leave,
        close=close,
        gone=seats_that_left,
        places=places,
        default=_nothing,
        provides=lambda state: True,  # silence is answered by the rules (2.7, 6.7)
    ),
    orders=Orders(
        parse=parse,
        canonical=canonical,
        check=check,
        warn=warn,
        completed=lambda view, order: complete_codes(order, view.powers),
        explain=explain,
        template=template,
        example=example,
        lexicon=LEXICON,
        likeness=likeness,
        reach=reach,
    ),
    sight=Sight(view=View, sighting=News, observe=observe, witness=witness, truth=truth),
    page=Page(
        rows=page,
        back=looking_back,
        past=OldReport,
        stepping=STEPPING,
        tales=retold,
        rules=rules_page.rules,
        tip=tip,
        suggest=suggest,
    ),
    record=Records(
        write=write,
        replay=replay,
        key="game_record",  # `record` is the powers' own (9.7)
        suffix="spies",
    ),
    computers=COMPUTERS,
    # Nothing is drawn in public (2.1), so there are no links.
    proof=Proof(
        label=LABEL,
        secrets=lambda state: state.setups,  # 2.6
        what="setup",
        secret=lambda seat: say("Set-up of {seat}", seat=seat),
        audit=audit,
        repeated=(Ordered, Instructed, Turned, Passed),
    ),
)
