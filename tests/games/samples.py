"""Say what tests must know of a game: what they write and play, examples to read, kinds of matches.

Each game has a module `tests/games/<game>/samples.py` with its `SAMPLES`, its `EXAMPLE`, and its
`KINDS` by name. Beside it a game may have `lines.py` (what its players write in emails),
`cheating.py` (what a club that cheats does) and `emails.py` (clubs whose emails are read): tests
ask `of_games` for them, so a game has these tests as soon as it has the module.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.games import GAMES
from tests.printed import Printable

EXAMPLES = Path(__file__).parents[2] / "examples"
Reports: TypeAlias = dict[str, Printable]  # of all seats


class TipSamples(Struct, frozen=True, kw_only=True):
    """Random `matches` are enough to see most of a game's tips. Tips may name what is `public`,
    beside what their view holds. `followed` are, by kind of tip, the lines that do what it says,
    with a bar between two."""

    matches: int
    public: frozenset[str] = frozenset()
    followed: Mapping[str, str] = {}


class Samples(Struct, frozen=True, kw_only=True):
    """What tests write and play: `wrong` is a line that is an order of the game, but never legal,
    `options` are the values that random matches have, `typed` are order words that no button of its
    page writes, `tips` is None if the game has none."""

    wrong: str
    options: Mapping[str, Sequence[str]] = {}
    typed: frozenset[str] = frozenset()
    tips: TipSamples | None = None


def samples(slug: str) -> Samples:
    """Return what tests must know of a game of the program."""
    found: Samples = import_module(f"tests.games.{slug}.samples").SAMPLES
    return found


def seats_of(slug: str, players: int = 2) -> tuple[Seat, ...]:
    """Return the seats that so many players take in the first variant of a game."""
    game = GAMES[slug]
    return tuple(game.seating(game.variants[0], "").get(players, game.seats[:players]))


def of_games(module: str, name: str) -> dict[str, Any]:
    """Return by slug what that module of a game's tests has by that name; a game that has no such
    module, or no such name in it, is left out: nothing of it is looked at then."""
    found = {}
    for slug in GAMES:
        if find_spec(path := f"tests.games.{slug}.{module}"):
            has = import_module(path)
            if hasattr(has, name):
                found[slug] = getattr(has, name)
    return found


class Opened(Struct, frozen=True):
    """A match as it was opened: `seats` are texts SEAT=PLAYER."""

    name: str
    variant: str
    seats: Sequence[str]
    options: Sequence[str] = ()


class Example(Struct, frozen=True, kw_only=True):
    """The examples of one game.

    `asked` are the matches of which its order files speak, and `sent` are the sheets that brought
    the first of them to its present state. `extended` are the files after which the game master
    gave more time in `played`.
    """

    game: str
    seed: str
    asked: Sequence[Opened]
    sent: Sequence[str]
    alike: str  # the first line of what the tidy sheet is answered
    played: Opened
    extended: Mapping[str, timedelta] = {}
    result: Mapping[str, object]

    @property
    def folder(self) -> Path:
        return EXAMPLES / self.game

    @property
    def record(self) -> Path:
        return self.folder / "match" / f"{self.played.name}.{GAMES[self.game].record.suffix}"


class Kind(Struct, frozen=True):
    """A kind of match to look at in a browser.

    `extended` says that its deadline is moved in every turn, `drawing` that its last seat offers a
    draw in every turn. `rare` are stages that not every match has, and how its reports show that
    one is reached.
    """

    game: str
    variant: str
    seats: tuple[str, ...]
    options: tuple[str, ...] = ()
    extended: bool = False
    drawing: bool = False
    seed: int = 0
    rare: Mapping[str, Callable[[Reports], bool]] = {}
