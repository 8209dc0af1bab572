"""The rows of tournaments: entries, pairings, rulings (club, 7)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core import public_chance
from adjudicator.core.dice import mixed_seed
from adjudicator.core.message import Message
from adjudicator.store import contest_logs, rows
from adjudicator.store.contest_logs import LoggedLine
from adjudicator.store.database import Tx
from adjudicator.store.tables import email, match, player, seat, turn
from adjudicator.store.tables_club import (
    entry,
    entry_holder,
    paired,
    pairing,
    tournament,
    tournament_ruling,
)

_GOING = ("open", "waiting", "playing", "held")  # what has not ended


class Format(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a tournament is played: seats of a match, rounds (0: as many as there are), how many of
    them at once (0: all), when it is full (0: never), and the time of a round in seconds."""

    least: int = 2
    most: int = 2
    rounds: int = 0
    twice: bool = False
    at_once: int = 0
    size: int = 0
    round_limit: int = 0


@rows.of(tournament)
class TournamentRow(Struct, frozen=True, kw_only=True):
    """A tournament. Its `seed` is a secret until it is over."""

    id: int
    name: str
    kind: str
    game: str
    variant: str
    options: Mapping[str, str]
    format: Format
    seed: bytes
    chance: str = public_chance.SEED
    public_value: str = ""
    status: str
    round: int
    is_public: bool
    starts_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    wake_at: datetime | None
    trouble: Message | None
    changes: int

    def __repr__(self) -> str:
        return f"TournamentRow({self.name!r})"  # never the seed

    @property
    def which(self) -> str:
        """Return which public number decides; empty if none does, or it follows from the start."""
        if self.started_at is None:
            return self.chance if public_chance.draw_of(self.chance) else ""
        options = {"chance": self.chance, "drand_after": public_chance.AN_HOUR}
        return public_chance.which(options, int(self.started_at.timestamp()))

    @property
    def lot_seed(self) -> bytes:
        """Return the seed of all lots: its own, or what the public number made of that."""
        if not self.public_value:
            return self.seed
        return mixed_seed(self.seed, self.name, self.which, self.public_value)


class FormerPlayer(Struct, frozen=True):
    """Somebody who played for an entry, and the round in which another player took it over."""

    player: str
    until: int
    player_id: int


class EntryRow(Struct, frozen=True, kw_only=True):
    """An entry with who plays for it; `before` are those who did earlier, in their order."""

    id: int
    player_id: int
    player: str
    address: str
    serial: int | None = None  # None in a tournament without a log
    number: int | None
    status: str
    silent_forfeits: int
    entered_at: datetime
    before: tuple[FormerPlayer, ...] = ()


class PairingRow(Struct, frozen=True, kw_only=True):
    """A pairing with its entries, in the order of seats, and what is known of its match."""

    round: int
    board: int
    again: int
    kind: str
    match_id: int | None
    ending: str
    made_at: datetime
    done_at: datetime | None
    ruling: str | None
    entries: tuple[int, ...]  # ids
    points: tuple[int | None, ...]
    match: str | None = None
    match_status: str | None = None
    result: str | None = None  # JSON of the match's, once it has ended

    @property
    def key(self) -> tuple[int, int, int]:
        return self.round, self.board, self.again


@rows.of(tournament_ruling)
class RulingRow(Struct, frozen=True, kw_only=True):
    round: int
    made_at: datetime
    told: Message
    reason: str


def update(tx: Tx, tournament_id: int, **changes: Any) -> None:
    """Change a tournament, and count that for its page."""
    changed = {**changes, "changes": tournament.c.changes + 1}
    rows.change(tx, TournamentRow, tournament_id, **changed)


def find(tx: Tx, name: str) -> TournamentRow | None:
    return rows.first(tx, TournamentRow, name=name)


def take(tx: Tx, name: str) -> TournamentRow | None:
    """Lock a tournament until the transaction ends; None if there is none of that name."""
    return rows.first(tx, TournamentRow, name=name, lock=True)


def take_free(tx: Tx, name: str) -> TournamentRow | None:
    """Lock a tournament unless another worker has it."""
    return rows.first(tx, TournamentRow, name=name, skip_locked=True)


_NAMES_GOING = (
    sa.select(tournament.c.name).where(tournament.c.status.in_(_GOING)).order_by(tournament.c.id)
)


def going(tx: Tx) -> list[str]:
    """Return the names of the tournaments at which a tick looks."""
    return list(tx.execute(_NAMES_GOING).scalars())


def awake(tx: Tx, now: datetime) -> list[str]:
    """Return the tournaments whose time has come."""
    wanted = sa.select(tournament.c.name).where(
        tournament.c.wake_at <= now, tournament.c.status.in_(_GOING)
    )
    return list(tx.execute(wanted.order_by(tournament.c.id)).scalars())


