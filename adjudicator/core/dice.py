"""Give a match its chance: fair streams of bytes that follow from one secret seed.

Theory of operation. No function throws dice by itself: it is given a `Chance`, so the same match
played again gives the same results. A match has one seed S of 32 bytes, drawn before it opens. S is
as secret as the hidden board, and `adjud` makes it public when the match is over. The hash of S
(`commitment`) is in every report, so that the adjudicator cannot change S later.

There are three kinds of draw (Spion rule book, section 6):

- Public draws, such as dice, come from chains, one for each seat and one, `X`, for the adjudicator.
  A chain has links 0 to 1000. Link 1000 follows from S, and each link before it is the hash of the
  link after it. Link 0, the anchor, is published when the match opens; draw n uses link n, which is
  shown with the draw. Whoever hashes it must get link n-1, and no link tells anything of the next
  one. The players' phrases go into each draw as well, so neither side decides it alone.
- The deal of the cards is drawn from S and the phrases. It can be checked when S is public.
- Private draws, for built-in players and hidden things, follow from S, a seat and the name of their
  use. They too can be checked only at the end.

Whoever draws S could draw it again until it pleases him. So a match may take a number that is
published only after all players know its commitment (`core/public_chance.py`): then S' =
HMAC-SHA256(S, "ADJUD2|match|public|" which "|" value) takes the place of S in all of the above, and
the commitment stays that of S. S' is as secret as S, and nobody could know it when S was drawn.

How often a public chain was used must never depend on hidden state, because its links are counted
in public. A `Stream` has state, but a `Chance` has none: whoever asks again for the same draw gets
the same bytes. So nothing is lost when the program is killed, and the next tick draws the same.
"""

import hmac
from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TypeVar

from msgspec import Struct

T = TypeVar("T")

# The label of streams and commitments: every match has it, and will have it. Logs had the same
# label before 0.2.22 (`core/chain.py`); only that format has gone.
LABEL = "ADJUD1"
CHAIN_LENGTH = 1000


class Stream:
    """A stream of bytes, and fair choices made from them.

    The bytes are `HMAC(key, text|block)`, with blocks counted from 0. A stream has state: a draw
    consumes bytes, and nobody can read them twice.
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
        """Return a fair number from 0 to n-1, n at most 256; bytes that would favour some are
        skipped."""
        if not 1 <= n <= 256:
            raise ValueError(f"a draw is below 1 to 256, not {n}")
        limit = 256 - 256 % n
        return next(byte for byte in self._bytes if byte < limit) % n

    def die(self) -> int:
        return self.below(6) + 1

    def choice(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def shuffle(self, things: MutableSequence[T]) -> None:
        """Shuffle in place: Fisher-Yates from the last index."""
        for last in range(len(things) - 1, 0, -1):
            other = self.below(last + 1)
            things[last], things[other] = things[other], things[last]

    def shuffled(self, things: Iterable[T]) -> list[T]:
        """Return the things in an order that is drawn."""
        mixed = list(things)
        self.shuffle(mixed)
        return mixed


@lru_cache(maxsize=64)
def _chain(seed: bytes, text: str) -> tuple[bytes, ...]:
    """Return all links, the anchor first; each is the hash of the one after it."""
    links = [hmac.digest(seed, text.encode(), "sha256")]
    for _ in range(CHAIN_LENGTH):
        links.append(sha256(links[-1]).digest())
    return tuple(reversed(links))


def mixed_seed(seed: bytes, match: str, which: str, value: str) -> bytes:
    """Return the seed S' of a match whose chance depends on a public number, too.

    `which` says which number it is, `value` is the number in its one spelling.
    """
    return hmac.digest(seed, f"ADJUD2|{match}|public|{which}|{value}".encode(), "sha256")


class Chance(Struct, frozen=True):
    """All the chance of one match. `label` is that of its game's streams (`Proof.label`), `phrases`
    are the players' phrases, in seat order.

    `committed` is the seed of which the commitment is, if that is another one: S, where `seed` is
    what became of it with a public number. `which` and `value` are that number.
    """

    seed: bytes
    match: str
    label: str
    phrases: tuple[str, ...] = ()
    committed: bytes = b""
    which: str = ""
    value: str = ""

    @classmethod
    def of_number(
        cls,
        secret: bytes,
        match: str,
        which: str,
        value: str,
        label: str,
        phrases: tuple[str, ...] = (),
    ) -> "Chance":
        """Return the chance of a match that takes a public number."""
        seed = mixed_seed(secret, match, which, value)
        return cls(seed, match, label, phrases, committed=secret, which=which, value=value)

    def __repr__(self) -> str:
        return f"Chance(match={self.match!r})"  # never the seed

    @property
    def commitment(self) -> str:
        """Return the hash that is published when the match opens; the seed opens it at the end."""
        return sha256(f"{self.label}|{self.match}|".encode() + self.secret).hexdigest()

    @property
    def secret(self) -> bytes:
        """Return the seed that opens the commitment."""
        return self.committed or self.seed

    @property
    def phrase_digest(self) -> str:
        return sha256("\n".join(self.phrases).encode()).hexdigest()

    def key(self, who: str, number: int) -> bytes:
        """Return link `number` of the chain of `who`; link 0 is the anchor, link n opens draw n."""
        if not 0 <= number <= CHAIN_LENGTH:
            raise ValueError(f"a chain has links 0 to {CHAIN_LENGTH}, not {number}")
        return _chain(self.seed, f"{self.label}|{self.match}|chain|{who}")[number]

    def public(self, who: str, number: int) -> Stream:
        """Return the stream of draw `number` of the chain of `who` (a seat, or `X` for the
        adjudicator)."""
        text = f"{self.label}|{self.match}|{self.phrase_digest}|dice|{who}|{number}"
        return Stream(self.key(who, number), text)

    def deal(self) -> Stream:
        """Return the stream that deals the cards, the one draw that uses both the seed and the
        phrases."""
        return Stream(self.seed, f"{self.label}|{self.match}|{self.phrase_digest}|deal")

    def private(self, seat: str, use: str) -> Stream:
        """Return the stream for hidden things; each `use` of a seat has a stream of its own."""
        return Stream(self.seed, f"{LABEL}|{self.match}|private|{seat}|{use}")


def seal(match: str, what: str, seat: str, text: str, salt: str) -> str:
    """Return the text whose SHA-256 is published as a commitment (Espionage rule 5.5)."""
    return f"{LABEL}|{match}|{what}|{seat}|{text}|{salt}"


def digest(sealed: str) -> str:
    return sha256(sealed.encode()).hexdigest()
