"""Letters whose lines cost us or their readers too much, or try what their sender may not do."""

import re
from types import SimpleNamespace

import pytest
from msgspec import structs

from adjudicator.core.orders import Sheet, split_lines
from adjudicator.service.match import intake, sheet_reading
from adjudicator.service.match.intake import Given
from tests.service.club import MONDAY
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.night()
    return club


def test_of_thousands_of_orders_outside_a_sheet_ten_are_named(club):
    text = "\n".join((*SHEET, *["a1-a2"] * 8_000))
    (receipt,) = intake.submit(club.store, text, Given(), now=MONDAY)
    assert receipt.accepted
    assert [one.line for one in receipt.warnings] == list(range(4, 14))
    assert len(receipt.ignored) == 8_000


def test_few_of_the_lines_beside_a_sheet_are_tried_as_orders(club, monkeypatch):
    tried = []
    monkeypatch.setattr(sheet_reading, "GAMES", {"any": SimpleNamespace(orders=Counting(tried))})
    list(sheet_reading.would_read_as_orders(split_lines("hello there\n" * 4_000)))
    assert 10 < len(tried) < 100


class Counting:
    """The orders of a game that understands nothing, and notes what it was asked to read."""

    def __init__(self, tried):
        self.tried = tried

    def parse(self, lines):
        self.tried += lines
        return Sheet(written=(), problems=())


@pytest.mark.parametrize("key", ["ж" * 16, "ß" * 16, "a" * 15])
@pytest.mark.parametrize("seat", ["white", "ж"])
def test_a_key_that_is_none_is_nobodys(club, key, seat):
    """It cannot get stuck, or a stranger could bury the operator's queue."""
    club.means = structs.replace(club.means, raise_faults=False)
    sheet = (f"ORDERS m {seat} key {key}", "SETUP RANDOM", "END")
    club.write("white", *sheet, to="adjud@play.example.org", sender="eve@evil.example")
    assert club.night() == []
    assert not any("stuck" in told for told in club.told)
    assert club.loaded().sheets == {}


# Codes that confirm.


def said(letter):
    return letter.get_body(("plain",)).get_content()


def code_of(letter):
    return re.search(r"^CONFIRM (\w+)\r?$", said(letter), re.MULTILINE)[1]


def resigns(club, **headers):
    """Park White's resignation; return the code that confirms it."""
    club.write("white", "RESIGN", **headers)
    (letter,) = club.night()
    return code_of(letter)


WRONG = ("AAAA22", "BBBB22", "CCCC22", "DDDD22", "EEEE22", "FFFF22")


def test_one_code_of_a_letter_is_tried(club):
    code = resigns(club)
    club.write("white", "CONFIRM AAAA22", f"CONFIRM {code}", sender="eve@evil.example")
    (letter,) = club.night()
    assert letter["To"] == "Anna <anna@example.org>"
    assert "only AAAA22 was tried" in " ".join(said(letter).split())
    assert club.loaded().match.status == "playing"
    club.write("white", f"CONFIRM {code}", f"confirm {code.lower()}")
    assert not any("was tried" in said(letter) for letter in club.night())
    assert club.loaded().match.status == "over"


def test_the_fifth_wrong_code_makes_void_what_waits_and_its_holder_is_told(club):
    code = resigns(club)
    for wrong in WRONG[:4]:
        club.write("white", f"CONFIRM {wrong}", sender="eve@evil.example")
        assert len(club.night()) == 1
    club.write("white", f"CONFIRM {WRONG[4]}", sender="eve@evil.example")
    told, _ = sorted(club.night(), key=lambda letter: letter["X-Adjud"] != "notice")
    assert told["To"] == "Anna <anna@example.org>"
    assert "So many wrong codes came for your seat in m" in told.get_content()
    club.write("white", f"CONFIRM {code}")
    (letter,) = club.night()
    assert f"There is nothing to confirm with the code {code}." in said(letter)
    assert club.loaded().match.status == "playing"
    again = resigns(club)
    club.write("white", f"CONFIRM {again}")
    club.night()
    assert club.loaded().match.status == "over"


def test_a_code_that_was_used_is_no_wrong_one(club):
    club.write("white", *SHEET, sender="anna@work.example")
    used = code_of(club.night()[0])
    code = resigns(club)
    for _ in range(6):
        club.write("white", f"CONFIRM {used}")
        club.night()
    club.write("white", f"CONFIRM {code}")
    club.night()
    assert club.loaded().match.status == "over"


def test_a_letter_that_only_answers_one_of_ours_confirms_nothing_for_a_stranger(club):
    """All servers that the letter passed know its Message-ID."""
    report = next(raw for _, to, raw in club.way.letters if to == "anna@example.org")
    answers = {"to": "adjud@play.example.org", "In_Reply_To": message_id(report)}
    code = resigns(club)
    for wrong in (*WRONG, code):
        club.write("white", f"CONFIRM {wrong}", sender="eve@evil.example", **answers)
        club.night()
    assert club.loaded().match.status == "playing"
    club.write("white", f"CONFIRM {code}", **answers)  # from Anna's address
    club.night()
    assert club.loaded().match.status == "over"


