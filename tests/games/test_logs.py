"""Matches as they were stored by older versions: they are read, folded and told as ever.

`tests/games/<game>/logs/<version>.json` holds matches with every type of event, word for word as
the log holds them, and what each seat was told of them. Such a file is written once, by
`python -m tests.games.test_logs VERSION GAME`, and never again: a change that cannot read it would
forget what happened in the matches of every club.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, get_args

import msgspec
import pytest
from msgspec.json import decode, encode

from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from tests.games.playouts import playout
from tests.games.under_contract import each_game_of_ours

HERE = Path(__file__).parent
LOGS = sorted(HERE.glob("*/logs/*.json"))
CANDIDATES = 150
LONGEST = 150  # adjudications of a stored match
MOST = 400  # events of a stored match


def types_of(game: AnyGame) -> set[str]:
    return {kind.__name__ for kind in get_args(game.rules.event)}


def kind_of(event: Any) -> str:
    return type(event).__name__


def stored_match(game: AnyGame, seed: int) -> dict[str, Any]:
    """Play one match and return all that is stored and told of it.

    A seat may leave in its middle; before that another one got a new holder.
    """
    rng = Random(f"log {seed}")
    plies: list[tuple[Any, ...]] = []
    first = last = None
    seats: tuple[Seat, ...] = ()
    for number, ply in enumerate(playout(game, rng, LONGEST, begin=_beginning(game, seed))):
        first, last, seats = (
            first if first is not None else ply.before,
            ply.after,
            ply.setting.seats,
        )
        plies.append(ply.events)
        if (seed % 3 == 2 and number > 6) or sum(map(len, plies)) > MOST:
            break
    assert first is not None
    if game.rules.outcome(last) is None and (
        succession := tuple(game.rules.succeed(last, seats[-1]))
    ):
        plies.append(succession)
        last = fold(game, last, succession)
    if game.rules.outcome(last) is None:
        leaving = tuple(game.rules.leave(last, [seats[0]], "forfeit"))
        plies.append(leaving)
        last = fold(game, last, leaving)
    if game.rules.outcome(last) is None:
        closing = tuple(game.rules.close(last, "cancelled"))
        plies.append(closing)
        last = fold(game, last, closing)
    log = [[decode(encode(event)) for event in events] for events in plies]
    return {
        "seats": seats,
        "first": decode(encode(first)),
        "log": log,
        "last": decode(encode(last)),
        "told": told(game, first, plies, seats),
    }


def _beginning(game: AnyGame, seed: int) -> Callable[[Any], Any]:
    """Return how a match begins: now and then so that something too rare for random ones
    happens."""
    twins = import_module(f"tests.games.{game.slug}.twins")
    return getattr(twins, "hastened", _as_it_is) if seed % 5 == 4 else _as_it_is


def _as_it_is(state: Any) -> Any:
    return state


def told(game: AnyGame, state: Any, plies: Any, seats: Any) -> dict[str, Any]:
    """Return by seat its news of all events, and its view after the last ply but one and at the
    end."""
    before = fold(game, state, [event for events in plies[:-1] for event in events])
    after = fold(game, before, plies[-1])
    events = [event for events in plies for event in events]
    return {
        seat: {
            "news": [
                plain(sight) for event in events if (sight := game.sight.witness(event, seat))
            ],
            "before": plain(game.sight.observe(before, seat)),
            "after": plain(game.sight.observe(after, seat)),
        }
        for seat in seats
    }


def marks(match: Mapping[str, Any]) -> set[str]:
    """Return the types of event of a match, and which of their fields were empty, true or false."""
    found = set()
    for event in (event for events in match["log"] for event in events):
        found.add(event["type"])
        for name, value in event.items():
            plainly = value if isinstance(value, bool) else bool(value)
            found.add(f"{event['type']}.{name}: {plainly}")
    return found


def chosen(game: AnyGame) -> list[dict[str, Any]]:
    """Return the fewest matches of many, taken greedily, that have all marks that any of them
    has."""
    candidates = [stored_match(game, seed) for seed in range(CANDIDATES)]
    missing = set().union(*map(marks, candidates))
    assert types_of(game) <= missing
    found = []
    while missing:
        best = max(candidates, key=lambda match: (len(marks(match) & missing), -len(match["log"])))
        found.append(best)
        missing -= marks(best)
    return found


def matches() -> Iterator[Any]:
    for path in LOGS:
        game = GAMES[path.parent.parent.name]
        for number, match in enumerate(decode(path.read_bytes()), start=1):
            yield pytest.param(game, match, id=f"{game.slug}-{path.stem}-{number}")


@pytest.mark.parametrize(("game", "match"), list(matches()))
def test_a_match_that_was_stored_is_read_and_told_as_it_was(game: AnyGame, match: Any) -> None:
    state = msgspec.convert(match["first"], game.rules.state)
    plies = msgspec.convert(match["log"], tuple[tuple[game.rules.event, ...], ...])  # type: ignore[name-defined]
    last = fold(game, state, [event for events in plies for event in events])
    assert decode(encode(last)) == match["last"]
    assert msgspec.convert(match["last"], game.rules.state) == last
    assert decode(encode(told(game, state, plies, match["seats"]))) == match["told"]


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_every_type_of_event_is_held_by_a_stored_match(game: AnyGame) -> None:
    of_game = [path for path in LOGS if path.parent.parent.name == game.slug]
    held = {
        event["type"]
        for path in of_game
        for match in decode(path.read_bytes())
        for events in match["log"]
        for event in events
    }
    assert held == types_of(game), "write a log: python -m tests.games.test_logs VERSION GAME"


def structs_in(kind: Any, seen: set[Any]) -> None:
    """Add to `seen` every struct that can be in a value of a type."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind in seen:
            return
        seen.add(kind)
        for field in msgspec.structs.fields(kind):
            structs_in(field.type, seen)
    for part in get_args(kind):
        structs_in(part, seen)


@each_game_of_ours
def test_what_is_stored_refuses_fields_that_it_does_not_know(game: AnyGame) -> None:
    found: set[Any] = set()
    structs_in(game.rules.state, found)
    structs_in(game.rules.event, found)
    assert found >= {game.rules.state, *get_args(game.rules.event)}
    lenient = [kind.__name__ for kind in found if not kind.__struct_config__.forbid_unknown_fields]
    assert not lenient, f"{lenient} must be derived from Stored"


def main(version: str, slug: str) -> None:
    game = GAMES[slug]
    path = HERE / slug / "logs" / f"{version}.json"
    if path.exists():
        print(f"{path} is there and stays as it is")
        return
    path.parent.mkdir(exist_ok=True)
    found = chosen(game)
    lines = b",\n".join(encode(match) for match in found)
    path.write_bytes(b"[\n" + lines + b"\n]\n")
    print(f"{path}: {len(found)} matches")


if __name__ == "__main__":
    main(*sys.argv[1:])
