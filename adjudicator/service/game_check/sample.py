"""Find the game that an author means, and play the random matches that all its checks look at; what
a check finds in them, and where. Reports of such a match are made without a database. Random
matches of any game are played by its `Game` alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from random import Random
from traceback import extract_tb
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.chain import LABEL
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, Game, fold
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.message import say
from adjudicator.core.orders import shown, split_lines
from adjudicator.games import GAMES
from adjudicator.resources import ELSEWHERE, folder_of_package
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.options import agree
from adjudicator.service.reports.standing import ReportContext
from adjudicator.store.matches import Holder, Match

PLAYER = "computer:random"


class PlayedPly(Struct, frozen=True):
    """One adjudication: the state before, the orders, and what came of them."""

    setting: Setting
    chance: Chance
    before: Any
    orders: Mapping[Seat, Sequence[Any]]
    events: tuple[Any, ...]
    after: Any


def value_of(option: Option, rng: Random) -> str:
    return (
        rng.choice(option.values) if option.values else str(rng.choice([0, 0, rng.randint(1, 9)]))
    )


def setting_of(
    game: AnyGame, rng: Random, variant: str | None = None, agreed: Mapping[str, str] | None = None
) -> Setting:
    """Return any setting in which this much is agreed.

    Each option is drawn from a stream of its own, so that one that a game has more changes nothing
    of the others, nor of what `rng` gives next.
    """
    variant = variant or rng.choice(game.variants)
    seating = list(game.seating(variant, "").values())
    seats = rng.choice(seating) if seating else tuple(game.seats[: rng.choice(game.players)])
    drawn = rng.getrandbits(64)
    options = {
        key: value_of(option, Random(f"{drawn} {key}")) for key, option in game.options.items()
    }
    return Setting(variant, {**options, **(agreed or {})}, seats)


def chance_of(game: AnyGame, rng: Random) -> Chance:
    return Chance(rng.randbytes(32), "match-1", label=game.proof.label)


def playout(
    game: AnyGame,
    rng: Random,
    most: int,
    variant: str | None = None,
    rubbish: float = 0.0,
    agreed: Mapping[str, str] | None = None,
    begin: Callable[[Any], Any] = lambda state: state,
) -> Iterator[PlayedPly]:
    """Play at random, with at most `most` adjudications.

    `rubbish` is how often a seat sends a garbled sheet first; that sheet is played if it is
    allowed. `agreed` are options that are not drawn. `begin` makes another first state.
    """
    setting, chance = setting_of(game, rng, variant, agreed), chance_of(game, rng)
    state = begin(game.rules.set_up(setting, chance))
    yield from play_on(game, rng, setting, chance, state, most, rubbish)


def play_on(
    game: AnyGame,
    rng: Random,
    setting: Setting,
    chance: Chance,
    state: Any,
    most: int,
    rubbish: float = 0.0,
) -> Iterator[PlayedPly]:
    """Play from a state on, until nobody is awaited."""
    for ply in range(most):
        waiting = game.rules.awaiting(state)
        if not waiting:
            return
        orders = {}
        for seat in setting.seats:
            if seat in waiting:
                sent = rng.random() < rubbish and rubbish_sheet(game, state, seat, chance, ply, rng)
                orders[seat] = sent or computer_order(game, state, seat, chance, ply)
        chance = replace(chance, phrases=game.proof.phrases(state))
        events = tuple(game.rules.adjudicate(state, orders, chance))
        after = fold(game, state, events)
        yield PlayedPly(setting, chance, state, orders, events, after)
        state = after


def computer_order(
    game: AnyGame, state: Any, seat: Seat, chance: Chance, ply: int, player: str = PLAYER
) -> tuple[Any, ...]:
    return game.computers[player](
        game.sight.observe(state, seat), chance.private(seat, f"{player}|{ply}")
    )


def rubbish_sheet(
    game: AnyGame, state: Any, seat: Seat, chance: Chance, ply: int, rng: Random
) -> tuple[Any, ...]:
    """Return the orders of a garbled sheet if it is allowed, else nothing; in any case it is read
    and answered."""
    order = computer_order(game, state, seat, chance, ply)
    text = garble("\n".join(game.orders.canonical(part) for part in order), rng)
    sheet = game.orders.parse(split_lines(text))
    problems = (*sheet.problems, *game.orders.check(game.sight.observe(state, seat), sheet))
    assert all(str(problem.message) for problem in problems)
    return () if problems else sheet.orders


def garble(text: str, rng: Random) -> str:
    """Return a text with characters struck out, doubled, exchanged, or added."""
    signs = list(text)
    for _ in range(rng.randint(0, 4)):
        at = rng.randrange(len(signs) + 1)
        stranger = rng.choice("abcdehj12345SPMH-–, \n\r\t\ufeff\u00a0ßø{%\x00#.")
        match rng.randrange(4):
            case 0:
                signs.insert(at, stranger)
            case 1:
                del signs[at : at + 1]
            case 2:
                signs[at : at + 2] = reversed(signs[at : at + 2])
            case _:
                signs[at : at + 1] = [stranger]
    if rng.random() < 0.2:
        lines = "".join(signs).split("\n")
        rng.shuffle(lines)
        return "\n".join(lines[: rng.randint(0, len(lines))])
    return "".join(signs)


LONGEST = 2000  # plies of a random match
ONLOOKER = Seat("")


class RandomMatch(Struct, frozen=True):
    """A random match; `fault` is what a function of the game raised, and ended it with."""

    name: str
    variant: str
    plies: tuple[PlayedPly, ...]
    fault: str = ""


class Place(Struct, frozen=True, kw_only=True):
    """Where a check looks: a match by its name, its ply, a seat, and the orders of this ply by
    seat, as lines."""

    match: str = ""
    ply: int | None = None
    seat: str = ""
    orders: Sequence[str] = ()

    def __str__(self) -> str:
        parts = [
            f"match {self.match}" if self.match else "",
            "" if self.ply is None else f"ply {self.ply}",
            f"seat {self.seat}" if self.seat else "",
            f"orders {' | '.join(self.orders)}" if self.orders else "",
        ]
        return ", ".join(part for part in parts if part)


class ContractFault(Struct, frozen=True):
    """A sentence on what a game does that it may not do, and where."""

    told: str
    place: Place


class Sample:
    """A game with some random matches of each of its variants, all following from `seed`.

    `word` is how another process finds the game, empty if none can. `place` is where the check that
    runs is looking at the moment, `note` what it says if all is well.
    """

    def __init__(self, game: AnyGame, seed: str, matches: int, word: str, most: int = LONGEST):
        self.game, self.seed, self.matches, self.word, self.most = game, seed, matches, word, most
        self.place, self.note = Place(), ""

    @cached_property
    def played(self) -> tuple[RandomMatch, ...]:
        return tuple(
            self._play(variant, number)
            for variant in self.game.variants
            for number in range(1, self.matches + 1)
        )

    def random(self, *use: object) -> Random:
        return Random("|".join(map(str, (self.seed, *use))))

    def _play(self, variant: str, number: int) -> RandomMatch:
        plies, rng = [], self.random(variant, number)
        fault = ""
        try:
            for ply in playout(self.game, rng, self.most, variant, rubbish=0.2):
                plies.append(ply)
                if self.game.rules.outcome(ply.after):
                    break
        except Exception as trouble:
            fault = describe_fault(trouble)
        return RandomMatch(f"{variant}-{number}", variant, tuple(plies), fault)

    def plies(self, most: int) -> Iterator[PlayedPly]:
        """Yield plies of each match, at most so many, spread evenly, the first and the last among
        them."""
        for match in self.played:
            for number in spread(len(match.plies), most):
                ply = match.plies[number]
                self.place = Place(match=match.name, ply=number, orders=self.lines(ply))
                yield ply

    def states(self, most: int) -> Iterator[tuple[PlayedPly, Any]]:
        """Yield the states before and after each of these plies."""
        for ply in self.plies(most):
            yield ply, ply.before
            yield ply, ply.after

    def seats(self, ply: PlayedPly) -> Iterator[Seat]:
        """Yield the seats in play."""
        for seat in ply.setting.seats:
            self.place = replace(self.place, seat=seat)
            yield seat

    def lines(self, ply: PlayedPly) -> tuple[str, ...]:
        """Return a ply's orders, for somebody who looks for the fault."""
        return tuple(
            f"{seat}: {' / '.join(map(self._line, orders))}" for seat, orders in ply.orders.items()
        )

    def _line(self, order: Any) -> str:
        try:
            return self.game.orders.canonical(order)
        except Exception:  # a check of its own says so
            return repr(order)

    def fault(self, sentence: str) -> ContractFault:
        return ContractFault(sentence, self.place)


