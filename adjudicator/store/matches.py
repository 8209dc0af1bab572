"""The rows of matches and their seats."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct
from msgspec.json import decode, encode

from adjudicator.core.chain import LABELS
from adjudicator.core.match import HIDDEN
from adjudicator.resources import zone_of
from adjudicator.store.database import Tx, is_reading
from adjudicator.store.rows import UtcDateTime, as_text
from adjudicator.store.tables import club, match, outbox, player, report, seat, tenure


class Match(Struct, frozen=True, kw_only=True):
    """One match. `seed` is as secret as everything that follows from it.

    `ply` is -1 while a match has no position yet: it waits for players, or for the public number
    that its chance takes. Then `full_at` is when its last seat was taken.
    """

    id: int
    name: str
    game: str
    variant: str
    options: Mapping[str, str]
    seed: bytes
    seed_given: bool
    status: str
    ply: int
    turn: int
    label: str  # of its log (core/chain.py)
    created_at: datetime
    deadline_at: datetime | None = None
    wake_at: datetime | None = None
    held_at: datetime | None = None
    trouble: str | None = None
    board: str = ""  # the game master's own board; empty: the variant's
    log_key: bytes | None = None  # as secret as the log; None: the match has no chain
    full_at: datetime | None = None
    public_value: str = ""  # the number, once it is entered; it never changes
    lots: str | None = None  # JSON: by which its seats were drawn
    reminded_ply: int | None = None
    alerted_ply: int | None = None
    hurried_ply: int | None = None  # this ply waits only until all orders are in
    changes: int = 0  # of what the site shows of the match
    is_spoilt: bool = False  # the row cannot be read; its options and times are left out
    epoch: str = ""  # of the club (store/clubs)
    logged_by: str = ""  # the version of the program that its last line of the log knows
    package: str = ""  # of its game, with the version; empty: the program's own
    archived_at: datetime | None = None  # since then old reports and emails are gone
    result: str | None = None  # JSON
    ended_at: datetime | None = None
    overdue_at: datetime | None = None  # the deadline of which is noted that it has passed
    alerted_at: datetime | None = None  # with a reserve: since when it waits for the game master

    def __repr__(self) -> str:
        return f"Match({self.name!r}, ply={self.ply})"  # never the seed

    @property
    def is_opened(self) -> bool:
        """Return whether the match has a position."""
        return self.ply >= 0


class Holder(Struct, frozen=True, kw_only=True):
    """A seat and its holder: a player, a built-in player, or nobody yet."""

    seat: str
    player_id: int | None
    computer: str | None
    tenure: int
    ordered_ply: int
    not_ready_ply: int | None
    player_name: str | None
    language: str
    zone: str
    confirmed: bool
    address: str = ""
    missed: int = 0  # deadlines of this seat, each of them excused
    silent: int = 0  # deadlines missed in a row, each answered by the game's default orders
    reminders: str = "on"  # what the player wishes of his emails, as in his row
    board: str = "table"
    page: str = "attached"
    receipts: str = "full"
    reports: str = "few"
    tips: str = "first"
    letters: str = "each"
    substitute: str = "off"
    forfeit_at: datetime | None = None  # the announced time, if the seat is silent until then
    forfeit_ply: int | None = None  # the ply that was awaited when it was announced
    above: int = 0  # its next holder has a higher tenure
    bank: int | None = None  # the seat's balance in seconds (club, 5.2)
    turns: int = 0  # adjudications in which the seat was awaited, in a match with a bank
    kept: bool = False  # for somebody who was asked: nobody else can join it
    hidden: bool = False  # the match hides names until its end (club, 6.4)

    @property
    def where(self) -> ZoneInfo:
        """Return the time zone of the seat's player."""
        return zone_of(self.zone)

    @property
    def shown_name(self) -> str:
        """Return the name that everybody may see; empty while nobody holds the seat."""
        if self.hidden and self.player_name:
            return HIDDEN
        return self.player_name or self.computer or ""

    @property
    def told_name(self) -> str:
        """Return the same for reports and scripts, to which a hidden name is empty."""
        return "" if self.shown_name == HIDDEN else self.shown_name


