"""The lists of a game master who has many matches, and may play in them."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.conftest import Clubs, copied
from tests.program import Adjud

LATE = "2026-11-25 12:00:00"
SETUP = "ORDERS {} {}\nSETUP RANDOM\nEND\n"


@pytest.fixture(scope="module")
def made(clubs: Clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the club once; each test works on a copy."""
    folder = copied(clubs.setting_up, tmp_path_factory.mktemp("desk"))
    club = Adjud(folder)
    club.does("player", "add", "Cleo", "cleo@example.org", "--confirmed")
    for name, white, black, *options in (
        ("m2", "Cleo", "Anna", "--option", "deadline=every 2 days"),
        ("m3", "Bob", "Cleo"),
    ):
        seats = ("--seat", f"white={white}", "--seat", f"black={black}")
        club.does("new", "espionage", "--match", name, *seats, *options)
    for seat in ("white", "black"):
        club.does("submit", "-", stdin=SETUP.format("m2", seat))
    club.does("tick")
    return folder


@pytest.fixture
def desk(adjud: Adjud, made: Path) -> Adjud:
    """Return the program with `espionage-1`, both to set up until 24 November, `m2`, where Cleo is
    to move until 23 November, and `m3` without deadlines."""
    copied(made, adjud.folder)
    return adjud


def test_what_is_late_is_listed_with_the_earliest_deadline_first(desk: Adjud) -> None:
    assert desk.does("late") == "no match is late\n"
    assert desk.does("late", at=LATE) == (
        "m2: turn 1 was due Mon 23 Nov 2026 12:00 UTC; waiting for white\n"
        "espionage-1: turn 0 was due Tue 24 Nov 2026 12:00 UTC\n"
    )
    assert desk.does("late", "--within", "60 hours").splitlines() == [
        "m2: turn 1 is due Mon 23 Nov 2026 12:00 UTC; waiting for white"
    ]
    for day in (23, 24, 25):  # after a longer gap both would be held
        desk.does("tick", at=f"2026-11-{day} 12:00:00")
    desk.does("gm", "hold", "espionage-1", "--reason", "x", at=LATE)
    lines = desk.does("late", at=LATE).splitlines()
    assert [line.rpartition("; ")[2] for line in lines] == ["the match waits for you", "on hold"]
    first, second = map(json.loads, desk.does("late", "--format", "json", at=LATE).splitlines())
    assert first == {
        "match": "m2",
        "game": "espionage",
        "turn": 1,
        "deadline": "2026-11-23T12:00:00Z",
        "late": True,
        "held": False,
        "alerted": True,
        "seat": "white",
        "trouble": "the deadline has passed and the match waits for the game master",
    }
    assert (second["held"], second["alerted"], second["seat"]) == (True, True, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("late",),
        ("late", "--within", "9 days", "--format", "json"),
        ("status", "--waiting-for-me", "--player", "Anna"),
        ("player", "show", "Anna"),
        ("status", "--waiting-for-me", "--player", "Bob", "--format", "json"),
    ],
)
def test_no_list_depends_on_who_has_sent(desk: Adjud, words: tuple[str, ...]) -> None:
    seen = set()
    for seat in ("", "white", "black"):
        if seat:
            desk.does("submit", "-", stdin=SETUP.format("espionage-1", seat))
        seen.add((desk.does(*words), desk.does(*words, at="2026-11-24 12:00:01")))
    assert len(seen) == 1


def test_a_look_at_who_is_silent_is_noted_where_email_goes_out(by_mail: Adjud) -> None:
    by_mail.does("late", at=LATE)
    assert not any("the game master looked" in row for row in by_mail.dump())
    assert "no orders yet from white, black" in by_mail.does("late", "--gm", at=LATE)
    told = "On {day} the game master looked up which players had sent orders."
    assert any(told in row for row in by_mail.dump())


def test_what_waits_for_one_player(desk: Adjud) -> None:
    lines = desk.does("status", "--waiting-for-me", "--player", "Cleo").splitlines()
    assert [line.partition(":")[0] for line in lines[::2]] == ["m2", "m3"]
    desk.write("adjud.toml", 'operator = "ANNA@example.org"\n')
    lines = desk.does("status", "--waiting-for-me").splitlines()
    assert [line.partition(":")[0] for line in lines[::2]] == ["espionage-1"]
    desk.write("adjud.toml", 'operator = "gm@example.org"\n')
    assert desk("status", "--waiting-for-me").err == (
        "adjud: no player has the operator's address, gm@example.org; say who you are with "
        "--player NAME\n"
    )
    assert desk("status", "m2", "--waiting-for-me").code == 2
    assert desk("status", "--player", "Anna").code == 2


def test_standings_for_people_programs_and_spreadsheets(desk: Adjud) -> None:
    assert desk.does("standings") == "no match between people has ended\n"
    desk.armies()
    desk.does("submit", "-", stdin="ORDERS espionage-1 white\nRESIGN\nEND\n")
    desk.does("tick")
    desk.does("gm", "cancel", "m3", "--reason", "x")
    lines = desk.does("standings").splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["espionage", "Bob"], ["espionage", "Anna"]]
    bob, anna = map(json.loads, desk.does("standings", "--format", "json").splitlines())
    assert (bob["player"], bob["won"], bob["played"]) == ("Bob", 1, 1)
    assert anna == {
        "game": "espionage",
        "player": "Anna",
        "won": 0,
        "drawn": 0,
        "lost": 1,
        "rating": 3000 - bob["rating"],
        "doubt": bob["doubt"],
        "played": 1,
    }
    table = [*csv.DictReader(StringIO(desk.does("standings", "espionage", "--format", "csv")))]
    assert [row["player"] for row in table] == ["Bob", "Anna"]
    assert table[0].keys() == anna.keys()
    assert desk.does("standings", "spion") == "no match between people has ended\n"


