"""The results of ended matches, as their rows keep them (club, 15); and how players kept
their deadlines (club, 6.1): rows of each ply while a match goes on, and days once it is over."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct, structs
from msgspec.json import decode

from adjudicator.store.database import Tx
from adjudicator.store.rows import as_text
from adjudicator.store.submissions import DEFAULT, AdvanceVerdict
from adjudicator.store.tables import match, outbox, player, seat, submission, tenure, turn
from adjudicator.store.tables import turn as turn_table
from adjudicator.store.tables_club import conduct, conduct_day

_LEAVING = ("resignation", "forfeit")  # causes of a ply in which seats left


def leaving_plies(tx: Tx, match_id: int, before: int) -> list[tuple[int, str]]:
    """Return the plies before that one in which seats left a match, each with its cause."""
    wanted = (
        sa.select(turn.c.ply, turn.c.cause)
        .where(turn.c.match_id == match_id, turn.c.ply < before, turn.c.cause.in_(_LEAVING))
        .order_by(turn.c.ply)
    )
    return [(row.ply, row.cause) for row in tx.execute(wanted)]


def has_bounced(tx: Tx, match_id: int, seat: str, before: int) -> bool:
    """Return whether the last report to a seat that was queued before a ply came back for good."""
    reports = (
        outbox.c.match_id == match_id,
        outbox.c.seat == seat,
        outbox.c.kind == "report",
        outbox.c.ply < before,
    )
    newest = sa.select(outbox.c.status).where(*reports).order_by(outbox.c.ply.desc())
    return tx.execute(newest.order_by(outbox.c.id.desc()).limit(1)).scalar() == "bounced"


def seats(tx: Tx, match_id: int) -> list[str]:
    """Return the names of a match's seats, also of one that cannot be read."""
    named = sa.select(seat.c.name).where(seat.c.match_id == match_id)
    return list(tx.execute(named.order_by(seat.c.name)).scalars())


# Read what ended matches count for, of all of them at once.


class PastHolder(Struct, frozen=True):
    """A player who gave a seat up, and how many plies he had held it."""

    name: str
    plies: int


class EndedSeat(Struct, frozen=True):
    """A seat, who held it at the end, and for how many plies. `player` is None for a computer;
    `before` are those who held it earlier."""

    seat: str
    player: str | None
    plies: int
    before: Sequence[PastHolder] = ()


class EndedRow(Struct, frozen=True):
    """A match that has ended and has a result, as `core/result` writes it."""

    match: str
    game: str
    ended_at: datetime
    result: str
    seats: Sequence[EndedSeat]


_ENDED = (match.c.status == "over", match.c.result.is_not(None))


def ended_matches(tx: Tx, game: str | None = None) -> list[EndedRow]:
    """Return the matches that have ended, of one game or of all, in the order in which they did.

    Three statements, however many there are.
    """
    chosen = _ENDED if game is None else (*_ENDED, match.c.game == game)
    before = _past_holders(tx)
    seats: dict[int, list[EndedSeat]] = defaultdict(list)
    held = sa.select(seat.c.match_id, seat.c.name, player.c.name.label("player"), _PLIES)
    joined = held.select_from(seat.join(match).outerjoin(player, seat.c.player_id == player.c.id))
    for row in tx.execute(joined.where(*chosen).order_by(seat.c.match_id, seat.c.name)):
        key = (row.match_id, row.name)
        seats[row.match_id].append(EndedSeat(row.name, row.player, row.plies, before.get(key, ())))
    columns = (match.c.id, match.c.name, match.c.game, match.c.ended_at, match.c.result)
    wanted = sa.select(*as_text(columns)).where(*chosen).order_by(match.c.ended_at, match.c.id)
    rows = []
    for row in tx.execute(wanted):
        with suppress(ValueError):  # its time is damaged
            at = datetime.fromisoformat(row.ended_at)
            rows.append(EndedRow(row.name, row.game, at, row.result, seats[row.id]))
    return rows


class Held(Struct, frozen=True):
    """A seat that a player holds, or held at the end of its match."""

    player_id: int
    player: str
    match: str
    status: str
    options: str  # JSON


