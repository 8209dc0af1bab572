"""Texts as they are compared and shown: mail addresses of one mailbox, signs that are not seen,
letters of other alphabets, and order lines in the words of the reader's language.

The order lines that we keep are English in every match, so that they can be compared and read
again. A player is shown his own words; the parsers take both.
"""

import re
import string
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from ipaddress import ip_address
from typing import Any
from unicodedata import normalize

from msgspec import Struct

from adjudicator.core.command_table import TABLE
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line, clean, shown

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded_address(address: str) -> str:
    """Return a text that is equal for two addresses of one mailbox.

    `str.casefold` would make ss of ß, which is another domain. Before the @ only the letters of
    ASCII lose their case.
    """
    local, at, domain = address.rpartition("@")
    return f"{local.translate(_LOWER)}{at}{folded_domain(domain)}"


_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(address: str) -> str:
    """Return a text that is equal for the spellings in which one person can write an address: what
    stands behind a plus is left out, and at Gmail all dots before the @ are."""
    local, at, domain = folded_address(address).rpartition("@")
    local = local.partition("+")[0]
    if domain in _GMAIL:
        local, domain = local.replace(".", ""), "gmail.com"
    return f"{local}{at}{domain}"


def folded_domain(domain: str) -> str:
    """Return a domain as it stands in the DNS, whichever way it was written (RFC 5891).

    Two spellings of one letter, such as Å and an A with a combining ring, are one. Signs that only
    look alike are not mapped onto each other, for a forger would use them. A domain that no DNS
    can hold keeps its own spelling in small letters, so that it equals nothing but itself.
    """
    plain = normalize("NFC", domain.lower()).rstrip(".")
    if any(_becomes_ascii(sign) for sign in domain):
        return domain
    if plain.isascii():
        return plain
    import idna  # its tables cost every start some milliseconds, and few domains need them

    try:
        return idna.encode(plain, strict=True).decode("ascii")  # else there are four kinds of dots
    except UnicodeError:
        return plain


def _becomes_ascii(sign: str) -> bool:
    """Return whether a sign beyond ASCII has a small letter in it, as the Kelvin sign has k."""
    return not sign.isascii() and normalize("NFC", sign.lower()).isascii()


# Names and addresses of machines.


def is_loopback(host: str) -> bool:
    """Return whether a name or an address always means the machine that asks."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


# Make a player's text fit to be shown.


def one_line(text: str) -> str:
    """Return the text on one line, without control signs, direction marks and other unseen
    signs."""
    return " ".join(_all_seen(text).split())


def printable_lines(text: str) -> list[str]:
    """Split the text into lines, each without control signs, direction marks and other unseen
    signs."""
    return [_all_seen(line).rstrip() for line in text.splitlines()]


def _all_seen(text: str) -> str:
    return text if text.isprintable() else "".join(map(_visible_sign, text))


def _visible_sign(sign: str) -> str:
    return sign if sign.isprintable() else "" if unicodedata.category(sign) == "Cf" else " "


# Words that all games share: those around the orders, and the commands that a sheet may hold.
_FRAME: Mapping[str, Message] = {
    "ORDERS": say("ORDERS"),
    "turn": say("turn"),
    "epoch": say("epoch"),
    "END": say("END"),
}
# Lines are spelled word by word, so a command of two words is none of these.
COMMANDS = {
    row.name: row.word for row in TABLE.values() if row.does == "acts" and " " not in row.name
}
_WORD = re.compile(r"[\w-]+")  # the name of a match is one, dashes and all


class Lexicon(Struct, frozen=True):
    """The English words in a game's order lines, with their translations.

    After a word of `free` at the beginning of a line comes a text of the player's own. Those that
    are `former` are taken in matches of older programs alone, so no card of orders has them.
    """

    words: Mapping[str, Message] = {}
    free: tuple[str, ...] = ()
    former: tuple[str, ...] = ()


class Spelling(Struct, frozen=True):
    """A reader's words, by the English words from which they differ; `free` as in `Lexicon`."""

    words: Mapping[str, str]
    free: tuple[str, ...] = ()

    def __call__(self, line: str) -> str:
        """Return the line as its reader writes it."""
        first, blank, text = line.partition(" ")
        if first in self.free:
            return f"{self.words.get(first, first)}{blank}{text}"
        return _WORD.sub(lambda found: self.words.get(found[0], found[0]), line)

    def all(self, lines: Iterable[str]) -> list[str]:
        return [self(line) for line in lines]


def spelling(lexicon: Lexicon, titles: Mapping[Any, Message], words: Words) -> Spelling:
    """Return how a reader writes the lines of a game; `titles` are the names of its seats."""
    known = {
        word: words(message) for word, message in {**_FRAME, **COMMANDS, **lexicon.words}.items()
    }
    seats = {seat: words(title).lower() for seat, title in titles.items()}
    own = {word: told for word, told in {**known, **seats}.items() if word != told}
    return Spelling(own, lexicon.free)


def speller(lexicon: Lexicon, titles: Mapping[Any, Message]) -> Callable[[Words], Spelling]:
    """Return what makes the spelling of each reader once."""
    return lru_cache(maxsize=64)(partial(spelling, lexicon, titles))


_ALIKE = dict(
    zip(
        "аеорсухіјѕһԁԛԝкмтАВЕКМНОРСТХУІЈЅԌαονρικυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeopcyxijshdqwkmtABEKMHOPCTXYIJSGaovpikuxABEZHIKMNOPTYX",
        strict=True,
    )
)
_ANY = "a"  # stands for a letter that looks like no Latin one


class _Latin(dict[int, str]):
    """Latin letters by others, each looked up once."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        self[code] = _ALIKE.get(sign, _ANY) if _is_strange(sign) else sign
        return self[code]


_LATIN = _Latin()


def as_latin(text: str) -> str:
    """Return a text with Latin letters in place of others, the same where they look alike."""
    return text if text.isascii() else text.translate(_LATIN)


def strange_letter(text: str) -> str:
    """Return the first letter of a line that is not Latin; empty if all are, remarks aside."""
    if text.isascii():
        return ""
    return next((sign for sign in clean(text) if _is_strange(sign)), "")


def told_strange(text: str) -> Message | None:
    """Say which letter of a line is not Latin; None if all are."""
    sign = strange_letter(text)
    if not sign:
        return None
    seen = shown(clean(text))
    if meant := _ALIKE.get(sign):
        return say(
            "the {sign} in '{seen}' is not the Latin letter {meant} but one of another alphabet "
            "that looks the same; write {meant} with a Latin keyboard",
            sign=sign,
            seen=seen,
            meant=meant,
        )
    return say(
        "the {sign} in '{seen}' is not a Latin letter; orders are written in Latin letters",
        sign=sign,
        seen=seen,
    )


def first_strange(lines: Iterable[Line]) -> Message | None:
    """Say which letter of the first line that has one is not Latin."""
    return next(filter(None, (told_strange(line.text) for line in lines)), None)


def _is_strange(sign: str) -> bool:
    return not sign.isascii() and sign.isalpha() and "LATIN" not in unicodedata.name(sign, "")
