"""The subject of an answer says what it is (letters, section 6)."""

import pytest

from tests.service.mailclub import MailClub

INFORMATION = "The information you asked for"
DONE, UNDONE = "Your request was carried out", "Your request was NOT carried out"
SEAT = (
    (("HELP",), INFORMATION),
    (("STATUS", "REPORT"), INFORMATION),
    (("CHECK", "READY"), INFORMATION),
    (("PREFS",), INFORMATION),
    (("PREFS REMINDERS OFF",), DONE),
    (("PREFS REMINDERS NEVER",), UNDONE),
    (("LANGUAGE sv",), "Det du bad om har gjorts"),
    (("ZONE Europe/Atlantis",), UNDONE),
    (("ABSENCE 2026-12-24 TO 2026-12-20",), UNDONE),
    (("REPORT 99",), UNDONE),
    (("REMATCH",), UNDONE),
    (("NOTREADY", "STATUS"), DONE),
    (("DRAW",), DONE),
    (("NOTE Bob is bold",), DONE),
    (("STATUS", "REPORT 99", "ZONE UTC"), "NOT everything was carried out"),
    (("PRESS TO black", "Hi", "ENDPRESS"), "Your message was sent"),
    (("PRESS TO white", "Hi", "ENDPRESS"), "Your message was NOT sent"),
    (("PRESS TO black", "Hi"), "Your message was NOT sent"),
    (("CONFIRM 7K3QXY",), "Nothing was confirmed"),
    (("RESIGN",), "Please confirm"),
    (("JOIN other",), "Please confirm"),
    (("JOIN nowhere",), UNDONE),
)
PERSON = (
    (("STATUS", "GAMES"), INFORMATION),
    (("LANGUAGE en",), DONE),
    (("ZONE Europe/Atlantis",), UNDONE),
    (("ACCEPT 7K3Q",), UNDONE),
    (("INVITE Nobody TO espionage",), UNDONE),
    (("TABLE cup",), UNDONE),
    (("JOIN nowhere",), UNDONE),
    (("CONFIRM 7K3QXY",), "Nothing was confirmed"),
)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")
    club.add("Cleo")
    club.new(white="Cleo", black="open", name="other")
    club.run_tick()
    return club


def subject(club):
    return next(one for one in club.run_tick() if "anna" in str(one["To"]))["Subject"]


def test_at_a_seats_address(club):
    told = {}
    for lines, _ in SEAT:
        club.write("white", *lines)
        told[lines] = subject(club)
        if lines[0].startswith("LANGUAGE"):
            club.write("white", "LANGUAGE en")
            club.run_tick()
    assert told == {lines: f"[m] {expected}" for lines, expected in SEAT}


def test_at_the_personal_address(club):
    told = {}
    for lines, _ in PERSON:
        club.say("Anna", *lines)
        told[lines] = subject(club)
    assert told == {lines: f"[adjud] {expected}" for lines, expected in PERSON}


def test_what_came_of_an_offer_and_of_join(club):
    club.say("Cleo", "INVITE Anna TO spion")
    (offer,) = [one for one in club.run_tick() if "anna" in str(one["To"])]
    code = offer.get_body(("plain",)).get_content().partition("ACCEPT ")[2][:6]
    club.say("Anna", f"DECLINE {code}")
    assert subject(club) == "[adjud] You have declined the offer"
    club.say("Anna", "JOIN other")
    assert "other" in subject(club)
    club.write("white", "JOIN espionage")
    assert subject(club) == "[m] Your request was NOT carried out"
