"""Fixtures: `adjud` with a database of its own, in a working folder of its own."""

import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from adjudicator.games import GAMES
from adjudicator.reports import whole
from adjudicator.resources import Incomplete
from tests.program import Adjud

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


@pytest.fixture(scope="session")
def clubs(tmp_path_factory: pytest.TempPathFactory) -> Clubs:
    made = Clubs(*map(tmp_path_factory.mktemp, Clubs._fields))
    Adjud(made.club).club()
    Adjud(copied(made.club, made.setting_up)).match("espionage-1", "--option", EVERY_THREE_DAYS)
    Adjud(copied(made.setting_up, made.playing)).armies()
    return made


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
def by_mail(club: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return it with `espionage-1` to be played by mail: in to play.example.org, out to a
    folder."""
    import socket

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [()])
    settings = f'[mail]\ndomain = "play.example.org"\nout = "folder:{club.folder}/out"\n'
    club.write("adjud.toml", settings)
    (club.folder / "out").mkdir()
    club.match("espionage-1", "--option", EVERY_THREE_DAYS)
    club.does("tick")
    return club
