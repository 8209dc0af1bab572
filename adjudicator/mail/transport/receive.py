"""`adjud mail receive`, a mail server's pipe: take an email into the spool, and no more.

It ends with 0 if the email is safe, and with 75 (EX_TEMPFAIL) for "keep it and try again". It
never ends with anything else, because any other code would bounce a player's orders. So it is
imported before Click, and imports all but Python's own modules only when signals and exceptions are
caught.
"""

import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, NoReturn

SAFE, TRY_AGAIN = 0, 75

_COMMAND = ["mail", "receive"]
_ENVELOPE = ("--sender", "--recipient")
_OPTIONS = ("--config", "--database", "--spool", *_ENVELOPE)
_HELP = {"-h", "--help"}

# Postfix, Exim, procmail and maildrop each have their own name for the same value.
_SENDER = ("SENDER",)
_RECIPIENT = ("ORIGINAL_RECIPIENT", "RECIPIENT")

# A server that tells the envelope neither in words, which everybody on its machine can read, nor in
# the environment writes it above the email, as Postfix does with flags=ORX.
_RETURN_PATH = "return-path"
_TO = ("x-original-to", "delivered-to", "envelope-to")
_HEAD = 16 * 1024  # bytes; what the server wrote stands at their beginning


class NotStored(Exception):
    """There is no email, or it is not clear where to keep it. The message says which."""


def is_meant(arguments: Sequence[str]) -> bool:
    """Return whether the command line is `adjud [options] mail receive ...`, even if misspelt
    options are in it."""
    ends: Iterable[int] = (0,)
    for word in _COMMAND:
        ends = _behind(word, arguments, ends)
    return bool(ends) and not _asks_for_help(arguments)


def _behind(word: str, arguments: Sequence[str], starts: Iterable[int]) -> set[int]:
    """Return the places just after `word` if only options stand before it.

    An option that is unknown or misspelt may have a value or not, so both are tried.
    """
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
    """Return whether help is asked for.

    After `receive` this counts only for a word by itself; beside others it is an address or a slip.
    """
    behind = arguments.index(_COMMAND[1]) + 1
    alone = len(arguments) == behind + 1
    return bool(_HELP & set(arguments[: behind + 1 if alone else behind]))


def run(arguments: Sequence[str]) -> int:
    """Store the email on standard input, as a mail server's pipe does; return the exit code."""
    try:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, _stop)
        email = sys.stdin.buffer if sys.stdin else None
    except BaseException as trouble:
        _complain(trouble)
        return TRY_AGAIN
    return main(arguments, os.environ, email)


def _stop(number: int, frame: object) -> NoReturn:
    """End at once, wherever we are. An email that is stored already comes again, and none is
    lost."""
    os._exit(TRY_AGAIN)


def main(arguments: Sequence[str], environment: Mapping[str, str], email: BinaryIO | None) -> int:
    """Store one email and return the exit code; never raise."""
    try:
        given, words = _parse(arguments)
        if words[:2] != _COMMAND:
            raise NotStored("the command is not understood; see `adjud mail receive --help`")
        if email is None:
            raise NotStored("standard input is closed")
        source = _PeekedStream(email)
        sender, recipient = _envelope(given, words[2:], environment, source)
        from adjudicator.mail.transport import spool

        folder = spool_folder(given, environment)
        spool.put(folder, source, sender=sender, recipient=recipient, channel="pipe")
    except BaseException as trouble:
        _complain(trouble)
        return TRY_AGAIN
    return SAFE


def _parse(arguments: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Split the arguments into options and words.

    An unknown option is passed over: a slip in a configuration must lose no email. Strangers wrote
    what follows `mail receive`, so the first word there, or `--`, ends the options.
    """
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
    """Return whether the argument is a word that ends the options.

    An address may begin with a dash, and `--spool=/tmp/x@example.org` is one. A stranger whose
    address reads as --sender or --recipient thereby says no more than he may say anyhow.
    """
    if argument == "--" or not argument.startswith("-"):
        return True
    return "@" in argument and argument.partition("=")[0] not in _ENVELOPE


class _PeekedStream:
    """An email whose beginning can be looked at before it is read."""

    def __init__(self, email: BinaryIO) -> None:
        self._email, self._head = email, b""

    def head(self) -> bytes:
        self._head = self._head or self._email.read(_HEAD)
        return self._head

    def read(self, most: int) -> bytes:
        head, self._head = self._head[:most], self._head[most:]
        return head + self._email.read(most - len(head)) if len(head) < most else head


def _envelope(
    given: Mapping[str, str],
    words: Sequence[str],
    environment: Mapping[str, str],
    email: _PeekedStream,
) -> tuple[str, str]:
    """Return sender and recipient: from options, else from words in this order, else from the
    environment, else from what the server wrote above the email.

    A single word is the recipient, because an empty sender, as of a bounce, is lost on its way
    through a shell.
    """
    named = {**dict(zip(_ENVELOPE[2 - len(words[:2]) :], words, strict=False)), **given}
    sender = named.get("--sender")
    if sender is None:
        sender = _first(environment, _SENDER)
        sender = sender or _written_above(email).get(_RETURN_PATH, "").strip("<>")
    recipient = named.get("--recipient") or _first(environment, _RECIPIENT)
    return sender, recipient or _first(_written_above(email), _TO)


def _written_above(email: _PeekedStream) -> dict[str, str]:
    """Return what the server has written above the email, by the names of the fields.

    Whatever came with the email stands below another field, at least below the server's own
    Received (RFC 5321, section 4.4); so it is not believed, whatever it is called.
    """
    from adjudicator.mail.read import mime

    fields = mime.split(email.head())[0].fields
    ours = takewhile(lambda field: field[0] in (_RETURN_PATH, *_TO), fields)
    return dict(reversed([*ours]))  # of two with one name the topmost counts


def _first(environment: Mapping[str, str], names: Sequence[str]) -> str:
    return next((environment[name] for name in names if environment.get(name)), "")


def spool_folder(given: Mapping[str, str], environment: Mapping[str, str]) -> Path:
    """Return `--spool`, else ADJUD_SPOOL, else the configuration's spool, else the user's data
    folder.

    The configuration is the one that a tick in the same folder reads. One that another user may
    have put there is not passed over: then the email would lie where no tick of its club looks.
    """
    from adjudicator import places

    named = given.get("--spool") or environment.get("ADJUD_SPOOL")
    try:
        return Path(named) if named else places.spool(given.get("--config"), environment)
    except places.Broken as trouble:
        raise NotStored(str(trouble)) from None
    except places.NotOurs as trouble:
        raise NotStored(f"{trouble}; name the configuration with --config") from None


def _complain(trouble: BaseException) -> None:
    """Write a line to the mail server's log, if possible; it says what failed and nothing of the
    email."""
    why = str(trouble) if isinstance(trouble, NotStored) else None
    if isinstance(trouble, OSError):
        at = f"{trouble.filename}: " if trouble.filename else ""
        why = f"{at}{trouble.strerror}"
    try:
        print(f"adjud: not stored: {why or type(trouble).__name__}", file=sys.stderr, flush=True)
    except (OSError, ValueError):
        sys.stderr = None  # Python would try again, and end with 120
