"""Tell what happened in words, as far as this report's seat was told it (rules 7.3)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import assert_never

from msgspec import UNSET

from adjudicator.core.message import Message, Value, Words, count, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, chits, place, tile_text
from adjudicator.games.spies.page.titles import secret_title
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.sight.sightings import (
    KnownFace,
    News,
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

Group = tuple[str, list[str]]  # a heading, and the sentences below it
Values = dict[str, Value]  # what stands in the holes of a sentence

_WHY: Mapping[str, Message] = {
    "off-map": say("it was not on the map"),
    "no-goal": say("no goal was within reach with its condition fulfilled"),
    "condition": say("its condition was not fulfilled"),
    "nothing-here": say("there was nothing to discover, or its hands were full"),
    "cannot-pay": say("the chit or the money was missing"),
    "cannot-take": say("it could not take that"),
    "empty": say("it carried nothing"),
    "cannot-return": say("it could not come back, or not pay for it"),
    "cannot-kill": say("the victim was not there, or the dagger could not be paid"),
}


def happened(news: Sequence[News], words: Words) -> list[Group]:
    """Return the sentences of each power's turn; turns without any are left out."""
    return [
        (words(heading), told)
        for heading, entries in grouped(news)
        if (told := sentences(entries, words))
    ]


def grouped(news: Sequence[News]) -> list[tuple[Message, list[News]]]:
    """Return the news of each power's turn, under its heading."""
    groups: list[tuple[Message, list[News]]] = []
    for entry in news:
        if isinstance(entry, SawTurn):
            title = TITLES[entry.power]
            groups.append((say("{power}, {year}", power=title, year=str(entry.year)), []))
        elif groups:
            groups[-1][1].append(entry)
    return groups


def sentences(news: Sequence[News], words: Words) -> list[str]:
    """Return what is told of each event; an event that its heading tells has no words."""
    told = (" ".join(map(words, _messages(entry, words))) for entry in news)
    return [sentence for sentence in told if sentence]


def _messages(entry: News, words: Words) -> Iterator[Message]:
    match entry:
        case SawTurn():
            return iter(())
        case SawTile():
            return _tile(entry, words)
        case SawGain():
            return _gain(entry, words)
        case SawSearch():
            return _search(entry, words)
        case SawGo():
            return _go(entry, words)
        case SawReturn():
            return _return(entry, words)
        case SawTake():
            return _take(entry, words)
        case SawDrop():
            return _drop(entry, words)
        case SawGuard():
            return _guard(entry, words)
        case SawDiscover():
            return _discover(entry, words)
        case SawCash():
            return _cash(entry)
        case SawGive():
            return _give(entry)
        case SawKill():
            return _kill(entry, words)
        case SawSkipped():
            return _skipped(entry)
        case _:
            assert_never(entry)


def _tile(entry: SawTile, words: Words) -> Iterator[Message]:
    if tile := entry.tile:
        yield say("The event is {tile}: {told}.", tile=tile, told=tile_text(tile, words))
    elif entry.known is not UNSET:
        yield say("You discard {tile}, unseen by the others.", tile=entry.known.tile)
    else:
        yield say("A tile is discarded unseen.")


def _gain(entry: SawGain, words: Words) -> Iterator[Message]:
    power, city = TITLES[entry.power], place(entry.city, words)
    if entry.known is not UNSET:
        told = chits(entry.known.chits)
        yield say("{power} gets {chits} in {city}.", power=power, chits=told, city=city)
    elif entry.chits:
        yield count(
            "{power} gets {n} chit in {city}.",
            "{power} gets {n} chits in {city}.",
            entry.chits,
            power=power,
            city=city,
        )
    if entry.money:
        yield say("{power} gets {n} £ in {city}.", power=power, n=entry.money, city=city)


def _search(entry: SawSearch, words: Words) -> Iterator[Message]:
    values: Values = {
        "power": TITLES[entry.power],
        "spy": entry.spy,
        "city": place(entry.city, words),
    }
    if entry.to:
        to = place(entry.to, words)
        yield say("{power} searches {spy} in {city}, which escapes to {to}.", **values, to=to)
    elif entry.answer == "papers":
        yield say("{power} searches {spy} in {city}, which shows its papers.", **values)
    elif entry.captured:
        yield say("{power} searches {spy} in {city} and captures it.", **values)
    else:
        yield say("{power} searches {spy} in {city} without success.", **values)
    if entry.known is not UNSET:
        yield say(
            "Police {police} against strength {strength}.",
            police=entry.known.police,
            strength=entry.known.strength,
        )


