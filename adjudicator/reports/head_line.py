"""What a page says of time in its line of head and of the reserves, made from the report alone."""

from collections.abc import Iterator, Mapping
from urllib.parse import unquote

from msgspec import UNSET

from adjudicator.core.message import Clock, Message, Words, listed, say
from adjudicator.core.report import AnyReport
from adjudicator.reports.words import brief


def due(report: AnyReport, language: str, zone: str) -> str:
    """Write the deadline of a seat that is to move; empty if there is none."""
    since = report.as_of or report.adjudicated
    if report.deadline is None or report.seat not in report.awaited or not since:
        return ""
    return brief(report.deadline, since, language, zone)


def waits(report: AnyReport, seats: Mapping[str, str], words: Words) -> str:
    """Name the seats that are to move, to one that is not; empty to one that is."""
    names = ", ".join(title for seat, title in seats.items() if seat in report.awaited)
    if not names or report.seat in report.awaited:
        return ""
    return words(say("waiting for {seats}", seats=names))


def lines_sent(link: str) -> str:
    """Return what a link sends of a sheet of orders, without its first and its last line."""
    lines = [line for line in unquote(link.partition("&body=")[2]).splitlines() if line]
    return ", ".join(lines[1:-1])


def reserve(report: AnyReport, seats: Mapping[str, str], clock: Clock) -> Iterator[Message]:
    """Yield until when the reader has time with his reserve, and what all reserves hold."""
    if report.reserve_until is not UNSET:
        yield say("With your reserve, you have until {when}.", when=clock(report.reserve_until))
    if report.bank is not UNSET:
        held = (
            say("{seat} {time}", seat=title, time=_span(report.bank[seat]))
            for seat, title in seats.items()
            if seat in report.bank
        )
        yield say("Reserve: {seats}", seats=listed(held))


def _span(seconds: int) -> Message:
    """Write a time in its two longest units, rounded down: `9 d 21 h`.

    >>> str(_span(853200)), str(_span(1860)), str(_span(86400))
    ('9 d 21 h', '31 min', '1 d')
    """
    minutes = seconds // 60
    days, hours, minutes = minutes // 1440, minutes // 60 % 24, minutes % 60
    if days:
        return say("{d} d {h} h", d=days, h=hours) if hours else say("{d} d", d=days)
    if hours:
        return say("{h} h {m} min", h=hours, m=minutes) if minutes else say("{h} h", h=hours)
    return say("{m} min", m=minutes)
