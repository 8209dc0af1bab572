"""Keys of letters: each is queued once, however the game master changes the times."""

from datetime import timedelta

from adjudicator.service import rulings
from adjudicator.store.database import Store
from tests.service.club import MONDAY, Club

DAY = timedelta(days=1)


def test_a_second_reminder_after_more_time_was_given_has_a_key_of_its_own(store: Store) -> None:
    club = Club(store)
    club.add("Anna", "Bob")
    club.new("deadline=every 10 days")
    club.send("black", "SETUP RANDOM")
    assert club.tick(MONDAY + 9 * DAY) == ["m: reminders were queued"]
    rulings.extend(store, "m", 30 * DAY, reason="", now=MONDAY + 9 * DAY, means=club.means)
    assert club.tick(MONDAY + 9 * DAY) == []
    assert club.tick(MONDAY + 36 * DAY) == ["m: reminders were queued"]
    to_white = [key for key in club.letters("reminder") if "white" in key]
    assert to_white == ["m/1/white/reminder", "m/1/white/reminder/2"]
