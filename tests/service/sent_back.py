"""Emails of adjud's of every kind, and how mail programs send them back below or around what a
person writes."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from html import unescape
from textwrap import wrap

from adjudicator.core.own_words import words_of
from tests.club import MONDAY, Changes, computer_orders
from tests.database import messages_of
from tests.games.samples import of_games, samples, seats_of

HOUR = timedelta(hours=1)

# Programs that quote: text lines of an email of ours, and its HTML, become lines of an answer.

Program = Callable[[EmailMessage], list[str]]


def text_of(email: EmailMessage) -> list[str]:
    body = email.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n").rstrip("\n").split("\n")


def _html_of(email: EmailMessage, between: str) -> list[str]:
    """Return the HTML of an email as a program makes text of it; `between` stands after a cell."""
    body = email.get_body(("html",))
    if body is None:
        return text_of(email)
    html = re.sub(r"(?s)<(style|head|title)\b.*?</\1>", "", str(body.get_content()))
    html = re.sub(r"\s+", " ", html)
    html = re.sub(r"(?i)</t[dh]>", between, html)
    html = re.sub(r"(?i)<br[^>]*>|</(?:p|div|tr|h\d|li|pre|table|dt|dd)>", "\n", html)
    text = unescape(re.sub(r"<[^>]*>", "", html))
    return [line.strip() for line in text.split("\n") if line.strip()]


def _marked(lines: Sequence[str], mark: str) -> list[str]:
    return [f"{mark}{line}".rstrip() for line in lines]


def _broken(lines: Sequence[str], width: int) -> list[str]:
    """Break long lines as a program does that does not know quotes: the rest has no mark."""
    found: list[str] = []
    for line in lines:
        found += wrap(line, width, drop_whitespace=True, break_on_hyphens=False) or [""]
    return found


def _folded(lines: Sequence[str], mark: str, width: int) -> list[str]:
    """Break long lines before they are marked."""
    return _marked(_broken(lines, width), mark)


PROGRAMS: Mapping[str, Program] = {
    "marks": lambda one: _marked(text_of(one), "> "),
    "marks without blanks": lambda one: _marked(text_of(one), ">"),
    "marks, broken at 76": lambda one: _broken(_marked(text_of(one), "> "), 76),
    "marks, broken at 72": lambda one: _broken(_marked(text_of(one), "> "), 72),
    "marks, broken at 66": lambda one: _broken(_marked(text_of(one), "> "), 66),
    "marks, broken at 60": lambda one: _broken(_marked(text_of(one), "> "), 60),
    "marks twice, broken at 72": lambda one: _broken(_marked(text_of(one), "> > "), 72),
    "marks, folded at 64": lambda one: _folded(text_of(one), "> ", 64),
    "tabs": lambda one: _marked(text_of(one), "\t"),
    "blanks": lambda one: _marked(text_of(one), "    "),
    "bars": lambda one: _marked(text_of(one), "| "),
    "plus": lambda one: _marked(text_of(one), "+ "),
    "colons": lambda one: _marked(text_of(one), ": "),
    "dashes": lambda one: _marked(text_of(one), "- "),
    "initials": lambda one: _marked(text_of(one), "AB> "),
    "nothing": text_of,
    "nothing, broken at 60": lambda one: _broken(text_of(one), 60),
    "nothing, broken at 74": lambda one: _broken(text_of(one), 74),
    "nothing, without empty lines": lambda one: [line for line in text_of(one) if line.strip()],
    "blanks, broken at 68": lambda one: _broken(_marked(text_of(one), "  "), 68),
    "HTML, cells apart": lambda one: _html_of(one, "\t"),
    "HTML, a cell a line": lambda one: _html_of(one, "\n"),
    "HTML, marks, broken at 72": lambda one: _broken(_marked(_html_of(one, " "), "> "), 72),
    "HTML, marks, folded at 78": lambda one: _folded(_html_of(one, " "), "> ", 78),
}
SIGNED = ("> ", ">", "> > ")

# Where a person writes: above, below, around, between.


def around(first: str, quoted: Sequence[str], last: str) -> list[str]:
    return [first, "", *quoted, "", last]


def above(first: str, quoted: Sequence[str], last: str) -> list[str]:
    return [first, last, "", *quoted]


def below(first: str, quoted: Sequence[str], last: str) -> list[str]:
    return [*quoted, "", first, last]


def between(first: str, quoted: Sequence[str], last: str) -> list[str]:
    """Write between paragraphs, as people do."""
    ends = [i for i, line in enumerate(quoted) if not words_of(line)] or [0]
    one, two = ends[len(ends) // 3], ends[2 * len(ends) // 3]
    return [*quoted[:one], "", first, "", *quoted[one:two], "", last, "", *quoted[two:]]


PLACES = {"around": around, "above": above, "below": below, "between": between}

# Emails of every kind to the holder of a seat.

CLUBS = of_games("emails", "corresponding")


class Correspondence:
    """A match in which Anna has got emails of every kind; Bob is her enemy."""

    def __init__(self, store, folder, game: str, language: str) -> None:
        self.game, self.seat = game, seats_of(game)[0]
        self.now = MONDAY
        self.club = CLUBS[game](store, folder, language)
        people_ = [seat for seat, one in self.club.loaded().holders.items() if one.player_id]
        self.other = next(seat for seat in people_ if seat != self.seat)
        raws: tuple[bytes, ...]
        self.now, raws = self.club.brought(f"correspondence {game} {language}", self._play)
        self.club.raws = [*raws]

    def _awaited(self) -> list[str]:
        loaded = self.club.loaded()
        return [seat for seat in loaded.awaited if loaded.holders[seat].player_id]

    def address(self, seat: str) -> str:
        return str(self.club.loaded().holders[seat].address)

    def write(self, *lines: str, seat: str = "", **more) -> list[EmailMessage]:
        """Write an email for a seat, Anna's if none is named; return what goes out then."""
        self.now += 3 * HOUR
        seat = seat or self.seat
        self.club.write(seat, *lines, sender=self.address(seat), at=self.now, **more)
        return list(self.club.run_tick(self.now))

    def _play(self) -> tuple[datetime, tuple[bytes, ...]]:
        club, seat, other = self.club, self.seat, self.other
        club.run_tick(self.now)
        asked = (
            "HELP",
            "STATUS",
            "REPORT",
            "TEMPLATE",
            "PREFS",
            "GAMES",
            "PING",
            "DRAW",
            "What is this?",
        )
        for _ in range(3):
            for one in self._awaited():
                sent = computer_orders(club.loaded(), one, "computer")
                for _time in range(2 if one == seat else 1):
                    self.write(f"ORDERS m {one}", *sent, "END", "NOTREADY", seat=one)
                if one == seat:
                    self.write(f"ORDERS m {one}", samples(self.game).wrong, "END", seat=one)
            for one in (seat, other):
                self.write("READY", seat=one)
        for command in asked:
            self.write(command)
        self.write("REPORT 1")
        self.write("CHECK", "Hello")
        self.write(f"PRESS TO {other}", "Shall we have a draw?", "ENDPRESS")
        self.write(
            f"PRESS TO {seat}", "No, I shall win. Look at the middle!", "ENDPRESS", seat=other
        )
        club.announce("m", "It snows today.", now=self.now)
        club.change("Anna", Changes(letters="daily"), now=self.now, sends_mail=True)
        for one in self._awaited():
            sent = computer_orders(club.loaded(), one, "computer")
            self.write(f"ORDERS m {one}", *sent, "END", seat=one)
        for _ in range(10):
            self.now += 6 * HOUR
            club.run_tick(self.now)
        club.change("Anna", Changes(letters="each"), now=self.now, sends_mail=True)
        self.club.say("Anna", "HELP", "MATCH m", "STATUS", at=self.now)
        club.run_tick(self.now)
        return self.now, tuple(club.raws)

    def send(self, *lines: str) -> None:
        """Put an email of Anna's into the spool."""
        self.club.write(self.seat, *lines, sender=self.address(self.seat), at=self.now)

    def tick(self, later: timedelta) -> None:
        self.now += later
        self.club.run_tick(self.now)

    def pressed(self) -> list[list[str]]:
        """Return the lines of all messages of Anna's that were passed on, but for her first."""
        with self.club.store.reading() as tx:
            return [
                [*one.lines] for one in messages_of(tx, self.club.loaded().match.id, self.seat, 1)
            ][1:]

    def letters(self) -> list[EmailMessage]:
        """Return what Anna got, no email twice."""
        from email import message_from_bytes, policy

        found: dict[str, EmailMessage] = {}
        for _, to, raw in self.club.way.letters:
            if to == "anna@example.org":
                one = message_from_bytes(raw, policy=policy.default)
                found.setdefault("\n".join(text_of(one)), one)
        return list(found.values())
