"""Tell a seat what it learns of an event, in two parts: what all see of it, and what some are told
besides (rules 7.3).

A public part is built from the fields that the book gives it. A private part is made for each
seat by name (for a dormant power too, but only records have it); who is not named is told
nothing. `skipped` alone is not public: it is for its owner's eyes.
"""

from functools import reduce
from typing import assert_never

from msgspec import UNSET
from msgspec.structs import asdict, replace

from adjudicator.core.match import Seat
from adjudicator.games.spies.rules.events import (
    AnyEvent,
    Cash,
    Committed,
    Discover,
    Drop,
    Ended,
    Gain,
    Give,
    Go,
    Guard,
    Instructed,
    Kept,
    Kill,
    Left,
    Ordered,
    Passed,
    Placed,
    Rearranged,
    Reshuffled,
    Return,
    Search,
    Skipped,
    Take,
    Tile,
    Turned,
)
from adjudicator.games.spies.sight.sightings import (
    Known,
    KnownChit,
    KnownChits,
    KnownFace,
    KnownFight,
    KnownStrengths,
    KnownTile,
    KnownWhy,
    News,
    Private,
    SawCash,
    SawDiscover,
    SawDrop,
    SawGain,
    SawGive,
    SawGo,
    SawGuard,
    SawKill,
    SawReturn,
    SawSearch,
    SawSkipped,
    SawTake,
    SawTile,
    SawTurn,
)


def witness(event: AnyEvent, seat: Seat) -> News | None:
    """Return an event as `seat` may see it, with its own private part; None if it sees nothing of
    it."""
    if isinstance(event, Skipped) and event.seat != seat:
        return None
    return _with(public(event), private(event).get(seat))


def unveil(event: AnyEvent) -> News | None:
    """Return an event with all that anybody was told of it, for a match that has ended; None if it
    is no news."""
    parts = private(event).values()
    return _with(public(event), reduce(_joined, parts) if parts else None)


def _with(seen: News | None, known: Known | None) -> News | None:
    return seen if seen is None or known is None else replace(seen, known=known)


def _joined(known: Known, other: Known) -> Known:
    """Add to a private part what another of the same event tells besides."""
    fields = ((name, getattr(other, name)) for name in other.__struct_fields__)
    return replace(known, **{name: told for name, told in fields if told is not UNSET})


def public(event: AnyEvent) -> News | None:
    """Return what all see of an event; None if it is none of 7.3 and shows in the view, or not at
    all."""
    match event:
        case Turned(power, year):
            return SawTurn(power=power, year=year)
        case Tile(power, _, tile, played):
            return SawTile(power=power, tile=tile if played else None)
        case Gain(power, _, city, kinds, money):
            return SawGain(power=power, city=city, chits=len(kinds), money=money)
        case Go(power, spy, start, to):
            return SawGo(power=power, spy=spy, start=start, to=to)
        case Return(power, spy, city):
            return SawReturn(power=power, spy=spy, city=city)
        case Take(power, spy, secret, city):
            return SawTake(power=power, spy=spy, secret=secret, city=city)
        case Drop(power, spy, secret, city):
            return SawDrop(power=power, spy=spy, secret=secret, city=city)
        case Guard(power, secret, city):
            return SawGuard(power=power, secret=secret, city=city)
        case Cash(power, _, spy, secret):
            return SawCash(power=power, spy=spy, secret=secret)
        case Give(power, to, money):
            return SawGive(power=power, to=to, money=money)
        case Search() | Discover() | Kill():
            return _encounter(event)
        case Skipped(power, _, spy, step):
            return SawSkipped(power=power, spy=spy, step=step)
        case (
            Ordered()
            | Placed()
            | Committed()
            | Instructed()
            | Reshuffled()
            | Rearranged()
            | Passed()
            | Kept()
            | Left()
            | Ended()
        ):
            return None
        case _:
            assert_never(event)


def _encounter(event: Search | Discover | Kill) -> News:
    match event:
        case Search():
            return SawSearch(
                power=event.power,
                spy=event.spy,
                city=event.city,
                arrival=event.arrival,
                answer=event.answer,
                to=event.to,
                captured=event.captured,
            )
        case Discover():
            return SawDiscover(
                power=event.power,
                spy=event.spy,
                secret=event.secret,
                city=event.city,
                free=event.free,
                result=event.result,
                captured=event.captured,
                by=event.by,
            )
        case Kill():
            return SawKill(
                power=event.power,
                spy=event.spy,
                victim=event.victim,
                city=event.city,
                result=event.result,
            )


def private(event: AnyEvent) -> Private:
    """Return what is told besides, by seat."""
    match event:
        case Tile(_, seat, tile, False):
            return {seat: KnownTile(tile=tile)}
        case Gain(_, seat, _, kinds) if kinds:
            return {seat: KnownChits(chits=kinds)}
        case Search(strength=int(strength), police=int(police)):
            part = KnownStrengths(strength=strength, police=police)
            return dict.fromkeys(event.told, part)
        case Discover():
            return {who: KnownFace(**asdict(part)) for who, part in event.told.items()}
        case Cash(_, seat, _, _, str(chit)):
            return {seat: KnownChit(chit=chit)}
        case Give(chit=str(chit)):
            return dict.fromkeys(event.told, KnownChit(chit=chit))
        case Kill():
            fight = KnownFight(spy=event.strength, victim=event.victims_strength)
            return dict.fromkeys(event.told, fight)
        case Skipped(seat=seat, why=why):
            return {seat: KnownWhy(why=why)}
        case _:
            return {}
