"""Deadlines: how they are written and when the next one is, daylight saving included."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from adjudicator.service.calendar import (
    Every,
    Never,
    Weekly,
    next_deadline,
    parse_deadline,
    parse_duration,
    parse_zone,
    shown_time,
)
from adjudicator.service.refusal import Refusal

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
    with pytest.raises(Refusal, match="is no duration"):
        parse_duration(text)


def test_a_misspelt_zone_is_answered_with_the_nearest():
    with pytest.raises(Refusal, match="did you mean Europe/Oslo"):
        parse_zone("Europe/Olso")


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
    night = Weekly((6,), 2, 30)
    assert next_deadline(night, OSLO, at(2026, 3, 28, 12)) == at(2026, 3, 29, 1)
    first = next_deadline(night, OSLO, at(2026, 10, 24, 12))
    assert first == at(2026, 10, 25, 0, 30)
    assert next_deadline(night, OSLO, first) == at(2026, 11, 1, 1, 30)


def test_a_time_is_shown_in_the_readers_zone_beside_utc():
    moment = at(2026, 11, 24, 23)
    assert shown_time(moment, "UTC") == "Tue 24 Nov 2026 23:00 UTC"
    assert shown_time(moment, "Europe/Oslo") == (
        "Wed 25 Nov 2026 00:00 Europe/Oslo (Tue 23:00 UTC)"
    )
