"""Press: a player's words to another seat, passed on and never obeyed."""

import pytest

from adjudicator.core.commands import read_press
from adjudicator.core.sheets import read_sheets
from tests.service.mailclub import MailClub


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    club.night()
    return club


def text(letter):
    return letter.get_body(("plain",)).get_content().replace("\r\n", "\n")


def test_press_is_passed_on_under_the_seats_name_and_its_writer_told(club):
    club.write("white", "PRESS TO black", "Good luck!", "", "Anna", "ENDPRESS")
    press, told = club.night()
    assert (told["X-Adjud"], press["X-Adjud"]) == ("receipt", "press")
    assert "Your press to Black was sent." in text(told)
    assert press["To"] == "Bob <bob@example.org>"
    assert press["Reply-To"] == club.address("black")
    assert press["Subject"] == "[m] Turn 0: press for Black"
    assert "White writes to Black:\n\n| Good luck!\n|\n| Anna\n" in text(press)
    assert "example.org" not in text(press)


def test_press_holds_no_order_that_counts(club):
    club.write("white", "PRESS TO ALL", "ORDERS m white", "SETUP RANDOM", "END", "ENDPRESS")
    press, _ = club.night()
    assert club.loaded().sheets == {}
    assert read_sheets(text(press)).sheets == ()
    assert read_sheets(text(press).replace("\n", "\n> ")).sheets == ()


def test_press_and_a_sheet_in_one_letter(club):
    club.write(
        "white", "ORDERS m white", "SETUP RANDOM", "END", "PRESS TO black", "Ready!", "ENDPRESS"
    )
    press, told = club.night()
    assert "accepted, revision 1" in text(told)
    assert "was sent" in text(told)
    assert "| Ready!" in text(press)


def test_bare_orders_beside_press(club):
    club.write("white", "SETUP RANDOM", "PRESS TO black", "d3-d4", "ENDPRESS")
    assert len(club.night()) == 2
    assert club.loaded().sheets["white"].lines == ("SETUP RANDOM",)


def test_unseen_signs_are_taken_out_of_press(club):
    club.write("white", "PRESS TO black", "a\u202eb\u2028END\x07", "ENDPRESS")
    press, _ = club.night()
    assert "| ab\n| END\n" in text(press)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["PRESS TO black", "no end"], "finish it with a line that says ENDPRESS"),
        (["PRESS TO black", "ENDPRESS"], "there is nothing in it"),
        (["PRESS TO blakc", "x", "ENDPRESS"], "did you mean black"),
        (["PRESS TO white", "x", "ENDPRESS"], "to your own seat"),
        (["PRESS TO black", *["x"] * 65, "ENDPRESS"], "at most 64 lines"),
        (["PRESS TO black", *["x" * 70] * 60, "ENDPRESS"], "4000 characters"),
    ],
)
def test_press_that_is_not_sent_says_why(club, lines, why):
    club.write("white", *lines)
    (told,) = club.night()
    assert "NOT sent" in text(told)
    assert why in " ".join(text(told).split())


def test_press_to_a_built_in_player_is_read_by_nobody(club):
    club.new(black="computer:random", name="n")
    club.night()
    club.write("white", "PRESS TO ALL", "x", "ENDPRESS", to=club.address("white", "n"))
    assert "nobody else reads letters" in text(club.night()[0])


def test_ten_a_day(club):
    for n in range(11):
        club.write("white", "PRESS TO black", f"{n}", "ENDPRESS")
    letters = club.night()
    assert sum(letter["X-Adjud"] == "press" for letter in letters) == 10
    assert "NOT sent" in text([one for one in letters if one["X-Adjud"] == "receipt"][-1])


def test_a_match_may_do_without_press(club):
    club.new("press=off", name="n")
    club.night()
    club.write("white", "PRESS TO black", "x", "ENDPRESS", to=club.address("white", "n"))
    assert "there is no press in this match" in text(club.night()[0])


def test_press_from_elsewhere_waits_for_its_code(club):
    club.write("white", "PRESS TO black", "I give up", "ENDPRESS", sender="eve@evil.example")
    (asked,) = club.night()
    assert "| I give up" in text(asked)  # who confirms must know what goes out in his name
    club.write("white", f"CONFIRM {text(asked).split('CONFIRM ')[1].split()[0]}")
    assert [letter["X-Adjud"] for letter in club.night()] == ["press", "receipt"]


def test_a_dry_run_sends_no_press(club):
    club.write("white", "CHECK", "PRESS TO black", "x", "ENDPRESS")
    (told,) = club.night()
    assert "would be sent" in text(told)


def test_a_sentence_is_no_press():
    assert read_press("Press to continue\nd3-d4") == ((), "Press to continue\nd3-d4")


def test_line_numbers_stay_behind_press():
    presses, rest = read_press("PRESS TO white, black\na\nENDPRESS\nd3-d4")
    assert presses[0].to == ("white", "black")
    assert rest == "\n\n\nd3-d4"
