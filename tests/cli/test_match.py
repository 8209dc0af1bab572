"""Run a match with `adjud new`, `tick`, `status`, `board`, `report`, `record` and `verify`."""

import json
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from adjudicator.games import GAMES
from tests.games.samples import of_games
from tests.program import SEED, Adjud

WHITE = "ORDERS espionage-1 white turn 1\nd3-d4\nf3-f4\nEND\n"
BLACK = "ORDERS espionage-1 black turn 1\na8-a7\nc8-c7\nEND\n"
RANDOM = "ORDERS espionage-1 {}\nSETUP RANDOM\nEND\n"


def test_new_prints_the_name_of_the_match(club: Adjud) -> None:
    seats = ("--seat", "white=Anna", "--seat", "black=computer")
    assert club.does("new", "espionage", *seats) == "espionage-1\n"
    assert club.does("new", "espionage", *seats) == "espionage-2\n"
    assert club.does("new", "espionage", *seats, "--match", "Garden") == "garden\n"
    answer = club("new", "espionage", *seats, "--match", "GARDEN")
    assert answer == (1, "", "adjud: there is already a match garden\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("spionage", "there is no game 'spionage'; did you mean espionage?"),
        (
            "espionage --seat white=Anna",
            "who plays black? add --seat black=PLAYER (a name, or computer), or --open",
        ),
        (
            "espionage --seat white=Anna --seat green=Bob",
            "there is no seat 'green'; choose from White, Black",
        ),
        (
            "espionage --seat white=Anna --seat hvit=Bob",
            "the seat white is named twice",
        ),
        ("espionage --seat Anna", "'Anna': write a seat as SEAT=PLAYER"),
        (
            "espionage --seat white=Anna --seat black=Bop",
            "there is no player 'Bop'; did you mean Bob?",
        ),
        (
            "espionage --seat white=Anna --seat black=computer:randm",
            "there is no built-in player 'computer:randm'; did you mean computer:random?",
        ),
        (
            "espionage --variant smal --seat white=Anna --seat black=Bob",
            "Espionage has no variant 'smal'; did you mean small?",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option dedline=none",
            "there is no option 'dedline'; did you mean deadline?",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option deadline=tomorrow",
            "'tomorrow' is not a deadline; write none, every 3 days, or Tue,Fri 18:00",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option timezone=Oslo",
            "'Oslo' is not a time zone; did you mean Europe/Oslo?",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option fights=shown",
            "fights cannot be 'shown'; choose from hidden, captured, both",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option no_progress=-1",
            "no_progress must be a whole number from 0 to 1000, not '-1'",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option grace=soon",
            "'soon' is not a duration; write one like 2 days, 12 hours or 0",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --option deadline",
            "'deadline': write an option as KEY=VALUE",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --seed 12",
            "a seed must be 64 hex digits, not '12'",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --match turn",
            "'turn' is a word used in orders; choose another name",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --match setup",
            "'setup' is a word used in orders; choose another name",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --match utmana",
            "'utmana' is a word used in orders; choose another name",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --match red",
            "'red' is a word used in orders; choose another name",
        ),
        (
            "espionage --seat white=Anna --seat black=Bob --match 17",
            "'17' cannot name a match; write a letter, then up to 23 letters, digits or -",
        ),
    ],
)
def test_a_match_that_cannot_be_is_refused(club: Adjud, words: str, sentence: str) -> None:
    before = club.dump()
    assert club("new", *words.split()) == (1, "", f"adjud: {sentence}\n")
    assert club.dump() == before


WHO_PLAYS = "add --seat {first}=PLAYER (a name, or computer), or --open"
NOBODY = of_games("samples", "NOBODY")


@pytest.mark.parametrize("game", NOBODY)
def test_a_match_without_seats_is_told_who_is_to_play(club: Adjud, game: str) -> None:
    seats, more = NOBODY[game]
    answer = club("new", game)
    assert answer.code == 1
    first, *others = answer.err.splitlines()
    assert first.startswith(f"adjud: who plays {seats}")
    assert first.endswith(WHO_PLAYS.format(first=seats.partition(",")[0]))
    assert all(any(told in line for line in others) for told in more)


