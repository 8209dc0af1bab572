"""Tell lines that may be meant as orders from a greeting, a name, a company's banner.

A line that reads as orders is one. This is about the others: a mistyped order must be named, and
must never be passed over as if it were prose. So in doubt a line is taken for an order.
"""

import re
from difflib import SequenceMatcher

from msgspec import Struct

from adjudicator.core.orders import clean, lookup_form
from adjudicator.core.text import as_latin

_SHORTEST = 4  # letters of a word of orders that may be misspelt
_MOST_BEHIND = 3  # words behind one in small letters
_ALIKE, _MOST_MISSING = 0.85, 2  # how alike long words must be, and the letters that may be missing
_LONGEST_ASIDE = 10  # words of a sentence in which an order may stand
_TOKEN = re.compile(r"[^\W_][\w-]*")
# Squares and numbers with a slip in them: `g3g-4`, `D 3 - D 4`, `3d-4d`. Words are none of these.
_SHORT_CODE = re.compile(r"(?=.*\d)(?=.*[a-z])(?:[a-z]{0,2}(?:[\W\d_]+|\Z)){1,8}")
_LONGEST_CODE = 14
_LONG_ROW = 6
_ROW = re.compile(r"(?:[a-z0-9?]\s?|\.+\s?){4,14}")

# How emails end, folded. Below such a line stand names, addresses and telephone numbers.
_CLOSINGS = (
    *("best regards", "kind regards", "warm regards", "regards", "best wishes", "all the best"),
    *("best", "cheers", "thanks", "thank you", "many thanks", "sincerely", "yours", "love"),
    *("greetings", "take care", "see you", "bye", "good luck", "have a nice", "have fun"),
    *("mvh", "vh", "vennlig hilsen", "med vennlig hilsen", "hilsen", "beste hilsen", "hilsner"),
    *("med hilsen", "ha det", "takk", "tusen takk", "lykke til", "klem", "pa forhand takk"),
    *("med vanliga halsningar", "vanliga halsningar", "vanligen", "halsningar", "halsar"),
    *("basta halsningar", "med vanlig halsning", "hej da", "tack", "kram", "lycka till", "ha det"),
    *("mfg", "viele gruße", "viele grusse", "lg", "gruß", "grusse"),
)
_CLOSING = re.compile(rf"(?:{'|'.join(_CLOSINGS)})(?![\w-])")
# Courtesies whose first word begins an order of some game.
_COURTESY = re.compile(
    r"(?:take (?:care|it|your)|keep (?:well|safe|up|it|in touch)|hold on|play (?:well|fair|nice|on)"
    r"|pass (?:auf|on)|spill (?:pent|bra)|spela bra|ta (?:vare|det|hand)|ha det)(?![\w-])"
)


class Likeness(Struct, frozen=True):
    """The words of a game's orders, folded, by which a line is known that may be meant as one.

    Orders begin with a word of `begins`. One of `verbs` makes an order together with one of
    `names`, or of `capitals`, which count as they are written here. `code` finds what stands in
    orders only, such as a square, and `words` are all other words of orders. Below a line that
    begins with a word of `opens` rows of letters may stand.
    """

    code: re.Pattern[str]
    begins: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    capitals: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    opens: frozenset[str] = frozenset()


def closes(text: str) -> bool:
    """Return whether a line says goodbye, as `Best regards,` does."""
    words = lookup_form(text)
    return len(words.split()) <= 5 and _CLOSING.match(words) is not None


def alike(likeness: Likeness, text: str, *, opened: bool = False, closed: bool = False) -> bool:
    """Return whether a line that does not read as an order may be meant as one.

    `opened` says that a line above it opens rows of letters, `closed` that one says goodbye.
    """
    words = lookup_form(as_latin(text))
    if likeness.code.search(words) or _is_short_code(words):
        return True
    tokens = _TOKEN.findall(words)
    if not tokens or _COURTESY.match(words):
        return False
    first, *rest = tokens
    introduces = words.endswith(":") and not clean(text).split()[0].isupper()
    if first in likeness.begins and not introduces:
        return True
    if closed:
        return False
    if opened and _ROW.fullmatch(words) and _is_row(words):
        return True
    if not introduces and _is_misspelt(likeness, first, clean(text), rest):
        return True
    return _says_order(likeness, text, tokens) and not introduces


def _is_short_code(words: str) -> bool:
    return len(words) <= _LONGEST_CODE and _SHORT_CODE.fullmatch(words) is not None


def _is_row(words: str) -> bool:
    """Return whether letters are a row and no word: there are digits or dots among them, they stand
    apart, or none of many is a vowel."""
    compact = words.replace(" ", "")
    if sum(sign.isdigit() or sign == "." for sign in compact) >= 2 or len(compact) < len(words):
        return True
    return len(compact) >= _LONG_ROW and not {*compact} & {*"aeiouy"}


def _is_misspelt(likeness: Likeness, first: str, text: str, rest: list[str]) -> bool:
    """Return whether a line begins with a misspelt word of orders. A long line in small letters is
    prose, and so is a short word that is like another: `Love`."""
    right = [word for word in likeness.begins if len(word) >= _SHORTEST]
    if text.split()[0].isupper():
        return any(is_slip(first, word) for word in right)
    if len(rest) > _MOST_BEHIND:
        return False
    if len(first) <= _SHORTEST:
        return any(sorted(first) == sorted(word) for word in right)
    return any(is_slip(first, word) for word in right)


def is_slip(word: str, right: str) -> bool:
    """Return whether a folded word may be the right one with a slip in it: one letter too many, too
    few, wrong or misplaced, or a little more in a long word."""
    if word == right or abs(len(word) - len(right)) > _MOST_MISSING:
        return False
    if not shortenings(word).isdisjoint(shortenings(right)):
        return True
    return SequenceMatcher(None, word, right, autojunk=False).ratio() >= _ALIKE


def shortenings(word: str) -> frozenset[str]:
    """Return the word, and the word without each of its letters."""
    return frozenset((word, *(word[:at] + word[at + 1 :] for at in range(len(word)))))


def _says_order(likeness: Likeness, text: str, tokens: list[str]) -> bool:
    """Return whether a line holds the words of an order, in whatever order, or nothing else than
    words of orders."""
    if len(tokens) > _LONGEST_ASIDE:
        return False
    found = set(tokens)
    written = set(_TOKEN.findall(clean(text)))
    named = bool(found & likeness.names or written & likeness.capitals)
    if named and found & (likeness.begins | likeness.verbs):
        return True
    known = likeness.words | likeness.begins | likeness.verbs
    others = found - known - likeness.names
    return bool(found & known) and all(token.isdigit() for token in others)
