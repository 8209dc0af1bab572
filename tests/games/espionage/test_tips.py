"""Each kind of tip speaks where it fits and is silent where it does not."""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, tell
from adjudicator.core.tips import fitting
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.page import tips
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import Rank, wins
from adjudicator.games.espionage.rules.state import State, Step
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import Fight, SeenBoard, SeenPiece, View
from tests.games.playouts import playout
from tests.scale import scaled

WHITE, BLACK = Seat("white"), Seat("black")


def piece(side: Seat, said: str) -> SeenPiece:
    """Read `d3 spy moved noticed`, or of an enemy `e5 ? moved`; `maybe spy mine` stands last."""
    said, _, maybe = said.partition(" maybe ")
    square, rank, *rest = said.split()
    known = rank != "?"
    return SeenPiece(
        square=Square(square),
        side=side,
        rank=Rank(rank) if known else None,
        moved="moved" in rest,
        known_since=1 if known and side == BLACK else None,
        known_to_enemy=True if "noticed" in rest else UNSET,
        fights=() if not known else UNSET,
        could_be=tuple(map(Rank, maybe.split())) if maybe else None if not known else UNSET,
    )


def seen(own: str, enemy: str = "", **changes: Any) -> View:
    """Make a view of White in turn 6, with a volcano on e5."""
    mine = [piece(WHITE, said) for said in own.split(", ")]
    theirs = [piece(BLACK, said) for said in enemy.split(", ") if said]
    view = View(
        variant="standard",
        phase="play",
        seat=WHITE,
        turn=6,
        to_move=WHITE,
        no_progress_left=None,
        board=SeenBoard(size=10, volcanoes=(Square("e5"),)),
        pieces=(*mine, *theirs),
        lost={},
        barred=(),
        setups=None,
        result=None,
    )
    return replace(view, **changes)


def fought(view: View, square: str, beat: Rank) -> View:
    fight = Fight(turn=3, beat=beat, role="defender")
    pieces = [replace(one, fights=(fight,)) if one.square == square else one for one in view.pieces]
    return replace(view, pieces=tuple(pieces))


