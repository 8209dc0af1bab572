"""A game master who may be a player himself: what he looks at is told to all, with the next ply."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from adjudicator.core.message import say
from tests.cli.conftest import Clubs, copied, every_host_is_known, with_emails
from tests.database import StoreTrouble
from tests.inside import rulings
from tests.program import BLACK_ARMY, WHITE_ARMY, Adjud

NIGHT = "2026-11-22 01:00:00"
LATER = "2026-11-22 10:00:00"
MATCH = "espionage-1"
STEPS = ("d3-d4", "f3-f4")
SHEET = "\n".join((f"ORDERS {MATCH} white turn 1", *STEPS, "END\n"))
WRONG = SHEET.replace("d3-d4", "Mine d3-d4")
ARMIES = {"white": WHITE_ARMY, "black": BLACK_ARMY}


@pytest.fixture(scope="module")
def begun(clubs: Clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club with a way out in which White is to order turn 1."""
    folder = copied(clubs.by_mail, tmp_path_factory.mktemp("begun"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(folder)
        for seat, army in ARMIES.items():
            club.came(seat, f"ORDERS {MATCH} {seat} turn 0", "SETUP", *army.split("\n"), "END")
        club.does("tick")
    return folder


@pytest.fixture
def going(adjud: Adjud, begun: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    every_host_is_known(monkeypatch)
    return with_emails(copied(begun, adjud.folder))


def tick(adjud: Adjud, at: str) -> list[EmailMessage]:
    """Run a tick and return the emails that went out in it."""
    folder = adjud.folder / "out"
    before = set(folder.rglob("*.eml"))
    adjud.does("tick", at=at)
    return [
        message_from_bytes(path.read_bytes(), policy=policy.default)
        for path in folder.rglob("*.eml")
        if path not in before
    ]


def text_of(email: EmailMessage) -> str:
    body = email.get_body(("plain",))
    assert body is not None
    return " ".join(str(body.get_content()).replace("\n| ", " ").split())


def notices(adjud: Adjud, seat: str) -> list[str]:
    """Return what the newest page of a seat tells of the game master."""
    answer = adjud.does("report", MATCH, seat, "--format", "json", at=LATER)
    return [notice["text"] for notice in json.loads(answer)["notices"]]


SENDERS = "looked up which players had sent orders"
LOOKS: dict[str, tuple[Sequence[str], str]] = {
    "a page": (("report", MATCH, "white"), "looked at White's board"),
    "as JSON": (("report", MATCH, "white", "--format", "json"), "looked at White's board"),
    "as picture": (("report", MATCH, "white", "--format", "svg"), "looked at White's board"),
    "an old page": (("report", MATCH, "white", "--turn", "0"), "looked at White's board"),
    "all pages": (("report", MATCH, "--all", "--folder", "f"), "looked at White's board"),
    "the board": (("board", MATCH, "--gm"), "looked at the whole board"),
    "the state": (("board", MATCH, "--gm", "--format", "json"), "looked at the whole board"),
    "a check": (("check", "-", "--gm"), "looked at White's board"),
    "a sheet": (("submit", "-"), "looked at White's board"),
    "who has sent": (("status", "--gm"), SENDERS),
    "and in JSON": (("status", "--gm", "--format", "json"), SENDERS),
    "of one match": (("status", MATCH, "--gm"), SENDERS),
    "the letters": (("mail", "queue", "list", "--gm"), "looked at the club's email"),
    "the link": (("site", "link", MATCH, "white", "--gm"), "looked up the link to White's page"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("words", "look"), LOOKS.values(), ids=list(LOOKS))
def test_a_look_is_told_to_all_with_the_next_ply_and_not_before(
    going: Adjud, words: Sequence[str], look: str
) -> None:
    for _ in range(2):
        answer = going(*words, stdin=SHEET, at=LATER)
        assert answer.code == 0, answer
    early = [notices(going, "white"), notices(going, "black")]
    early.append(text_of(email) for email in tick_before_the_ply(going, words))
    going.does("site", "build", "www", at=LATER)
    early.append(path.read_text("utf-8") for path in going.folder.glob("www/**/*.html"))
    assert [one for some in early for one in some if look in one] == []
    going.came("white", *SHEET.strip().split("\n"))
    emails = tick(going, LATER)
    told = f"The game master {look} on 2026-11-22."
    if look == SENDERS:
        told = f"On 2026-11-22 the game master {look}."
    assert [
        told in text_of(email) for email in emails if "Turn 1: your move" in email["Subject"]
    ] == [True]
    for seat in ("white", "black"):
        assert notices(going, seat).count(told) == 1
    assert going.does("verify") == f"{MATCH}: the log, its snapshots and proofs agree\n"


def tick_before_the_ply(adjud: Adjud, words: Sequence[str]) -> list[EmailMessage]:
    """Let what waits go out; a sheet that was entered is adjudicated by the same tick."""
    if words[0] == "submit":
        adjud.does("mail", "send", at=LATER)
        return []
    return tick(adjud, LATER)


WATCHED = [words for words, _ in LOOKS.values()]


@pytest.mark.parametrize("words", WATCHED, ids=list(LOOKS))
def test_nothing_is_shown_that_cannot_be_noted(
    going: Adjud, words: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database may only be read: what would be shown is not."""

    def refuse(*_: object) -> None:
        raise StoreTrouble(say("the database cannot be written"))

    monkeypatch.setattr(rulings, "insert", refuse)
    answer = going(*words, stdin=SHEET, at=LATER)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "adjud: the database cannot be written\n"


def test_looks_at_a_computer_and_after_the_end_are_not_noted(going: Adjud) -> None:
    going.does(
        "new", "espionage", "--match", "solo", "--seat", "white=Anna", "--seat", "black=computer"
    )
    going.does("report", "solo", "black")
    going.does("gm", "cancel", MATCH, "--reason", "x")
    going.does("report", MATCH, "white")
    going.does("board", MATCH, "--gm")
    with closing(sqlite3.connect(going.file)) as connection:
        looks = connection.execute("SELECT count(*) FROM ruling WHERE action = 'look'").fetchone()
    assert looks == (0,)


def test_the_last_report_tells_of_looks_if_no_other_ply_comes(going: Adjud) -> None:
    going.does("board", MATCH, "--gm")
    going.does("gm", "cancel", MATCH, "--reason", "Both asked for it.")
    assert "The game master looked at the whole board on 2026-11-21." in notices(going, "black")
    assert going.does("verify") == f"{MATCH}: the log, its snapshots and proofs agree\n"


def test_where_no_emails_go_out_nothing_is_noted(playing: Adjud) -> None:
    before = playing.dump()
    playing.does("board", MATCH, "--gm")
    playing.does("check", "-", "--gm", stdin=SHEET)
    playing.does("status", "--gm")
    assert playing.dump() == before


def test_pages_that_a_tick_writes_and_a_site_are_no_look(going: Adjud) -> None:
    going.came("white", *SHEET.strip().split("\n"))
    going.does("tick", "--folder", "pages")
    going.does("site", "build", "www")
    with closing(sqlite3.connect(going.file)) as connection:
        assert connection.execute("SELECT * FROM ruling").fetchall() == []


def test_a_configuration_that_does_not_know_the_clubs_mail_hides_no_look(going: Adjud) -> None:
    other = ("--config", going.write("other.toml", ""))
    assert "the words are understood" in going.does(*other, "check", "-", stdin=SHEET)
    going.does(*other, "board", MATCH, "--gm")
    going.came("white", *SHEET.strip().split("\n"))
    going.does("tick", at=LATER)
    assert "The game master looked at the whole board on 2026-11-21." in notices(going, "black")


# --- check and submit --------------------------------------------------------------------------


WORDS = (
    "  Only the words were checked, not the position. `adjud check --gm` checks the position, "
    "too; the next reports then show all players that you looked.\n"
)


@pytest.mark.parametrize("sent", [False, True])
def test_check_judges_words_alone_and_says_so(going: Adjud, sent: bool) -> None:
    if sent:
        going.does("submit", "-", stdin=SHEET)
    assert going.does("check", "-", stdin=WRONG) == (
        f"{MATCH}, white, turn 1: the words are understood; nothing was stored\n"
        f"  d3-d4\n  f3-f4\n{WORDS}"
    )
    answer = going("check", "-", stdin=SHEET.replace("f3-f4", "f3-k11"))
    assert answer == (
        1,
        f"{MATCH}, white, turn 1: NOT accepted; nothing from these orders was saved\n"
        "  line 3: f3-k11: there is no square k11; the board goes from a1 to j10\n" + WORDS,
        "",
    )
    answer = going("check", "-", "--format", "json", stdin=SHEET)
    assert json.loads(answer.out) == {
        "match": MATCH,
        "seat": "white",
        "turn": 1,
        "accepted": True,
        "revision": None,
        "orders": list(STEPS),
        "problems": [],
        "warnings": [],
        "ignored": [],
        "in_force": None,
        "words_alone": True,
    }


@pytest.mark.parametrize(
    ("sheet", "told"),
    [
        ("ORDERS espionage-2 white\nEND\n", "there is no match 'espionage-2'"),
        (f"ORDERS {MATCH} green\nEND\n", "there is no seat 'green'"),
        (f"ORDERS {MATCH} black\ne8-e7\nEND\n", "turn 1 is waiting for White"),
        (f"ORDERS {MATCH} white turn 9\nIF\nEND\n", "the colon before"),
        (f"ORDERS {MATCH} white turn 0\nd3-d4\nEND\n", "these orders are for turn 0"),
        (f"ORDERS {MATCH} white\nSETUP RANDOM\nEND\n", "the armies are already"),
        (f"ORDERS {MATCH} white\nd3-d5\nEND\n", "d5"),
    ],
)
def test_check_says_what_everybody_may_know(going: Adjud, sheet: str, told: str) -> None:
    answer = going("check", "-", stdin=sheet)
    assert answer.code == 1
    assert told in answer.out


def test_check_counts_an_army(by_mail: Adjud) -> None:
    sheet = f"ORDERS {MATCH} white turn 0\nSETUP\n{WHITE_ARMY.replace('H', 'S')}\nEND\n"
    answer = by_mail("check", "-", stdin=sheet)
    assert answer.code == 1
    assert "Headquarters" in answer.out


def test_check_of_a_computers_seat_is_whole(going: Adjud) -> None:
    seats = ("--seat", "white=computer", "--seat", "black=Bob")
    going.does("new", "espionage", "--match", "solo", *seats)
    sheet = "ORDERS solo white\nSETUP RANDOM\nEND\n"
    assert "you have no current orders" in going.does("check", "-", stdin=sheet)


def test_check_with_gm_judges_as_the_sender_is_answered(going: Adjud) -> None:
    answer = going("check", "-", "--gm", stdin=WRONG)
    assert answer.out == (
        f"{MATCH}, white, turn 1: NOT accepted; nothing from these orders was saved\n"
        "  line 2: Mine d3-d4: the piece on d3 is your General, not a Mine\n"
        "  you have no current orders\n"
    )


def test_the_holder_gets_an_email_for_a_sheet_that_was_refused(going: Adjud) -> None:
    assert going("submit", "-", stdin=WRONG, at=LATER).code == 1
    (email,) = tick(going, LATER)
    assert email["To"] == "Anna <anna@example.org>"
    assert email["Subject"] == f"[{MATCH}] Turn 1: orders NOT accepted"
    text = text_of(email)
    assert text.startswith(
        "The game master entered these orders for you. They did not come in an email"
    )
    assert "line 2: Mine d3-d4: the piece on d3 is your General, not a Mine" in text
    assert "The game master wrote: Mine d3-d4 f3-f4" in text.replace("| ", "")


def test_a_sheet_that_the_game_master_entered_is_never_called_an_email(going: Adjud) -> None:
    going.does("submit", "-", stdin=SHEET, at=LATER)
    emails = tick(going, LATER)
    (email,) = [one for one in emails if one["To"].startswith("Anna")]
    assert email["Subject"] == f"[{MATCH}] Turn 1: entered by the game master"
    assert "The match has continued since the game master entered these orders." in text_of(email)
    assert "your email" not in text_of(email).replace("in an email from you", "")


def test_a_player_audits_a_match_with_looks_and_finds_nothing_wrong(going: Adjud) -> None:
    going.does("board", MATCH, "--gm", at=LATER)
    going("submit", "-", stdin=WRONG, at=LATER)
    going.does("submit", "-", stdin=SHEET, at=LATER)
    going.does("tick", at=LATER)
    going.does("report", MATCH, "black", at=LATER)
    going.does("gm", "cancel", MATCH, "--reason", "Both asked for it.", at=LATER)
    going.does("tick", at=LATER)
    for name in ("anna", "bob"):
        mine = going.folder / name
        mine.mkdir()
        for path in (going.folder / "out").rglob("*.eml"):
            email = message_from_bytes(path.read_bytes(), policy=policy.default)
            if name in email["To"]:
                (mine / path.name).write_bytes(path.read_bytes())
        answer = going("audit", name)
        assert answer.code == 0, answer


NAMED = "text names Bob, but the log of a match has no names"
SHARED = "Dummy and another player share one address"
# What an operator types who plays Black in `hid`, what it answers, and whether that tells of who
# has a seat there.
PROBES: dict[str, tuple[Sequence[str], str, bool]] = {
    "the player": (("gm", "replace", "hid", "white", "Anna"), "already has that seat", True),
    "another seat": (("gm", "replace", "hid", "black", "Anna"), "cannot play two seats", True),
    "one address": (("gm", "replace", "hid", "black", "Dummy"), SHARED, True),
    "a former player": (
        ("gm", "replace", "hid", "black", "Carl"),
        "Carl had another seat in hid and has seen its reports",
        True,
    ),
    "a changed address": (
        ("player", "set", "Anna", "--address", "bob@example.org"),
        "Anna and another player share one address",
        True,
    ),
    "one who leaves": (("player", "leave", "Anna", "--to", "Bob"), "cannot play two seats", True),
    "why one leaves": (("player", "leave", "Anna", "--reason", "Bob asked"), NAMED, True),
    "a name in the reason": (
        ("gm", "replace", "hid", "white", "Anna", "--reason", "Bob asked"),
        NAMED,
        False,
    ),
    "the same of others": (
        ("gm", "replace", "hid", "white", "Dora", "--reason", "Bob asked"),
        NAMED,
        False,
    ),
    "a wrong name": (("gm", "replace", "hid", "white", "Nobody"), "no player 'Nobody'", False),
}


@pytest.fixture(scope="module")
def hiding(clubs: Clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club with a way out and a match that hides who plays it."""
    folder = copied(clubs.by_mail, tmp_path_factory.mktemp("hiding"))
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(folder)
        club.does("gm", "cancel", MATCH, "--reason", "x")
        for name in ("Carl", "Dora"):
            club.does("player", "add", name, f"{name.lower()}@example.org", "--confirmed")
        assert club("player", "add", "Dummy", "anna@example.org", "--confirmed").code == 0
        seats = ("--seat", "white=Carl", "--seat", "black=Bob", "--option", "names=hidden")
        club.does("new", "espionage", "--variant", "small", "--match", "hid", *seats)
        club.does("tick")
        club.does("gm", "replace", "hid", "white", "Anna")
        club.does("tick")
    return folder


@pytest.mark.parametrize(("words", "answer", "is_look"), PROBES.values(), ids=list(PROBES))
def test_a_refusal_that_tells_who_plays_a_match_with_hidden_names_is_a_look(
    adjud: Adjud,
    hiding: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: Sequence[str],
    answer: str,
    is_look: bool,
) -> None:
    every_host_is_known(monkeypatch)
    club = with_emails(copied(hiding, adjud.folder))
    for _ in range(2):
        told = club(*words, at=LATER)
        assert told.code == 1
        assert answer in told.err
    club.does("gm", "cancel", "hid", "--reason", "x", at=LATER)
    shown = club.does("report", "hid", "black", "--format", "json", at=LATER)
    texts = [notice["text"] for notice in json.loads(shown)["notices"]]
    assert texts.count("On 2026-11-22 the game master looked up who plays.") == is_look


def test_such_a_refusal_is_no_look_where_names_are_shown(going: Adjud) -> None:
    assert going("player", "add", "Dummy", "anna@example.org", "--confirmed").code == 0
    answer = going("gm", "replace", MATCH, "black", "Dummy")
    assert "Anna and Dummy share one address" in answer.err
    assert going("gm", "replace", MATCH, "white", "Anna").code == 1
    with closing(sqlite3.connect(going.file)) as connection:
        looks = connection.execute("SELECT count(*) FROM ruling WHERE action = 'look'").fetchone()
    assert looks == (0,)
