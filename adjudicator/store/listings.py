"""Show the operator a table of emails: what came in (`EMAILS_IN`), what goes out
(`EMAILS_OUT`).

Which matches somebody who asks by email is shown has a limit, so that an answer does not grow with
the club.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from msgspec import Struct

from adjudicator.core.email_kinds import TELLING_OF_SEATS
from adjudicator.store.database import IN_PARTS, Tx
from adjudicator.store.outbox import FOR_ADVANCE, OF_PERSONS, OF_QUESTIONS, begins
from adjudicator.store.tables import email, match, outbox, player, seat

L = TypeVar("L")


class Listing(Struct, Generic[L], frozen=True, kw_only=True):
    """A table of emails as the operator is shown it.

    `rows` selects what each `kind` of email tells of itself, `came` is when it came or was queued.
    `discreet` selects the emails that do not tell the operator who has sent orders, or who has
    not. Where he asks for some statuses, it leaves out the `veiled` ones, too, whose statuses would
    tell who reads them.
    """

    kind: type[L]
    table: sa.Table
    rows: sa.Select[Any]
    came: sa.Column[datetime]
    discreet: sa.ColumnElement[bool]
    veiled: sa.ColumnElement[bool] = sa.false()

    def emails(
        self,
        tx: Tx,
        statuses: Sequence[str] = (),
        letter_id: int | None = None,
        *,
        discreet: bool = False,
        newest: int | None = None,
    ) -> list[L]:
        """Return emails, the oldest first: all of them, those with some statuses, or one; with
        `newest` no more than so many, the newest first."""
        wanted = self._selection(statuses, discreet=discreet)
        if newest is None:
            wanted = wanted.order_by(self.table.c.id)
        else:
            wanted = wanted.order_by(self.came.desc(), self.table.c.id.desc()).limit(newest)
        if letter_id is not None:
            wanted = wanted.where(self.table.c.id == letter_id)
        return [self.kind(**row) for row in tx.execute(wanted).mappings()]

    def each(self, tx: Tx, statuses: Sequence[str], *, discreet: bool) -> Iterator[L]:
        """Yield what `emails` returns by time, without holding all of it."""
        wanted = self._selection(statuses, discreet=discreet).order_by(self.came, self.table.c.id)
        for row in tx.execute(wanted, execution_options=IN_PARTS).mappings():
            yield self.kind(**row)

    def _selection(self, statuses: Sequence[str], *, discreet: bool) -> sa.Select[Any]:
        wanted = self.rows
        if statuses:
            wanted = wanted.where(self.table.c.status.in_(list(statuses)))
        if discreet and statuses:
            wanted = wanted.where(~self.veiled)
        return wanted.where(self.discreet) if discreet else wanted


# Show the operator the emails that came in, and how many of them wait for a human.
#
# He may be a player himself, and an email that was read tells him that its seat, or some seat, has
# written, and when. Before its match is over he is shown only what needs a human: emails that are
# stuck, that he dropped, or that are nobody's.


class Arrived(Struct, frozen=True, kw_only=True):
    """An email as the operator's list shows it: never what it says, nor who wrote it."""

    id: int
    spool_name: str
    match: str | None
    seat: str | None
    received_at: datetime
    channel: str
    length: int
    status: str
    tries: int
    reason: str | None


_DISCREET_IN = sa.or_(
    email.c.status.in_(["stuck", "dropped"]),
    sa.and_(email.c.match_id.is_(None), email.c.status == "junk"),
    match.c.status == "over",
)

_LISTED_IN = sa.select(
    email.c.id,
    email.c.spool_name,
    match.c.name.label("match"),
    email.c.seat,
    email.c.received_at,
    email.c.channel,
    email.c.length,
    email.c.status,
    email.c.tries,
    email.c.reason,
).select_from(email.outerjoin(match))

EMAILS_IN = Listing(
    kind=Arrived, table=email, rows=_LISTED_IN, came=email.c.received_at, discreet=_DISCREET_IN
)


def failed_emails(tx: Tx) -> dict[str, int]:
    """Return how many emails wait for a human; empty for none.

    Other numbers would tell who has sent orders.
    """
    wanted = sa.select(sa.func.count()).where(email.c.status == "stuck")
    n = int(tx.execute(wanted).scalar_one())
    return {"stuck": n} if n else {}


