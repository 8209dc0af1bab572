"""What an answer says about the commands and the sheets of a letter, and what waits to be
confirmed.

Commands are told in their order; so are slips in them, and letters in which nothing was understood.
"""

from datetime import timedelta
from email.message import EmailMessage

import pytest

from adjudicator.store import absences, players
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
NOTHING = "There are no orders in your letter."
ELSEWHERE = "anna@work.example"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


@pytest.fixture
def playing(club):
    """Play a match to White's first turn."""
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.night()
    return club


def said(letter):
    """Return the text of a letter as one line."""
    return " ".join(letter.get_body(("plain",)).get_content().split())


def ask(club, *lines, **more):
    club.write("white", *lines, **more)
    answer, *_ = club.night()
    return answer


def ask_with(club, letter):
    letter["From"], letter["Message-ID"] = "anna@example.org", f"<{len(club.raws)}@x.example>"
    letter["To"] = club.address("white")
    club.post(letter.as_bytes(), club.address("white"))
    (answer,) = club.night()
    return answer


def code(letter):
    return said(letter).split("CONFIRM ")[1].split()[0]


def revision(club):
    sheet = club.loaded().sheets.get("white")
    return sheet and sheet.revision


# Commands beside a sheet, in the order of the letter.


def test_clear_above_a_sheet_withdraws_what_was_before_and_not_the_sheet(club):
    ask(club, *SHEET)
    answer = ask(club, "CLEAR", *SHEET)
    assert answer["Subject"] == "[m] Turn 0: orders in force, revision 2"
    assert "In force: revision 2." in said(answer)
    assert revision(club) == 2


def test_clear_below_a_sheet_withdraws_it_and_the_subject_says_so(club):
    answer = ask(club, *SHEET, "CLEAR")
    assert answer["Subject"] == "[m] Turn 0: no orders in force"
    assert "No orders of yours are in force." in said(answer)
    assert revision(club) is None


def test_clear_above_an_attached_sheet_does_not_withdraw_it(club):
    letter = EmailMessage()
    letter.set_content("CLEAR\n")
    letter.add_attachment("\n".join(SHEET), filename="orders.txt")
    assert ask_with(club, letter)["Subject"] == "[m] Turn 0: orders in force, revision 1"


@pytest.mark.parametrize("above", [True, False])
def test_a_sheet_beside_a_code_is_newer_than_what_the_code_confirms(playing, above):
    parked = ask(playing, "ORDERS m white turn 1", "c3-c4", "f3-f4", "END", sender=ELSEWHERE)
    sheet = ("ORDERS m white turn 1", "d3-d4", "f3-f4", "NOTREADY", "END")
    confirm = f"CONFIRM {code(parked)}"
    answer = ask(playing, *((confirm, *sheet) if above else (*sheet, confirm)))
    assert list(playing.loaded().sheets["white"].lines) == ["d3-d4", "f3-f4"]
    assert answer["Subject"] == "[m] Turn 1: orders in force, revision 2"
    assert said(answer).index("accepted, revision 1") < said(answer).index("accepted, revision 2")


def test_a_code_that_confirms_nothing_is_no_success(club):
    ask(club, *SHEET)
    answer = ask(club, "CONFIRM 7K3QXY")
    assert answer["X-Adjud"] == "refusal"
    assert answer["Subject"] == "[m] Turn 0: orders NOT accepted, revision 1 stays in force"


# What is to be confirmed.


def test_a_resignation_is_called_one_before_it_is_confirmed(club):
    answer = ask(club, "RESIGN")
    assert answer["X-Adjud"] == "confirm"
    assert answer["Subject"] == "[m] Please confirm"
    assert "This is a resignation" in said(answer)


def test_a_strangers_resignation_is_not_called_orders(club):
    answer = ask(club, "RESIGN", sender="eve@evil.example")
    assert answer["To"] == "Anna <anna@example.org>"
    assert "This is a resignation" in said(answer)
    assert "from elsewhere" in said(answer)
    assert "Orders for your seat" not in said(answer)


def test_a_resignation_within_a_strangers_sheet_is_named(playing):
    sheet = ("ORDERS m white", "d3-d4", "f3-f4", "RESIGN", "END")
    asked = said(ask(playing, *sheet, sender="eve@evil.example"))
    assert "This is a resignation" in asked
    assert "d3-d4 f3-f4" in asked


def test_orders_from_elsewhere_are_shown_as_understood_to_the_address_on_file(playing):
    playing.write("white", "ORDERS m white", "D3–D4", "f3-f4", "END", sender=ELSEWHERE)
    (asked,) = playing.night()
    assert asked["To"] == "Anna <anna@example.org>"
    assert "from elsewhere" in said(asked)
    assert "would be accepted" in said(asked)
    assert "d3-d4 f3-f4" in said(asked)
    assert "before the deadline" in said(asked)
    assert playing.loaded().sheets == {}


