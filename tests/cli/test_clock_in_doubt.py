"""The operator sees that the clock is in doubt, and says that it is right."""

from tests.program import Adjud

LATER = "2026-12-24 12:00:00"


def test_the_doctor_shows_the_doubt_until_the_operator_says_that_the_clock_is_right(
    playing: Adjud,
) -> None:
    playing.does("tick")
    assert "clock: plausible" in playing("doctor").out
    playing.does("tick", at=LATER)
    line = "!!  clock: in doubt since a tick at 2026-12-24 12:00 UTC"
    assert line in playing("doctor", at=LATER).out
    playing.does("tick", at=LATER)
    assert line in playing("doctor", at=LATER).out
    assert playing.does("tick", "--sure", at=LATER) == ""
    assert "clock: plausible" in playing("doctor", at=LATER).out


def test_a_tournament_starts_when_the_operator_is_sure(playing: Adjud) -> None:
    playing.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    people = ("--entrant", "Anna", "--entrant", "Bob", "--entrant", "Cleo")
    starts = ("--starts", "2026-12-20 18:00")
    playing.does("tournament", "new", "cup", "espionage", "--kind", "round-robin", *starts, *people)
    playing.does("tick")
    told = playing.does("tick", at=LATER)
    assert "the tournament cup: its time has come, but `adjud tick` had not run since" in told
    assert "If the clock is right, run `adjud tick --sure`" in told
    assert "the tournament" not in playing.does("tick", at=LATER)
    assert "cup: the tournament has begun" in playing.does("tick", "--sure", at=LATER)