_seat = seat  # where a parameter has its name
_COLUMNS = as_text(match.c)
_TIMES = [column.name for column in match.c if isinstance(column.type, UtcDateTime)]
_EPOCH = sa.select(club.c.epoch).scalar_subquery().label("epoch")
_MATCH = sa.select(*_COLUMNS, _EPOCH)


def insert(tx: Tx, made: Mapping[str, Any]) -> int:
    values = {
        **made,
        "options": encode(made["options"]).decode(),
        "seed_given": int(made["seed_given"]),
    }
    return int(tx.execute(sa.insert(match).values(values).returning(match.c.id)).scalar_one())


# What a tick notes for itself: the site shows nothing of it.
_UNSHOWN = {"wake_at", "reminded_ply", "alerted_ply", "hurried_ply", "trouble", "logged_by"}
_UNSHOWN |= {"archived_at", "alerted_at", "package"}
_SHOWN_OF_SEAT = {"kept", "player_id", "computer", "tenure"}

# These statements run in every turn and are built once: to build one costs more than to run it.
_ONE = sa.update(match).where(match.c.id == sa.bindparam("match_id"))
_CHANGED = _ONE.values(changes=match.c.changes + 1)
_SEATS = sa.update(seat).where(
    seat.c.match_id == sa.bindparam("of_match"),
    seat.c.name.in_(sa.bindparam("names", expanding=True)),
)


def update(tx: Tx, match_id: int, **changes: Any) -> None:
    is_shown = not changes.keys() <= _UNSHOWN
    tx.execute(_CHANGED if is_shown else _ONE, {"match_id": match_id, **changes})


def count_change(tx: Tx, match_id: int) -> None:
    """Let the site make a match's pages anew, for something changed that they show.

    Never call it for what a seat sends: whoever sees the site could see by it who has sent.
    """
    tx.execute(_CHANGED, {"match_id": match_id})


def deadline(tx: Tx, match_id: int) -> datetime | None:
    """Return the deadline that is in force in a match now."""
    wanted = sa.select(match.c.deadline_at).where(match.c.id == match_id)
    found: datetime | None = tx.execute(wanted).scalar_one()
    return found


def hiding_names(tx: Tx) -> set[str]:
    """Return the matches that go on and hide who plays them."""
    hidden = match.c.options.contains('"names":"hidden"', autoescape=True)
    wanted = sa.select(match.c.name).where(match.c.status != "over", hidden)
    return set(tx.execute(wanted).scalars())


_WAITING = _MATCH.where(match.c.status == "waiting").order_by(match.c.id)


def waiting_for_number(tx: Tx) -> list[Match]:
    """Return the matches that wait for a public number, the oldest first."""
    return [_match(row) for row in tx.execute(_WAITING).mappings()]


def end(tx: Tx, match_id: int, result: str, now: datetime) -> None:
    """End a match of which nothing but its rows is known; `result` as `core/result` writes it."""
    nothing = dict.fromkeys(("deadline_at", "wake_at", "held_at", "trouble"))
    update(tx, match_id, status="over", result=result, ended_at=now, **nothing)
    seats = sa.update(seat).where(seat.c.match_id == match_id)
    tx.execute(seats.values(forfeit_at=None, forfeit_ply=None))


_NAMED = _MATCH.where(match.c.name == sa.bindparam("name"))
_NAMED_AND_HELD = _NAMED.with_for_update()


def find(tx: Tx, name: str) -> Match | None:
    """Return the match of that name, in whatever case.

    A transaction that may write locks it, so that no ply is appended between what it reads and what
    it writes.
    """
    wanted = _NAMED if is_reading(tx) else _NAMED_AND_HELD
    row = tx.execute(wanted, {"name": name.lower()}).mappings().first()
    return _match(row) if row else None


