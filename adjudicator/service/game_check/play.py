"""Check the rules of a game by playing: states, events, chance, ends, records."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import chain, pairwise, product
from os import environ, pathsep
from typing import Any

import msgspec
from msgspec.structs import replace

from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import tell
from adjudicator.core.orders import split_lines
from adjudicator.core.record import Chronicle, Replayed, Transcript, transcripts
from adjudicator.core.report import IN_BOTH
from adjudicator.core.visible import plain
from adjudicator.service.game_check.sample import (
    ContractFault,
    Place,
    PlayedPly,
    RandomMatch,
    Sample,
    chance_of,
    computer_order,
    describe_fault,
    play_on,
    playout,
    setting_of,
    spread,
    standing,
)
from adjudicator.service.game_check.watching import watching
from adjudicator.service.reports import building, printing

REASONS = ("resignation", "forfeit", "agreement", "cancelled")  # that the program itself gives
_AGAIN = 200  # plies of a match that are played again
_LEFT = 4  # plies of a match, the first and the last among them, before which seats leave it
_ON = 200  # plies that such a match is played on
_DRAWN = 50  # settings that are drawn to find one of more than two seats


def playing(sample: Sample) -> Iterator[ContractFault]:
    for match in sample.played:
        sample.place = Place(match=match.name, ply=len(match.plies))
        if match.fault:
            yield sample.fault(f"a random match stops: {match.fault}")
        for ply in match.plies:
            if not ply.events:
                yield sample.fault("an adjudication has no event")
                break


def _firsts(sample: Sample) -> Iterator[RandomMatch]:
    """Yield one match of each variant."""
    seen = set[str]()
    for match in sample.played:
        if match.variant not in seen and match.plies:
            seen.add(match.variant)
            yield match


def _kept(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _shown(view: Any) -> bytes:
    return msgspec.json.encode(plain(view))


def changes(sample: Sample) -> Iterator[ContractFault]:
    """Play matches again, and compare what each function was given with what it was before."""
    for match in _firsts(sample):
        state = sample.game.rules.set_up(match.plies[0].setting, match.plies[0].chance)
        for number, ply in enumerate(match.plies[:_AGAIN]):
            sample.place = Place(match=match.name, ply=number, orders=sample.lines(ply))
            changed, events, state = _changed(sample.game, state, ply)
            for name in changed:
                yield sample.fault(f"{name} changes what it is given")
            if changed or events != ply.events:
                return  # if they differ, `chance` says so


def _changed(game: AnyGame, state: Any, ply: PlayedPly) -> tuple[list[str], tuple[Any, ...], Any]:
    """Return the functions that change something, and one ply played."""
    changed, before, given = list[str](), _kept(state), repr(ply.orders)
    for seat in ply.setting.seats:
        view = game.sight.observe(state, seat)
        seen = _shown(view)
        if _kept(state) != before:
            changed.append("sight.observe")
        if seat in ply.orders:
            sheet = _sheet(game, ply.orders[seat])
            asked: dict[str, Callable[[], Any]] = {
                "a computer": partial(computer_order_of, game, view, ply, seat),
                "orders.template": partial(game.orders.template, view),
                "orders.check": partial(game.orders.check, view, sheet),
                "page.suggest": partial(game.page.suggest, view, tell),
                "page.tip": partial(game.page.tip, view, tell),
            }
            for name, ask in asked.items():
                ask()
                if _shown(view) != seen or _kept(state) != before:
                    return [*changed, name], (), state
    events = tuple(game.rules.adjudicate(state, ply.orders, ply.chance))
    if _kept(state) != before or repr(ply.orders) != given:
        return [*changed, "rules.adjudicate"], events, state
    told = _kept(events)
    after = fold(game, state, events)
    for event, seat in product(events, ply.setting.seats):
        game.sight.witness(event, seat)
    if _kept(events) != told:
        changed.append("rules.apply or sight.witness")
    if _kept(state) != before:
        changed.append("rules.apply")
    return changed, events, after


def computer_order_of(game: AnyGame, view: Any, ply: PlayedPly, seat: Seat) -> Any:
    return game.computers["computer:random"](view, ply.chance.private(seat, "check"))


def _sheet(game: AnyGame, orders: Sequence[Any]) -> Any:
    return game.orders.parse(split_lines("\n".join(game.orders.lines(orders))))


def chance(sample: Sample) -> Iterator[ContractFault]:
    for match in _firsts(sample):
        with watching() as calls:
            differ = next(_differing(sample, match), None)
        if calls:
            yield sample.fault(f"{calls[0].name} is called in {calls[0].where}")
        elif differ:
            yield differ


def _differing(sample: Sample, match: RandomMatch) -> Iterator[ContractFault]:
    """Play a match again with the same streams, and ask everything twice."""
    game, first = sample.game, match.plies[0]
    states = [game.rules.set_up(first.setting, first.chance) for _ in range(2)]
    sample.place = Place(match=match.name, ply=0)
    if states[0] != states[1] or states[0] != first.before:
        yield sample.fault("rules.set_up, asked twice with the same streams, gives two states")
        return
    state = states[0]
    for number, ply in enumerate(match.plies[:_AGAIN]):
        sample.place = Place(match=match.name, ply=number, orders=sample.lines(ply))
        for seat in ply.setting.seats:
            sample.place = replace(sample.place, seat=seat)
            views = [game.sight.observe(state, seat) for _ in range(2)]
            if views[0] != views[1]:
                yield sample.fault("sight.observe, asked twice, gives two views")
            if seat not in ply.orders:
                continue
            ordered = [computer_order_of(game, views[0], ply, seat) for _ in range(2)]
            if ordered[0] != ordered[1]:
                yield sample.fault("computer:random, asked twice with the same stream, differs")
            sheet = _sheet(game, ply.orders[seat])
            answers = [list(game.orders.check(views[0], sheet)) for _ in range(2)]
            if answers[0] != answers[1]:
                yield sample.fault("orders.check, asked twice, gives two answers")
        sample.place = replace(sample.place, seat="")
        for _ in range(2):
            events = tuple(game.rules.adjudicate(state, ply.orders, ply.chance))
            if events != ply.events:
                yield sample.fault("rules.adjudicate, asked again with the same streams, differs")
                return
        after = fold(game, state, events)
        if after != fold(game, state, events):
            yield sample.fault("rules.apply, asked twice, gives two states")
        for event, seat in product(events, ply.setting.seats):
            if game.sight.witness(event, seat) != game.sight.witness(event, seat):
                yield sample.fault("sight.witness, asked twice, gives two sightings")
        state = after


def waiting(sample: Sample) -> Iterator[ContractFault]:
    rules = sample.game.rules
    for match in sample.played:
        if not match.plies:
            sample.place = Place(match=match.name, ply=0)
            yield sample.fault("nobody is awaited when the match begins")
    for ply, state in sample.states(100):
        waits, outcome = rules.awaiting(state), rules.outcome(state)
        if waits and outcome:
            yield sample.fault("somebody is awaited after the outcome")
        if not waits and not outcome:
            yield sample.fault("nobody is awaited, and the match has no outcome")
        if strangers := set(waits) - set(ply.setting.seats):
            yield sample.fault(f"a seat that is not in play is awaited: {sorted(strangers)}")
        if outcome:
            yield from _of_outcome(sample, outcome, ply)
    for ply in sample.plies(100):
        yield from _of_phase(sample, ply)


def _of_outcome(sample: Sample, outcome: Outcome, ply: PlayedPly) -> Iterator[ContractFault]:
    if strangers := set(outcome.winners) - set(ply.setting.seats):
        yield sample.fault(f"a seat that is not in play has won: {sorted(strangers)}")
    only = outcome.winners[0] if len(outcome.winners) == 1 else None
    if outcome.winner != only:
        yield sample.fault("an outcome's `winner` is given if there is exactly one in `winners`")
    if not outcome.reason:
        yield sample.fault("an outcome has no reason")


def _of_phase(sample: Sample, ply: PlayedPly) -> Iterator[ContractFault]:
    rules = sample.game.rules
    phase, then = rules.phase(ply.before), rules.phase(ply.after)
    over = rules.outcome(ply.after) is not None
    first, second = rules.turn(ply.before), rules.turn(ply.after)
    if phase not in ("setup", "play"):
        yield sample.fault(f"{phase!r} is no phase of a match that goes on: `setup` or `play`")
    if (then == "over") != over:
        yield sample.fault(f"the phase is {then!r}; it is `over` once there is an outcome")
    if not 0 <= first <= second:
        yield sample.fault(f"turn {first} is followed by turn {second}; turns never go back")
    if (phase == "setup") != (first == 0):
        yield sample.fault(f"turn {first} in phase {phase!r}: turn 0 is the set-up, nothing else")


def ends(sample: Sample) -> Iterator[ContractFault]:
    over = dict.fromkeys(sample.game.variants, False)
    for match in sample.played:
        if match.plies and sample.game.rules.outcome(match.plies[-1].after):
            over[match.variant] = True
    for variant, has_ended in over.items():
        if not has_ended:
            sample.place = Place(match=variant)
            yield sample.fault(f"no random match of this variant ends within {sample.most} plies")


def processes(sample: Sample) -> Iterator[ContractFault]:
    """Play the same in other processes: one with sets in another order, one with the matches in
    another order, so that something else was played before each of them."""
    if not sample.word:
        return
    runs = [("1", ""), ("2", ""), ("1", "backwards")]
    started = [_other_process(sample, *run) for run in runs]
    ended = [(process, *process.communicate()) for process in started]
    for process, _, wrong in ended:
        if process.returncode:
            last = (wrong.strip().splitlines() or ["nothing was said"])[-1]
            yield sample.fault(f"another process cannot play the game: {last}")
            return
    first, sets, backwards = (said.strip() for _, said, _ in ended)
    sample.place = Place()
    if backwards != first:
        yield sample.fault(
            "the same seed and orders give something else, or pages show it, when another match "
            "was played before in the same process; keep nothing in the module"
        )
    elif sets != first or digest(sample.game, sample.seed) != first:
        yield sample.fault(
            "the same seed and orders give something else in another process (PYTHONHASHSEED=2); "
            "sort sets before you go through them"
        )


def _other_process(sample: Sample, hash_seed: str, order: str) -> "subprocess.Popen[str]":
    code = "from adjudicator.service.game_check.play import print_digest; print_digest()"
    return subprocess.Popen(  # noqa: S603  # this program itself
        [sys.executable, "-c", code, sample.word, sample.seed, order],
        env={**environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def print_digest() -> None:
    from adjudicator.service.game_check.sample import find

    _, word, seed, order = sys.argv
    print(digest(find(word), seed, backwards=bool(order)))


def digest(game: AnyGame, seed: str, backwards: bool = False) -> str:
    """Return everything that happens and is seen in a few random matches, as one hash. It is the
    same one when they are played `backwards`, the last match first."""
    played = [*product(game.variants, ("digest", "another"))]
    hashes = {match: _digest(game, seed, *match) for match in played[:: -1 if backwards else 1]}
    return sha256("".join(hashes[match] for match in played).encode()).hexdigest()


def _digest(game: AnyGame, seed: str, variant: str, match: str) -> str:
    said = sha256()
    rng = Sample(game, seed, 1, "", 40).random(variant, match)
    most = 40 if match == "digest" else 12
    for number, ply in enumerate(playout(game, rng, most, variant, rubbish=0.2)):
        said.update(msgspec.json.encode([ply.events, ply.after]))
        for seat in ply.setting.seats:
            said.update(_shown(game.sight.observe(ply.after, seat)))
            if number % 8 < 2:
                said.update(_page(game, ply, seat).encode())
        for seat in ply.orders if number % 8 == 0 else ():  # some of them think long
            for player in game.computers if match == "digest" else ():
                order = computer_order(game, ply.before, seat, ply.chance, 0, player)
                said.update("\n".join(map(game.orders.canonical, order)).encode())
    return said.hexdigest()


def _page(game: AnyGame, ply: PlayedPly, seat: Seat) -> str:
    """Return the text of what a seat is shown after a ply; empty at the end, where all is shown."""
    seen = (game.sight.witness(event, seat) for event in ply.events)
    news = tuple(sight for sight in seen if sight is not None)
    if game.rules.outcome(ply.after):
        return ""
    at = standing(game, ply.after, ply.setting.options)
    report = replace(building.public(at.loaded, seat), news=news)
    try:
        return printing.render(printing.Printable(report, "en", "UTC"), "text")
    except Exception as fault:  # a check of its own says so
        return type(fault).__name__


def storage(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for ply in sample.plies(60):
        body = msgspec.json.encode(ply.events)
        read = msgspec.json.decode(body, type=tuple[game.rules.event, ...])  # type: ignore[name-defined]
        if read != ply.events:
            yield sample.fault("events read from JSON are others; their base is StoredValue")
        for state in (ply.before, ply.after):
            if msgspec.json.decode(_kept(state), type=game.rules.state) != state:
                yield sample.fault("a state read from JSON is another; its base is StoredValue")
    for ply in sample.plies(12):
        for seat in sample.seats(ply):
            yield from _report_stored(sample, ply, seat)


def _report_stored(sample: Sample, ply: PlayedPly, seat: Seat) -> Iterator[ContractFault]:
    game = sample.game
    seen = (game.sight.witness(event, seat) for event in ply.events)
    news = tuple(sight for sight in seen if sight is not None)
    report = building.public(standing(game, ply.after, ply.setting.options).loaded, seat)
    told = replace(report, news=news)
    for key in sorted(IN_BOTH.intersection(game.sight.view.__struct_fields__)):
        if getattr(told.view, key) != getattr(told, key):
            yield sample.fault(f"the view's `{key}` is not that of the report")
    body = building.write(game, told)
    again = building.read(game, body)
    if building.write(game, again) != body or type(again.view) is not game.sight.view:
        yield sample.fault("a report that was stored is read as another")
    if [type(one) for one in again.news] != [type(one) for one in news]:
        yield sample.fault("news of a report that was stored are read as others; tag their types")


def replay(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for ply in sample.plies(100):
        if fold(game, ply.before, ply.events) != ply.after:
            yield sample.fault("the events, folded by rules.apply, are not the state after them")
        state = msgspec.json.decode(_kept(ply.before), type=game.rules.state)
        if tuple(game.rules.adjudicate(state, ply.orders, ply.chance)) != ply.events:
            yield sample.fault("the state, read from JSON, is adjudicated to other events")


def end_match(game: AnyGame, ply: PlayedPly, reason: str) -> tuple[Any, tuple[Any, ...]]:
    """Return a match as it is when the program has ended it before a ply, and the events of
    that."""
    rules, state = game.rules, ply.before
    leaves = reason in ("resignation", "forfeit")
    made = (
        rules.leave(state, ply.setting.seats[1:], reason) if leaves else rules.close(state, reason)
    )
    events = tuple(made)
    return fold(game, state, events), events


def departures(sample: Sample) -> Iterator[ContractFault]:
    game, rules = sample.game, sample.game.rules
    for ply, reason in product(sample.plies(30), REASONS):
        state, events = end_match(game, ply, reason)
        outcome = rules.outcome(state)
        if reason in ("agreement", "cancelled") and len(events) != 1:
            yield sample.fault(f"rules.close gives {len(events)} events; it ends with exactly one")
        if outcome is None:
            yield sample.fault(f"nobody is left to play ({reason}), and there is no outcome")
        elif outcome.reason != reason:
            yield sample.fault(f"the outcome's reason is {outcome.reason!r}, and not {reason!r}")
        if rules.awaiting(state):
            yield sample.fault(f"orders are awaited after the end ({reason})")
        everybody = rules.leave(ply.before, ply.setting.seats, "resignation")
        if rules.outcome(fold(game, ply.before, everybody)) is None:
            yield sample.fault("all seats left, and there is no outcome")
        for seat in ply.setting.seats:
            plain(game.sight.observe(state, seat))
    yield from _without(sample)


def _without(sample: Sample) -> Iterator[ContractFault]:
    """Play matches on, each without a seat, or two, that have left."""
    rules = sample.game.rules
    for ply, at in chain([(ply, sample.place) for ply in sample.plies(_LEFT)], _of_more(sample)):
        seats = ply.setting.seats
        pairs = pairwise(seats) if len(seats) > 3 else ()
        for number, leaving in enumerate([*((seat,) for seat in seats), *pairs]):
            reason = REASONS[number % 2]
            why = f"after {' and '.join(leaving)} left ({reason})"
            sample.place = at
            try:
                state = fold(sample.game, ply.before, rules.leave(ply.before, leaving, reason))
                yield from _goes_on(sample, ply, state, leaving, why)
            except Exception as fault:
                yield sample.fault(f"{why}, the match does not go on: {describe_fault(fault)}")


def _of_more(sample: Sample) -> Iterator[tuple[PlayedPly, Place]]:
    """Yield plies of a match of three or more seats, if no random match has so many and the game
    can be played so: of two seats, one that leaves ends the match."""
    game = sample.game
    if any(len(match.plies[0].setting.seats) > 2 for match in sample.played if match.plies):
        return
    for number in range(_DRAWN if max(game.players) > 2 else 0):
        rng = sample.random("more", number)
        setting = setting_of(game, rng)
        if len(setting.seats) > 2:
            chance = chance_of(game, rng)
            state = game.rules.set_up(setting, chance)
            plies = [*play_on(game, rng, setting, chance, state, sample.most)]
            for at in spread(len(plies), _LEFT):
                orders = sample.lines(plies[at])
                yield plies[at], Place(match=f"more-{number}", ply=at, orders=orders)
            return


def _goes_on(
    sample: Sample, ply: PlayedPly, state: Any, gone: Sequence[Seat], why: str
) -> Iterator[ContractFault]:
    game, at = sample.game, sample.place
    rng = sample.random("left", at.match, at.ply, *gone)
    played = play_on(game, rng, ply.setting, ply.chance, state, _ON)
    for number, later in enumerate(played, start=at.ply or 0):
        sample.place = Place(match=at.match, ply=number, orders=sample.lines(later))
        named = sorted({*later.orders}.intersection(gone))
        if named and not all(_played_alone(game, later, seat) for seat in named):
            yield sample.fault(f"{why}, rules.awaiting names {' and '.join(named)}")
            return
        state = later.after
    if game.rules.outcome(state) is None and not game.rules.awaiting(state):
        yield sample.fault(f"{why}, nobody is awaited, and the match has no outcome")


def _played_alone(game: AnyGame, ply: PlayedPly, seat: Seat) -> bool:
    """Return whether a seat that has left is awaited as the program lets it: only seats that left
    are, and there are orders for it."""
    rules, chance = game.rules, ply.chance.private(seat, "left")
    if not {*ply.orders} <= {*rules.gone(ply.before)} or rules.default is None:
        return False
    return rules.default(ply.before, seat, chance) is not None


def records(sample: Sample) -> Iterator[ContractFault]:
    for match in _firsts(sample):
        plies = match.plies
        ends_itself = sample.game.rules.outcome(plies[-1].after) is not None
        happened = [event for ply in plies[:-1] for event in ply.events]
        sample.place = Place(match=match.name, ply=len(plies) - 1)
        state, closing = end_match(sample.game, plies[-1], "cancelled")
        yield from _written(sample, plies[-1], state, [*happened, *closing])
        if ends_itself:
            yield from _written(sample, plies[-1], plies[-1].after, [*happened, *plies[-1].events])


def _written(
    sample: Sample, ply: PlayedPly, state: Any, events: Sequence[Any]
) -> Iterator[ContractFault]:
    game, outcome = sample.game, sample.game.rules.outcome(state)
    names: Mapping[Seat, str] = {}
    chronicle = Chronicle(names, "2026.11.21", outcome, "match-1", ply.chance.seed.hex())
    (transcript,) = transcripts(game.record.write(chronicle, state, events).splitlines())
    if not isinstance(transcript, Transcript):
        yield sample.fault(f"a record cannot be read: {tell(transcript.message)}")
        return
    if transcript.values.get("Game") != game.title:
        yield sample.fault(f"a record's tag Game is not {game.title!r}")
    if game.record.replay is None:
        return
    again = game.record.replay(transcript)
    if not isinstance(again, Replayed):
        yield sample.fault(f"a record is not played again: {tell(again.message)}")
