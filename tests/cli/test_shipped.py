"""A file that came with the program is missing or damaged.

Whoever needs it says so in one sentence, and nothing is lost.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import adjudicator
from adjudicator.games import GAMES
from adjudicator.reports import whole
from adjudicator.resources import folder
from tests.nightly import mostly_nightly
from tests.program import WHITE_ARMY, Adjud, Answer

CHECKOUT = Path(adjudicator.__file__).parents[1]
AT_HALF_PAST = """
from adjudicator.__main__ import main
from tests.clock import clock_at
with clock_at("2026-11-21 12:30:00"):
    main()
"""


class Copied:
    """A copy of the program, to be damaged, and a club for which it is run."""

    def __init__(self, folder: Path, club: Adjud) -> None:
        self.folder, self.club = folder, club

    def __call__(self, *words: str) -> Answer:
        env = {name: value for name, value in self.club.env.items() if value is not None}
        done = subprocess.run(
            [sys.executable, "-c", AT_HALF_PAST, *words],
            cwd=self.club.folder,
            env={**os.environ, **env, "PYTHONPATH": f"{self.folder}:{CHECKOUT}"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert "Traceback" not in done.stderr
        return Answer(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def without(self, *names: str) -> Iterator[str]:
        """Remove files for a while; yield what is said of the first of them."""
        paths = [self.folder / name for name in names]
        paths += [found for path in paths if (found := path.with_suffix(".mo")).exists()]
        for path in paths:
            path.rename(f"{path}.away")
        try:
            yield missing(paths[0])
        finally:
            for path in reversed(paths):
                Path(f"{path}.away").rename(path)


def missing(path: Path) -> str:
    return f"{path}: this part of the program is missing or damaged; reinstall adjud"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("program")
    for name in ("adjudicator", "templates", "migrations"):
        shutil.copytree(CHECKOUT / name, folder / name)  # with what Python has compiled
    shutil.copy(CHECKOUT / "pyproject.toml", folder)
    return folder


@pytest.fixture
def copied(club: Adjud, program: Path) -> Copied:
    """Return a copy with a match: Anna reads Norwegian, and emails go into a folder."""
    settings = 'operator = "games@example.org"\n[mail]\ndomain = "play.example.org"\n'
    club.write("adjud.toml", f'{settings}out = "folder:{club.folder}/out"\n')
    club.does("player", "set", "Anna", "--language", "nb")
    club.match("espionage-1", "--option", "deadline=every 3 days")
    club.does("backup", str(club.folder / "b.tar.gz"))
    return Copied(program, club)


def emails(copied: Copied) -> int:
    return len([*(copied.club.folder / "out").glob("*.eml")])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    mostly_nightly(
        [
            "templates/espionage/report.txt.j2",
            "templates/shared/frame.txt.j2",
            "adjudicator/locale/nb/LC_MESSAGES/adjud.po",
            "adjudicator/games/espionage/locale/nb/LC_MESSAGES/espionage.po",
        ],
        every_day=["adjudicator/games/espionage/locale/nb/LC_MESSAGES/espionage.po"],
    ),
)
def test_emails_wait_until_the_program_is_whole_again(copied: Copied, name: str) -> None:
    with copied.without(name) as told:
        told = told.replace(".po:", ".mo:")
        assert copied("report", "espionage-1", "white") == (1, "", f"adjud: {told}\n")
        ticked = copied("tick")
        assert ticked.code == 0
        assert f"emails are waiting to be sent: {told}\n" in ticked.out
        assert f"BAD {told}\n" in copied("doctor", "--quiet").out
        assert "stuck" not in copied("status").out
    assert copied("tick") == (0, "", "")
    assert emails(copied) == 3  # two reports and a word to the operator
    assert copied("doctor", "--quiet") == (0, "", "")


@pytest.mark.slow
def test_nothing_is_adjudicated_while_emails_cannot_be_read(copied: Copied) -> None:
    copied("tick")
    before = emails(copied)
    copied.club.came("white", "ORDERS espionage-1 white", "SETUP", *WHITE_ARMY.split(), "END")
    grammar = "adjudicator/games/espionage/orders/orders.lark"
    copied.club.came("black", "HELP")
    copied.club.came("black", "ORDERS espionage-1 black", "a6 a5 a4", "END")
    with copied.without(grammar, "templates/espionage/card.txt.j2"):
        ticked = copied("tick")
        assert ticked.code == 1
        assert "adjud: emails cannot be read: " in ticked.err
        assert "nothing is adjudicated or decided until they can" in ticked.err
        card = missing(copied.folder / "templates/espionage/card.txt.j2")
        assert f"BAD {card}\n" in copied("doctor", "--quiet").out
        copied("tick")
    assert copied("tick") == (0, "", "")
    # A receipt, a card, a refusal and a word to the operator.
    assert emails(copied) == before + 4
    assert "stuck" not in copied("status").out


DAMAGED = {
    "templates/spion/report.html.j2": b"{% if",
    "templates/espionage/card.txt.j2": b"\xff\xfe",
    "adjudicator/games/spion/locale/sv/LC_MESSAGES/spion.mo": b"\xde\x12\x04\x95 nonsense",
}


@pytest.mark.slow
def test_each_damaged_file_is_named(copied: Copied) -> None:
    paths = {copied.folder / name: content for name, content in DAMAGED.items()}
    whole = {path: path.read_bytes() for path in paths}
    for path, content in paths.items():
        path.write_bytes(content)
    told = copied("doctor", "--quiet")
    for path, content in whole.items():
        path.write_bytes(content)
    assert (told.code, told.err) == (1, "")
    assert sorted(told.out.splitlines()) == sorted(f"BAD {missing(path)}" for path in paths)


@pytest.mark.slow
def test_without_its_migrations_the_program_says_so(copied: Copied) -> None:
    with copied.without("migrations/versions") as told:
        assert copied("status") == (1, "", f"adjud: {told}\n")
        assert f"BAD {told}\n" in copied("doctor").out


@pytest.mark.slow
def test_every_template_is_looked_at() -> None:
    seen = {name for name, _ in whole.check_templates([*GAMES.values()])}
    known = {path.relative_to(folder("templates")) for path in folder("templates").rglob("*.j2")}
    assert {str(path) for path in known} == seen
