"""Write the one email a day of a player who wishes that (club, 4.3).

First a table says what his matches want of him. Then comes what the emails would have said that
it stands for, match by match, the soonest first. It has an end: what has no room in it is named in
a line, and waits for the next one.

Theory of operation. What is told to a player is queued as for any other, by code that need not know
his wish. Before emails are delivered, one transaction for each such player looks at those of his
emails that are due. Each of them

- goes at once, by itself: it answers him, has a code, or cannot wait (`_is_urgent`);
- or waits until the next 07:00 where he lives: its `next_at` is moved there;
- or has waited, and its 07:00 is past: the daily email carries it. That is a row of its own, which
  `store/daily` describes. It waits in the outbox like any email from then on, and
  `outbound/delivery` makes, stores and delivers its bytes; what is in it, `write` says.

The rule for the last two is one: an email goes from the first 07:00 on that is not before its
`next_at`. So a second look at what waits already finds the same, after an outage over 07:00 what
was due goes at once, and whatever is to be looked at again (a deadline was moved) is made due and
nothing else.

Nothing of this depends on who has sent orders: what the operator is shown of reports and notices,
when they went and with which others, follows from when they were queued and from the deadlines. So
an email that waits is never taken along only because another one goes, but for one thing: what was
ruled in a match goes with the report that it changes, if both are due.

If this is killed, or a fault stops it, nothing is lost: what is queued stays queued. An email over
which it stumbles goes by itself.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct, structs
from msgspec.json import decode

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say, shortly
from adjudicator.mail.address import plain_message_id, public_address
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, compose, weight
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import Weekly, period, rfc3339
from adjudicator.service.base.context import OpenClub, Session
from adjudicator.service.base.deadlines import own_end
from adjudicator.service.base.jobs import raise_what_stops_all
from adjudicator.service.base.loaded_match import Loaded, Seated, Unreadable, load
from adjudicator.service.base.options import terms
from adjudicator.service.emails.value import (
    DailyTable,
    EmailValue,
    MatchRow,
    as_part,
    file_name,
    to_json,
)
from adjudicator.service.emails.write import HEADS, MOST_HTML, whole_text
from adjudicator.service.emails.write import write as write_value
from adjudicator.service.inbound.commands import message_for_awaited
from adjudicator.service.outbound import rendering, report_email, writing
from adjudicator.service.outbound.rendering import is_superseded
from adjudicator.service.outbound.writing import (
    Writing,
    daily_value,
    give_number,
    give_personal_number,
    note_number,
)
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import own_address, post
from adjudicator.store import daily, outbox, outgoing, players
from adjudicator.store.daily import WaitingEmail
from adjudicator.store.database import Clash, Tx
from adjudicator.store.outbox import OF_PERSONS, OutgoingEmail
from adjudicator.store.outgoing import DueEmail
from adjudicator.store.players import Player

MOST_MATCHES = 12
MOST_BYTES = 250_000  # of the whole email
_LAST = datetime.max.replace(tzinfo=UTC)


# Look, before the bytes of a daily email are made, at what it carries.


def settle(
    tx: Tx, due: DueEmail, known: Mapping[str, Seated], now: datetime
) -> tuple[DueEmail, Sequence[DueEmail]] | None:
    """Return a daily email that is to be delivered, and what it carries; None if that is nothing
    any more.

    What is no longer true is dropped from it. If its bytes say that already, they are made anew,
    under another key. A report that waits for a later daily email is taken in, if an older one is
    in this one that it tells, too.
    """
    changed = False
    for letter_id, status in daily.statuses(tx, due.id):
        if status != "waiting":  # it was dropped meanwhile
            daily.let_loose(tx, [letter_id])
            changed = True
    while True:
        parts = outgoing.lock_contents(tx, due.id, now)
        unread = [one for one in parts if one.seat is not None and one.match not in known]
        daily.let_loose(tx, [one.id for one in unread], next_at=now + UNREADABLE_AGAIN)
        old = [one for one in parts if one not in unread and is_superseded(tx, one)]
        for one in old:
            _drop(tx, one)
            if one.kind == "report" and one.match_id is not None and not one.is_to_former:
                daily.bind_newer(tx, due.id, one.match_id, str(one.seat))
        changed = changed or bool(unread or old)
        if not (unread or old):
            break
    if changed and due.raw is not None:
        assert due.player_id is not None
        key = daily.fresh_key(tx, due.player_id, day_of(players.one(tx, due.player_id), now))
        daily.renew(tx, due.id, key)
        due = structs.replace(due, key=key, raw=None, address=None)
    return (due, parts) if parts else None


def _drop(tx: Tx, due: DueEmail) -> None:
    why = outbox.TOLD_BY_NEWER if KINDS[due.kind].is_told_in_reports else None
    daily.let_loose(tx, [due.id], status="dropped", next_at=None, reason=why)
    outbox.release_receipts(tx, [due.key])


# What it says.


class _CarriedText(Struct, frozen=True, kw_only=True):
    """What an email says that a daily email carries; `is_visible` says that the operator's list
    shows the email. What has no value is said by the table."""

    due: DueEmail
    email: Writing | None = None
    value: EmailValue | None = None
    text: str = ""  # as it stands there
    carries: Sequence[int] = ()
    is_visible: bool = False
    is_last: bool = False  # the last report of a match, whose page comes by itself


class _Line(NamedTuple):
    """A match in the table; `due` is None where nothing is due. The place goes by the `deadline`,
    which does not depend on days of absence that are given to the silent."""

    match: str
    game: str
    wanted: Message
    due: datetime | None = None
    deadline: datetime | None = None

    @property
    def rank(self) -> tuple[datetime, str]:
        return self.deadline or _LAST, self.match


class _DailyReader(Session, frozen=True, kw_only=True):
    """A session in which a player's daily email is written."""

    player: Player


