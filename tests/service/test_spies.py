"""Spies in the whole program: set-ups, years and turns, two powers of a seat, silence, seats that
leave."""

from datetime import timedelta

import pytest

from adjudicator.core.record import Replayed
from adjudicator.games import GAMES
from adjudicator.games.spies.record import position
from tests.club import MONDAY, Refusal, replay_lines, show
from tests.games.spies.matches import digest_of
from tests.service.spiesclub import SpiesClub

DAY = timedelta(days=1)
COMPUTERS = {
    "germany": "computer",
    "italy": "computer:cautious",
    "russia": "computer:random",
    "france": "computer",
    "britain": "computer:cautious",
}


@pytest.fixture
def club(store, tmp_path):
    return SpiesClub(store, tmp_path / "spool")


def messages(receipt):
    return [str(problem.message) for problem in receipt.problems]


def replayed(text):
    """Play the record again by the game that its tags name, as a file would be."""
    (found,) = replay_lines(text.splitlines())
    assert isinstance(found, Replayed), found
    return found.data


@pytest.mark.parametrize(("players", "plies"), [(5, 8), (4, 8), (3, 8), (2, 29)])
def test_computers_play_a_match_to_its_end_which_is_verified_and_replayed(club, players, plies):
    held = dict(list(COMPUTERS.items())[: players if players > 2 else 0])
    held = held or {"germany": "computer", "russia": "computer:cautious"}
    club.open(players=players, holders=held)
    club.tick()
    loaded = club.loaded()
    assert loaded.match.status == "over"
    assert (loaded.match.ply, loaded.match.turn) == (plies, 7)
    assert club.verify("m") == []
    data = replayed(club.export("m"))
    assert digest_of(data["plies"][-1]["position"]) == digest_of(position(loaded.state))
    assert data["result"]["reason"] == "points"


@pytest.mark.slow
def test_a_record_is_secret_until_the_match_has_ended(club):
    club.start()
    with pytest.raises(Refusal, match="has not ended"):
        club.export("m")


@pytest.mark.slow
def test_a_receipt_shows_whole_codes_where_emails_were_left_out(club):
    club.start()
    receipt = club.send("germany", "SPY A: GO HOME", "POLICE P1 KON", "ANSWER NONE B")
    assert receipt.accepted, messages(receipt)
    assert receipt.orders == ["SPY G-A: GO HOME", "POLICE G-P1 KON", "ANSWER NONE G-B"]
    assert club.report("germany")["orders"]["lines"] == receipt.orders


def test_a_seat_that_leads_two_powers_writes_whole_codes(club):
    club.start(players=2)
    assert club.loaded().awaited == ("germany",)
    assert messages(club.send("germany", "SPY A: GO HOME")) == ["which power's A? write G-A, B-A"]
    assert club.send("germany", "SPY G-A: GO HOME").accepted
    club.run_tick()
    assert (club.loaded().awaited, club.state.to_move) == (("russia",), "russia")


@pytest.mark.slow
def test_the_game_record_has_a_key_of_its_own_beside_the_powers_record(club):
    club.start()
    club.cancel("m", reason="x")
    report = club.report("germany")
    assert report["record"].keys() == set(GAMES["spies"].seats)
    assert report["game_record"].startswith('[Game "Spies"]')


def test_silence_at_the_deadline_is_answered_by_the_rules(club):
    """Spies rules 2.7 and 6.7: the set-up is drawn, a year is played by standing orders."""
    club.open("deadline=every 3 days")
    for n in range(1, 4):
        club.tick(MONDAY + 3 * n * DAY)
    assert (club.loaded().match.turn, club.state.year) == (3, 1935)
    assert len(club.state.hands["germany"].tiles) == 6


@pytest.mark.slow
def test_a_seat_that_gives_up_scores_and_the_others_play_on(club):
    club.start()
    club.send("france", "RESIGN")
    club.run_tick()
    assert club.loaded().match.status == "playing"
    assert club.loaded().gone == {"france"}
    assert "france" not in club.loaded().awaited
    club.all_send()
    club.run_tick()
    assert club.state.year == 1934
    assert "France resigned" in show(club.live_report("m", "italy"), "text")