SEATS = [
    [],
    ["{0}=Anna"],
    ["{1}=computer"],
    ["{0}=open"],
    ["{0}=Anna", "{0}=Bob"],
    ["{0}=Anna", "{1}=Anna"],
    ["{0}=Anna", "{-1}=Bob"],
    ["{0}=Nobody", "{1}=computer:bogus"],
    ["purple=Anna"],
    ["{0}="],
    ["=Anna"],
    ["Anna"],
]


@pytest.mark.parametrize("seats", SEATS, ids=" ".join)
@pytest.mark.parametrize("leave_open", [False, True])
@pytest.mark.parametrize(
    ("game", "variant"),
    [(slug, variant) for slug, game in GAMES.items() for variant in game.variants],
)
def test_whatever_seats_are_given_a_match_is_opened_or_a_sentence_says_why_not(
    club: Adjud, game: str, variant: str, leave_open: bool, seats: list[str]
) -> None:
    known = GAMES[game].seats
    named = [
        text.replace("{0}", known[0]).replace("{1}", known[1]).replace("{-1}", known[-1])
        for text in seats
    ]
    words = [word for text in named for word in ("--seat", text)]
    answer = club("new", game, "--variant", variant, *words, *["--open"] * leave_open)
    assert "error inside" not in answer.err
    assert bool(answer.out) == (answer.code == 0)
    assert answer.code in (0, 1)
    assert answer.err


def test_new_without_a_game_lists_games_variants_and_seats(club: Adjud) -> None:
    answer = club("new")
    assert answer.code == 2
    assert (
        "espionage: standard, fast, small, small-fast, open-fast; seats white, black" in answer.err
    )
    assert "spion: original, quick; seats blue, green, yellow, red" in answer.err
    assert "spies: standard; seats germany, italy, russia, france, britain" in answer.err
    assert "Games: espionage, spion, spies." in club.does("new", "--help")


def test_a_game_without_dice_takes_no_phrases(club: Adjud) -> None:
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    answer = club("new", "espionage", *seats, "--phrase", "white=a fair wind")
    assert answer == (1, "", "adjud: Espionage does not use phrases\n")


def test_a_player_who_has_not_confirmed_his_address_is_named(club: Adjud) -> None:
    """He would wait for emails that do not come."""
    club.does("player", "add", "Cecilie", "cecilie@example.org")
    told = "adjud: the address of Cecilie is not confirmed yet; no report goes there until it is\n"
    answer = club("new", "espionage", "--seat", "white=Anna", "--seat", "black=Cecilie")
    assert answer[:2] == (0, "espionage-1\n")
    assert answer.err.startswith(f"{told}next: ")
    club.match("other")
    answer = club("gm", "replace", "other", "black", "Cecilie")
    assert answer == (0, "other: Cecilie plays black\n", told)


def test_a_seed_given_by_hand_is_named_in_the_first_report(club: Adjud) -> None:
    club.match("given")
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    club.does("new", "espionage", "--match", "fresh", *seats)
    named = "The seed of this match was set by hand"
    assert named in club.does("report", "given", "white", "--turn", "0")
    assert named not in club.does("report", "fresh", "white", "--turn", "0")
    assert SEED not in club.does("report", "given", "white")


def test_an_open_match_waits_for_its_players(club: Adjud) -> None:
    words = ("--open", "--option", "deadline=every 2 days", "--match", "open-1")
    club.does("new", "espionage", "--seat", "white=Anna", *words)
    assert "white Anna, black (open); open" in club.does("status")
    assert "Black: open seat\n" in club.does("report", "open-1", "white")
    later = "2026-12-01 12:00:00"
    assert club.does("tick", at=later) == ""
    club.does("gm", "replace", "open-1", "black", "Bob", at=later)
    assert "until Thu 03 Dec 2026 12:00 UTC" in club.does("status", at=later)