def message_id(raw):
    return re.search(rb"^Message-ID: (\S+)", raw, re.MULTILINE)[1].decode()


def test_the_letters_of_a_stranger_do_not_push_out_what_the_holder_is_to_confirm(club):
    code = resigns(club)
    letters = []
    for _ in range(7):
        club.write("white", *SHEET, sender="eve@evil.example")
        letters += club.night()
    assert "the oldest waits no longer" not in said(letters[4])
    assert "the oldest waits no longer" in said(letters[5])
    club.write("white", f"CONFIRM {code_of(letters[1])}")
    club.night()
    assert club.loaded().sheets == {}
    club.write("white", f"CONFIRM {code_of(letters[2])}")
    club.night()
    assert list(club.loaded().sheets) == ["white"]
    club.write("white", f"CONFIRM {code}")
    club.night()
    assert club.loaded().match.status == "over"


def test_what_waits_is_of_no_use_after_its_turn_unless_it_resigns(club):
    code = resigns(club)
    club.write("white", "DRAW", sender="anna@work.example")
    (letter,) = club.night()
    club.write("white", *SHEET)
    club.write("black", "ORDERS m black", *SHEET[1:])
    club.night()
    assert club.loaded().match.ply == 1
    club.write("white", f"CONFIRM {code_of(letter)}")
    (answer,) = club.night()
    assert "was for an earlier turn" in said(answer)
    assert club.loaded().declarations == []
    club.write("white", f"CONFIRM {code}")
    club.night()
    assert club.loaded().match.status == "over"


def test_the_codes_of_a_stranger_do_not_use_up_the_holders_letters(club):
    for _ in range(35):
        club.write("white", "CONFIRM AAAA22", sender="eve@evil.example")
    club.night()
    club.write("white", *SHEET)
    (letter,) = club.night()
    assert "more of your letters" not in said(letter)
    assert "SETUP" in said(letter)


# Commands without number.


def test_a_command_is_obeyed_once_however_often_it_stands_in_a_letter(club):
    club.write("white", "REPORT")
    (once,) = club.night()
    club.write("white", *["REPORT"] * 400)
    (often,) = club.night()
    assert said(often) == said(once)


def test_of_very_many_commands_twenty_are_obeyed(club):
    club.write("white", *(f"REPORT {turn}" for turn in range(1, 401)))
    (letter,) = club.night()
    assert said(letter).count("There is no report of turn") == 20
    assert "Only the first 20 commands in your letter were read." in said(letter)


def test_of_words_that_contradict_each_other_the_last_stands(club):
    club.write("white", "LANGUAGE nb", "LANGUAGE sv", "LANGUAGE nb")
    club.night()
    assert club.loaded().holders["white"].language == "nb"


def test_very_many_pieces_of_press_are_not_refused_one_by_one(club):
    club.write("white", *["PRESS TO black", "Hello.", "ENDPRESS"] * 1_000)
    letters = club.night()
    (answer,) = (letter for letter in letters if letter["X-Adjud"] == "receipt")
    assert said(answer).count("was sent") == 10
    assert said(answer).count("NOT sent") == 10
    assert "Only the first 20 commands in your letter were read." in said(answer)


# Addresses that are not what they seem.


@pytest.mark.parametrize(
    ("on_file", "sender", "heard"),
    [
        ("anna@strasse.example", "anna@straße.example", False),
        ("anna@xn--strae-oqa.example", "anna@straße.example", True),
        ("anna@strasse.example", "ANNA@STRASSE.EXAMPLE", True),
    ],
)
def test_an_address_is_on_file_if_its_domain_is_the_same(store, tmp_path, on_file, sender, heard):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", address=on_file)
    club.add("Bob")
    club.new()
    club.night()
    raw = f"From: {sender}\nMessage-ID: <1@x>\n\n" + "\n".join(SHEET)
    club.post(raw.encode(), club.address("white"), sender)
    club.night()
    assert bool(club.loaded().sheets) == heard


# The same letter twice.


def test_a_copy_that_could_not_be_heard_does_not_swallow_the_one_that_can(club):
    """A stranger saw the letter on its way, or a server dropped the sub-address of the first."""
    for sender in ("mallory@evil.example", "mallory@evil.example", "anna@example.org"):
        text = "\n".join((f"From: {sender}", "Message-ID: <same@x>", "", *SHEET))
        club.post(text.encode(), club.address("white"), sender)
        (letter,) = club.night()
    assert "same Message-ID" not in said(letter)
    assert list(club.loaded().sheets) == ["white"]
    club.post(text.encode(), club.address("white"), "anna@example.org")
    club.night()
    assert club.loaded().sheets["white"].revision == 1
