"""The page of a tournament on the club's site (club, 7.7)."""

import re
from pathlib import Path

import pytest

from adjudicator.core.message import LANGUAGES
from adjudicator.core.pairing import history
from tests.database import Store
from tests.service.cups import SEED, Cup
from tests.service.mailclub import MailClub
from tests.service.test_site import files, text_of


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_the_table_the_rounds_and_links_to_replays(
    mailclub: MailClub, language: str
) -> None:
    cup = Cup(mailclub, 4, "round-robin")
    cup.start()
    match, (_, second) = next(iter(cup.boards(1).items()))
    for seat in ("white", "black"):
        mailclub.send(seat, "SETUP RANDOM", match=match)
    cup.tick()
    cup.resign(match, second)
    cup.tick()

    made = {path: body.decode() for path, body in files(mailclub, language).items()}

    assert 'href="tournaments/cup.html"' in made["index.html"]
    page = made["tournaments/cup.html"]
    table = page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert table.count("<tr>") == 4
    assert all(f">{name}</a>" in table for name in cup.names)
    assert f'href="../matches/{match}.html"' in page
    assert page.count('href="../matches/') == 1
    assert history.commitment(SEED) in page
    assert SEED.hex() not in page
    words = {"en": "Round 3", "nb": "Omgang 3", "sv": "Rond 3"}
    assert words[language] in page


def test_the_page_of_an_open_tournament_lists_who_has_entered(mailclub: MailClub) -> None:
    Cup(mailclub, 3, "swiss", size=8)

    page = files(mailclub)["tournaments/cup.html"].decode()

    assert "It starts when 8 have entered." in page
    assert [name for name in ("Anna", "Bob", "Cleo") if name in page] == ["Anna", "Bob", "Cleo"]


def test_the_page_is_the_same_whoever_has_sent_and_of_hidden_names_has_boards_alone(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 4, "swiss", options=["names=hidden"])
    cup.start()
    before = files(mailclub)["tournaments/cup.html"]

    mailclub.send("white", "SETUP RANDOM", match="cup-1-1")

    assert files(mailclub)["tournaments/cup.html"] == before
    rounds = text_of(before).partition("Round 1")[2]
    assert not re.search("Anna|Bob|Cleo|Dag", rounds)
    assert "Board 1, playing" in rounds


@pytest.mark.parametrize(("chance", "is_public"), [("seed", False), ("drand", True)])
def test_the_page_says_what_decides_the_lots(
    mailclub: MailClub, chance: str, is_public: bool
) -> None:
    Cup(mailclub, 4, "swiss", chance=chance)
    told = " ".join(files(mailclub)["tournaments/cup.html"].decode().split())
    assert "Who meets whom follows from a secret number" in told
    assert ("from a public number" in told) is is_public
