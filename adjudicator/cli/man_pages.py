"""Man pages from the commands' help: one for `adjud`, and one for each command.

The wheel's build calls this, so that `man adjud` is always of the installed version. (click-man
writes lines that begin with a dot as commands of roff, and joins the lines of examples.)
"""

import re
from collections.abc import Iterator
from inspect import cleandoc

import click

from adjudicator import __version__
from adjudicator.cli.objects import OBJECTS

SECTION = 1
ABOUT_ALL = """\
.SH EXIT STATUS
.TP
.B 0
It worked.
.TP
.B 1
What was asked is refused, with the reasons, also because a file, a match or a player is not there;
or a check found something.
.TP
.B 2
The command was written wrongly: an option or a word that `--help` does not show, or one too few.
.TP
.B 3
`adjud audit` found nothing wrong, but has a question for you.
.PP
`adjud mail receive` knows only 0 and 75, which asks the mail server to try again.
.SH ENVIRONMENT
.TP
.B ADJUD_CONFIG
The configuration file, if it is not given with `--config`.
.TP
.B ADJUD_DATABASE
The URL of the database, if it is not given with `--database`.
.TP
.B ADJUD_ETC
The folder of the machine's configuration, if it is not
.IR /etc .
.TP
.B ADJUD__SECTION__KEY
Any setting, such as `ADJUD__MAIL__DOMAIN`. It goes before the configuration file.
.TP
.B ADJUD_DEBUG
With 1, show where a fault inside adjud happened.
.SH FILES
.TP
.I adjud.toml
The settings of a club: in the folder where you are or above it, in your configuration folder, or in
.IR /etc .
.TP
.I adjudicator/_docs, adjudicator/_examples
The books and the examples, in the installed package. Begin with
.IR playing.md ,
.I server.md
or
.IR interface.md .
"""


def pages(program: click.Group) -> dict[str, str]:
    """Return the pages of a program and all its commands, by the names of their files."""
    found = {}
    for words, command in _commands(program, ("adjud",)):
        found[f"{'-'.join(words)}.{SECTION}"] = "\n".join([*_page(words, command), ""])
    return found


def _commands(
    command: click.Command, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield words, command
    if isinstance(command, click.Group):
        for name, inner in sorted(command.commands.items()):
            yield from _commands(inner, (*words, name))


def _page(words: tuple[str, ...], command: click.Command) -> Iterator[str]:
    name = "-".join(words)
    context = click.Context(command, info_name=" ".join(words), max_content_width=1000)
    yield f'.TH "{_text(name.upper())}" {SECTION} "" "adjud {__version__}" "adjud"'
    yield ".SH NAME"
    yield f"{_text(name)} \\- {_text(_summary(command))}"
    yield ".SH SYNOPSIS"
    yield f".B {_text(' '.join(words))}"
    yield _line(" ".join(command.collect_usage_pieces(context)))
    yield ".SH DESCRIPTION"
    yield from _description(cleandoc(command.help or ""))
    if options := list(_options(command, context)):
        yield ".SH OPTIONS"
        for written, told in options:
            yield ".TP"
            yield f".B {_text(written)}"
            yield _line(told) if told else "\\&"
    if objects := OBJECTS.get(" ".join(words[1:])):
        yield ".SH JSON"
        yield _line(f"With `--format json`: {objects}")
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for inner, of in sorted(command.commands.items()):
            yield ".TP"
            yield f".BR {_text(f'{name}-{inner}')} ({SECTION})"
            yield _line(_summary(of))
    if len(words) == 1:
        yield _bold(ABOUT_ALL).replace("-", "\\-").rstrip()
    else:
        yield ".SH SEE ALSO"
        yield f".BR {_text('-'.join(words[:-1]))} ({SECTION})"


def _options(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    for param in command.params:
        if isinstance(param, click.Option) and (record := param.get_help_record(context)):
            yield record


def _summary(command: click.Command) -> str:
    return command.get_short_help_str(limit=1000).removesuffix(".")


def _description(told: str) -> Iterator[str]:
    """Yield paragraphs; one that begins with a backspace keeps its lines, as click shows it."""
    for number, paragraph in enumerate(re.split(r"\n\s*\n", told)):
        if number:
            yield ".PP"
        lines = paragraph.splitlines()
        if lines[0].strip() == "\b":
            yield ".nf"
            yield from map(_line, lines[1:])
            yield ".fi"
        else:
            yield _line(" ".join(line.strip() for line in lines))


def _line(text: str) -> str:
    """Write a line of text, which must not begin as a command of roff does."""
    written = _text(text)
    return f"\\&{written}" if written[:1] in (".", "'") else written


def _text(text: str) -> str:
    return _bold(text.replace("\\", "\\e").replace("-", "\\-"))


def _bold(text: str) -> str:
    return re.sub(r"`([^`\n]+)`", r"\\fB\1\\fR", text)
