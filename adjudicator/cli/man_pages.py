"""Man pages from the commands' help: one for `adjud`, and one for each command.

The wheel's build calls this, so that `man adjud` is always of the installed version. (click-man
writes lines that begin with a dot as commands of roff, and joins the lines of examples.) `OBJECTS`
is what each command with `--format json` prints, which its page and the book of commands tell.
"""

import re
from collections.abc import Iterator, Mapping
from inspect import cleandoc

import click

from adjudicator import __version__

_SHEET = (
    '`{"match", "seat", "turn", "accepted", "revision", "orders": [canonical lines], "problems": '
    '[{"line", "text", "message"}], "warnings", "ignored", "in_force": revision or null}` for each '
    "order sheet; `in_force` is of the current turn. Orders that are saved for a later turn have "
    '`"kept": true`, and `turn` and `revision` are of that turn. Where marks or notes were saved, '
    "`jotted` says which, in sentences."
)

OBJECTS: Mapping[str, str] = {
    "new": '`{"match"}`.',
    "submit": _SHEET,
    "check": f'{_SHEET} What was judged by its words alone has `"words_alone": true`, and there '
    "`revision` and `in_force` are null.",
    "tick": 'One for each thing done: `{"match": name or null, "text", "urgent", "failed"}`.',
    "report": "The report, see the interface, section 3.",
    "status": '`{"matches": [{"match", "game", "variant", "status", "turn", "players": {seat: '
    'name}, "awaited", "deadline", "trouble"}], "letters", "letters_in", "unconfirmed"}`. '
    "`letters` counts the emails that are `stuck` or `bounced`, `letters_in` those that came and "
    "cannot be read, `unconfirmed` lists addresses. A match that cannot be read has `unread`, and "
    'where names are hidden they are `hidden`. With `--gm` a match has `"silent": [seats]`.',
    "late": 'One for each match: `{"match", "game", "turn", "deadline", "late": whether it has '
    'passed, "held", "alerted": whether the game master was told, "seat": the only one to move or '
    'null, "trouble", "tournament"}`. While substitutes are looked for it has '
    '`"substitutes_until"`, with `--gm` also `"silent": [seats]`.',
    "standings": 'One for each player and game: `{"game", "player", "rating", "doubt", "played", '
    '"won", "drawn", "lost"}`. CSV has the same columns.',
    "board": 'One for each match: `{"match", "game", "turn", "state", "orders"}`. `state` is the '
    "position as the game keeps it; another version may write it in another way.",
    "verify": 'One for each match: `{"match", "agrees", "faults": [sentences]}`. Of one that '
    "cannot be checked `agrees` is null, and `why` says it.",
    "audit": "One for each match: `match`, the lists of sentences `checked`, `wrong`, `asks`, "
    '`missing`, `notes`, `uncompared` and `restored`, and `unused`: `{"name", "why"}` of each '
    "email or file that was not used.",
    "record replay": "One for each game, see its rules, section 10.",
    "player list": "One for each player, as `player show` without seats and absences, with "
    '`"reliability": {"on_time", "turns", "left", "ended"}` of the last year.',
    "player show": '`{"name", "address", "language", "timezone", "confirmed", "muted", '
    '"reminders", "substitute", "letters", "absences": [[first, last]], "seats": [{"match", '
    '"game", "seat", "status", "turn", "deadline", "held", "to_move", "missed", "forfeits"}], '
    '"ended": [matches], "left": [{"match", "seat", "until"}]}`.',
    "player guest": 'One for each open wish: `{"id", "player", "game", "variant", "address", '
    '"asked", "until"}`.',
    "mail queue list": 'One for each email: `{"id", "key", "kind", "match", "seat", "to", '
    '"created_at", "status", "tries", "next_at", "sent_at"}`. An email to a seat of a match with '
    "hidden names has the status `hidden`.",
    "mail queue show": "As an object of `mail queue list`; with `--gm` it has `says`, the email's "
    "text.",
    "tournament list": "One for each tournament, as of `tournament show`.",
    "tournament show": "`name`, `kind`, `game`, `variant`, `options`, `status`, `round`, `rounds`, "
    "times, `seed_sha256`, `seed` (when it has ended), `log` (`line`, `head`: the newest; null "
    "without a log, and while names are hidden), `entries` (`entry`, `number`, `player`, `before`, "
    "`withdrawn`, `team`: 1 or 2 in a kind with teams, else null, `counted`), `table` (points in "
    "24ths; where a match does not count at its own end, of the rounds that are over) and "
    "`pairings` (`counted` is false where an entry left too early, in a kind in which it then "
    "counts for nothing).",
    "tournament log": '`{"tournament", "log": [{"n", "line", "head"}], "faults"}`. `faults` are '
    "sentences on what does not agree.",
    "ladder log": '`{"ladder", "log": [{"n", "line", "head"}], "faults"}`. `faults` are sentences '
    "on what does not agree.",
    "ladder list": "One for each ladder, as of `ladder show`.",
    "ladder show": '`{"ladder", "game", "variant", "status", "log": {"line", "head"}, '
    '"places": [{"place", "player"}], '
    '"playing": [{"challenger", "asked", "match"}], "results": [{"at", "challenger", "asked", '
    '"match", "ending"}]}`. `ending` is the challenger\'s, `won`, `lost` or `drawn`, or '
    "`declined`, `expired` or `void`.",
    "games": 'One for each game: `{"slug", "title", "package", "version", "contract", "trouble": '
    "null or a sentence}`.",
    "game check": "`game`, `seed`, `matches` and `checks`, each with `check`, `state` (`ok`, "
    "`wrong`, `warning`, `skipped`), `demands`, `because` (the check that failed before it), "
    '`note` (what it says if all is well) and `found`, a list of `{"text", "match", "ply", '
    '"seat", "orders"}`.',
    "site build": '`{"folder", "playing", "ended"}`.',
    "site link": '`{"link"}`.',
    "config show": 'One for each setting: `{"key", "value", "origin"}`.',
    "doctor": 'One for each finding: `{"check", "name", "state", "text", "acknowledged"}`. `name` '
    "is the part of the check, such as `key.backup`. `state` is `ok`, `warn` (it works, and should "
    "be otherwise), `bad` or `unknown`.",
    "drill": '`{"archive", "saved", "age" in seconds, "schema", "epoch", "players", "matches", '
    '"going", "last_tick", "faults"}`.',
    "db upgrade": '`{"before", "after"}`, two numbers of schemas.',
}


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
