"""The email dialog: orders in, one answer out, and nothing told to anybody who may not know it."""

from datetime import timedelta

import pytest

from adjudicator.mail.transport.ways import Permanent, Temporary
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


def text(letter):
    return letter.get_body(("plain",)).get_content()


def only(letters):
    (letter,) = letters
    return letter


SHEET = ("Hello!", "ORDERS m white", "SETUP RANDOM", "END", "-- ", "Anna")


def test_the_first_reports_go_to_each_player_alone(club):
    assert [to for _, to, _ in club.way.letters] == ["anna@example.org", "bob@example.org"]
    for sender, _, raw in club.way.letters:
        assert sender.startswith("adjud+bounce.")
        assert b"\r\nCc:" not in raw
        assert b"\r\nBcc:" not in raw


def test_a_sheet_by_mail_is_answered_once_with_what_is_in_force(club):
    club.write("white", *SHEET)
    answer = only(club.night())
    assert answer["To"] == "Anna <anna@example.org>"
    assert answer["Subject"] == "[m] Turn 0: orders in force, revision 1"
    assert answer["Auto-Submitted"] == "auto-replied"
    assert answer["In-Reply-To"] == "<0.white@example.org>"
    assert answer["Reply-To"] == club.address("white")
    assert "accepted, revision 1" in text(answer)
    assert "  SETUP RANDOM" in text(answer)
    assert club.way.letters[-1][0] == ""
    assert club.night() == []


def test_a_match_is_played_by_mail(club):
    club.write("white", *SHEET)
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    letters = club.night()
    kinds = [letter["X-Adjud"] for letter in letters]
    assert kinds == ["receipt", "receipt", "report", "report"]
    assert "Turn 1, White: orders due" in letters[2]["Subject"]
    assert letters[2].get_body(("html",)) is not None
    assert club.loaded().match.ply == 1


def test_bare_lines_are_a_sheet_if_every_line_parses(club):
    club.write("white", "SETUP RANDOM", "", "-- ", "Anna")
    assert "accepted, revision 1" in text(only(club.night()))


def test_a_wrong_sheet_is_refused_with_every_line_and_stores_nothing(club):
    club.write("white", "ORDERS m white", "SETUP", "1S25PX", "END")
    answer = only(club.night())
    assert answer["Subject"] == "[m] Turn 0: orders NOT accepted, no orders in force"
    assert "'X' is no piece" in text(answer)
    assert club.loaded().sheets == {}


def test_a_letter_from_elsewhere_is_parked_and_the_address_on_file_asked(club):
    club.write("white", *SHEET, sender="mallory@evil.example")
    asked = only(club.night())
    assert asked["To"] == "Anna <anna@example.org>"
    assert club.loaded().sheets == {}
    assert "would be accepted" in text(asked)
    code = text(asked).split("CONFIRM ")[1].split()[0]
    club.write("white", f"CONFIRM {code}")
    confirmed = only(club.night())
    assert "accepted, revision 1" in text(confirmed)
    assert "white" in club.loaded().sheets


def test_a_code_counts_once_and_only_the_right_one(club):
    club.write("white", *SHEET, sender="mallory@evil.example")
    code = text(only(club.night())).split("CONFIRM ")[1].split()[0]
    club.write("black", f"CONFIRM {code}")
    assert "nothing to confirm" in text(only(club.night()))
    club.write("white", f"CONFIRM {code}")
    club.night()
    club.write("white", f"CONFIRM {code}")
    assert "nothing to confirm" in text(only(club.night()))


def test_a_forger_gets_nothing_and_the_seat_is_untouched(club):
    wrong_tag = club.address("white").replace("white", "black")
    for address in (wrong_tag, "adjud+m.white.aaaaaaaaaaaaaaaa@play.example.org"):
        club.write("white", *SHEET, sender="mallory@evil.example", to=address)
    (alert,) = club.night()
    assert alert["To"] == "gm@example.org"
    assert club.loaded().sheets == {}


def test_letters_to_addresses_that_are_nearly_a_seats_are_told_to_the_operator_once_a_day(club):
    """If the key were lost, all letters would be such."""
    seat = "adjud+m.white.aaaaaaaaaaaaaaaa@play.example.org"
    elsewhere = [
        "adjud+m.nobody.aaaaaaaaaaaaaaaa@play.example.org",
        "adjud+other.white.aaaaaaaaaaaaaaaa@play.example.org",
        "adjud+m.white.aaaaaaaaaaaaaaaa@else.example.org",
        "somebody@play.example.org",
    ]
    for to in (seat, seat, *elsewhere):
        club.write("white", *SHEET, to=to)
    club.write("white", *SHEET, to=seat, Auto_Submitted="auto-replied")
    (alert,) = club.night()
    assert alert["To"] == "gm@example.org"
    assert text(alert).startswith("2 letters came for seats to addresses that are not those seats'")
    assert "white" not in text(alert)
    for hour in (1, 2, 30):
        club.write("white", *SHEET, to=seat)
        told = club.night(MONDAY + hour * HOUR)
        assert len(told) == (hour == 30)
    assert text(told[0]).startswith("3 letters came")
    assert club.night(MONDAY + 31 * HOUR) == []
    assert club.loaded().sheets == {}