_NEXT = _MATCH.where(
    match.c.name == sa.bindparam("name"),
    match.c.wake_at <= sa.bindparam("now"),
    match.c.status != "over",
).with_for_update(skip_locked=True)


def claim(tx: Tx, name: str, now: datetime) -> Match | None:
    """Lock a match until the transaction ends, if it is still due and no other worker holds it."""
    row = tx.execute(_NEXT, {"name": name, "now": now}).mappings().first()
    return _match(row) if row else None


_OF_EMAILS = (
    _MATCH.where(
        match.c.id.in_(
            sa.select(outbox.c.match_id).where(
                sa.or_(
                    outbox.c.id.in_(sa.bindparam("ids", expanding=True)),
                    outbox.c.carrier_id.in_(sa.bindparam("ids", expanding=True)),
                )
            )
        )
    )
    .order_by(match.c.id)
    .with_for_update(skip_locked=True)
)


def take_of_emails(tx: Tx, email_ids: Sequence[int]) -> dict[int, Match]:
    """Lock the matches of emails to go out, and of what they carry, in the order of their ids;
    return them by these.

    Those that other workers hold are left out.
    """
    rows = tx.execute(_OF_EMAILS, {"ids": list(email_ids)}).mappings()
    return {row["id"]: _match(row) for row in rows}


def all_matches(tx: Tx) -> list[Match]:
    return [_match(row) for row in tx.execute(_MATCH.order_by(match.c.id)).mappings()]


def some(tx: Tx, first: int, most: int, *, every: bool, after: int | None = None) -> list[Match]:
    """Return no more than `most` matches, the oldest first, after leaving out so many, or those
    with ids up to `after`: those that are not over, or `every` one."""
    wanted = _MATCH.order_by(match.c.id).offset(first).limit(most)
    if after is not None:
        wanted = wanted.where(match.c.id > after)
    rows = tx.execute(wanted if every else wanted.where(match.c.status != "over")).mappings()
    return [_match(row) for row in rows]


def with_deadline(tx: Tx, *, until: datetime) -> list[Match]:
    """Return the matches that go on and have a deadline until then, the earliest first."""
    wanted = _MATCH.where(match.c.status.in_(["playing", "held"]), match.c.deadline_at <= until)
    ordered = wanted.order_by(match.c.deadline_at, match.c.id)
    return [_match(row) for row in tx.execute(ordered).mappings()]


def without_result(tx: Tx) -> list[Match]:
    """Return the matches that are over and have no result, the oldest first."""
    unfilled = (match.c.status == "over", match.c.result.is_(None))
    wanted = _MATCH.where(*unfilled).order_by(match.c.id)
    return [_match(row) for row in tx.execute(wanted).mappings()]


def options_of_playing(tx: Tx) -> list[Mapping[str, str]]:
    """Return the options that matches which are not over have, each choice of them once."""
    chosen = sa.select(match.c.options).where(match.c.status != "over").distinct()
    return [options for row in tx.execute(chosen).scalars() if (options := _options(row))]


def names(tx: Tx) -> list[str]:
    return list(tx.execute(sa.select(match.c.name).order_by(match.c.id)).scalars())


class Version(Struct, frozen=True):
    """A match as the site shows it; any of it changes when its pages must be made anew.

    `told` is the last ply of which a report was handed over, where no person holds a seat; where
    one does, the site itself shows the report of the last ply.
    """

    name: str
    changes: int
    changes_of_players: int  # its present ones
    told: int  # -1: of none


