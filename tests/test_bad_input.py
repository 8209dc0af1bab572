"""Bad input of any kind gets one clear sentence and exit 1 or 2, never a traceback; nothing stored
changes."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adjudicator.config import Settings
from tests.inside import base_files as files
from tests.inside import database
from tests.nightly import each_once, mostly_nightly
from tests.program import Adjud
from tests.scale import examples

GOOD = "ORDERS espionage-1 white turn 1\nd3-d4\nf3-f4\nEND\n"
SETUP = "ORDERS espionage-2 {}\nSETUP\n{}\nEND\n"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Adjud:
    """Return a club in which `espionage-1` is at turn 1 and `espionage-2` waits for its set-ups.

    It is made once; the tests prove that they leave it as it is, or work on a copy.
    """
    adjud = Adjud(tmp_path_factory.mktemp("club"))
    adjud.club()
    adjud.match("espionage-1")
    adjud.armies("espionage-1")
    adjud.match("espionage-2")
    adjud.does("submit", "-", stdin=GOOD)
    return adjud


@pytest.fixture
def untouched(prepared: Adjud) -> Iterator[Adjud]:
    """Return the program; when the test is over its tables must be what they were."""
    before = prepared.dump()
    yield prepared
    assert prepared.dump() == before


@pytest.fixture
def copied(prepared: Adjud, tmp_path: Path) -> Adjud:
    """Return the program with a copy of the database."""
    adjud = Adjud(tmp_path)
    adjud.write("adjud.toml", "")
    with closing(sqlite3.connect(prepared.file)) as source:
        source.execute("VACUUM INTO ?", (str(adjud.file),))
    return adjud


def refusal(adjud: Adjud, *words: str, stdin: str | bytes = "") -> str:
    """Return what a command that refuses says, in one or a few lines."""
    answer = adjud(*words, stdin=stdin)
    assert answer.code in (1, 2), answer
    told = answer.out + answer.err
    assert told.strip()
    assert "error inside" not in told
    return told


# --- names and turns -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("report espionage-3 white", "no match 'espionage-3'; did you mean espionage-"),
        ("report espionage-1 whit", "there is no seat 'whit'; did you mean white?"),
        ("report espionage-1 anna", "there is no seat 'anna'; choose from White, Black"),
        ("report espionage-1 white --turn 99", "espionage-1 has no turn 99 yet; the last is 1"),
        ("report espionage-1 white --turn one", "'one' is not a valid integer range"),
        ("status nope", "there is no match 'nope'; choose from espionage-1, espionage-2"),
        ("tick --match nope", "there is no match 'nope'"),
        ("verify nope", "there is no match 'nope'"),
        ("board nope --gm", "there is no match 'nope'"),
        ("record export nope", "there is no match 'nope'"),
        ("player remove Ana", "there is no player 'Ana'; did you mean Anna?"),
        ("gm replace espionage-1 white Ana", "there is no player 'Ana'; did you mean Anna?"),
        ("gm forfeit espionage-1 red", "there is no seat 'red'; choose from White, Black"),
        ("gm adjudicate espionage-1 --expect 7", "espionage-1 is at turn 1, not 7"),
        ("mail queue show k3f5qw2m", "there is no email out-k3f5qw2m"),
        ("mail queue show 3", "'3' is not an email; write one like in-k3f5qw2m"),
    ],
)
def test_what_does_not_exist_is_named(untouched: Adjud, words: str, sentence: str) -> None:
    assert sentence in refusal(untouched, *words.split())


WRONG_SHEETS = [
    (GOOD.replace("age-1", "age-7"), "there is no match 'espionage-7'; did you mean espionage"),
    (GOOD.replace("white", "grey"), "there is no seat 'grey'; choose from White, Black"),
    (GOOD.replace("white ", ""), "which seat? write ORDERS espionage-1 and the seat"),
    (GOOD.replace("white turn 1", "black"), "turn 1 is waiting for White"),
    (GOOD.replace("-1 ", "-2 "), "orders for later turns can be saved once the match and its"),
    (GOOD.replace("turn 1", "turn 2\nDRAW"), "DRAW does not belong in orders for a later turn"),
    (GOOD.replace("turn 1", "turn 2\nIF FIGHT"), "the colon before the order"),
    (
        GOOD.replace("turn 1", "turn 0"),
        "these orders are for turn 0, but the current turn is 1",
    ),
    (GOOD.replace("turn 1", "turn x"), "I do not understand 'turn x' here"),
    (GOOD.replace("turn 1", "trun 1"), "'trun': did you mean turn?"),
    (GOOD.replace("turn 1", f"turn {9**50}"), "I do not understand 'turn "),
    (GOOD.replace("END", ""), "these orders have no END; add a line that says END"),
    (GOOD.replace("espionage-1 white turn 1", ""), "which match? write ORDERS, its name"),
    (GOOD.replace("d3-d4", "S d3-d4"), "the piece on d3 is your General, not a Spy"),
    (GOOD.replace("d3-d4", "Sp d3-d4"), "the piece on d3 is your General, not a Spy"),
    (GOOD.replace("f3-f4", "f3-f4\nh3-h4"), "too many steps: you must make exactly 2 steps"),
    (GOOD.replace("f3-f4", ""), "1 of 2 steps given; write each like d3-d4"),
    (GOOD.replace("f3-f4", "d3-d4"), "d3: two different pieces must move"),
    (GOOD.replace("f3-f4", "d4-d5"), "d4: two different pieces must move"),
    (GOOD.replace("f3-f4", "e3-e4"), "your Mine on e3 cannot move"),
    (GOOD.replace("f3-f4", "f3-f3"), "f3 to itself is not a step"),
    (GOOD.replace("f3-f4", "f2-f3\nf3-f4"), "your own piece is on f3"),
    (GOOD.replace("f3-f4", "c3-d4"), "c3 to d4 is not straight"),
    (GOOD.replace("f3-f4", "j3-k3"), "there is no square k3; the board goes from a1 to j10"),
    (GOOD.replace("f3-f4", "f11-f12"), "there is no square f11; the board goes from a1 to j10"),
    (GOOD.replace("f3-f4", "f8-f7"), "the piece on f8 is not yours"),
    (GOOD.replace("f3-f4", "SETUP RANDOM"), "the armies are already placed; write steps"),
    (GOOD.replace("f3-f4", "advance!"), "I do not understand 'advance"),
    (GOOD.replace("d3-d4\nf3-f4\n", ""), "0 of 2 steps given; write each like d3-d4"),
    (
        SETUP.format("white", "d3-d4"),
        "row 1: 'D -' are not pieces; the letters are 1 2 3 4 5 S",
    ),
    (SETUP.format("white", ""), "the set-up has 0 pieces; the army has 30"),
    (
        SETUP.format("white", "1S25MP31S4\n1122SP3SMP\nM1H3S5M24"),
        "row 3 has 9 letters; it needs 10",
    ),
    (
        SETUP.format("white", "1S25MP31S4\n1122SP3SMP\nM1H3S5M24PP"),
        "the set-up has 31 pieces; the army has 30",
    ),
    (
        SETUP.format("white", "1S25MP31S4\n1122SP3SMP\nM1H3S5M2HP"),
        "Headquarters: 2 placed, the army has 1",
    ),
    (
        SETUP.format("white", "1S25MP31S4\n1122SQ3SMP\nM1H3S5M24P"),
        "row 2: 'Q' is not a piece; the letters are 1 2 3 4 5 S P M H",
    ),
    (
        SETUP.format("black", "General a2\nSpy a8"),
        "a2 is not in your home rows, which are a8 to j10",
    ),
    (SETUP.format("black", "Spy a8\nSpy a8"), "a8 is given 2 times"),
    (SETUP.format("white", "RNADOM"), "did you mean 'SETUP RANDOM'?"),
]


@pytest.mark.parametrize(("command", "wrong"), each_once(["submit", "check"], WRONG_SHEETS))
def test_a_wrong_sheet_says_what_is_wrong(
    untouched: Adjud, command: str, wrong: tuple[str, str]
) -> None:
    """Both read it with the same function."""
    sheet, sentence = wrong
    told = refusal(untouched, command, "-", stdin=sheet)
    assert "NOT accepted; nothing from these orders was saved" in told
    assert sentence in told


# --- files -----------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"\n \r\n\t", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file(untouched: Adjud, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(content)
    assert refusal(untouched, "submit", str(path)) == f"adjud: {path} is empty\n"


def test_a_file_of_ten_megabytes(untouched: Adjud, tmp_path: Path) -> None:
    path = tmp_path / "large.txt"
    path.write_bytes(b"d3-d4\n" * 1_700_000)
    larger = f"adjud: {path} is larger than 256 KiB; an order file is a few lines of text\n"
    assert refusal(untouched, "submit", str(path)) == larger
    assert refusal(untouched, "submit", "-", stdin=path.read_bytes()) == larger.replace(
        str(path), "-"
    )


LARGEST = files.MOST_BYTES - 100


@pytest.mark.parametrize(
    "body",
    [
        "d3-d4\n" * (LARGEST // 6),
        "d3-d4 " * (LARGEST // 6),
        "x" * LARGEST,
        "SETUP\n" + "1S" * (LARGEST // 2 - 10),
        "SETUP\n" + "Spy a2\n" * (LARGEST // 7 - 10),
        "END\nORDERS espionage-1 white\n" * (LARGEST // 30),
        "é" * (LARGEST // 2),
        "x\n" + "READY\n" * (LARGEST // 6),
    ],
    ids=["lines", "one line", "no blank", "rows", "squares", "sheets", "letters", "commands"],
)
@pytest.mark.timeout(30)
def test_the_largest_file_that_is_read_is_answered_soon(untouched: Adjud, body: str) -> None:
    told = refusal(untouched, "check", "-", stdin=f"ORDERS espionage-1 white\n{body}\nEND\n")
    assert len(told) < 20_000


def test_nul_bytes(untouched: Adjud, tmp_path: Path) -> None:
    path = tmp_path / "nul.txt"
    path.write_bytes(GOOD.encode().replace(b"d3", b"d\x003"))
    told = f"adjud: {path} contains NUL bytes; send plain text\n"
    assert refusal(untouched, "submit", str(path)) == told


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1252", "ascii"]
)
def test_any_encoding_that_can_be_told_is_read(untouched: Adjud, encoding: str) -> None:
    sheet = GOOD if encoding == "ascii" else GOOD.replace("d3-", "überste d3-")
    told = untouched("check", "-", stdin=sheet.encode(encoding)).out
    if encoding == "ascii":
        assert "would be accepted" in told
    else:
        assert "'überste' is not a piece; did you mean Colonel?" in told


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "cp037", "utf-7"])
def test_other_encodings_do_no_harm(untouched: Adjud, encoding: str) -> None:
    sheet = GOOD.replace("d3-", "överste d3-")
    refusal(untouched, "check", "-", stdin=sheet.encode(encoding))


def test_a_folder_and_a_file_that_is_not_there(untouched: Adjud, tmp_path: Path) -> None:
    told = refusal(untouched, "submit", str(tmp_path))
    assert told == f"adjud: {tmp_path} cannot be read: Is a directory\n"
    for words in ("submit gone.txt", "check gone.txt", "record replay gone.txt"):
        told = refusal(untouched, *words.split())
        assert told == "adjud: gone.txt cannot be read: No such file or directory\n"


@pytest.mark.parametrize("content", [b"", b"hello", b"\xff\xfe\x00", b'[Game "Espionage"'])
def test_what_is_no_record(untouched: Adjud, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.esp"
    path.write_bytes(content)
    assert refusal(untouched, "record", "replay", str(path)).startswith(f"adjud: {path}, line 1: ")


VOCABULARY = (
    "ORDERS order ORDRE espionage-1 espionage-2 white svart turn 1 0 END SLUT SETUP RANDOM "
    "RESIGN DRAW CLEAR READY NOTREADY d3-d4 f3 - f4 north Spy General 1S25MP31S4 # // > , ;"
)
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\n", "\n"])
SHEETS = st.lists(WORDS, max_size=40).map(" ".join)
MIXED = st.lists(st.one_of(WORDS, st.text(max_size=10)), max_size=30).map(" ".join)


@pytest.mark.slow
@examples(60)
@given(text=st.one_of(st.text(), SHEETS, MIXED))
def test_nothing_ever_shows_a_traceback(prepared: Adjud, text: str) -> None:
    """`Adjud` itself fails a test in which anything but an exit comes out of a command."""
    before = prepared.dump()
    answer = prepared("check", "-", stdin=text.encode("utf-8", "surrogatepass"))
    assert answer.code in (0, 1)
    assert "error inside" not in answer.err
    assert (answer.out + answer.err).strip()
    assert prepared.dump() == before


@pytest.mark.slow
@examples(60)
@given(raw=st.binary(max_size=300))
def test_any_bytes_can_be_handed_in(prepared: Adjud, raw: bytes) -> None:
    before = prepared.dump()
    answer = prepared("submit", "-", stdin=raw)
    assert answer.code == 1
    assert "error inside" not in answer.err
    assert prepared.dump() == before


@pytest.mark.slow
@examples(60)
@given(text=st.one_of(SHEETS, MIXED))
def test_a_refused_text_leaves_everything_as_it_is(
    prepared: Adjud, tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    adjud = Adjud(tmp_path_factory.mktemp("copy"))
    adjud.write("adjud.toml", "")
    with closing(sqlite3.connect(prepared.file)) as source:
        source.execute("VACUUM INTO ?", (str(adjud.file),))
    before = adjud.dump()
    answer = adjud("submit", "-", stdin=text.encode("utf-8", "surrogatepass"))
    assert answer.code in (0, 1)
    assert "error inside" not in answer.err
    if ": accepted" not in answer.out:
        assert adjud.dump() == before
    shutil.rmtree(adjud.folder)


@pytest.mark.slow
def test_a_terminal_that_lacks_an_email(prepared: Adjud) -> None:
    """Its owner reads an escape in place of the email, and everything else."""
    done = subprocess.run(
        [sys.executable, "-m", "adjudicator", "check", "-"],
        input=GOOD.replace("d3-", "Ж d3-").encode(),
        env={**os.environ, **_environment(prepared), "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
    )
    assert done.returncode == 1
    assert b"line 2: \\u0416 d3-d4: " in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("form", mostly_nightly(["html", "json", "svg"], every_day=["html", "svg"]))
@pytest.mark.slow
def test_what_says_that_it_is_utf_8_is_so_at_any_terminal(copied: Adjud, form: str) -> None:
    copied.does("player", "set", "Anna", "--name", "Ånna Ж")
    report = ("report", "espionage-1", "white", "--format", form)
    done = _run(copied, *report, PYTHONIOENCODING="latin-1")
    assert (done.stderr, done.returncode) == (b"", 0)
    assert "Ånna Ж" in done.stdout.decode("utf-8") or form == "svg"
    if form == "svg":  # the others say of when they are
        assert done.stdout == copied.does(*report).encode()


@pytest.mark.slow
def test_json_and_records_are_utf_8_at_any_terminal(copied: Adjud, tmp_path: Path) -> None:
    copied.does("player", "set", "Anna", "--name", "Ånna Ж")
    copied.does("gm", "cancel", "espionage-1", "--reason", "x")
    for words in (
        "player list --format json",
        "status espionage-1 --format json",
        "record export espionage-1",
    ):
        done = _run(copied, *words.split(), PYTHONIOENCODING="latin-1")
        assert "Ånna Ж" in done.stdout.decode("utf-8"), words


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(
    "words",
    mostly_nightly(
        ["--help", "--version", "mail --help", "status", "doctor"], every_day=["--help", "status"]
    ),
)
@pytest.mark.slow
def test_output_that_cannot_be_written(copied: Adjud, words: str) -> None:
    with FULL.open("w") as full:
        done = _run(copied, *words.split(), stdout=full)
    assert (done.returncode, done.stderr) == (1, b"adjud: No space left on device\n")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is always full")
@pytest.mark.slow
def test_a_sheet_whose_receipt_cannot_be_written_is_stored_and_those_behind_it_are(
    copied: Adjud, tmp_path: Path
) -> None:
    files = [tmp_path / "1.txt", tmp_path / "2.txt"]
    for file in files:
        file.write_text(GOOD)
    with FULL.open("w") as full:
        done = _run(copied, "submit", *map(str, files), stdout=full)
    told = "the confirmation cannot be printed: No space left on device\n"
    assert done.returncode == 1
    lines = done.stderr.decode().splitlines(keepends=True)
    assert "".join(line for line in lines if not line.startswith("next: ")) == (
        f"adjud: espionage-1, white, turn 1: accepted, version 2; {told}"
        f"adjud: espionage-1, white, turn 1: accepted, version 3; {told}"
    )


def _run(
    adjud: Adjud, *words: str, stdout: IO[str] | int = subprocess.PIPE, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "adjudicator", *words],
        env={**os.environ, **_environment(adjud), **environment},
        stdout=stdout,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_a_reader_who_has_seen_enough(prepared: Adjud) -> None:
    command = f"{sys.executable} -m adjudicator report espionage-1 white | head -1"
    done = subprocess.run(
        command,
        shell=True,
        env={**os.environ, **_environment(prepared)},
        capture_output=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("Espionage espionage-1, Turn 1\n", "")


def _environment(adjud: Adjud) -> dict[str, str]:
    return {key: value for key, value in adjud.env.items() if value is not None}


# --- databases -------------------------------------------------------------------------------

READING = (
    ("status",),
    ("verify",),
    ("mail", "queue", "list"),
    ("player", "list"),
    ("check", "-"),
)
WRITING = (
    ("submit", "-"),
    ("report", "espionage-1", "white"),
    ("player", "add", "Eve", "eve@example.org"),
    ("new", "espionage", "--seat", "white=Anna", "--seat", "black=Bob"),
    ("gm", "hold", "espionage-1", "--reason", "x"),
)
EVERY = (*READING, *WRITING, ("tick",), ("db", "upgrade"))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Lock the database from another process."""
    hold = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdin
        assert holder.stdout
        assert holder.stdout.readline() == b"held\n"
        yield
        holder.stdin.close()


