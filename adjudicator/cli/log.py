"""Log lines on standard error, with journald's priorities where the journal reads them."""

import os
import sys
from typing import Literal, TypeAlias

import click

Level: TypeAlias = Literal["error", "warning", "info", "debug"]

# The priorities of syslog, as sd-daemon(3) writes them.
PRIORITIES: dict[Level, int] = {"error": 3, "warning": 4, "info": 6, "debug": 7}


def in_journal() -> bool:
    """Return whether the journal reads standard error (JOURNAL_STREAM in systemd.exec(5))."""
    named = os.environ.get("JOURNAL_STREAM")
    if not named or sys.stderr is None:
        return False
    try:
        found = os.fstat(sys.stderr.fileno())
    except (OSError, ValueError):  # it is closed, or no file
        return False
    return named == f"{found.st_dev}:{found.st_ino}"


def write(level: Level, text: str) -> None:
    """Write what a person or the journal reads: each line of it with its priority, or behind the
    program's name."""
    prefix = f"<{PRIORITIES[level]}>" if in_journal() else "adjud: "
    for line in text.splitlines():
        click.echo(f"{prefix}{line}", err=True)


def result(level: Level, text: str, least: str) -> None:
    """Write what was done: to standard output, or to the journal if that reads standard error."""
    if not is_wanted(level, least):
        return
    if in_journal():
        write(level, text)
    else:
        click.echo(text)


def is_wanted(level: Level, least: str) -> bool:
    """Return whether lines of a level are wanted by the setting `log.level`."""
    return next((n for one, n in PRIORITIES.items() if one == least), 7) >= PRIORITIES[level]
