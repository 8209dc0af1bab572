"""Every letter speaks its reader's language and tells the time where he lives."""

from datetime import timedelta

import pytest

from adjudicator.service.club import people
from adjudicator.service.match import game_master
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
DAY = timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    """Make a club in which Anna reads Norwegian and lives in Oslo, and Bob reads English."""
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", language="nb")
    club.add("Bob")
    people.change(
        store, "Anna", new_name=None, address=None, language=None, zone="Europe/Oslo",
        confirmed=False, now=MONDAY, way_out=True,
    )  # fmt: skip
    club.new("deadline=every 3 days", "timezone=America/New_York")
    club.night()
    return club


def said(letter):
    """Return the text of a letter as one line."""
    return " ".join(letter.get_body(("plain",)).get_content().split())


def test_a_notice_tells_the_deadline_where_its_reader_lives(club):
    game_master.extend(club.store, "m", DAY, reason="", now=MONDAY, means=club.means)
    to_anna, to_bob = club.night()
    assert "fre. 27 nov. 2026, 13:00 Europe/Oslo (12:00 UTC)" in said(to_anna)
    assert "The deadline is now Fri 27 Nov 2026, 12:00 UTC." in said(to_bob)
    (notice,) = club.report("white")["notices"]
    assert notice["text"] in said(to_anna)


def test_a_former_holder_is_told_so_in_his_own_language_from_the_subject_on(club):
    club.add("Carl")
    game_master.replace(club.store, "m", "white", "Carl", reason="", now=MONDAY, means=club.means)
    club.night()
    club.write("white", *SHEET)
    (letter,) = club.night()
    assert letter["Subject"] == "[m] En melding til Hvit"
    assert "Du har ikke lenger denne plassen" in said(letter)


def test_who_named_two_seats_is_told_so_in_his_own_language_from_the_subject_on(club):
    club.write("white", *SHEET, to=f"{club.address('white')}, {club.address('black')}")
    (letter,) = club.night()
    assert letter["Subject"] == "[adjud] Brevet ditt nevnte to plasser"


def test_who_is_asked_to_confirm_his_address_reads_it_in_his_own_language(club):
    people.add(
        club.store, "Carl", "carl@example.org", language="sv", zone="UTC", confirmed=False,
        now=MONDAY, way_out=True,
    )  # fmt: skip
    (letter,) = club.night()
    assert "[adjud] Please" not in letter["Subject"]
    assert "Somebody entered" not in said(letter)


def test_a_stranger_is_answered_in_the_language_of_his_words_from_the_subject_on(club):
    club.write("white", "SPILL", sender="carl@example.org", to="adjud@play.example.org")
    (letter,) = club.night()
    assert letter["Subject"] == "[adjud] Det du ba om"


def test_who_wrote_to_a_seat_of_another_player_is_told_just_that(club):
    """He named one seat only, and it was not his."""
    club.write("white", *SHEET, sender="bob@example.org")
    (letter,) = club.night()
    assert club.way.letters[-1][1] == "bob@example.org"
    assert letter["Subject"] == "[adjud] Your letter was for another player's seat"
    assert said(letter) == (
        "Your letter came to the address of a seat that is not yours, so nothing of it was read. "
        "Answer the newest letter to your own seat."
    )
    assert club.loaded().sheets == {}
