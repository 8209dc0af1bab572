"""The subject of an answer says what it is (emails, section 6)."""

import pytest

from tests.service.mailclub import MailClub

DONE, UNDONE = "Your request was carried out", "Your request was NOT carried out"
SEAT = (
    (("HELP",), "How to write orders"),
    (("STATUS", "REPORT"), "The match now"),
    (("CHECK", "READY"), "An answer to your email"),
    (("PREFS",), "Your settings"),
    (("PREFS REMINDERS OFF",), "Your settings"),
    (("ABSENCE 2026-12-20 TO 2026-12-24",), "Away until ..."),
    (("PREFS REMINDERS NEVER",), UNDONE),
    (("LANGUAGE sv",), "Dina inställningar"),
    (("ZONE Europe/Atlantis",), UNDONE),
    (("ABSENCE 2026-12-24 TO 2026-12-20",), UNDONE),
    (("REPORT 99",), UNDONE),
    (("REMATCH",), UNDONE),
    (("NOTREADY", "STATUS"), DONE),
    (("DRAW",), DONE),
    (("NOTE Bob is bold",), DONE),
    (("STATUS", "REPORT 99", "ZONE UTC"), "NOT everything was carried out"),
    (("PRESS TO black", "Hi", "ENDPRESS"), "Your message to Black was sent"),
    (("PRESS TO white", "Hi", "ENDPRESS"), "Your message was NOT sent"),
    (("PRESS TO black", "Hi"), "Your message was NOT sent"),
    (("CONFIRM 7K3QXY",), "Nothing was confirmed"),
    (("RESIGN",), "Really resign? Please confirm"),
    (("JOIN other",), "Please confirm"),
    (("JOIN nowhere",), UNDONE),
)
PERSON = (
    (("STATUS", "GAMES"), "Your matches"),
    (("LANGUAGE en",), "Your settings"),
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
    expected = {lines: f"[m] {subject}" for lines, subject in SEAT}
    expected["ABSENCE 2026-12-20 TO 2026-12-24",] = "[adjud] Away until Thu 24 Dec 2026"
    assert told == expected


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
    assert subject(club) == "[adjud] You said no"
    club.say("Anna", "JOIN other")
    assert "other" in subject(club)
    club.write("white", "JOIN espionage")
    assert subject(club) == "[m] Your request was NOT carried out"
