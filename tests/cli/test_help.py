"""Every command explains itself and shows how it is used."""

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from adjudicator import SCHEMA, __version__
from adjudicator.cli import main
from tests.database import head
from tests.inside import options
from tests.program import Adjud


def commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from commands(inner, *path, name)


EVERY = list(commands(main))
PROMISED = """
    demo; init; player add; player set; player list; player remove;
    player export; player erase; player show; player leave; player mute; new; submit; check; tick;
    report; status; board; record export; record replay; verify;
    mail queue list; mail queue show; mail queue retry; mail queue drop;
    gm hold; gm resume; gm cancel; gm extend; gm replace; gm forfeit; gm adjudicate;
    gm say; gm undo; gm option; gm press; late; standings;
    site build; site link; backup; doctor; db upgrade; db copy; db reopen;
    match archive; db prune
"""


@pytest.mark.parametrize("path", EVERY, ids=" ".join)
def test_every_command_has_a_help_with_an_example(path: tuple[str, ...], adjud: Adjud) -> None:
    told = adjud.does(*path, "--help")
    example = " ".join(("adjud", *path))
    assert f"{example} " in told.partition("\n")[2] or f"{example}\n" in told.partition("\n")[2]


def test_the_help_names_the_options_that_cannot_be_changed(adjud: Adjud) -> None:
    told = adjud.does("gm", "option", "--help").partition("All can be changed but ")[2]
    assert tuple(told.partition(" and ")[0].replace("`", "").split(", ")) == options.FIXED


def test_every_command_of_the_interface_is_there() -> None:
    promised = {tuple(name.split()) for name in PROMISED.split(";")}
    assert promised <= set(EVERY)


GROUPS = sorted({path[:-1] for path in EVERY if path})


@pytest.mark.parametrize("path", GROUPS, ids=" ".join)
def test_lists_of_commands_are_not_cut(path: tuple[str, ...], adjud: Adjud) -> None:
    """Each has one line at the usual width, and wraps where there is less room."""
    adjud.env["COLUMNS"] = "80"
    listed = adjud.does(*path, "--help").partition("Commands:\n")[2]
    inner = [one[-1] for one in EVERY if one[:-1] == path and one]
    assert [line.split()[0] for line in listed.splitlines()] == sorted(inner)
    adjud.env["COLUMNS"] = "55"
    narrow = adjud.does(*path, "--help").partition("Commands:\n")[2]
    assert "..." not in listed + narrow
    assert narrow.split() == listed.split()


def test_examples_of_the_program_itself_can_be_typed() -> None:
    """The long options in the examples are options of those commands."""
    for path in EVERY:
        command: click.Command = main
        for name in path:
            assert isinstance(command, click.Group)
            command = command.commands[name]
        known = {option for parameter in command.params for option in parameter.opts}
        assert "--help" not in known
        if isinstance(command, click.Group):
            continue
        text = (command.help or "").partition("\b")[2]
        used = {word.partition("=")[0] for word in text.split() if word.startswith("--")} - {"--"}
        assert used <= known | {"--config", "--database"}, path


def test_the_program_tells_its_version(adjud: Adjud) -> None:
    assert adjud.does("--version") == f"adjud, version {__version__}, schema {SCHEMA}\n"
    assert head() == SCHEMA


def test_a_command_that_does_not_exist_is_wrong_usage(adjud: Adjud) -> None:
    answer = adjud("tock")
    assert (answer.code, answer.out) == (2, "")
    assert "No such command 'tock'" in answer.err


def test_python_m_adjudicator_is_the_program() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "adjudicator", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"adjud, version {__version__}, schema {SCHEMA}\n"