@pytest.mark.slow
def test_a_locked_database(copied: Adjud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT", 50)
    before = copied.dump()
    with locked(copied.file):
        for words in WRITING:
            told = refusal(copied, *words, stdin=GOOD)
            assert told.endswith(
                "adjud: the database is locked by another program; try again later\n"
            )
    assert copied.dump() == before
    assert copied("submit", "-", stdin=GOOD).code == 0


def test_a_database_with_a_log_can_be_read_while_it_is_locked(
    prepared: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT", 50)
    with locked(prepared.file):
        assert prepared("status").code == 0


@pytest.mark.parametrize("query", ["mode=ro&uri=true", "immutable=1&uri=true"])
def test_a_database_that_may_only_be_read(copied: Adjud, query: str) -> None:
    """The answer is that of a file whose rights forbid writing; root may always write."""
    copied.env["ADJUD_DATABASE"] = f"sqlite:///file:{copied.file}?{query}"
    before = copied.dump()
    for words in WRITING:
        told = refusal(copied, *words, stdin=GOOD)
        assert told == "adjud: the database cannot be written: it is read-only for this user\n"
    assert copied("status").code == 0
    assert copied("check", "-", stdin=GOOD).code == 0
    assert copied.dump() == before


@pytest.mark.slow
def test_a_database_whose_rights_forbid_writing(copied: Adjud) -> None:
    copied.file.chmod(0o400)
    # Root may write everything, unless it gives up the right to.
    powers = "-dac_override,-dac_read_search"
    humble = ["setpriv", "--bounding-set", powers, "--inh-caps", powers]
    done = subprocess.run(
        [
            *(humble if os.geteuid() == 0 else []),
            sys.executable,
            "-m",
            "adjudicator",
            "submit",
            "-",
        ],
        input=GOOD,
        env={**os.environ, **_environment(copied)},
        capture_output=True,
        text=True,
        check=False,
    )
    told = "adjud: the database cannot be written: it is read-only for this user\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", told)


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_database_of_a_newer_program(copied: Adjud, words: tuple[str, ...]) -> None:
    _set_version(copied.file, "9999")
    before = copied.dump()
    told = refusal(copied, *words, stdin=GOOD)
    newer = (
        "adjud: the database is from a newer adjud than this one; install that one instead, or "
        "restore the backup from before `adjud db upgrade`\n"
    )
    assert told == newer
    assert copied.dump() == before


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_a_database_of_an_older_program(copied: Adjud, words: tuple[str, ...]) -> None:
    older = "the database is from an older adjud; `adjud db upgrade` brings it up to date"
    if words == ("db", "upgrade"):
        older = "no adjud has ever made a database of version 0029x"
    too_old = "the database is from an adjud before 0.2.28; upgrade it with adjud 0.2.28 first"
    for version, why in (("0029x", older), ("0027", too_old)):
        _set_version(copied.file, version)
        before = copied.file.read_bytes()
        assert refusal(copied, *words, stdin=GOOD) == f"adjud: {why}\n"
        assert copied.file.read_bytes() == before


def _set_version(path: Path, version: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (version,))


@pytest.mark.parametrize("content", [b"x", b"not a database" * 1000], ids=["short", "long"])
@pytest.mark.parametrize("words", [*EVERY, ("init",)], ids=" ".join)
def test_a_file_that_is_not_a_database(
    adjud_at: Adjud, words: tuple[str, ...], content: bytes
) -> None:
    adjud_at.file.write_bytes(content)
    told = refusal(adjud_at, *words, stdin=GOOD)
    sentence = f"adjud: {adjud_at.file} is not an adjud database, or it is damaged\n"
    assert told.endswith(sentence)
    assert adjud_at.file.read_bytes() == content


@pytest.fixture
def adjud_at(tmp_path: Path) -> Adjud:
    adjud = Adjud(tmp_path)
    adjud.write("adjud.toml", "")
    return adjud


def test_a_database_of_another_program(adjud_at: Adjud) -> None:
    with closing(sqlite3.connect(adjud_at.file)) as connection, connection:
        connection.execute("CREATE TABLE recipe (name TEXT)")
    told = refusal(adjud_at, "status")
    url = f"sqlite:///{adjud_at.file}"
    assert told == (
        f"adjud: {url} has no adjud database; `adjud init` makes an empty one, "
        "`adjud backup --restore FILE` restores a club's\n"
    )


def test_a_damaged_database(copied: Adjud) -> None:
    raw = bytearray(copied.file.read_bytes())
    raw[200 : len(raw) // 2] = os.urandom(len(raw) // 2 - 200)
    copied.file.write_bytes(raw)
    for words in EVERY:
        told = refusal(copied, *words, stdin=GOOD)
        assert "damaged" in told
    assert copied.file.read_bytes() == raw


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("adjud.db", "that is not a database URL; write it like sqlite:////path/adjud.db"),
        ("mysql://x/y", "adjud keeps its data in SQLite or PostgreSQL, not in 'mysql'"),
        ("sqlite:////", "the database cannot be opened; check its folder's permissions"),
        ("postgresql://u:secret@127.0.0.1:1/x", "the database server says: "),
    ],
)
def test_a_url_that_leads_nowhere(adjud_at: Adjud, url: str, sentence: str) -> None:
    told = refusal(adjud_at, "--database", url, "status")
    assert told.startswith(f"adjud: {sentence}")
    assert "secret" not in told


