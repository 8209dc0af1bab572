"""What a seat learns of what happens: `witness` builds its news (rules 5.5).

Whatever names the type of a card is told once: `lasting` makes a report as it may be shown again,
by a list of what may stay.
"""

from collections.abc import Sequence
from typing import Any, assert_never

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from adjudicator.core.game import Report, Seat
from adjudicator.core.report import Visible, plain
from adjudicator.games.spion.rules.state import (
    AnswerAwaited,
    Begun,
    Blocked,
    Card,
    Challenged,
    Dealt,
    Dice,
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
    Place,
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
    Why,
)
from adjudicator.games.spion.sight.view import SeenSeat, View


class Seen(Visible, frozen=True, kw_only=True):
    """One event as a seat learns of it; absent is what the event does not have. `card`, `given`
    and `kept` are types and told once; `guess` too, and `line`, which may be for a type, with its
    `why`. Each is absent for who may not know it."""

    event: str
    seat: Seat
    target: Seat | UnsetType = UNSET
    turn: int | UnsetType = UNSET
    text: str | UnsetType = UNSET
    number: int | UnsetType = UNSET
    dice: Dice | UnsetType | None = UNSET
    key: str | UnsetType = UNSET
    start: Place | UnsetType = UNSET
    goal: Place | UnsetType = UNSET
    path: tuple[Place, ...] | UnsetType = UNSET
    embassy: Place | UnsetType = UNSET
    embassies: tuple[Place, ...] | UnsetType = UNSET
    place: int | UnsetType | None = UNSET
    into: int | UnsetType | None = UNSET
    guard_from: Place | UnsetType = UNSET
    guard_to: Place | UnsetType = UNSET
    spy_from: Place | UnsetType = UNSET
    spy_to: Place | UnsetType = UNSET
    by: tuple[Seat, ...] | UnsetType = UNSET
    use: str | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    ambush: bool | UnsetType = UNSET
    why: Why | UnsetType = UNSET
    line: str | UnsetType = UNSET
    guess: Card | UnsetType = UNSET
    card: Card | UnsetType = UNSET
    given: Card | UnsetType = UNSET
    kept: Card | UnsetType = UNSET


FLEETING = ("guess", "card", "given", "kept", "line", "why")
_LASTING = tuple(name for name in Seen.__struct_fields__ if name not in FLEETING)


def witness(event: Event, seat: Seat) -> Seen | None:
    """What `seat` learns of an event; None where that is nothing, or stands in its view."""
    match event:
        case Ordered() | Rolled() | Instructed() | TurnPassed() | Ended():
            return None
        case Phrased(who, text):
            return Seen(event="phrased", seat=who, text=text)
        case Begun(first):
            return Seen(event="begun", seat=first)
        case OpeningRolled(who, number, dice, key):
            return Seen(event="opening-rolled", seat=who, number=number, dice=dice, key=key)
        case TurnOpened(who, number, roll):
            return _opened(who, number, roll)
        case Blocked(who, by):
            return Seen(event="blocked", seat=who, by=by)
        case Drew(who, use, number, key):
            return Seen(event="drew", seat=who, use=use, number=number, key=key)
        case Unfollowed(who, line, why):
            return Seen(event="unfollowed", seat=who, line=line, why=why) if seat == who else None
        case AnswerAwaited(challenger, defender, place):
            return Seen(event="answer-awaited", seat=challenger, target=defender, place=place)
        case Left(who, reason):
            return Seen(event="left", seat=who, reason=reason)
        case Replaced(who):  # the others are told who plays now
            return Seen(event="replaced", seat=who) if seat == who else None
        case Dealt() | Moved() | Challenged() | GuardSwapped():
            return _on_the_board(event, seat)
        case Took() | Swapped() | Refused() | Kept() | GuessedRight() | Shown() | TakenInAnswer():
            return _of_cards(event, seat)
        case _:
            assert_never(event)


