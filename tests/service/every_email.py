"""A club that sends emails of every kind, and another in which a tournament and a challenge of a
ladder are played to their ends. Each email is noted with the value that it was written from."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from msgspec import Struct, structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.message import say
from tests.club import MONDAY, Changes, NewLadder, paragraph
from tests.database import player_of_id
from tests.inside import outbound_daily as daily
from tests.inside import queue, rendering
from tests.service.cups import NAMES, Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_tournament_log import play_to_its_end
from tests.values import EmailValue, Forms, write

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SEVEN = datetime(2026, 11, 24, 7, tzinfo=UTC)  # the first 07:00 after MONDAY
# News that are told once are in Spion alone (test_email_values); a test email has no reader.
MADE = frozenset(KINDS) - {"aside", "test"}


class Written(Struct, frozen=True):
    """An email as it was written, and from what; `past` is what its page looks back on."""

    value: EmailValue
    forms: Forms
    past: Sequence[Any] = ()


def noted(monkeypatch: pytest.MonkeyPatch) -> list[Written]:
    """Return a list to which each email is added that a club writes from now on."""
    made: list[Written] = []

    def note(value: EmailValue, past: Sequence[Any] = ()) -> Forms:
        made.append(Written(value, write(value, past), past))
        return made[-1].forms

    monkeypatch.setattr(rendering, "write_value", note)
    monkeypatch.setattr(daily, "write_value", note)
    return made


def sent(club: MailClub, language: str) -> None:
    """Play a match in which there is something to send of every kind."""
    club.context = structs.replace(
        club.context, club="The Friday Club", game_master="Gerda", site_url="https://c.example.org/"
    )
    for name in ("Anna", "Bob"):
        club.add(name, language=language)
    change(club, "Anna", zone="Europe/Oslo")
    club.new("deadline=every 5 days", "press_when=report")
    club.new("deadline=every 5 days", name="n")
    club.add_player(
        "Carl", "carl@example.org", language=language, zone="UTC", confirmed=False, sends_mail=True
    )
    club.run_tick()
    club.write("black", "PRESS TO white", "Three goats.", "ENDPRESS", at=MONDAY + HOUR)
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END", at=MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR)
    invited = ("INVITE Bob TO espionage", "INVITE FRIEND TO espionage")
    asked = ("STATUS", "GAMES", "TABLE cup", *invited)
    club.say("Anna", *asked, "PREFS", "MATCH m", "REPORT", "STATUS", at=MONDAY + 2 * HOUR)
    club.write("white", "RESIGN", at=MONDAY + 2 * HOUR)
    club.write("white", "ORDERS m white", "a1-b9", "END", at=MONDAY + 2 * HOUR)
    club.write("white", "HELP", sender="dora@example.net", to="adjud@play.example.org")
    club.run_tick(MONDAY + 2 * HOUR)
    later = club.opened_at(MONDAY + 3 * HOUR)
    club.announce("m", "The hall is cold.", now=later.now)
    told = say("on hold")  # any that the catalogues have
    with later.session() as s:
        anna = player_of_id(s.tx, club.loaded().holders["white"].player_id or 0)
        queue.queue_leave_day(s, anna, date(2026, 11, 23), told)
        queue.queue_from_personal_address(s, anna, "x", told, paragraph(told), kind="substitute")
        queue.alert(s, told)
    club.run_tick(MONDAY + 3 * HOUR)
    change(club, "Bob", letters="daily", reminders="daily")
    change(club, "Anna", reminders="daily")
    club.announce("m", "The stove burns.", now=MONDAY + 4 * HOUR)
    club.cancel("n", reason="x", now=MONDAY + 4 * HOUR)
    club.run_tick(MONDAY + 4 * HOUR)
    club.run_tick(SEVEN)  # and a last page by itself
    change(club, "Bob", letters="each", reminders="on")
    for days in (4, 5):
        club.run_tick(MONDAY + days * DAY)


def change(club: MailClub, name: str, **choices: str) -> None:
    club.change(name, Changes(**choices), sends_mail=True)


def contested(club: MailClub, language: str) -> None:
    """Play a tournament and a challenge of a ladder to their ends."""
    club.context = structs.replace(club.context, coder=lambda: "ENNA22")
    for name in NAMES[:5]:
        club.add(name, language=language)
    cup = Cup(club, 5, "swiss")
    club.run_tick()
    cup.start()
    club.run_tick()
    play_to_its_end(cup)
    club.say("Anna", "TABLE cup", "GAMES", at=MONDAY)
    club.run_tick()
    club.create_ladder(NewLadder(name="spring", game="espionage", variant="small"))
    for name in ("Anna", "Bob", "Cleo"):
        club.enter_ladder("spring", name)
    club.say("Cleo", "INVITE Anna TO spring")
    (offer,) = [email for email in club.run_tick() if "anna@" in str(email["To"])]
    assert "ENNA22" in text_of(offer)
    club.say("Anna", "ACCEPT ENNA22")
    club.run_tick()
    club.send("white", "RESIGN", match="spring-1")
    club.say("Bob", "TABLE spring")
    club.run_tick()


CLUBS: Mapping[str, Callable[[MailClub, str], None]] = {"matches": sent, "contests": contested}
