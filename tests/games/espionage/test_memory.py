"""A seat is told what its own fights showed (rules 9.4, 9.5): that is true, and it is never taken
from the truth."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator.core.game import fold
from adjudicator.core.match import Seat
from adjudicator.core.report import flat
from adjudicator.core.visible import plain
from adjudicator.games.espionage import ESPIONAGE
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import BY_LETTER, ENEMY, IMMOBILE, SIDES, Rank, wins
from adjudicator.games.espionage.rules.state import Event, SetUp, State, Stepped
from adjudicator.games.espionage.sight.memory import remember
from adjudicator.games.espionage.sight.observe import View, observe, witness
from tests.games.espionage.twins import disguised
from tests.games.one_turn import play_turn
from tests.games.playouts import Ply, playout
from tests.games.standing import make_loaded, standing
from tests.printed import public_report, report_of
from tests.scale import scaled

HIDDEN = tuple(variant for variant in ESPIONAGE.variants if variant != "open-fast")
KEYS = {"fights", "could_be", "lost_known"}
OLD_LOGS = sorted((Path(__file__).parent / "logs").glob("*.json"))


def seen_by(
    state: State, events: Sequence[Event], seat: Seat, options: dict[str, str] | None = None
) -> View:
    news = (witness(event, seat) for event in events)
    return remember(observe(state, seat), [step for step in news if step], options or {})


def unknown(view: View) -> Iterator[Any]:
    return (piece for piece in view.pieces if piece.side != view.seat and piece.rank is None)


class Truth:
    """Follows who fought whom, with everything in sight."""

    def __init__(self) -> None:
        self.fights: dict[Square, list[tuple[int, Rank, str]]] = {}
        self.removed: dict[Seat, list[Rank]] = {side: [] for side in SIDES}

    def take(self, event: Event) -> None:
        if not isinstance(event, Stepped):
            return
        mover = self.fights.pop(event.start, [])
        if event.outcome == "lost":
            self.fights[event.target] = [
                *self.fights.get(event.target, []),
                (event.turn, event.rank, "defender"),
            ]
            self._remove(event.side, event.rank, event.rank_told)
        else:
            if event.met:
                mover = [*mover, (event.turn, event.met, "attacker")]
                self._remove(ENEMY[event.side], event.met, event.met_told)
            self.fights[event.target] = mover

    def _remove(self, side: Seat, rank: Rank, told: bool) -> None:
        if told:
            self.removed[side].append(rank)


@pytest.mark.parametrize("variant", ESPIONAGE.variants)
@pytest.mark.slow
def test_the_fights_are_those_that_were_and_the_true_rank_is_always_among_those_it_can_be(
    variant: str,
):
    narrowed = 0
    for seed in range(scaled(4)):
        truth, log = Truth(), []
        for ply in playout(ESPIONAGE, Random(f"{variant} {seed}"), 300, variant):
            for event in ply.events:
                truth.take(event)
            log += ply.events
            if ply.after.outcome or not ply.after.to_move:
                continue
            for seat in SIDES:
                view = seen_by(ply.after, log, seat)
                assert view.lost_known == tuple(truth.removed[ENEMY[seat]])
                for piece in unknown(view):
                    fights = [(f.turn, f.beat, f.role) for f in piece.fights]
                    assert fights == truth.fights.get(piece.square, [])
                    assert ply.after.pieces[piece.square].rank in piece.could_be
                    narrowed += len(piece.could_be) < 7
    assert (narrowed > 0) == (variant in HIDDEN)


def possible(piece: Any, rank: Rank) -> bool:
    """Say by rule 3.2 whether a piece of that rank can have moved and fought so."""
    won = (
        wins(rank, fight.beat) if fight.role == "attacker" else not wins(fight.beat, rank)
        for fight in piece.fights
    )
    return not (piece.moved and rank in IMMOBILE) and all(won)


@pytest.mark.parametrize("variant", HIDDEN)
@pytest.mark.slow
def test_no_rank_is_struck_out_without_a_reason(variant: str):
    """A rank is struck out by what the piece did, or because all of that rank are told."""
    for seed in range(scaled(2)):
        log: list[Event] = []
        army: list[Rank] = []
        for ply in playout(ESPIONAGE, Random(f"reason {variant} {seed}"), 200, variant):
            log += ply.events
            army = army or [BY_LETTER[sign] for sign in ply.after.setups["white"].replace("/", "")]
            if ply.after.outcome:
                break
            for seat in SIDES:
                view = seen_by(ply.after, log, seat)
                told = [*(p.rank for p in view.pieces if p.side != seat), *view.lost_known]
                for piece in unknown(view):
                    expected = [
                        rank
                        for rank in Rank
                        if possible(piece, rank) and told.count(rank) < army.count(rank)
                    ]
                    assert list(piece.could_be) == expected


def other_world(plies: Sequence[Ply], seat: Seat, rng: Random) -> tuple[State, list[Event]] | None:
    """Play a match again with two of the enemy's pieces exchanged in his set-up. Return None if the
    orders were not allowed then, or if `seat` would have seen anything else."""
    first = plies[0]
    state, log = first.before, []
    rows = {event.side: event.rows for event in first.events if isinstance(event, SetUp)}
    letters = list(rows[ENEMY[seat]])
    one, other = rng.sample([i for i, sign in enumerate(letters) if sign != "/"], 2)
    letters[one], letters[other] = letters[other], letters[one]
    if "".join(letters) == rows[ENEMY[seat]]:
        return None
    for event in first.events:
        if isinstance(event, SetUp) and event.side != seat:
            event = replace(event, rows="".join(letters))
        log.append(event)
    state = fold(ESPIONAGE, state, log)
    for ply in plies[1:]:
        orders = ply.orders[ply.before.to_move]
        standing_there = (state.pieces.get(order.start) for order in orders)
        if any(piece is None or piece.rank in IMMOBILE for piece in standing_there):
            return None
        events, state = play_turn(ESPIONAGE, state, ply.orders, ply.chance)
        if [witness(e, seat) for e in events] != [witness(e, seat) for e in ply.events]:
            return None
        log += events
    same = plain(observe(state, seat)) == plain(observe(plies[-1].after, seat))
    return (state, log) if same else None


@pytest.mark.slow
def test_worlds_in_which_the_seat_saw_the_same_give_it_the_same_lists():
    found = narrowed = 0
    for seed in range(scaled(3)):
        rng = Random(f"worlds {seed}")
        plies = [p for p in playout(ESPIONAGE, rng, 60, "small") if not p.after.outcome]
        log = [event for ply in plies for event in ply.events]
        for seat in SIDES:
            view = seen_by(plies[-1].after, log, seat)
            for _ in range(40):
                if (other := other_world(plies, seat, rng)) is None:
                    continue
                state, events = other
                assert state.pieces != plies[-1].after.pieces
                assert plain(seen_by(state, events, seat)) == plain(view)
                for piece in unknown(view):  # and there, too, the lists are true
                    assert state.pieces[piece.square].rank in piece.could_be
                    narrowed += bool(piece.fights)
                found += 1
    assert found > 10
    assert narrowed


def test_nothing_hangs_on_what_an_event_holds_beyond_the_seats_news():
    rng = Random(5)
    plies = list(playout(ESPIONAGE, rng, 120, "small"))
    log = [event for ply in plies for event in ply.events]
    at = next(ply.after for ply in reversed(plies) if not ply.after.outcome)
    for seat in SIDES:
        others = [disguised(event, seat, rng) for event in log]
        assert others != log
        assert plain(seen_by(at, others, seat)) == plain(seen_by(at, log, seat))


def reported(state: State, events: Sequence[Event], seat: Seat, **options: str) -> dict[str, Any]:
    at = standing(ESPIONAGE, state)
    match = replace(at.loaded.match, options={**at.loaded.match.options, **options})
    at = replace(
        at,
        loaded=replace(at.loaded, match=match),
        log=[(1, event) for event in events],  # long ago: it is news no more
    )
    return flat(report_of(at, seat))


def middle(variant: str = "small") -> tuple[State, list[Event]]:
    """Return a position of a random match in which both sides know of fights."""
    for seed in range(20):
        log: list[Event] = []
        for ply in playout(ESPIONAGE, Random(seed), 300, variant):
            log += ply.events
            state = ply.after
            if all(any(p.fights for p in unknown(seen_by(state, log, seat))) for seat in SIDES):
                return state, log
    raise AssertionError("nobody fought")


def test_a_report_tells_fights_of_long_ago_and_what_each_piece_can_be():
    state, log = middle()
    for seat in SIDES:
        told = reported(state, log, seat)
        assert told["news"] == []
        view = seen_by(state, log, seat)
        assert told["lost_known"] == list(view.lost_known)
        fights = [piece["fights"] for piece in told["pieces"] if piece.get("fights")]
        assert fights
        assert set(fights[0][0]) == {"turn", "beat", "as"}
        for piece in told["pieces"]:
            is_unknown = piece["side"] != seat and piece["rank"] is None
            assert KEYS.intersection(piece) == ({"fights", "could_be"} if is_unknown else set())
            assert not is_unknown or piece["could_be"]


def test_with_aids_off_a_report_tells_the_fights_alone():
    state, log = middle()
    for seat in SIDES:
        off, on = (reported(state, log, seat, aids=value) for value in ("off", "on"))
        assert {p["could_be"] for p in off["pieces"] if "could_be" in p} == {None}
        without = [
            [{k: v for k, v in piece.items() if k != "could_be"} for piece in told["pieces"]]
            for told in (off, on)
        ]
        assert without[0] == without[1]
        assert off["lost_known"] == on["lost_known"]


def test_a_match_without_the_option_has_aids():
    state, log = middle()
    view = seen_by(state, log, SIDES[0], {"fights": "hidden"})
    assert all(piece.could_be for piece in unknown(view))


def test_nobody_without_a_seat_is_told_any_of_it():
    """Rule 9.4: neither a spectator nor a public page."""
    state, _ = middle()
    told = flat(public_report(make_loaded(ESPIONAGE, state), Seat("")))
    assert len(told["pieces"]) > 20
    for part in (told, *told["pieces"]):
        assert not KEYS.intersection(part)


def test_in_the_last_report_no_piece_has_such_lists_for_every_rank_is_told():
    log: list[Event] = []
    for ply in playout(ESPIONAGE, Random(2), 2000, "small-fast"):
        log += ply.events
    assert ply.after.outcome
    told = reported(ply.after, log, SIDES[0])
    assert not [piece for piece in told["pieces"] if KEYS.intersection(piece)]


@pytest.mark.parametrize("path", OLD_LOGS, ids=lambda path: path.stem)
def test_a_match_of_before_has_its_fights_from_its_log(path: Path):
    fought = 0
    for match in decode(path.read_bytes()):
        state = msgspec.convert(match["first"], State)
        log: list[Event] = []
        truth = Truth()
        for events in msgspec.convert(match["log"], list[list[Event]]):
            for event in events:
                truth.take(event)
                state = ESPIONAGE.rules.apply(state, event)
            log += events
            for seat in SIDES if state.to_move else ():
                for piece in unknown(seen_by(state, log, seat)):
                    fights = [(f.turn, f.beat, f.role) for f in piece.fights]
                    assert fights == truth.fights.get(piece.square, [])
                    assert state.pieces[piece.square].rank in piece.could_be
                    fought += bool(fights)
    assert fought