def spread(length: int, most: int) -> Sequence[int]:
    """Return at most so many numbers below `length`, the first and the last among them."""
    if length <= most:
        return range(length)
    return sorted({round(at * (length - 1) / (most - 1)) for at in range(most)})


def describe_fault(fault: Exception) -> str:
    """Return what was raised, and in which line of which file."""
    at = extract_tb(fault.__traceback__)[-1]
    return f"{type(fault).__name__}: {fault} ({at.filename}, line {at.lineno})"


PREFIX = "adjud_"  # of the module that `adjud game new` makes


def find(word: str) -> AnyGame:
    """Return the game called by a slug, a module (`adjud_` may be left out), or `module:NAME`.

    The game is put among the program's, so that its reports can be made. Raises Refusal.
    """
    if word in GAMES:
        return GAMES[word]
    if (missing := GAMES.why_missing(word)) is not None:
        raise Refusal(missing)
    name, _, attribute = word.partition(":")
    name = name.replace("-", "_")
    try:
        module = import_module(name if find_spec(name) else f"{PREFIX}{name}")
    except ModuleNotFoundError as fault:
        raise Refusal(
            say(
                "there is no game and no package called {name}: {why}",
                name=shown(word),
                why=str(fault),
            )
        ) from fault
    except Exception as fault:
        why = f"{type(fault).__name__}: {fault}"
        raise Refusal(say("{name} cannot be imported: {why}", name=shown(word), why=why)) from fault
    values = vars(module)
    games = {key: value for key, value in values.items() if isinstance(value, Game)}
    if attribute:
        games = {key: value for key, value in games.items() if key == attribute}
    if len({game.slug for game in games.values()}) != 1:
        raise Refusal(
            say(
                "{name} has {number} games; write `module:NAME`",
                name=shown(word),
                number=len(games),
            )
        )
    game: AnyGame = [*games.values()][-1]  # the others are what it was made of
    GAMES[game.slug] = game
    if (own := folder_of_package(module.__name__)) is not None:
        ELSEWHERE.setdefault(game.slug, own)
    return game


NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)

# Twins have one head: it hangs on what is hidden through a salt of 256 bits that nobody is told
# before the end, and all heads have one length (`core/chain.py` says why that leaks nothing).
HEAD = "4ead" * 16


def make_loaded(game: AnyGame, state: Any, options: Mapping[str, str] | None = None) -> Loaded:
    """Return the match with these options of its game, or with what holds if nothing is agreed."""
    seats = tuple(getattr(state, "seats", game.seats))  # those in play, where not all are
    match = Match(
        id=1,
        name="m",
        game=game.slug,
        variant=game.sight.observe(state, seats[0]).variant,
        options={**agree(game, [], len(seats)), **(options or {})},
        seed=bytes(32),
        seed_given=False,
        status="over" if game.rules.outcome(state) else "playing",
        ply=7,
        turn=game.rules.turn(state),
        created_at=NOW,
        log_key=bytes(range(32)),
        epoch="bcdfg",
        label=LABEL,
    )
    holders = {
        seat: Holder(
            seat=seat,
            player_id=number,
            computer=None,
            tenure=1,
            ordered_ply=0,
            not_ready_ply=None,
            player_name=f"Player {number}",
            language="en",
            zone="UTC",
            confirmed=True,
        )
        for number, seat in enumerate(seats, start=1)
    }
    return Loaded(
        match=match,
        game=game,
        position=state,
        since=NOW,
        holders=holders,
        sheets={},
        declarations=[],
        head=HEAD,
    )


def standing(game: AnyGame, state: Any, options: Mapping[str, str] | None = None) -> ReportContext:
    """Return the standing without the log and without commitments, which are salted and always
    differ."""
    match = make_loaded(game, state, options)
    return ReportContext(
        match,
        ply=7,
        since=dict.fromkeys(match.seats, 7),
        fresh=dict.fromkeys(match.seats, 7),
        log=[],
        commitments=[],
        rulings=[],
    )
