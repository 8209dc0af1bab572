"""Play random matches of any game, by its `Game` alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Option, Seat, Setting
from adjudicator.core.orders import split_lines

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
