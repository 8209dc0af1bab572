"""Each kind of tip speaks where it fits and is silent where it does not."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.core.tips import fitting
from adjudicator.games.spion.page import tips
from adjudicator.games.spion.rules import turns
from adjudicator.games.spion.sight.observe import observe
from adjudicator.games.spion.sight.view import SeenNote, SeenPending, SeenRoll, View
from tests.games.spion.matches import adjudicated, chance_of, setting

BLUE, GREEN, YELLOW, RED = (Seat(name) for name in ("blue", "green", "yellow", "red"))
CHANCE = chance_of(bytes(32))


@cache
def opened(players: int, mode: str, memory: str = "honour") -> View:
    """Return Blue's view of the first turn, in which it holds no dice yet."""
    state = turns.set_up(setting(players=players, mode=mode, memory=memory), CHANCE)
    state = adjudicated(state, {}, CHANCE).states[-1]
    return replace(observe(state, BLUE), to_move=BLUE, dice=(), reach=(), targets=(), ambushes={})


def seen(
    *, dice: tuple[int, int] | None = None, players: int = 4, mode: str = "rounds", **changes: Any
) -> View:
    """Make a view: `blue_spy="e5"` puts a piece, `blue_cards="ATOM KEMI"` fills places, `out=()`
    are the embassies with a card."""
    view = opened(players, mode, changes.pop("memory", "honour"))
    rolled = () if dice is None else (SeenRoll(seat=BLUE, dice=dice, number=1, key="ab" * 32),)
    seats = tuple(_seat(one, changes) for one in view.seats)
    out = changes.pop("out", None)
    board = view.board
    if out is not None:
        embassies = tuple(replace(one, card=one.code in out) for one in board.embassies)
        board = replace(board, embassies=embassies)
    return replace(view, dice=rolled, seats=seats, board=board, **changes)


def _seat(entry: Any, changes: dict[str, Any]) -> Any:
    for name in ("spy", "bodyguard", "left"):
        if said := changes.pop(f"{entry.seat}_{name}", None):
            entry = replace(entry, **{name: said})
    if (said := changes.pop(f"{entry.seat}_cards", None)) is None:
        return entry
    cards = said.split()
    holder = (*cards, *[None] * (4 - len(cards)))
    filled = tuple(range(1, len(cards) + 1))
    return replace(entry, filled=filled, cards=holder if entry.seat == BLUE else None)


