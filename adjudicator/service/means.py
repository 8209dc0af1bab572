"""What a use case needs from the world beside the clock."""

import secrets
from collections.abc import Callable

from msgspec import Struct


def fresh_salt() -> str:
    """64 hex digits that nobody can foresee."""
    return secrets.token_hex(32)


class Means(Struct, frozen=True):
    """`committer` makes the salt of each commitment, an argument so that tests can compare
    bytes; `way_out` says whether letters can be sent at all;
    `raise_faults` that a fault of ours in one match is raised instead of the match held."""

    committer: Callable[[], str] = fresh_salt
    way_out: bool = False
    raise_faults: bool = False
