"""Run `adjud submit` and `check` and compare the whole receipt of each sheet."""

import json
import os
import subprocess
import sys
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.program import WHITE_ARMY, Adjud


def test_an_accepted_sheet_is_shown_as_understood(setting_up: Adjud) -> None:
    sheet = setting_up.write("orders.txt", f"ORDERS espionage-1 white\nSETUP\n{WHITE_ARMY}\nEND\n")
    assert setting_up.does("submit", sheet) == (
        "espionage-1, white, turn 0: accepted, version 1\n  SETUP\n  1S25MP31S4\n  1122SP3SMP\n  "
        "M1H3S5M24P\n  SHA-256 of ADJUD3|espionage-1|white|0|1| with the orders:\n    "
        "d39e1486f91be45154e7b9053c54ea42ea880c8aaefe27af28c1235a7b787da6\n  current orders: "
        "version 1\n"
    )


def test_a_later_sheet_is_the_next_revision(setting_up: Adjud) -> None:
    for revision in (1, 2):
        out = setting_up.does("submit", "-", stdin="ORDERS espionage-1 black\nSETUP RANDOM\nEND")
        assert out.startswith(f"espionage-1, black, turn 0: accepted, version {revision}\n")
    assert setting_up.does("status").count("revision") == 0


def test_a_refused_sheet_names_every_problem_and_what_stays_in_force(playing: Adjud) -> None:
    playing.does("submit", "-", stdin="ORDERS espionage-1 white\nd3-d4\nf3-f4\nEND\n")
    before = playing.dump()
    answer = playing("submit", "-", stdin="ORDERS espionage-1 white\nSpy d3-d4\nj3 east\nEND\n")
    assert answer == (
        1,
        "espionage-1, white, turn 1: NOT accepted; nothing from these orders was saved\n  line "
        "2: Spy d3-d4: the piece on d3 is your General, not a Spy\n  line 3: j3 east: there is "
        "no square k3; the board goes from a1 to j10\n  current orders: version 1\n",
        "",
    )
    assert playing.dump() == before


def test_check_stores_nothing_and_says_what_submit_would_say(playing: Adjud) -> None:
    sheet = playing.write("orders.txt", "ORDERS espionage-1 white turn 1\nd3-d4\nf3-f4\nEND\n")
    before = playing.dump()
    assert playing.does("check", sheet) == (
        "espionage-1, white, turn 1: would be accepted; nothing was saved\n  d3-d4\n  f3-f4\n  "
        "you have no current orders\n"
    )
    answer = playing("check", "-", stdin="ORDERS espionage-1 white\nd3-d4\nEND\n")
    assert answer.code == 1
    assert "1 of 2 steps given" in answer.out
    assert playing.dump() == before


def test_the_json_of_an_accepted_sheet(playing: Adjud) -> None:
    sheet = "hello\nORDERS espionage-1 white turn 1\nd3-d4\nf3 north\nEND\na3-a4\n"
    out = playing.does("submit", "-", "--format", "json", stdin=sheet)
    assert out.count("\n") == 1
    told = json.loads(out)
    keys = (
        "match seat turn accepted revision orders problems warnings ignored in_force digest hashed"
    )
    assert " ".join(told) == keys
    assert told == {
        "match": "espionage-1",
        "seat": "white",
        "turn": 1,
        "accepted": True,
        "revision": 1,
        "orders": ["d3-d4", "f3-f4"],
        "problems": [],
        "warnings": [
            {
                "line": 6,
                "text": "a3-a4",
                "message": "this looks like an order, but it is outside ORDERS ... END",
            }
        ],
        "ignored": [1, 6],
        "in_force": 1,
        "digest": "12fdacc0a85fab2e6fb09a00713ab23a7141f19a04c7045b4c68c9c7c5e5a4c4",
        "hashed": "ADJUD3|espionage-1|white|1|1|",
    }