@pytest.mark.parametrize("words", [*WRITING, ("tick",)], ids=" ".join)
def test_a_full_disk(
    copied: Adjud, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite may not take a page more, as if the disk were full."""
    prepare = database._prepare_sqlite

    def no_page_more(foreign_keys: bool, connection: sqlite3.Connection, record: object) -> None:
        prepare(foreign_keys, connection, record)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages}")

    sheet = "ORDERS espionage-2 {}\nSETUP RANDOM\nEND\n"
    copied("submit", "-", stdin=sheet.format("white") + sheet.format("black"))
    _fill(copied.file)
    before = copied.dump()
    monkeypatch.setattr(database, "_prepare_sqlite", no_page_more)
    large = GOOD.replace("END", "# more\n" * 30_000 + "END")
    answer = copied(*words, stdin=large)
    if answer.code == 0:  # what it stored found room in pages that were there
        assert words[0] in ("report", "player", "gm", "new")
        return
    assert answer.err.startswith(f"adjud: {copied.file}: the disk is full; nothing was stored. `")
    assert copied.dump() == before


def _fill(path: Path) -> None:
    """Remove the database's empty pages, and let those that stay have little room, so that anything
    written needs a new one."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in ("PRAGMA journal_mode=DELETE", "PRAGMA page_size=512", "VACUUM"):
            connection.execute(statement)
        assert connection.execute("PRAGMA page_size").fetchone() == (512,)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_FSIZE")
def test_files_that_may_not_grow(copied: Adjud) -> None:
    """A real fault of the operating system in the middle of a write."""
    before = copied.dump()
    limit = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "sys.argv[0] = 'adjud'; from adjudicator.__main__ import main; main()"
    )
    archive = copied.folder / "b.tar.gz"
    for words in (("submit", "-"), ("backup", str(archive)), ("tick",)):
        done = subprocess.run(
            [sys.executable, "-B", "-c", limit, *words],  # else torn bytecode is kept
            input=GOOD,
            env={**os.environ, **_environment(copied)},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert done.stderr.startswith(f"adjud: {copied.file}: the disk "), words
        assert done.stderr.count("\n") == 1
    assert not list(copied.folder.glob("*.tar.gz"))
    assert copied.dump() == before


def test_reports_cannot_be_written(prepared: Adjud, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    told = refusal(prepared, "report", "espionage-1", "--all", "--folder", str(path / "reports"))
    assert told.startswith(f"adjud: {path}")
    assert told.count("\n") == 1


def test_a_driver_that_we_do_not_have(untouched: Adjud) -> None:
    told = refusal(untouched, "--database", f"sqlite+fancy:///{untouched.file}", "status")
    assert told == "adjud: adjud opens SQLite as sqlite:///, not as sqlite+fancy\n"


# --- configurations --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b'databse = "x"', "there is no setting 'databse'; did you mean database?"),
        (
            b"zzz = 1",
            "there is no setting 'zzz'; the settings are " + ", ".join(Settings.__struct_fields__),
        ),
        (b'[mail]\nuot = "x"', "there is no setting 'mail.uot'; did you mean mail.out?"),
        (b"timezone = 7", 'timezone must be text in quotes, as in timezone = "..."'),
        (b"[mail]\nout = true", 'mail.out must be text in quotes, as in mail.out = "..."'),
        (b"mail = 3", "mail must be a section of its own: [mail]"),
        (b'absence_days = "x"', "absence_days must be a whole number, as in absence_days = 5"),
        (
            b"[clock]\nmax_silent = 1.5",
            "clock.max_silent must be a whole number, as in clock.max_silent = 5",
        ),
        (
            b'[clock]\nmax_gap = "x"',
            "clock.max_gap: 'x' is not a duration; write one like 2 days, 12 hours or 0",
        ),
        (
            b'operator = "gm"',
            "operator = 'gm' is not valid; write one address, such as games@example.org",
        ),
        (
            b'[mail]\nuser = "a@b"',
            "mail.user = 'a@b' is not valid; write up to 15 letters and digits, with dots and "
            "dashes only between them, such as adjud",
        ),
        (
            b'[mail]\nuser = "sixteen-letters."',
            "mail.user = 'sixteen-letters.' is not valid; write up to 15 letters and digits, with "
            "dots and dashes only between them, such as adjud",
        ),
        (b'[mail]\ndelimiter = ""', "mail.delimiter = '' is not valid; write one of + - . _ ="),
        (
            b'[mail]\nauthserv_hosts = "outlook.com, 2002:a00::/99x"',
            "mail.authserv_hosts = '2002:a00::/99x' is not valid; write domains or networks, "
            "such as outlook.com or 2002:a00::/24",
        ),
        *(
            (
                f'[mail]\ndomain = "{domain}"'.encode(),
                f"mail.domain = '{domain}' is not valid; write the part after the @, such as "
                "play.example.org or, with other letters, xn--rsta-fra.example",
            )
            for domain in ("not a domain", "a..b", "ørsta.example", "@example.org", "-a.example")
        ),
        *(
            (
                f'[mail]\ndomain = "a.example"\nout = "{out}"'.encode(),
                f"mail.out = '{shown}' is not valid; write "
                "smtp://user@host:587, smtps://user@host, sendmail, folder:/path or none",
            )
            for out, shown in (
                ("smpt://user:secret@x", "smpt:…"),
                ("sendmial", "sendmial"),
                ("folder:", "folder:…"),
                ("smtp:host", "smtp:…"),
                ("", ""),
            )
        ),
        (
            b'[mail]\nfetch = "pop3://user:secret@x"',
            "mail.fetch = 'pop3:…' is not valid; write imaps://user@host/INBOX, maildir:/path "
            "or mbox:/path",
        ),
        (b'timezone = "Oslo"', "'Oslo' is not a time zone; write it like Europe/Oslo"),
        (
            b'[club]\ncontact = "Gerda"',
            "club.contact = 'Gerda' is not valid; write one address, such as games@example.org",
        ),
        (
            b'[club]\nname = "a\\nb"',
            "club.name = 'a\ufffdb' is not valid; write a name of at most 60 characters, in "
            "one line",
        ),
        (b'[site]\nlanguage = "de"', "site.language = 'de' is not valid; write en, nb or sv"),
        (
            b'[club]\nwelcome = "a\\nb"',
            "club.welcome = 'a\ufffdb' is not valid; write at most 200 characters, in one line",
        ),
        (
            b'[club]\ngamemaster = "G"',
            "there is no setting 'club.gamemaster'; did you mean club.game_master?",
        ),
        (b'[mail]\nout = "sendmail"', "email can only be sent from a domain; set mail.domain"),
        (b'[mail]\nfetch = "mbox:/x"', "email can only come to a domain; set mail.domain"),
        (
            b"timezone =",
            'timezone: Invalid value; text needs quotes, as in timezone = "...", and a number has '
            "none",
        ),
        (
            b"[mail\n",
            "Expected ']' at the end of a table declaration; write a section as [mail] and a "
            'setting as key = "value"',
        ),
        (b'timezone = "\xff"', "this is not text in UTF-8"),
    ],
)
def test_a_faulty_configuration(untouched: Adjud, content: bytes, sentence: str) -> None:
    path = untouched.folder / "faulty.toml"
    path.write_bytes(content)
    told = refusal(untouched, "--config", str(path), "submit", "-", stdin=GOOD)
    line = content.strip().count(b"\n") + 1
    assert told == f"adjud: {path}, line {line}: {sentence}\n"
    assert refusal(untouched, "--config", str(path), "doctor") == told


@pytest.mark.parametrize(
    "content",
    [
        '\ufefftimezone = "Europe/Oslo"',
        'operator = "Game Master <gm@example.org>"',
        '[mail]\ndomain = "Play.xn--rsta-fra.example"\nuser = "a.b-c_1"\ndelimiter = "-"',
        '[mail]\ndomain = "localhost"\nout = "sendmail:/usr/sbin/sendmail"',
        '[mail]\ndomain = "a.example"\nout = "smtps://user:secret@host:465"',
        '[mail]\ndomain = "a.example"\nfetch = "imap://user@localhost:143/INBOX"',
    ],
)
def test_a_right_configuration(untouched: Adjud, content: str) -> None:
    path = untouched.folder / "right.toml"
    path.write_text(content, "utf-8")
    answer = untouched("--config", str(path), "status")
    assert (answer.code, answer.err) == (0, "")


def test_a_configuration_that_is_not_there(untouched: Adjud) -> None:
    told = refusal(untouched, "--config", "gone.toml", "status")
    assert told == "adjud: there is no configuration file gone.toml\n"
    told = refusal(untouched, "--config", str(untouched.folder), "status")
    assert told == f"adjud: {untouched.folder} cannot be read: Is a directory\n"
