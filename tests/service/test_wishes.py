"""A player wishes how his emails are, in three languages (emails, section 6)."""

import pytest

from tests.database import player_named
from tests.service.mailclub import MailClub


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened()


def ask(club, *lines):
    club.write("white", *lines)
    (answer,) = club.run_tick()
    return " ".join(answer.get_content().split())


@pytest.mark.parametrize(
    ("line", "column", "choice"),
    [
        ("PREFS BOARD PICTURE", "board", "picture"),
        ("VALG brett bilde", "board", "picture"),
        ("VAL bräde bild", "board", "picture"),
        ("VAL brädet tabell", "board", "table"),
        ("PREFS PAGE NONE", "page", "none"),
        ("VALG siden ingen", "page", "none"),
        ("VAL sida bifogad", "page", "attached"),
        ("PREFS receipts short", "receipts", "short"),
        ("VALG KVITTERINGER KORTE", "receipts", "short"),
        ("VAL kvitton korta", "receipts", "short"),
        ("PREFS TIPS OFF", "tips", "off"),
        ("VALG tips på", "tips", "on"),
        ("VAL TIPS AV", "tips", "off"),
        ("PREFS LETTERS DAILY", "letters", "daily"),
        ("VALG brev daglig", "letters", "daily"),
        ("VALG BREV HVERT", "letters", "each"),
        ("VAL breven dagligen", "letters", "daily"),
        ("VAL BREV VARJE", "letters", "each"),
    ],
)
def test_emails_are_as_a_player_wishes(club, line, column, choice):
    ask(club, line)
    with club.store.reading() as tx:
        assert getattr(player_named(tx, "Anna"), column) == choice


def test_a_wish_that_is_not_known_is_answered_with_its_form(club):
    assert "PREFS BOARD TABLE or PICTURE" in ask(club, "PREFS BOARD PAINTED")
    assert "PREFS REMINDERS ON, OFF or DAILY" in ask(club, "PREFS reminders never")


def test_prefs_alone_tells_all_that_is_wished(club):
    told = ask(club, "PREFS")
    assert "You get a reminder before each deadline." in told
    assert "Emails show the board as a table." in told


def test_prefs_and_a_setting_tell_that_one(club):
    told = ask(club, "PREFS TIPS")
    assert "Reports have a tip in your first two matches of each game." in told
    assert "PREFS TIPS ON or OFF" in told
    assert "reminder" not in told


def test_a_short_receipt_has_no_sheet_to_fill_in(club):
    wrong = ("ORDERS m white", "a1-a9", "END")
    assert "to fill in" in ask(club, *wrong)
    ask(club, "PREFS RECEIPTS SHORT")
    short = ask(club, *wrong)
    assert "to fill in" not in short
    assert "NOT accepted" in short
