"""Ladders (club, 8): challenges, what they change, and what is refused."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core import ladder as rules
from adjudicator.core.ladder_log import ChallengeResultLine, LeftLine, LoggedChallenge
from adjudicator.mail.address import Key
from tests.club import MONDAY, MatchTemplate, NewLadder, Paths, Refusal, Store, rfc3339
from tests.database import mute
from tests.inside import competition_ladders as ladders
from tests.inside import ladder_tables
from tests.inside import store_ladders as of_rows
from tests.service.mailclub import MailClub, text_of
from tests.service.test_site import Shelf
from tests.site_pages import ClubSite

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
NAMES = ("Anna", "Bob", "Cleo", "Dag", "Eva")


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return ladder_of_five(MailClub(store, tmp_path / "spool"))


def ladder_of_five(made: MailClub) -> MailClub:
    """Give a club a ladder of five, Anna on its first place; return the club."""
    codes = (f"CDE{n}" for n in range(200, 999))
    made.context = structs.replace(made.context, coder=lambda: next(codes), absence_days=0)

    def begin() -> None:
        made.add(*NAMES)
        wanted = NewLadder(name="spring", game="espionage", variant="small")
        made.create_ladder(wanted)
        for name in NAMES:
            made.enter_ladder("spring", name)

    made.brought("ladder", begin)
    return made


def order(club: MailClub) -> str:
    """Return the players from the first place down, by their first emails."""
    found = ladder_tables.one_of_club(club.store, "spring").rungs
    assert [one.place for one in found] == [*range(1, len(found) + 1)]
    return "".join(one.player[0] for one in found)


def said(club: MailClub, name: str, *lines: str, day: float = 0) -> dict[str, str]:
    """Say something to a personal address; return what is sent then, by the player's name."""
    at = MONDAY + day * DAY
    club.say(name, *lines, at=at)
    return sent(club, day)


def sent(club: MailClub, day: float = 0) -> dict[str, str]:
    found: dict[str, str] = {}
    for email in club.run_tick(MONDAY + day * DAY):
        to = email["To"].addresses[0].username.capitalize()
        found[to] = found.get(to, "") + text_of(email)
    return found


def challenged(club: MailClub, name: str, other: str, day: float = 0) -> str:
    """Challenge a player; return the code of the offer."""
    told = said(club, name, f"INVITE {other} TO spring", day=day)
    found = re.search(r"^ACCEPT (\w+)$", told[other], re.MULTILINE)
    assert found, told
    return found[1]


def begun(club: MailClub, name: str, other: str, day: float = 0) -> str:
    """Let a challenge be accepted; return the name of the match."""
    code = challenged(club, name, other, day)
    told = said(club, other, f"ACCEPT {code}", day=day)
    found = re.search(r"seat in (spring-\d)", told[other])
    assert found, told
    return found[1]


def seat_of(club: MailClub, match: str, name: str) -> str:
    holders = club.loaded(match).holders
    return next(seat for seat, one in holders.items() if one.player_name == name)


def lost(club: MailClub, match: str, name: str, day: float = 0) -> None:
    """Let a player resign a match, and the ladder change."""
    at = MONDAY + day * DAY
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match=match, now=at)
    club.run_tick(at)
    club.send(seat_of(club, match, name), "RESIGN", match=match, now=at)
    club.run_tick(at)


