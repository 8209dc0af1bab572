"""Words of orders in English, Norwegian and Swedish: pieces and directions (rules 7.1, 7.2)."""

import re
from collections.abc import Mapping, Sequence
from functools import cache

from adjudicator.core.likeness import Likeness
from adjudicator.core.message import Message, listed, say
from adjudicator.core.orders import folded, nearest, shown, unstopped
from adjudicator.games.espionage.rules.board import Square
from adjudicator.games.espionage.rules.pieces import BY_LETTER, Rank

# Rule 7.1: English, Norwegian, Swedish.
NAMES: Mapping[Rank, tuple[str, ...]] = {
    Rank.CORPORAL: ("corporal", "korporal", "korpral"),
    Rank.LIEUTENANT: ("lieutenant", "løytnant", "löjtnant"),
    Rank.CAPTAIN: ("captain", "kaptein", "kapten"),
    Rank.COLONEL: ("colonel", "oberst", "överste"),
    Rank.GENERAL: ("general",),
    Rank.SPY: ("spy", "spion"),
    Rank.SAPPER: ("sapper", "minerydder", "minröjare"),
    Rank.MINE: ("mine", "mina"),
    Rank.HEADQUARTERS: ("headquarters", "hovedkvarter", "högkvarter"),
}
TITLES: Mapping[Rank, Message] = {
    Rank.CORPORAL: say("Corporal"),
    Rank.LIEUTENANT: say("Lieutenant"),
    Rank.CAPTAIN: say("Captain"),
    Rank.COLONEL: say("Colonel"),
    Rank.GENERAL: say("General"),
    Rank.SPY: say("Spy"),
    Rank.SAPPER: say("Sapper"),
    Rank.MINE: say("Mine"),
    Rank.HEADQUARTERS: say("Headquarters"),
}
BY_NAME = {folded(name): rank for rank, names in NAMES.items() for name in names}
# Files and ranks to add; absolute, north is towards rank 10 (rule 7.2).
SHIFTS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("north", "nord", "norr"), (0, 1)),
    **dict.fromkeys(("south", "sor", "syd", "soder"), (0, -1)),
    **dict.fromkeys(("east", "ost", "oster"), (1, 0)),
    **dict.fromkeys(("west", "vest", "vast", "vaster"), (-1, 0)),
}
DIRECTIONS = tuple(
    folded(word)
    for words in (
        ("north", "south", "east", "west"),
        ("nord", "sør", "øst", "vest"),
        ("norr", "söder", "öster", "väster"),
    )
    for word in words
)
DIRECTION_NAMES: Mapping[tuple[int, int], Message] = {
    (0, 1): say("north"),
    (0, -1): say("south"),
    (1, 0): say("east"),
    (-1, 0): say("west"),
}
MOVE_WORDS = ("move", "flytt", "flytta")
SETUP_WORDS = ("setup", "oppstilling", "uppställning")
_SQUARE = "[a-j](?:10|[1-9])"
_EDGES = "\"'.,; "  # signs around an order that say nothing


@cache
def likeness() -> Likeness:
    """Return the words by which a line is known that may be meant as an order. The name of a piece
    by itself says nothing: `General question`."""
    return Likeness(
        code=re.compile(rf"(?<![^\W_]){_SQUARE}(?:x?{_SQUARE})?(?![^\W_])"),
        begins=frozenset(map(folded, SETUP_WORDS)),
        verbs=frozenset((*MOVE_WORDS, *BY_NAME)),
        names=frozenset(DIRECTIONS),
        words=frozenset(("auto", "random", "tilfeldig", "slump")),
        opens=frozenset(map(folded, SETUP_WORDS)),
    )


def find_rank(word: str) -> Rank | Message:
    """Return the rank that a letter, a name or an unambiguous beginning of one means (7.1, 7.2)."""
    key = folded(word)
    if rank := BY_LETTER.get(key.upper()) or BY_NAME.get(key):
        return rank
    begun = _begun(key)
    if len(begun) == 1:
        return begun[0]
    if begun:
        names = listed(TITLES[rank] for rank in begun)
        return say(
            "'{word}' could mean {names}; write more of the name", word=shown(word), names=names
        )
    if close := nearest(word, BY_NAME):
        return say(
            "'{word}' is not a piece; did you mean {meant}?",
            word=shown(word),
            meant=guess_for_reader(close),
        )
    return say(
        "'{word}' is not a piece; write a letter (1-5, S, P, M, H) or a name", word=shown(word)
    )


def _begun(key: str) -> Sequence[Rank]:
    """Return the ranks of which some name begins so."""
    return [
        rank for rank, names in NAMES.items() if any(folded(name).startswith(key) for name in names)
    ]


def guess_for_reader(guess: str) -> Message | str:
    """Write a guess as its reader writes it: a piece and SETUP in his own language, whatever the
    language of the word that was like it."""
    if rank := BY_NAME.get(folded(guess)):
        return TITLES[rank]
    return say("SETUP") if guess in SETUP_WORDS else guess.upper()


def square(text: str) -> Square:
    return Square(f"{text[0]}{int(text[1:])}")


def strip_signs(text: str) -> str:
    """Return a cleaned line without the signs around it that say nothing."""
    return unstopped(text).strip(_EDGES)


def core(text: str) -> str:
    """Cut a line down to what the grammar reads, with as many characters as what the player
    wrote."""
    stripped = strip_signs(text)
    plain = folded(stripped)
    return stripped if len(stripped) == len(plain) else plain