def seats_of_players(tx: Tx) -> list[Held]:
    """Return all seats that players hold who were not erased, those of the oldest match first."""
    columns = (player.c.id, player.c.name.label("player"), match.c.name, match.c.status)
    joined = seat.join(match).join(player, seat.c.player_id == player.c.id)
    wanted = sa.select(*columns, match.c.options).select_from(joined)
    wanted = wanted.where(player.c.erased_at.is_(None)).order_by(match.c.id, player.c.id)
    return [
        Held(row.id, row.player, row.name, row.status, row.options) for row in tx.execute(wanted)
    ]


def former_holders(tx: Tx) -> dict[str, int]:
    """Return the ids of the players who gave a seat up and were not erased, by their names."""
    wanted = sa.select(player.c.name, player.c.id).where(
        player.c.id.in_(sa.select(tenure.c.player_id)), player.c.erased_at.is_(None)
    )
    return {row.name: row.id for row in tx.execute(wanted.order_by(player.c.id))}


def changes_of_former_holders(tx: Tx) -> tuple[int, int]:
    """Return how many players gave a seat up, and how often what is shown of them has changed."""
    wanted = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(player.c.changes), 0)).where(
        player.c.id.in_(sa.select(tenure.c.player_id))
    )
    number, changes = tx.execute(wanted).one()
    return int(number), int(changes)


_PLIES = (match.c.ply - seat.c.since_ply).label("plies")


def _past_holders(tx: Tx) -> Mapping[tuple[int, str], Sequence[PastHolder]]:
    """Return who held seats of ended matches earlier, the first before the others."""
    c = tenure.c
    columns = (c.match_id, c.seat, player.c.name, (c.until_ply - c.since_ply).label("plies"))
    joined = tenure.join(player, c.player_id == player.c.id)
    joined = joined.join(match, c.match_id == match.c.id)
    wanted = sa.select(*columns).select_from(joined).where(*_ENDED)
    found: dict[tuple[int, str], list[PastHolder]] = defaultdict(list)
    for row in tx.execute(wanted.order_by(c.match_id, c.seat, c.number)):
        found[row.match_id, row.seat].append(PastHolder(row.name, row.plies))
    return found


ON_TIME, MISSED, LEFT, ENDED = "on_time", "missed", "left", "ended"


class Counted(Struct, frozen=True, kw_only=True):
    """Something that is counted of a player, on a day in UTC. The `ply` of the end of a tenure is
    `of_tenure`: no undo takes it back."""

    match_id: int
    seat: str
    ply: int
    kind: str
    player_id: int
    day: str
    hidden: int = 0  # 1: nothing is shown of it before the match has ended


class Figures(Struct, frozen=True):
    """What is counted of a player since some day. Misses of one day are one."""

    on_time: int
    missed: int
    left: int
    ended: int


def of_tenure(number: int) -> int:
    """Return in place of a ply what names the tenure of a seat."""
    return -1 - number


def count_conduct(tx: Tx, rows: Sequence[Counted]) -> None:
    if rows:
        tx.execute(sa.insert(conduct), [structs.asdict(one) for one in rows])


def take_back_conduct(tx: Tx, match_id: int, ply: int) -> None:
    of_ply = (conduct.c.match_id == match_id, conduct.c.ply == ply)
    tx.execute(sa.delete(conduct).where(*of_ply))


_KINDS = (ON_TIME, MISSED, LEFT, ENDED)
_COUNTS = [sa.func.sum(sa.case((conduct.c.kind == one, 1), else_=0)).label(one) for one in _KINDS]
_OF_PLIES = sa.select(conduct.c.player_id, conduct.c.day, *_COUNTS).group_by(
    conduct.c.player_id, conduct.c.day
)


def fold_conduct(tx: Tx, match_id: int) -> None:
    """Keep of an ended match what its days count, and nothing of its plies."""
    for row in tx.execute(_OF_PLIES.where(conduct.c.match_id == match_id)).mappings().all():
        of_day = (conduct_day.c.player_id == row["player_id"], conduct_day.c.day == row["day"])
        added = {kind: conduct_day.c[kind] + row[kind] for kind in _KINDS}
        if not tx.execute(sa.update(conduct_day).where(*of_day).values(added)).rowcount:
            tx.execute(sa.insert(conduct_day), dict(row))
    tx.execute(sa.delete(conduct).where(conduct.c.match_id == match_id))