def _go(entry: SawGo, words: Words) -> Iterator[Message]:
    yield say(
        "{spy} goes from {start} to {goal}.",
        spy=entry.spy,
        start=place(entry.start, words),
        goal=place(entry.to, words),
    )


def _return(entry: SawReturn, words: Words) -> Iterator[Message]:
    yield say("{spy} escapes and is back in {city}.", spy=entry.spy, city=place(entry.city, words))


def _handled(entry: SawTake | SawDrop | SawDiscover, words: Words) -> Values:
    """Return the spy, the secret and the city of a sentence."""
    return {"spy": entry.spy, "secret": entry.secret, "city": place(entry.city, words)}


def _take(entry: SawTake, words: Words) -> Iterator[Message]:
    yield say("{spy} takes {secret} in {city}.", **_handled(entry, words))


def _drop(entry: SawDrop, words: Words) -> Iterator[Message]:
    yield say("{spy} leaves {secret} in {city}.", **_handled(entry, words))


def _guard(entry: SawGuard, words: Words) -> Iterator[Message]:
    yield say(
        "Police of {power} now guard {secret} in {city}.",
        power=TITLES[entry.power],
        secret=entry.secret,
        city=place(entry.city, words),
    )


def _discover(entry: SawDiscover, words: Words) -> Iterator[Message]:
    values = _handled(entry, words)
    match entry.result:
        case "found" if entry.free:
            yield say("{spy} finds {secret} in {city} and pays nothing for it.", **values)
        case "found":
            yield say("{spy} discovers {secret} in {city}.", **values)
        case "covered":
            yield say("{spy} looks for {secret} in {city}, but it is covered.", **values)
        case "guarded":
            yield say(
                "{spy} looks for {secret} in {city}, but who carries it is as strong.", **values
            )
        case _:
            yield say("{spy} finds out in {city} that {secret} is a counterspy.", **values)
            yield _caught(entry)
    if entry.known is not UNSET:
        yield from _face(entry.known, words)


def _caught(entry: SawDiscover) -> Message:
    if not entry.captured or entry.by is None:
        return say("The counterspy does nothing and leaves the game.")
    if entry.by == "neutral":
        return say("It is captured and put into the neutral box.")
    return say("It is captured for {power}.", power=TITLES[entry.by])


def _face(known: KnownFace, words: Words) -> Iterator[Message]:
    if known.value is not UNSET and known.title is not UNSET:
        title = secret_title(known.title, words)
        yield say("It is worth {n}: {title}.", n=known.value, title=title)
    if known.counterspy is not UNSET:
        yield say("The counterspy has strength {n}.", n=known.counterspy)
    if known.strength is not UNSET:
        yield say("The spy has strength {n}.", n=known.strength)
    if known.spy is not UNSET and known.guard is not UNSET:
        yield say(
            "Strength {spy} against {guard} of the carrier.", spy=known.spy, guard=known.guard
        )


def _cash(entry: SawCash) -> Iterator[Message]:
    yield say(
        "{power} cashes {secret}, brought by {spy}: {n} £ and a chit.",
        power=TITLES[entry.power],
        secret=entry.secret,
        spy=entry.spy,
        n=atlas().cash,
    )
    if entry.known is not UNSET:
        yield say("You draw {chit}.", chit=CHITS[entry.known.chit])


def _give(entry: SawGive) -> Iterator[Message]:
    power, other = TITLES[entry.power], TITLES[entry.to]
    if entry.money:
        yield say("{power} gives {other} {n} £.", power=power, other=other, n=entry.money)
    elif entry.known is not UNSET:
        chit = CHITS[entry.known.chit]
        yield say("{power} gives {other} a chit: {chit}.", power=power, other=other, chit=chit)
    else:
        yield say("{power} gives {other} a chit.", power=power, other=other)


def _kill(entry: SawKill, words: Words) -> Iterator[Message]:
    values: Values = {
        "spy": entry.spy,
        "victim": entry.victim,
        "city": place(entry.city, words),
    }
    match entry.result:
        case "killed":
            yield say("{spy} kills {victim} in {city}.", **values)
        case "captured":
            yield say("{spy} attacks {victim} in {city} and is captured.", **values)
        case _:
            yield say("{spy} attacks {victim} in {city}, and nothing comes of it.", **values)
    if entry.known is not UNSET:
        spy, victim = entry.known.spy, entry.known.victim
        yield say("Strength {spy} against {victim}.", spy=spy, victim=victim)


def _skipped(entry: SawSkipped) -> Iterator[Message]:
    assert entry.known is not UNSET, "the owner, who alone is told of a step left out, knows why"
    yield say(
        "{spy} leaves out step {n} of its plan: {why}.",
        spy=entry.spy,
        n=entry.step,
        why=_WHY[entry.known.why],
    )