def test_tick_is_silent_when_nothing_is_due(setting_up: Adjud) -> None:
    before = setting_up.dump()
    assert setting_up.does("tick") == ""
    assert setting_up.does("tick", "--match", "ESPIONAGE-1") == ""
    assert setting_up.dump() == before


def test_tick_says_what_it_did_once(setting_up: Adjud) -> None:
    for seat in ("white", "black"):
        setting_up.does("submit", "-", stdin=RANDOM.format(seat))
    assert setting_up.does("tick") == "espionage-1: adjudicated; turn 1 is waiting for white\n"
    assert setting_up.does("tick") == ""


def test_tick_can_leave_the_reports_in_a_folder(playing: Adjud, tmp_path: Path) -> None:
    playing.does("submit", "-", stdin=WHITE)
    playing.does("tick", "--folder", str(tmp_path / "reports"))
    names = sorted(path.name for path in (tmp_path / "reports").iterdir())
    assert names == [
        f"espionage-1-{seat}-1.{form}"
        for seat in ("black", "white")
        for form in ("html", "json", "txt")
    ]


def test_tick_of_a_match_that_does_not_exist(playing: Adjud) -> None:
    answer = playing("tick", "--match", "espionag-1")
    assert answer == (
        1,
        "",
        "adjud: there is no match 'espionag-1'; did you mean espionage-1?\n",
    )


def test_built_in_players_are_played_by_tick(club: Adjud) -> None:
    seats = ("--seat", "white=computer:random", "--seat", "black=Bob")
    club.does("new", "espionage", *seats, "--seed", SEED)
    assert club.does("tick") == "espionage-1: a built-in player gave orders\n"
    club.does("submit", "-", stdin=RANDOM.format("black"))
    assert club.does("tick").splitlines() == [
        "espionage-1: adjudicated; turn 1 is waiting for white",
        "espionage-1: adjudicated; turn 1 is waiting for black",
    ]


def test_a_deadline_that_passes(setting_up: Adjud) -> None:
    """By default the match waits for the game master, who is told once, and never who was
    silent."""
    for noon in ("2026-11-22 12:00:00", "2026-11-23 12:00:00"):  # else the clock is in doubt
        assert setting_up.does("tick", at=noon) == ""
    reminder = "2026-11-23 22:00:00"
    assert setting_up.does("tick", at=reminder) == "espionage-1: reminders were queued\n"
    assert setting_up.does("tick", at=reminder) == ""
    late = "2026-11-24 12:00:00"
    told = "espionage-1: the deadline has passed; the match waits for you\n"
    assert setting_up.does("tick", at=late) == told
    assert setting_up.does("tick", at=late) == ""
    assert (
        "  TROUBLE: the deadline has passed and the match waits for the game master\n"
        in setting_up.does("status", at=late)
    )


def test_silence_can_be_a_forfeit(club: Adjud) -> None:
    club.match("fast", "--option", "deadline=every day", "--option", "absence=forfeit")
    sheet = RANDOM.format("black").replace("espionage-1", "fast")
    club.does("submit", "-", stdin=sheet)
    assert club.does("tick", at="2026-11-22 12:00:00") == "fast: adjudicated; the match is over\n"
    assert "Black wins" in club.does("report", "fast", "black")


def test_status_says_who_is_awaited_and_until_when(playing: Adjud) -> None:
    playing.write("adjud.toml", 'timezone = "Europe/Oslo"\n')
    assert playing.does("status") == (
        "espionage-1: espionage standard, white Anna, black Bob; playing\n"
        "  turn 1 is waiting for white until Tue 24 Nov 2026 13:00 Europe/Oslo (12:00 UTC)\n"
    )


def test_status_as_json(playing: Adjud) -> None:
    assert json.loads(playing.does("status", "--format", "json")) == {
        "matches": [
            {
                "match": "espionage-1",
                "game": "espionage",
                "variant": "standard",
                "status": "playing",
                "turn": 1,
                "players": {"white": "Anna", "black": "Bob"},
                "awaited": ["white"],
                "deadline": "2026-11-24T12:00:00Z",
                "trouble": None,
            }
        ],
        "letters": {},
    }