def unveiled(event: Event, seats: Sequence[Seat]) -> dict[str, Any] | None:
    """What an event was, with all cards open, for a match that has ended; None where `witness`
    has nothing to tell of it."""
    seen = witness(event, getattr(event, "seat", seats[0]))
    if seen is None:
        return None
    told: dict[str, Any] = plain(seen)
    return told | {"cards": dict(event.cards)} if isinstance(event, Dealt) else told


def _opened(seat: Seat, number: int, roll: Roll | None) -> Seen:
    """A turn is executed and its dice become public."""
    if roll is None:
        return Seen(event="turn-opened", seat=seat, turn=number, dice=None)
    return Seen(
        event="turn-opened",
        seat=seat,
        turn=number,
        dice=roll.dice,
        number=roll.number,
        key=roll.key,
    )


def _on_the_board(event: Dealt | Moved | Challenged | GuardSwapped, seat: Seat) -> Seen:
    match event:
        case Dealt(cards):
            return Seen(event="dealt", seat=seat, embassies=tuple(cards))
        case Moved(who, start, goal, path, ambush):
            return Seen(event="moved", seat=who, start=start, goal=goal, path=path, ambush=ambush)
        case GuardSwapped():
            return Seen(
                event="guard-swapped",
                seat=event.seat,
                target=event.replaced,
                guard_from=event.guard_from,
                guard_to=event.square,
                goal=event.home,
            )
        case Challenged():
            return Seen(
                event="challenged",
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
    """Everybody sees which place and embassy is touched; types are told as 5.5 has it."""
    match event:
        case Took(who, embassy, card, place):
            told = _told(card, seat == who)
            return Seen(event="took", seat=who, embassy=embassy, place=place, card=told)
        case Swapped(who, place, embassy, given, kept):
            return Seen(
                event="swapped",
                seat=who,
                place=place,
                embassy=embassy,
                given=_told(given, seat == who),
                kept=_told(kept, seat == who),
            )
        case Refused(who, embassy, card, known):
            told = _told(card, known or seat == who)
            return Seen(event="refused", seat=who, embassy=embassy, card=told)
        case Kept(who, place, card):
            return Seen(event="kept", seat=who, place=place, card=_told(card, seat == who))
        case GuessedRight(who, target, place, card, into):
            return Seen(
                event="guessed-right", seat=who, target=target, place=place, into=into, card=card
            )
        case Shown(who, place, card):
            return Seen(event="shown", seat=who, place=place, card=card)
        case TakenInAnswer(who, challenger, place, card):
            told = _told(card, seat in (who, challenger))
            return Seen(
                event="taken-in-answer", seat=who, target=challenger, place=place, card=told
            )


def _told(card: Card, may_know: bool) -> Card | UnsetType:
    return card if may_know else UNSET


# What of a report may be shown again; the cards are only ever the present ones (5.5).
_KEPT_SEAT = tuple(name for name in SeenSeat.__struct_fields__ if name != "cards")


def lasting(report: Report[View, Seen]) -> Report[View, Seen]:
    """A report as it may be read again (5.6): what happened and where, no type of a card. With
    open memory, and when all is over, there is nothing to forget."""
    view = report.view
    if view.memory == "open" or view.phase == "over":
        return report
    seats = tuple(_without_cards(entry) for entry in view.seats)
    news = tuple(_without_types(entry) for entry in report.news)
    return replace(report, view=replace(view, seats=seats), news=news)


def _without_types(entry: Seen) -> Seen:
    return Seen(**{name: getattr(entry, name) for name in _LASTING})


def _without_cards(entry: SeenSeat) -> SeenSeat:
    return SeenSeat(**{name: getattr(entry, name) for name in _KEPT_SEAT}, cards=None)


def tells_once(report: Report[View, Seen]) -> bool:
    """With `memory=once` news that name a type go into a letter of their own."""
    if report.view.memory != "once" or report.phase == "over":
        return False
    return any(getattr(entry, name) is not UNSET for entry in report.news for name in FLEETING)
