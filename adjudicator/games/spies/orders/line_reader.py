"""A line as a row of words and signs, and a reader that goes along it.

The reader knows the words of three languages, the cities and the codes of pieces, and nothing of
the match: a letter that the seat may leave out (9.1) is filled in by `missing_letters`, when it is
known whose sheet this is. What it does not understand it raises as `Amiss`, with a sentence for the
player.
"""

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded, nearest, shown
from adjudicator.games.spies.orders.words import (
    OWN_WORDS,
    WORDS,
    city_names,
    city_spelt,
    city_words,
    longest_city,
    power_words,
)
from adjudicator.games.spies.rules.atlas import (
    LETTERS,
    NEUTRAL,
    POWERS,
    City,
    Code,
    Power,
    atlas,
    police_codes,
    secret_codes,
    spy_codes,
)

T = TypeVar("T")

_SIGNS = re.compile(r">=|<=|=>|=<|[=<>,;:]|[^\s=<>,;:]+")
_OPS = {">=": ">=", "=>": ">=", "<=": "<=", "=<": "<=", "=": "="}
_SPY = re.compile(r"(?:([girfb])-)?([a-e])")
_POLICE = re.compile(r"(?:([girfb])-?)?p-?(\d)")
_SECRET = re.compile(r"([girfbn])-?(\d)")
_NUMBER = re.compile(r"\d{1,4}")

STEPS = ("GO", "DISCOVER", "TAKE", "DROP", "KILL", "ESCAPE")

SPIES: frozenset[Code] = frozenset(code for power in POWERS for code in spy_codes(power))
PIECES: frozenset[Code] = frozenset(code for power in POWERS for code in police_codes(power))
SECRETS: frozenset[Code] = frozenset(
    code for letter in (*LETTERS.values(), NEUTRAL) for code in secret_codes(letter)
)


class Amiss(Exception):
    """Something in a line that is not understood. What was meant is guessed only when somebody
    asks for the message: lines are also tried just to see whether they stand by themselves."""

    def __init__(self, tell: Callable[[], Message]) -> None:
        super().__init__()
        self._tell = tell

    @property
    def message(self) -> Message:
        return self._tell()


def amiss(message: Message) -> Amiss:
    return Amiss(lambda: message)


