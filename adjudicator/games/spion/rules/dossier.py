"""The open dossier of `memory=open`: cards that all saw, and where they lie (5.6)."""

from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.games.spion.rules.state import (
    Card,
    Event,
    GuessedRight,
    Kept,
    Noted,
    Refused,
    Shown,
    State,
    Swapped,
    TakenInAnswer,
    Took,
)

UNPLACED = "?"
Dossier = tuple[Noted, ...]


def note_fact(state: State, event: Event) -> Dossier:
    """Return the dossier after one fact: what moves is struck out, what was seen is entered."""
    dossier, turn = state.dossier, state.turn
    match event:
        case Shown(seat, place, card):
            # It lies there still: a note that told of it before is replaced, not struck out.
            here = (seat, str(place), False)
            rest = tuple(note for note in dossier if (note.seat, note.place, note.moved) != here)
            return _entered(rest, turn, card, seat, str(place))
        case GuessedRight(seat, target, place, card, into):
            there = UNPLACED if into is None else str(into)
            return _entered(_struck(dossier, target, str(place)), turn, card, seat, there)
        case Took(embassy=embassy):
            return _struck(dossier, None, embassy)
        case TakenInAnswer(challenger=challenger, place=place):
            return _struck(dossier, challenger, str(place))
        case Swapped(seat, place):
            return _placed(_struck(dossier, seat, str(place)), turn, seat, seat, str(place))
        case Kept(seat, place):
            return _placed(dossier, turn, seat, seat, str(place))
        case Refused(seat, embassy):
            return _placed(dossier, turn, seat, None, embassy)
        case _:
            return dossier


def _entered(dossier: Dossier, turn: int, card: Card, seat: Seat | None, place: str) -> Dossier:
    return (*dossier, Noted(turn, card, seat, place))


def _struck(dossier: Dossier, seat: Seat | None, place: str) -> Dossier:
    return tuple(
        replace(note, moved=True) if (note.seat, note.place) == (seat, place) else note
        for note in dossier
    )


def _placed(dossier: Dossier, turn: int, owner: Seat, seat: Seat | None, place: str) -> Dossier:
    """Note where a card went that was on "?": everybody knows it still if it was guessed."""
    guessed = [note for note in dossier if (note.seat, note.place) == (owner, UNPLACED)]
    rest = tuple(note for note in dossier if note not in guessed)
    return (*rest, *(Noted(turn, note.card, seat, place) for note in guessed))