def test_the_winner_takes_the_place(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    assert order(club) == "ABCDE"
    lost(club, match, "Bob")
    assert order(club) == "AEBCD"
    told = said(club, "Cleo", "TABLE spring")["Cleo"]
    assert "  2  Eva" in told
    assert re.search(r"2026-11-23  Eva beat Bob \(spring-1\)", told)


def test_nothing_moves_if_the_challenger_loses(club: MailClub) -> None:
    lost(club, begun(club, "Eva", "Bob"), "Eva")
    assert order(club) == "ABCDE"


def test_a_challenge_that_is_not_answered_moves_the_challenger(club: MailClub) -> None:
    challenged(club, "Eva", "Bob")
    told = sent(club, day=7)
    assert "Bob has not answered the challenge on spring" in " ".join(told["Eva"].split())
    assert order(club) == "AEBCD"


def test_who_declines_gives_the_place_away(club: MailClub) -> None:
    code = challenged(club, "Dag", "Anna")
    said(club, "Anna", f"DECLINE {code}")
    assert order(club) == "DABCE"


def test_a_challenge_four_places_up_is_refused(club: MailClub) -> None:
    told = said(club, "Eva", "INVITE Anna TO spring")["Eva"]
    assert "You are in place 5 and Anna is in place 1." in told
    assert "one to 3 places above" in " ".join(told.split())
    assert "place 1" in said(club, "Anna", "INVITE Bob TO spring")["Anna"]  # below


def test_one_challenge_is_made_and_one_received(club: MailClub) -> None:
    challenged(club, "Eva", "Bob")
    told = said(club, "Eva", "INVITE Cleo TO spring")["Eva"]
    assert "Your challenge of Bob has not ended yet." in told
    told = said(club, "Dag", "INVITE Bob TO spring")["Dag"]
    assert "Bob has been challenged by another player." in told
    challenged(club, "Bob", "Anna")  # he may challenge all the same


def test_the_same_two_wait_for_fourteen_days(club: MailClub) -> None:
    lost(club, begun(club, "Eva", "Bob"), "Eva")
    told = said(club, "Eva", "INVITE Bob TO spring", day=13)["Eva"]
    assert "You and Bob played less than 14 days ago." in told
    assert "2026-12-07 12:00 UTC" in " ".join(told.split())
    challenged(club, "Eva", "Bob", day=14)


def test_challenges_do_not_count_as_invitations(club: MailClub) -> None:
    club.context = structs.replace(club.context, invitations=1)
    said(club, "Eva", "INVITE Anna TO espionage")
    challenged(club, "Eva", "Bob")


def test_a_match_that_is_cancelled_moves_nothing(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    club.cancel(match, reason="ill")
    sent(club)
    assert order(club) == "ABCDE"
    assert ladder_tables.one_of_club(club.store, "spring").results[0].ending == "void"


def test_a_silent_challenger_goes_to_the_last_place(club: MailClub) -> None:
    match = begun(club, "Cleo", "Bob")
    black = seat_of(club, match, "Bob")
    club.send(black, "SETUP RANDOM", match=match)
    for day in range(1, 14):
        club.run_tick(MONDAY + day * DAY)
    assert club.loaded(match).match.status == "over"
    assert order(club) == "ABDEC"


def test_who_is_silent_twice_leaves(club: MailClub) -> None:
    for first, day in (("Dag", 0), ("Eva", 30)):
        match = begun(club, first, "Bob", day=day)
        club.send(seat_of(club, match, first), "SETUP RANDOM", match=match,
                  now=MONDAY + day * DAY)  # fmt: skip
        told: dict[str, str] = {}
        for later in range(1, 14):
            told |= sent(club, day=day + later)
            if (day, later) == (30, 6):
                challenged(club, "Bob", "Anna", day=day + later)
    assert "B" not in order(club)
    assert "The challenge between Bob and you has ended." in " ".join(told["Anna"].split())
    assert "You are no longer on the ladder spring" in " ".join(told["Bob"].split())


def test_times_of_a_clock_that_was_ahead_keep_nobody_away() -> None:
    pair, ahead = frozenset((1, 2)), MONDAY + 400 * DAY
    ladder = rules.Ladder(order=(1, 2), met=((pair, ahead),), silent=((1, ahead),))
    assert rules.refusal(ladder, 2, 1, MONDAY) == ""
    assert rules.refusal(ladder, 2, 1, ahead + DAY) == "soon"


@pytest.mark.parametrize(
    ("silent", "ago", "is_again"),
    [
        (1, 90 * DAY - SECOND, True),
        (1, 90 * DAY, False),
        (2, DAY, False),  # it was the other one
    ],
)
def test_silence_is_remembered_for_ninety_days(silent: int, ago: timedelta, is_again: bool) -> None:
    match = LoggedChallenge(1, 2, 1, "spring-1", "white")
    ladder = rules.Ladder(order=(1, 2), going=(match,), silent=((silent, MONDAY - ago),))
    line = ChallengeResultLine(
        at=rfc3339(MONDAY), challenge=1, match="spring-1", ending="drawn", silent=(1,)
    )
    followed = rules.follows(ladder, line)
    assert [one.entry for one in followed if isinstance(one, LeftLine)] == [1] * is_again


def test_who_leaves_lets_those_below_move_up(club: MailClub) -> None:
    assert "You have left spring." in said(club, "Bob", "WITHDRAW spring")["Bob"]
    assert order(club) == "ACDE"
    assert "place 5" in said(club, "Bob", "JOIN spring")["Bob"]
    assert order(club) == "ACDEB"
    assert "is on spring already" in said(club, "Bob", "JOIN spring")["Bob"]


def test_a_challenge_of_who_has_left_moves_nothing(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    said(club, "Bob", "WITHDRAW spring")
    lost(club, match, "Bob")
    assert order(club) == "ACDE"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("INVITE Bob, Cleo TO spring", "one player at a time"),
        ("JOIN winter", "There is no open seat in 'winter'"),
    ],
)
def test_what_cannot_be_is_told(club: MailClub, line: str, answer: str) -> None:
    assert answer in " ".join(said(club, "Eva", line)["Eva"].split())


def test_a_closed_ladder_stays_as_it_is(club: MailClub) -> None:
    code = challenged(club, "Eva", "Bob")
    club.close_ladder("spring")
    assert "cannot begin any more" in said(club, "Bob", f"ACCEPT {code}")["Bob"]
    assert "spring is closed" in said(club, "Eva", "INVITE Bob TO spring")["Eva"]
    assert order(club) == "ABCDE"


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        (NewLadder(name="spring", game="espionage"), "there is already a ladder spring"),
        (NewLadder(name="Spring!", game="espionage"), "cannot name a ladder"),
        (NewLadder(name="me", game="espionage"), "means a player"),
        (NewLadder(name="spion", game="espionage"), "is a word used in orders"),
        (NewLadder(name="a", game="espionag"), "espionage"),
        (NewLadder(name="a"), "name the game"),
        (NewLadder(name="a", game="espionage", options=("names=hidden",)), "cannot be hidden"),
        (NewLadder(name="a", game="espionage", variant="huge"), "no variant 'huge'"),
        (NewLadder(name="a", game="spion", like="espionage"), "not for spion"),
    ],
)
def test_a_wrong_ladder_is_refused(club: MailClub, wanted: NewLadder, why: str) -> None:
    with pytest.raises(Refusal, match=re.escape(why)):
        club.create_ladder(wanted)