def due(tx: Tx, now: datetime) -> list[str]:
    """Return the tournaments whose time has come, or of which a match has ended."""
    ended = sa.exists().where(_ENDED, pairing.c.tournament_id == tournament.c.id)
    is_due = sa.or_(tournament.c.wake_at <= now, sa.and_(tournament.c.status == "playing", ended))
    wanted = sa.select(tournament.c.name).where(tournament.c.status.in_(_GOING), is_due)
    return list(tx.execute(wanted.order_by(tournament.c.id)).scalars())


# A pairing that is not done, though no match of it goes on. `made_at` lets SQLite use the index.
_ENDED = sa.and_(
    pairing.c.done_at.is_(None),
    pairing.c.made_at.is_not(None),
    ~sa.exists().where(match.c.id == pairing.c.match_id, match.c.status != "over"),
)
_WAKES = sa.exists().where(tournament.c.wake_at <= sa.bindparam("now"))
IS_DUE = sa.select(sa.or_(_WAKES, sa.exists().where(_ENDED)))  # there may be such a tournament


_KEY = (pairing.c.round, pairing.c.board, pairing.c.again)
_UNMADE = (
    sa.select(tournament.c.name, *_KEY)
    .join(tournament)
    .outerjoin(match, match.c.id == pairing.c.match_id)
    .where(tournament.c.status == "playing", pairing.c.kind == "match")
    .where(match.c.id.is_(None), pairing.c.done_at.is_(None))
    .order_by(tournament.c.id, *_KEY)
)


IS_UNMADE = sa.select(_UNMADE.order_by(None).exists())  # whether there is any of them


def pairings_to_make(tx: Tx) -> list[tuple[str, tuple[int, int, int]]]:
    """Return the pairings whose matches are to be made, as (tournament, key)."""
    return [(name, (round_, board, again)) for name, round_, board, again in tx.execute(_UNMADE)]


def waiting_for_number(tx: Tx) -> list[TournamentRow]:
    """Return the tournaments that wait for a public number, the oldest first."""
    return rows.find(tx, TournamentRow, status="waiting")


def by_state(tx: Tx) -> dict[str, int]:
    """Return how many tournaments there are in each state."""
    states = dict.fromkeys((*_GOING, "over", "cancelled"), 0)
    wanted = sa.select(tournament.c.status, sa.func.count()).group_by(tournament.c.status)
    return states | {str(state): int(n) for state, n in tx.execute(wanted)}


def changes(tx: Tx) -> list[tuple[str, int]]:
    """Return how often each tournament has changed: what its page says follows from that."""
    wanted = sa.select(tournament.c.name, tournament.c.changes).order_by(tournament.c.id)
    return [(row.name, row.changes) for row in tx.execute(wanted)]


def names(tx: Tx) -> list[str]:
    """Return the names of all tournaments, the oldest first."""
    return list(tx.execute(sa.select(tournament.c.name).order_by(tournament.c.id)).scalars())


# Entries.


def enter(tx: Tx, tournament_id: int, player_id: int, now: datetime, *, serial: int | None) -> int:
    made = {
        "tournament_id": tournament_id,
        "player_id": player_id,
        "serial": serial,
        "status": "in",
        "entered_at": now,
    }
    statement = sa.insert(entry).values(made).returning(entry.c.id)
    return int(tx.execute(statement).scalar_one())


def take_away(tx: Tx, entry_id: int) -> None:
    """Delete an entry that was taken back before the start."""
    tx.execute(sa.delete(entry).where(entry.c.id == entry_id))


def update_entry(tx: Tx, entry_id: int, **changes: Any) -> None:
    tx.execute(sa.update(entry).where(entry.c.id == entry_id).values(changes))


def hand_over(tx: Tx, entry_id: int, since_round: int, before: int, player_id: int) -> None:
    """Let another player play for an entry from that round on."""
    made = {"entry_id": entry_id, "since_round": since_round, "player_id": before}
    tx.execute(sa.insert(entry_holder).values(made))
    update_entry(tx, entry_id, player_id=player_id)


def entries(tx: Tx, tournament_id: int) -> list[EntryRow]:
    """Return the entries by when they came; their numbers may be a secret (club, 6.4)."""
    joined = entry.join(player, entry.c.player_id == player.c.id)
    wanted = (
        sa.select(entry, player.c.name.label("player"), player.c.address)
        .select_from(joined)
        .where(entry.c.tournament_id == tournament_id)
        .order_by(entry.c.id)
    )
    before = _earlier(tx, tournament_id)
    return [
        EntryRow(
            id=row.id,
            player_id=row.player_id,
            player=row.player,
            address=row.address,
            serial=row.serial,
            number=row.number,
            status=row.status,
            silent_forfeits=row.silent_forfeits,
            entered_at=row.entered_at,
            before=tuple(before[row.id]),
        )
        for row in tx.execute(wanted)
    ]


