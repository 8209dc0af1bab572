"""Show that what games write as JSON, order lines and records is the same bytes as it was.

    python -m tests.games.json_digest [MATCHES]

plays random matches of each game (200 if nothing is said) by its `Game` alone and prints the
SHA-256 of all that is written of them: every seat's report and the canonical orders after each
adjudication, then the record, and every tenth record replayed. The last line is the SHA-256 of the
JSON files in `examples/`. `json_digests.txt` holds what it printed of the program at its commit
5d0a2b51. Seeds and settings are made here, so that no change of another test changes them.
"""

import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat, Setting
from adjudicator.core.record import Chronicle, Refused, transcripts
from adjudicator.core.report import Report, flat
from adjudicator.core.visible import plain
from adjudicator.games import GAMES
from tests.games.samples import samples

MATCHES = 200
LONGEST = 400  # adjudications; a match that is longer is cancelled
REPLAYED = 10  # one record of so many
EXAMPLES = Path(__file__).parents[2] / "examples"
ONLOOKER = Seat("")


def setting_of(game: AnyGame, number: int) -> Setting:
    def chosen(what: str, values: Iterable[Any]) -> Any:
        return Random(f"{game.slug} {number} {what}").choice(list(values))

    variant = chosen("variant", game.variants)
    seating = game.seating(variant, "") or {n: game.seats[:n] for n in game.players}
    seats = seating[chosen("players", seating)]
    played = {name: chosen(name, values) for name, values in samples(game.slug).options.items()}
    return Setting.of(game.options, variant, played, tuple(seats))


def match_written(game: AnyGame, number: int) -> Iterator[bytes]:
    """Play one match and yield all that is written of it."""
    setting = setting_of(game, number)
    seed = sha256(f"{game.slug} {number}".encode()).digest()
    chance = Chance(seed, "match-1", label=game.proof.label)
    state = game.rules.set_up(setting, chance)
    happened: list[Any] = []
    news: dict[Seat, list[Any]] = {seat: [] for seat in setting.seats}
    for ply in range(LONGEST):
        orders = {}
        for seat in sorted(game.rules.awaiting(state)):
            private = chance.private(seat, f"computer:random|{ply}")
            view = game.sight.observe(state, seat)
            orders[seat] = game.computers["computer:random"](view, private)
            yield "\n".join(game.orders.lines(orders[seat])).encode()
        if not orders:
            break
        chance = msgspec.structs.replace(chance, phrases=game.proof.phrases(state))
        events = tuple(game.rules.adjudicate(state, orders, chance))
        state = fold(game, state, events)
        happened += events
        yield from _reports(game, setting, state, ply, events, news)
    if not game.rules.outcome(state):
        events = tuple(game.rules.close(state, "cancelled"))
        state = fold(game, state, events)
        happened += events
        yield from _reports(game, setting, state, LONGEST, events, news)
    names = {seat: f"Player of {seat}" for seat in setting.seats}
    chronicle = Chronicle(names, "2026.11.21", game.rules.outcome(state), "match-1", seed.hex())
    record = game.record.write(chronicle, state, happened)
    yield record.encode()
    yield msgspec.json.encode(plain(game.sight.observe(state, ONLOOKER)))
    if number % REPLAYED == 0 and game.record.replay:
        (transcript,) = transcripts(record.splitlines())
        assert not isinstance(transcript, Refused), transcript
        replayed = game.record.replay(transcript)
        assert not isinstance(replayed, Refused), replayed
        yield msgspec.json.encode(replayed.data)


def _reports(
    game: AnyGame,
    setting: Setting,
    state: Any,
    ply: int,
    events: tuple[Any, ...],
    news: dict[Seat, list[Any]],
) -> Iterator[bytes]:
    for seat in setting.seats:
        learned = [sight for e in events if (sight := game.sight.witness(e, seat)) is not None]
        news[seat] += learned
        view = game.sight.observe(state, seat)
        if game.sight.remember:
            view = game.sight.remember(view, news[seat], setting.options)
        report: Report[Any, Any] = Report(
            view=view,
            match="match-1",
            game=game.slug,
            variant=setting.variant,
            options={name: setting.options[name] for name in samples(game.slug).options},
            players={seat: f"Player of {seat}" for seat in setting.seats},
            phase=game.rules.phase(state),
            seat=seat,
            ply=ply,
            turn=game.rules.turn(state),
            awaited=tuple(sorted(game.rules.awaiting(state))),
            result=game.rules.outcome(state),
            news=tuple(learned),
            template=tuple(game.orders.template(view)),
        )
        yield msgspec.json.encode(flat(report, game.record.key))


def game_digest(game: AnyGame, matches: int) -> str:
    digest = sha256()
    for number in range(matches):
        for written in match_written(game, number):
            digest.update(written + b"\n")
    return digest.hexdigest()


def examples_digest() -> str:
    digest = sha256()
    for path in sorted(EXAMPLES.rglob("*.json")):
        digest.update(path.relative_to(EXAMPLES).as_posix().encode() + b"\n" + path.read_bytes())
    return digest.hexdigest()


def digests(matches: int) -> Iterator[str]:
    for slug, game in GAMES.items():
        yield f"{slug} {matches} {game_digest(game, matches)}"
    yield f"examples {examples_digest()}"


if __name__ == "__main__":
    for line in digests(int(sys.argv[1]) if sys.argv[1:] else MATCHES):
        print(line, flush=True)
