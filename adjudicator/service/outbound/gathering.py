"""Gather what waits for the one email a day of players who wish that (club, 4.3).

Theory of operation. What is told to a player is queued as for any other, by code that need not know
his wish. Before emails are delivered, one transaction for each such player looks at those of his
emails that are due. Each of them

- goes at once, by itself: it answers him, has a code, or cannot wait (`_is_urgent`);
- or waits until the next 07:00 where he lives: its `next_at` is moved there;
- or has waited, and its 07:00 is past: the daily email carries it. That is a row of its own, which
  `store/daily` describes. It waits in the outbox like any email from then on, and
  `outbound/delivery` makes, stores and delivers its bytes; `outbound/daily` says what is in it.

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

from collections.abc import Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise

from msgspec.json import decode

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.resources import zone_of
from adjudicator.service.base.calendar import Weekly, period
from adjudicator.service.base.jobs import raise_what_stops_all
from adjudicator.service.base.loaded_match import Loaded, Unreadable, load
from adjudicator.service.base.options import terms
from adjudicator.service.base.reserve import own_end
from adjudicator.service.base.session import OpenClub, Session
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.post import post
from adjudicator.store import daily, outbox, players
from adjudicator.store.daily import WaitingEmail
from adjudicator.store.database import Clash, Tx
from adjudicator.store.outbox import OF_PERSONS, OutgoingEmail
from adjudicator.store.players import Player

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
    no page, and has no proof, which must come before the public number is known."""
    if not KINDS[kind].can_wait or daily.is_offer(key):
        return False
    said = decode(body) if kind == "notice" else None
    if not isinstance(said, dict):
        return True
    is_answer = bool(said.get("answers")) or ("to" in said and not key.startswith(OF_PERSONS))
    return not (is_answer or queue.is_last_page(said) or "proofs" in said)


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