def test_what_came_to_such_addresses_after_the_alert_is_told_the_next_day(club):
    for hour in (0, 1):
        club.write("white", *SHEET, to="adjud+m.white.aaaaaaaaaaaaaaaa@play.example.org")
        told = club.night(MONDAY + hour * HOUR)
        assert len(told) == (hour == 0)
    (alert,) = club.night(MONDAY + 24 * HOUR)
    assert text(alert).startswith("1 letter came for a seat")


def test_a_player_cannot_order_for_the_other_seat(club):
    club.write("white", "ORDERS m black", "SETUP RANDOM", "END")
    answer = only(club.night())
    assert "this sheet is for Black, not for White" in text(answer)
    assert club.loaded().sheets == {}


def test_a_letter_that_only_answers_ours_is_parked(club):
    report = club.way.letters[0][2]
    our_id = next(
        line.split(b": ")[1].decode()
        for line in report.split(b"\r\n")
        if line.startswith(b"Message-ID")
    )
    club.write("white", *SHEET, to="adjud@play.example.org", In_Reply_To=our_id)
    assert only(club.night())["X-Adjud"] == "confirm"
    assert club.loaded().sheets == {}


def test_robots_are_not_answered(club):
    club.write("white", *SHEET, Auto_Submitted="auto-replied")
    club.write("white", *SHEET, Precedence="bulk")
    assert club.night() == []
    assert club.loaded().sheets == {}


def test_the_same_letter_twice_is_used_once_and_answered_at_most_once_more(club):
    club.write("white", *SHEET)
    club.night()
    for expected in (1, 0):
        club.post(club.raws[0], club.address("white"))
        assert len(club.night()) == expected
    assert club.loaded().sheets["white"].revision == 1


def test_resigning_by_mail_must_be_confirmed(club):
    club.write("white", "RESIGN")
    asked = only(club.night())
    assert club.loaded().match.status == "playing"
    code = text(asked).split("CONFIRM ")[1].split()[0]
    club.write("white", f"CONFIRM {code}")
    letters = club.night()
    assert [letter["X-Adjud"] for letter in letters] == ["receipt", "report", "report"]
    assert club.loaded().match.status == "over"


def test_commands_are_answered_in_one_letter(club):
    club.write("white", "STATUS", "TEMPLATE", "HELP", "REPORT")
    answer = text(only(club.night()))
    assert "ORDERS m white turn 0" in answer
    assert "Headquarters" in answer
    assert "Waiting" in answer or "awaited" in answer


def test_a_dry_run_by_mail_stores_nothing(club):
    club.write("white", "CHECK", *SHEET)
    assert "would be accepted" in text(only(club.night()))
    assert club.loaded().sheets == {}


def test_language_and_zone_are_changed_by_letter(club):
    club.write("white", "LANGUAGE sv", "ZONE Europe/Stockholm")
    club.night()
    holder = club.loaded().holders["white"]
    assert (holder.language, holder.zone) == ("sv", "Europe/Stockholm")


def test_a_letter_that_is_too_large_is_kept_and_answered(club):
    club.write("white", *SHEET, "x" * 300_000)
    assert only(club.night())["X-Adjud"] == "refusal"
    assert club.loaded().sheets == {}


def test_the_former_holder_of_a_seat_orders_nothing(club):
    from adjudicator.service.match import game_master

    club.add("Carl")
    game_master.replace(club.store, "m", "white", "Carl", reason="", now=MONDAY, means=club.means)
    club.night()
    club.write("white", *SHEET)
    assert "You no longer hold this seat" in text(only(club.night()))
    club.write("white", *SHEET)
    assert club.night() == []
    assert club.loaded().sheets == {}


def test_a_letter_waits_longer_each_time_the_server_is_down_and_arrives_once(club):
    club.write("white", *SHEET)
    club.way.trouble = Temporary("connection refused")
    assert club.night() == []
    assert club.told == []  # it would tell that a letter of White came
    club.way.trouble = None
    assert club.night(MONDAY + timedelta(minutes=4)) == []
    assert len(club.night(MONDAY + timedelta(minutes=5))) == 1
    assert club.night(MONDAY + HOUR) == []


def test_a_letter_that_nobody_takes_is_stuck_and_told(club):
    club.write("white", *SHEET)
    club.way.trouble = Permanent("no such mailbox")
    club.night()
    assert club.told[-1].startswith("letter out-")
    assert club.told[-1].endswith(" is stuck: no such mailbox")


def test_that_a_report_waits_is_told(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.way.trouble = Temporary("connection refused")
    club.night()
    assert len(club.told) == 2
    assert all(line.endswith(" waits: connection refused") for line in club.told)


def test_reminders_go_only_to_who_has_not_ordered(club):
    club.write("white", *SHEET)
    club.night()
    letters = club.night(MONDAY + timedelta(days=2.5))
    assert [letter["To"] for letter in letters] == ["Bob <bob@example.org>"]


def test_the_same_row_makes_the_same_bytes(club):
    from adjudicator.service.letters_out import writing
    from adjudicator.store import outbox

    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET status = 'waiting', next_at = created_at")
        letter = outbox.take(tx, 1, MONDAY)
        made = [writing.write(tx, letter, "anna@example.org", club.means) for _ in range(2)]
    assert made[0] == made[1] == club.way.letters[0][2]
