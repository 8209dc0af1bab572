"""Deadlines: how they are written and when the next one is, daylight saving included."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from adjudicator.resources import is_time_zone, time_zones
from adjudicator.service.base.calendar import (
    Every,
    Never,
    Skip,
    Weekly,
    next_deadline,
    parse_deadline,
    parse_duration,
    parse_skip,
    parse_zone,
    shown_time,
)
from tests.club import Refusal

OSLO = ZoneInfo("Europe/Oslo")


def at(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "deadline"),
    [
        ("none", Never()),
        ("every 3 days", Every(3, "day")),
        ("every day", Every(1, "day")),
        ("every 12 hours", Every(12, "hour")),
        ("Tue,Fri 18:00", Weekly((1, 4), 18, 0)),
        ("friday, tuesday 7:30", Weekly((1, 4), 7, 30)),
    ],
)
def test_a_deadline_is_written_as_people_say_it(text, deadline):
    assert parse_deadline(text) == deadline


@pytest.mark.parametrize(
    "text", ["", "sometimes", "every 0 days", "every 3 moons", "Tue 25:00", "Xyz 18:00"]
)
def test_what_is_no_deadline_is_refused_with_an_example(text):
    with pytest.raises(Refusal, match="write"):
        parse_deadline(text)


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("0", timedelta(0)),
        ("2 days", timedelta(days=2)),
        ("1 day", timedelta(days=1)),
        ("90 minutes", timedelta(minutes=90)),
        ("36h", timedelta(hours=36)),
        ("1 week", timedelta(weeks=1)),
    ],
)
def test_a_duration_is_written_as_people_say_it(text, duration):
    assert parse_duration(text) == duration


@pytest.mark.parametrize("text", ["", "soon", "2", "-1 day", "2 days later", "1 month"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(Refusal, match="is not a duration"):
        parse_duration(text)


def test_a_misspelt_zone_is_answered_with_the_nearest():
    with pytest.raises(Refusal, match="did you mean Europe/Oslo"):
        parse_zone("Europe/Olso")


def test_a_zone_is_one_if_it_is_in_the_list_of_all():
    names = {"", "UTC", "Oslo", "Europe", "Europe/Olso", "..", "a\0", "a" * 999, "/etc/localtime"}
    names |= {*sorted(time_zones())[::20], "right/Europe/Oslo", "posix/UTC", "posixrules"}
    assert {name for name in names if is_time_zone(name)} == names & time_zones()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("GMT+2", "Europe/Helsinki.*Etc/GMT-2 is always 2 hours ahead of UTC"),
        ("utc -5", "America/New_York.*Etc/GMT.5 is always 5 hours behind UTC"),
        ("+1", "Europe/Oslo.*Etc/GMT-1 is always 1 hour ahead of UTC"),
        ("UTC+05:30", "Asia/Kolkata"),
        ("CEST", "did you mean Europe/Oslo"),
        ("PST", "did you mean America/Los_Angeles"),
        ("New York", "did you mean America/New_York"),
        ("norge", "did you mean Europe/Oslo"),
        ("STOCKHOLM", "did you mean Europe/Stockholm"),
    ],
)
def test_an_offset_an_abbreviation_or_a_city_is_answered_with_a_right_zone(name, told):
    with pytest.raises(Refusal, match=told):
        parse_zone(name)


def test_every_zone_that_is_suggested_exists():
    for hours in range(-12, 15):
        with pytest.raises(Refusal) as refused:
            parse_zone(f"GMT {hours:+d}")
        told = str(refused.value.messages[0])
        for zone in re.findall(r"[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:[+-]\d+)?", told):
            offset = parse_zone(zone).utcoffset(at(2026, 1, 15, 12))
            assert "Etc" not in zone or offset == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["", " "])
def test_no_zone_is_like_no_name(name):
    with pytest.raises(Refusal, match="is not a time zone; write one like Europe/Oslo"):
        parse_zone(name)


def test_days_keep_the_wall_time_when_the_clocks_change():
    # Oslo leaves summer time on 25 October 2026: 20:00 there is 18:00 UTC before, 19:00 after.
    due = next_deadline(Every(3, "day"), OSLO, at(2026, 10, 23, 18))
    assert due == at(2026, 10, 26, 19)


def test_hours_are_hours_when_the_clocks_change():
    assert next_deadline(Every(72, "hour"), OSLO, at(2026, 10, 23, 18)) == at(2026, 10, 26, 18)


def test_weekdays_are_wall_times_of_the_zone():
    tue_fri = Weekly((1, 4), 18, 0)
    assert next_deadline(tue_fri, OSLO, at(2026, 11, 21, 10)) == at(2026, 11, 24, 17)
    assert next_deadline(tue_fri, OSLO, at(2026, 7, 21, 17)) == at(2026, 7, 24, 16)


def test_a_deadline_is_never_the_present_moment():
    assert next_deadline(Weekly((1,), 18, 0), OSLO, at(2026, 11, 24, 17)) == at(2026, 12, 1, 17)


def test_an_hour_that_spring_skips_is_moved_and_one_that_autumn_repeats_comes_once():
    run_tick = Weekly((6,), 2, 30)
    assert next_deadline(run_tick, OSLO, at(2026, 3, 28, 12)) == at(2026, 3, 29, 1)
    first = next_deadline(run_tick, OSLO, at(2026, 10, 24, 12))
    assert first == at(2026, 10, 25, 0, 30)
    assert next_deadline(run_tick, OSLO, first) == at(2026, 11, 1, 1, 30)


def test_a_time_is_shown_in_the_readers_zone_beside_utc():
    moment = at(2026, 11, 24, 23)
    assert shown_time(moment, "UTC") == "Tue 24 Nov 2026 23:00 UTC"
    assert shown_time(moment, "Europe/Oslo") == (
        "Wed 25 Nov 2026 00:00 Europe/Oslo (Tue 23:00 UTC)"
    )


SAT_SUN = parse_skip("Sat,Sun")


@pytest.mark.parametrize(
    ("text", "skip"),
    [
        ("none", Skip()),
        ("Sat,Sun", Skip((5, 6))),
        ("sunday, SATURDAY", Skip((5, 6))),
        ("2026-12-31", Skip((), ((date(2026, 12, 31), date(2026, 12, 31)),))),
        (
            "Sun, 2026-12-24..2027-01-02, 2027-05-17",
            Skip(
                (6,),
                (
                    (date(2026, 12, 24), date(2027, 1, 2)),
                    (date(2027, 5, 17), date(2027, 5, 17)),
                ),
            ),
        ),
    ],
)
def test_what_is_skipped_is_written_as_weekdays_and_dates(text, skip):
    assert parse_skip(text) == skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is neither a weekday nor a date; write Sat, 2026-12-24 or 2026"),
        ("Sat,,Sun", "'' is neither a weekday nor a date"),
        ("Sat..Sun", "'Sat..Sun' is neither a weekday nor a date"),
        ("Xyz", "'Xyz' is not a weekday; write Mon, Tue"),
        ("24.12.2026", "'24.12.2026' is not a date; write one like 2026-12-24"),
        ("2026-02-30", "the date 2026-02-30 does not exist"),
        ("2027-01-02..2026-12-24", "'2027-01-02..2026-12-24' ends before it begins"),
        ("2026-01-01..2027-01-02", "'2026-01-01..2027-01-02' is longer than a year"),
        ("Mon,Tue,Wed,Thu,Fri,Sat,Sun", "skip cannot name all seven weekdays"),
        (",".join(["2026-12-24"] * 51), "skip can have at most 50 weekdays and dates"),
    ],
)
def test_what_cannot_be_skipped_is_refused_with_the_reason(text, said):
    with pytest.raises(Refusal, match=re.escape(said)):
        parse_skip(text)


def test_a_deadline_on_a_skipped_day_moves_to_the_next_day_at_the_same_wall_time():
    thursday = at(2026, 11, 26, 17)  # 18:00 in Oslo
    assert next_deadline(Every(2, "day"), OSLO, thursday, SAT_SUN) == at(2026, 11, 30, 17)
    assert next_deadline(Every(1, "day"), OSLO, thursday, SAT_SUN) == at(2026, 11, 27, 17)
    weekly = Weekly((5,), 18, 0)
    assert next_deadline(weekly, OSLO, thursday, SAT_SUN) == at(2026, 11, 30, 17)
    hours = Every(36, "hour")
    assert next_deadline(hours, OSLO, thursday, SAT_SUN) == at(2026, 11, 30, 5)


def test_skipped_dates_and_weekdays_that_meet_are_skipped_as_one():
    skip = parse_skip("Sat,Sun,2026-12-24..2027-01-01")
    assert next_deadline(Every(3, "day"), OSLO, at(2026, 12, 21, 17), skip) == at(2027, 1, 4, 17)


def test_a_skipped_day_is_a_day_of_the_matchs_zone():
    friday = at(2026, 11, 20, 23, 30)  # Saturday 00:30 in Oslo
    assert next_deadline(Every(1, "week"), OSLO, friday, SAT_SUN) == at(2026, 11, 29, 23, 30)


def test_the_wall_time_is_kept_when_the_clocks_change_among_the_skipped_days():
    # In Oslo the clocks go back on 25 October 2026 and forward on 28 March 2027, both Sundays.
    friday = at(2026, 10, 23, 16)  # 18:00 in summer
    assert next_deadline(Every(1, "day"), OSLO, friday, SAT_SUN) == at(2026, 10, 26, 17)
    friday = at(2027, 3, 26, 17)  # 18:00 in winter
    assert next_deadline(Every(1, "day"), OSLO, friday, SAT_SUN) == at(2027, 3, 29, 16)


def test_a_deadline_that_moves_into_the_hour_that_spring_skips_is_as_if_it_were_not():
    saturday = Weekly((5,), 2, 30)
    due = next_deadline(saturday, OSLO, at(2027, 3, 26, 12), parse_skip("Sat"))
    assert due == at(2027, 3, 28, 1, 30)  # 03:30 in summer


def test_a_deadline_that_moves_away_from_the_hour_that_spring_skips_keeps_its_wall_time():
    sunday = Weekly((6,), 2, 30)
    due = next_deadline(sunday, OSLO, at(2027, 3, 27, 12), parse_skip("Sun"))
    assert due == at(2027, 3, 29, 0, 30)


def test_a_deadline_that_moves_into_the_hour_that_autumn_repeats_is_its_first():
    saturday = Weekly((5,), 2, 30)
    due = next_deadline(saturday, OSLO, at(2026, 10, 23, 12), parse_skip("Sat"))
    assert due == at(2026, 10, 25, 0, 30)


def test_a_deadline_in_the_hour_that_autumn_repeats_leaves_it_at_the_same_wall_time():
    # 26 October 2025, 02:30 for the second time, is 01:30 UTC.
    due = next_deadline(Every(1, "week"), OSLO, at(2025, 10, 26, 1, 30), SAT_SUN)
    assert due == at(2025, 11, 3, 1, 30)
