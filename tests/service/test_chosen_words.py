"""Words that a player chooses and others read: names and messages. None of them becomes a command
of whoever sends them back, and no name looks like another player's."""

import re
from pathlib import Path

import pytest

from tests.club import Refusal, Store, name_of
from tests.service.cups import Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_offers import sent
from tests.service.test_public import PUBLIC, open_match

COMMANDS = (
    "WITHDRAW cup",
    "withdraw cup.",
    "Prefs tips off",
    "ACCEPT 7K3Q",
    "CONFIRM 7K3Q",
    "Resign",
    "trekk meg fra cup",
    "PRESS TO all",
    "ORDERS m white",
    "MATCH m1",
    "END",
)


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def names(club: MailClub) -> list[str]:
    with club.store.reading() as tx:
        return [str(one) for one in tx.exec_driver_sql("SELECT name FROM player").scalars()]


def joined(club: MailClub, name: str) -> str:
    """Let a stranger take a seat under that name; return how he is called."""
    open_match(club, name="o")
    club.write("carl", "JOIN o white", sender=f'"{name}" <carl@example.net>', to=PUBLIC)
    (asked,) = [one for one in club.run_tick() if "carl@" in str(one["To"])]
    code = re.search(r"CONFIRM (\w+)", text_of(asked))
    assert code
    club.write("carl", f"CONFIRM {code[1]}", sender="carl@example.net", to=PUBLIC)
    club.run_tick()
    return names(club)[-1]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_name_is_a_line_that_an_email_would_obey(club: MailClub, name: str) -> None:
    with pytest.raises(Refusal, match="has a meaning as a line of an email"):
        name_of(name)
    assert joined(club, name) == "carl"


@pytest.mark.parametrize("name", ["Ann Draw", "Bob", "Mr. Resign Smith", "Ready Betty", "A1 B2"])
def test_other_names_are_taken(name: str) -> None:
    assert name_of(name) == name


def test_a_list_of_entrants_that_comes_back_changes_nothing(club: MailClub) -> None:
    """Also names that a club had before they were refused are no line of their own there."""
    cup = Cup(club, 4, "swiss", is_public=True)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET name = 'WITHDRAW cup' WHERE name = 'Bob'")
    club.add("Gro")
    club.enter_tournament("cup", "Gro")
    (email,) = sent(club, "Gro")
    assert "WITHDRAW cup" in text_of(email)
    club.say("Gro", *text_of(email).split("\n"))
    club.run_tick()
    club.say("Gro", "TABLE cup")
    (email,) = sent(club, "Gro")
    club.say("Gro", *text_of(email).split("\n"))
    club.run_tick()
    assert [one["player"] for one in cup.shown()["entries"]][-1] == "Gro"


@pytest.mark.parametrize("name", ["B\u043eb", "b\u043eB", "bob", "Bob "])
def test_a_stranger_gets_no_name_that_looks_like_a_players(club: MailClub, name: str) -> None:
    club.add("Bob")
    assert joined(club, name).endswith(" 2")


def test_two_names_in_another_alphabet_are_two(club: MailClub) -> None:
    club.add_player(
        "\u0418\u0432\u0430\u043d",
        "ivan@example.org",
        language="en",
        zone="UTC",
        confirmed=True,
        sends_mail=True,
    )
    assert joined(club, "\u0418\u043b\u044c\u044f") == "\u0418\u043b\u044c\u044f"


def test_a_message_that_is_sent_back_confirms_nothing_and_counts_as_no_wrong_code(
    club: MailClub,
) -> None:
    club.opened("deadline=none", "level=token+from")
    club.write("black", "RESIGN")
    (asked,) = [one for one in club.run_tick() if "bob@" in str(one["To"])]
    code = re.search(r"CONFIRM (\w+)", text_of(asked))
    assert code
    club.write("white", "PRESS TO black", *["CONFIRM 9X9X", "7K3Q"] * 5, "ENDPRESS")
    (message,) = [one for one in club.run_tick() if "bob@" in str(one["To"])]
    assert "| CONFIRM 9X9X" in text_of(message)
    club.write("black", *text_of(message).split("\n"))
    (answer,) = club.run_tick()
    assert "There is nothing to confirm" not in text_of(answer)
    club.write("black", f"CONFIRM {code[1]}")
    club.run_tick()
    assert club.loaded().match.status == "over"