def _by_player(people: Collection[int] | None) -> Any:
    """Select what each day counts, of plies and of ended matches together."""
    of_plies = _OF_PLIES.where(conduct.c.hidden == 0)
    of_days = sa.select(
        conduct_day.c.player_id, conduct_day.c.day, *(conduct_day.c[one] for one in _KINDS)
    )
    if people is not None:
        of_plies = of_plies.where(conduct.c.player_id.in_(list(people)))
        of_days = of_days.where(conduct_day.c.player_id.in_(list(people)))
    return sa.union_all(of_plies, of_days).subquery()


def figures_of_conduct(
    tx: Tx, since: date, people: Collection[int] | None = None
) -> Mapping[int, Figures]:
    """Return what is counted since that day of players, by their ids, or of all: of each of whom a
    turn was ever counted, or who has left a match."""
    every = _by_player(people)
    recent = every.c.day >= since.isoformat()
    missed = sa.func.max(sa.case((sa.and_(recent, every.c.missed > 0), 1), else_=0))
    counted = [
        sa.func.sum(sa.case((recent, every.c[one]), else_=0)).label(one)
        for one in (ON_TIME, LEFT, ENDED)
    ]
    ever = sa.func.sum(every.c.on_time + every.c.missed + every.c.left).label("ever")
    days = (
        sa.select(every.c.player_id, missed.label(MISSED), *counted, ever)
        .group_by(every.c.player_id, every.c.day)
        .subquery()
    )
    sums = [sa.func.sum(days.c[one]).label(one) for one in _KINDS]
    wanted = sa.select(days.c.player_id, *sums).group_by(days.c.player_id)
    wanted = wanted.having(sa.func.sum(days.c.ever) > 0)
    return {
        row.player_id: Figures(int(row.on_time), int(row.missed), int(row.left), int(row.ended))
        for row in tx.execute(wanted)
    }


def conduct_of_player(tx: Tx, player_id: int) -> Iterable[Mapping[str, Any]]:
    """Return all that is kept of a player, day by day."""
    every = _by_player([player_id])
    sums = [sa.func.sum(every.c[one]).label(one) for one in _KINDS]
    wanted = sa.select(every.c.day, *sums).group_by(every.c.day).order_by(every.c.day)
    return [dict(row) for row in tx.execute(wanted).mappings()]


def seats_bounced(tx: Tx, match_id: int, ply: int) -> set[str]:
    """Return the seats whose report of a ply has come back."""
    c = outbox.c
    of_ply = (c.match_id == match_id, c.ply == ply, c.kind == "report", c.bounces > 0)
    return set(tx.execute(sa.select(c.seat).where(*of_ply)).scalars())


# The sheets of people that the log of a match does not have as they were sent.


class UnusedSheet(Struct, frozen=True, kw_only=True):
    """A sheet of a person whose own lines were not adjudicated, and its turn: `became` is its last
    status. One that was `in_advance` and was `put_in_force` when its turn came has the lines that
    it gave then; when it was sent is known no more."""

    seat: str
    turn: int
    revision: int
    received_at: datetime
    lines: tuple[str, ...]
    text: str
    became: str
    in_advance: bool
    put_in_force: bool


_UNUSED = (
    sa.select(submission, turn_table.c.turn.label("of_turn"))
    .outerjoin(
        turn_table,
        sa.and_(
            turn_table.c.match_id == submission.c.match_id,
            turn_table.c.ply == submission.c.ply - 1,
        ),
    )
    .where(
        submission.c.match_id == sa.bindparam("of_match"),
        sa.or_(submission.c.status != "used", submission.c.turn.is_not(None)),
        submission.c.channel.not_in(["computer", DEFAULT]),
    )
    .order_by(submission.c.ply, submission.c.revision, submission.c.id)
)


def unused_sheets(tx: Tx, match_id: int) -> list[UnusedSheet]:
    """Return the sheets of people in a match that are not in its log as they were sent."""
    return [
        UnusedSheet(
            seat=row.seat,
            turn=row.of_turn if row.turn is None else row.turn,
            revision=row.revision,
            received_at=row.received_at,
            lines=decode(row.orders, type=tuple[str, ...]),
            text=row.text,
            became=row.status,
            in_advance=row.turn is not None,
            put_in_force=row.verdict is not None
            and decode(row.verdict, type=AdvanceVerdict).used is not None,
        )
        for row in tx.execute(_UNUSED, {"of_match": match_id})
        if row.turn is not None or row.of_turn is not None
    ]
