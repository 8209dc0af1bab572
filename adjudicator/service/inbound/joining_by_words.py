"""People who ask in their own words to play: at the public address they are answered with how that
is done, and with a code if they name what is open."""

import re
from itertools import pairwise

from adjudicator.core.commands import Command
from adjudicator.core.orders import folded
from adjudicator.service.inbound import confirmations
from adjudicator.service.inbound.parsed_email import EmailContent
from adjudicator.store.database import Tx

# With which words somebody asks to play, folded.
_OF_PLAYING = (
    *("play", "join", "game", "match", "seat", "sign", "register", "participat", "interes"),
    *("spill", "spel", "delta", "parti", "plass", "plats", "regist", "anmal", "pamel", "intres"),
    *("espionage", "spionas", "spion", "spies", "rules", "regl", "how", "hvordan", "hur"),
)
_TO_TAKE_PART = ("take part", "bli med", "vaere med", "vara med", "ga med", "fa med")
# With which he asks for what he names.
_TO_JOIN = re.compile(
    r"\b(?:join|play|take part|sign (?:me )?up|register|enter|seat|bli med|vaere med"
    r"|vara med|ga med|delta|spille|spela|plass|plats|anmal|pamel)"
)
_FEW = 12  # words that are looked up
_MAY_I = re.compile(r"\b(?:can|could|may|kan|far|kunne|skulle) (?:i|we|jeg|vi|jag)\b")
_REFUSING = frozenset(
    ("not", "no", "never", "don't", "dont", "can't", "leave", "left", "ikke", "inte", "nei", "nej")
)
_LINKS = ("http:", "https:", "www.", "href")
MOST_LINES, _MOST_WORDS = 40, 120  # of a person who would like to play
SIGNS = ".,;:!?\"'()*_"


def would_play(content: EmailContent) -> bool:
    """Return whether an email is a person's short words about playing; advertisements have links
    and say much."""
    if len(content.prose) > MOST_LINES:
        return False
    said = [folded(line.text) for line in content.prose]
    words = [word.strip(SIGNS) for line in said for word in line.split()]
    if len(words) > _MOST_WORDS or any(link in line for line in said for link in _LINKS):
        return False
    return (
        bool(content.misspelt)
        or any(word.startswith(_OF_PLAYING) for word in words)
        or any(phrase in line for line in said for phrase in _TO_TAKE_PART)
    )


def wanted(tx: Tx, content: EmailContent) -> Command | None:
    """Return the JOIN that somebody means who names in a sentence what is open."""
    if content.commands or not would_play(content):
        return None
    text = " ".join(folded(line.text) for line in content.prose)
    if not _TO_JOIN.search(text) or ("?" in text and not _MAY_I.search(text)):
        return None
    words = [word.strip(SIGNS) for word in text.split()]
    if _REFUSING & {*words}:
        return None
    if len(words) > _FEW:  # what is named stands near the word that asks
        near = [text[found.end() :].split()[:_FEW] for found in _TO_JOIN.finditer(text)]
        words = [word.strip(SIGNS) for some in near[:_FEW] for word in some[: _FEW // 2]]
    named = dict.fromkeys(
        word
        for before, word in pairwise(["", *words])
        if (len(word) > 1 or before.startswith("join")) and confirmations.is_open(tx, word)
    )
    return Command("JOIN", named.popitem()[0], content.prose[0]) if len(named) == 1 else None
