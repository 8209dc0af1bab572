"""Read what the option `chance` says, and the public number that a match waits for.

Theory of operation. A match's seed S is drawn by the operator's computer. With `seed` that is all,
so an operator who plays could draw again until S pleases him. With the other two values the match
waits: when its last seat is taken, at T0, all players are told the commitment to S, and which
number, unknown to everybody until later, decides with it:

- `drand`: the signature of a round of drand's beacon (`core/beacon.py`), the first one an hour or
  more after T0, or a day, as the option `drand_after` says.
- `numbers: N of WHAT at TIME`: the N numbers of a draw that anybody can look up, as in `numbers: 6
  of Lotto 6aus49 at 2026-12-05T19:00Z`. They are drawn a day after T0 or later.

WHICH names the number: `drand quicknet R`, or the option's own text. VALUE is the number in the
one spelling that it has: if it had two, somebody could choose between them. From both, and from S,
comes the seed that the match uses (`core/dice.mixed_seed`).

`seed` is the default, because it needs no network, no library and no waiting.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from msgspec import Struct

from adjudicator.core import beacon
from adjudicator.core.message import Message, say

SEED, DRAND, NUMBERS = "seed", "drand", "numbers"
AFTER = {"1 hour": 3_600, "1 day": 86_400}  # seconds from T0 to the round, by `drand_after`
A_DAY = "1 day"  # in a match that lacks the option: it is from before 0.2.32
AN_HOUR = "1 hour"  # in a new one
LEAST_WAIT = timedelta(days=1)  # from T0 to a draw
LEAST, MOST = 5, 20  # numbers of a draw; fewer are too easy to guess
LONGEST = 60  # characters of what is drawn
_DRAW = re.compile(r"(?:numbers\s*:\s*)?([0-9]{1,3})\s+of\s+(\S.*?)\s+at\s+(\S+)", re.IGNORECASE)
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z")
_VALUE = re.compile(r"(?:0|[1-9][0-9]{0,8})(?: (?:0|[1-9][0-9]{0,8}))*")


class Draw(Struct, frozen=True):
    """The numbers of a draw that anybody can look up. `time` is RFC 3339, to the minute, in UTC."""

    n: int
    what: str
    time: str

    def __str__(self) -> str:
        return f"{NUMBERS}: {self.n} of {self.what} at {self.time}"


def read_draw(text: str) -> Draw | Message:
    """Read `N of WHAT at TIME`, with or without the word `numbers:`; return what is wrong with it
    instead. The time is left as it is written."""
    found = _DRAW.fullmatch(text.strip())
    if found is None:
        return say(
            "write which numbers of which draw, as in `numbers: 6 of Lotto 6aus49 at "
            "2026-12-05T19:00Z`"
        )
    n, what = int(found[1]), " ".join(found[2].split())
    if not LEAST <= n <= MOST:
        return say("a draw needs {least} to {most} numbers", least=LEAST, most=MOST)
    if len(what) > LONGEST or not what.isprintable() or "|" in what or '"' in what:
        return say('name the draw with at most {most} characters, without | and "', most=LONGEST)
    return Draw(n, what, found[3])


def draw_of(option: str) -> Draw | None:
    """Return the draw that an option names which was agreed; None if it names none."""
    found = read_draw(option) if option.startswith(NUMBERS) else None
    return found if isinstance(found, Draw) and _TIME.fullmatch(found.time) else None


def which(options: Mapping[str, str], full: int) -> str:
    """Return which number decides in a match of these options whose last seat was taken then, in
    seconds of Unix; empty if only the seed does. An older match lacks the option `chance`, too."""
    option = options.get("chance", SEED)
    if option == SEED:
        return ""
    if option != DRAND:
        return option
    return f"drand quicknet {beacon.round_at(full + AFTER[options.get('drand_after', A_DAY)])}"


def possible_rounds(full: int) -> frozenset[int]:
    """Return the rounds of which one decides, where only the time of the last seat is known."""
    return frozenset(beacon.round_at(full + after) for after in AFTER.values())


def round_of(name: str) -> int | None:
    """Return the round that WHICH names; None if it names a draw."""
    found = re.fullmatch(r"drand quicknet ([1-9][0-9]{0,18})", name)
    return int(found[1]) if found else None


def publication_time(name: str) -> datetime | None:
    """Return when the number that WHICH names is known; None if it names none."""
    if number := round_of(name):
        return datetime.fromtimestamp(beacon.time_of(number), UTC)
    draw = draw_of(name)
    return datetime.fromisoformat(draw.time) if draw else None


def is_too_early(name: str, full: datetime) -> bool:
    """Return whether the numbers are drawn less than a day after the last seat was taken, so that
    they do not count. Which round of drand it is follows from that time."""
    due = publication_time(name)
    return round_of(name) is None and (due is None or due < full + LEAST_WAIT)


def fault(name: str, value: str) -> Message | None:
    """Return why that text is not the number that WHICH names, as far as anybody can see who does
    not look it up; None if it may be.

    Raises NoLibrary, if it is a signature that cannot be checked.
    """
    number = round_of(name)
    if number is not None:
        return beacon.fault(number, value)
    draw = draw_of(name)
    assert draw is not None
    if not _VALUE.fullmatch(value):
        return say(
            "write the numbers in ascending order, without leading zeros, with one blank between "
            "two of them"
        )
    numbers = [int(word) for word in value.split(" ")]
    if len(numbers) != draw.n:
        return say("{n} numbers decide, not {seen}", n=draw.n, seen=len(numbers))
    if any(one >= other for one, other in pairwise(numbers)):
        return say("write the numbers in ascending order, each of them once")
    return None


# What players read of it.


def message_for_option(option: str) -> Message | None:
    """Return a sentence on what was agreed, for every report; None if the seed alone decides."""
    if option == DRAND:
        return say("A public round of drand decides everything random, so nobody could choose it.")
    draw = draw_of(option)
    if draw is None:
        return None
    return say(
        "The {n} numbers of {what} ({time}) decide everything random, so nobody could choose it.",
        n=draw.n,
        what=draw.what,
        time=draw.time,
    )


def source_sentences(option: str, *, first: bool) -> Iterator[Message]:
    """Yield from where what is random comes, plainly; the `first` email says more."""
    if option == SEED:
        yield say(
            "Everything random in this match comes from a secret number, the seed. The club drew "
            "it, and could have drawn it again. With chance=drand nobody can."
        )
    elif first:
        yield say(
            "Everything random in this match comes from a secret seed and a public number. You "
            "were sent the proof of the seed before anyone could know the number, so nobody could "
            "choose what is random."
        )
    if first:
        yield say(
            "Anyone who can read the club's database can predict everything random in the match."
        )
