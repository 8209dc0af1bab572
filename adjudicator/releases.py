"""The versions of adjud that were released, and which of them print and play as this one does.

An audit needs that of a club whose adjud is another one: an email that was printed alike is written
again here, rules and computers that are alike are no excuse for another result, and what calls
itself by the name of a version that never was is a lie. Of each version `releases.json` has its
date, the digest of what it prints with (`print`), and that of the rules and computers of each game
and of the clock (`rules`). `pytest tests/test_releases.py --bless` adds this version, or renews it
until it is released; once it is, that test asks for a new version where one of them changes.

Versions from before the list are not in it. Of them, and of newer ones, nothing is known here.
"""

import re
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.json import decode

from adjudicator import __version__

CLOCK = "clock"  # what decides on deadlines and reserves, beside the games
FILE = Path(__file__).with_name("releases.json")
_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")


class Release(Struct, frozen=True):
    """One released version: its day, as 2026-11-30, and the digests of what it prints and plays
    with."""

    date: str
    print: str
    rules: Mapping[str, str]


class ReleaseState(Enum):
    """What this program knows of a version: all, that it is newer, that it is older than the list,
    or that there never was one."""

    KNOWN = "known"
    NEWER = "newer"
    OLDER = "older"
    NONE = "none"


@cache
def release_list() -> Mapping[str, Release]:
    """Return the versions of the list by their names, the oldest first."""
    found = decode(FILE.read_bytes(), type=dict[str, Release])
    return dict(sorted(found.items(), key=lambda one: _numbers(one[0]) or ()))


def state_of(version: str) -> ReleaseState:
    if version == __version__ or version in release_list():
        return ReleaseState.KNOWN
    numbers, own = _numbers(version), _numbers(__version__) or ()
    if numbers is None:
        return ReleaseState.NONE
    if numbers > own:
        return ReleaseState.NEWER
    first = _numbers(next(iter(release_list()), __version__)) or ()
    return ReleaseState.OLDER if numbers < first else ReleaseState.NONE


def is_later(version: str, than: str) -> bool:
    """Return whether a version came after another one, as far as is known here."""
    numbers = _numbers(version)
    released = state_of(version) is not ReleaseState.NONE
    return released and numbers is not None and numbers > (_numbers(than) or ())


def prints_alike(version: str) -> bool:
    """Return whether a version prints as this one, so that its emails can be written again."""
    if version == __version__:
        return True
    own, other = release_list().get(__version__), release_list().get(version)
    return own is not None and other is not None and own.print == other.print


def plays_alike(version: str, part: str) -> bool:
    """Return whether a version has the rules and computers that this one has of a game, or its
    `CLOCK`."""
    if version == __version__:
        return True
    own, other = release_list().get(__version__), release_list().get(version)
    return own is not None and other is not None and own.rules.get(part) == other.rules.get(part)


def _numbers(version: str) -> tuple[int, ...] | None:
    found = _VERSION.fullmatch(version)
    return tuple(map(int, found.groups())) if found else None