def test_matches_and_ladders_share_their_names(club: MailClub) -> None:
    with pytest.raises(Refusal, match="there is already a ladder spring"):
        club.new(name="spring")
    club.new(name="m")
    wanted = NewLadder(name="m", game="espionage")
    with pytest.raises(Refusal, match="there is already a match m"):
        club.create_ladder(wanted)


# Its page on the club's site.


def built(club: MailClub, language: str = "en") -> dict[str, str]:
    """Make the club's pages; return them by their places."""
    key = Key(id="k1", secret=bytes(range(32)))
    made = ClubSite(store=club.store, key=key, language=language, zone="UTC", now=MONDAY)
    made.fill(shelf := Shelf())  # type: ignore[arg-type]
    return {
        path: content.decode() for path, content in shelf.files.items() if path.endswith("html")
    }


def test_the_page_shows_what_the_table_says(club: MailClub) -> None:
    lost(club, begun(club, "Eva", "Bob"), "Bob")
    match = begun(club, "Dag", "Cleo")
    pages = built(club)
    page = pages["ladders/spring.html"]
    assert '<a class="row plain" href="ladders/spring.html">' in pages["index.html"]
    places = re.findall(r'<td class="number">(\d)</td><th scope="row">(?:<a[^>]*>)?(\w+)', page)
    assert places == [("1", "Anna"), ("2", "Eva"), ("3", "Bob"), ("4", "Cleo"), ("5", "Dag")]
    assert f"Dag against Cleo ({match})" in page
    assert (
        '<a class="row plain" href="../matches/spring-1.html"><span>Eva beat Bob (spring-1)' in page
    )
    assert "Stigen spring" in built(club, "nb")["ladders/spring.html"]
    assert "Stegen spring" in built(club, "sv")["ladders/spring.html"]


