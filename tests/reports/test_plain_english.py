"""Keep words out of what people read that the guide for it forbids: our own dialect, and words that
are English only in German order."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from catalogues import catalogues, extracted

from adjudicator.cli import main

CLI = Path(__file__).parents[2] / "adjudicator" / "cli"

FORBIDDEN = (
    # who wants it, who was told
    *("await", "awaits", "awaited", "to be had", "is to be", "are to be", "barred", "of yours"),
    *("told", "likewise", "so much as", "by itself", "begin a letter", "left out", "in vain"),
    *("thereof", "hence", "whose", "stands?", "stood", "counts", "anew", "goes on", "by lot"),
    *("somebody", "everybody", "way out", "unseen", "waylays?", "gave up"),
    # the terms that have another name for players
    *("letters?", "sheets?", "receipts?", "revisions?", "in force", "commitments?", "dossiers?"),
    *("papers?", "press", "parked", "opened log", "heads? of the log"),
    # "e9 is no square"; "there is no square e9" and "is no longer" are English
    *(r"(?<!there )is no(?! longer)", r"(?<!there )are no(?! longer)"),
)
_FOUND = re.compile(rf"\b(?:{'|'.join(FORBIDDEN)})\b", re.IGNORECASE)

# Where such a word is right: reviewed, one by one.
RIGHT = (
    *("Latin letters?", "with other letters", "letters and digits", "letters, digits"),
    *("write a letter", "its letter", "letters? A to Z", "one of A to Z", "12 letters"),
    *("letters, the front row", "three lines of _ letters", "row _ has _ letters?", "Letters: 1"),
    *("the letters are", "lines of letters", "small letters", "an embassy's letter"),
    *("order sheets?", "sheet of paper", "now in force", "_ counts steps", "one of yours"),
    *("Consul's letters", "Press bribes", "show(?:s|ed)? papers"),  # Spies' own words
    *("SHA-256 of _ with the orders", "junk, parked, refused", "level, press, and"),
    "adjud gm press",
)
_RIGHT = re.compile("|".join(RIGHT), re.IGNORECASE)
_TYPED = re.compile(r"`[^`]*`|\b[A-Z]{3,}\b")  # commands and words of the order language
_HOLE = re.compile(r"\{\w+\}|%\(\w+\)s")


def found(text: str) -> list[str]:
    plain = _TYPED.sub("_", _HOLE.sub("_", text))
    return _FOUND.findall(_RIGHT.sub("_", plain))


@pytest.mark.parametrize("name", [name for name in catalogues() if name != "skeleton"])
def test_no_message_or_template_has_a_forbidden_word(name: str) -> None:
    messages = [message.id for message in extracted(name) if message.id]
    texts = [text for one in messages for text in ([one] if isinstance(one, str) else one)]
    assert {text: found(text) for text in texts if found(text)} == {}


def _helps(command: click.Command, path: str = "adjud") -> Iterator[tuple[str, str]]:
    yield path, command.help or ""
    yield from (
        (f"{path} {option.name}", option.help or "")
        for option in command.params
        if isinstance(option, click.Option)
    )
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _helps(below, f"{path} {name}")


def test_no_help_has_a_forbidden_word() -> None:
    helps = dict(_helps(main))
    assert len(helps) > 100
    assert {path: found(text) for path, text in helps.items() if found(text)} == {}


def _printed(module: Path) -> Iterator[str]:
    """Yield the texts that a module of the command line hands to a function, as to `click.echo`."""
    for call in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(call, ast.Call):
            for part in ast.walk(call):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value


@pytest.mark.parametrize("module", sorted(CLI.glob("*.py")), ids=lambda path: path.stem)
def test_no_command_prints_a_forbidden_word(module: Path) -> None:
    sentences = [text for text in _printed(module) if " " in text]
    assert {text: found(text) for text in sentences if found(text)} == {}


def test_a_forbidden_word_is_found() -> None:
    assert found("Your orders are awaited.") == ["awaited"]
    assert found("e9 is no square, and 3 sheets of yours are in force") == [
        *("is no", "sheets", "of yours", "in force"),
    ]
    assert not found("there is no square {sheet}; write STANDS, `press` or two order sheets")
