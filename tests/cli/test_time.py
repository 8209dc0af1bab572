"""Set deadlines and absences on the command line, and the clock's settings in the configuration."""

from datetime import date, timedelta

import pytest

from adjudicator.cli.shell import Run
from tests.program import Adjud

TODAY = date(2026, 11, 21)  # by the clock of these tests


def refusal(club: Adjud, *words: str) -> str:
    """Return what a command says that must be refused."""
    answer = club(*words)
    assert answer.code == 1, answer
    return answer.err


def test_a_match_skips_weekdays_and_dates(club: Adjud) -> None:
    given = ("--option", "deadline=every 3 days", "--option")
    club.match("espionage-1", *given, "skip=Sat,Sun,2026-12-24..2027-01-02")
    refused = refusal(club, "new", "espionage", "--open", *given, "skip=Sat..Sun")
    assert "'Sat..Sun' is neither a weekday nor a date; write Sat, 2026-12-24 or" in refused


def test_a_player_says_that_he_will_be_away(club: Adjud) -> None:
    first, last = TODAY + timedelta(days=3), TODAY + timedelta(days=5)
    told = club.does("player", "absence", "anna", str(first), str(last))
    assert told.startswith(f"Noted: you are away from {first} to {last}. Deadlines already set")


def test_an_absence_that_cannot_be_is_refused(club: Adjud) -> None:
    yesterday = str(TODAY - timedelta(days=2))
    assert "or later, but not" in refusal(club, "player", "absence", "Anna", yesterday, str(TODAY))
    assert "there is no player" in refusal(club, "player", "absence", "Zoe", str(TODAY), str(TODAY))
    assert "'soon' is not a date; write one like 2026-12-24" in refusal(
        club, "player", "absence", "Anna", "soon", str(TODAY)
    )


def test_the_days_of_absence_are_a_setting(club: Adjud) -> None:
    club.write("adjud.toml", "absence_days = 1\n")
    first, last = TODAY + timedelta(days=3), TODAY + timedelta(days=8)
    assert "are too many" in refusal(club, "player", "absence", "Anna", str(first), str(last))


def test_a_player_chooses_his_reminders(club: Adjud) -> None:
    assert club.does("player", "set", "anna", "--reminders", "daily") == "Anna: changed\n"
    assert '"reminders":"daily"' in club.does("player", "list", "--format", "json")


@pytest.mark.parametrize(
    ("text", "gap", "silent"),
    [
        ("", timedelta(days=2), 5),
        ('[clock]\nmax_gap = "12 hours"\nmax_silent = 20\n', timedelta(hours=12), 20),
        ('[clock]\nmax_gap = "0"\n', None, 5),
    ],
)
def test_the_outage_valve_is_set_in_the_configuration(
    adjud: Adjud, text: str, gap: timedelta | None, silent: int
) -> None:
    adjud.write("adjud.toml", text)
    context = Run("adjud.toml", None).context
    assert (context.max_gap, context.max_silent, context.absence_days) == (gap, silent, 30)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[clock]\nmax_gap = "long"\n', "clock.max_gap: 'long' is not a duration"),
        ("[clock]\nmax_gap = 2\n", "clock.max_gap must be text in quotes"),
        ("[clock]\nmax_silent = -1\n", "clock.max_silent must be 0 or more"),
        ("absence_days = -1\n", "absence_days must be 0 or more"),
        ("[clock]\nmax_gab = 1\n", "did you mean clock.max_gap?"),
    ],
)
def test_a_clock_that_cannot_be_is_refused(club: Adjud, text: str, said: str) -> None:
    club.write("adjud.toml", text)
    assert said in refusal(club, "tick")
