"""`adjud gm deadline` moves a deadline both ways; a very long wait is asked about first."""

import click
import pytest

from tests.program import Adjud

M = "espionage-1"
NEW = ("new", "espionage", "--seat", "white=Anna", "--seat", "black=Bob")


def due(adjud: Adjud) -> str:
    (line,) = (line for line in adjud.does("status", M).splitlines() if "is waiting for" in line)
    return line.partition(" until ")[2]


@pytest.mark.parametrize(
    ("words", "date"),
    [
        (("extend", M, "31 days"), "2026-12-25 12:00 UTC"),
        (("extend", M, "4000 days"), "2037-11-06 12:00 UTC"),
        (("deadline", M, "2027-11-24 18:00"), "2027-11-24 18:00 UTC"),
        (("deadline", M, "40 days"), "2026-12-31 12:00 UTC"),
        (("forfeit", M, "white", "--by", "300 days"), "2027-09-17 12:00 UTC"),
    ],
)
def test_a_wait_of_more_than_ten_turns_needs_yes(
    playing: Adjud, words: tuple[str, ...], date: str
) -> None:
    before = playing.dump()
    answer = playing("gm", *words)
    assert answer.code == 1
    assert playing.dump() == before
    assert f"wait until {date}, more than 10 times" in answer.err
    assert "--yes" in answer.err
    assert date in playing.does("gm", *words, "--yes")


def test_ten_turns_are_given_without_a_question(playing: Adjud) -> None:
    assert "2026-12-24 12:00 UTC" in playing.does("gm", "extend", M, "30 days")
    assert "2027-01-23 12:00" in playing.does("gm", "deadline", M, "2027-01-23 12:00")


def test_going_on_with_a_very_long_extension_needs_yes(playing: Adjud) -> None:
    playing.does("gm", "hold", M, "--reason", "x")
    resume = ("gm", "resume", M, "--reason", "y", "--extend", "4000 days")
    answer = playing(*resume)
    assert answer.code == 1
    assert "--yes" in answer.err
    assert "continues" in playing.does(*resume, "--yes")
    assert "2037" in due(playing)


@pytest.mark.parametrize(("reply", "code"), [(False, 1), (True, 0)])
def test_at_a_terminal_it_asks(
    playing: Adjud, monkeypatch: pytest.MonkeyPatch, reply: bool, code: int
) -> None:
    asked: list[str] = []

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return reply

    monkeypatch.setattr("adjudicator.cli.master.at_terminal", lambda: True)
    monkeypatch.setattr(click, "confirm", confirm)
    answer = playing("gm", "extend", M, "4000 days")
    assert answer.code == code
    assert "2037-11-06" in asked[0]
    assert ("2037" in due(playing)) is reply


@pytest.mark.parametrize(
    "words",
    [
        ("gm", "extend", M, "9999999 days"),
        ("gm", "extend", M, "9999 weeks", "--yes"),
        ("gm", "extend", M, f"{'9' * 5000} days", "--yes"),
        ("gm", "deadline", M, "9999999 days", "--yes"),
        ("gm", "deadline", M, "9999 weeks", "--yes"),
        ("gm", "deadline", M, "9999-12-31 23:59-23:59", "--yes"),
        ("gm", "deadline", M, "2026-02-30", "--yes"),
        ("gm", "forfeit", M, "white", "--by", "99999999 weeks", "--yes"),
        ("gm", "forfeit", M, "white", "--by", "9999 weeks", "--yes"),
        ("player", "absence", "Anna", "2026-12-01", "9999-12-31"),
        ("player", "absence", "Anna", "2026-12-01", "2199-12-31"),
        (*NEW, "--option", "grace=99999 days"),
        (*NEW, "--option", "settle=9999999999999 weeks"),
        (*NEW, "--option", "deadline=every 9999999 days"),
    ],
)
def test_an_absurd_time_is_refused_in_a_sentence(playing: Adjud, words: tuple[str, ...]) -> None:
    before = playing.dump()
    answer = playing(*words)
    assert answer.code == 1
    assert "error inside adjud" not in answer.err
    assert len(answer.err) < 300
    assert playing.dump() == before


def test_however_often_a_match_is_extended_no_time_overflows(playing: Adjud) -> None:
    for _ in range(12):
        answer = playing("gm", "extend", M, "9000 days", "--yes")
        assert answer.code == 0 or "2199" in answer.err
    assert "2199" in answer.err


def test_a_held_match_goes_on_with_no_absurd_time(playing: Adjud) -> None:
    playing.does("gm", "hold", M, "--reason", "x")
    answer = playing("gm", "resume", M, "--reason", "y", "--extend", "9999 weeks", "--yes")
    assert answer.code == 1
    assert "2199" in answer.err


@pytest.mark.parametrize(
    ("time", "date"),
    [
        ("2026-11-23 18:00", "Mon 23 Nov 2026 18:00 UTC"),
        ("2026-11-23T18:00", "Mon 23 Nov 2026 18:00 UTC"),
        ("2026-11-23T18:00+01:00", "Mon 23 Nov 2026 17:00 UTC"),
        ("2026-11-23T18:00Z", "Mon 23 Nov 2026 18:00 UTC"),
        ("2026-11-23", "Mon 23 Nov 2026 12:00 UTC"),
        ("Mon 18:00", "Mon 23 Nov 2026 18:00 UTC"),
        ("36 hours", "Mon 23 Nov 2026 00:00 UTC"),
        ("2026-11-30", "Mon 30 Nov 2026 12:00 UTC"),
    ],
)
def test_a_deadline_is_set_earlier_or_later(playing: Adjud, time: str, date: str) -> None:
    answer = playing("gm", "deadline", M, time, "--reason", "both agreed")
    assert (answer.code, answer.err) == (0, "")
    assert due(playing) == date
    told = playing.does("report", M, "black")
    assert "The deadline is now" in told
    assert "both agreed" in told