_PRINTED = (
    sa.select(sa.func.max(report.c.ply))
    .where(report.c.match_id == match.c.id, report.c.shown_at.is_not(None))
    .scalar_subquery()
)
_SENT = (
    sa.select(sa.func.max(outbox.c.ply))
    .where(outbox.c.match_id == match.c.id, outbox.c.kind == "report")
    .where(outbox.c.sent_at.is_not(None))
    .scalar_subquery()
)
_IS_HELD = sa.func.count(seat.c.player_id) > 0
_VERSIONS = (
    sa.select(
        match.c.name,
        match.c.changes,
        sa.func.coalesce(sa.func.sum(player.c.changes), 0),
        sa.case((_IS_HELD, None), else_=_PRINTED).label("printed"),
        sa.case((_IS_HELD, None), else_=_SENT).label("sent"),
    )
    .select_from(match.outerjoin(seat, seat.c.match_id == match.c.id).outerjoin(player))
    .group_by(match.c.id)
    .order_by(match.c.id)
)


def versions(tx: Tx) -> list[Version]:
    """Return all matches, the oldest first."""
    return [
        Version(name, changes, int(of_players), max(_ply(ply) for ply in told))
        for name, changes, of_players, *told in tx.execute(_VERSIONS)
    ]


def _ply(told: int | None) -> int:
    return -1 if told is None else told


def older(tx: Tx) -> list[str]:
    """Return the matches that began before 0.2.22, whose logs this program does not check."""
    wanted = sa.select(match.c.name).where(match.c.label.not_in(LABELS))
    return list(tx.execute(wanted.order_by(match.c.id)).scalars())


def names_going(tx: Tx) -> list[str]:
    """Return the names of the matches that are not over, the oldest first."""
    wanted = sa.select(match.c.name).where(match.c.status != "over")
    return list(tx.execute(wanted.order_by(match.c.id)).scalars())


def names_with_position(tx: Tx) -> list[str]:
    """Return the names of the matches that are not over and do not wait for a number or for players
    before that, the oldest first."""
    wanted = sa.select(match.c.name).where(match.c.status != "over", match.c.ply >= 0)
    return list(tx.execute(wanted.order_by(match.c.id)).scalars())


def count_of(tx: Tx, game: str) -> int:
    wanted = sa.select(sa.func.count()).select_from(match).where(match.c.game == game)
    return int(tx.execute(wanted).scalar_one())


def _overdue(now: Any) -> sa.ColumnElement[bool]:
    forfeited = sa.exists().where(seat.c.match_id == match.c.id, seat.c.forfeit_at <= now)
    late = sa.or_(sa.func.coalesce(match.c.deadline_at <= now, sa.false()), forfeited)
    return sa.and_(match.c.status == "playing", late)


_DUE = sa.select(match.c.id, match.c.name, _overdue(sa.bindparam("now")).label("overdue")).where(
    match.c.wake_at <= sa.bindparam("now")
)


def due(tx: Tx, now: datetime) -> Mapping[str, bool]:
    """Return the matches at which `tick` must look, the oldest first, and whether each is overdue:
    it is played, and its deadline has passed, or the time at which a seat was to be forfeited.

    This order does not change from tick to tick, so a tick that was killed is finished as if it had
    not been.
    """
    # We sort here, because with ORDER BY id SQLite would scan all matches and not use the index.
    rows = sorted(tx.execute(_DUE, {"now": now}), key=lambda row: row.id)
    return {row.name: bool(row.overdue) for row in rows}


def _match(row: Mapping[Any, Any]) -> Match:
    values = dict(row)
    values["seed_given"] = bool(values["seed_given"])
    options = _options(values["options"])
    times = {name: _moment(values[name]) for name in _TIMES}
    lost = options is None or any(values[name] and times[name] is None for name in _TIMES)
    return Match(**{**values, **times, "options": options or {}, "is_spoilt": lost})


def _options(text: str) -> Mapping[str, str] | None:
    try:
        return decode(text, type=dict[str, str])
    except ValueError:
        return None


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(text) if text else None
    except ValueError:
        return None


def insert_seats(tx: Tx, rows: Sequence[Mapping[str, Any]]) -> None:
    tx.execute(sa.insert(seat), rows)