def write(
    s: Session, due: DueEmail, parts: Sequence[DueEmail], to: str, known: Mapping[str, Seated]
) -> DueEmail:
    """Return a daily email with its bytes for that address. What has no room in it is put off."""
    assert due.player_id is not None
    assert s.context.post is not None
    player = players.one(s.tx, due.player_id)
    reader = _DailyReader(s.tx, s.now, s.context, player=player)
    told = [_part(one, parts, known, reader) for one in parts]
    awaiting = queue.awaited_seats(s.tx, player.id)
    named = {str(one.due.match): None for one in told if one.due.match}
    named |= {one.loaded.match.name: None for one in awaiting}
    lines = sorted((_line(name, reader) for name in named), key=lambda one: one.rank)
    order = {line.match: number for number, line in enumerate(lines)}
    kept, left = _with_room(told, order)
    daily.put_off(s.tx, [one.due.id for one in left], next_morning(s.now + _A_MOMENT, player.zone))
    for one in kept:
        outgoing.carry(s.tx, one.carries, one.due.key)
        if one.is_last:
            queue.queue_last_page(s, one.due)
    table = _table(lines, {one.loaded.match.name for one in awaiting}, left, reader)
    value = daily_value(s, due, player, table, _give_numbers(s.tx, kept))
    value = give_personal_number(s.tx, due, value)
    note_number(s.tx, due, value)
    forms, post = write_value(value), s.context.post
    out = Outgoing(
        kind="daily",
        sender=public_address(post),
        sender_name=s.context.club or "adjud",
        to=to,
        to_name=player.name,
        reply_to=own_address(post, player),
        date=due.created_at,
        message_id=plain_message_id(post, due.key, due.epoch),
        subject=forms.subject,
        text=forms.text,
        html=forms.html,
        value=to_json(value),
        value_name=file_name(value),
    )
    return structs.replace(due, raw=compose(out), address=to, is_fresh=True, since=None)


