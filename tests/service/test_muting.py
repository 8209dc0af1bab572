"""A player whose messages the game master does not pass on is told, and nobody else."""

from pathlib import Path

import pytest

from tests.club import MONDAY, Refusal, Store
from tests.inside import preferences
from tests.service.mailclub import MailClub

PRESS = ("PRESS TO black", "Hello", "ENDPRESS")


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool").opened()


def muted(club: MailClub, *, off: bool = False, reason: str = "") -> str:
    told = preferences.mute(club.opened_at(MONDAY), "anna", off=off, reason=reason)
    return str(told)


def test_a_muted_player_is_told_and_writes_to_nobody(club: MailClub) -> None:
    assert muted(club, reason="insults\n@Bob") == (
        "Anna: messages to other players are not passed on"
    )
    (email,) = club.run_tick()
    assert (email["To"], email["Subject"]) == (
        "anna@example.org",
        "[adjud] Your messages to other players",
    )
    assert "The game master says: insults @Bob" in " ".join(email.get_content().split())
    club.write("white", *PRESS)
    (answer,) = club.run_tick()
    assert answer["To"] == "Anna <anna@example.org>"
    told = "Your message was NOT sent: the game master does not pass on your messages"
    assert told in " ".join(answer.get_content().split())
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    club.write("black", "PRESS TO white", "Hello", "ENDPRESS")
    emails = club.run_tick()
    assert "white" in club.loaded().sheets
    assert any("| Hello" in one.get_content() for one in emails)


def test_messages_are_passed_on_again(club: MailClub) -> None:
    muted(club)
    assert muted(club, off=True) == "Anna: messages to other players are passed on again"
    emails = club.run_tick()
    assert [one["To"] for one in emails] == ["anna@example.org"] * 2
    club.write("white", *PRESS)
    assert {one["To"] for one in club.run_tick()} == {
        "Anna <anna@example.org>",
        "Bob <bob@example.org>",
    }


def test_what_is_so_already_is_refused(club: MailClub) -> None:
    with pytest.raises(Refusal, match="Anna is not muted"):
        muted(club, off=True)
    muted(club)
    with pytest.raises(Refusal, match="Anna is muted already"):
        muted(club)