OPERATORS = (
    ("status",),
    ("status", "espionage-1"),
    ("status", "--format", "json"),
    ("tick",),
    ("doctor",),
    ("mail", "queue", "list"),
    ("mail", "queue", "list", "--format", "json"),
    ("verify",),
    ("player", "list"),
)


@pytest.mark.slow
def test_operators_never_see_who_has_sent(setting_up: Adjud) -> None:
    """`status`, `tick`, the queue and the doctor print the same, whoever has sent."""

    def seen() -> list[str]:
        told = [setting_up.does(*words) for words in OPERATORS]
        return [line for out in told for line in out.splitlines() if "MiB free" not in line]

    nobody = seen()
    setting_up.does("submit", "-", stdin=RANDOM.format("black"))
    assert seen() == nobody
    setting_up.does("submit", "-", stdin="ORDERS espionage-1 black\nCLEAR\nEND\n")
    setting_up.does("submit", "-", stdin=RANDOM.format("white"))
    assert seen() == nobody
    assert "no orders yet from black" in setting_up.does("status", "--gm")


@pytest.mark.slow
def test_operators_never_see_who_was_reminded(club: Adjud, tmp_path: Path) -> None:
    """A reminder goes to whoever has not sent; until the turn is adjudicated nobody reads of it."""
    club.match("espionage-1", "--option", "deadline=every 3 days")
    late = "2026-11-24 01:00:00"
    seen = []
    for number, seats in enumerate(((), ("black",), ("white",))):
        twin = Adjud(tmp_path / f"twin{number}")
        twin.folder.mkdir()
        twin.write("adjud.toml", "")
        twin.file.write_bytes(b"")
        with closing(sqlite3.connect(club.file)) as source:
            source.execute("VACUUM INTO ?", (str(twin.file),))
        for seat in seats:
            twin.does("submit", "-", stdin=RANDOM.format(seat))
        told = [twin.does("tick", at=late)]
        told += [twin.does(*words, at=late) for words in OPERATORS if words != ("doctor",)]
        seen.append(told)
        hidden = twin.does("mail", "queue", "list", "--gm", at=late).splitlines()[2].split()[0]
        answer = twin("mail", "queue", "show", hidden, at=late)
        assert answer.err == f"adjud: there is no email {hidden}\n"
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == "espionage-1: reminders were queued\n"


def test_operators_never_see_how_a_match_ended(playing: Adjud) -> None:
    playing.does("submit", "-", stdin="ORDERS espionage-1 black\nRESIGN\nEND\n")
    assert playing.does("tick") == "espionage-1: adjudicated; the match is over\n"
    told = "".join(playing.does(*words) for words in OPERATORS)
    assert "resign" not in told.lower()
    assert "win" not in told.lower()
    assert playing.does("status").startswith("no match is being played\n")


def test_a_board_needs_gm(playing: Adjud) -> None:
    answer = playing("board", "espionage-1")
    assert (answer.code, answer.out) == (2, "")
    assert "Missing option '--gm'" in answer.err


def test_the_board_shows_the_whole_truth(playing: Adjud) -> None:
    playing.does("submit", "-", stdin=WHITE)
    out = playing.does("board", "espionage-1", "--gm")
    assert out.startswith("espionage-1, turn 1: everything, for the game master only\n")
    assert out.endswith("white has ordered: d3-d4; f3-f4\n")
    assert "?" not in out
    told = json.loads(playing.does("board", "espionage-1", "--gm", "--format", "json"))
    assert told["match"] == "espionage-1"
    assert "drawing" not in told