def _table(
    lines: Sequence[_Line],
    awaiting: Collection[str],
    left: Sequence[_CarriedText],
    reader: _DailyReader,
) -> DailyTable:
    """Return what stands above the parts. The subject is for people, and tells in how many matches
    they are `awaiting` orders and until when; what is `left` comes with the next one."""
    first = next((line.due for line in lines if line.match in awaiting), None)
    due = shortly(rfc3339(first)) if first else ""
    return DailyTable(
        at=rfc3339(reader.now),
        subject=tuple(subjects.daily(len(awaiting), len(lines), due)),
        rows=tuple(
            MatchRow(match=line.match, game=line.game, wanted=line.wanted, due=rfc3339(line.due))
            for line in lines
        ),
        told=(
            *_how_to_answer(lines, reader.player),
            *map(_left_out, dict.fromkeys(one.due.match for one in left)),
        ),
    )


def _give_numbers(tx: Tx, kept: Sequence[_CarriedText]) -> tuple[EmailValue, ...]:
    """Return the values of the parts, those to seats with their numbers, which are given at once:
    a seat may have several."""
    made, numbered = list[EmailValue](), list[int]()
    for one in kept:
        if one.email is None or one.value is None:
            continue
        value = one.value
        if value.to.match:
            value = give_number(one.email, value, beside=numbered)
            note_number(tx, one.due, value)
            numbered.append(one.due.id)
        made.append(value)
    return tuple(made)


_A_MOMENT = timedelta(seconds=1)


def _part(
    due: DueEmail,
    parts: Sequence[DueEmail],
    known: Mapping[str, Seated],
    reader: _DailyReader,
) -> _CarriedText:
    """Write what one email says."""
    if due.kind == "reminder" and (due.match is None or _is_in_report(due, parts)):
        return _CarriedText(due=due)
    loaded = known.get(due.match) if due.match else None
    email = writing.begin(reader, due, loaded)
    is_report = due.kind in ("report", "aside") and loaded is not None
    made = report_email.among_others(email) if is_report else rendering.say_what(email)
    value = as_part(made.value)
    return _CarriedText(
        due=due,
        email=email,
        value=value,
        text=whole_text(value, write_value(value)),
        carries=made.carries,
        is_last=due.kind == "report" and value.told.record is not None,
        is_visible=not KINDS[due.kind].tells_of_seat and due.body != outbox.FOR_ADVANCE,
    )


def _is_in_report(due: DueEmail, parts: Sequence[DueEmail]) -> bool:
    """Return whether a report is there that asks for the orders of which an email reminds."""
    return any(
        one.kind == "report"
        and (one.match_id, one.seat) == (due.match_id, due.seat)
        and (one.ply or 0) + 1 == due.ply
        for one in parts
    )


def _with_room(
    told: Sequence[_CarriedText], order: Mapping[str, int]
) -> tuple[Sequence[_CarriedText], Sequence[_CarriedText]]:
    """Return what has room in an email, as it stands there, and what is left.

    What the operator's list shows is given room first: so nothing that he is shown depends on
    emails that he is not shown, such as reminders to those who have not ordered.
    """
    rank = {one.due.id: _rank(one, order) for one in told}
    ordered = sorted(told, key=lambda one: rank[one.due.id])
    room = MOST_BYTES - HEADS - MOST_HTML
    kept, matches = list[_CarriedText](), set[str]()
    for visible in (True, False):
        for name in dict.fromkeys(one.due.match for one in ordered):
            its = [one for one in ordered if one.due.match == name and one.is_visible is visible]
            takes = sum(weight(one.text) for one in its if one.text)
            is_new = name is not None and name not in matches and takes > 0
            if kept and (takes > room or (is_new and len(matches) >= MOST_MATCHES)):
                kept += [one for one in its if not one.text]  # the table says it
                continue
            room -= takes
            kept += its
            matches |= {name} if is_new and name is not None else set()
    chosen = {one.due.id for one in kept}
    return (
        [one for one in ordered if one.due.id in chosen],
        [one for one in ordered if one.due.id not in chosen],
    )


