"""Spies: orders a second by replay, a year adjudicated and told to five seats, and a letter."""

from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO
from random import Random
from time import perf_counter

from adjudicator.core.game import Chronicle
from adjudicator.core.match import Seat
from adjudicator.games.spies import SPIES
from adjudicator.games.spies.computers import COMPUTERS
from adjudicator.games.spies.rules.events import Ordered
from adjudicator.mail.write.compose import Outgoing, compose
from adjudicator.reports.render import renders
from adjudicator.service.matches import overview
from adjudicator.service.reports import building
from tests.bench.measuring import Row, in_turns, milliseconds, per_second, scaled
from tests.games.one_turn import play_turn
from tests.games.spies.matches import Ply, random_match, setting
from tests.games.standing import standing

YEAR = 4  # of the match that is measured


def rows(scale: float) -> Iterator[Row]:
    yield _replay(scaled(200, scale, least=1))
    plies = list(random_match(Random(5), setting(5), COMPUTERS["computer"], leaving=0))
    ply = plies[YEAR]
    rounds = scaled(30, scale, least=1)
    (year,) = in_turns(rounds, lambda: _year(ply))
    yield Row(name="Spies: a year of five seats, adjudicated and told", ours=milliseconds(year))
    told = _letter(ply)
    (letter,) = in_turns(rounds, lambda: _letter(ply))
    size = f"{len(told) / 1000:.0f} kB"
    yield Row(name="Spies: a letter with its report", ours=milliseconds(letter), theirs=size)


def _replay(matches: int) -> Row:
    found = [_record(number) for number in range(matches)]
    text = "\n".join(record for record, _ in found)
    start = perf_counter()
    played = list(overview.replay_files([("many.spies", StringIO(text))]))
    seconds = perf_counter() - start
    orders = sum(number for _, number in found)
    return Row(
        name=f"Spies: record replay, {len(played):,} matches, {orders:,} orders",
        ours=per_second(orders, seconds, "orders"),
    )


def _record(number: int) -> tuple[str, int]:
    """The record of a match, and how many lines of orders it has."""
    plies = list(random_match(Random(number), setting(5), leaving=0))
    events = [event for ply in plies for event in ply.events]
    chance, state = plies[0].chance, plies[-1].after
    chronicle = Chronicle({}, "2026.11.22", state.outcome, chance.match, chance.seed.hex())
    orders = sum(len(event.lines) for event in events if isinstance(event, Ordered))
    return SPIES.record.write(chronicle, state, events), orders


def _year(ply: Ply) -> None:
    events, after = play_turn(SPIES, ply.before, ply.sheets, ply.chance)
    for seat in after.seats:
        SPIES.sight.observe(after, seat)
        for event in events:
            SPIES.sight.witness(event, seat)


def _letter(ply: Ply) -> bytes:
    at = standing(SPIES, ply.after)
    report = building.report(at, Seat("germany"))
    text, html, page = renders(SPIES, report, ("txt", "letter", "html"))
    return compose(
        Outgoing(
            kind="report",
            sender="adjud@play.example.org",
            to="anna@example.org",
            subject="[spies-1] Turn 5: your move",
            text=text,
            html=html,
            page=page,
            date=datetime(2026, 11, 22, tzinfo=UTC),
            message_id="<spies-1.5.germany@play.example.org>",
        )
    )