def update_seats(tx: Tx, match_id: int, names: Iterable[str], **changes: Any) -> None:
    if "player_id" in changes:  # whoever has it now, it is kept for nobody else
        changes = {"kept": 0, **changes}
    tx.execute(_SEATS, {"of_match": match_id, "names": list(names), **changes})
    if changes.keys() & _SHOWN_OF_SEAT:
        count_change(tx, match_id)


HOLDER = (
    seat.c.name,
    seat.c.player_id,
    seat.c.computer,
    seat.c.tenure,
    seat.c.ordered_ply,
    seat.c.not_ready_ply,
    seat.c.missed,
    seat.c.silent,
    seat.c.forfeit_at,
    seat.c.forfeit_ply,
    seat.c.above,
    seat.c.bank,
    seat.c.turns,
    seat.c.kept,
    player.c.reminders,
    player.c.board,
    player.c.page,
    player.c.receipts,
    player.c.reports,
    player.c.tips,
    player.c.letters,
    player.c.substitute,
    player.c.name.label("player_name"),
    player.c.language,
    player.c.zone,
    player.c.confirmed_at,
    player.c.address,
)
_HOLDERS = (
    sa.select(seat.c.match_id, *HOLDER)
    .select_from(seat.outerjoin(player))
    .where(seat.c.match_id.in_(sa.bindparam("of_matches", expanding=True)))
)


def holders(tx: Tx, match_id: int) -> dict[str, Holder]:
    """Return the holder of each seat, in no particular order."""
    return holders_of(tx, [match_id])[match_id]


def holders_of(tx: Tx, match_ids: Collection[int]) -> dict[int, dict[str, Holder]]:
    """Return the holder of each seat of some matches, by the match's id."""
    found: dict[int, dict[str, Holder]] = {match_id: {} for match_id in match_ids}
    for row in tx.execute(_HOLDERS, {"of_matches": list(match_ids)}).all() if match_ids else ():
        found[row.match_id][row.name] = as_holder(row)
    return found


def as_holder(row: Any) -> Holder:
    """Read the columns `HOLDER`. Raises ValueError if they name a player who is not there."""
    if row.player_id is not None and row.player_name is None:
        raise ValueError(f"player {row.player_id}")
    return Holder(
        seat=row.name,
        player_id=row.player_id,
        computer=row.computer,
        tenure=row.tenure,
        ordered_ply=row.ordered_ply,
        not_ready_ply=row.not_ready_ply,
        player_name=row.player_name,
        language=row.language or "en",
        zone=zone_of(row.zone or "UTC").key,
        confirmed=row.confirmed_at is not None,
        address=row.address or "",
        missed=row.missed,
        silent=row.silent,
        forfeit_at=row.forfeit_at,
        forfeit_ply=row.forfeit_ply,
        above=row.above,
        bank=row.bank,
        turns=row.turns,
        kept=bool(row.kept),
        reminders=row.reminders or "on",
        board=row.board or "table",
        page=row.page or "attached",
        receipts=row.receipts or "full",
        reports=row.reports or "few",
        tips=row.tips or "first",
        letters=row.letters or "each",
        substitute=row.substitute or "off",
    )


def seats_of_player(tx: Tx, player_id: int) -> dict[int, str]:
    """Return the names of the matches that are not over in which the player holds a seat, by their
    ids."""
    wanted = (
        sa.select(match.c.id, match.c.name)
        .join(seat, seat.c.match_id == match.c.id)
        .where(seat.c.player_id == player_id, match.c.status != "over")
        .order_by(match.c.id)
    )
    return {row.id: row.name for row in tx.execute(wanted)}


def people_of(tx: Tx, match_id: int) -> list[int]:
    """Return the players who hold seats of a match, once for each seat."""
    held = sa.select(seat.c.player_id).where(
        seat.c.match_id == match_id, seat.c.player_id.is_not(None)
    )
    return list(tx.execute(held.order_by(seat.c.name.desc())).scalars())


