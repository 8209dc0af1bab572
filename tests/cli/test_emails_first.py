"""Emails that reached us are read before any time is up or anything final is ruled."""

import pytest
from freezegun import freeze_time

from tests.program import BLACK_ARMY, WHITE_ARMY, Adjud

MORNING, LATE = "2026-11-24 08:02:00", "2026-11-24 12:01:00"
WHITE, BLACK = (
    ("ORDERS fast white turn 0", "SETUP", *WHITE_ARMY.split(), "END"),
    ("ORDERS fast black turn 0", "SETUP", *BLACK_ARMY.split(), "END"),
)


@pytest.fixture
def fast(by_mail: Adjud) -> Adjud:
    """Begin the match `fast`, in which a seat that is silent on Tuesday at noon is forfeited."""
    by_mail.match("fast", "--option", "deadline=every 3 days", "--option", "absence=forfeit")
    by_mail.does("tick", at="2026-11-23 12:00:00")
    return by_mail


def came(adjud: Adjud, seat: str, *lines: str, at: str = MORNING) -> None:
    with freeze_time(at):
        adjud.came(seat, *lines, match="fast")


@pytest.mark.slow
def test_a_tick_of_one_match_reads_the_emails_that_wait(fast: Adjud) -> None:
    came(fast, "white", *WHITE)
    came(fast, "black", *BLACK)
    out = fast.does("tick", "--match", "fast", at=LATE)
    assert "over" not in out
    assert "turn 1 is waiting for white" in fast.does("status", "fast")


def test_submit_with_tick_reads_the_emails_that_wait(fast: Adjud) -> None:
    """White's email was in the spool before the deadline; Black's own command must not pass it
    over."""
    came(fast, "white", *WHITE)
    fast.does("submit", "-", "--tick", stdin="\n".join(BLACK), at=LATE)
    assert "turn 1 is waiting for white" in fast.does("status", "fast")


@pytest.mark.slow
def test_the_game_master_adjudicates_the_newest_revision_that_reached_us(fast: Adjud) -> None:
    fast.does("submit", "-", stdin="\n".join(WHITE))
    fast.does("submit", "-", stdin="\n".join((*BLACK[:-1], "NOTREADY", "END")))
    second = ("SETUP", *reversed(WHITE_ARMY.split()), "END")
    came(fast, "white", "ORDERS fast white turn 0", *second)
    fast.does("gm", "adjudicate", "fast", "--expect", "0", at=MORNING)
    fast.does("tick", at=MORNING)
    assert "  3  M  1  H  3  S  5  M  2  4  P  3" in fast.does("report", "fast", "white")


@pytest.mark.slow
@pytest.mark.parametrize("lines", [(), WHITE])
def test_a_forfeit_does_not_tell_whether_orders_have_come(
    fast: Adjud, lines: tuple[str, ...]
) -> None:
    """The game master may play against that seat."""
    if lines:
        came(fast, "white", *lines)
    words = ("gm", "forfeit", "fast", "white", "--reason", "No answer.")
    assert fast.does(*words, at=LATE) == "fast: white has lost by forfeit\n"


def test_orders_that_reached_us_save_a_seat_whose_forfeit_was_announced(fast: Adjud) -> None:
    fast.does("gm", "forfeit", "fast", "white", "--by", "1 hour", at=MORNING)
    came(fast, "white", *WHITE, at="2026-11-24 09:30:00")
    assert "over" not in fast.does("tick", at="2026-11-24 09:31:00")


@pytest.fixture
def cut_off(fast: Adjud) -> Adjud:
    """Make the mailbox unreachable."""
    settings = (fast.folder / "adjud.toml").read_text()
    fast.write("adjud.toml", f'{settings}fetch = "maildir:{fast.folder}/none"\n')
    return fast


@pytest.mark.parametrize("words", ["tick", "tick --match fast", "submit - --tick"])
def test_no_deadline_is_missed_while_the_mailbox_cannot_be_reached(
    cut_off: Adjud, words: str
) -> None:
    answer = cut_off(*words.split(), stdin="\n".join(BLACK), at=LATE)
    assert "emails cannot be fetched" in answer.err
    assert "adjudicated" not in answer.out
    assert "fast: espionage standard, white Anna, black Bob; playing" in cut_off.does("status")


@pytest.mark.slow
def test_nothing_final_is_ruled_while_the_mailbox_cannot_be_reached(cut_off: Adjud) -> None:
    before = cut_off.dump()
    answer = cut_off("gm", "forfeit", "fast", "white", at=LATE)
    assert answer.code == 1
    assert answer.err.startswith("adjud: emails cannot be fetched: ")
    assert cut_off.dump() == before