def test_a_report_as_text_html_and_json(playing: Adjud) -> None:
    text = playing.does("report", "espionage-1", "white")
    assert text.startswith("Espionage espionage-1, Turn 1\n")
    assert "Tue 24 Nov 2026, 13:00 Europe/Oslo (12:00 UTC)" in text
    assert "\n\nORDERS espionage-1 white turn 1 epoch bcdfg1\n..-..\n..-..\nEND\n\n" in text
    assert playing.does("report", "espionage-1", "hvit") == text
    html = playing.does("report", "espionage-1", "white", "--format", "html")
    assert html.startswith("<!DOCTYPE html>")
    told = json.loads(playing.does("report", "espionage-1", "white", "--format", "json"))
    promised = "match game variant phase seat ply turn awaited deadline orders result news"
    espionage = "commitments board to_move draw_offer no_progress_left pieces lost barred"
    assert {*promised.split(), *espionage.split()} <= told.keys()
    assert (told["phase"], told["turn"], told["ply"], told["to_move"]) == ("play", 1, 1, "white")
    assert (told["awaited"], told["deadline"]) == (["white"], "2026-11-24T12:00:00Z")
    assert told["orders"] is None
    white = [piece["rank"] for piece in told["pieces"] if piece["side"] == "white"]
    black = [piece["rank"] for piece in told["pieces"] if piece["side"] == "black"]
    assert None not in white
    assert set(black) == {None}
    assert len(white) == len(black) == 30


def test_a_report_shows_the_orders_in_force_to_their_owner_only(playing: Adjud) -> None:
    playing.does("submit", "-", stdin=WHITE)
    white = json.loads(playing.does("report", "espionage-1", "white", "--format", "json"))
    black = json.loads(playing.does("report", "espionage-1", "black", "--format", "json"))
    assert white["orders"] == {"revision": 1, "lines": ["d3-d4", "f3-f4"]}
    assert black["orders"] is None


def test_a_report_of_an_earlier_turn_is_as_it_was_sent(playing: Adjud) -> None:
    before = playing.does("report", "espionage-1", "white", "--format", "json")
    playing.does("submit", "-", stdin=WHITE)
    playing.does("tick")
    playing.does("submit", "-", stdin=BLACK)
    playing.does("tick")
    assert "Turn 2" in playing.does("report", "espionage-1", "white")
    setup = playing.does("report", "espionage-1", "white", "--turn", "0")
    assert "Pieces to place" in setup
    first = playing.does("report", "espionage-1", "white", "--turn", "1", "--format", "json")
    # Turn 1 was reported twice, after the set-ups and after White's order; the last one counts.
    assert json.loads(first)["ply"] == 2
    assert json.loads(before)["ply"] == 1
    assert playing("report", "espionage-1", "white", "--turn", "7") == (
        1,
        "",
        "adjud: espionage-1 has no turn 7 yet; the last is 2\n",
    )
    assert playing("report", "espionage-1", "white", "--turn", "-1").code == 2


