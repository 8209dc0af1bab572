"""Say what is wrong with a line that the grammar does not read as steps."""

import re
from difflib import get_close_matches

from adjudicator.core.message import Message, say
from adjudicator.core.orders import folded, nearest, shown
from adjudicator.games.espionage.orders.words import (
    BY_NAME,
    DIRECTION_NAMES,
    DIRECTIONS,
    MOVE_WORDS,
    SETUP_WORDS,
    SHIFTS,
    core,
    find_rank,
    guess_for_reader,
)
from adjudicator.games.espionage.rules.pieces import Rank


def complaint(text: str, trouble: Exception) -> Message:
    """Say what a line should have been, told from where the grammar stopped."""
    expected = getattr(trouble, "accepts", None) or getattr(trouble, "allowed", None) or set()
    token = getattr(trouble, "token", None)
    if token is not None and token.type == "$END":
        return _broken_off(text, "DIRECTION" in expected)
    source = core(text)
    rest = source[max(getattr(trouble, "column", 1) - 1, 0) :]
    word = re.match(r"[^\W\d_]+(?!\w)", rest)
    if "DIRECTION" in expected and word:
        return _no_direction(word[0])
    return _not_understood(text, rest if _begins_well(source[: -len(rest) or None]) else "")


def _begins_well(start: str) -> bool:
    """Return whether the text before the point where the grammar stopped says something to us."""
    words = re.findall(r"[^\W\d_]{2,}", start)
    return bool(start) and all(
        folded(word) in BY_NAME or re.fullmatch("move|flytta?", folded(word)) for word in words
    )


def _not_understood(text: str, part: str = "") -> Message:
    if part and part != text:
        return say(
            "I do not understand '{part}' in '{seen}'; write a step like d3-d4",
            part=shown(part),
            seen=shown(text),
        )
    return say("I do not understand '{seen}'; write a step like d3-d4", seen=shown(text))


def _no_direction(word: str) -> Message:
    if meant := _nearest_direction(word):
        return say("'{word}' is not a direction; did you mean {meant}?", word=word, meant=meant)
    return say(
        "'{word}' is not a direction; write north, south, east or west, or a square as in d3-d4",
        word=shown(word),
    )


def _nearest_direction(word: str) -> Message | None:
    """Guess a misspelt direction, only where there is no doubt: `est` is as near to west as to
    east. The reader sees it in his language: `nor` is as near to the Swedish word as to the
    Norwegian one."""
    close = get_close_matches(folded(word), DIRECTIONS, n=len(DIRECTIONS), cutoff=0.8)
    meant = {SHIFTS[key] for key in close}
    return DIRECTION_NAMES[meant.pop()] if len(meant) == 1 else None


def _broken_off(text: str, goal_missing: bool) -> Message:
    """Say that the line ends too early: after a piece's square, or before it."""
    if goal_missing:
        square = re.findall(r"[a-z]\d+", folded(text))[-1]
        return say(
            "'{seen}' does not say where {square} goes; write a step like d3-d4",
            seen=shown(text),
            square=square,
        )
    words = re.findall(r"[^\W_]+", text)
    last = words[-1] if words else ""
    if last and (folded(last) in MOVE_WORDS or isinstance(find_rank(last), Rank)):
        return say("'{seen}' does not name two squares; write a step like d3-d4", seen=shown(text))
    if meant := nearest(last, (*SETUP_WORDS, *MOVE_WORDS, *BY_NAME)):
        return say(
            "I do not understand '{seen}'; did you mean '{meant}'?",
            seen=shown(last),
            meant=guess_for_reader(meant),
        )
    return _not_understood(text, last)