def test_press_from_elsewhere_is_shown_before_it_goes_out_under_the_seats_name(playing):
    lines = ("PRESS TO black", "I give up soon.", "ENDPRESS")
    asked = said(ask(playing, *lines, sender=ELSEWHERE))
    assert "Your press to Black would be sent." in asked
    assert "| I give up soon." in asked
    assert len(playing.way.letters) == len(
        [x for x in playing.way.letters if b"press for" not in x[2]]
    )


def test_a_question_from_elsewhere_is_no_order(club):
    asked = said(ask(club, "HELP", sender=ELSEWHERE))
    assert "Orders for your seat" not in asked
    assert "understood: HELP" in asked
    assert "before the deadline" not in asked


def test_where_every_sheet_is_confirmed_nothing_is_said_to_come_from_elsewhere(club):
    club.new("deadline=every 3 days", "level=confirm", name="n")
    club.night()
    asked = ask(club, "ORDERS n white", *SHEET[1:], to=club.address("white", "n"))
    assert "from elsewhere" not in said(asked)
    assert "would be accepted" in said(asked)


# Letters that ask for nothing but an answer, and those that say nothing.


def test_status_alone_is_answered_and_not_called_empty(club):
    answer = ask(club, "STATUS")
    assert NOTHING not in said(answer)
    assert answer["X-Adjud"] == "receipt"
    assert "No orders of yours are in force. Your orders for turn 0 are awaited." in said(answer)


@pytest.mark.parametrize("word", ["RESIGN", "CLEAR", "NOTREADY", "DRAW"])
def test_a_dry_run_of_a_command_says_what_was_understood_and_does_nothing(club, word):
    ask(club, *SHEET)
    answer = ask(club, "CHECK", word)
    assert NOTHING not in said(answer)
    assert f"understood: {word}" in said(answer)
    assert "CONFIRM" not in said(answer)
    assert revision(club) == 1
    assert club.loaded().declarations == []


def test_check_alone_says_nothing_that_could_be_checked(club):
    answer = ask(club, "CHECK")
    assert NOTHING in said(answer)
    assert answer["X-Adjud"] == "refusal"


def forwarded():
    return ("---------- Forwarded message ---------", "From: Anna <anna@example.org>", *SHEET)


@pytest.mark.parametrize(
    "lines",
    [
        forwarded(),
        (">> ORDERS m white", ">> SETUP RANDOM", ">> END"),
        ("-- ", "Anna"),
    ],
)
def test_a_letter_in_which_nothing_was_understood_is_refused(club, lines):
    ask(club, *SHEET)
    answer = ask(club, *lines)
    assert answer["X-Adjud"] == "refusal"
    assert answer["Subject"] == "[m] Turn 0: orders NOT accepted, revision 1 stays in force"
    assert NOTHING in said(answer)


def test_bare_orders_in_html_are_refused(playing):
    letter = EmailMessage()
    letter.set_content("<p>d3-d4</p><p>f3-f4</p>", subtype="html")
    answer = ask_with(playing, letter)
    assert answer["Subject"] == "[m] Turn 1: orders NOT accepted, no orders in force"


@pytest.mark.parametrize(
    ("kind", "name"), [("ms-tnef", "winmail.dat"), ("octet-stream", "WINMAIL.DAT")]
)
def test_outlooks_own_attachment_is_called_unreadable(club, kind, name):
    letter = EmailMessage()
    letter.set_content("\n")
    letter.add_attachment(b"\x78\x9f\x3e\x22", "application", kind, filename=name)
    answer = ask_with(club, letter)
    assert answer["X-Adjud"] == "refusal"
    assert "its attachment cannot be read" in said(answer)


def test_of_a_text_in_which_nothing_parses_ten_lines_are_quoted_back(playing):
    told = said(ask(playing, *(f"| part {number} of your report" for number in range(40))))
    assert told.count("I do not understand") == 10
    assert "and 30 more lines like these" in told


# Sheets for another match.


def test_nothing_is_said_of_what_is_in_force_in_a_match_that_nobody_looked_at(club):
    club.new("deadline=every 3 days", name="n")
    club.night()
    told = said(ask(club, "ORDERS n white turn 0", *SHEET[1:]))
    assert "this sheet is for n, not for m" in told
    assert told.count("orders are in force") == 0
    assert told.count("No orders of yours are in force.") == 1


def test_the_subject_names_what_this_letter_put_in_force_beside_what_was_refused(club):
    answer = ask(club, *SHEET, "ORDERS n white", *SHEET[1:])
    assert answer["X-Adjud"] == "refusal"
    assert answer["Subject"] == "[m] Turn 0: orders in force, revision 1, but NOT all was accepted"