PLAIN = seen("a1 headquarters, a2 mine, b1 mine, c3 captain moved", "c9 ? moved")
SETUP = seen("a1 spy", phase="setup", turn=0, pieces=(), to_move=None)
# By kind: a view in which it speaks, what it says, and one in which it is silent.
CASES: Mapping[str, tuple[View, str, View]] = {
    "can_take": (
        seen("d4 colonel, d6 captain", "d5 spy"),
        "Your piece on d6 (Captain) can take the piece on d5 (Spy).",
        seen("d4 colonel", "d5 general"),
    ),
    "threatened": (
        seen("d4 colonel, f5 corporal", "d5 general, f6 captain"),
        "The enemy piece on d5 (General) may take your piece on d4 (Colonel).",
        seen("d4 colonel", "d5 mine"),
    ),
    "general_attacks": (
        seen("d4 general", "d5 ? moved"),
        "The piece on d5 has moved, so it is not a Mine. Your General on d4 can take it, whatever"
        " it is.",
        seen("d4 general", "d5 ?"),
    ),
    "sure_attack": (
        seen("d4 captain", "d5 ? moved maybe corporal spy"),
        "Your piece on d4 (Captain) can take the piece on d5, whatever that can still be.",
        seen("d4 captain", "d5 ? moved maybe corporal general"),
    ),
    "spy_looks": (
        seen("d4 spy", "c6 ?, d6 ?"),
        "If your Spy on d4 goes to d5, it can see the pieces on c6, d6.",
        seen("d4 spy", "d6 ?", barred=(Step(Square("d4"), Square("d5")),)),
    ),
    "near_headquarters": (
        seen("b1 headquarters", "b4 ? moved"),
        "The enemy piece on b4 may be only 3 steps from your Headquarters on b1.",
        seen("b1 headquarters", "b5 ? moved"),
    ),
    "only_one": (
        seen("d4 spy", "d9 ? maybe mine"),
        "From its moves and fights, the piece on d9 can only be: Mine.",
        seen("d4 spy", "d9 ? maybe mine headquarters"),
    ),
    "winner_of_a_fight": (
        fought(seen("d4 spy", "d9 ? maybe general mine"), "d9", Rank.CAPTAIN),
        "The piece on d9 beat one of yours (Captain). It can be: General, Mine.",
        fought(seen("d4 spy", "d9 ?"), "d9", Rank.CAPTAIN),
    ),
    "known_mine": (
        seen("a4 sapper, d4 sapper", "d9 mine"),
        "The piece on d9 is a Mine. A Sapper can remove it, and your nearest one is on d4.",
        seen("a4 spy", "d9 mine"),
    ),
    "known_general": (
        seen("a4 sapper", "d9 general"),
        "A Sapper takes a General if the Sapper attacks first. Your Sapper on a4 is nearest to the"
        " General on d9.",
        seen("a4 sapper", "d9 colonel"),
    ),
    "cheap_attack": (
        seen("d4 corporal, c5 lieutenant", "d5 ?"),
        "If you want to test the piece on d5, your piece on d4 (Corporal) risks little.",
        seen("d4 corporal", "d5 ? maybe general mine"),
    ),
    "open_headquarters": (
        seen("a1 headquarters, a2 mine"),
        "Nothing is on b1, next to your Headquarters on a1. A piece there may protect it.",
        seen("a1 headquarters, a2 mine, b1 mine"),
    ),
    "unmasked": (
        seen("a4 spy noticed"),
        "The enemy knows your piece on a4 (Spy). It can mislead nobody now.",
        seen("a4 spy noticed", variant="open-fast"),
    ),
    "quiet": (
        replace(PLAIN, no_progress_left=3),
        "An attack starts the count of turns without a fight again. 3 are left.",
        replace(PLAIN, no_progress_left=30),
    ),
    "few_can_move": (
        seen("a1 headquarters, a2 spy"),
        "You have only 1 piece left that can move. A player with no legal move loses.",
        seen("a1 spy, a2 spy, a3 spy, a4 spy, a5 spy"),
    ),
    "equals": (
        seen("d4 captain", "d5 ?"),
        "If the piece on d5 has the same rank as your piece on d4 (Captain), the one that attacks"
        " wins.",
        seen("d4 spy, d3 captain", "d5 ?, e3 corporal"),
    ),
    "never_moved": (
        seen("d4 spy", "f6 ?, e6 ? moved"),
        "The piece on f6 has never moved. It may be a Mine.",
        seen("d4 spy", "d9 ? maybe spy captain"),
    ),
    "never_moved_own": (
        seen("d4 spy, d5 captain moved", "d9 ?"),
        "Your piece on d4 (Spy) has never moved, so the enemy may take it for a Mine.",
        seen("d4 spy noticed", "d9 ?"),
    ),
    "has_moved": (
        seen("d4 spy", "f6 ?, e6 ? moved"),
        "The piece on e6 has moved, so it is neither a Mine nor the Headquarters.",
        seen("d4 spy", "f6 ?, e6 captain moved"),
    ),
    "own_general": (
        seen("a2 general, d4 general", "d7 ?"),
        "Your General on d4 can be taken only by a General or a Sapper. When it attacks, only a"
        " Mine stops it.",
        seen("a2 general, d4 colonel", "d7 ?"),
    ),
    "mines_left": (
        seen("d4 sapper, d3 sapper", "d9 ?, d10 mine, e10 ?", lost_known=(Rank.MINE,)),
        "The enemy may have 3 Mines. Only Sappers can remove them, and you have 2.",
        seen("d4 captain", "d9 ?, d10 mine"),
    ),
    "generals_left": (
        seen("d4 captain", "d9 ?, e9 ?, f9 ?"),
        "The enemy may have 2 Generals. Only your Generals and Sappers can take one.",
        seen("d4 captain", "d9 ?, e9 ?", lost_known=(Rank.GENERAL, Rank.GENERAL)),
    ),
    "thin_side": (
        seen("d4 captain", "a9 ?, c3 spy, d9 ?, h9 ?, i9 ?, j9 ?"),
        "Only 2 enemy pieces are on the files a to c. An attack may be easier there.",
        seen("d4 captain", "a9 ?, c3 spy, d9 ?, h9 ?, i9 ?"),
    ),
    "spies_at_home": (
        seen("d3 spy, a1 spy", "d9 ?"),
        "None of your Spies has left your home rows. A Spy sees only the squares around it, so it"
        " has to go near the enemy.",
        seen("d4 spy, a1 spy", "d9 ?"),
    ),
    "spies_see": (
        seen("d6 spy", "d9 ?"),
        "Your Spy on d6 sees all eight squares around it, also diagonally, after every step of"
        " either side.",
        seen("d4 spy", "d9 captain"),
    ),
    "two_steps": (
        PLAIN,
        "Both of your steps are fixed before the first one is played. What a Spy sees now can help"
        " you next turn.",
        replace(PLAIN, variant="fast"),
    ),
    "decoys": (
        SETUP,
        "A Mine or two away from your Headquarters may mislead the enemy, because pieces that have"
        " never moved all look alike.",
        PLAIN,
    ),
    "front_row": (
        SETUP,
        "A Spy near the front can soon show you enemy pieces. Put soldiers beside it, because"
        " every soldier beats it.",
        PLAIN,
    ),
    "sappers_back": (
        SETUP,
        "Only a Sapper can remove a Mine. You may need some Sappers late in the match.",
        PLAIN,
    ),
}


