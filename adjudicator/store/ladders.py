"""The rows of ladders: places and challenges (club, 8)."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.store import contest_logs, rows
from adjudicator.store.contest_logs import LoggedLine
from adjudicator.store.database import Tx
from adjudicator.store.tables import match, player, seat
from adjudicator.store.tables_club import challenge, ladder, rung


@rows.of(ladder)
class LadderRow(Struct, frozen=True, kw_only=True):
    """A ladder. Its matches have these `KEY=VALUE` texts as options."""

    id: int
    name: str
    game: str
    variant: str
    options: tuple[str, ...]
    status: str
    created_at: datetime
    changes: int


class LadderPlace(Struct, frozen=True, kw_only=True):
    """A player's place on a ladder; 1 is the first. `entry` is the player's number in its log."""

    player_id: int
    player: str
    place: int
    entry: int | None


class ChallengeRow(Struct, frozen=True, kw_only=True):
    """A challenge, from its offer to the end of its match. `ending` is the challenger's: won, lost,
    drawn, or declined, expired, void; `silent` says who was forfeited by silence."""

    id: int
    ladder_id: int
    number: int | None  # in the log of the ladder
    challenger_id: int
    asked_id: int
    challenger: str
    asked: str
    match: str | None
    match_id: int | None
    status: str | None  # of the match
    result: str | None  # JSON, as core/result.py has it
    seat: str | None
    created_at: datetime
    done_at: datetime | None
    ending: str | None
    silent: str


def names(tx: Tx) -> list[str]:
    return list(tx.execute(sa.select(ladder.c.name).order_by(ladder.c.id)).scalars())


def open_names(tx: Tx) -> list[str]:
    wanted = sa.select(ladder.c.name).where(ladder.c.status == "open")
    return list(tx.execute(wanted.order_by(ladder.c.id)).scalars())


def close(tx: Tx, ladder_id: int) -> None:
    _change(tx, ladder_id, status="closed")


def _change(tx: Tx, ladder_id: int, **values: Any) -> None:
    changed = {**values, "changes": ladder.c.changes + 1}
    rows.change(tx, LadderRow, ladder_id, **changed)


def rungs(tx: Tx, ladder_id: int) -> list[LadderPlace]:
    """Return who is on a ladder, the first place first."""
    wanted = (
        sa.select(rung.c.player_id, player.c.name.label("player"), rung.c.place, rung.c.entry)
        .join(player, player.c.id == rung.c.player_id)
        .where(rung.c.ladder_id == ladder_id, rung.c.place.is_not(None))
        .order_by(rung.c.place)
    )
    return [LadderPlace(**row) for row in tx.execute(wanted).mappings()]


def of_player(tx: Tx, player_id: int) -> list[int]:
    """Return the ladders on which a player has a place."""
    wanted = sa.select(rung.c.ladder_id).where(
        rung.c.player_id == player_id, rung.c.place.is_not(None)
    )
    return list(tx.execute(wanted.order_by(rung.c.ladder_id)).scalars())


def join(tx: Tx, ladder_id: int, player_id: int, now: datetime, *, entry: int) -> int:
    """Put a player on the last place; return that."""
    place = len(rungs(tx, ladder_id)) + 1
    row = {"ladder_id": ladder_id, "player_id": player_id, "place": place, "joined_at": now}
    tx.execute(sa.insert(rung), {**row, "entry": entry})
    _change(tx, ladder_id)
    return place


def entries(tx: Tx, ladder_id: int) -> dict[int, int | None]:
    """Return all who are on a ladder or were, in the order in which they came, with their numbers
    in its log."""
    wanted = sa.select(rung.c.player_id, rung.c.entry).where(rung.c.ladder_id == ladder_id)
    return {row.player_id: row.entry for row in tx.execute(wanted.order_by(rung.c.id))}


def number_entries(tx: Tx, ladder_id: int, numbers: Mapping[int, int]) -> None:
    """Give players their numbers in the log of a ladder that began without one."""
    for player_id, entry in numbers.items():
        theirs = sa.and_(rung.c.ladder_id == ladder_id, rung.c.player_id == player_id)
        tx.execute(sa.update(rung).where(theirs).values(entry=entry))


def number_challenge(tx: Tx, challenge_id: int, number: int) -> None:
    tx.execute(sa.update(challenge).where(challenge.c.id == challenge_id).values(number=number))


def leave(tx: Tx, ladder_id: int, player_id: int, now: datetime) -> None:
    """Take a player from a ladder; those below move up."""
    his = sa.and_(
        rung.c.ladder_id == ladder_id, rung.c.player_id == player_id, rung.c.place.is_not(None)
    )
    tx.execute(sa.update(rung).where(his).values(place=None, left_at=now))
    put_in_order(tx, ladder_id, [one.player_id for one in rungs(tx, ladder_id)])


def put_in_order(tx: Tx, ladder_id: int, ids: Sequence[int]) -> None:
    """Give these players the places from 1 on."""
    for place, player_id in enumerate(ids, 1):
        his = sa.and_(
            rung.c.ladder_id == ladder_id, rung.c.player_id == player_id, rung.c.place.is_not(None)
        )
        tx.execute(sa.update(rung).where(his).values(place=place))
    _change(tx, ladder_id)


# Challenges.


_challenger, _asked = player.alias(), player.alias()
_CHALLENGES = (
    sa.select(
        challenge.c.id,
        challenge.c.ladder_id,
        challenge.c.number,
        challenge.c.challenger_id,
        challenge.c.asked_id,
        _challenger.c.name.label("challenger"),
        _asked.c.name.label("asked"),
        match.c.name.label("match"),
        challenge.c.match_id,
        match.c.status,
        match.c.result,
        challenge.c.seat,
        challenge.c.created_at,
        challenge.c.done_at,
        challenge.c.ending,
        challenge.c.silent,
    )
    .select_from(challenge)
    .join(_challenger, _challenger.c.id == challenge.c.challenger_id)
    .join(_asked, _asked.c.id == challenge.c.asked_id)
    .outerjoin(match, match.c.id == challenge.c.match_id)
)


def _challenges(tx: Tx, wanted: sa.Select[Any]) -> list[ChallengeRow]:
    return [ChallengeRow(**row) for row in tx.execute(wanted).mappings()]


def has_match(tx: Tx, match_id: int) -> bool:
    """Return whether a match is one of a ladder."""
    wanted = sa.select(challenge.c.id).where(challenge.c.match_id == match_id)
    return tx.execute(wanted.limit(1)).first() is not None


def insert_challenge(
    tx: Tx, ladder_id: int, number: int, challenger_id: int, asked_id: int, now: datetime
) -> int:
    row = {
        "ladder_id": ladder_id,
        "number": number,
        "challenger_id": challenger_id,
        "asked_id": asked_id,
        "created_at": now,
    }
    made = sa.insert(challenge).values(row).returning(challenge.c.id)
    found = int(tx.execute(made).scalar_one())
    _change(tx, ladder_id)
    return found


def challenge_of(tx: Tx, challenge_id: int) -> ChallengeRow:
    (found,) = _challenges(tx, _CHALLENGES.where(challenge.c.id == challenge_id))
    return found


def holders(tx: Tx, challenge_id: int) -> dict[str, int | None]:
    """Return who holds each seat of the match of a challenge."""
    wanted = sa.select(seat.c.name, seat.c.player_id).where(
        seat.c.match_id == challenge.c.match_id, challenge.c.id == challenge_id
    )
    return {row.name: row.player_id for row in tx.execute(wanted)}


def begin(tx: Tx, one: ChallengeRow, match_id: int, seat: str) -> None:
    """Note the match of a challenge, and the challenger's seat in it."""
    this = challenge.c.id == one.id
    tx.execute(sa.update(challenge).where(this).values(match_id=match_id, seat=seat))
    _change(tx, one.ladder_id)


