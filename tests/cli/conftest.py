"""Fixtures: `adjud` with a database of its own, in a working folder of its own."""

from pathlib import Path

import pytest

from tests.program import Adjud


@pytest.fixture
def adjud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return the program before anything has been done."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Adjud(tmp_path)


@pytest.fixture
def club(adjud: Adjud) -> Adjud:
    """Return the program with the players Anna and Bob, and no match."""
    adjud.club()
    return adjud


@pytest.fixture
def setting_up(club: Adjud) -> Adjud:
    """Return it with `espionage-1`: both armies are to be placed; the deadline is every three
    days."""
    club.match("espionage-1", "--option", "deadline=every 3 days")
    return club


@pytest.fixture
def playing(setting_up: Adjud) -> Adjud:
    """Return it with `espionage-1`, in which White is to order turn 1."""
    setting_up.armies()
    return setting_up


@pytest.fixture
def by_mail(club: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return it with `espionage-1` to be played by mail: in to play.example.org, out to a
    folder."""
    import socket

    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [()])
    settings = f'[mail]\ndomain = "play.example.org"\nout = "folder:{club.folder}/out"\n'
    club.write("adjud.toml", settings)
    (club.folder / "out").mkdir()
    club.match("espionage-1", "--option", "deadline=every 3 days")
    club.does("tick")
    return club
