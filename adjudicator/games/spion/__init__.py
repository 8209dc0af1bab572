"""Spion: the table of contents of the game. Numbers in comments are the rule book's."""

from collections.abc import Sequence

from adjudicator.core.dice import Stream
from adjudicator.core.game import Game, Orders, Page, Proof, Records, Rules, Sight
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.games.spion.computers import COMPUTERS
from adjudicator.games.spion.lexicon import LEXICON, SEAT_TITLES, VARIANT_TITLES
from adjudicator.games.spion.orders.check import check
from adjudicator.games.spion.orders.own_board import write_board
from adjudicator.games.spion.orders.parse import COLOURS, likeness, parse
from adjudicator.games.spion.orders.template import example, reach, template
from adjudicator.games.spion.orders.values import Order, canonical
from adjudicator.games.spion.orders.warn import warn
from adjudicator.games.spion.page import rules_page
from adjudicator.games.spion.page.full_board import truth
from adjudicator.games.spion.page.history import STEPPING, OldReport
from adjudicator.games.spion.page.rows import looking_back, page
from adjudicator.games.spion.page.suggest import suggest
from adjudicator.games.spion.page.tips import tip
from adjudicator.games.spion.record import LABEL, replay, write
from adjudicator.games.spion.rules.audit import audit
from adjudicator.games.spion.rules.effects import apply
from adjudicator.games.spion.rules.state import (
    OPTIONS,
    SEATS,
    Event,
    Instructed,
    Ordered,
    Rolled,
    State,
    TurnOpened,
    TurnPassed,
)
from adjudicator.games.spion.rules.turns import (
    adjudicate,
    awaiting,
    close,
    leave,
    pace,
    phase,
    phrases,
    provides,
    seats_that_left,
    set_up,
    succeed,
)
from adjudicator.games.spion.rules.variants import VARIANTS, seating
from adjudicator.games.spion.sight.observe import links, observe
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import View
from adjudicator.games.spion.sight.witness import lasting, tells_once, witness


def _nothing(state: State, seat: Seat, chance: Stream) -> Sequence[Order]:
    """Return an empty sheet: standing orders, then the defaults of 5.4, decide in mid-turn."""
    return ()


SPION: Game[State, Order, Event, View, Seen] = Game(
    slug="spion",
    title="Spion",
    gist=say(
        "Spies steal secret cards from embassies and from each other. Four cards of one type win."
    ),
    about=say(
        "In Spion your spy walks through a city by the roll of two dice and collects cards from "
        "embassies, which only you can see. The first player with four cards of one type wins."
    ),
    lasts=say("A match has 30 to 40 turns of a few minutes each."),
    seats=SEATS,
    seat_titles={seat: SEAT_TITLES[seat] for seat in SEATS},
    seat_words={word: Seat(seat) for word, seat in COLOURS.items() if word != seat}
    | {"blå": SEATS[0], "grön": SEATS[1], "grønn": SEATS[1], "röd": SEATS[3], "rød": SEATS[3]},
    players=range(2, 5),
    seating=seating,
    variants=VARIANTS,
    variant_titles=VARIANT_TITLES,
    board=write_board,
    options=OPTIONS,
    rules=Rules(
        state=State,
        event=Event,
        set_up=set_up,
        awaiting=awaiting,
        outcome=lambda state: state.outcome,
        turn=lambda state: state.turn,
        phase=phase,
        adjudicate=adjudicate,
        apply=apply,
        leave=leave,
        close=close,
        succeed=succeed,
        gone=seats_that_left,
        default=_nothing,
        provides=provides,
        opens_at_once=True,
        pace=pace,
    ),
    orders=Orders(
        parse=parse,
        canonical=canonical,
        check=check,
        warn=warn,
        template=template,
        example=example,
        lexicon=LEXICON,
        likeness=likeness,
        reach=reach,
    ),
    sight=Sight(
        view=View,
        sighting=Seen,
        observe=observe,
        witness=witness,
        truth=truth,
        retells=False,
        retold=False,  # a substitute is told nothing of before (5.4)
        lasting=lasting,
        tells_once=tells_once,
    ),
    page=Page(
        rows=page,
        back=looking_back,
        past=OldReport,
        stepping=STEPPING,
        rules=rules_page.rules,
        tip=tip,
        suggest=suggest,
    ),
    record=Records(write=write, replay=replay, suffix="spion"),
    computers=COMPUTERS,
    # The deal follows from the seed, so there are no secrets beside it (section 6).
    proof=Proof(
        links=links,
        label=LABEL,
        phrases=phrases,
        audit=audit,
        repeated=(Ordered, Instructed, Rolled, TurnOpened, TurnPassed),
    ),
)
