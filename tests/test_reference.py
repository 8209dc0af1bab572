"""The pages of docs/reference are made from the program; `--bless` makes them anew."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import click
import pytest
from msgspec import Struct, UnsetType

from adjudicator.cli import main
from adjudicator.cli.man_pages import OBJECTS
from adjudicator.core import report
from adjudicator.core.game import (
    CONTRACT,
    Advance,
    Game,
    Marks,
    Orders,
    Page,
    Proof,
    Records,
    Rules,
    Sight,
)
from adjudicator.core.message import Message
from adjudicator.core.result import MatchResult, SeatDeparture
from adjudicator.core.visible import Visible
from adjudicator.games import GAMES
from tests.inside import doctor_table as doctor
from tests.inside import game_check_table
from tests.inside import options as match_options

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
OURS = ("espionage", "spion", "spies")
VIEWS = {GAMES[slug].title: GAMES[slug].sight.view for slug in OURS}
MADE = "Made from the program (`pytest tests/test_reference.py --bless`).\n"


def rows(heads: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Write a table of Markdown."""
    written = (" | ".join(one) for one in (heads, ["---"] * len(heads), *lines))
    return "".join(f"| {line} |\n" for line in written)


def documented(kind: type) -> dict[str, str]:
    """Return what is written below each field of a class, in one line."""
    (body,) = (node for node in ast.parse(inspect.getsource(kind)).body)
    assert isinstance(body, ast.ClassDef)
    told = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(below, ast.Expr):
            assert isinstance(field.target, ast.Name)
            assert isinstance(below.value, ast.Constant)
            told[field.target.id] = " ".join(str(below.value.value).split())
    return told


# --- commands -------------------------------------------------------------------------------------


def commands() -> Iterator[str]:
    yield "# Commands\n\nEach command, what it does, and its options, as `--help` shows them. "
    yield "[interface.md](../interface.md) says what holds for all of them.\n\n"
    yield MADE
    for words, command in _each(main, ("adjud",)):
        context = click.Context(command, info_name=" ".join(words), max_content_width=1000)
        yield f"\n## {' '.join(words)}\n\n"
        yield f"`{' '.join((*words, *command.collect_usage_pieces(context)))}`\n"
        yield from _paragraphs(inspect.cleandoc(command.help or ""))
        options = [
            record
            for one in command.params
            if isinstance(one, click.Option) and (record := one.get_help_record(context))
        ]
        yield "\n" * bool(options)
        yield from (f"- `{written}`{': ' * bool(told)}{told}\n" for written, told in options)
        if objects := OBJECTS.get(" ".join(words[1:])):
            yield f"\nJSON: {objects}\n"


def _each(
    command: click.Command, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name, inner in command.commands.items():
        yield from _each(inner, (*words, name))


def _paragraphs(told: str) -> Iterator[str]:
    """Yield what is told; what follows a backspace keeps its lines, as click shows it."""
    for paragraph in re.split(r"\n\s*\n", told):
        lines = paragraph.splitlines()
        if lines[0].strip() == "\b":
            yield "\n" + "".join(["```\n", *(f"{line[4:]}\n" for line in lines[1:]), "```\n"])
        else:
            yield f"\n{' '.join(line.strip() for line in lines)}\n"


# --- the doctor -----------------------------------------------------------------------------------


OF_THE_DOCTOR = """\
# Checks of the doctor

What `adjud doctor` looks at, in its order. `--ignore` and the setting `doctor.skip` take these
names, or the part before the dot. A check with a star is not in the number `adjud_faults` of
`adjud metrics`: it takes long, asks a server or writes.

"""


def checks_of_the_doctor() -> Iterator[str]:
    yield f"{OF_THE_DOCTOR}{MADE}\n"
    told = [
        (f"`{name}`", "" if name in doctor.QUICK else "*", _first_sentence(look))
        for name, look in doctor.CHECKS
    ]
    yield rows(("check", "", "what it does"), told)


def _first_sentence(of: Callable[..., object]) -> str:
    paragraph = inspect.cleandoc(of.__doc__ or "").partition("\n\n")[0]
    return re.sub(r" \(\w+, [^)]*\)", "", " ".join(paragraph.split()))


@pytest.mark.parametrize(("name", "look"), doctor.CHECKS, ids=[name for name, _ in doctor.CHECKS])
def test_each_check_of_the_doctor_says_what_it_does(name: str, look: doctor.Look) -> None:
    assert _first_sentence(look).endswith("."), name


# --- keys of reports ------------------------------------------------------------------------------

# A report as JSON has a notice and a dropped line in the reader's words (`flat_in_words`).
RENAMED = {
    report.Notice: {"told": ("text", "What was done, and the reason; in the reader's language.")},
    report.Dropped: {"why": ("message", "Why, in the reader's language.")},
}
LEFT_OUT = {(report.Notice, "reason"), (report.Report, "view")}
ALL_GAMES = (report.Report, report.PressThread)


OF_REPORTS = """\
# Keys of a report as JSON

`adjud report MATCH SEAT --format json` prints them. The first table and those below it are of every
game; each game adds its own. A key that is not in a report does not apply to it. Times are RFC 3339
in UTC. [interface.md](../interface.md#3-a-report-as-json) says what can be checked with them.

"""


def keys_of_reports() -> Iterator[str]:
    yield f"{OF_REPORTS}{MADE}\n## Every game\n"
    told: set[type] = {*VIEWS.values()}
    for kind in ALL_GAMES:
        yield from _tables(kind, told)
    for game in GAMES.values():
        if game.title in VIEWS:
            yield f"\n## {game.title} adds\n"
            told.discard(game.sight.view)
            yield from _tables(game.sight.view, told)
    yield "\n## Results\n\nHow a match ended, in events and in what is exported of a player.\n"
    yield from _tables(MatchResult, told)


def _tables(kind: type, told: set[type]) -> Iterator[str]:
    """Yield the table of a value's keys, then those of the values in it."""
    if kind in told:
        return
    told.add(kind)
    yield f"\n{_name(kind)}: {_first_sentence(kind)}\n\n"
    docs = documented(kind)
    names = zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True)
    lines = []
    for field, key in names:
        if (kind, field) not in LEFT_OUT:
            key, what = RENAMED.get(kind, {}).get(field, (key, docs.get(field, "")))
            assert what, f"{kind.__module__}: {kind.__name__}.{field} lacks a line below it"
            lines.append((f"`{key}`", _written(kind, field), what))
    yield rows(("key", "value", "what"), lines)
    for field in kind.__struct_fields__:
        for inner in _values_in(get_type_hints(kind)[field]):
            yield from _tables(inner, told)