def note_seat(tx: Tx, match_id: int, seat: str) -> None:
    """Note the challenger's seat in a match whose seats were drawn later, if it is of a ladder."""
    this = challenge.c.match_id == match_id
    tx.execute(sa.update(challenge).where(this).values(seat=seat))


def end(tx: Tx, one: ChallengeRow, ending: str, now: datetime, silent: str = "") -> None:
    values = {"done_at": now, "ending": ending, "silent": silent}
    tx.execute(sa.update(challenge).where(challenge.c.id == one.id).values(values))
    _change(tx, one.ladder_id)


def going(tx: Tx, ladder_id: int) -> list[ChallengeRow]:
    """Return the challenges of a ladder that have not ended, the oldest first."""
    of_it = (challenge.c.ladder_id == ladder_id, challenge.c.done_at.is_(None))
    return _challenges(tx, _CHALLENGES.where(*of_it).order_by(challenge.c.id))


def past_challenges(tx: Tx, ladder_id: int, most: int | None = None) -> list[ChallengeRow]:
    """Return the challenges of a ladder that have ended, the last one first."""
    of_it = (challenge.c.ladder_id == ladder_id, challenge.c.done_at.is_not(None))
    wanted = _CHALLENGES.where(*of_it).order_by(challenge.c.done_at.desc(), challenge.c.id.desc())
    return _challenges(tx, wanted if most is None else wanted.limit(most))