def test_a_time_is_in_the_zone_of_the_match(club: Adjud) -> None:
    club.match(M, "--option", "timezone=Europe/Oslo", "--option", "deadline=every 3 days")
    club.does("gm", "deadline", M, "2026-11-23 18:00")
    assert due(club) == "Mon 23 Nov 2026 17:00 UTC"


def test_a_match_without_deadlines_gets_one_for_this_turn(club: Adjud) -> None:
    club.match(M, "--option", "absence=forfeit")
    club.armies()
    club.does("gm", "deadline", M, "2026-11-28")
    assert due(club) == "Sat 28 Nov 2026 23:59 UTC"
    assert "reminders were queued" in club.does("tick", at="2026-11-28 12:00:00")
    club.does("submit", "-", stdin=f"ORDERS {M} white\nd3-d4\nf3-f4\nEND\n")
    club.does("tick", at="2026-11-28 13:00:00")
    assert "until" not in club.does("status", M)


@pytest.mark.parametrize("time", ["2026-11-20 12:00", "2026-11-21 12:00", "2026-11-21", "0 days"])
def test_a_time_that_is_past_is_refused(playing: Adjud, time: str) -> None:
    answer = playing("gm", "deadline", M, time)
    assert answer.code == 1
    assert "is in the past" in answer.err
    assert due(playing) == "Tue 24 Nov 2026 12:00 UTC"


@pytest.mark.parametrize("time", ["soon", "every 3 days", "2026-12-24 25:00", "18:00", ""])
def test_what_is_no_time_is_refused(playing: Adjud, time: str) -> None:
    answer = playing("gm", "deadline", M, time)
    assert answer.code == 1
    assert "2026-12-24" in answer.err


def test_short_notice_is_called_so(playing: Adjud) -> None:
    answer = playing("gm", "deadline", M, "3 hours")
    assert answer.code == 0
    assert "soon" in answer.err


def test_an_earlier_deadline_has_its_reminder_and_its_end(club: Adjud) -> None:
    club.match(M, "--option", "deadline=every 3 days", "--option", "absence=forfeit")
    club.armies()
    club.does("gm", "deadline", M, "2026-11-22 12:00")
    assert "reminders were queued" in club.does("tick", at="2026-11-22 08:00:00")
    assert "is over" in club.does("tick", at="2026-11-22 12:00:00")


def test_a_deadline_set_in_a_held_match_waits_for_it(playing: Adjud) -> None:
    playing.does("gm", "hold", M, "--reason", "x")
    playing.does("gm", "deadline", M, "2 days")
    playing.does("gm", "resume", M, "--reason", "y", at="2026-11-22 12:00:00")
    assert due(playing) == "Tue 24 Nov 2026 12:00 UTC"


def test_an_open_match_has_no_deadline_yet(club: Adjud) -> None:
    club.does("new", "espionage", "--match", M, "--seat", "white=Anna", "--open")
    answer = club("gm", "deadline", M, "2 days")
    assert answer.code == 1
    assert "has not begun" in answer.err


ENDS = {
    "cancel": ("gm", "cancel", M, "--reason", "x"),
    "forfeit": ("gm", "forfeit", M, "black", "--reason", "x"),
    "of the seat itself": ("gm", "forfeit", M, "white", "--reason", "x"),
}


@pytest.mark.parametrize("end", ENDS)
def test_an_announced_forfeit_ends_with_its_match(playing: Adjud, end: str) -> None:
    playing.does("gm", "forfeit", M, "white", "--by", "2 days")
    assert "forfeits" in playing.does("status", M)
    playing.does(*ENDS[end])
    assert "forfeits" not in playing.does("status", M)
    assert "forfeits" not in playing.does("status", M, "--format", "json")
    _no_forfeit_is_left(playing)


def test_an_announced_forfeit_ends_with_a_resignation(playing: Adjud) -> None:
    playing.does("gm", "forfeit", M, "white", "--by", "2 days")
    playing.does("submit", "-", "--tick", stdin=f"ORDERS {M} black\nRESIGN\nEND\n")
    _no_forfeit_is_left(playing)


def test_an_announced_forfeit_ends_with_a_draw(playing: Adjud) -> None:
    playing.does("gm", "forfeit", M, "white", "--by", "2 days")
    for seat in ("white", "black"):
        playing.does("submit", "-", "--tick", stdin=f"ORDERS {M} {seat}\nDRAW\nEND\n")
    assert "; over" in playing.does("status", M)
    _no_forfeit_is_left(playing)


def test_an_announced_forfeit_ends_with_orders_of_the_seat(playing: Adjud) -> None:
    playing.does("gm", "forfeit", M, "white", "--by", "2 days")
    playing.does("submit", "-", "--tick", stdin=f"ORDERS {M} white\nd3-d4\nf3-f4\nEND\n")
    _no_forfeit_is_left(playing)


def test_an_announced_forfeit_ends_with_its_holder(playing: Adjud) -> None:
    playing.does("player", "add", "Carl", "carl@example.org", "--confirmed")
    playing.does("gm", "forfeit", M, "white", "--by", "2 days")
    playing.does("gm", "replace", M, "white", "Carl")
    _no_forfeit_is_left(playing)


def _no_forfeit_is_left(adjud: Adjud) -> None:
    assert "forfeits" not in adjud.does("status", M)
    rows = [row for row in adjud.dump() if row.startswith("seat")]
    assert not any("2026-11-23T12:00" in row for row in rows)
