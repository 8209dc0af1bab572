"""The daily letter in place of reminders, for players who want it: all matches that await them."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from textwrap import fill
from zoneinfo import ZoneInfo

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.address import Post, seat_address
from adjudicator.mail.write import subjects
from adjudicator.reports.times import moment
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Loaded, Unreadable, load
from adjudicator.service.outbox import silence
from adjudicator.store import matches, outbox, players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outbox import Letter

WIDTH = 78  # columns of a text
A_DAY = timedelta(days=1)


class Awaited(Struct, frozen=True):
    """A player's seat that has not ordered yet."""

    loaded: Loaded
    seat: Seat


def to_queue(tx: Tx, people: Mapping[int, Holder], now: datetime) -> list[Letter]:
    """Return the digests that must be queued so that each of these players gets one, whoever has
    sent.

    A player who has had today's gets tomorrow's.
    """
    players.hold(tx, list(people))
    made = (_to_queue(tx, player_id, people[player_id], now) for player_id in sorted(people))
    return [letter for letter in made if letter is not None]


def _to_queue(tx: Tx, player_id: int, holder: Holder, now: datetime) -> Letter | None:
    for at in (now, now + A_DAY):
        day = at.astimezone(ZoneInfo(holder.zone)).date()
        key = f"player/{player_id}/digest/{day}"
        there = outbox.standing(tx, key)
        if there is None:
            return Letter(
                key=key,
                kind="reminder",
                player_id=player_id,
                confirmed=holder.confirmed,
                not_before=at,
            )
        letter_id, status = there
        if status == "dropped":  # it had nothing to name
            outbox.update(tx, letter_id, status="waiting", next_at=now)
        if status in ("dropped", "waiting", "unconfirmed", "kept"):
            return None
    return None


def awaited(tx: Tx, player_id: int) -> list[Awaited]:
    """Return where the player's orders are missing now."""
    found = []
    for name in matches.seats_of_player(tx, player_id).values():
        with suppress(Unreadable):
            found.append(load(tx, name))
    return [
        Awaited(loaded, seat)
        for loaded in found
        if loaded.match.status == "playing"
        for seat in loaded.awaited
        if loaded.holders[seat].player_id == player_id and seat not in loaded.sheets
    ]


def subject(found: Sequence[Awaited]) -> Message:
    return subjects.digest(len({one.loaded.match.id for one in found}))


def text(found: Sequence[Awaited], language: str, zone: str, post: Post) -> str:
    told = say("Your orders are awaited. The report of each match says how to send them, and to:")
    lines = (line for one in found for line in _lines(one, language, zone, post))
    return "\n".join((_broken(words(language, "")(told), ""), "", *map(_broken, lines), ""))


def _broken(line: str, rest: str = "  ") -> str:
    """Break a long line between words; an address stays whole."""
    return fill(line, WIDTH, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def address(one: Awaited, post: Post) -> str:
    """Return where the orders go. Only the seat's holder is told it, as in his reports."""
    tenure = one.loaded.holders[one.seat].tenure
    return seat_address(post, one.loaded.match.name, one.seat, tenure)


def _lines(one: Awaited, language: str, zone: str, post: Post) -> Iterator[str]:
    yield _line(one, language, zone)
    if lost := silence.cost(one.loaded, one.seat):
        yield f"  {words(language, one.loaded.match.game, zone)(lost)}"
    yield f"  {address(one, post)}"


def _line(one: Awaited, language: str, zone: str) -> str:
    match, tell = one.loaded.match, words(language, one.loaded.match.game)
    seat = one.loaded.game.seat_titles[one.seat]
    if match.deadline_at is None:
        return tell(
            say("{match}, turn {turn}, {seat}", match=match.name, turn=match.turn, seat=seat)
        )
    return tell(
        say(
            "{match}, turn {turn}, {seat}: until {when}",
            match=match.name,
            turn=match.turn,
            seat=seat,
            when=moment(match.deadline_at.isoformat(), language, zone),
        )
    )
