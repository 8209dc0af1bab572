"""Tell a newcomer at the command line what to do next, and what is wrong with a file."""

from io import BytesIO
from zipfile import ZipFile

import pytest

from tests.program import Adjud

SETUP = "ORDERS espionage-1 {}\nSETUP RANDOM\nEND\n"


def zipped(*names: str) -> bytes:
    made = BytesIO()
    with ZipFile(made, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return made.getvalue()


def test_new_says_what_to_do_next(club: Adjud) -> None:
    code, out, err = club("new", "espionage", "--seat", "white=computer", "--seat", "black=Bob")
    assert (code, out) == (0, "espionage-1\n")
    assert err == (
        "next: `adjud report espionage-1 black` shows what to order, `adjud submit FILE` submits "
        "the orders, `adjud tick` adjudicates\n"
    )
    held = ("--seat", "white=computer", "--seat", "black=computer")
    assert club("new", "espionage", *held).err == "next: `adjud tick` plays it\n"
    opened = club("new", "espionage", "--seat", "white=Anna", "--open", "--match", "late")
    assert opened.out == "late\n"
    assert opened.err == (
        "next: late begins when its open seats are filled, by JOIN in an email or `adjud gm "
        "replace`\n"
    )


def test_new_says_that_a_tick_sends_the_emails(by_mail: Adjud) -> None:
    answer = by_mail("new", "espionage", "--seat", "white=Anna", "--seat", "black=Bob")
    assert answer.err == "next: `adjud tick` sends the first emails\n"


def test_submit_says_what_to_do_next_whoever_has_sent(setting_up: Adjud) -> None:
    for seat in ("white", "black", "white"):
        answer = setting_up("submit", "-", stdin=SETUP.format(seat))
        assert answer.out.endswith("\n  current orders: version 1\n") or "version 2" in answer.out
        assert answer.err == "next: `adjud tick` adjudicates as soon as all orders are in\n"


@pytest.mark.parametrize(
    ("words", "sheet"),
    [
        (("submit", "-", "--tick"), SETUP),
        (("submit", "-", "--format", "json"), SETUP),
        (("check", "-"), SETUP),
        (("submit", "-"), SETUP.replace("RANDOM", "1S2X")),
    ],
)
def test_where_nothing_is_to_be_done_nothing_is_said(
    setting_up: Adjud, words: tuple[str, ...], sheet: str
) -> None:
    assert setting_up(*words, stdin=sheet.format("white")).err == ""


# Files that hold no text.


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (zipped("[Content_Types].xml", "word/document.xml"), "a Word file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "a Word file"),
        (zipped("mimetype", "content.xml"), "a ZIP archive"),
        (b"{\\rtf1\\ansi ORDERS espionage-1 white}", "a rich-text file (RTF)"),
        (b"%PDF-1.7\n", "a PDF"),
    ],
)
def test_a_document_is_called_what_it_is(setting_up: Adjud, content: bytes, kind: str) -> None:
    path = setting_up.write("orders.docx", content)
    code, out, err = setting_up("submit", path)
    assert (code, out) == (1, "")
    assert err == f"adjud: {path} is {kind}; save it as plain text and submit that\n"


def test_a_large_word_file_is_called_one_too(setting_up: Adjud) -> None:
    path = setting_up.write("orders.docx", zipped("word/document.xml") + bytes(300_000))
    assert "is a Word file" in setting_up("submit", path).err


# Matches that have ended.


def test_status_lists_ended_matches_when_asked(playing: Adjud) -> None:
    playing.does("gm", "cancel", "espionage-1", "--reason", "x")
    assert "espionage-1" not in playing.does("status")
    assert "no match is being played" in playing.does("status")
    assert "espionage-1: espionage standard, white Anna, black Bob; over" in playing.does(
        "status", "--all"
    )
    assert '"status":"over"' in playing.does("status", "--all", "--format", "json")
    assert playing("status", "espionage-1", "--all").code == 2


# Two players with one address.


def test_a_second_player_with_a_known_address_is_noticed(club: Adjud) -> None:
    code, out, err = club("player", "add", "Eve", "ANNA@example.org", "--confirmed")
    assert (code, out) == (0, "Eve <ANNA@example.org>: confirmed\n")
    assert err == (
        "adjud: Anna also has this address; players with the same address cannot play in one "
        "match\n"
    )
    assert club("player", "set", "Bob", "--address", "anna@example.org", "--confirmed").err == (
        "adjud: Anna, Eve also have this address; players with the same address cannot play in "
        "one match\n"
    )
    assert club("player", "set", "Bob", "--language", "nb").err == ""


# Sheets that were copied together with a shell's prompts.


@pytest.mark.parametrize("prompt", ["> ", ">", "| "])
def test_prompts_that_were_copied_with_a_sheet_do_no_harm(setting_up: Adjud, prompt: str) -> None:
    sheet = "".join(f"{prompt}{line}\n" for line in SETUP.format("white").splitlines())
    for command in ("check", "submit"):
        assert "accepted" in setting_up.does(command, setting_up.write("army.txt", sheet))
