"""The standings of a club with ten thousand results, beside OpenSkill alone."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import sqlalchemy as sa

from adjudicator.core.result import MatchResult, written
from adjudicator.service.competition import standings
from adjudicator.store.database import Store, open_store
from adjudicator.store.tables import match, player, seat
from tests.bench.many_matches import many
from tests.bench.measuring import Row, beside, milliseconds, scaled

MOST = 10_000  # matches
PLAYERS = 200
BEGAN = datetime(2026, 11, 21, tzinfo=UTC)
SEATS = ("white", "black")


def rows(scale: float) -> Iterator[Row]:
    number = scaled(MOST, scale, least=20)
    with TemporaryDirectory() as made, closing(_club(Path(made), number)) as store:
        with store.reading() as tx:
            counted = standings.counting(tx)
        assert len(counted) == number
        ours, theirs, ratio = beside(
            lambda: standings.of_club(store), scaled(10, scale), lambda: _alone(counted)
        )
    yield Row(
        name=f"standings of {number:,} results (OpenSkill alone)",
        ours=milliseconds(ours),
        theirs=milliseconds(theirs),
        ratio=ratio,
        most=3,
    )


def _club(folder: Path, number: int) -> Store:
    """Return the store of a club in which so many matches between people have ended."""
    store = open_store(many(folder, number))
    with store.transaction() as tx:
        known = int(tx.execute(sa.select(sa.func.max(player.c.id))).scalar_one())
        row = {"language": "en", "zone": "UTC", "created_at": BEGAN}
        tx.execute(
            sa.insert(player),
            [
                {**row, "id": n, "name": f"P{n}", "name_key": f"p{n}", "address": f"{n}@x.example"}
                for n in range(known + 1, known + 1 + PLAYERS)
            ],
        )
        for n, name in enumerate(SEATS):
            # Two steps that have no divisor in common with their number: all meet, nobody himself.
            who = known + 1 + (match.c.id * (7 + 4 * n) + n) % PLAYERS
            held = sa.select(who).where(match.c.id == seat.c.match_id).scalar_subquery()
            tx.execute(sa.update(seat).where(seat.c.name == name).values(player_id=held))
        tx.execute(
            sa.update(match).where(match.c.id == sa.bindparam("of")),
            [
                {"of": n, "status": "over", "ended_at": BEGAN + n * timedelta(minutes=7), **_won(n)}
                for n in range(1, number + 1)
            ],
        )
    return store


def _won(number: int) -> dict[str, str]:
    winner, loser = SEATS[number % 2], SEATS[1 - number % 2]
    places = ((winner,), (loser,))
    return {"result": written(MatchResult(winners=(winner,), places=places, reason="capital"))}


def _alone(counted: Sequence[standings.EndedMatch]) -> None:
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    ratings = {name: model.rating() for one in counted for name in one.players}
    for one in counted:
        teams = [[ratings[name]] for name in one.players]
        ranks = [float(name not in one.winners) for name in one.players]
        for name, team in zip(one.players, model.rate(teams, ranks=ranks), strict=True):
            ratings[name] = team[0]
