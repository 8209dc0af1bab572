"""`adjud mail receive`: a mail server's pipe. Takes a letter into the spool and is done.

Exit 0 means that the letter is safe, 75 (EX_TEMPFAIL) "keep it and try again". Nothing else,
whatever happens: any other code would bounce a player's orders. Imports as little as it can.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

SAFE, TRY_AGAIN = 0, 75

_OPTIONS = ("--config", "--database", "--spool", "--sender", "--recipient")

# Postfix, Exim, procmail and maildrop each have their own word for the same thing.
_SENDER = ("SENDER",)
_RECIPIENT = ("ORIGINAL_RECIPIENT", "RECIPIENT")


def is_meant(arguments: Sequence[str]) -> bool:
    """Whether the command line is `adjud [options] mail receive ...`."""
    _, words = _parse(arguments)
    return words[:2] == ["mail", "receive"] and not {"-h", "--help"} & set(arguments)


def main(arguments: Sequence[str], environment: Mapping[str, str], letter: BinaryIO) -> int:
    """Store one letter and return the exit code; never raises."""
    try:
        given, words = _parse(arguments)
        sender, recipient = _envelope(given, words[2:], environment)
        from adjudicator.mail import spool

        folder = spool_folder(given, environment)
        spool.put(folder, letter, sender=sender, recipient=recipient, channel="pipe")
    except BaseException as trouble:
        _complain(trouble)
        return TRY_AGAIN
    return SAFE


def _parse(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Options, in whatever place, and the other words. What is not known is passed over: a
    letter must not be lost by a slip in a configuration."""
    given: dict[str, str] = {}
    words: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if name in _OPTIONS:
            given[name] = value if equals else next(rest, "")
        elif not argument.startswith("-") or "@" in argument:
            words.append(argument)  # an address may begin with a dash
    return given, words


def _envelope(
    given: Mapping[str, str], words: Sequence[str], environment: Mapping[str, str]
) -> tuple[str, str]:
    """Sender and recipient: from options, else in this order as words, else the environment."""
    sender, recipient = [*words, "", ""][:2]
    return (
        given.get("--sender") or sender or _first(environment, _SENDER),
        given.get("--recipient") or recipient or _first(environment, _RECIPIENT),
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
    """A line for the mail server's log; it says what failed and nothing of the letter."""
    try:
        why = trouble.strerror if isinstance(trouble, OSError) else None
        print(f"adjud: not stored: {why or type(trouble).__name__}", file=sys.stderr)
    except OSError:
        os.write(2, b"adjud: not stored\n")
