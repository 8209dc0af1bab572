"""Chance as an argument: streams of bytes that follow from a match's secret seed.

Public chance comes from committed chains (Spion rule book, section 6): the first link is
published when the match opens, each later link opens one draw and is checked by hashing it.
Private chance, for hidden things, follows from the seed alone and is opened only at the end.
"""

import hmac
from collections.abc import Iterator, MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

CHAIN_LENGTH = 1000


class Stream:
    """Bytes of `HMAC(key, text|block)`, blocks from 0, and fair choices made from them.

    A bytes-like stream is read once; it has state because a draw consumes bytes.
    """

    def __init__(self, key: bytes, text: str) -> None:
        self._bytes = self._blocks(key, text)

    @staticmethod
    def _blocks(key: bytes, text: str) -> Iterator[int]:
        block = 0
        while True:
            yield from hmac.digest(key, f"{text}|{block}".encode(), "sha256")
            block += 1

    def below(self, n: int) -> int:
        """A fair number from 0 to n-1, n at most 256; bytes that would favour some are skipped."""
        if not 1 <= n <= 256:
            raise ValueError(f"a draw is below 1 to 256, not {n}")
        limit = 256 - 256 % n
        return next(byte for byte in self._bytes if byte < limit) % n

    def die(self) -> int:
        return self.below(6) + 1

    def choice(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def shuffle(self, things: MutableSequence[T]) -> None:
        """Fisher-Yates from the last index."""
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]


@lru_cache(maxsize=64)
def _chain(seed: bytes, text: str) -> tuple[bytes, ...]:
    """All links, the anchor first; each is the hash of the one behind it."""
    links = [hmac.digest(seed, text.encode(), "sha256")]
    for _ in range(CHAIN_LENGTH):
        links.append(sha256(links[-1]).digest())
    return tuple(reversed(links))


class Chance(Struct, frozen=True):
    """All the chance of one match. `phrases` are the players', in seat order."""

    seed: bytes
    match: str
    phrases: tuple[str, ...] = ()
    label: str = "ADJUD1"

    def __repr__(self) -> str:
        return f"Chance(match={self.match!r})"  # never the seed

    @property
    def commitment(self) -> str:
        """Published when the match opens; the seed opens it at the end."""
        return sha256(f"{self.label}|{self.match}|".encode() + self.seed).hexdigest()

    @property
    def phrase_digest(self) -> str:
        return sha256("\n".join(self.phrases).encode()).hexdigest()

    def key(self, who: str, number: int) -> bytes:
        """Link `number` of the chain of `who`; link 0 is the anchor, link n opens draw n."""
        if not 0 <= number <= CHAIN_LENGTH:
            raise ValueError(f"a chain has links 0 to {CHAIN_LENGTH}, not {number}")
        return _chain(self.seed, f"{self.label}|{self.match}|chain|{who}")[number]

    def public(self, who: str, number: int) -> Stream:
        """Draw `number` of the chain of `who` (a seat, or `X` for the adjudicator)."""
        text = f"{self.label}|{self.match}|{self.phrase_digest}|dice|{who}|{number}"
        return Stream(self.key(who, number), text)

    def deal(self) -> Stream:
        """The one draw from the seed and the phrases together: the deal of the cards."""
        return Stream(self.seed, f"{self.label}|{self.match}|{self.phrase_digest}|deal")

    def private(self, seat: str, use: str) -> Stream:
        """Draws from or into hidden things; each `use` of a seat is a stream of its own."""
        return Stream(self.seed, f"ADJUD1|{self.match}|private|{seat}|{use}")


def seal(match: str, what: str, seat: str, text: str, salt: str) -> str:
    """The text whose SHA-256 is published as a commitment (Espionage rule 5.5)."""
    return f"ADJUD1|{match}|{what}|{seat}|{text}|{salt}"


def digest(sealed: str) -> str:
    return sha256(sealed.encode()).hexdigest()