# Show the operator the outbox: the emails that go out, and those that wait.
#
# He may be a player himself. Before a match is over he is shown none of its emails that are there
# because a seat wrote, asked or learned something, nor reminders, which go to those who have not
# ordered, unless they are stuck and need a human. A daily email is never shown, for there may be
# nothing but a reminder in it; the reports and notices that it carries are, as if each went alone.


class Queued(Struct, frozen=True, kw_only=True):
    """An email as the operator's list shows it: to whom and when, never what it says."""

    id: int
    name: str
    key: str
    kind: str
    match: str | None
    seat: str | None
    to: str | None
    created_at: datetime
    status: str
    tries: int
    next_at: datetime | None
    sent_at: datetime | None


_DISCREET = sa.or_(
    sa.and_(
        outbox.c.status == "stuck",
        outbox.c.kind != "daily",
        sa.or_(outbox.c.carrier_id.is_(None), outbox.c.kind.not_in(TELLING_OF_SEATS)),
    ),
    match.c.status == "over",
    sa.and_(
        outbox.c.kind.not_in(TELLING_OF_SEATS), outbox.c.body != FOR_ADVANCE, ~begins(OF_QUESTIONS)
    ),
    # It asks a player to confirm his address.
    sa.and_(
        outbox.c.match_id.is_(None),
        outbox.c.player_id.is_not(None),
        outbox.c.kind == "confirm",
        ~begins(OF_PERSONS),
    ),
)
# Of a match that hides who plays it, what becomes of a seat's emails follows from its reader: one
# reads his emails daily, the address of another is not confirmed.
VEILED = frozenset({"waiting", "sent", "unconfirmed", "dropped"})
_VEILED = sa.and_(
    outbox.c.seat.is_not(None),
    outbox.c.status.in_(sorted(VEILED)),
    match.c.status != "over",
    match.c.options.contains('"names":"hidden"', autoescape=True),
)
# What failed or waits for the operator.
_TROUBLE = ("stuck", "bounced")

_LISTED = sa.select(
    outbox.c.id,
    outbox.c.name,
    outbox.c.key,
    outbox.c.kind,
    match.c.name.label("match"),
    outbox.c.seat,
    player.c.name.label("to"),
    outbox.c.created_at,
    outbox.c.status,
    outbox.c.tries,
    outbox.c.next_at,
    outbox.c.sent_at,
).select_from(outbox.outerjoin(match).outerjoin(player))

EMAILS_OUT = Listing(
    kind=Queued,
    table=outbox,
    rows=_LISTED,
    came=outbox.c.created_at,
    discreet=_DISCREET,
    veiled=_VEILED,
)


def outgoing_counts(tx: Tx) -> dict[str, int]:
    """Return how many emails are stuck or came back, of those that he is shown.

    Other numbers would tell of an open turn.
    """
    wanted = (
        sa.select(outbox.c.status, sa.func.count())
        .select_from(outbox.outerjoin(match))
        .where(_DISCREET, outbox.c.status.in_(_TROUBLE))
        .group_by(outbox.c.status)
    )
    return {status: int(n) for status, n in tx.execute(wanted.order_by(outbox.c.status))}


def number_waiting(tx: Tx) -> int:
    """Return how many emails wait to be sent, of those that he is shown."""
    wanted = sa.select(sa.func.count()).select_from(outbox.outerjoin(match))
    return int(tx.execute(wanted.where(_DISCREET, outbox.c.status == "waiting")).scalar_one())


def longest_due(tx: Tx) -> datetime | None:
    """Return since when the longest waiting email should have gone out.

    Emails that would tell who has not sent orders yet are left out.
    """
    return _first_of_waiting(tx, outbox.c.next_at)


def oldest_waiting(tx: Tx, now: datetime) -> datetime | None:
    """Return when the oldest waiting email was queued, of those that are due or were tried; others
    wait for a daily email.

    Emails that would tell who has not sent orders yet are left out.
    """
    tried = sa.or_(outbox.c.next_at <= now, outbox.c.tries > 0)
    return _first_of_waiting(tx, outbox.c.created_at, tried)