def _name(kind: type) -> str:
    """Name a value as the tables do: `SeenPiece` is a piece."""
    words = re.sub(r"(?<!^)([A-Z])", r" \1", kind.__name__.removeprefix("Seen")).lower()
    return f"**{NAMES.get(kind, words)}**"


def _written(kind: type, field: str) -> str:
    return _in_words(get_type_hints(kind)[field])


def _in_words(hint: Any) -> str:
    """Say what stands in JSON for a type: "text", "number", "list of piece"."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Literal or (isinstance(hint, type) and issubclass(hint, Enum)):
        return "text"
    if origin in (tuple, list, Sequence):
        of = [one for one in inner if one is not Ellipsis]
        if len(of) > 1:
            return f"[{', '.join(map(_in_words, of))}]"
        return f"list of {_in_words(of[0])}"
    if origin is Mapping:
        return f"object of {_in_words(inner[1])}"
    if origin in (Union, UnionType):
        kinds = [one for one in inner if one not in (UnsetType, type(None))]
        nothing = ["null"] * (type(None) in inner)
        return " or ".join(dict.fromkeys([*map(_in_words, kinds), *nothing]))
    if isinstance(hint, NewType):
        return _in_words(hint.__supertype__)
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _name(hint).strip("*")
    return "values of the game"


PLAIN = {str: "text", int: "number", bool: "true or false", Message: "text"}
NAMES = {
    report.InForce: "current orders",
    report.Committed: "proof",
    report.Ordered: "orders used",
    report.Dropped: "line not used",
    report.MadeWith: "made",
}


def _values_in(hint: Any) -> Iterator[type]:
    is_value = isinstance(hint, type) and issubclass(hint, Visible | SeatDeparture)
    if is_value and hint is not Message:
        yield hint
    for inner in get_args(hint):
        yield from _values_in(inner)


# --- the contract of a game -----------------------------------------------------------------------

PARTS: dict[str, Any] = {
    "": Game,
    "rules.": Rules,
    "orders.": Orders,
    "sight.": Sight,
    "page.": Page,
    "record.": Records,
    "proof.": Proof,
    "advance.": Advance,
    "marks.": Marks,
}
OF_THE_CONTRACT = f"""\
# The contract of a game

Version {CONTRACT}. [games.md](../games.md#the-contract) says what a version is. {MADE}
## Checks

`adjud game check` looks at these, in this order.

"""
OF_MEMBERS = """
## Members

A member that is not *needed* has a default. S is a state, O an order, E an event, V what one seat
sees, N what it learns of an event.

"""


def contract_of_games() -> Iterator[str]:
    yield OF_THE_CONTRACT
    checks = [(f"`{one.name}`", one.demands, one.member) for one in game_check_table.CHECKS]
    yield rows(("check", "demands", "look at"), checks)
    yield OF_MEMBERS
    members = []
    for part, kind in PARTS.items():
        docs = documented(kind)
        for one in fields(kind):
            is_needed = one.default is MISSING and one.default_factory is MISSING
            members.append((f"`{part}{one.name}`", "yes" if is_needed else "no", docs[one.name]))
    yield rows(("member", "needed", "what it is given, and what it promises"), members)


# --- options of a match ---------------------------------------------------------------------------

OF_OPTIONS = """\
# Options of a match

Given as `--option KEY=VALUE`; of fixed values the first is the default.
[options.md](../options.md) explains reserves of time, substitutes, public chance and computers.

"""


def options_of_matches() -> Iterator[str]:
    yield f"{OF_OPTIONS}{MADE}\n"
    lines = [(f"`{key}`", *match_options.ABOUT[key]) for key in match_options.ABOUT]
    for slug in OURS:
        for key, one in GAMES[slug].options.items():
            assert one.about, f"{slug}: {key} has no `about`"
            values = ", ".join(f"`{value}`" for value in one.values) or f"`0` … `{one.most}`"
            lines.append((f"`{key}`", values, f"{GAMES[slug].title}: {one.about}"))
    yield rows(("key", "values", "what"), lines)


# --- what is written ------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], Iterator[str]]] = {
    "commands": commands,
    "contract": contract_of_games,
    "doctor": checks_of_the_doctor,
    "options": options_of_matches,
    "reports": keys_of_reports,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_of_this_program(name: str, request: pytest.FixtureRequest) -> None:
    path = FOLDER / f"{name}.md"
    whole = "".join(PAGES[name]())
    if request.config.getoption("--bless"):
        path.write_text(whole, "utf-8")
    assert path.read_text("utf-8") == whole, f"run it again with --bless, and read {path}"
