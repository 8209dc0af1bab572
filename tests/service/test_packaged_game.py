"""A match of a game that is a package of its own, from the first email to the audit of the last.

Goofspiel brings its rules, its orders and its sight; all else is made by default.
"""

import re
from functools import reduce

import pytest

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.core.record import Replayed, transcripts
from tests.audits import audited
from tests.club import SEED, Club, NewMatch, show
from tests.games.examples import GOOFSPIEL
from tests.service.mailclub import MailClub, said, text_of
from tests.service.test_site import files, own

pytestmark = [pytest.mark.usefixtures("skeleton"), pytest.mark.slow]
ROUNDS = 13


def opened(store, folder, *, red="Bob"):
    """Anna, who reads English, plays Blue; Bob, who reads Norwegian, plays Red."""
    club = MailClub(store, folder / "spool")
    club.add("Anna")
    club.add("Bob", language="nb")
    wanted = NewMatch(
        game="goofspiel",
        variant=None,
        name="m",
        seats=["blue=Anna", f"red={red}"],
        options=["ties=carried"],
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
    )
    club.create(wanted)
    club.run_tick()
    return club


def bid(club, seat, card):
    name = {"blue": "anna", "red": "bob"}[seat]
    club.write(seat, f"ORDERS m {seat}", f"BID {card}", "END", sender=f"{name}@example.org")


def to(emails, name):
    return [email for email in emails if f"{name}@example.org" in email["To"]]


def test_a_round_is_bid_by_email_and_told_to_both(store, tmp_path):
    club = opened(store, tmp_path)
    bid(club, "blue", 14)
    (refused,) = club.run_tick()
    assert "I do not understand 'BID 14'; write BID 7" in said(refused)
    bid(club, "blue", 7)
    (receipt,) = club.run_tick()
    assert "BID 7" in said(receipt)
    club.write("red", "BUD 4", sender="bob@example.org")
    assert "skriv BID 7" in said(club.run_tick()[0]), (
        "its own words are English without a catalogue"
    )
    bid(club, "red", 4)
    told = club.run_tick()
    prize = club.loaded().state.points["blue"]
    assert f"Blue bid 7, Red bid 4: Blue wins {prize}." in said(to(told, "anna")[-1])
    bob = said(to(told, "bob")[-1])
    assert "Siden din forrige ordre" in bob
    assert f"Blue bid 7, Red bid 4: Blue wins {prize}." in bob


def test_no_email_and_no_page_says_which_prizes_come(store, tmp_path):
    club = opened(store, tmp_path)
    state = club.loaded().state
    order = " ".join(map(str, state.prizes[1:5]))
    report = Club(store).live_report("m", "blue", noting=False)
    for form in ("text", "html", "json"):
        shown = show(report, form)
        assert order not in re.sub(r"[\s,]+", " ", shown)


def test_help_sends_the_card_and_template_a_sheet(store, tmp_path):
    club = opened(store, tmp_path)
    club.write("blue", "HELP", sender="anna@example.org")
    club.write("blue", "TEMPLATE", sender="anna@example.org")
    card, template = (text_of(email) for email in club.run_tick())
    assert "Goofspiel: how to order" in card
    assert "BID 7" in card
    assert "BID .." in template


@pytest.fixture
def played(store, tmp_path):
    """Play a match to its end."""
    club = opened(store, tmp_path)
    for card in range(1, ROUNDS + 1):
        bid(club, "blue", card)
        bid(club, "red", card % ROUNDS + 1)
        club.run_tick()
    assert club.loaded().match.status == "over"
    return club


def test_an_ended_match_is_verified_exported_and_played_again(played):
    assert played.verify("m") == []
    record = played.export("m")
    assert "13. blue: BID 13" in record
    (transcript,) = transcripts(record.splitlines())
    again = GOOFSPIEL.record.replay(transcript)
    assert isinstance(again, Replayed)
    assert len(again.data["plies"]) == ROUNDS
    forged = record.replace("1. blue: BID 1\n", "1. blue: BID 2\n")
    (spoiled,) = transcripts(forged.splitlines())
    refused = GOOFSPIEL.record.replay(spoiled)
    assert "you cannot order BID 2 now" in tell(refused.message)


def test_its_last_page_looks_back_on_all_rounds(played):
    page = show(played.live_report("m", "blue", noting=False), "html")
    assert "Replay of the whole match" in page
    assert page.count("<li id=") == ROUNDS
    assert "Blue: BID 13." in page
    assert re.search(r"(Red|Blue) wins: most points\.", page)


def test_an_audit_of_a_players_emails_finds_nothing(played, tmp_path):
    place = tmp_path / "emails"
    place.mkdir()
    for number, (_, receiver, raw) in enumerate(played.way.letters):
        if receiver == "anna@example.org":
            (place / f"{number:03}.eml").write_bytes(raw)
    found = audited(place)
    assert " / ".join(map(tell, (*found.wrong, *found.missing))) == ""
    assert f"the log of {ROUNDS} plies, replayed by the rules" in " ".join(map(tell, found.checked))


def test_it_is_on_the_clubs_site(played):
    pages = {path: page.decode("utf-8") for path, page in files(played).items()}
    (match,) = [page for path, page in pages.items() if path.startswith("matches/")]
    assert "most points" in match
    assert "Goofspiel" in pages["index.html"]
    assert "Replay of the whole match" in pages[own("blue")]


@pytest.mark.parametrize("player", ["computer", "computer:random"])
def test_a_computer_plays_to_the_end(store, tmp_path, player):
    club = opened(store, tmp_path, red=player)
    for card in range(1, ROUNDS + 1):
        bid(club, "blue", card)
        club.run_tick()
    state = club.loaded().state
    assert state.outcome
    assert Club(store).verify("m") == []
    assert reduce(int.__add__, state.points.values()) <= 91
    assert Seat("red") in state.points
