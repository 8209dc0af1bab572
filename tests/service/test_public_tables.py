"""TABLE to the public address (club, 2.5, 7.3 and 8.1): for strangers, too, within limits."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.club import NewLadder, Store
from tests.inside import showing
from tests.service.cups import Cup
from tests.service.mailclub import MailClub

PUBLIC = "adjud@play.example.org"
STRANGER = "Carl Cox <carl@example.net>"


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def asked(club: MailClub, *lines: str, sender: str = STRANGER, **headers: str) -> list[str]:
    """Return the texts that an email to the public address brings."""
    club.run_tick()
    club.write("carl", *lines, sender=sender, to=PUBLIC, **headers)
    return [str(one.get_body(("plain",)).get_content()) for one in club.run_tick()]


def test_a_stranger_reads_the_table_that_a_player_reads(club: MailClub) -> None:
    cup = Cup(club, 3, "round-robin")
    cup.start()
    (told,) = asked(club, "TABLE cup")
    assert told.split() == cup.text().split()
    assert "Anna - " in told


def test_a_ladder_is_shown_to_a_stranger(club: MailClub) -> None:
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    club.create_ladder(wanted)
    club.add("Anna")
    club.enter_ladder("spring", "Anna")
    (told,) = asked(club, "TABELL Spring")
    assert told.split()[:5] == ["Ladder", "spring:", "Espionage", "1", "Anna"]
    assert "LADDER|spring|2:" in told


def test_names_that_are_hidden_stay_hidden(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss", options=("names=hidden", "onlookers=off"))
    cup.start()
    (told,) = asked(club, "TABLE cup")
    rounds = told.split("Round 1")[1]
    assert "Board 1, playing (cup-1-1)" in rounds
    assert not [name for name in cup.names if name in rounds]


@pytest.mark.parametrize("name", ["cap", "m", "evil"])
def test_an_unknown_name_is_not_repeated(club: MailClub, name: str) -> None:
    Cup(club, 3, "round-robin")
    (told,) = asked(club, f"TABLE {name}")
    assert told.strip() == "There is no such tournament or ladder. There are: cup"


def test_a_club_without_tables_says_so(club: MailClub) -> None:
    (told,) = asked(club, "TABLE cup")
    assert told.strip() == "There is no such tournament or ladder."


def test_it_counts_among_the_three_of_a_day(club: MailClub) -> None:
    Cup(club, 3, "round-robin")
    assert [len(asked(club, "TABLE cup")) for _ in range(4)] == [1, 1, 1, 0]
    assert asked(club, "GAMES") == []


def test_one_email_brings_three_tables_at_most(club: MailClub) -> None:
    Cup(club, 3, "round-robin")
    (told,) = asked(club, *[f"TABLE t{n}" for n in range(9)], "TABLE cup", "TABLE CUP")
    assert told.count("no such tournament") == 3


def test_an_automatic_email_is_not_answered(club: MailClub) -> None:
    Cup(club, 3, "round-robin")
    assert asked(club, "TABLE cup", Auto_Submitted="auto-replied") == []


def test_what_belongs_to_the_players_own_address_is_named_beside_it(club: MailClub) -> None:
    Cup(club, 3, "round-robin", is_public=True)
    (told,) = asked(club, "TABLE cup", "WITHDRAW cup", sender="anna@example.org")
    assert "cup: Espionage" in told
    assert club.own("Anna") in told
    assert "Nothing was done about them here." in " ".join(told.split())
    (told,) = asked(club, "TABLE cup", "WITHDRAW cup")  # a stranger has no such address
    assert "me." not in told


@pytest.mark.parametrize(("most", "first"), [(6, 1), (5, 2), (4, 2), (3, 3), (1, 3)])
def test_the_newest_rounds_that_have_so_many_boards_are_shown(most, first):
    boards = [SimpleNamespace(round=n) for n in (1, 1, 2, 2, 3, 3)]
    cup = SimpleNamespace(row=SimpleNamespace(round=3), pairings=boards)
    assert showing._first_shown(cup, most) == first
