"""The reserve of time that a seat draws on after a deadline (club, 5): how a bank is written, what
runs of the time after a deadline, what is drawn, and when it is used up.

Everything here is pure. A day begins at the first instant that has its date, in the zone of whoever
counts it: the match's for days that are skipped, a player's for days on which he is away.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.base.calendar import A_DAY, Away, Skip, parse_duration
from adjudicator.service.base.context import Refusal

NOTHING = timedelta()
A_SECOND = timedelta(seconds=1)
LONGEST = 999 * A_DAY  # of what a bank is written with
MOST_HELD = 9999 * A_DAY  # of any balance, so that no time lies beyond all calendars
MOST_TURNS = 999
_FAR = datetime(9990, 1, 1, tzinfo=UTC)


class Bank(Struct, frozen=True):
    """What a seat has when a match begins, and what it gets: `step` in every `every`-th
    adjudication in which it is awaited, up to `most`."""

    start: timedelta
    step: timedelta = NOTHING
    every: int = 1
    most: timedelta = MOST_HELD

    @property
    def half(self) -> int:
        """Return what a seat's new holder has at least, in seconds."""
        return self.start // A_SECOND // 2

    def after(self, balance: int, drawn: int, turns: int) -> int:
        """Return a balance in seconds after so much was drawn, in an adjudication that is the
        seat's `turns`-th as one that was awaited."""
        step = self.step if turns % self.every == 0 else NOTHING
        return min(balance - drawn + step // A_SECOND, self.most // A_SECOND)


# How a bank is written: `10 days + 36 hours / 2 max 10 days`.


_FORM = re.compile(
    r"(?P<start>[^+/]*?)(?:\+(?P<step>[^+/]*?)(?:/\s*(?P<every>\d{1,9})\s*)?)?"
    r"(?:(?<![a-z])max(?P<most>[^+/]*))?",
    re.ASCII,
)
_PART = re.compile(r"(\d+)\s*([a-z]+)", re.ASCII)
_UNITS = {"m": "minute", "h": "hour", "d": "day", "w": "week"}
NONE = "none"


def parse_bank(text: str) -> Bank | None:
    """Read a bank: `10 days`, `10 days + 36 hours max 10 days`; None for `none`. Raises Refusal."""
    return _read(text)[0]


def spell_bank(text: str) -> str:
    """Return a bank in its one spelling. Raises Refusal."""
    return _read(text)[1]


def _read(text: str) -> tuple[Bank | None, str]:
    plain = " ".join(text.lower().split())
    if plain == NONE:
        return None, NONE
    found = _FORM.fullmatch(plain)
    if found is None:
        raise _no_bank(text)
    start, start_told = _duration(found["start"], text)
    step, step_told = (NOTHING, "") if found["step"] is None else _duration(found["step"], text)
    most, most_told = (MOST_HELD, "") if found["most"] is None else _duration(found["most"], text)
    every = int(found["every"] or 1)
    for wrong, why in (
        (found["step"] is not None and not step, _nothing_added()),
        (not start and not step, _empty()),
        (not 1 <= every <= MOST_TURNS, _too_rare()),
        (most < start, _below_start(start_told, most_told)),
    ):
        if wrong:
            raise Refusal(why)
    told = start_told
    told += f" + {step_told}" if step_told else ""
    told += f" / {every}" if every > 1 else ""
    told += f" max {most_told}" if most_told else ""
    return Bank(start, step, every, most), told


def _no_bank(text: str) -> Refusal:
    return Refusal(
        say(
            "'{seen}' is not a bank; write one like 10 days + 1 day max 10 days, or none",
            seen=shown(text),
        )
    )


def _nothing_added() -> Message:
    return say("the time that a bank adds must be more than 0; leave it out if it adds nothing")


def _empty() -> Message:
    return say("a bank that begins with 0 must add something, as in 0 + 12 hours max 12 hours")


def _too_rare() -> Message:
    return say("a bank that adds time must do so at least once in {most} turns", most=MOST_TURNS)


def _below_start(start: str, most: str) -> Message:
    return say("a bank cannot begin with {start} and hold {most} at most", start=start, most=most)


def _duration(part: str, text: str) -> tuple[timedelta, str]:
    """Return a part of a bank, and how it is written."""
    plain = part.strip()
    found = _PART.fullmatch(plain)
    try:
        length = parse_duration(plain)
    except Refusal:
        raise _no_bank(text) from None
    if length > LONGEST:
        raise Refusal(
            say("'{seen}' is too long for a bank; its times are 999 days at most", seen=plain)
        )
    if not found or not length:
        return length, "0"
    number, unit = int(found[1]), _UNITS[found[2][0]]
    return length, f"{number} {unit}{'' if number == 1 else 's'}"


# What runs of the time after a deadline.


class Running(Struct, frozen=True):
    """What of the time runs for a seat: not the days that its match skips, nor those on which its
    player is away. What runs beyond `double` counts twice."""

    zone: ZoneInfo
    skip: Skip = Skip()
    away: tuple[Away, ...] = ()
    double: timedelta | None = None

    def cost_of_delay(self, since: datetime, until: datetime) -> timedelta:
        """Return what is drawn if orders that were due then come at `until`; nothing if they came
        in time."""
        ran = NOTHING
        for begins, ends in self._spans(since):
            if begins >= until:
                break
            ran += min(ends, until) - begins
        return ran if self.double is None else ran + max(NOTHING, ran - self.double)

    def lasts_until(self, since: datetime, balance: timedelta) -> datetime:
        """Return the last instant at which no more is drawn than the balance.

        Time runs from then on, so it is never within a day that does not run.
        """
        left = balance
        if self.double is not None and balance > self.double:
            left = self.double + (balance - self.double) / 2
        for begins, ends in self._spans(since):
            if left < ends - begins:
                return begins + left
            left -= ends - begins
        return _FAR

    def _spans(self, since: datetime) -> Iterator[tuple[datetime, datetime]]:
        """Yield the spans of time that run from then on, the earliest first."""
        while since < _FAR:
            ends = self._next_change(since)
            if self._runs_at(since):
                yield since, ends
            since = ends

    def _runs_at(self, moment: datetime) -> bool:
        if self.skip.covers(moment.astimezone(self.zone).date()):
            return False
        return not any(one.covers(moment) for one in self.away)

    def _next_change(self, moment: datetime) -> datetime:
        """Return the next instant at which time may begin to run, or cease to."""
        days = [
            *self._next_days(self.zone, self.skip.spans, moment),
            *(
                day
                for one in self.away
                for day in self._next_days(one.zone, [(one.first, one.last)], moment)
            ),
        ]
        if self.skip.weekdays:
            days.append(day_begins(moment.astimezone(self.zone).date() + A_DAY, self.zone))
        return min(days, default=_FAR)

    @staticmethod
    def _next_days(
        zone: ZoneInfo, spans: Sequence[tuple[date, date]], moment: datetime
    ) -> Iterator[datetime]:
        """Yield the next instant at which each of these spans of days begins or ends."""
        today = moment.astimezone(zone).date()
        for first, last in spans:
            if today < first:
                yield day_begins(first, zone)
            elif today <= last:
                yield day_begins(last + A_DAY, zone)


def day_begins(day: date, zone: ZoneInfo) -> datetime:
    """Return the first instant that has that date, in UTC; also where midnight is left out, as when
    the clock is moved at night.

    >>> day_begins(date(2026, 11, 28), ZoneInfo("Europe/Oslo"))
    datetime.datetime(2026, 11, 27, 23, 0, tzinfo=datetime.timezone.utc)
    """
    midnight = datetime.combine(day, time())
    at = midnight.replace(tzinfo=zone).astimezone(UTC)
    if at.astimezone(zone).replace(tzinfo=None) == midnight:
        return at
    before, after = midnight.replace(tzinfo=zone, fold=1).astimezone(UTC), at
    while after - before > A_SECOND:  # the clock is moved between the two
        middle = before + (after - before) // A_SECOND // 2 * A_SECOND
        if middle.astimezone(zone).date() < day:
            before = middle
        else:
            after = middle
    return after
