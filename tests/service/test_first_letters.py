"""The first letter of a match, and the thread in which all letters to a seat stand (letters,
section 6)."""

from email import message_from_bytes, policy

import pytest

from adjudicator.service.matches import game_master
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub

WON = {
    "espionage": {
        "en": "You win by taking the enemy's Headquarters",
        "nb": "Du vinner når du tar fiendens hovedkvarter",
        "sv": "Du vinner när du tar fiendens högkvarter",
    },
    "spion": {"en": "four cards of one type", "nb": "fire kort av", "sv": "fyra kort av samma typ"},
    "spies": {"en": "Who has most points at", "nb": "flest poeng", "sv": "flest poäng"},
}
HELP = {"en": "line HELP", "nb": "linjen HJELP", "sv": "raden HJÄLP"}


def opened(game, store, folder, language):
    if game == "spion":
        club = SpionClub(store, folder)
        club.open(languages={"Anna": language})
    elif game == "spies":
        club = SpiesClub(store, folder)
        club.open(languages={"Anna": language})
    else:
        club = MailClub(store, folder)
        club.add("Anna", language=language)
        club.add("Bob")
        club.new()
    return club


def parts(letter):
    """Return the text and the HTML of a letter, each on one line."""
    found = (letter.get_body((kind,)) for kind in ("plain", "html"))
    return [" ".join(part.get_content().split()) for part in found]


def to(letters, name):
    return [one for one in letters if name in one["To"]]


@pytest.mark.parametrize("language", ["en", "nb", "sv"])
@pytest.mark.parametrize("game", WON)
def test_the_first_letter_says_what_game_it_is_and_names_help(store, tmp_path, game, language):
    club = opened(game, store, tmp_path / "spool", language)
    (first,) = to(club.run_tick(), "anna")
    for said in parts(first):
        assert WON[game][language] in said.replace("&#39;", "'")
        assert HELP[language] in said
    text = first.get_body(("plain",)).get_content()
    lines = next(one for one in text.replace("\r", "").split("\n\n") if HELP[language] in one)
    assert len(lines.splitlines()) <= 15  # its heading and about ten lines


def test_no_later_letter_says_it_again(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    (report,) = club.run_tick()
    assert "Welcome" not in parts(report)[0]


def test_who_takes_a_seat_over_reads_it_and_begins_a_thread(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Carl")
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    game_master.replace(store, "m", "white", "Carl", reason="", now=MONDAY, context=club.context)
    (first,) = to(club.run_tick(), "carl")
    assert "You win by taking" in parts(first)[0]
    assert (first["In-Reply-To"], first["References"]) == (None, None)
    game_master.announce(store, "m", "Hello.", now=MONDAY, context=club.context)
    (notice,) = to(club.run_tick(), "carl")
    assert notice["References"] == first["Message-ID"]
    assert notice["Thread-Index"] == first["Thread-Index"]


def test_letters_to_two_seats_are_two_threads(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    told = [message_from_bytes(raw, policy=policy.default) for _, _, raw in club.way.letters]
    assert len({one["Thread-Index"] for one in told}) == 2


def test_if_the_first_report_is_told_by_a_newer_one_that_welcomes(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()
    (report,) = to(club.run_tick(), "anna")
    assert "Turn 1" in report["Subject"]
    assert "You win by taking" in parts(report)[0]


def test_the_unsubscribe_link_stops_reminders_and_no_report(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    (first,) = to(club.run_tick(), "anna")
    assert "body=PREFS%20REMINDERS%20OFF" in first["List-Unsubscribe"]
    club.write("white", "PREFS REMINDERS OFF", Subject="PREFS")
    club.run_tick()
    assert club.loaded().holders["white"].reminders == "off"
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    assert [one["X-Adjud"] for one in to(club.run_tick(), "anna")] == ["report"]