def test_the_seats_of_a_match_of_two_see_their_own_powers_alone(club):
    club.start(players=2)
    for seat, own in (("germany", {"germany", "britain"}), ("russia", {"russia", "france"})):
        report = club.report(seat)
        assert set(report["powers"]) == set(report["own_tiles"]) == own
        told = {spy["power"] for spy in report["spies"] if spy["strength"] is not None}
        assert told == own
        emails = {power[0].upper() for power in own}
        values = {s["secret"][0] for s in report["secrets"] if s["title"] is not None}
        assert values == emails


@pytest.mark.slow
def test_a_forfeit_and_what_is_undone_of_it(club):
    club.start()
    club.forfeit("m", "italy", reason="x")
    assert club.state.left == {"italy": "forfeit"}
    club.undo("m", reason="too early")
    assert club.state.left == {}


@pytest.mark.slow
def test_a_set_up_is_committed_to_and_opened_at_the_end(club):
    """Spies rule 2.6."""
    club.start()
    told = club.report("italy")["commitments"]
    assert [entry["seat"] for entry in told if entry["what"] == "setup"] == list(
        GAMES["spies"].seats
    )
    assert not any(entry["opened"] for entry in told)
    club.cancel("m", reason="x")
    assert all(entry["opened"] for entry in club.report("italy")["commitments"])


@pytest.mark.slow
def test_the_report_as_json_has_the_keys_of_the_book(club):
    """Spies rule 9.7."""
    club.start()
    keys = (
        "year mode to_move first powers dormant placed spies secrets police own_police money chits "
        "tiles played own_chits own_tiles record points standing news"
    )
    assert club.report("germany").keys() >= set(keys.split())


@pytest.mark.slow
def test_a_receipt_says_in_words_what_a_plan_will_try_in_order(club):
    club.start()
    plan = "SPY A: GO PRA IF N-4 AND POLICE=0, NEAR ZUR; DISCOVER N-4, N-3 TRIES 2 IF MONEY>=20"
    receipt = club.send("germany", plan, "  GO HOME IF CARRYING>=2", "SPY B: GO LON")
    assert [str(message) for message in receipt.done] == [
        "G-A will try: to PRA if N-4 is there and the number of enemy police there is exactly 0, "
        "else as near to ZUR as it can, then discover the first of N-4, N-3 that is there, with "
        "up to 2 chits if your money is at least 20 £, then to BER if it carries something worth "
        "at least 2."
    ]


ANNA, BOB = "anna@example.org", "bob@example.org"


def text_to(emails, name):
    """Return the emails of a tick to somebody, the shortest first: an answer, then a report."""
    own = [email for email in emails if email["To"].startswith(name)]
    bodies = [email.get_body(("plain",)).get_content() for email in own]
    return sorted(bodies, key=len)


@pytest.mark.slow
def test_a_year_is_played_by_emails_in_two_languages(club):
    club.open(
        "deadline=every 3 days",
        holders={"russia": "computer", "france": "computer:cautious", "britain": "computer"},
        languages={"Bob": "sv"},
    )
    first = club.run_tick()
    (report,) = text_to(first, "Anna")
    for told in ("What it is about", "Your capital is Berlin", "BER 2, HAM 2, KON 1"):
        assert told in report
    club.write("germany", "ORDERS m germany", "SETUP RANDOM", "END", sender=ANNA)
    club.write("italy", "ORDER m italien", "UPPSTÄLLNING SLUMP", "SLUT", sender=BOB)
    told = club.run_tick()
    assert "accepted, version 1" in text_to(told, "Anna")[0]
    assert "godkänt, version 1" in text_to(told, "Bob")[0]
    plan = ("SPY A: GO PRA, ZUR", "  DISCOVER N-4, N-3 TRIES 2", "  GO HOME IF CARRYING")
    club.write("germany", "ORDERS m germany turn 1", *plan, "END", sender=ANNA)
    club.write("italy", "SPION A: gå Rom", "SKONA tyskland", "-- ", "Bob", sender=BOB)
    told = club.run_tick()
    (report,) = text_to(told, "Anna")  # it is the confirmation, too
    said = " ".join(report.split())
    assert "SPY G-A: GO PRA, ZUR; DISCOVER N-4, N-3 TRIES 2; GO HOME IF CARRYING" in said
    assert "G-A will try: to PRA, else ZUR, then discover the first of" in said
    assert "Germany, 1933" in report
    (report,) = text_to(told, "Bob")
    assert "SPION I-A: GÅ ROM" in report
    assert "Italien, 1933" in report
    assert club.state.year == 1934