# Over the limit of a day.


def test_over_the_limit_refusals_are_told(club):
    for _ in range(31):
        club.write("white", *SHEET)
    club.write("white", "ORDERS m white", "SETUP", "1S2X", "END")
    answer = club.night()[-1]
    assert "2 more of your letters were read." in said(answer)
    assert "Accepted: 1. Refused: 1." in said(answer)
    assert "'X' is no piece" in said(answer)
    assert said(answer).count("In force: revision 31.") == 1
    assert answer["Subject"] == "[m] Turn 0: orders in force, revision 31, but NOT all was accepted"


def test_over_the_limit_one_letter_is_one(club):
    for _ in range(31):
        club.write("white", *SHEET)
    assert "1 more of your letters was read." in said(club.night()[-1])


# Slips in commands.


@pytest.mark.parametrize("line", ["STATUS.", "Status!", "*STATUS*", "PING?"])
def test_a_mark_behind_a_command_does_no_harm(club, line):
    assert ask(club, line)["X-Adjud"] == "receipt"


def test_a_full_stop_behind_a_code_does_no_harm(club):
    asked = ask(club, *SHEET, sender=ELSEWHERE)
    assert "accepted, revision 1" in said(ask(club, f"CONFIRM {code(asked)}."))


@pytest.mark.parametrize("line", ["REPORT TURN 0", "Rapport runde 0", "RAPPORT omgång 0."])
def test_a_report_may_be_asked_for_by_its_turn(club, line):
    assert "Commitments" in said(ask(club, line))


@pytest.mark.parametrize(
    "dates",
    [
        "2026-12-24 2026-12-31",
        "2026-12-24 - 2026-12-31",
        "2026-12-24 – 2026-12-31",
        "from 2026-12-24 to 2026-12-31",
        "fra 24.12.2026–31.12.2026.",
        "från 2026-12-24 till 2026-12-31",
    ],
)
def test_an_absence_may_be_written_in_many_ways(club, dates):
    assert "away from 2026-12-24 to 2026-12-31" in said(ask(club, f"ABSENCE {dates}"))
    with club.store.reading() as tx:
        (entry,) = absences.of_players(tx, [1])
    assert entry.last - entry.first == timedelta(days=7)


def test_a_wish_may_stand_in_the_singular(club):
    ask(club, "PREFS reminder off")
    with club.store.reading() as tx:
        assert players.find(tx, "Anna").reminders == "off"


ABSENCE = "ABSENCE from 24 Dec to 31 Dec"
FORM = "ABSENCE is written: ABSENCE 2026-12-24 TO 2026-12-31"


def test_a_command_that_is_not_understood_is_told_its_form(club):
    answer = ask(club, ABSENCE)
    assert answer["X-Adjud"] == "refusal"
    assert FORM in said(answer)


def test_a_slip_beside_a_sheet_or_a_command_is_told_its_form(club):
    answer = ask(club, ABSENCE, *SHEET)
    assert answer["Subject"] == "[m] Turn 0: orders in force, revision 1"
    assert f"line 1: {ABSENCE}: {FORM}" in said(answer)
    assert FORM in said(ask(club, "STATUS", ABSENCE))


def test_a_slip_among_bare_orders_is_told_its_form_and_nothing_is_taken(playing):
    """Otherwise `CHECK d3-d4` would be left out of a sheet of its other lines."""
    answer = ask(playing, "d3-d4", "f3-f4", "CHECK please")
    assert answer["X-Adjud"] == "refusal"
    assert "CHECK is written: CHECK" in said(answer)
    assert playing.loaded().sheets == {}


def test_a_sentence_that_begins_as_a_command_does_is_no_slip(playing):
    words = "Ready or not, here come my orders for this turn of the match"
    told = said(ask(playing, words, "ORDERS m white turn 1", "d3-d4", "f3-f4", "END"))
    assert "is written" not in told


@pytest.mark.parametrize("line", ["Last ned Outlook for iOS", "Hämta Outlook för iOS"])
def test_a_telephones_advertisement_is_no_order(playing, line):
    assert "accepted, revision 1" in said(ask(playing, "d3-d4", "f3-f4", "", line))


def test_lines_in_bold_are_read(playing):
    told = said(ask(playing, "*ORDERS m white turn 1*", "*d3-d4*", "*f3-f4*", "*END*"))
    assert "accepted, revision 1" in told


def test_a_letter_of_more_sheets_than_anybody_sends_is_refused_and_not_stuck(club):
    club.means = club.means
    answer = ask(club, *("ORDERS m white", "END") * 101)
    assert answer["X-Adjud"] == "refusal"
    assert "There are 101 sheets in your letter" in said(answer)
