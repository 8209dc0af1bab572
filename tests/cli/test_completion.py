"""What Tab completes: names of the club, without making or changing anything."""

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from adjudicator.cli import main
from tests.program import Adjud


def completed(*words: str, begun: str = "") -> list[str]:
    shell = ShellComplete(main, {}, "adjud", "_ADJUD_COMPLETE")
    return [one.value for one in shell.get_completions(list(words), begun)]


@pytest.fixture
def named(playing: Adjud, monkeypatch: pytest.MonkeyPatch) -> Adjud:
    """Return a club with espionage-1 of Anna and Bob, an open match, and a player with a blank."""
    playing.does("player", "add", "Anna Berg", "berg@example.org", "--confirmed")
    playing.does("new", "spion", "--match", "canal", "--seat", "blue=Bob", "--open")
    for name, value in playing.env.items():
        monkeypatch.setenv(name, value) if value else monkeypatch.delenv(name, raising=False)
    return playing


def test_names_of_the_club_are_completed(named: Adjud) -> None:
    before = named.dump()
    for words, begun, names in (
        (("report",), "", ["canal", "espionage-1"]),
        (("report",), "e", ["espionage-1"]),
        (("gm", "hold"), "CA", ["canal"]),
        (("report", "espionage-1"), "", ["black", "white"]),
        (("report", "canal"), "", ["blue", "green", "red", "yellow"]),
        (("submit", "orders.txt", "--match"), "esp", ["espionage-1"]),
        (("gm", "replace", "espionage-1", "white"), "a", ["Anna", "Anna Berg"]),
        (("gm", "replace", "espionage-1", "white"), "computer:", COMPUTERS),
        (("player", "set"), "b", ["Bob"]),
        (("new", "spion", "--seat"), "yellow=Bo", ["yellow=Bob"]),
        (("new", "spion", "--seat"), "ye", []),
        (("new", "spion", "--match"), "c", []),
        (("player", "add"), "A", []),
    ):
        assert completed(*words, begun=begun) == names, (words, begun)
    assert {"white", "blue", "germany"} <= set(completed("submit", "orders.txt", "--seat"))
    assert named.dump() == before


COMPUTERS = ["computer:random", "computer:easy", "computer:strong"]


def test_every_parameter_that_takes_a_name_completes_it() -> None:
    """A new command cannot forget it: this goes by what its help calls the word."""
    from adjudicator.cli.arguments import Name

    def each(group: click.Group) -> None:
        for command in group.commands.values():
            if isinstance(command, click.Group):
                each(command)
                continue
            for parameter in command.params:
                shown = parameter.make_metavar(click.Context(command)).strip("[]").rstrip(".")
                if shown in ("MATCH", "SEAT", "PLAYER", "TOURNAMENT") and command.name != "audit":
                    assert isinstance(parameter.type, Name), (command.name, parameter.name)

    each(main)


def test_a_club_that_cannot_be_read_has_no_names(named: Adjud) -> None:
    for url in (f"sqlite:///{named.folder}/none.db", "sqlite:///nowhere/at/all", "mysql://x/y"):
        assert completed("--database", url, "report") == []
    assert not (named.folder / "none.db").exists()
    named.write("adjud.toml", "[mail\n")
    assert completed("report") == []
    named.write("adjud.toml", "")
    named.file.write_bytes(b"not a database at all")
    assert completed("report") == []
    assert completed("--config", "/nowhere.toml", "report") == []


def test_bash_gets_names_as_they_must_be_typed(
    named: Adjud, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("_ADJUD_COMPLETE", "bash_complete")
    assert completed("player", "set", begun="anna") == ["Anna", "'Anna Berg'"]
    assert completed("new", "spion", "--seat", begun="blue=anna") == ["Anna", "'Anna Berg'"]


@pytest.mark.slow
def test_a_shell_asks_the_program_itself(named: Adjud) -> None:
    asked = {"_ADJUD_COMPLETE": "bash_complete", "COMP_WORDS": "adjud report ", "COMP_CWORD": "2"}
    program = Path(sys.executable).with_name("adjud")
    done = subprocess.run(
        [program], env={**os.environ, **asked}, capture_output=True, text=True, cwd=named.folder
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "plain,canal\nplain,espionage-1\n"
