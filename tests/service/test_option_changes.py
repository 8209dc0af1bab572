"""Options that are changed while a match is played: what follows, who is told, what is refused."""

from datetime import timedelta
from pathlib import Path

import pytest

from adjudicator.core.match import Seat
from tests.club import MONDAY, Club, Refusal, Store
from tests.database import match_named, update_match
from tests.service.mailclub import MailClub

DAY = timedelta(days=1)


@pytest.fixture
def club(store: Store) -> Club:
    return Club(store)


def change(club: Club, *options: str, now=MONDAY) -> str:
    told = club.change_options("m", options, now=now)
    return str(told)


def test_a_new_pace_is_that_of_the_next_turn(club: Club) -> None:
    club.begin("deadline=every 3 days")
    assert change(club, "deadline=every 1 day") == (
        "m: deadline is now every 1 day; this turn is due 2026-11-26 12:00 UTC"
    )
    assert club.report("black")["notices"][0]["text"] == (
        "The game master changed an option of the match: deadline is now 'every 1 day', before it "
        "was 'every 3 days'. The present turn keeps its deadline, Thu 26 Nov 2026, 12:00 UTC."
    )
    club.order("white")
    club.tick()
    assert club.loaded().match.deadline_at == MONDAY + DAY
    assert club.report("white")["options"]["deadline"] == "every 1 day"
    assert club.verify("m") == []


def test_a_turn_without_a_deadline_gets_one_and_one_with_it_may_lose_it(club: Club) -> None:
    club.begin()
    change(club, "deadline=every 2 days", now=MONDAY + 5 * DAY)
    assert club.loaded().match.deadline_at == MONDAY + 7 * DAY
    change(club, "deadline=none", now=MONDAY + 6 * DAY)
    assert club.loaded().match.deadline_at is None
    assert club.tick(MONDAY + 99 * DAY) == []


def test_nobody_is_reminded_in_a_match_without_reminders(club: Club) -> None:
    club.begin("deadline=every 5 days")
    assert change(club, "reminders=off") == "m: reminders is now off"
    assert club.tick(MONDAY + 4.5 * DAY) == []
    assert change(club, "reminders=on", now=MONDAY + 4.5 * DAY) == "m: reminders is now on"
    assert club.tick(MONDAY + 4.5 * DAY) == ["m: reminders were queued"]
    assert club.verify("m") == []


def test_nobody_is_told_of_what_is_so_already(club: Club) -> None:
    club.begin("absence=gm")
    assert change(club, "absence=gm") == "m: nothing to change, its options are like that"
    assert club.report("white")["notices"] == []


def test_silence_costs_no_more_once_a_turn_is_overdue(club: Club) -> None:
    club.begin("deadline=every 3 days", "excused=2", "absence=gm")
    late = MONDAY + 4 * DAY
    for option in ("absence=forfeit", "excused=1"):
        key = option.partition("=")[0]
        with pytest.raises(Refusal, match=f"the deadline of m has passed, and {key} would cost"):
            change(club, option, now=late)
    assert change(club, "excused=3", now=late) == "m: excused is now 3"


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("fights=both", "fights is a rule of Espionage and stays as it was agreed; these can be"),
        ("chance=drand", "chance stays as it was agreed"),
        ("reminders=daily", "reminders cannot be 'daily'"),
        ("presss=off", "there is no option 'presss'; did you mean press?"),
        ("deadline=soon", "'soon' is not a deadline"),
        ("press", "'press': write an option as KEY=VALUE"),
    ],
)
def test_what_cannot_be_changed(club: Club, option: str, sentence: str) -> None:
    club.begin()
    with pytest.raises(Refusal, match=sentence):
        change(club, option)


def test_a_match_that_is_over_keeps_its_options(club: Club) -> None:
    club.begin()
    club.cancel("m", reason="x")
    with pytest.raises(Refusal, match="m is over and stays over"):
        change(club, "press=off")


def test_verify_finds_options_that_no_ruling_changed(club: Club) -> None:
    club.begin("deadline=every 3 days")
    change(club, "press=off")
    club.order("white")
    club.tick()
    assert club.verify("m") == []
    with club.store.transaction() as tx:
        match = match_named(tx, "m")
        assert match is not None
        update_match(tx, match.id, options='{"deadline":"every 1 day"}')
    assert [str(one) for one in club.verify("m")] == [
        "the options are not those that all players know"
    ]


def test_an_undo_keeps_the_change(club: Club) -> None:
    """It is told with the ply that takes the place of the one that was taken back."""
    club.begin("deadline=every 3 days")
    club.order("white")
    club.tick()
    change(club, "deadline=every 1 day")
    club.undo("m", reason="x")
    assert club.loaded().match.deadline_at == MONDAY + DAY
    club.tick()
    assert club.verify("m") == []
    texts = [one["text"] for one in club.report("white")["notices"]]
    assert any("deadline is now 'every 1 day'" in text for text in texts)


def test_press_that_is_turned_off_is_refused_and_goes_again_when_it_is_on(
    store: Store, tmp_path: Path
) -> None:
    club = MailClub(store, tmp_path / "spool").opened()
    change(club, "press=off")
    emails = club.run_tick()
    assert {email["Subject"] for email in emails} == {"[m] A match option was changed"}
    assert "Messages between players are not passed on any more." in " ".join(
        emails[0].get_content().split()
    )
    club.write("white", "PRESS TO black", "Hello", "ENDPRESS")
    (answer,) = club.run_tick()
    assert "messages are turned off in this match" in answer.get_content()
    change(club, "press=on")
    club.run_tick()
    club.write("white", "PRESS TO black", "Hello", "ENDPRESS")
    assert "| Hello" in "".join(email.get_content() for email in club.run_tick())


def test_a_match_that_waits_for_its_number_opens_with_the_new_options(
    store: Store, tmp_path: Path
) -> None:
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob", "Cleo")
    draw = "chance=numbers: 6 of Lotto 6aus49 at 2026-11-28T19:00Z"
    club.new(draw, "deadline=every 3 days", black="open")
    club.run_tick()
    assert change(club, "press=off", "deadline=every 2 days") == (
        "m: press is now off, deadline is now every 2 days"
    )
    (email,) = club.run_tick()
    assert email["Subject"] == "[m] A match option was changed"
    assert change(club, "press=off") == "m: nothing to change, its options are like that"
    white = Seat("white")
    assert str(club.open_seat("m", white)) == "m: white is open"
    for seat, name in (("white", "Cleo"), ("black", "Bob")):
        club.replace("m", seat, name)
    with pytest.raises(Refusal, match="all players of m know which number decides"):
        club.open_seat("m", white)
    opened = MONDAY + 6 * DAY
    club.enter_value("m", "1 2 3 4 5 6", now=opened)
    loaded = club.loaded()
    assert loaded.match.deadline_at == opened + 2 * DAY
    assert loaded.match.options["press"] == "off"
    assert club.verify("m") == []