def _rank(part: _CarriedText, order: Mapping[str, int]) -> tuple[int, int, int]:
    """Return the place of a part: by its match, what is of none last, and reports first."""
    due = part.due
    place = order[due.match] if due.match else len(order)
    return place, int(due.kind != "report"), due.id


def _line(name: str, reader: _DailyReader) -> _Line:
    """Return the line of a match in the table."""
    try:
        loaded = load(reader.tx, name)
    except Unreadable as unread:
        return _Line(name, unread.match.game, say("on hold"))
    game = loaded.match.game
    if loaded.match.status == "over":
        return _Line(name, game, say("over"))
    wanted = message_for_awaited(loaded, reader.player.id)
    deadline = loaded.match.deadline_at if loaded.match.status == "playing" else None
    return _Line(name, game, wanted, _due(loaded, deadline, reader), deadline)


def _due(loaded: Loaded, due: datetime | None, reader: _DailyReader) -> datetime | None:
    """Return until when a match waits: until the deadline, or the end of the reader's own time
    behind that."""
    if due is None or due > reader.now:
        return due
    own = (
        own_end(loaded, Seat(seat))
        for seat in loaded.awaited
        if loaded.holders[seat].player_id == reader.player.id
    )
    return max((end for end in own if end is not None), default=due)


def _how_to_answer(lines: Sequence[_Line], player: Player) -> Iterator[Message]:
    if lines:
        yield say("All times are those of {zone}.", zone=zone_of(player.zone).key)
        yield say(
            "To send orders, reply to this email. It may have the orders of several matches, each "
            "from its line ORDERS to its END. Everything else about one match goes below a line "
            "with its name, such as MATCH {match}.",
            match=lines[0].match,
        )


def _left_out(match: str | None) -> Message:
    if match is None:
        return say("There is more news. It did not fit here and comes tomorrow.")
    return say(
        "{match} did not fit and comes tomorrow. REPORT under MATCH {match} sends it now.",
        match=match,
    )


AT = time(7)  # where the player lives
A_DAY = timedelta(days=1)
QUICK = timedelta(days=2)  # a match with shorter periods has its reports at once
UNREADABLE_AGAIN = timedelta(hours=1)  # until an email is tried whose match could not be read
TOO_LATE = timedelta(hours=2)  # what left its reader less time would be of no use


def next_morning(moment: datetime, zone: str) -> datetime:
    """Return the first 07:00 in a zone that is not before a moment."""
    place = zone_of(zone)
    day = moment.astimezone(place).date()
    at = datetime.combine(day, AT, place)
    if at < moment:
        at = datetime.combine(day + A_DAY, AT, place)
    return at.astimezone(moment.tzinfo)


def gather(club: OpenClub, readers: Sequence[int]) -> set[int]:
    """Let what is due to these players, who wish one email a day, wait, or go in that email;
    return the ids of what goes by itself."""
    alone: set[int] = set()
    for player_id in readers:
        try:
            with club.session() as s:
                alone |= _gather(s, player_id)
        except Clash:
            continue  # the next tick does it
        except Exception as fault:
            # What cannot be gathered is not kept back: it goes as if nobody had wished otherwise,
            # and there the email at fault shows by itself.
            raise_what_stops_all(fault, club.context)
            with club.store.transaction() as tx:
                alone |= {email.id for email in daily.due(tx, player_id, club.now)}
    return alone


