"""Fetch the signature of a round of drand with a command, and try whether that works."""

import os
import re
import selectors
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from time import monotonic

from adjudicator.core import beacon
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.message import Message, say

SECONDS = 10.0
MOST = 4096  # bytes of what the command prints
_AGO = 20  # rounds, of three seconds: the club's clock may be a little ahead
_SIGNATURE = re.compile(r'(?:"signature"\s*:\s*")?\b([0-9a-f]{96})\b')


def why_not_fetched(command: Sequence[str], now: datetime) -> Message | None:
    """Return why the command does not fetch a round that was published lately; None if it does."""
    number = beacon.round_at(int(now.timestamp())) - _AGO
    value = signature_of(number, command)
    if value is None:
        return say(
            "`{command}` printed no signature of drand for the round number {number}",
            command=" ".join(command),
            number=number,
        )
    try:
        return beacon.fault(number, value)
    except NoLibrary as missing:
        return missing.message


def signature_of(number: int, command: Sequence[str]) -> str | None:
    """Return what the command prints as the signature of a round, alone or as drand's servers write
    it; None if it prints none. It is not checked."""
    words = [word.replace("{round}", str(number)) for word in command]
    try:
        running = subprocess.Popen(  # noqa: S603  # no shell; the operator names the command
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None
    try:
        said = _read(running)
    finally:
        _end(running)
    found = None if said is None else _SIGNATURE.search(said.decode("ascii", "replace"))
    return found[1] if found else None


def _read(running: "subprocess.Popen[bytes]") -> bytes | None:
    """Return what a command prints until it ends; None if that is too much or takes too long."""
    assert running.stdout is not None
    until, said = monotonic() + SECONDS, b""
    with selectors.DefaultSelector() as ready:
        ready.register(running.stdout, selectors.EVENT_READ)
        while len(said) <= MOST and ready.select(max(0.0, until - monotonic())):
            some = os.read(running.stdout.fileno(), MOST + 1 - len(said))
            if not some:
                return said
            said += some
    return None


def _end(running: "subprocess.Popen[bytes]") -> None:
    """End a command with all that it has begun: it is the leader of a session of its own."""
    with suppress(ProcessLookupError):
        os.killpg(running.pid, signal.SIGKILL)
    assert running.stdout is not None
    running.stdout.close()
    running.wait()