def test_a_player_is_shown_with_seats_misses_and_absences(desk: Adjud) -> None:
    desk.does("player", "absence", "Anna", "2026-12-24", "2027-01-02")
    desk.does("player", "mute", "Anna", "--reason", "insults")
    desk.does("gm", "replace", "m2", "black", "Bob")
    desk.does("gm", "hold", "espionage-1", "--reason", "x")
    assert desk.does("player", "show", "anna") == (
        "Anna <anna@example.org>: en, Europe/Oslo, muted\n"
        "  espionage-1: white, turn 0; on hold since Sat 21 Nov 2026 12:00 UTC; to move until Tue "
        "24 Nov 2026 12:00 UTC\n"
        "  away from 2026-12-24 to 2027-01-02\n"
        "  left m2, black, Sat 21 Nov 2026 12:00 UTC\n"
    )
    desk.does("gm", "cancel", "espionage-1", "--reason", "x")
    found = json.loads(desk.does("player", "show", "Anna", "--format", "json"))
    assert found == {
        "name": "Anna",
        "address": "anna@example.org",
        "language": "en",
        "timezone": "Europe/Oslo",
        "confirmed": True,
        "muted": True,
        "reminders": "on",
        "substitute": "off",
        "letters": "each",
        "absences": [["2026-12-24", "2027-01-02"]],
        "seats": [],
        "ended": ["espionage-1"],
        "left": [{"match": "m2", "seat": "black", "until": "2026-11-21T12:00:00Z"}],
    }
    assert "muted" in desk.does("player", "list")
    seats = json.loads(desk.does("player", "show", "Bob", "--format", "json"))["seats"]
    assert seats[0] == {
        "match": "m2",
        "game": "espionage",
        "seat": "black",
        "status": "playing",
        "turn": 1,
        "deadline": "2026-11-23T12:00:00Z",
        "held": None,
        "to_move": False,
        "missed": 0,
        "forfeits": None,
    }
    assert desk("player", "show", "Ana").err == (
        "adjud: there is no player 'Ana'; did you mean Anna?\n"
    )


@pytest.mark.slow
def test_undo_says_beforehand_whether_it_can(desk: Adjud) -> None:
    assert desk.does("gm", "undo", "m2", "--check") == (
        "m2: the last ply can be undone now; turn 0 would be open for orders again\n"
    )
    desk.does("site", "build", "site")
    before = desk.dump()
    for words in (("m2", "--check"), ("m2",)):
        assert desk("gm", "undo", *words) == (
            1,
            "",
            "adjud: m2: a report of the last ply was already printed, or is on the club's site\n",
        )
    assert desk("gm", "undo", "m3", "--check").err == (
        "adjud: m3: nothing has been adjudicated yet\n"
    )
    assert desk.dump() == before


def test_a_player_leaves_all_matches(desk: Adjud) -> None:
    desk.does("gm", "hold", "espionage-1", "--reason", "x")
    assert desk("player", "leave", "Anna", "--reason", "moved away") == (
        1,
        "m2: black is open\n1 of 2 matches done; not done: espionage-1\n",
        "adjud: espionage-1 is on hold, and an open seat would end that; resume it first, or name "
        "the player who takes the seat\n",
    )
    assert "m2: espionage standard, white Cleo, black (open); open" in desk.does("status")
    assert desk.does("player", "leave", "Anna", "--to", "computer") == (
        "espionage-1: computer plays white\n1 of 1 matches done\n"
    )
    assert desk("player", "leave", "Anna") == (
        1,
        "",
        "adjud: Anna plays in no match that continues\n",
    )
    assert desk("player", "leave", "Cleo", "--to", "Bob").out == (
        "m2: Bob plays white\n1 of 2 matches done; not done: m3\n"
    )
    assert "m2, black" in desk.does("player", "show", "Anna")
    assert "agree" in desk.does("verify")


def test_a_player_who_has_seen_the_other_side_gets_a_seat_only_on_purpose(desk: Adjud) -> None:
    desk.does("gm", "replace", "m2", "black", "computer")
    told = "adjud: Anna had another seat in m2 and has seen its reports; give --yes if you mean it"
    assert desk("gm", "replace", "m2", "white", "Anna").err == f"{told}\n"
    answer = desk("player", "leave", "Cleo", "--to", "Anna")
    assert (answer.code, answer.err) == (1, f"{told}\n")
    assert answer.out.endswith("1 of 2 matches done; not done: m2\n")
    assert desk.does("gm", "replace", "m2", "black", "Anna").startswith("m2: Anna plays black")
    desk.does("gm", "replace", "m2", "black", "Bob")
    assert desk.does("player", "leave", "Cleo", "--to", "Anna", "--yes") == (
        "m2: Anna plays white\n1 of 1 matches done\n"
    )