class Reader:
    """Goes along a cleaned line; `at` is the next word."""

    def __init__(self, text: str) -> None:
        self.words = _SIGNS.findall(text.replace("≥", ">=").replace("≤", "<=").replace("£", " "))
        self.plain = [folded(word) for word in self.words]
        self.at = 0

    @property
    def over(self) -> bool:
        return self.at >= len(self.words)

    @property
    def here(self) -> str:
        """Return the next word as it was written; it is empty at the end."""
        return "" if self.over else self.words[self.at]

    @property
    def next(self) -> str:
        """Return the next word folded."""
        return "" if self.over else self.plain[self.at]

    def sees(self, *words: str) -> bool:
        """Return whether one of our own words comes next, in any language."""
        return not self.over and WORDS.get(self.next) in words

    def takes(self, *words: str) -> str | None:
        """Return the word of ours that comes next, and go on behind it."""
        if not self.sees(*words):
            return None
        self.at += 1
        return WORDS[self.plain[self.at - 1]]

    def takes_sign(self, sign: str) -> bool:
        if self.next != sign:
            return False
        self.at += 1
        return True

    def read_list(self, one: Callable[[], T], join: str = ",") -> tuple[T, ...]:
        """Read things with a sign between them."""
        found = [one()]
        while self.takes_sign(join):
            self.sees_no_step()
            found.append(one())
        return tuple(found)

    def spy(self) -> Code:
        found = _SPY.fullmatch(self.next)
        if not found:
            raise self.amiss_in(say("write a spy like A or G-A"), self._alike(SPIES))
        return self._took(_lettered(found[1], found[2].upper()))

    def police(self) -> Code:
        found = _POLICE.fullmatch(self.next)
        code = _lettered(found[1], f"P{found[2]}") if found else ""
        if not found or (found[1] and code not in PIECES):
            raise self.amiss_in(say("write a police piece like P1 or G-P1"), self._alike(PIECES))
        return self._took(code)

    def secret(self) -> Code:
        found = _SECRET.fullmatch(self.next)
        code = _lettered(found[1], found[2]) if found else ""
        if code not in SECRETS:
            raise self.amiss_in(say("write a secret like N-4"), self._alike(SECRETS))
        return self._took(code)

    def sees_secret(self) -> bool:
        found = _SECRET.fullmatch(self.next)
        return bool(found) and _lettered(found[1], found[2]) in SECRETS if found else False

    def sees_spy(self) -> bool:
        return bool(_SPY.fullmatch(self.next))

    def sees_police(self) -> bool:
        return bool(_POLICE.fullmatch(self.next))

    def sees_power(self) -> bool:
        return self.next in power_words()

    def tile(self) -> str:
        code = self.next.replace("-", "").upper()
        if code not in atlas().tiles:
            raise self.amiss_in(say("write a tile like TG1"), atlas().tiles)
        return self._took(code)

    def power(self) -> Power:
        if not self.sees_power():
            raise self.amiss_in(say("name a power here"), power_words())
        return self._took(power_words()[self.next])

    def city(self) -> City:
        """Read a city: a code, or a name of one word or more."""
        for length in range(longest_city(), 0, -1):
            words = tuple(self.plain[self.at : self.at + length])
            if len(words) == length and words in city_words():
                self.at += length
                return city_words()[words]
        raise self.amiss_in(say("name a city here"), city_names())

    def number(self) -> int:
        if not _NUMBER.fullmatch(self.next):
            raise amiss(say("write a number in place of '{seen}'", seen=self.seen))
        return self._took(int(self.next))

    def op(self) -> str | None:
        """Read a sign of comparison; return None if there is none."""
        found = _OPS.get(self.next)
        if found:
            self.at += 1
        return found

    @property
    def seen(self) -> str:
        """Return what comes next, fit to be quoted."""
        return shown(self.here) or "…"

    def amiss_in(self, expected: Message, known: Iterable[str]) -> Amiss:
        """Say that something else should stand here; perhaps it can be guessed what was meant."""
        if self.over:
            return amiss(say("something is missing at the end: {expected}", expected=expected))
        word, seen = self.next, self.seen
        return Amiss(lambda: _guess(word, seen, expected, known))

    def finish(self) -> None:
        """Complain if something stands behind a line that is complete."""
        self.sees_no_step()
        if not self.over:
            leading_on = ("IF", "AND", "ON", "AGAINST", "TRIES")
            meant = [word for word, own in WORDS.items() if own in leading_on]
            raise self.amiss_in(say("the line should end before it"), meant)

    def sees_no_step(self) -> None:
        """Complain if a step begins where the one before it has not been closed."""
        if self.sees(*STEPS):
            raise amiss(say("write ; before '{seen}', between two steps", seen=self.seen))

    def _alike(self, codes: Iterable[Code]) -> list[Code]:
        """Return the codes with the letter that was written, or all of them."""
        known = sorted(codes)
        return [code for code in known if code[0].lower() == self.next[:1]] or known

    def _took(self, thing: T) -> T:
        self.at += 1
        return thing


def _guess(word: str, seen: str, expected: Message, known: Iterable[str]) -> Message:
    meant = nearest(word, known)
    if meant and meant != word:  # else it stands in the wrong place, but is not misspelt
        return say("'{seen}': did you mean {meant}?", seen=seen, meant=_as_written(meant))
    return say("I do not understand '{seen}' here; {expected}", seen=seen, expected=expected)


def _lettered(letter: str | None, rest: str) -> Code:
    return f"{letter.upper()}-{rest}" if letter else rest


def _as_written(word: str) -> Message | str:
    """Write a guess as its reader writes it: our own words in his, a city by its code and the name
    that is like the one that he wrote."""
    if word in WORDS:
        return OWN_WORDS[WORDS[word]]
    city = city_words().get(tuple(word.split()))
    if city:
        name = city_spelt(city, word)
        return f"{name} ({city})" if name else city
    return word
