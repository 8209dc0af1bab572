"""Decide which letter counts: late ones, used ids, too many of them, and those that a code
confirms."""

from datetime import timedelta

import pytest

from adjudicator.store import absences, players
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

MINUTE = timedelta(minutes=1)
SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
NOON, EARLIER, ALMOST = (
    f"Mon, 23 Nov 2026 {time} +0000" for time in ("12:00:00", "11:49:59", "11:50:00")
)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


def text(letter):
    return letter.get_body(("plain",)).get_content().replace("\r\n", "\n")


def ask(club, *lines, **more):
    club.write("white", *lines, **more)
    (letter,) = club.night(more.get("at", MONDAY))
    return letter


def code(letter):
    return text(letter).split("CONFIRM ")[1].split()[0]


def revision(club):
    return club.loaded().sheets["white"].revision


def test_a_sheet_that_was_long_on_its_way_is_parked_and_counts_once_confirmed(club):
    ask(club, *SHEET, Date=NOON)
    asked = ask(club, *SHEET, Date=EARLIER)
    assert asked["X-Adjud"] == "confirm"
    assert "was written before" in text(asked)
    assert "In force: revision 1." in text(asked)
    assert revision(club) == 1
    assert "accepted, revision 2" in text(ask(club, f"CONFIRM {code(asked)}", Date=NOON))
    assert revision(club) == 2


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        (SHEET, {"Date": ALMOST}),
        (SHEET, {}),
        (("ORDERS m white rev 1", *SHEET[1:]), {"Date": EARLIER}),
    ],
)
def test_a_sheet_that_is_hardly_older_or_knows_the_one_in_force_counts(club, lines, headers):
    ask(club, *SHEET, Date=NOON)
    assert ask(club, *lines, **headers)["X-Adjud"] == "receipt"
    assert revision(club) == 2


def test_a_late_sheet_that_names_an_older_revision_is_parked(club):
    ask(club, *SHEET, Date=NOON)
    ask(club, *SHEET, Date=NOON)
    assert ask(club, "ORDERS m white rev 1", *SHEET[1:], Date=EARLIER)["X-Adjud"] == "confirm"


def test_a_late_sheet_that_is_wrong_is_refused_at_once(club):
    ask(club, *SHEET, Date=NOON)
    assert ask(club, "ORDERS m white", "SETUP", "x", "END", Date=EARLIER)["X-Adjud"] == "refusal"


def test_a_late_clear_withdraws_nothing_unasked(club):
    ask(club, *SHEET, Date=NOON)
    assert ask(club, "CLEAR", Date=EARLIER)["X-Adjud"] == "confirm"
    assert revision(club) == 1


def test_a_used_id_with_other_words_is_new_and_comes_with_a_note(club):
    ask(club, *SHEET, Message_ID="<same@example.org>")
    answer = ask(club, "STATUS", *SHEET, Message_ID="<same@example.org>")
    assert "same Message-ID" in text(answer)
    assert revision(club) == 2


def test_a_letter_that_came_by_two_ways_is_a_duplicate(club):
    ask(club, *SHEET)
    club.post(b"Received: by another way\r\n" + club.raws[-1], club.address("white"))
    club.night()
    assert revision(club) == 1


def test_a_letter_before_the_deadline_counts_though_it_is_read_after_it(club):
    deadline = club.loaded().match.deadline_at
    ask(club, *SHEET)
    club.write("white", *SHEET, at=deadline - MINUTE)
    club.write("white", *SHEET, at=deadline)
    letters = club.night(deadline + MINUTE)
    kinds = [letter["X-Adjud"] for letter in letters if letter["To"].startswith("Anna")]
    assert kinds[:2] == ["receipt", "refusal"]


def test_over_thirty_a_day_letters_are_read_and_answered_together(club):
    for _ in range(33):
        club.write("white", *SHEET)
    letters = club.night()
    assert len(letters) == 31
    assert "3 more of your letters were read" in text(letters[-1])
    assert "In force: revision 33." in text(letters[-1])
    club.write("white", "STATUS")
    assert len(club.night()) == 1
    assert len(club.night()) == 0


def test_letters_that_are_parked_do_not_use_up_the_seats_own(club):
    for _ in range(32):
        club.write("white", *SHEET, sender="eve@evil.example")
    letters = club.night()
    assert len(letters) == 31
    assert text(letters[-1]).count("CONFIRM ") == 2
    assert ask(club, *SHEET)["Subject"] == "[m] Turn 0: orders in force, revision 1"


def test_where_every_sheet_is_confirmed_it_counts_when_its_code_comes(club):
    club.new("deadline=every 3 days", "level=confirm", name="n")
    club.night()
    to = club.address("white", "n")
    asked = ask(club, "ORDERS n white", "SETUP RANDOM", "END", to=to)
    assert club.loaded("n").sheets == {}
    later = MONDAY + 5 * MINUTE
    done = ask(club, f"CONFIRM {code(asked)}", to=to, at=later)
    assert "accepted, revision 1" in text(done)
    assert club.loaded("n").sheets["white"].received_at == later


def test_where_every_sheet_is_confirmed_questions_are_answered_at_once(club):
    club.new("level=confirm", name="n")
    club.night()
    to = club.address("white", "n")
    assert ask(club, "STATUS", to=to)["X-Adjud"] == "receipt"
    assert ask(club, "LANGUAGE nb", to=to)["X-Adjud"] == "receipt"
    for word in ("CLEAR", "DRAW", "NOTREADY", "SETUP RANDOM"):
        assert ask(club, word, to=to)["X-Adjud"] == "confirm"
    assert club.loaded("n").sheets == {}


def test_a_code_lets_no_other_orders_pass(club):
    asked = ask(club, "CONFIRM AAAAAA", *SHEET, sender="eve@evil.example")
    assert asked["X-Adjud"] == "confirm"
    asked = ask(club, "CONFIRM AAAAAA", "SETUP RANDOM", sender="eve@evil.example")
    assert asked["X-Adjud"] == "confirm"
    assert club.loaded().sheets == {}


def test_html_alone_is_no_bare_order(club):
    club.write("white", "SETUP RANDOM", Content_Type="text/html")
    raw = club.raws[-1].replace(b"text/plain", b"text/html")
    club.night()
    club.post(raw.replace(b"<0.", b"<h."), club.address("white"))
    club.night()
    assert club.loaded().sheets["white"].revision == 1


def test_commands_are_not_called_ignored_lines(club):
    assert "ignored" not in text(ask(club, "STATUS", *SHEET))


@pytest.mark.parametrize(
    ("words", "wish"),
    [("daily", "daily"), ("OFF", "off"), ("on", "on")],
)
def test_reminders_are_as_a_player_wishes(club, words, wish):
    ask(club, f"PREFS reminders {words}")
    with club.store.reading() as tx:
        assert players.find(tx, "Anna").reminders == wish


def test_a_wish_that_is_not_known_is_told(club):
    assert "on, off, daily" in text(ask(club, "PREFS reminders never"))


@pytest.mark.parametrize(
    "line",
    ["ABSENCE 2026-12-24 TO 2026-12-31", "FRAVÆR fra 24.12.2026 til 31.12.2026"],
)
def test_an_absence_is_noted(club, line):
    assert "away from 2026-12-24 to 2026-12-31" in text(ask(club, line))
    with club.store.reading() as tx:
        (entry,) = absences.of_players(tx, [1])
    assert str(entry.last) == "2026-12-31"


def test_a_day_that_is_none_is_told(club):
    assert "'2026-13-24' is no day" in text(ask(club, "ABSENCE 2026-13-24 TO 2026-12-31"))
