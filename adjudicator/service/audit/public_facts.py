"""Find what papers told of a public number: which one, before it was known, and its value."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import cache

from msgspec import Struct

from adjudicator.core.acts import NumberKnown, message_for_acts
from adjudicator.core.message import LANGUAGES
from adjudicator.mail.read.headers import Headers, arrival_time, date
from adjudicator.reports.words import words

_HEX = "[0-9a-f]{64}"
# The lines below "Proofs" in the email to all when the last seat was taken (matches/unopened).
_BLOCK = re.compile(
    rf"^Commitment: ({_HEX})[ \t]*\nLast seat taken: ([0-9TZ:-]{{20}})[ \t]*\n"
    rf"(?:Seed: ({_HEX})[ \t]*\n)?Public number: (.+?)(?:\n[ \t]*\n|\Z)",
    re.M | re.S,
)
_JOINED = re.compile(r"[\s|]+")
_INVISIBLE = str.maketrans({"\u200b": None, "\u00ad": None, "\u00a0": " "})


class NumberTold(Struct, frozen=True):
    """What an email told before the number was known. `came` is when the reader's own server took
    the email, `dated` when it says that it was written; each is empty if that is not known. Until
    0.2.28 it `waited` for the daily email of a reader who wished that, so it may have come late
    from an honest club."""

    commitment: str
    full: str
    which: str
    seed: str = ""
    came: str = ""
    dated: str = ""
    waited: bool = False


def told_in(text: str, headers: Headers) -> NumberTold | None:
    """Return what an email with that head tells in one of its texts."""
    found = _BLOCK.search(text.replace("\r\n", "\n"))
    if found is None:
        return None
    commitment, full, seed, which = found.groups()
    return NumberTold(
        commitment,
        full,
        " ".join(which.split()),
        seed or "",
        came=_instant(arrival_time(headers)),
        dated=_instant(date(headers)),
        waited=headers.first("x-adjud") == "daily",
    )


def _instant(at: datetime | None) -> str:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else ""


@cache
def _sentences() -> tuple[re.Pattern[str], ...]:
    """Return how reports in each language tell the number."""
    found = []
    for language in LANGUAGES:
        said = re.escape(words(language, "")(message_for_acts([NumberKnown("NUMBER", "VALUE")])))
        said = said.replace("NUMBER", ".{1,200}?").replace("VALUE", "([0-9a-f ]{1,250}?)")
        found.append(re.compile(said))
    return tuple(found)


def values_in(text: str) -> Iterator[str]:
    """Yield the numbers with which a match opened, as a paper tells them. Where a line was broken
    within a number, there is a blank in it."""
    joined = _JOINED.sub(" ", text.translate(_INVISIBLE))
    for sentence in _sentences():
        yield from sentence.findall(joined)
