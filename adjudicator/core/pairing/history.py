"""What was played in a tournament so far, and what follows from it for one entry. Every
draw is a lot that follows from the tournament's seed (club, 7.4)."""

import hmac
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Literal, TypeAlias

from msgspec import Struct

# How a pairing ended. Only what was `played` out counts for the comparison of equal points;
# entries whose match is `void` have not met.
Ending: TypeAlias = Literal["", "played", "forfeit", "withdrawn", "ruled", "void"]
Kind: TypeAlias = Literal["match", "bye", "left_out"]


class Pairing(Struct, frozen=True, kw_only=True):
    """A match, or an entry that has none in a round (`bye`, `left_out`).

    `entries` are the numbers of those who play, in the order of the game's seats; `points` are
    24ths in the same order, None while it is not done. `again` counts the replays of a knock-out.
    """

    round: int
    board: int
    entries: tuple[int, ...]
    points: tuple[int, ...] | None = None
    kind: Kind = "match"
    ending: Ending = ""
    again: int = 0

    @property
    def is_done(self) -> bool:
        return self.points is not None

    @property
    def have_met(self) -> bool:
        return self.kind == "match" and self.ending != "void"

    def points_for(self, entry: int) -> int:
        """Return the 24ths of an entry; 0 while the pairing is not done."""
        return 0 if self.points is None else self.points[self.entries.index(entry)]


class PairedEntry(Struct, frozen=True, kw_only=True):
    """An entry before a round. Two with one `address` are never paired."""

    number: int
    address: str
    points: int = 0  # 24ths
    byes: int = 0  # rounds without a match, whether paid or not
    met: Mapping[int, int] = {}  # how often, by number
    seats: tuple[int, ...] = ()  # the seat in each match so far, 0 for the first

    @property
    def balance(self) -> int:
        """Return how much more often it had the first seat of two than the second."""
        return sum(1 if seat == 0 else -1 for seat in self.seats)

    def times_met(self, other: "PairedEntry") -> int:
        return self.met.get(other.number, 0)


def entries_before(addresses: Mapping[int, str], played: Iterable[Pairing]) -> list[PairedEntry]:
    """Return the entries as they stand after what was played, by number."""
    done = [pairing for pairing in played if pairing.is_done]
    return [_entry(number, address, done) for number, address in sorted(addresses.items())]


def _entry(number: int, address: str, played: Sequence[Pairing]) -> PairedEntry:
    own = sorted(
        (pairing for pairing in played if number in pairing.entries),
        key=lambda pairing: (pairing.round, pairing.again),
    )
    met: dict[int, int] = {}
    for pairing in own:
        if pairing.have_met:
            for other in pairing.entries:
                if other != number:
                    met[other] = met.get(other, 0) + 1
    return PairedEntry(
        number=number,
        address=address,
        points=sum(pairing.points_for(number) for pairing in own),
        byes=sum(pairing.kind != "match" for pairing in own),
        met=met,
        seats=tuple(pairing.entries.index(number) for pairing in own if pairing.have_met),
    )


def in_places(entries: Iterable[PairedEntry]) -> list[PairedEntry]:
    """Return entries by points, then by number: the place of each is unique."""
    return sorted(entries, key=lambda entry: (-entry.points, entry.number))


LENGTH = 32  # bytes of a seed


def lot(seed: bytes, text: str) -> bytes:
    """Return the lot of a text; of several the lowest comes first, compared as bytes."""
    return hmac.digest(seed, f"lot|{text}".encode(), sha256)


def by_lot(seed: bytes, kind: str, names: Iterable[str]) -> list[str]:
    """Return names in the order of their lots `kind|NAME`."""
    return sorted(names, key=lambda name: lot(seed, f"{kind}|{name}"))


def commitment(seed: bytes) -> str:
    """Return what is told before the start, and proves the seed that is opened at the end."""
    return sha256(seed).hexdigest()