def _earlier(tx: Tx, tournament_id: int) -> Mapping[int, list[FormerPlayer]]:
    joined = entry_holder.join(entry, entry_holder.c.entry_id == entry.c.id).join(
        player, entry_holder.c.player_id == player.c.id
    )
    wanted = (
        sa.select(entry_holder, player.c.name)
        .select_from(joined)
        .where(entry.c.tournament_id == tournament_id)
        .order_by(entry_holder.c.entry_id, entry_holder.c.since_round)
    )
    found: dict[int, list[FormerPlayer]] = defaultdict(list)
    for row in tx.execute(wanted):
        found[row.entry_id].append(FormerPlayer(row.name, row.since_round, row.player_id))
    return found


def of_player(tx: Tx, player_id: int) -> list[tuple[str, str, str]]:
    """Return (tournament, its status, the entry's) for each that a player has entered."""
    wanted = (
        sa.select(tournament.c.name, tournament.c.status, entry.c.status.label("own"))
        .join(entry, entry.c.tournament_id == tournament.c.id)
        .where(entry.c.player_id == player_id)
        .order_by(tournament.c.id)
    )
    return [(row.name, row.status, row.own) for row in tx.execute(wanted)]


def of_person(tx: Tx, player_id: int) -> list[TournamentRow]:
    """Return the tournaments in which somebody plays, or has played for an entry."""
    now = sa.select(entry.c.tournament_id).where(entry.c.player_id == player_id)
    before = (
        sa.select(entry.c.tournament_id)
        .join(entry_holder, entry_holder.c.entry_id == entry.c.id)
        .where(entry_holder.c.player_id == player_id)
    )
    return rows.find(tx, TournamentRow, tournament.c.id.in_(now.union(before)))


def silence(tx: Tx, player_id: int, now: datetime) -> None:
    """Make the entries of a player silent, because his address does not accept email."""
    going = sa.select(tournament.c.id).where(tournament.c.status.in_(_GOING))
    own = sa.update(entry).where(
        entry.c.player_id == player_id,
        entry.c.status.in_(("in", "silent")),
        entry.c.tournament_id.in_(going),
    )
    tx.execute(own.values(status="silent", silent_at=now))


def entrants(tx: Tx, name: str) -> set[int]:
    """Return the players who take part in a tournament, or did."""
    of_cup = entry.join(tournament, entry.c.tournament_id == tournament.c.id)
    now = sa.select(entry.c.player_id).select_from(of_cup).where(tournament.c.name == name)
    before = (
        sa.select(entry_holder.c.player_id)
        .select_from(of_cup.join(entry_holder, entry_holder.c.entry_id == entry.c.id))
        .where(tournament.c.name == name)
    )
    return set(tx.execute(now.union(before)).scalars())


def wake_silent(tx: Tx, tournament_id: int) -> None:
    """Let the silent entries take part again from whose players an email has come since that is not
    junk: from the address on file, to a personal address, or with orders for a seat."""
    holds = sa.exists().where(
        seat.c.match_id == email.c.match_id,
        seat.c.name == email.c.seat,
        seat.c.player_id == player.c.id,
        email.c.status == "accepted",
    )
    wrote = sa.exists().where(
        sa.or_(
            sa.func.lower(email.c.sender) == sa.func.lower(player.c.address),
            email.c.player_id == player.c.id,
            holds,
        ),
        email.c.received_at > entry.c.silent_at,
        email.c.status.not_in(("junk", "received")),
        player.c.id == entry.c.player_id,
    )
    silent = sa.update(entry).where(
        entry.c.tournament_id == tournament_id, entry.c.status == "silent", wrote
    )
    tx.execute(silent.values(status="in"))


# Pairings.


def pair(
    tx: Tx,
    tournament_id: int,
    key: tuple[int, int, int],
    kind: str,
    entry_ids: Sequence[int],
    now: datetime,
    *,
    points: Sequence[int] | None = None,
) -> None:
    """Insert a pairing; with points it is done already, as a bye is."""
    round_, board, again = key
    own = {"tournament_id": tournament_id, "round": round_, "board": board, "again": again}
    made = {**own, "kind": kind, "made_at": now, "done_at": None if points is None else now}
    tx.execute(sa.insert(pairing).values(made))
    rows = [
        {**own, "place": place, "entry_id": id_, "points": points[place] if points else None}
        for place, id_ in enumerate(entry_ids)
    ]
    if rows:
        tx.execute(sa.insert(paired), rows)