def test_the_json_of_a_refused_sheet(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 white turn 1\nd3-d4 # x\nf3-f5\nEND\nORDERS nowhere white\nEND\n"
    answer = playing("check", "-", "--format", "json", stdin=sheet)
    assert (answer.code, answer.err) == (1, "")
    first, second = map(json.loads, answer.out.splitlines())
    assert first == {
        "match": "espionage-1",
        "seat": "white",
        "turn": 1,
        "accepted": False,
        "revision": None,
        "orders": [],
        "problems": [
            {
                "line": 3,
                "text": "f3-f5",
                "message": "f3 to f5 is too far; a piece steps one square",
            }
        ],
        "warnings": [],
        "ignored": [],
        "in_force": None,
    }
    assert second["match"] == "nowhere"
    assert (second["turn"], second["in_force"]) == (None, None)
    assert second["problems"] == [
        {
            "line": 5,
            "text": "ORDERS nowhere white",
            "message": "there is no match 'nowhere'; choose from espionage-1",
        }
    ]


def test_sheets_are_independent_of_one_another(setting_up: Adjud) -> None:
    sheets = "ORDERS espionage-1 black\nSETUP RANDOM\nEND\nORDERS espionage-1 white\nd3-d4\nEND\n"
    answer = setting_up("submit", "-", stdin=sheets)
    assert answer.code == 1
    assert "espionage-1, black, turn 0: accepted, version 1\n" in answer.out
    assert "espionage-1, white, turn 0: NOT accepted" in answer.out


def test_two_sheets_for_one_seat_are_both_refused(setting_up: Adjud) -> None:
    before = setting_up.dump()
    sheet = "ORDERS espionage-1 {}\nSETUP RANDOM\nEND\n"
    answer = setting_up("submit", "-", stdin=sheet.format("black") + sheet.format("svart"))
    assert answer.code == 1
    assert answer.out.count("there are two order sheets for this seat; send one") == 2
    assert setting_up.dump() == before


def test_several_files_and_one_that_is_not_there(setting_up: Adjud) -> None:
    good = setting_up.write("good.txt", "ORDERS espionage-1 black\nSETUP RANDOM\nEND\n")
    answer = setting_up("submit", "gone.txt", good)
    assert answer.code == 1
    assert answer.err.startswith("adjud: gone.txt cannot be read: No such file or directory\n")
    assert answer.out.startswith("espionage-1, black, turn 0: accepted, version 1\n")


def test_bare_lines_count_where_match_and_seat_are_given(playing: Adjud) -> None:
    named = ("--match", "espionage-1", "--seat", "hvit")
    assert playing.does("submit", "-", *named, stdin="d3-d4\nf3-f4\n").startswith(
        "espionage-1, white, turn 1: accepted, version 1\n"
    )
    answer = playing("submit", "-", *named, stdin="dear GM,\nd3-d4\nf3-f4\n")
    assert answer.code == 1
    assert "line 1: dear GM,: I do not understand" in answer.out
    assert "current orders: version 1" in answer.out


def test_bare_lines_of_nobody_are_refused(playing: Adjud) -> None:
    assert playing("submit", "-", stdin="d3-d4\nf3-f4\n") == (
        1,
        "orders without a match: NOT accepted; nothing from these orders was saved\n  line 1: "
        "d3-d4: there are no orders here; write them between ORDERS match seat turn 7 and END\n",
        "",
    )


@pytest.mark.parametrize(
    ("given", "missing"), [("--match espionage-1", "--seat"), ("--seat white", "--match")]
)
def test_bare_lines_of_half_a_name_are_told_the_other_half(
    playing: Adjud, given: str, missing: str
) -> None:
    answer = playing("submit", "-", *given.split(), stdin="d3-d4\nf3-f4\n")
    assert answer.code == 1
    assert f"lines without ORDERS ... END need both --match and --seat; {missing} is" in answer.out


def test_the_seat_can_be_given_on_the_command_line(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1\nd3-d4\nf3-f4\nEND\n"
    assert playing("check", "-", stdin=sheet).code == 1
    assert "would be accepted" in playing.does("check", "-", "--seat", "white", stdin=sheet)
    answer = playing("check", "-", "--seat", "black", stdin=sheet.replace("-1", "-1 white"))
    assert "these orders are for White, not for Black" in answer.out


def sent(adjud: Adjud) -> list[EmailMessage]:
    files = sorted((adjud.folder / "out").glob("*.eml"))
    emails = [message_from_bytes(one.read_bytes(), policy=policy.default) for one in files]
    return [email for email in emails if email["X-Adjud"] == "receipt"]


def test_a_player_is_told_by_email_of_a_sheet_that_was_entered_for_him(by_mail: Adjud) -> None:
    by_mail.does("submit", "-", stdin="ORDERS espionage-1 white\nSETUP RANDOM\nEND")
    by_mail.does("tick")
    (email,) = sent(by_mail)
    assert email["To"] == '"Anna" <anna@example.org>' or email["To"] == "Anna <anna@example.org>"
    assert email["Subject"] == "[espionage-1] Turn 0: your orders are in"
    text = " ".join(email.get_body(("plain",)).get_content().split())
    assert "The game master entered these orders for you" in text
    assert text.count("SETUP RANDOM") == 1


def test_nor_is_an_offer_made_for_him_in_silence(by_mail: Adjud) -> None:
    by_mail.does("submit", "-", stdin="ORDERS espionage-1 white\nDRAW\nEND")
    by_mail.does("submit", "-", stdin="ORDERS espionage-1 white\nCLEAR\nEND")
    by_mail.does("tick")
    assert len(sent(by_mail)) == 2


def test_a_sheet_that_was_refused_or_only_checked_is_told_to_nobody(by_mail: Adjud) -> None:
    assert by_mail("submit", "-", stdin="ORDERS espionage-1 white\na1-a9\nEND").code == 1
    by_mail.does("check", "-", stdin="ORDERS espionage-1 white\nSETUP RANDOM\nEND")
    by_mail.does("tick")
    assert sent(by_mail) == []


def test_where_no_emails_go_out_none_is_kept_of_a_sheet(setting_up: Adjud) -> None:
    setting_up.does("submit", "-", stdin="ORDERS espionage-1 white\nSETUP RANDOM\nEND")
    listed = setting_up.does("mail", "queue", "list", "--gm")
    assert "receipt" not in listed


def test_submit_tick_goes_on_at_once(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 white turn 1\nd3-d4\nf3-f4\nEND\n"
    out = playing.does("submit", "--tick", "-", stdin=sheet)
    assert out.endswith(
        "  current orders: version 1\nespionage-1: adjudicated; turn 1 is waiting for black\n"
    )


def test_commands_beside_orders(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 white\n{}\nEND\n"
    out = playing.does("submit", "-", stdin=sheet.format("d3-d4\nf3-f4\nnotready"))
    assert "the turn waits for you until the deadline, or until you send READY" in out
    assert playing.does("tick") == ""
    out = playing.does("submit", "-", stdin=sheet.format("RENSA"))
    assert "everything you sent for this turn is withdrawn\n" in out
    assert "\n  you have no current orders\n" in out
    assert playing("submit", "-", stdin="ORDERS espionage-1 black\nREADY\nEND\n").code == 1
    out = playing.does("submit", "-", stdin="ORDERS espionage-1 black\nGI OPP\nEND\n")
    assert "your resignation takes effect when adjud next runs" in out
    assert playing.does("tick") == "espionage-1: adjudicated; the match is over\n"
    answer = playing("submit", "-", stdin=sheet.format("d3-d4\nf3-f4"))
    assert "line 1: ORDERS espionage-1 white: espionage-1 is over\n" in answer.out


def test_check_says_which_commands_it_understood(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 black\nge upp\nremis\nEND\n"
    assert playing.does("check", "-", stdin=sheet) == (
        "espionage-1, black, turn 1: would be accepted; nothing was saved\n  understood: RESIGN, "
        "DRAW\n"
    )


def test_two_offers_are_a_draw(playing: Adjud) -> None:
    playing.does("submit", "-", stdin="ORDERS espionage-1 white\nDRAW\nEND\n")
    assert playing.does("tick") == "espionage-1: a draw offer was passed on\n"
    assert "Anna (White) offers a draw" in playing.does("report", "espionage-1", "black")
    playing.does("submit", "-", stdin="ORDERS espionage-1 black\nREMIS\nEND\n")
    assert playing.does("tick") == "espionage-1: adjudicated; the match is over\n"
    assert json.loads(playing.does("report", "espionage-1", "black", "--format", "json"))[
        "result"
    ] == {"winner": None, "winners": [], "reason": "agreement"}


def test_after_the_deadline_a_sheet_counts_only_for_a_seat_that_had_none(
    setting_up: Adjud,
) -> None:
    late = "2026-11-25 12:00:00"
    sheet = "ORDERS espionage-1 {}\nSETUP RANDOM\nEND\n"
    setting_up.does("submit", "-", stdin=sheet.format("white"))
    answer = setting_up("submit", "-", stdin=sheet.format("white"), at=late)
    assert answer.code == 1
    assert "the deadline has passed; your current orders stay" in answer.out
    assert "current orders: version 1" in answer.out
    setting_up.does("submit", "-", stdin=sheet.format("black"), at=late)
    assert (
        setting_up.does("tick", at=late)
        == "espionage-1: adjudicated; turn 1 is waiting for white\n"
    )


@pytest.mark.parametrize("name", ["orders.txt", "ordres æøå.txt"])
def test_a_file_of_any_name(setting_up: Adjud, name: str, tmp_path: Path) -> None:
    sheet = setting_up.write(name, "ORDERS espionage-1 black\nSETUP RANDOM\nEND\n")
    assert Path(sheet).parent == tmp_path
    assert setting_up("submit", sheet).code == 0


def test_what_a_tick_says_does_not_stand_among_the_receipts_in_json(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 white turn 1\nd3-d4\nf3 north\nEND\n"
    answer = playing("submit", "-", "--format", "json", "--tick", stdin=sheet)
    (receipt,) = map(json.loads, answer.out.splitlines())
    assert receipt["accepted"]
    assert answer.err == "espionage-1: adjudicated; turn 1 is waiting for black\n"


def test_a_draw_below_the_sheet_is_warned_of(playing: Adjud) -> None:
    sheet = "ORDERS espionage-1 white turn 1\nd3-d4\nf3 north\nEND\nDRAW\n"
    told = playing.does("submit", "-", stdin=sheet)
    assert "line 5: DRAW: this looks like an order, but it is outside ORDERS ... END" in told


@pytest.mark.slow
def test_a_sheet_in_words_imports_no_other_game_and_no_grammar(playing: Adjud) -> None:
    sheet = playing.write("orders.txt", "ORDERS espionage-1 white\nd3 north\nf3 to f4\nEND\n")
    command = [sys.executable, "-X", "importtime", "-m", "adjudicator", "check", sheet]
    env = {**os.environ, **{name: value for name, value in playing.env.items() if value}}
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert "accepted" in done.stdout
    assert "adjudicator.games.espionage.orders.parse" in done.stderr
    for name in ("adjudicator.games.spion", "adjudicator.games.spies", "lark"):
        assert name not in done.stderr