def _first_of_waiting(
    tx: Tx, moment: sa.Column[datetime], *which: sa.ColumnElement[bool]
) -> datetime | None:
    wanted = sa.select(moment).select_from(outbox.outerjoin(match))
    wanted = wanted.where(outbox.c.status == "waiting", moment.is_not(None), _DISCREET, *which)
    return tx.execute(wanted.order_by(moment).limit(1)).scalar()


class PutOff(Struct, frozen=True):
    """The emails that wait because no server took them when they were tried.

    `n` is how many there are, `since` when the oldest of them was queued, `reason` what the server
    said to the newest.
    """

    n: int
    since: datetime
    reason: str


def put_off(tx: Tx, before: datetime) -> PutOff | None:
    """Return the tried emails that were queued before that moment and still wait; None if there
    are none.

    Emails that would tell who has not sent orders yet are left out.
    """
    late = sa.and_(
        outbox.c.status == "waiting",
        outbox.c.tries > 0,
        outbox.c.created_at < before,
        _DISCREET,
    )
    of_all = sa.select(sa.func.count(), sa.func.min(outbox.c.created_at), sa.func.max(outbox.c.id))
    n, since, newest = tx.execute(of_all.select_from(outbox.outerjoin(match)).where(late)).one()
    if not n:
        return None
    said = tx.execute(sa.select(outbox.c.reason).where(outbox.c.id == newest)).scalar()
    return PutOff(n, since, said or "")


def soonest_matches(tx: Tx, player_id: int, most: int) -> tuple[list[str], int]:
    """Return the names of so many of the player's matches that are not over, the soonest deadline
    first, and how many matches there are."""
    due = sa.case((match.c.status == "playing", match.c.deadline_at))
    held = sa.select(seat.c.match_id).where(seat.c.player_id == player_id)
    theirs = (match.c.id.in_(held), match.c.status != "over")
    wanted = sa.select(match.c.name).where(*theirs).order_by(due.is_(None), due, match.c.name)
    count = sa.select(sa.func.count()).select_from(match).where(*theirs)
    return [*tx.execute(wanted.limit(most)).scalars()], int(tx.execute(count).scalar_one())


def _is_free(games: Collection[str]) -> sa.ColumnElement[bool]:
    """Return what is true of a seat that can be joined, in a match of one of these games; one that
    is kept for somebody who was asked is none."""
    empty = (seat.c.player_id.is_(None), seat.c.computer.is_(None), seat.c.kept == 0)
    return sa.and_(match.c.status == "open", match.c.game.in_(games), *empty)


def matches_with_free_seats(tx: Tx, games: Collection[str], most: int) -> tuple[list[str], int]:
    """Return the names of so many matches that can be joined, the oldest first, and how many such
    matches there are."""
    free = sa.select(seat.c.match_id).join(match, seat.c.match_id == match.c.id)
    theirs = match.c.id.in_(free.where(_is_free(games)))
    wanted = sa.select(match.c.name).where(theirs).order_by(match.c.id).limit(most)
    count = sa.select(sa.func.count()).select_from(match).where(theirs)
    return [*tx.execute(wanted).scalars()], int(tx.execute(count).scalar_one())


def first_free_match(
    tx: Tx, games: Collection[str], word: str, name: str | None = None
) -> tuple[str, str] | None:
    """Return the oldest match with a seat that can be joined, of that match's or game's name, and
    its game; with `name` one in which the seat of that name can be."""
    wanted = (
        sa.select(match.c.name, match.c.game)
        .join(seat, seat.c.match_id == match.c.id)
        .where(_is_free(games), sa.or_(match.c.name == word, match.c.game == word))
        .order_by(match.c.id)
        .limit(1)
    )
    if name is not None:
        wanted = wanted.where(seat.c.name == name)
    found = tx.execute(wanted).first()
    return (found[0], found[1]) if found else None


def packages_of_going(tx: Tx) -> list[tuple[str, str, str]]:
    """Return name, game and package of each match that is not over and of a package, the oldest
    first."""
    wanted = sa.select(match.c.name, match.c.game, match.c.package)
    mine = wanted.where(match.c.status != "over", match.c.package != "").order_by(match.c.id)
    return [(one.name, one.game, one.package) for one in tx.execute(mine)]