SETUP = replace(opened(2, "turns"), phase="setup", turn=0, round=0, to_move=None)
PENDING = SeenPending(challenger=RED, defender=BLUE, place=1)
NOTE = SeenNote(turn=3, card="ATOM", seat=RED, place="2", moved=False)
TWO = {"blue_cards": "ATOM ATOM KEMI"}
# By kind: a view in which it speaks, what it says, and one in which it is silent.
CASES: Mapping[str, tuple[View, str, View]] = {
    "three_alike": (
        seen(blue_cards="ATOM KEMI ATOM ATOM"),
        "You have three cards of one type (ATOM). The fourth one wins.",
        seen(**TWO),
    ),
    "refuse": (
        seen(players=2, mode="turns", pending=PENDING),
        "You need not keep the card that you take. A KEEP line with REFUSE puts it in an embassy.",
        seen(players=2, mode="turns", pending=replace(PENDING, challenger=BLUE, defender=RED)),
    ),
    "likely_guess": (
        seen(dice=(3, 3), targets=(RED,), **TWO),
        "You have more ATOM than FYSIK, so a guess of FYSIK may be right more often.",
        seen(dice=(3, 4), targets=(RED,), **TWO),
    ),
    "card_in_reach": (
        seen(dice=(1, 4), reach=("e4", "NOR", "POL"), out=("NOR",)),
        "Your spy can reach an embassy with a card: NOR (Norway).",
        seen(dice=(1, 4), reach=("e4", "POL"), out=("NOR",)),
    ),
    "shelter": (
        seen(dice=(1, 4), reach=("e4", "POL"), out=("NOR",), **TWO),
        "No card is in reach now, but in POL (Poland) your spy is safe from challenges.",
        seen(dice=(1, 4), reach=("e4", "POL"), out=("NOR",), open_doors=True, **TWO),
    ),
    "ambush": (
        seen(dice=(1, 4), out=(), ambushes={RED: ("e4",), GREEN: ("e4",)}),
        "You may ambush now: Red, Green. It is a challenge without a double, and you need not make"
        " it.",
        seen(dice=(1, 4), out=()),
    ),
    "swap": (
        seen(dice=(1, 2), blue_spy="b3", green_bodyguard="b4"),
        "Your spy is blocked. Your bodyguard may replace one that is in its way: Green.",
        seen(dice=(1, 2), blue_spy="b3", reach=("b6",), green_bodyguard="b4"),
    ),
    "in_the_dossier": (
        seen(memory="open", dossier=(NOTE,), **TWO),
        "Everyone has seen a card that goes with yours: ATOM, Red, place 2.",
        seen(memory="open", dossier=(replace(NOTE, moved=True),), **TWO),
    ),
    "exposed": (
        seen(blue_spy="e4", red_cards="X", **TWO),
        "Your spy on e4 can be challenged after a double of: Red. In an embassy it is safe.",
        seen(blue_spy="NOR", red_cards="X", **TWO),
    ),
    "no_fifth": (
        seen(blue_cards="ATOM KEMI RYMD RYMD"),
        "Your four places are full. A FIFTH line can say which card goes out when you take"
        " another.",
        seen(blue_cards="ATOM KEMI RYMD RYMD", standing=("FIFTH *: REFUSE",)),
    ),
    "no_answer": (
        seen(**TWO),
        "You have no ANSWER line. If someone guesses wrong about your cards, chance decides which "
        "of theirs you take.",
        seen(standing=("ANSWER *: TAKE 3,1",), **TWO),
    ),
    "double_to_move": (
        seen(players=2, mode="turns", dice=(3, 3), reach=("e4",)),
        "Nobody can be challenged, so you move your double like any other roll.",
        seen(players=2, mode="turns", dice=(3, 3), reach=("e4",), targets=(YELLOW,)),
    ),
    "several_goals": (
        seen(dice=(1, 4), reach=("e4", "POL")),
        "Others may move before you in this round. Name several destinations: the first one that is"
        " possible is used.",
        seen(players=2, mode="turns", dice=(1, 4), reach=("e4", "POL")),
    ),
    "on_a_well": (
        seen(blue_spy="g2"),
        "Your spy is on a well (g2). From there it can go to any free well in one step.",
        seen(blue_spy="e4"),
    ),
    "well_in_reach": (
        seen(dice=(1, 4), reach=("e4", "g2")),
        "Your spy can reach a well (g2). From a well, a later move can go through the tunnel to"
        " another one.",
        seen(dice=(1, 4), reach=("e4",)),
    ),
    "pair": (
        seen(**TWO),
        "You have two cards of one type (ATOM). The other two are in embassies or with other"
        " players.",
        seen(blue_cards="ATOM KEMI"),
    ),
    "no_cards": (
        seen(),
        "While you have no card, you can neither challenge nor be challenged.",
        seen(**TWO),
    ),
    "sheltered": (
        seen(blue_spy="NOR", **TWO),
        "While your spy is in NOR (Norway), nobody can challenge you.",
        seen(blue_spy="NOR", open_doors=True, **TWO),
    ),
    "full_hand": (
        seen(green_cards="X X X X"),
        "Green has four cards. With a fifth one, a card has to go back to an embassy.",
        seen(green_cards="X X X"),
    ),
    "few_cards_out": (
        seen(out=("NOR", "POL")),
        "Only 2 cards are left in embassies. When there is none, players may ambush one another.",
        seen(players=2, mode="turns", out=("NOR", "POL")),
    ),
    "bodyguard_out": (
        seen(blue_bodyguard="e4"),
        "Your bodyguard on e4 is in the way of all other spies. Your own may pass it.",
        seen(),
    ),
    "whole_roll": (
        seen(dice=(1, 4)),
        "On the streets your spy uses the whole roll. It can enter an embassy earlier.",
        seen(dice=(1, 4), round=9),
    ),
    "bodyguard_at_home": (
        seen(),
        "Your bodyguard is at home. When you challenge, it goes to the place of the challenged spy,"
        " and that spy to its start.",
        seen(blue_bodyguard="e4"),
    ),
    "four_alike": (
        SETUP,
        "There are four cards of each type. The first player to have all four of one type wins.",
        seen(),
    ),
}


def told(view: View) -> Mapping[str, str]:
    here = tips.table(view, tell)
    return {name: tell(message) for name, message in fitting(tips.TIPS, here).items()}


def test_every_kind_has_a_case() -> None:
    assert list(CASES) == list(tips.TIPS)


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_speaks_where_it_fits_and_nowhere_else(kind: str) -> None:
    speaks, words, silent = CASES[kind]
    assert told(speaks)[kind] == words
    assert kind not in told(silent)


def test_a_seat_that_the_rules_play_gets_none() -> None:
    assert tips.tip(seen(**TWO), tell) is not None
    assert tips.tip(seen(blue_left="forfeit", **TWO), tell) is None