def told(view: View) -> Mapping[str, str]:
    here = tips.table(view)
    return {name: tell(message) for name, message in fitting(tips.TIPS, here).items()}


def test_every_kind_has_a_case() -> None:
    assert list(CASES) == list(tips.TIPS)


@pytest.mark.parametrize("kind", CASES)
def test_a_kind_speaks_where_it_fits_and_nowhere_else(kind: str) -> None:
    speaks, words, silent = CASES[kind]
    assert told(speaks)[kind] == words
    assert kind not in told(silent)


def test_nothing_that_the_seat_can_do_is_told_while_the_enemy_is_to_move() -> None:
    can_act = {"can_take", "general_attacks", "sure_attack", "spy_looks", "cheap_attack"}
    for kind in can_act:
        assert kind not in told(replace(CASES[kind][0], to_move=BLACK))


def test_own_marks_change_nothing() -> None:
    for view, _, _ in CASES.values():
        marked = [replace(one, mark="5?") for one in view.pieces]
        assert told(replace(view, pieces=tuple(marked))) == told(view)


# What a tip says of pieces that its reader does not know is true.


def tips_given(seed: int) -> Iterator[tuple[State, Mapping[str, Message]]]:
    log: list[Any] = []
    for ply in playout(ESPIONAGE, Random(seed), 150):
        for seat in ESPIONAGE.rules.awaiting(ply.before):
            news = (ESPIONAGE.sight.witness(event, seat) for event in log)
            view = ESPIONAGE.sight.observe(ply.before, seat)
            view = remember(view, [one for one in news if one], ply.setting.options)
            here = tips.table(view)
            yield ply.before, fitting(tips.TIPS, here)
        log += ply.events


def rank(state: State, tip: Message, key: str) -> Rank:
    return state.pieces[Square(str(tip.values[key]))].rank


def wins_there(state: State, tip: Message) -> bool:
    return wins(rank(state, tip, "start"), rank(state, tip, "goal"))


TRUE: Mapping[str, Callable[[State, Message], bool]] = {
    "can_take": wins_there,
    "threatened": wins_there,
    "general_attacks": wins_there,
    "sure_attack": wins_there,
    "known_mine": lambda state, tip: rank(state, tip, "square") == Rank.MINE,
    "known_general": lambda state, tip: rank(state, tip, "square") == Rank.GENERAL,
    "only_one": lambda state, tip: tell(_said(tip)).lower() == rank(state, tip, "square"),
}


def _said(tip: Message) -> Message:
    said = tip.values["rank"]
    assert isinstance(said, Message)
    return said


@pytest.mark.parametrize("seed", range(scaled(20)))
def test_what_a_tip_says_is_true(seed: int) -> None:
    for state, found in tips_given(seed):
        for name, tip in found.items():
            assert TRUE.get(name, lambda state, tip: True)(state, tip), tell(tip)
