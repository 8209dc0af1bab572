"""Find the code that a line confirms in somebody's own words: `Yes, CONFIRM 7K3QXY.`

No match is known here, nor which codes wait. What only looks like a code is none: a code in a
sentence has a digit, or is written in capitals and as long as ours.
"""

import re
from collections.abc import Sequence

from adjudicator.core.orders import folded, unremarked

LENGTH = 6  # of the codes that we make
_MOST_WORDS, _LONGEST = 12, 240  # words and characters of a line in which somebody confirms
_TOKEN = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # noqa: RUF001
_CODE = re.compile(r"[A-Za-z0-9]{4,12}")
_CONFIRMS = frozenset(
    (
        *("confirm", "confirmed", "confirming", "bekreft", "bekrefter", "bekreftet"),
        *("bekrefte", "bekrafta", "bekraftar", "bekraftat", "bekraftas"),
    )
)
# Between that word and its code.
_BETWEEN = frozenset(("code", "the", "with", "kode", "koden", "med", "kod", "by", "my", "it", "is"))
# With these a line says that it confirms nothing, asks, or repeats what we wrote.
_DENIES = frozenset(
    (
        *("not", "no", "never", "none", "nothing", "don't", "dont", "didn't", "didnt"),
        *("cannot", "can't", "cant", "won't", "wont", "isn't", "isnt", "wasn't", "wasnt"),
        *("haven't", "refuse", "ikke", "ikkje", "aldri", "nei", "inte", "aldrig", "nej", "ej"),
        *("wrong", "false", "feil", "fel", "if", "hvis", "om", "unless", "should", "shall"),
        *("must", "skal", "ska", "who", "what", "why", "how", "when", "hvem", "hva", "hvorfor"),
        *("vem", "vad", "varfor", "before", "after", "until", "or", "eller", "instead"),
        *("without", "uten", "utan", "line", "linjen", "raden", "linje", "rad", "cancel"),
        *("stop",),
    )
)
# Around a code without that word.
_COURTEOUS = frozenset(
    (
        *("yes", "yep", "yeah", "ja", "jo", "jepp", "japp", "ok", "okay", "sure", "hi"),
        *("hello", "hey", "hei", "hej", "please", "the", "my", "min", "code", "kode", "koden"),
        *("kod", "is", "er", "ar", "it", "its", "it's", "here", "her", "har", "this", "thanks"),
        *("thank", "you", "takk", "tack", "that's", "that", "me", "dear", "club", "of"),
        *("course",),
    )
)


def confirmed_code(text: str) -> str:
    """Return the code that a line confirms by the word CONFIRM, in any of our languages; empty if
    there is none."""
    said = folded(text)
    if "confirm" not in said and "bekr" not in said:
        return ""
    tokens = _tokens(text)
    plain = [folded(token) for token in tokens]
    at = next((i for i, word in enumerate(plain) if word in _CONFIRMS), None)
    if at is None or _DENIES & {*plain} or _asks(text):
        return ""
    behind = (i for i in range(at + 1, len(tokens)) if plain[i] not in _BETWEEN)
    code = next((tokens[i].replace("-", "") for i in behind), "")
    return code.upper() if _is_code(code) or (len(code) == LENGTH and code.isupper()) else ""


def lone_code(text: str) -> str:
    """Return the code that stands in a line without the word CONFIRM, alone but for courtesies;
    empty if there is none."""
    if not any(map(str.isdigit, text[:_LONGEST])):
        return ""
    others = [token for token in _tokens(text) if folded(token) not in _COURTEOUS]
    if len(others) != 1 or _asks(text):
        return ""
    code = others[0].replace("-", "")
    return code.upper() if _is_code(code) else ""


def _tokens(text: str) -> Sequence[str]:
    if len(text) > _LONGEST:
        return ()
    tokens = _TOKEN.findall(unremarked(text))
    return tokens if len(tokens) <= _MOST_WORDS else ()


def _asks(text: str) -> bool:
    return text.rstrip(" \"'*_).").endswith("?")


def _is_code(word: str) -> bool:
    """Return whether a word can only be a code: letters and digits."""
    if not _CODE.fullmatch(word):
        return False
    return any(map(str.isdigit, word)) and any(map(str.isalpha, word))
