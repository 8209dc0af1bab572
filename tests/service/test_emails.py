"""Emails that go out: each is queued once, however the game master changes the times.

Each says what is attached to it.
"""

from datetime import timedelta
from pathlib import Path

from tests.club import MONDAY, Club, Store
from tests.database import update_player
from tests.service.mailclub import MailClub, files_of

DAY = timedelta(days=1)


def test_a_second_reminder_after_more_time_was_given_has_a_key_of_its_own(store: Store) -> None:
    club = Club(store)
    club.add("Anna", "Bob")
    club.new("deadline=every 10 days")
    club.send("black", "SETUP RANDOM")
    assert club.tick(MONDAY + 9 * DAY) == ["m: reminders were queued"]
    club.extend("m", 30 * DAY, now=MONDAY + 9 * DAY)
    assert club.tick(MONDAY + 9 * DAY) == []
    assert club.tick(MONDAY + 36 * DAY) == ["m: reminders were queued"]
    to_white = [key for key in club.letters("reminder") if "white" in key]
    assert to_white == ["m/1/white/reminder", "m/1/white/reminder/2"]


def test_a_report_says_that_the_page_attached_to_it_writes_the_sheet(
    store: Store, tmp_path: Path
) -> None:
    told = "The attached page writes these orders for you. Open it in a browser."
    club = MailClub(store, tmp_path)
    club.add("Anna", "Bob")
    club.new("deadline=every 10 days")
    report = next(one for one in club.run_tick() if one["To"].addresses[0].username == "anna")
    page = next(report.iter_attachments()).get_content().decode().replace("\r\n", "\n").rstrip()
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO")
    (turn,) = club.run_tick()
    for part in ("plain", "html"):
        first, said = (one.get_body((part,)).get_content() for one in (report, turn))
        assert "open the attached page in a browser" in " ".join(first.split())
        assert said.index("Your orders") < said.index(told) < said.index("ORDERS m white")
    assert told not in page
    assert "ORDERS m white" in page
    assert "<script" in page
    reminder = next(one for one in club.run_tick(MONDAY + 9 * DAY) if "anna" in one["To"])
    assert "ORDERS m white" in reminder.get_content()
    assert told not in reminder.get_content()


def test_a_player_who_wishes_no_page_gets_a_light_email_without_it(
    store: Store, tmp_path: Path
) -> None:
    club = MailClub(store, tmp_path)
    club.add("Anna", "Bob")
    with store.transaction() as tx:
        update_player(tx, 1, page="none")
    club.new()
    emails = {str(one["To"]): one for one in club.run_tick()}
    anna, bob = emails["Anna <anna@example.org>"], emails["Bob <bob@example.org>"]
    assert files_of(anna) == []
    assert len(files_of(bob)) == 1
    assert len(anna.as_bytes()) < 34_000
    for part in ("plain", "html"):
        assert "attached page" not in anna.get_body((part,)).get_content()
        assert "ORDERS m white" in anna.get_body((part,)).get_content()


def test_a_receipt_is_light(store: Store, tmp_path: Path) -> None:
    club = MailClub(store, tmp_path)
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    (receipt,) = (one for one in club.run_tick() if one["X-Adjud"] == "receipt")
    assert len(receipt.as_bytes()) < 10_000