def rungs_of_person(tx: Tx, player_id: int) -> list[Mapping[str, Any]]:
    """Return the places that somebody has and had; None for those that he has left."""
    called = ladder.c.name.label("ladder")
    wanted = (
        sa.select(
            *(called if one is rung.c.ladder_id else one for one in rows.export_columns(rung))
        )
        .join(rung, rung.c.ladder_id == ladder.c.id)
        .where(rung.c.player_id == player_id)
    )
    return [dict(row) for row in tx.execute(wanted.order_by(rung.c.id)).mappings()]


def challenges_of_person(tx: Tx, player_id: int) -> list[tuple[str, ChallengeRow]]:
    """Return (ladder, challenge) of those that somebody made and received, the oldest first."""
    his = sa.or_(challenge.c.challenger_id == player_id, challenge.c.asked_id == player_id)
    found = _challenges(tx, _CHALLENGES.where(his).order_by(challenge.c.id))
    called = dict(tuple(row) for row in tx.execute(sa.select(ladder.c.id, ladder.c.name)))
    return [(called[one.ladder_id], one) for one in found]


def challenge_of_match(tx: Tx, match_id: int) -> ChallengeRow | None:
    """Return the challenge of which that is the match."""
    found = _challenges(tx, _CHALLENGES.where(challenge.c.match_id == match_id))
    return found[0] if found else None


def matches_of(tx: Tx, ladder_id: int) -> int:
    """Return how many matches of a ladder have begun."""
    wanted = sa.select(sa.func.count()).where(
        challenge.c.ladder_id == ladder_id, challenge.c.match_id.is_not(None)
    )
    return int(tx.execute(wanted).scalar_one())


_OVER = sa.and_(
    challenge.c.match_id == match.c.id, challenge.c.done_at.is_(None), match.c.status == "over"
)


# Whether the match of a challenge has ended.
IS_TO_SETTLE = sa.select(sa.exists().where(_OVER, challenge.c.match_id.is_not(None)))


def to_settle(tx: Tx) -> list[tuple[int, int, str]]:
    """Return (ladder, challenge, name of the ladder) of the challenges whose matches have ended,
    the oldest first."""
    wanted = sa.select(challenge.c.ladder_id, challenge.c.id, ladder.c.name).where(
        _OVER, ladder.c.id == challenge.c.ladder_id
    )
    return [tuple(row) for row in tx.execute(wanted.order_by(challenge.c.id))]


def changes(tx: Tx) -> tuple[int, int, int]:
    """Return how many ladders there are, and how often they, and the names on them, have
    changed."""
    total = sa.select(sa.func.count(), sa.func.coalesce(sa.func.sum(ladder.c.changes), 0))
    count, changed = tx.execute(total.select_from(ladder)).one()
    on_them = sa.select(sa.func.coalesce(sa.func.sum(player.c.changes), 0)).where(
        player.c.id.in_(sa.select(rung.c.player_id))
    )
    return int(count), int(changed), int(tx.execute(on_them).scalar_one())


# The log.


def log(tx: Tx, ladder_id: int) -> list[LoggedLine]:
    """Return the log of a ladder; empty while it has none."""
    return contest_logs.log(tx, contest_logs.LADDERS, ladder_id)


def last_log_line(tx: Tx, ladder_id: int) -> LoggedLine | None:
    return contest_logs.last_line(tx, contest_logs.LADDERS, ladder_id)