def test_all_reports_as_private_files(playing: Adjud, tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        out = playing.does("report", "espionage-1", "--all", "--folder", "reports/new")
    finally:
        os.umask(old)
    named = [
        f"espionage-1-{seat}-1.{form}"
        for seat in ("white", "black")
        for form in ("txt", "html", "json")
    ]
    assert out == "".join(f"reports/new/{name}\n" for name in named)
    assert sorted(os.listdir(tmp_path / "reports/new")) == sorted(named)
    for name in named:
        mode = (tmp_path / "reports/new" / name).stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
    text = (tmp_path / "reports/new/espionage-1-black-1.txt").read_text("utf-8")
    assert text.rstrip() == playing.does("report", "espionage-1", "black").rstrip()


@pytest.mark.parametrize("words", ["", "white --all", "--all", "white --folder x"])
def test_a_report_wants_a_seat_or_all(playing: Adjud, words: str) -> None:
    answer = playing("report", "espionage-1", *words.split())
    assert (answer.code, answer.out) == (2, "")
    assert "give a SEAT, or --all with --folder DIR" in answer.err


def test_a_record_is_secret_until_the_match_is_over(playing: Adjud) -> None:
    assert playing("record", "export", "espionage-1") == (
        1,
        "",
        "adjud: espionage-1 has not ended; its record is secret until then\n",
    )
    playing.does("gm", "hold", "espionage-1", "--reason", "x")
    assert playing("record", "export", "espionage-1").code == 1


def test_an_exported_record_can_be_replayed(playing: Adjud) -> None:
    playing.does("submit", "-", stdin=WHITE)
    playing.does("tick")
    playing.does("submit", "-", stdin="ORDERS espionage-1 black\nRESIGN\nEND\n")
    playing.does("tick")
    record = playing.does("record", "export", "espionage-1")
    assert '[White "Anna"]\n[Black "Bob"]\n[Date "2026.11.21"]\n' in record
    assert record.endswith('[Result "white resignation"]\n\n1. d3-d4 f3-f4\n')
    file = playing.write("game.esp", record)
    told = json.loads(playing.does("record", "replay", file, "--format", "json"))
    assert (told["variant"], told["orders"]) == ("standard", 1)
    assert told["result"] == {"winner": "white", "reason": "resignation"}
    assert [step["from"] for step in told["steps"]] == ["d3", "f3"]
    assert playing.does("record", "replay", "-", "--format", "json", stdin=record) == (
        playing.does("record", "replay", file, "--format", "json")
    )


def test_a_faulty_game_is_named_and_the_others_are_replayed(club: Adjud) -> None:
    game = (
        '[Game "Espionage"]\n[Variant "small-fast"]\n[Volcanoes "b4 g5"]\n'
        '[WhiteSetup "1111222S/334455SS/SPPPMMMH"]\n'
        '[BlackSetup "SPPPMMM1/334455SS/111H222S"]\n[Result "*"]\n\n1. {}\n\n'
    )
    file = club.write("two.esp", game.format("d3-d5") + game.format("d3-d4"))
    answer = club("record", "replay", file, "--format", "json")
    assert answer.code == 1
    assert answer.err.startswith(f"adjud: {file}, line 8: ")
    assert len(answer.out.splitlines()) == 1
    assert json.loads(answer.out)["result"] is None


WELL = "espionage-1: the log, its snapshots and proofs agree\n"


@pytest.mark.parametrize(
    ("forgery", "told"),
    [
        (
            "UPDATE commitment SET text = 'x' WHERE seat = 'white'",
            "the proofs do not match what was played",
        ),
        (
            "UPDATE commitment SET salt = 'x' || salt WHERE seat = 'white'",
            "the report of ply 1 to black shows another proof",
        ),
        ("DELETE FROM event WHERE ply = 1 AND seq = 1", "an event of ply 1 is missing"),
        (
            "UPDATE turn SET snapshot = 'x' WHERE ply = 1",
            "it can no longer be read (DecodeError)",
        ),
    ],
)
def test_verify_finds_what_was_tampered_with(playing: Adjud, forgery: str, told: str) -> None:
    assert playing.does("verify") == playing.does("verify", "espionage-1") == WELL
    tamper(playing, forgery)
    answer = playing("verify")
    assert (answer.code, answer.err) == (1, "")
    assert f"espionage-1: {told}\n" in answer.out


def test_verify_goes_on_after_a_match_that_cannot_be_read(playing: Adjud) -> None:
    playing.does("new", "espionage", "--seat", "white=computer", "--seat", "black=Bob")
    tamper(playing, "UPDATE turn SET snapshot = 'x' WHERE match_id = 1")
    answer = playing("verify")
    assert answer.code == 1
    assert answer.out.endswith(WELL.replace("-1", "-2"))


def tamper(playing: Adjud, statement: str) -> None:
    with sqlite3.connect(playing.file) as connection:
        connection.execute(statement)
    connection.close()


def test_the_program_reads_no_endless_numbers(club: Adjud) -> None:
    digits = "9" * 5000
    seats = ("--seat", "white=Anna", "--seat", "black=Bob")
    for option in ("no_progress", "excused"):
        answer = club("new", "espionage", *seats, "--option", f"{option}={digits}")
        assert answer.code == 1
        assert f"adjud: {option} must be a whole number from 0 to " in answer.err
    for words in (("status",), ("mail", "queue", "list")):
        assert club(*words, "--page", digits[:20]).code == 2