def pairings(tx: Tx, tournament_id: int) -> list[PairingRow]:
    """Return the pairings of a tournament, by round, board and replay."""
    joined = pairing.outerjoin(match, pairing.c.match_id == match.c.id)
    columns = (
        pairing,
        match.c.name.label("match"),
        match.c.status.label("match_status"),
        match.c.result,
    )
    wanted = (
        sa.select(*columns)
        .select_from(joined)
        .where(pairing.c.tournament_id == tournament_id)
        .order_by(pairing.c.round, pairing.c.board, pairing.c.again)
    )
    met: dict[tuple[int, int, int], list[tuple[int, int | None]]] = defaultdict(list)
    who = sa.select(paired).where(paired.c.tournament_id == tournament_id)
    for row in tx.execute(who.order_by(paired.c.place)):
        met[row.round, row.board, row.again].append((row.entry_id, row.points))
    found = []
    for row in tx.execute(wanted):
        pairs = met[row.round, row.board, row.again]
        found.append(
            PairingRow(
                round=row.round,
                board=row.board,
                again=row.again,
                kind=row.kind,
                match_id=row.match_id,
                ending=row.ending,
                made_at=row.made_at,
                done_at=row.done_at,
                ruling=row.ruling,
                entries=tuple(id_ for id_, _ in pairs),
                points=tuple(points for _, points in pairs),
                match=row.match,
                match_status=row.match_status,
                result=row.result,
            )
        )
    return found


def _one(tournament_id: int, key: tuple[int, int, int]) -> tuple[sa.ColumnElement[bool], ...]:
    round_, board, again = key
    c = pairing.c
    return (
        c.tournament_id == tournament_id,
        c.round == round_,
        c.board == board,
        c.again == again,
    )


def claim(tx: Tx, tournament_id: int, key: tuple[int, int, int], match_id: int) -> bool:
    """Give a pairing its match; return False if it has one already, or needs none any more."""
    free = (pairing.c.match_id.is_(None), pairing.c.done_at.is_(None))
    made = sa.update(pairing).where(*_one(tournament_id, key), *free).values(match_id=match_id)
    return tx.execute(made).rowcount == 1


def update_pairing(tx: Tx, tournament_id: int, key: tuple[int, int, int], **changes: Any) -> None:
    tx.execute(sa.update(pairing).where(*_one(tournament_id, key)).values(changes))


def set_points(
    tx: Tx, tournament_id: int, key: tuple[int, int, int], points: Iterable[int | None]
) -> None:
    """Write what a pairing gives to its entries, in the order of seats; None takes it back."""
    round_, board, again = key
    own = (
        paired.c.tournament_id == tournament_id,
        paired.c.round == round_,
        paired.c.board == board,
        paired.c.again == again,
    )
    for place, given in enumerate(points):
        tx.execute(sa.update(paired).where(*own, paired.c.place == place).values(points=given))


class OfMatch(Struct, frozen=True):
    """Where a match belongs: its tournament, round and board."""

    tournament: str
    round: int
    board: int
    again: int


_OF_MATCH = (
    sa.select(tournament.c.name, pairing.c.round, pairing.c.board, pairing.c.again)
    .join(pairing, pairing.c.tournament_id == tournament.c.id)
    .where(pairing.c.match_id == sa.bindparam("of_match"))
)


def of_match(tx: Tx, match_id: int) -> OfMatch | None:
    row = tx.execute(_OF_MATCH, {"of_match": match_id}).first()
    return OfMatch(*row) if row else None


def holders(tx: Tx, match_id: int) -> dict[str, int | None]:
    """Return who holds each seat of a match."""
    wanted = sa.select(seat.c.name, seat.c.player_id).where(seat.c.match_id == match_id)
    return {row.name: row.player_id for row in tx.execute(wanted)}


# Rulings.


def rule(
    tx: Tx, tournament_id: int, round_: int, told: Message, reason: str, now: datetime
) -> None:
    what = {"round": round_, "made_at": now, "told": told, "reason": reason}
    rows.add(tx, RulingRow, tournament_id=tournament_id, **what)


def rulings(tx: Tx, tournament_id: int) -> list[RulingRow]:
    return rows.find(tx, RulingRow, tournament_id=tournament_id)


# The log.


def log(tx: Tx, tournament_id: int) -> list[LoggedLine]:
    """Return the log of a tournament; empty if it began without one."""
    return contest_logs.log(tx, contest_logs.TOURNAMENTS, tournament_id)


def last_log_line(tx: Tx, tournament_id: int) -> LoggedLine | None:
    return contest_logs.last_line(tx, contest_logs.TOURNAMENTS, tournament_id)


def last_head(tx: Tx, match_id: int) -> tuple[int, str]:
    """Return the last ply of a match in its log, and its head; -1 and nothing if it has none."""
    wanted = (
        sa.select(turn.c.ply, turn.c.head)
        .where(turn.c.match_id == match_id, turn.c.head.is_not(None))
        .order_by(turn.c.ply.desc())
    )
    row = tx.execute(wanted.limit(1)).first()
    return (row.ply, row.head) if row else (-1, "")
