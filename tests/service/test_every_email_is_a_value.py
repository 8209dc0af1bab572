"""Every email, of every kind and in every language, is written from its value: another process
makes the same of its JSON. In no value a sentence of ours is finished."""

import json
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from email import message_from_bytes
from typing import Any

import pytest
from msgspec import Struct, structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.message import LANGUAGES, say
from adjudicator.service.club import people
from adjudicator.service.emails import value as values
from adjudicator.service.emails.paragraphs import paragraph
from adjudicator.service.emails.value import EmailValue
from adjudicator.service.emails.write import Forms, write
from adjudicator.service.matches import game_master
from adjudicator.service.outbound import daily, writing
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.post import alert
from adjudicator.store import players
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub, value_in
from tests.service.test_email_values import (
    CARD,
    CHECKOUT,
    OWN,
    WORDED_EARLIER,
    are_of_ours,
)

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SEVEN = datetime(2026, 11, 24, 7, tzinfo=UTC)  # the first 07:00 after MONDAY
# News that are told once are in Spion alone (test_email_values); a test email has no reader.
MADE = frozenset(KINDS) - {"aside", "test"}

SCRIPT = """
import json, sys
from adjudicator.service.emails import value, write
for line in sys.stdin:
    told = value.read(json.loads(line).encode())
    made = write.write(told)
    print(json.dumps([value.to_json(told), made.subject, made.text, made.html]))
assert not [name for name in sys.modules if name.startswith(("adjudicator.store", "sqlalchemy"))]
"""


class Written(Struct, frozen=True):
    """An email as it was written, and from what."""

    value: EmailValue
    forms: Forms


@pytest.fixture(params=LANGUAGES)
def emails(request, store, tmp_path, monkeypatch) -> list[Written]:
    """Return emails of each kind, to people who read this language."""
    made: list[Written] = []

    def noted(value: EmailValue, past: Any = ()) -> Forms:
        made.append(Written(value, write(value, past)))
        return made[-1].forms

    monkeypatch.setattr(writing, "write", noted)
    monkeypatch.setattr(daily, "write_value", noted)
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(
        club.context, club="The Friday Club", game_master="Gerda", site_url="https://c.example.org/"
    )
    sent(club, request.param)
    return made


def sent(club: MailClub, language: str) -> None:
    for name in ("Anna", "Bob"):
        club.add(name, language=language)
    change(club, "Anna", zone="Europe/Oslo")
    club.new("deadline=every 5 days", "press_when=report")
    people.add(
        club.store, "Carl", "carl@example.org", language=language, zone="UTC", confirmed=False,
        now=MONDAY, sends_mail=True,
    )  # fmt: skip
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
    game_master.announce(later, "m", "The hall is cold.")
    told = say("on hold")  # any that the catalogues have
    with later.session() as s:
        anna = players.one(s.tx, club.loaded().holders["white"].player_id or 0)
        queue.queue_leave_day(s, anna, date(2026, 11, 23), told)
        queue.queue_from_personal_address(s, anna, "x", told, paragraph(told), kind="substitute")
        alert(s, told)
    club.run_tick(MONDAY + 3 * HOUR)
    change(club, "Bob", letters="daily", reminders="daily")
    change(club, "Anna", reminders="daily")
    game_master.announce(club.opened_at(MONDAY + 4 * HOUR), "m", "The stove is on.")
    club.run_tick(MONDAY + 4 * HOUR)
    club.run_tick(SEVEN)
    change(club, "Bob", letters="each", reminders="on")
    for days in (4, 5):
        club.run_tick(MONDAY + days * DAY)


def change(club: MailClub, name: str, **choices: str) -> None:
    people.change(club.store, name, people.Changes(**choices), now=MONDAY, sends_mail=True)


def again(emails: list[Written]) -> list[list[str | None]]:
    """Return each value as another process writes it, and the forms of its email."""
    kept = {name: said for name, said in os.environ.items() if not name.startswith("LC_")}
    made = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input="\n".join(json.dumps(values.to_json(one.value)) for one in emails),
        env={**kept, "PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LANG": "C", "LANGUAGE": "sv"},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return [json.loads(line) for line in made.stdout.splitlines()]


def test_another_process_writes_the_same_email_of_every_kind(emails):
    assert {one.value.kind for one in emails} == MADE
    assert {bool(one.value.to.match) for one in emails} == {True, False}
    for one, (text, *forms) in zip(emails, again(emails), strict=True):
        assert text == values.to_json(one.value)
        assert forms == [one.forms.subject, one.forms.text, one.forms.html]


def test_no_sentence_of_ours_is_finished_in_an_email_of_any_kind(emails):
    assert are_of_ours(emails, "espionage", OWN, WORDED_EARLIER, CARD) == ([], [])


def test_what_somebody_is_sent_who_does_not_play_here_has_no_file(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    sent(club, "en")
    files: dict[str, set[bool]] = {}
    for _, to, raw in club.way.letters:
        found = value_in(raw)
        files.setdefault(to, set()).add(bool(found))
        if found:
            assert values.to_json(values.read(found)).encode() == found
            name = message_from_bytes(raw)["X-Adjud"]
            assert values.read(found).kind == name
    assert files.pop("anna@example.org") == {True}
    assert files.pop("bob@example.org") == {True}
    assert {"carl@example.org", "dora@example.net"} <= files.keys()
    assert set().union(*files.values()) == {False}
