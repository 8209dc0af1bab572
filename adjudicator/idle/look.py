"""Decide whether a tick would find nothing to do; the answer "nothing" is given only if it is
certain.

Theory of operation. All that a tick looks at is looked at here, in the same order: the command line
and the environment, the settings, the database's age, the club's domain and keys, the spool, and
one question to the database about all that may be due. Whatever is not plain (an option, a setting
or a path that would need a closer look, a fault of any kind) is left to the whole tick, which is
what tells it and deals with it. Nothing is ever written here. If `service/machine/tick.night` gets
something new to do each time, it must be asked here, too: tests/cli/test_idle.py holds the
statements of a tick that finds nothing.
"""

import os
from collections.abc import Sequence

from adjudicator import __version__, places
from adjudicator.idle import plain_settings
from adjudicator.idle.plain_settings import Doubt, Plain
from adjudicator.idle.question import Answer, ask
from adjudicator.mail import keyed

_HEAD = __version__.rpartition(".")[2].zfill(4)  # the number of the newest migration
_UNDERSTOOD = {"ADJUD_CONFIG", "ADJUD_DATABASE", "ADJUD_SPOOL"}
_SHORTEST = 16  # bytes of a key


def nothing_to_do(arguments: Sequence[str], now: float) -> bool:
    """Return whether this is `adjud tick` and would neither do nor say anything at this time."""
    try:
        return _nothing_to_do(arguments, now)
    except Exception:
        return False  # whatever it is, the whole tick meets it and tells it


def _nothing_to_do(arguments: Sequence[str], now: float) -> bool:
    config = _config_of(arguments)
    if any("ADJUD" in name and name not in _UNDERSTOOD for name in os.environ):
        raise Doubt
    file = places.config_file(config)
    if file is not None and not os.path.isfile(file):
        raise Doubt  # what is no file can be read once only, and the whole tick reads it
    settings = plain_settings.load(file)
    url = os.environ.get("ADJUD_DATABASE") or settings["database"] or places.user_database()
    answer = ask(url, now)
    if answer.version != _HEAD or answer.domain != settings["mail.domain"] or answer.due:
        return False
    return not answer.domain or _nobody_writes(settings, answer)


def _config_of(arguments: Sequence[str]) -> str | None:
    """Return the `--config` of a plain command line. Raises Doubt for any other, also another
    command's."""
    config: str | None = None
    match arguments:
        case ["--config", config, "tick", *rest] if config:
            pass
        case ["tick", *rest]:
            pass
        case _:
            raise Doubt
    while rest:
        match rest:
            case ["--quiet", *rest]:
                pass
            case ["--folder", folder, *rest] if _takes_files(folder):
                pass  # reports are written there of matches that went on, and none does
            case _:
                raise Doubt
    return config


def _takes_files(folder: str) -> bool:
    return os.path.isdir(folder) and os.access(folder, os.R_OK)


def _nobody_writes(settings: Plain, answer: Answer) -> bool:
    """Return whether the spool is this club's and empty, and its key the one that signed."""
    key = settings["mail.key"] or places.user_key()
    if answer.unsigned or answer.fingerprints != _fingerprints(key):
        return False
    spool = os.environ.get("ADJUD_SPOOL") or settings["mail.spool"] or places.user_spool()
    try:
        os.listdir(spool)
    except FileNotFoundError:
        return True  # nothing has come yet
    with open(os.path.join(spool, "club"), "rb") as file:
        mark = file.read().decode("ascii").strip()
    # What lies in `tmp` may be left from a kill, and the tick sweeps it.
    waits = any(os.listdir(os.path.join(spool, part)) for part in ("new", "tmp"))
    return mark == answer.mark != "" and not waits


def _fingerprints(key_file: "str | os.PathLike[str]") -> str:
    """Return the fingerprints of the keys in a file, as the database keeps them."""
    with open(key_file, encoding="ascii", newline="") as file:
        lines = [line.split() for line in file.read().split("\n")]
    secrets = [bytes.fromhex(secret) for _, secret in filter(None, lines)]
    if not secrets or min(map(len, secrets)) < _SHORTEST:
        raise Doubt
    return " ".join(map(keyed.fingerprint, secrets))
