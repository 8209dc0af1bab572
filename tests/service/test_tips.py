"""Who gets tips with his reports: new players of a game, and whoever wishes some (emails, section
6)."""

import json
from email.message import EmailMessage

import pytest

from tests.club import show
from tests.service.mailclub import MailClub, files_of, value_in


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def parts(email: EmailMessage) -> dict[str, str]:
    """Return the text, the HTML and the attached page of a report."""
    (page,) = files_of(email)
    kinds = {"text": email.get_body(("plain",)), "html": email.get_body(("html",)), "page": page}
    return {
        kind: part.get_payload(decode=True).decode().replace("\r", "")
        for kind, part in kinds.items()
    }


def first_reports(club: MailClub, name: str, **seats: str) -> dict[str, EmailMessage]:
    """Open a match, and return its first report by the name of its reader."""
    club.new(name=name, **seats)
    return {
        email["To"].addresses[0].display_name: email
        for email in club.run_tick()
        if name in email["Subject"]
    }


def has_tip(email: EmailMessage) -> bool:
    """Return whether a report is made with a tip; that of a match's beginning shows none, because
    its email says what matters."""
    return b'"tips":true' in value_in(email.as_bytes())


def second_report(club: MailClub, name: str, **seats: str) -> EmailMessage:
    """Open a match, and return White's report of turn 1."""
    first_reports(club, name, **seats)
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO", match=name)
    (email,) = (one for one in club.run_tick() if "Turn 1" in one["Subject"])
    return email


def test_a_tip_is_in_text_email_and_page_alike(club):
    told = parts(second_report(club, "m1"))
    (line, *_) = (one for one in told["text"].split("\n") if one.startswith("| Tip: "))
    begins = line.removeprefix("| ")
    assert begins in told["html"]
    assert begins in told["page"]
    assert told["text"].count("Tip:") == told["html"].count("Tip:") == 1


def test_tips_come_in_a_players_first_two_matches_of_a_game(club):
    for name, gets_one in (("m1", True), ("m2", True), ("m3", False)):
        emails = first_reports(club, name)
        assert {reader: has_tip(email) for reader, email in emails.items()} == {
            "Anna": gets_one,
            "Bob": gets_one,
        }


def test_a_seat_that_was_given_up_counts_and_later_matches_do_not(club):
    club.add("Cecilia")
    first_reports(club, "m1", white="Cecilia")
    club.replace("m1", "white", "Anna", reason="-")
    club.run_tick()
    emails = first_reports(club, "m2", white="Cecilia")
    assert has_tip(emails["Cecilia"])
    emails = first_reports(club, "m3", white="Cecilia")
    assert not has_tip(emails["Cecilia"])
    assert not has_tip(emails["Bob"])
    assert "| Tip: " in printed(club, "m1")["black"]


def printed(club: MailClub, match: str) -> dict[str, str]:
    """Return the present report of each seat, as text."""
    reports = club.newest_reports(match)
    return {one.report.seat: show(one, "text") for one in reports}


@pytest.mark.parametrize(("choice", "gets_one"), [("ON", True), ("OFF", False)])
def test_a_players_choice_goes_before(club, choice, gets_one):
    first_reports(club, "m1")
    club.write("white", f"PREFS TIPS {choice}", to=club.address("white", "m1"))
    club.run_tick()
    for name in ("m2", "m3", "m4"):
        emails = first_reports(club, name)
        assert has_tip(emails["Anna"]) == gets_one
    assert not has_tip(emails["Bob"])


def test_json_has_no_tip(club):
    first_reports(club, "m1")
    report = club.live_report("m1", "white")
    assert "| Tip: " in show(report, "text")
    assert "Tip" not in json.dumps(report.body)
    assert not any("tip" in key for key in report.body)


def test_computers_and_the_end_have_no_tips(club):
    club.new(name="m1", black="computer")
    club.run_tick()
    assert "| Tip: " in printed(club, "m1")["white"]
    assert "| Tip: " not in printed(club, "m1")["black"]
    club.cancel("m1", reason="-")
    assert not any("| Tip: " in told for told in printed(club, "m1").values())


def test_tips_are_in_the_readers_language(club):
    club.add("Nils", language="nb")
    first_reports(club, "m1", white="Nils")
    assert "| Tips: " in printed(club, "m1")["white"]
