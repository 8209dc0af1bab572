"""What is left of a player who was erased: a number, seats and results."""

import json
import os
import re
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.mail.transport import spool
from tests.cli.conftest import copied, every_host_is_known, with_emails
from tests.database import unpack
from tests.inside import append_ply, erasing
from tests.program import BLACK_ARMY, NOON, WHITE_ARMY, Adjud
from tests.test_upgrade_0228 import PLAYERS, everything_ends
from tests.test_upgrade_0228 import Club as ClubOf0228

LATER = "2026-11-22 12:00:00"
LATEST = "2026-11-26 12:00:00"
NAME, ADDRESS = "Anna", "anna@example.org"


@pytest.fixture(scope="module")
def ended(clubs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a club in which Anna played, wrote to Bob and to nobody, and left."""
    folder = tmp_path_factory.mktemp("ended")
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        club = with_emails(copied(clubs.by_mail, folder))
        club.does("player", "absence", NAME, "2026-12-24", "2026-12-26")
        for seat, army in (("white", WHITE_ARMY), ("black", BLACK_ARMY)):
            club.came(seat, "SETUP", *army.splitlines())
        club.does("tick")
        club.came("white", "PRESS TO black", "I am Anna and you lose.", "ENDPRESS", "NOTE hm")
        club.came("black", "PRESS TO white", "Annabel, Anna! anna@example.org", "ENDPRESS")
        club.does("tick")
        club.does("gm", "cancel", "espionage-1", "--reason", "The flu.")
        club.does("tick")
        club.came("white", "STATUS")  # it waits in the spool
    return folder


@pytest.fixture
def over(adjud: Adjud, ended: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Adjud]:
    """Return a copy of that club. Whatever was erased in it, the doctor reads what is left."""
    every_host_is_known(monkeypatch)
    copied(ended, adjud.folder)
    club = with_emails(adjud.folder)
    site = f'[site]\nfolder = "{adjud.folder / "site"}"\n'
    club.write("adjud.toml", (adjud.folder / "adjud.toml").read_text() + site)
    club.does("site", "build")
    yield club
    assert "an error inside adjud" not in club("doctor", at=LATER).out


def texts(club: Adjud) -> Iterator[str]:
    """Yield all that a club keeps, as whoever looks at its files finds it, and unpacked."""
    for path in [*club.folder.glob("adjud.db*"), *club.folder.glob("data/**/*")]:
        if path.is_file():
            yield path.read_bytes().decode("utf-8", "replace")
    for path in (club.folder / "site").glob("**/*"):
        if path.is_file():
            yield path.read_text("utf-8")
    with closing(sqlite3.connect(club.file)) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                for value in row:
                    yield unpack(value) if isinstance(value, str) else str(value)


# A packed value, whose base64 may spell any name by chance; `texts` has it unpacked, too.
_PACKED = re.compile(r"[A-Za-z0-9+/=]{200,}")


def holds(text: str) -> bool:
    said = _PACKED.sub("", text).lower()
    return "anna@" in said or "anna" in said.replace("annabel", "")


@pytest.mark.slow
def test_nothing_of_a_player_is_found_after_he_was_erased(over: Adjud) -> None:
    assert any(holds(text) for text in texts(over))
    over.came("black", "PRESS TO white", "Anna, are you there?", "ENDPRESS")
    pages = over.folder / "site/players"
    assert sorted(path.name for path in pages.iterdir()) == ["anna-1.html", "bob-2.html"]
    told = over.does("player", "erase", NAME, "--confirm", at=LATER)
    assert told.endswith("Anna is erased and is now called Former player 1\n")
    assert [path.name for path in pages.iterdir()] == ["bob-2.html"]
    assert [text[:300] for text in texts(over) if holds(text)] == []
    assert NAME not in over.does("status", "--all", at=LATER)
    assert "Former player 1" in over.does("status", "--all", at=LATER)
    assert over("player", "list").out.split()[:2] == ["Bob", "<bob@example.org>"]


@pytest.mark.slow
def test_what_was_played_stays_and_can_be_checked(over: Adjud, tmp_path: Path) -> None:
    before = json.loads(over.does("report", "espionage-1", "black", "--format", "json"))
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    assert over.does("verify", at=LATER).endswith("proofs agree\n")
    after = json.loads(over.does("report", "espionage-1", "black", "--format", "json"))
    assert after["log"] == before["log"]
    assert after["players"] == {**before["players"], "white": "Former player 1"}
    paper = over.write("after.json", json.dumps(after))
    emails = [str(path) for path in (over.folder / "out").iterdir()]
    told = over.does("audit", paper, *emails, at=LATER)
    assert told.startswith("espionage-1: everything that can be compared agrees\n")


def killed(club: Adjud, where: object, step: str) -> None:
    """Run the command in a process that is killed when it comes to this step."""
    child = os.fork()
    if child == 0:
        setattr(where, step, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
        club("player", "erase", NAME, "--confirm", at=LATER)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), (step, status)


@pytest.mark.slow
def test_a_second_try_finishes_what_a_kill_has_left(over: Adjud) -> None:
    steps = (
        (erasing.erasure, "forget"),
        (erasing, "_clean_texts"),
        (erasing.erasure, "clean_bytes"),
        (erasing, "_clean_matches"),
        (erasing, "_clean_spool"),
        (erasing.pages, "rebuild"),
        (erasing.upkeep, "forget_free_pages"),
    )
    for where, step in steps:
        killed(over, where, step)
        assert "run `adjud player erase" in over("doctor", at=LATER).out
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    assert [text[:300] for text in texts(over) if holds(text)] == []
    assert "erased:" not in over("doctor", at=LATER).out
    again = over("player", "erase", "Former player 1", "--confirm", at=LATER)
    assert (again.code, again.out) == (1, "")
    assert "was erased on 2026-11-22" in again.err


@pytest.mark.slow
def test_a_restored_backup_brings_him_back_and_the_doctor_says_so(over: Adjud) -> None:
    archive = str(over.folder / "old.tar.gz")
    over.does("backup", archive)
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    for path in over.folder.glob("adjud.db*"):
        path.unlink()
    over.does("backup", "--restore", archive, at=LATER)
    doctor = over("doctor", at=LATER).out
    assert "erased: Anna was erased on 2026-11-22" in doctor
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    assert "erased:" not in over("doctor", at=LATER).out


@pytest.mark.slow
def test_no_statement_is_sent_for_each_match_that_does_not_name_the_player(over: Adjud) -> None:
    sent = []

    def noted(_self: object, _cursor: object, statement: str, *_rest: object) -> None:
        sent.append(statement)

    def erased(name: str) -> int:
        over.does("player", "add", name, f"{name}@example.org", at=LATER)
        over.does("tick", at=LATER)
        sent.clear()
        over.does("player", "erase", name, "--confirm", at=LATER)
        return len(sent)

    sa.event.listen(sa.Engine, "before_cursor_execute", noted)
    try:
        before = erased("Zoe")
        for name, address in (("Kai", "kai@example.org"), ("Lea", "lea@example.org")):
            over.does("player", "add", name, address, "--confirmed", at=LATER)
        for match in ("x", "y", "z"):
            seats = ("--seat", "white=Kai", "--seat", "black=Lea")
            over.does("new", "espionage", "--match", match, *seats, at=LATER)
        assert erased("Zed") < before + 3
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", noted)


@pytest.mark.slow
@pytest.mark.parametrize("name", [NAME, "Åse"])
def test_hashed_lines_that_hold_the_name_stay_and_are_listed(
    by_mail: Adjud, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """As in matches that began before their logs had no names."""
    monkeypatch.setattr(append_ply, "refuse_names", lambda *_: None)
    if name != NAME:
        by_mail.does("player", "set", NAME, "--name", name)
    by_mail.does("gm", "cancel", "espionage-1", "--reason", f"{name} is ill.")
    told = by_mail.does("player", "erase", name, "--confirm", at=LATER)
    assert "espionage-1: the name stays in its log, which is hashed\n" in told
    assert by_mail.does("verify", at=LATER).endswith("proofs agree\n")
    report = json.loads(by_mail.does("report", "espionage-1", "white", "--format", "json"))
    assert any(one["text"].endswith(f"{name} is ill.") for one in report["notices"])
    assert report["players"]["white"] == "Former player 1"
    by_mail.does("audit", by_mail.write("after.json", json.dumps(report)), at=LATER)


@pytest.mark.slow
def test_players_of_matches_of_all_games_that_an_older_program_began(
    adjud: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    every_host_is_known(monkeypatch)
    club = ClubOf0228(adjud)
    club.does("db", "upgrade")
    club.tick()
    club.does("tournament", "cancel", "spring", "--reason", "enough")
    everything_ends(club)
    told = [club.does("player", "erase", name, "--confirm") for name in PLAYERS]
    assert "agree" in club.does("verify")
    in_logs = re.findall("(?m)^(.*): the name stays in its log, which is hashed$", "".join(told))
    names = re.compile("|".join(PLAYERS), re.IGNORECASE)
    with closing(sqlite3.connect(adjud.file)) as connection:
        for column in ("body FROM report", "told || reason FROM ruling", "line FROM turn"):
            rows = f"SELECT name, {column} JOIN match ON match.id = match_id"
            for match, text in connection.execute(rows):
                assert match in in_logs or names.search(unpack(text or "")) is None, column
        for (text,) in connection.execute("SELECT body || coalesce(address, '') FROM outbox"):
            assert names.search(text) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Anna",), "nothing was done; add --confirm"),
        (("Anna", "--confirm"), "Anna plays in espionage-1; end that first"),
        (("Ana", "--confirm"), "there is no player 'Ana'; did you mean Anna?"),
    ],
)
def test_what_is_not_erased(by_mail: Adjud, words: tuple[str, ...], told: str) -> None:
    before = by_mail.dump()
    answer = by_mail("player", "erase", *words)
    assert (answer.code, answer.out) == (1, "")
    assert told in answer.err
    assert by_mail.dump() == before


@pytest.mark.slow
def test_an_erased_player_takes_no_seat(over: Adjud) -> None:
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    seats = ("--seat", "white=Former player 1", "--seat", "black=Bob")
    answer = over("new", "espionage", "--match", "m2", *seats)
    assert "Former player 1 was erased and plays no more" in answer.err
    assert over("player", "set", "Former player 1", "--name", NAME).code == 1
    over.does("player", "add", NAME, ADDRESS, "--confirmed", at=NOON)  # the name is free again


@pytest.mark.slow
def test_the_answer_to_a_confirmation_goes_with_its_player(over: Adjud) -> None:
    """It was written to an address, before that was known as a player's."""
    over.does("player", "add", "Gro", "gro@example.org", at=LATER)
    over.does("tick", at=LATER)
    sent = "".join(path.read_text("utf-8", "replace") for path in (over.folder / "out").iterdir())
    email = f"From: gro@example.org\r\n\r\n{re.findall('CONFIRM [A-Z0-9]+', sent)[-1]}\r\n"
    spool.put(
        over.folder / "data/adjud/spool", BytesIO(email.encode()),
        sender="gro@example.org", recipient="adjud@play.example.org", channel="pipe",
    )  # fmt: skip
    over.does("tick", at=LATER)
    assert "Gro" in over.does("player", "list")
    assert "not confirmed" not in over.does("player", "list")
    over.does("player", "erase", "Gro", "--confirm", at=LATER)
    assert [text[:300] for text in texts(over) if "gro@" in text] == []


def test_the_doctor_reads_emails_to_nobody_that_were_emptied(over: Adjud) -> None:
    """The fixture asks the doctor, as after each test."""
    over.came("white", "to a match that never was", match="elsewhere")
    over.does("tick", at=LATER)
    over.does("player", "erase", NAME, "--confirm", at=LATER)
    with closing(sqlite3.connect(over.file)) as connection:
        emptied = "SELECT count(*) FROM letter WHERE status = 'junk' AND length(raw) = 0"
        assert connection.execute(emptied).fetchone() != (0,)