_BY_PLAYER: sa.BindParameter[int] = sa.bindparam("player")
_HAS = sa.select(seat.c.match_id).where(seat.c.player_id == _BY_PLAYER)
_HAD = sa.select(tenure.c.match_id).where(tenure.c.player_id == _BY_PLAYER)
_EARLIER_OF_GAME = sa.select(sa.func.count()).where(
    match.c.game == sa.bindparam("of_game"),
    match.c.id < sa.bindparam("before"),
    match.c.id.in_(_HAS.union(_HAD)),
)


def earlier_of_game(tx: Tx, player_id: int, game: str, before: int) -> int:
    """Count the matches of a game, made before the one with that id, in which the player has or had
    a seat."""
    asked = {"player": player_id, "of_game": game, "before": before}
    return int(tx.execute(_EARLIER_OF_GAME, asked).scalar_one())


# The players who held a seat before its present holder.


def end_tenure(
    tx: Tx, match_id: int, seat: str, number: int, player_id: int, now: datetime
) -> None:
    """Note that a player's tenure of a seat is over."""
    of_seat = sa.select(_seat.c.since_ply).where(_seat.c.match_id == match_id, _seat.c.name == seat)
    until = sa.case((match.c.ply < 0, 0), else_=match.c.ply)
    of_match = sa.select(until).where(match.c.id == match_id)
    row = {"match_id": match_id, "seat": seat, "number": number, "player_id": player_id}
    plies = {"since_ply": of_seat.scalar_subquery(), "until_ply": of_match.scalar_subquery()}
    tx.execute(sa.insert(tenure).values(plies), {**row, "ended_at": now})


def take_back_plies(tx: Tx, match_id: int, ply: int) -> None:
    """Let nobody have held a seat until or since a later ply than that one, for it is the last
    again."""
    for column in (_seat.c.since_ply, tenure.c.since_ply, tenure.c.until_ply):
        later = (column.table.c.match_id == match_id, column > ply)
        tx.execute(sa.update(column.table).where(*later).values({column: ply}))


def ended_tenures(tx: Tx, match_id: int, seat: str) -> list[int]:
    """Return the numbers of the tenures of a seat that are over, the last first."""
    of_seat = (tenure.c.match_id == match_id, tenure.c.seat == seat)
    wanted = sa.select(tenure.c.number).where(*of_seat).order_by(tenure.c.number.desc())
    return list(tx.execute(wanted).scalars())


def seats_once_held(tx: Tx, match_id: int, player_id: int) -> list[str]:
    """Return the seats of a match of which a player was a former holder."""
    his = (tenure.c.match_id == match_id, tenure.c.player_id == player_id)
    return list(tx.execute(sa.select(tenure.c.seat).where(*his).distinct()).scalars())


def player_of_tenure(tx: Tx, match_id: int, seat: str, number: int) -> int | None:
    """Return the player of a tenure that is over."""
    wanted = sa.select(tenure.c.player_id).where(_one(match_id, seat, number))
    found = tx.execute(wanted).scalar()
    return None if found is None else int(found)


def untold_tenure(tx: Tx, match_id: int, seat: str, number: int) -> int | None:
    """Return the player of a tenure that is over, if he was not told yet."""
    wanted = sa.select(tenure.c.player_id).where(
        _one(match_id, seat, number), tenure.c.told_at.is_(None)
    )
    found = tx.execute(wanted.with_for_update()).scalar()
    return None if found is None else int(found)


def mark_tenure_told(tx: Tx, match_id: int, seat: str, number: int, now: datetime) -> None:
    chosen = _one(match_id, seat, number)
    tx.execute(sa.update(tenure).where(chosen).values(told_at=now))


def _one(match_id: int, seat: str, number: int) -> sa.ColumnElement[bool]:
    return sa.and_(tenure.c.match_id == match_id, tenure.c.seat == seat, tenure.c.number == number)
