"""Tell a question from orders: people name squares and pieces when they ask about them.

A line that may be meant as an order, however badly it is written, is no question: it must be named.
So in doubt a line is taken for an order.
"""

import re
from collections.abc import Iterator, Sequence

from adjudicator.core.likeness import Likeness, alike, closes
from adjudicator.core.orders import Line, clean, lookup_form
from adjudicator.core.text import as_latin

_WRAPPED = 50  # letters of a line that a program may have broken
_SENTENCE = re.compile(r"[^.!?]*(?:[.!?](?!\s|\Z)[^.!?]*)*[.!?]*")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")  # noqa: RUF001
_FIRST = 3  # words among which that one stands which asks
_FEWEST = 2, 3  # words, which orders do not have, of a sentence with such a verb, and without
_CODE = re.compile(r"[a-z]{1,2}-?\d")  # a square or a piece, however badly it is written
# Words with which a question begins, folded.
_WHAT = frozenset(
    (
        *("who", "what", "what's", "when", "where", "why", "how", "which", "whose"),
        *("hvem", "hva", "nar", "hvor", "hvorfor", "hvordan", "hvilken", "hvilket", "hvilke"),
        *("vem", "vad", "varfor", "hur", "vilken", "vilket", "vilka"),
        *("wer", "wann", "wo", "warum", "wie", "welche", "welcher"),
    )
)
_VERBS = frozenset(
    (
        *("can", "could", "may", "might", "must", "shall", "should", "will", "would", "do", "does"),
        *("did", "is", "are", "am", "was", "were", "has", "have", "had", "isn't", "aren't"),
        *("doesn't", "didn't", "can't", "couldn't", "won't", "wouldn't", "shouldn't", "wasn't"),
        *("kan", "kunne", "far", "fikk", "ma", "matte", "skal", "skulle", "vil", "ville", "er"),
        *("var", "har", "hadde", "ble", "blir", "gjor", "gjorde", "gar", "teller", "gjelder"),
        *("betyr", "finnes", "bor", "burde", "kunde", "fick", "maste", "ska", "vill", "ar", "hade"),
        *("blev", "gor", "raknas", "galler", "betyder", "finns", "borde", "kann", "darf", "soll"),
        *("muss", "ist", "sind", "war", "hat", "haben", "don't", "hasn't"),
    )
)
# Words that people write in orders or around them, folded; they make no sentence.
_SLIGHT = frozenset(
    (
        *("to", "from", "and", "then", "the", "my", "please", "pls", "thanks", "thank", "you"),
        *("ok", "okay", "right", "yes", "it", "so", "now", "here", "piece", "square", "step"),
        *("with", "on", "at", "by", "via", "in", "up", "down", "left", "forward", "back", "one"),
        *("til", "fra", "og", "sa", "min", "mitt", "mine", "vennligst", "takk", "ja", "jeg"),
        *("na", "her", "brikke", "brikken", "rute", "med", "pa", "opp", "ned", "frem", "till"),
        *("fran", "och", "snalla", "tack", "jag", "nu", "har", "pjas", "pjasen", "ruta", "upp"),
        *("ner", "fram", "move", "moves", "go", "goes", "flytt", "flytta", "ga", "gar", "der"),
    )
)


def is_question(likeness: Likeness, lines: Sequence[Line]) -> bool:
    """Return whether lines, none of which reads as an order, are a question: there is a question
    mark in them, and none of them is nearly an order."""
    if not any("?" in line.text for line in lines):
        return False
    opened = closed = False
    for text in _unwrap(lines):
        if alike(likeness, text, opened=opened, closed=closed) and _is_nearly_order(likeness, text):
            return False
        closed = closed or closes(text)
        opened = opened or lookup_form(text).partition(" ")[0].rstrip(":") in likeness.opens
    return True


def is_aside(likeness: Likeness, text: str) -> bool:
    """Return whether a line beside orders is surely a question and none of them: it asks in whole
    sentences, and no two squares or codes stand at the beginning of one, as in an order."""
    if "?" not in text:
        return False
    sentences = (found.strip() for found in _SENTENCE.findall(clean(text)))
    return all(
        _is_prose(likeness, one) and not _begins_with_two(likeness, one) for one in sentences if one
    )


def _begins_with_two(likeness: Likeness, sentence: str) -> bool:
    words = lookup_form(as_latin(sentence))
    known = likeness.begins | likeness.verbs | likeness.names | likeness.words | _SLIGHT
    plain = [word for word in _TOKEN.findall(words) if word not in known and len(word) > 1]
    return _begins_as_order(words, plain)


def _unwrap(lines: Sequence[Line]) -> Iterator[str]:
    """Yield the lines as their writer began them: a program breaks long ones."""
    whole, last = "", 0
    for line in lines:
        text = clean(line.text).strip()
        if whole and line.number == last + 1 and _is_broken(whole):
            whole = f"{whole} {text}"
        else:
            if whole:
                yield whole
            whole = text
        last = line.number
    if whole:
        yield whole


def _is_broken(text: str) -> bool:
    # A whole paragraph has been joined so far: its last line counts, and that was long, too.
    return len(text) >= _WRAPPED and not text.endswith((".", "!", "?", ":", ";"))


def _is_nearly_order(likeness: Likeness, text: str) -> bool:
    """Return whether some sentence that may be meant as an order is no clear prose."""
    sentences = (found.strip() for found in _SENTENCE.findall(text))
    return any(alike(likeness, one) and not _is_prose(likeness, one) for one in sentences if one)


def _is_prose(likeness: Likeness, sentence: str) -> bool:
    words = lookup_form(as_latin(sentence))
    tokens = _TOKEN.findall(words)
    if not tokens or tokens[0] in likeness.begins:
        return False
    known = likeness.begins | likeness.verbs | likeness.names | likeness.words | _SLIGHT
    plain = [word for word in tokens if word not in known and len(word) > 1]
    asks = sentence.rstrip(" \"'*_)").endswith("?")
    if _begins_as_order(words, plain):
        return bool(plain) and plain[0] in _VERBS
    if asks and not (_WHAT | _VERBS).isdisjoint(tokens[:_FIRST]):
        return True
    return len(plain) >= _FEWEST[not asks and _VERBS.isdisjoint(plain)]


def _begins_as_order(words: str, plain: Sequence[str]) -> bool:
    """Return whether two squares or codes stand before the first word that orders do not have."""
    found = re.search(rf"(?<![^\W_]){re.escape(plain[0])}(?![^\W_])", words) if plain else None
    before = words[: found.start()] if found else words
    return len(_CODE.findall(before)) > 1
