"""Fixtures: `adjud` with a database of its own, in a working folder of its own."""

import shutil
import socket
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from adjudicator.games import GAMES
from adjudicator.reports import whole
from adjudicator.resources import Incomplete
from tests.database import tables
from tests.program import Adjud
from tests.tokens import DRAWN

FAULTS = whole.faults
EVERY_THREE_DAYS = "deadline=every 3 days"


@pytest.fixture
def adjud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return the program before anything has been done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Adjud(tmp_path)


@cache
def faults_once() -> Sequence[Incomplete]:
    return tuple(FAULTS([*GAMES.values()]))


@pytest.fixture(scope="module", autouse=True)
def drawn_tokens() -> Iterator[None]:
    """Let players' tokens be drawn: a club that was made once may have the known ones already."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tables, "fresh_token", DRAWN)
        yield


@pytest.fixture(autouse=True)
def whole_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the doctor look once at the templates and catalogues, which no test changes: that takes
    longer than all its other checks. tests/cli/test_shipped.py damages a copy."""
    monkeypatch.setattr(whole, "faults", lambda games: faults_once())


class Clubs(NamedTuple):
    """Folders of clubs that were made once, by the commands that their players and game master
    give; each test works on a copy."""

    club: Path
    setting_up: Path
    playing: Path
    by_mail: Path
    idle: Path


@pytest.fixture(scope="session")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Clubs:
    made = Clubs(*map(tmp_path_factory.mktemp, Clubs._fields))
    Adjud(made.club).club()
    Adjud(copied(made.club, made.setting_up)).match("espionage-1", "--option", EVERY_THREE_DAYS)
    Adjud(copied(made.setting_up, made.playing)).armies()
    with pytest.MonkeyPatch.context() as monkeypatch:
        every_host_is_known(monkeypatch)
        by_mail = with_emails(copied(made.club, made.by_mail))
        by_mail.match("espionage-1", "--option", EVERY_THREE_DAYS)
        by_mail.does("tick")
        idle = with_emails(copied(made.by_mail, made.idle))
        idle.came("white", "STATUS")
        idle.does("tick")
    return made


def every_host_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [()])


def with_emails(folder: Path) -> Adjud:
    """Let emails come to play.example.org and go out to a folder in that of the club."""
    club, out = Adjud(folder), folder / "out"
    club.write("adjud.toml", f'[mail]\ndomain = "play.example.org"\nout = "folder:{out}"\n')
    out.mkdir(exist_ok=True)
    return club


def copied(made: Path, folder: Path) -> Path:
    shutil.copytree(made, folder, dirs_exist_ok=True)
    return folder


@pytest.fixture
def club(adjud: Adjud, clubs: Clubs) -> Adjud:
    """Return the program with the players Anna and Bob, and no match."""
    copied(clubs.club, adjud.folder)
    return adjud


@pytest.fixture
def setting_up(adjud: Adjud, clubs: Clubs) -> Adjud:
    """Return it with `espionage-1`: both armies are to be placed; the deadline is every three
    days."""
    copied(clubs.setting_up, adjud.folder)
    return adjud


@pytest.fixture
def playing(adjud: Adjud, clubs: Clubs) -> Adjud:
    """Return it with `espionage-1`, in which White is to order turn 1."""
    copied(clubs.playing, adjud.folder)
    return adjud


@pytest.fixture
def by_mail(adjud: Adjud, clubs: Clubs, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return it with `espionage-1` to be played by mail: in to play.example.org, out to a
    folder."""
    every_host_is_known(monkeypatch)
    return with_emails(copied(clubs.by_mail, adjud.folder))


@pytest.fixture
def idle(adjud: Adjud, clubs: Clubs, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return it by mail, after a first email has been answered: now nothing is due."""
    every_host_is_known(monkeypatch)
    return with_emails(copied(clubs.idle, adjud.folder))
