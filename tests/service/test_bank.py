"""The reserve as it is written and as it runs (club, 5.1, 5.2.1 and 5.2.2), to the second."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.games import GAMES
from adjudicator.service.base.bank import Bank, Running, day_begins, parse_bank, spell_bank
from adjudicator.service.base.calendar import Away, parse_skip
from adjudicator.service.base.options import agree
from tests.club import Refusal

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OSLO = ZoneInfo("Europe/Oslo")
WEEKEND = parse_skip("Sat,Sun")


def oslo(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=OSLO).astimezone(UTC)


DUE = oslo(2026, 11, 27, 12)  # Friday


@pytest.mark.parametrize(
    ("written", "spelt", "bank"),
    [
        ("none", "none", None),
        ("10 days", "10 days", Bank(10 * DAY)),
        (
            "10d+36h max 10d",
            "10 days + 36 hours max 10 days",
            Bank(10 * DAY, 36 * HOUR, 1, 10 * DAY),
        ),
        ("30 Days + 1 day/2", "30 days + 1 day / 2", Bank(30 * DAY, DAY, 2)),
        ("0 + 12 hours max 12 hours",) * 2 + (Bank(0 * DAY, 12 * HOUR, 1, 12 * HOUR),),
        ("1 week / 1", None, None),
        ("2 days+1 hour/1", "2 days + 1 hour", Bank(2 * DAY, HOUR)),
    ],
)
def test_a_bank_has_one_spelling(written, spelt, bank):
    if spelt is None:
        with pytest.raises(Refusal, match="is not a bank"):
            parse_bank(written)
        return
    assert spell_bank(written) == spelt
    assert parse_bank(written) == parse_bank(spelt) == bank


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("10", "'10' is not a bank; write one like 10 days + 1 day max 10 days, or none"),
        ("", "'' is not a bank"),
        ("max 3 days", "'max 3 days' is not a bank"),
        ("10 days max 5 days + 1 day", "is not a bank"),
        ("10 months", "'10 months' is not a bank"),
        ("0", "a bank that begins with 0 must add something"),
        ("5 days + 0", "must be more than 0"),
        ("1000 days", "'1000 days' is too long for a bank"),
        ("10 days + 1 day / 0", "at least once in 999 turns"),
        ("10 days + 1 day / 1000", "at least once in 999 turns"),
        ("10 days max 9 days", "cannot begin with 10 days and hold 9 days at most"),
    ],
)
def test_what_is_no_bank_is_refused_with_what_would_be(written, why):
    with pytest.raises(Refusal, match=why.replace("+", r"\+")):
        parse_bank(written)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["bank=10 days"], "a bank is drawn on after a deadline; give deadline, too"),
        (["leave=auto"], "leave=auto begins after a deadline; give deadline, too"),
        (["deadline=every 3 days", "double=3 days"], "double needs a bank; give bank, too"),
        (
            ["deadline=every 3 days", "bank=5 days", "grace=1 hour"],
            "grace cannot be given with bank",
        ),
        (
            ["deadline=every 3 days", "bank=5 days", "excused=1"],
            "excused cannot be given with bank",
        ),
        (["deadline=every 3 days", "leave=auto", "excused=1"], "given with leave=auto"),
        (["deadline=every 3 days", "leave=sometimes"], "leave cannot be 'sometimes'"),
    ],
)
def test_options_that_exclude_one_another_are_refused(options, why):
    with pytest.raises(Refusal, match=why):
        agree(GAMES["espionage"], options, 2)


def test_a_match_has_these_options_only_if_they_were_chosen():
    agreed = agree(GAMES["espionage"], ["deadline=every 3 days"], 2)
    assert not agreed.keys() & {"bank", "double", "leave"}
    agreed = agree(GAMES["espionage"], ["bank=5d + 1d", "deadline=every 3 days", "double=NONE"], 2)
    assert (agreed["bank"], agreed["double"]) == ("5 days + 1 day", "none")


@pytest.mark.parametrize(
    ("running", "due", "came", "drawn"),
    [
        (Running(OSLO, WEEKEND), DUE, oslo(2026, 11, 30, 15), 27 * HOUR),
        (Running(OSLO), DUE, oslo(2026, 11, 30, 15), 75 * HOUR),
        (Running(OSLO), oslo(2027, 3, 27, 12), oslo(2027, 3, 29, 12), 47 * HOUR),
        (Running(OSLO), oslo(2027, 10, 30, 12), oslo(2027, 11, 1, 12), 49 * HOUR),
        (Running(OSLO, double=19 * DAY), DUE, DUE + 22 * DAY, 25 * DAY),
        (Running(OSLO), DUE, DUE, 0 * DAY),
        (Running(OSLO), DUE, DUE - DAY, 0 * DAY),
        (Running(OSLO), DUE, DUE + timedelta(seconds=1), timedelta(seconds=1)),
    ],
)
def test_what_is_drawn_is_what_ran(running, due, came, drawn):
    assert running.cost_of_delay(due, came) == drawn


@pytest.mark.parametrize(
    ("running", "balance", "until"),
    [
        (Running(OSLO, WEEKEND), 10 * DAY, oslo(2026, 12, 11, 12)),
        (Running(OSLO, WEEKEND), 12 * HOUR, oslo(2026, 11, 30)),  # not Fri 24:00
        (
            Running(OSLO, WEEKEND, (Away(OSLO, date(2026, 11, 30), date(2026, 11, 30)),)),
            12 * HOUR,
            oslo(2026, 12, 1),
        ),
        (Running(OSLO), 0 * DAY, DUE),
        (Running(OSLO, parse_skip("Fri")), 0 * DAY, oslo(2026, 11, 28)),
        (Running(OSLO, double=DAY), 3 * DAY, DUE + 2 * DAY),
        # Somebody who lives elsewhere is away from another instant on.
        (
            Running(
                OSLO, away=(Away(ZoneInfo("Asia/Tokyo"), date(2026, 11, 28), date(2026, 11, 28)),)
            ),
            4 * HOUR,
            DUE + 28 * HOUR,
        ),
    ],
)
def test_a_seats_own_time_ends_where_no_more_could_be_drawn(running, balance, until):
    assert running.lasts_until(DUE, balance) == until


def test_a_day_begins_where_its_date_does_though_midnight_is_left_out():
    cairo = day_begins(date(2026, 4, 24), ZoneInfo("Africa/Cairo"))
    assert cairo == datetime(2026, 4, 23, 22, tzinfo=UTC)
    assert day_begins(date(2011, 12, 30), ZoneInfo("Pacific/Apia")) == datetime(
        2011, 12, 30, 10, tzinfo=UTC
    )


def test_the_balance_after_a_ply():
    bank = Bank(10 * DAY, DAY, 1, 10 * DAY)
    assert bank.after(864000, 27 * 3600, 1) == 853200
    assert bank.after(864000, 0, 1) == 864000  # MOST cuts
    every_second = Bank(DAY, HOUR, 2)
    assert [every_second.after(0, 0, turns) for turns in (1, 2, 3, 4)] == [0, 3600, 0, 3600]


ZONES = st.sampled_from(["Europe/Oslo", "Africa/Cairo", "Asia/Tokyo", "America/St_Johns", "UTC"])
MOMENTS = st.integers(0, 366 * 24 * 4 - 1).map(
    lambda n: datetime(2027, 1, 1, tzinfo=UTC) + n * timedelta(minutes=15)
)


@given(
    zone=ZONES,
    skip=st.sets(st.sampled_from(["Mon", "Tue", "Sat", "Sun"])),
    home=ZONES,
    first=st.integers(-5, 20),
    days=st.integers(0, 4),
    due=MOMENTS,
    quarters=st.integers(0, 4 * 24 * 12),
    double=st.none() | st.integers(0, 5).map(lambda days: days * DAY),
)
def test_it_runs_as_a_clock_would_that_is_looked_at_every_quarter(
    zone, skip, home, first, days, due, quarters, double
):
    begins = due.date() + first * DAY
    away = Away(ZoneInfo(home), begins, begins + days * DAY)
    skipped = parse_skip(",".join(sorted(skip)) or "none")
    running = Running(ZoneInfo(zone), skipped, (away,), double)
    quarter = timedelta(minutes=15)
    seen = [due + n * quarter for n in range(quarters)]
    runs = [
        not skipped.covers(at.astimezone(running.zone).date()) and not away.covers(at)
        for at in seen
    ]
    ran = sum(runs) * quarter
    drawn = ran + max(0 * DAY, ran - double) if double is not None else ran
    came = due + quarters * quarter
    assert running.cost_of_delay(due, came) == drawn
    until = running.lasts_until(due, drawn)
    assert until >= came
    assert running.cost_of_delay(due, until) == drawn
    assert running.cost_of_delay(due, until + timedelta(seconds=1)) > drawn
