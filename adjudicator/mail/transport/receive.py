"""`adjud mail receive`: a mail server's pipe. Takes a letter into the spool and is done.

Exit 0 means that the letter is safe, 75 (EX_TEMPFAIL) "keep it and try again". Nothing else,
whatever happens: any other code would bounce a player's orders. Imports as little as it can.
"""

import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NoReturn

SAFE, TRY_AGAIN = 0, 75

_COMMAND = ["mail", "receive"]
_ENVELOPE = ("--sender", "--recipient")
_OPTIONS = ("--config", "--database", "--spool", *_ENVELOPE)
_HELP = {"-h", "--help"}

# Postfix, Exim, procmail and maildrop each have their own word for the same thing.
_SENDER = ("SENDER",)
_RECIPIENT = ("ORIGINAL_RECIPIENT", "RECIPIENT")


class NotStored(Exception):
    """There is no letter, or nobody can say where it should be kept; says so."""


def is_meant(arguments: Sequence[str]) -> bool:
    """Whether the command line is `adjud [options] mail receive ...`, rightly written or not."""
    ends: Iterable[int] = (0,)
    for word in _COMMAND:
        ends = _behind(word, arguments, ends)
    return bool(ends) and not _asks_for_help(arguments)


def _behind(word: str, arguments: Sequence[str], starts: Iterable[int]) -> set[int]:
    """The places just behind `word`, where before it stand options alone. Whether one that is not
    known, or is written wrongly, has a value is not known either: both are tried."""
    found: set[int] = set()
    waiting, seen = list(starts), set()
    while waiting:
        at = waiting.pop()
        if at in seen or at >= len(arguments):
            continue
        seen.add(at)
        if arguments[at] == word:
            found.add(at + 1)
        if arguments[at].startswith("-"):
            waiting += (at + 1, at + 2)
    return found


def _asks_for_help(arguments: Sequence[str]) -> bool:
    """Behind `receive` by itself only: beside other words it is an address or a slip."""
    behind = arguments.index(_COMMAND[1]) + 1
    alone = len(arguments) == behind + 1
    return bool(_HELP & set(arguments[: behind + 1 if alone else behind]))


def run(arguments: Sequence[str]) -> int:
    """Store the letter on standard input, as a mail server's pipe; returns the exit code."""
    try:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, _stop)
        letter = sys.stdin.buffer if sys.stdin else None
    except BaseException as trouble:
        _complain(trouble)
        return TRY_AGAIN
    return main(arguments, os.environ, letter)


def _stop(number: int, frame: object) -> NoReturn:
    """End at once, wherever we are: a letter that was stored already comes twice, none is lost."""
    os._exit(TRY_AGAIN)


def main(arguments: Sequence[str], environment: Mapping[str, str], letter: BinaryIO | None) -> int:
    """Store one letter and return the exit code; never raises."""
    try:
        given, words = _parse(arguments)
        if words[:2] != _COMMAND:
            raise NotStored("the command is not understood; see `adjud mail receive --help`")
        if letter is None:
            raise NotStored("standard input is closed")
        sender, recipient = _envelope(given, words[2:], environment)
        from adjudicator.mail.transport import spool

        folder = spool_folder(given, environment)
        spool.put(folder, letter, sender=sender, recipient=recipient, channel="pipe")
    except BaseException as trouble:
        _complain(trouble)
        return TRY_AGAIN
    return SAFE


def _parse(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options and words. What is not known is passed over: a letter must not be lost by a slip in
    a configuration. Behind `mail receive` stands what strangers wrote, so the first word there,
    or `--`, ends the options."""
    given: dict[str, str] = {}
    words: list[str] = []
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        name, equals, value = argument.partition("=")
        if words == _COMMAND and _ends_options(argument):
            words += rest if argument == "--" else (argument, *rest)
            break
        if name in _OPTIONS:
            given[name] = value if equals or not rest else rest.pop(0)
        elif not argument.startswith("-"):
            words.append(argument)
    return given, words


def _ends_options(argument: str) -> bool:
    """An address may begin with a dash, and `--spool=/tmp/x@example.org` is one. Who has one that
    reads as --sender or --recipient has said no more than he may say anyhow."""
    if argument == "--" or not argument.startswith("-"):
        return True
    return "@" in argument and argument.partition("=")[0] not in _ENVELOPE


def _envelope(
    given: Mapping[str, str], words: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, str]:
    """Sender and recipient: from options, else in this order as words, else the environment. One
    word is the recipient: an empty sender, as of a bounce, is lost on its way through a shell."""
    named = {**dict(zip(_ENVELOPE[2 - len(words[:2]) :], words, strict=False)), **given}
    sender = named.get("--sender")
    return (
        _first(environment, _SENDER) if sender is None else sender,
        named.get("--recipient") or _first(environment, _RECIPIENT),
    )


def _first(environment: Mapping[str, str], names: Sequence[str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def spool_folder(given: Mapping[str, str], environment: Mapping[str, str]) -> Path:
    """`--spool`, else ADJUD_SPOOL, else the configuration, else the user's data folder."""
    named = given.get("--spool") or environment.get("ADJUD_SPOOL")
    if named:
        return Path(named)
    config = given.get("--config") or environment.get("ADJUD_CONFIG")
    from adjudicator import places

    return places.spool(config)


def _complain(trouble: BaseException) -> None:
    """A line for the mail server's log, if it can be written; it says what failed and nothing of
    the letter."""
    why = str(trouble) if isinstance(trouble, NotStored) else None
    why = trouble.strerror if isinstance(trouble, OSError) else why
    try:
        print(f"adjud: not stored: {why or type(trouble).__name__}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = None  # Python would try again, and end with 120
