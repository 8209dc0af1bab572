"""The rows of the page that tells Espionage's rules: tables and diagrams. Its sentences stand in
the template."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.lexicon import VARIANT_TITLES
from adjudicator.games.espionage.orders.words import TITLES
from adjudicator.games.espionage.page import drawing
from adjudicator.games.espionage.rules.board import FILES, Square
from adjudicator.games.espionage.rules.pieces import (
    ARMIES,
    BLACK,
    BY_LETTER,
    LETTERS,
    TAKES,
    WHITE,
    Rank,
    wins,
)
from adjudicator.games.espionage.rules.state import VARIANTS, Step
from adjudicator.games.espionage.sight.observe import SeenBoard, SeenPiece, SeenStep, View

Position = tuple[View, Sequence[SeenStep]]

# Positions with White below, three signs a square: ` S ` White's, `*S ` has moved, `(S)` Black's
# and known, `(?)` unknown, ` ^ ` a volcano, ` . ` empty.
_SETUP = """\
(?)(?)(?)(?)(?)(?)(?)(?)(?)(?)
(?)(?)(?)(?)(?)(?)(?)(?)(?)(?)
(?)(?)(?)(?)(?)(?)(?)(?)(?)(?)
 .  .  .  .  .  .  .  .  .  .
 .  .  .  .  ^  .  .  ^  .  .
 .  .  ^  .  .  ^  .  .  .  .
 .  .  .  .  .  .  .  .  .  .
 1  S  2  5  M  P  3  1  S  4
 S  1  2  P  S  4  3  S  M  2
 M  1  H  3  1  5  M  2  P  P"""
_SPY = """\
(?) .  .  . (?)
 . (5)(M) .  .
 . *S  . (?) .
 . (2) .  .  .
 .  .  .  . (?)"""
_STEPS = """\
 .  . (?) .  .
 .  .  .  .  .
 .  . *3  .  M
 .  . *1  .  .
 .  S  .  .  ."""
_BARRED = """\
 .  .  . (?) .
 .  .  .  .  .
 .  . *4  .  .
 .  .  .  .  .
 .  1  .  M  ."""


class Diagram(Struct, frozen=True):
    """A board of the page, which has several: each has a `mark`."""

    mark: str
    shapes: drawing.Shapes
    picture: str


class Rules(Struct, frozen=True, kw_only=True):
    """Tables with the numbers of the rule book, and diagrams with what they show in words."""

    army: Sequence[tuple[str, str, int, int]]
    fights: Sequence[tuple[str, str, Sequence[bool]]]
    variants: Sequence[tuple[str, int, int, bool]]
    diagrams: Mapping[str, Diagram]


def rules(words: Words) -> Rules:
    return Rules(
        army=[
            (LETTERS[rank], words(TITLES[rank]), ARMIES[10][rank], ARMIES[8][rank]) for rank in Rank
        ],
        fights=[
            (LETTERS[attacker], words(TITLES[attacker]), [wins(attacker, met) for met in Rank])
            for attacker in TAKES
        ],
        variants=[
            (words(title), variant.size, variant.pieces_moved, variant.open_ranks)
            for variant, title in ((VARIANTS[name], VARIANT_TITLES[name]) for name in VARIANTS)
        ],
        diagrams={
            name: Diagram(f"-{name}", drawing.shapes(shown, news), words(told))
            for name, (shown, news), told in _diagrams()
        },
    )


def _diagrams() -> Iterator[tuple[str, Position, Message]]:
    yield (
        "setup",
        _position(_SETUP, phase="setup"),
        say(
            "A 10 by 10 board: White's army on rows 1 to 3, Black's unknown pieces on rows 8 to "
            "10, volcanoes on c5, e6, f5 and h6."
        ),
    )
    yield (
        "spy",
        _position(_SPY, steps=["a3-b3"]),
        say(
            "A Spy has stepped from a3 to b3. The enemy pieces on b2, b4 and c4 are next to it, "
            "so they are known; those on a5, d3, e1 and e5 are not."
        ),
    )
    yield (
        "second",
        _position(_STEPS, steps=["c2-c3", "b2-c2"]),
        say("A Captain has stepped from c2 to c3, then a Corporal from b2 to c2."),
    )
    yield (
        "barred",
        _position(_BARRED, steps=["c2-c3"], barred=["c3-c2"]),
        say("A Colonel has stepped from c2 to c3; a sign on c2 shows that it may not go back."),
    )


def _position(
    drawn: str, phase: str = "play", steps: Sequence[str] = (), barred: Sequence[str] = ()
) -> Position:
    """Return what White sees, and the steps that it was told of."""
    signs = dict(_signs(drawn.split("\n")))
    volcanoes = tuple(square for square, sign in signs.items() if sign[1] == "^")
    view = View(
        variant="standard",
        phase=phase,
        seat=WHITE,
        turn=1,
        to_move=WHITE,
        no_progress_left=None,
        board=SeenBoard(size=drawn.count("\n") + 1, volcanoes=volcanoes),
        pieces=tuple(_piece(sq, sign) for sq, sign in signs.items() if sign[1] not in ".^"),
        lost={},
        barred=tuple(Step(*_ends(step)) for step in barred),
        setups=None,
        result=None,
    )
    return view, [_step(*_ends(step)) for step in steps]


def _signs(lines: Sequence[str]) -> Iterator[tuple[Square, str]]:
    """Split each line into the three signs of every square."""
    size = len(lines)
    for i, line in enumerate(lines):
        padded = line.ljust(3 * size)
        for j, file in enumerate(FILES[:size]):
            yield Square(f"{file}{size - i}"), padded[3 * j : 3 * j + 3]


def _piece(square: Square, sign: str) -> SeenPiece:
    rank = BY_LETTER.get(sign[1])
    return SeenPiece(
        square=square,
        side=BLACK if sign[0] == "(" else WHITE,
        rank=rank,
        moved=sign[0] == "*",
        known_since=1 if rank and sign[0] == "(" else None,
    )


def _step(start: Square, target: Square) -> SeenStep:
    return SeenStep(
        turn=1,
        side=WHITE,
        step=1,
        start=start,
        target=target,
        outcome="moved",
        attacker=None,
        defender=None,
        revealed=(),
    )


def _ends(step: str) -> tuple[Square, Square]:
    start, target = step.split("-")
    return Square(start), Square(target)
