"""Tell a seat what it learns of an event: `witness` builds its news (rules 5.5).

Whatever names the type of a card is told once: `lasting` makes a report as it may be shown again,
by a list of what may stay.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.report import Report
from adjudicator.games.spion.rules.state import (
    AnswerAwaited,
    Begun,
    Blocked,
    Card,
    Challenged,
    Dealt,
    Drew,
    Ended,
    Event,
    GuardSwapped,
    GuessedRight,
    Instructed,
    Kept,
    Left,
    Moved,
    OpeningRolled,
    Ordered,
    Phrased,
    Refused,
    Replaced,
    Roll,
    Rolled,
    Shown,
    Swapped,
    TakenInAnswer,
    Took,
    TurnOpened,
    TurnPassed,
    Unfollowed,
)
from adjudicator.games.spion.sight.sightings import (
    LASTING,
    SawAnswerAwaited,
    SawBegun,
    SawBlocked,
    SawChallenged,
    SawDealt,
    SawDrew,
    SawGuardSwapped,
    SawGuessedRight,
    SawKept,
    SawLeft,
    SawMoved,
    SawOpeningRolled,
    SawPhrased,
    SawRefused,
    SawReplaced,
    SawShown,
    SawSwapped,
    SawTakenInAnswer,
    SawTook,
    SawTurnOpened,
    SawUnfollowed,
    Seen,
    tells_type,
)
from adjudicator.games.spion.sight.view import SeenSeat, View


def witness(event: Event, seat: Seat) -> Seen | None:
    """Return what `seat` learns of an event; None if that is nothing, or stands in its view."""
    match event:
        case Ordered() | Rolled() | Instructed() | TurnPassed() | Ended():
            return None
        case Phrased(who, text):
            return SawPhrased(seat=who, text=text)
        case Begun(first):
            return SawBegun(seat=first)
        case OpeningRolled(who, number, dice, key):
            return SawOpeningRolled(seat=who, number=number, dice=dice, key=key)
        case TurnOpened(who, number, roll):
            return _opened(who, number, roll)
        case Blocked(who, by):
            return SawBlocked(seat=who, by=by)
        case Drew(who, use, number, key):
            return SawDrew(seat=who, use=use, number=number, key=key)
        case Unfollowed(who, line, why):
            return SawUnfollowed(seat=who, line=line, why=why) if seat == who else None
        case AnswerAwaited(challenger, defender, place):
            return SawAnswerAwaited(seat=challenger, target=defender, place=place)
        case Left(who, reason):
            return SawLeft(seat=who, reason=reason)
        case Replaced(who):  # the others are told who plays now
            return SawReplaced(seat=who) if seat == who else None
        case Dealt() | Moved() | Challenged() | GuardSwapped():
            return _on_the_board(event, seat)
        case Took() | Swapped() | Refused() | Kept() | GuessedRight() | Shown() | TakenInAnswer():
            return _of_cards(event, seat)
        case _:
            assert_never(event)


def unveil(event: Event, seats: Sequence[Seat]) -> Seen | None:
    """Return an event with all cards open, for a match that has ended; None if `witness` has
    nothing to tell of it."""
    match event:
        case Dealt() | Begun() | AnswerAwaited() | Ended():  # all see the same of it
            return witness(event, seats[0])
        case _:
            return witness(event, event.seat)


def _opened(seat: Seat, number: int, roll: Roll | None) -> Seen:
    """Tell that a turn is executed, and its dice become public."""
    if roll is None:
        return SawTurnOpened(seat=seat, turn=number, dice=None)
    return SawTurnOpened(
        seat=seat,
        turn=number,
        dice=roll.dice,
        number=roll.number,
        key=roll.key,
    )


def _on_the_board(event: Dealt | Moved | Challenged | GuardSwapped, seat: Seat) -> Seen:
    match event:
        case Dealt(cards):
            return SawDealt(seat=seat, embassies=tuple(cards))
        case Moved(who, start, goal, path, ambush):
            return SawMoved(seat=who, start=start, goal=goal, path=path, ambush=ambush)
        case GuardSwapped():
            return SawGuardSwapped(
                seat=event.seat,
                target=event.replaced,
                guard_from=event.guard_from,
                guard_to=event.square,
                goal=event.home,
            )
        case Challenged():
            return SawChallenged(
                seat=event.seat,
                target=event.target,
                place=event.place,
                guess=event.guess,
                guard_from=event.guard_from,
                guard_to=event.guard_to,
                spy_from=event.spy_from,
                spy_to=event.spy_to,
                ambush=event.ambush,
            )


def _of_cards(
    event: Took | Swapped | Refused | Kept | GuessedRight | Shown | TakenInAnswer, seat: Seat
) -> Seen:
    """Tell of cards: everybody sees which place and embassy is touched; types are told as 5.5 has
    it."""
    match event:
        case Took(who, embassy, card, place):
            told = _told(card, seat == who)
            return SawTook(seat=who, embassy=embassy, place=place, card=told)
        case Swapped(who, place, embassy, given, kept):
            return SawSwapped(
                seat=who,
                place=place,
                embassy=embassy,
                given=_told(given, seat == who),
                kept=_told(kept, seat == who),
            )
        case Refused(who, embassy, card, known):
            told = _told(card, known or seat == who)
            return SawRefused(seat=who, embassy=embassy, card=told)
        case Kept(who, place, card):
            return SawKept(seat=who, place=place, card=_told(card, seat == who))
        case GuessedRight(who, target, place, card, into):
            return SawGuessedRight(seat=who, target=target, place=place, into=into, card=card)
        case Shown(who, place, card):
            return SawShown(seat=who, place=place, card=card)
        case TakenInAnswer(who, challenger, place, card):
            told = _told(card, seat in (who, challenger))
            return SawTakenInAnswer(seat=who, target=challenger, place=place, card=told)


def _told(card: Card, may_know: bool) -> Card | UnsetType:
    return card if may_know else UNSET


def lasting(report: Report[View, Seen]) -> Report[View, Seen]:
    """Return a report as it may be read again (5.6): what happened and where, no type of a card.
    With open memory, and when all is over, there is nothing to forget."""
    view = report.view
    if view.memory == "open" or view.phase == "over":
        return report
    seats = tuple(_without_cards(entry) for entry in view.seats)
    news = tuple(_without_types(entry) for entry in report.news)
    return replace(report, view=replace(view, seats=seats), news=news)


def _without_types(entry: Seen) -> Seen:
    kept = (name for name in entry.__struct_fields__ if name in LASTING)
    return type(entry)(**{name: getattr(entry, name) for name in kept})


def _without_cards(entry: SeenSeat) -> SeenSeat:
    """Return a seat as it may be shown again: cards are only ever the present ones (5.5)."""
    return SeenSeat(
        seat=entry.seat,
        spy=entry.spy,
        bodyguard=entry.bodyguard,
        start=entry.start,
        home=entry.home,
        filled=entry.filled,
        cards=None,
        left=entry.left,
    )


def tells_once(report: Report[View, Seen]) -> bool:
    """Return whether a report's news go into a letter of their own: with `memory=once`, if they
    name a type."""
    if report.view.memory != "once" or report.phase == "over":
        return False
    return any(map(tells_type, report.news))
