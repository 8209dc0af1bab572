"""A player leaves: the seat is open, the match waits, and goes on when somebody takes the seat."""

from datetime import timedelta
from pathlib import Path

import pytest

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from tests.club import MONDAY, Club, Refusal, Store, receipt_as_text
from tests.service.cheats.scene import Scene, seen_by
from tests.service.mailclub import MailClub

DAY = timedelta(days=1)
LATER = MONDAY + 2 * DAY


@pytest.fixture
def club(store: Store) -> Club:
    club = Club(store)
    club.begin("deadline=every 3 days", "absence=forfeit")
    return club


def opened(club: Club, seat: str = "black", now=MONDAY) -> str:
    told = club.open_seat("m", Seat(seat), reason="ill", now=now)
    return str(told)


def replaced(club: Club, seat: str, player: str, now=LATER) -> str:
    told = club.replace("m", seat, player, now=now)
    return str(told)


def test_a_match_with_an_open_seat_waits_for_a_player(club: Club) -> None:
    club.order("white")
    club.tick()
    club.order("black")
    assert opened(club) == "m: black is open"
    loaded = club.loaded()
    assert (loaded.match.status, loaded.match.deadline_at, dict(loaded.sheets)) == (
        "open",
        None,
        {},
    )
    assert club.tick(MONDAY + 99 * DAY) == []
    notice = club.report("white")["notices"][-1]
    assert notice["text"] == (
        "The player of Black has left. The match waits until the seat is taken. ill"
    )
    refused = receipt_as_text(club.send("black", "RESIGN"), tell)
    assert "nobody plays Black in m" in refused
    club.add("Cleo")
    assert replaced(club, "black", "Cleo") == (
        "m: Cleo plays black; the deadline is now 2026-11-28 12:00 UTC"
    )
    assert club.loaded().match.status == "playing"
    notice = club.report("white")["notices"][-1]["text"]
    assert notice.startswith("A player plays Black. The match continues. The deadline is now Sat")
    assert club.order("black", LATER).accepted
    club.tick(LATER)
    assert club.loaded().match.ply == 3
    assert club.verify("m") == []


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (Club.forfeit, ("white",)),
        (Club.set_deadline, ("2 days",)),
    ],
)
def test_what_needs_all_players_says_that_one_is_missing(club: Club, use, words) -> None:
    opened(club)
    with pytest.raises(Refusal, match="m waits until its open seat is taken; `adjud gm replace`"):
        use(club, "m", *words)


def test_no_announced_forfeit_outlives_it(club: Club) -> None:
    club.announce_forfeit("m", "white", DAY)
    opened(club)
    assert "The game master's forfeit warning no longer applies." in str(
        club.report("white")["notices"]
    )
    replaced(club, "black", "computer")
    assert club.tick(LATER) == []


def test_an_undo_leaves_the_seat_open(club: Club) -> None:
    club.order("white")
    club.tick()
    opened(club)
    club.undo("m", reason="x")
    loaded = club.loaded()
    assert (loaded.match.status, loaded.match.deadline_at) == ("open", None)
    replaced(club, "black", "Bob")
    assert club.loaded().match.deadline_at == LATER + 3 * DAY
    club.tick(LATER)
    assert club.verify("m") == []


def test_who_cannot_leave(club: Club) -> None:
    club.hold("m", reason="x")
    with pytest.raises(Refusal, match="m is on hold, and an open seat would end that"):
        opened(club)
    club.add("Cleo")
    with pytest.raises(Refusal, match="Cleo plays in no match that continues"):
        club.seats_of_player("Cleo")
    assert club.seats_of_player("bob") == [("m", "black")]


@pytest.mark.slow
def test_the_seat_is_listed_and_taken_by_email(store: Store, tmp_path: Path) -> None:
    club = MailClub(store, tmp_path / "spool").opened()
    club.write("white", "ORDERS m white", "SETUP RANDOM", "END")
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    club.run_tick()
    opened(club)
    emails = {one["To"]: one for one in club.run_tick()}
    farewell = emails["bob@example.org"].get_content()
    assert "has taken you out of m, and Black is open to other players" in " ".join(
        farewell.split()
    )
    assert emails["Anna <anna@example.org>"]["Subject"] == "[m] A player has left"
    club.write("black", "STATUS")
    (answer,) = club.run_tick()
    assert "You no longer have this seat: Black in m." in answer.get_content()

    def join(sender: str) -> str:
        public = "adjud@play.example.org"
        club.write("black", "JOIN m black", sender=sender, to=public)
        (asked,) = club.run_tick()
        code = asked.get_content().partition("CONFIRM ")[2][:6]
        club.write("black", f"CONFIRM {code}", sender=sender, to=public)
        return "".join(one.get_body(("plain",)).get_content() for one in club.run_tick())

    assert "cleo plays Black. The match continues." in " ".join(join("cleo@example.org").split())
    assert club.loaded().match.status == "playing"
    opened(club, "white")
    opened(club, "black")
    club.run_tick()
    told = " ".join(join("anna@example.org").split())
    assert "You had another seat in m and have seen its reports" in told
    assert Club(store).status("m")["matches"][0]["players"] == {"white": "", "black": ""}


@pytest.mark.slow
@pytest.mark.parametrize("game", ["espionage", "spion"])
def test_an_audit_blames_nobody(store: Store, tmp_path: Path, game: str) -> None:
    scene = Scene(store, tmp_path, game, "deadline=every 3 days")
    scene.play(3)
    scene.club.open_seat("m", Seat(scene.theirs), reason="x", now=scene.now)
    scene.tick()
    scene.club.add("Zoe")
    scene.club.replace("m", scene.theirs, "Zoe", reason="x", now=scene.now)
    scene.people[scene.theirs] = "Zoe"
    scene.play(2)
    scene.end()
    for name in ("Anna", "Zoe"):
        found = seen_by(scene, tmp_path, name)
        assert (found.wrong, found.asks) == ([], [])
