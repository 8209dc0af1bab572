"""Hidden noughts and crosses: the table of contents of the game.

1.1 Cross begins. The seats take turns; an order, as in CLAIM b2, is one mark on an empty square.
1.2 A seat sees its own marks only. If the square holds a mark of the other seat, nothing is marked:
    the seat learns that, the other learns only that it happened, and the same seat orders again.
1.3 Three marks in a row win. A full board without them is a draw.

Each part is one module here; in a game of any size it is a package (`rules/`, `orders/`, …).
"""

from adjudicator.core.dice import LABEL
from adjudicator.core.game import Game, Orders, Page, Proof, Records, Rules, Sight
from adjudicator.core.message import say
from tests.games.skeleton.game.computers import COMPUTERS
from tests.games.skeleton.game.lexicon import LEXICON, SEAT_TITLES, VARIANT_TITLES
from tests.games.skeleton.game.orders import LIKENESS, Mark, canonical, check, parse, template
from tests.games.skeleton.game.page import rows
from tests.games.skeleton.game.record import write
from tests.games.skeleton.game.rules import (
    CROSS,
    NOUGHT,
    SEATS,
    Event,
    State,
    adjudicate,
    apply,
    awaiting,
    close,
    leave,
    phase,
    set_up,
)
from tests.games.skeleton.game.sight import News, View, observe, truth, witness

SKELETON: Game[State, Mark, Event, View, News] = Game(
    slug="skeleton",
    title="Skeleton",
    gist=say("Two players mark squares in secret. Three in a row win."),
    about=say(
        "In Skeleton you and your opponent mark squares, and you see only your own marks. You win "
        "with three in a row."
    ),
    lasts=say("A match takes some minutes."),
    seats=SEATS,
    seat_titles=SEAT_TITLES,
    seat_words={"kryss": CROSS, "sirkel": NOUGHT, "ring": NOUGHT},
    players=range(2, 3),
    variants=("standard",),
    variant_titles=VARIANT_TITLES,
    options={},
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
    ),
    orders=Orders(
        parse=parse,
        canonical=canonical,
        check=check,
        template=template,
        lexicon=LEXICON,
        likeness=lambda: LIKENESS,
    ),
    sight=Sight(view=View, sighting=News, observe=observe, witness=witness, truth=truth),
    page=Page(rows=rows),
    record=Records(write=write),
    computers=COMPUTERS,
    proof=Proof(label=LABEL),
)
