"""All that a use case needs from the world, except the clock."""

import secrets
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from adjudicator.mail.address import Post
    from adjudicator.mail.transport.send import Way


def fresh_salt() -> str:
    """Return 64 hex digits that nobody can foresee."""
    return secrets.token_hex(32)


def fresh_code() -> str:
    """Return a code that a reader types to confirm something; no two of its signs look alike.

    It has a letter and a digit, so that it is no word and no number.
    """
    while True:
        code = "".join(secrets.choice("23456789ABCDEFGHJKMNPQRSTVWXYZ") for _ in range(6))
        if not code.isalpha() and not code.isdigit():
            return code


def fresh_epoch() -> str:
    """Return the name of an epoch. Without vowels it is no word that a sheet's head may hold."""
    return "".join(secrets.choice("bcdfghjkmnpqrstvwxz") for _ in range(5))


class Mailbox(Struct, frozen=True):
    """A mailbox that a tick empties: `maildir:PATH`, `mbox:PATH` or an IMAP URL.

    `password` reads its password from a file.
    """

    source: str
    password: Callable[[], str | None]


class Means(Struct, frozen=True):
    """The environment of a use case.

    `committer` makes the salt of each commitment and the key of a log, and `coder` makes the codes
    that confirm; they are arguments so that tests can compare bytes. With `raise_faults` a fault of
    ours in one match is raised, and the match is not held.

    `post` says where letters come home; it is None if nobody can write to us. `spool` is where
    letters lie, and `mailbox` is emptied into it. `way_out` says whether letters are sent at all,
    and `open_way` opens the way. `operator` gets the alerts; `pictures` says whether letters may
    carry the board as a picture. `max_gap` and `max_silent` say when an outage is assumed, with
    None never. `absence_days` is how many days of absence each player may announce in a year.
    `site_url` is where the club's pages are served from, empty if they are not. `club` and
    `game_master` are the names by which players know them, and `contact` is where questions go;
    each may be empty.
    """

    committer: Callable[[], str] = fresh_salt
    way_out: bool = False
    raise_faults: bool = False
    post: "Post | None" = None
    spool: Path | None = None
    mailbox: Mailbox | None = None
    authserv_id: str = ""
    authserv_hosts: str = ""
    open_way: "Callable[[], Way] | None" = None
    operator: str = ""
    pictures: bool = True
    max_gap: timedelta | None = None
    max_silent: int | None = None
    absence_days: int = 30
    site_url: str = ""
    club: str = ""
    game_master: str = ""
    contact: str = ""
    coder: Callable[[], str] = fresh_code