def test_the_page_says_nothing_of_who_has_sent(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    before = built(club)["ladders/spring.html"]
    told = said(club, "Cleo", "TABLE spring")
    club.send("white", "SETUP RANDOM", match=match)
    assert built(club)["ladders/spring.html"] == before
    assert said(club, "Cleo", "TABLE spring") == told


def test_the_pages_are_made_anew_when_a_place_has_changed(club: MailClub) -> None:
    with club.store.reading() as tx:
        before = of_rows.changes(tx)
    begun(club, "Eva", "Bob")
    with club.store.reading() as tx:
        assert of_rows.changes(tx) != before


def test_a_stranger_enters_by_the_public_address_with_a_code(club: MailClub) -> None:
    public = {"to": "adjud@play.example.org", "sender": "finn@example.org"}
    club.write("Finn", "JOIN spring", **public)
    code = re.search(r"^CONFIRM (\w+)$", sent(club)["Finn"], re.MULTILINE)
    assert code
    club.write("Finn", f"CONFIRM {code[1]}", **public)
    sent(club)
    found = ladder_tables.one_of_club(club.store, "spring").rungs
    assert [one.player for one in found][5:] == ["finn"]
    club.write("Finn", "WITHDRAW spring", **public)
    told = " ".join(sent(club)["Finn"].split())
    assert "go to your address for all your matches" in told
    assert "Nothing was done about them here." in told
    assert len(ladder_tables.one_of_club(club.store, "spring").rungs) == 6


def test_an_offer_that_cannot_end_stops_no_other_and_not_the_tick(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenged(club, "Bob", "Anna")
    challenged(club, "Dag", "Cleo")
    taken = ladders.end_challenge

    def fails(s, row, one, answer):
        if one.asked_id == 1:
            raise KeyError(one.asked_id)
        taken(s, row, one, answer)

    monkeypatch.setattr(ladders, "end_challenge", fails)
    club.context = structs.replace(club.context, raise_faults=False)
    sent(club, 8)
    assert order(club) == "ABDCE"
    assert sum("(KeyError) keeps spring from going on" in one for one in club.told) == 1
    sent(club, 8)
    assert not club.told
    monkeypatch.setattr(ladders, "end_challenge", taken)
    sent(club, 8)
    assert order(club) == "BADCE"


def test_nobody_keeps_a_place_by_making_a_challenge_void_with_wrong_codes(club: MailClub) -> None:
    challenged(club, "Bob", "Anna")
    said(club, "Anna", *[f"ACCEPT 9X9{n}" for n in range(5)])
    assert order(club) == "BACDE"
    assert "Anna did not answer Bob" in said(club, "Cleo", "TABLE spring")["Cleo"]


def test_mute_keeps_no_challenge_away(club: MailClub) -> None:
    """Else it would keep a place for ever, and tell the challenger that he is muted."""
    club.new(white="Anna", black="Bob")
    club.run_tick()
    with club.store.transaction() as tx:
        ids = dict(tx.exec_driver_sql("SELECT name, id FROM player").all())
        mute(tx, ids["Anna"], 1, ids["Bob"], off=False)
    assert challenged(club, "Bob", "Anna")


def test_no_ladder_is_called_like_a_template(club: MailClub) -> None:
    strict = {"Strict": MatchTemplate(game="espionage")}
    club.context = structs.replace(club.context, templates=strict)
    wanted = NewLadder(name="strict", game="espionage", variant="small")
    with pytest.raises(Refusal, match="'strict' is a template; choose another name"):
        club.create_ladder(wanted)


# What a player leaves open behind them (8.3).


@pytest.mark.parametrize("gone", ["Bob", "Eva"])
def test_a_challenge_ends_when_one_of_the_two_leaves(club: MailClub, gone: str) -> None:
    code = challenged(club, "Eva", "Bob")
    left = {"Bob": "Eva", "Eva": "Bob"}[gone]
    told = said(club, gone, "WITHDRAW spring")
    assert (
        f"{gone} has left the ladder spring. The challenge between {gone} and you has ended."
        in (" ".join(told[left].split()))
    )
    assert "cannot begin any more" in said(club, "Bob", f"ACCEPT {code}")["Bob"]
    if gone == "Bob":
        assert "Anna is challenged" in said(club, "Eva", "INVITE Anna TO spring")["Eva"]
    else:
        challenged(club, "Cleo", "Bob")
    assert order(club) == "ABCDE".replace(gone[0], "")


def test_a_challenge_ends_when_the_challenged_player_is_erased(
    club: MailClub, tmp_path: Path
) -> None:
    challenged(club, "Eva", "Bob")
    at = Paths(key=tmp_path / "key", spool=club.folder, config=None)
    [*club.erase("Bob", at=at)]
    told = sent(club)
    assert [*told] == ["Eva"]
    assert "has left the ladder spring." in told["Eva"]
    assert "Bob" not in told["Eva"]
    assert "Anna is challenged" in said(club, "Eva", "INVITE Anna TO spring")["Eva"]


def test_the_challenges_of_a_ladder_that_is_closed_end(club: MailClub) -> None:
    match = begun(club, "Dag", "Anna")
    challenged(club, "Eva", "Bob")
    club.close_ladder("spring")
    told = sent(club)
    assert sorted(told) == ["Bob", "Eva"]
    assert "The ladder spring is closed. The challenge between Eva and you" in " ".join(
        told["Bob"].split()
    )
    assert club.loaded(match).match.status == "playing"
    assert [one.match for one in ladder_tables.one_of_club(club.store, "spring").going] == [match]


def test_the_asker_reads_that_an_offer_became_void(club: MailClub) -> None:
    challenged(club, "Eva", "Bob")
    for n in range(5):
        told = said(club, "Bob", f"ACCEPT WRONG{n}")
    assert "Bob can no longer accept the challenge on spring, so it has ended." in " ".join(
        told["Eva"].split()
    )