def _gather(s: Session, player_id: int) -> set[int]:
    held = daily.hold_matches(s.tx, player_id, s.now)
    players.hold(s.tx, [player_id])
    player = players.one(s.tx, player_id)
    if player.letters != "daily" or player.confirmed_at is None:
        return set()  # he has changed his mind meanwhile
    alone, together, known = list[int](), list[int](), dict[str, Loaded | None]()
    with_report: dict[int | None, list[int]] = {}  # where news of a match go along with its report
    for email in daily.due(s.tx, player_id, s.now):
        if email.match_id is not None and email.match_id not in held:
            continue  # it came just now
        morning = next_morning(min(email.next_at, s.now), player.zone)
        if not can_wait(email.kind, email.key, email.body):
            goes = alone
        elif email.kind == "notice" and email.match_id in with_report:
            goes = with_report[email.match_id]
        elif morning <= s.now:
            goes = together
        elif _is_urgent(email, _load_known(s.tx, email.match, known), morning):
            goes = alone
        else:
            daily.put_off(s.tx, [email.id], morning)
            continue
        goes.append(email.id)
        if email.kind == "report":
            with_report[email.match_id] = goes
    if together:
        daily.bind(s.tx, _carrier(s, player), together)
    return {*alone}


def can_wait(kind: str, key: str, body: str) -> bool:
    """Return whether an email can wait for a daily email: it answers nobody, asks for no yes, is
    no page, has no proof, which must come before the public number is known, and tells of nothing
    that can count against its reader."""
    if not KINDS[kind].can_wait or daily.is_offer(key):
        return False
    said = decode(body) if kind == "notice" else None
    if not isinstance(said, dict):
        return True
    is_answer = bool(said.get("answers")) or ("to" in said and not key.startswith(OF_PERSONS))
    return not (is_answer or queue.is_last_page(said) or "proofs" in said or "at_once" in said)


def _load_known(tx: Tx, name: str | None, known: dict[str, Loaded | None]) -> Loaded | None:
    """Return a match; None for none, and if it has no position or cannot be read."""
    if name is None:
        return None
    if name not in known:
        try:
            loaded = load(tx, name)
            known[name] = loaded if loaded.is_opened else None
        except Unreadable:
            known[name] = None
    return known[name]


def _is_urgent(email: WaitingEmail, match: Loaded | None, morning: datetime) -> bool:
    """Return whether an email cannot wait until the coming 07:00.

    So it is with a report of a match whose turns are short, or whose reader's own time ends within
    a day after that 07:00; and with a reminder or news that would come too late for his orders.
    """
    if match is None:
        return False
    ends = _own_end(match, email.seat)
    if email.kind not in ("report", "aside"):
        return ends is not None and ends < morning + TOO_LATE
    return is_quick(match) or (ends is not None and ends <= morning + A_DAY)


def _own_end(match: Loaded, seat: str | None) -> datetime | None:
    """Return when the time of an awaited seat ends, whether it has ordered or not: without the days
    of absence that are given to the silent."""
    if seat is None or seat not in match.awaited or match.match.status != "playing":
        return None
    return own_end(match, Seat(seat), given=False)


def is_quick(match: Loaded) -> bool:
    """Return whether a match has a period of less than two days."""
    agreed = terms(match.match.options).deadline
    if isinstance(agreed, Weekly):
        days = [*agreed.days, agreed.days[0] + 7]
        return min(b - a for a, b in pairwise(days)) * A_DAY < QUICK
    return period(agreed) < QUICK


def _carrier(s: Session, player: Player) -> int:
    """Return the daily email that is to carry what is due: one that was not written yet, or a new
    one. The player is locked, so nobody else makes one."""
    if (there := daily.open_carrier(s.tx, player.id)) is not None:
        return there
    key = daily.fresh_key(s.tx, player.id, day_of(player, s.now))
    email = OutgoingEmail(key=key, kind=daily.KIND, player_id=player.id)
    post(s, email)
    made = outbox.standing(s.tx, key)
    assert made is not None
    return made[0]


def day_of(player: Player, now: datetime) -> str:
    return str(now.astimezone(zone_of(player.zone)).date())
