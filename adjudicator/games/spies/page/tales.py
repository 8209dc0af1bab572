"""What happened in whole sentences, for pages and for letters in HTML, made of the same news as the
short lines of `news`: what a spy did or suffered is one sentence, and spies that went the same way
share it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import UNSET, Struct

from adjudicator.core.message import Message, Value, Words, count, listed, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, chits, city_name
from adjudicator.games.spies.page.news import WHY, Loads, explain_discoveries, face, group_by_turn
from adjudicator.games.spies.page.titles import tile_title
from adjudicator.games.spies.rules.atlas import LETTERS, Code, Power, atlas, power_of
from adjudicator.games.spies.rules.state import NEUTRAL_BOX
from adjudicator.games.spies.sight.sightings import (
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

_ALIKE = SawGo | SawSkipped  # what several spies may do in one sentence


class Tale(Struct, frozen=True):
    """The turn of a power under its heading."""

    power: Power
    letter: str
    heading: str
    sentences: list[str]


class _Deed(Struct, frozen=True):
    """What a spy did or suffered before another one, without its name."""

    spy: Code
    what: Message
    alike: bool


def tales(news: Sequence[News], loads: Loads, words: Words) -> list[Tale]:
    """Return what happened in each power's turn; turns without anything are left out."""
    powers = [entry.power for entry in news if isinstance(entry, SawTurn)]
    groups = group_by_turn(explain_discoveries(news, loads))
    return [
        Tale(power, LETTERS[power], words(heading), sentences)
        for power, (heading, entries) in zip(powers, groups, strict=True)
        if (sentences := [words(one) for one in _sentences(entries, words)])
    ]


def _sentences(news: Sequence[News], words: Words) -> Iterator[Message]:
    deeds: list[_Deed] = []
    for spy, run in groupby(news, _spy):
        entries = list(run)
        if spy:
            what = _together(list(_clauses(entries, words)))
            deeds.append(_Deed(spy, what, all(isinstance(one, _ALIKE) for one in entries)))
        else:
            yield from _done(deeds)
            deeds = []
            yield from _besides(entries, words)
    yield from _done(deeds)


def _spy(entry: News) -> Code:
    """Return the spy of which an entry tells; what is not of a spy has none."""
    if isinstance(entry, SawTurn | SawTile | SawGain | SawGuard | SawGive):
        return ""
    return entry.spy


def _done(deeds: Sequence[_Deed]) -> Iterator[Message]:
    """Tell the deeds in their order, and those that are alike where the first of them is told."""
    told: dict[object, list[_Deed]] = {}
    for n, deed in enumerate(deeds):
        key = (power_of(deed.spy), str(deed.what)) if deed.alike else n
        told.setdefault(key, []).append(deed)
    for same in told.values():
        yield say("{who} {what}.", who=_who([deed.spy for deed in same]), what=same[0].what)


def _who(spies: Sequence[Code]) -> Message:
    power = TITLES[power_of(spies[0])]
    letters = _together([Message(spy[-1]) for spy in sorted(set(spies))])
    if len(set(spies)) == 1:
        return say("{power}'s spy {letter}", power=power, letter=letters)
    return say("{power}'s spies {letters}", power=power, letters=letters)


def _together(parts: Sequence[Message]) -> Message:
    """List parts of a sentence, at least one."""
    if len(parts) == 1:
        return parts[0]
    return say("{first} and {last}", first=listed(parts[:-1]), last=parts[-1])


def _besides(news: Sequence[News], words: Words) -> Iterator[Message]:
    """Tell what is not of a spy."""
    gains = [one for entry in news if isinstance(entry, SawGain) for one in _gain(entry, words)]
    for entry in news:
        match entry:
            case SawTile():
                yield _tile(entry, words)
            case SawGain() if gains:
                yield say("It brought {gains}.", gains=_together(gains))
                gains = []
            case SawGuard():
                yield say(
                    "Police of {power} guarded {secret} in {city} at once.",
                    power=TITLES[entry.power],
                    secret=entry.secret,
                    city=city_name(entry.city, words),
                )
            case SawGive():
                yield _give(entry)


def _tile(entry: SawTile, words: Words) -> Message:
    power = TITLES[entry.power]
    if tile := entry.tile:
        return say(
            "{power} played {tile}: {title}.",
            power=power,
            tile=tile,
            title=tile_title(tile, words),
        )
    if entry.known is not UNSET:
        return say("{power} discarded {tile} face down.", power=power, tile=entry.known.tile)
    return say("{power} discarded a tile face down.", power=power)


def _gain(entry: SawGain, words: Words) -> Iterator[Message]:
    power, city = TITLES[entry.power], city_name(entry.city, words)
    gained: list[Message] = []
    if entry.known is not UNSET:
        gained.append(chits(entry.known.chits))
    elif entry.chits:
        gained.append(count("{n} chit", "{n} chits", entry.chits))
    if entry.money:
        gained.append(say("{n} £", n=entry.money))
    for what in gained:
        yield say("{power} {what} in {city}", power=power, what=what, city=city)


def _give(entry: SawGive) -> Message:
    power, other = TITLES[entry.power], TITLES[entry.to]
    if entry.money:
        return say("{power} gave {other} {n} £.", power=power, other=other, n=entry.money)
    if entry.known is not UNSET:
        chit = CHITS[entry.known.chit]
        return say("{power} gave {other} a chit: {chit}.", power=power, other=other, chit=chit)
    return say("{power} gave {other} a chit.", power=power, other=other)


def _clauses(news: Sequence[News], words: Words) -> Iterator[Message]:
    """Tell a spy's entries one after another; a city that was named last is not named again."""
    at = ""
    for entry in news:
        city = getattr(entry, "city", at)
        where = "" if city == at else " " + words(say("in {city}", city=city_name(city, words)))
        yield from _clause(entry, at, where, words)
        at = getattr(entry, "to", None) or city


def _clause(entry: News, at: str, where: str, words: Words) -> Iterator[Message]:
    match entry:
        case SawGo() if entry.start == at:
            yield say("went on to {goal}", goal=city_name(entry.to, words))
        case SawGo():
            start, goal = city_name(entry.start, words), city_name(entry.to, words)
            yield say("went from {start} to {goal}", start=start, goal=goal)
        case SawSearch():
            yield from _search(entry, where, words)
        case SawReturn():
            yield say("escaped back to {city}", city=city_name(entry.city, words))
        case SawTake():
            yield say("took {secret}{where}", secret=entry.secret, where=where)
        case SawDrop():
            yield say("left {secret}{where}", secret=entry.secret, where=where)
        case SawDiscover():
            yield from _discover(entry, where, words)
        case SawCash():
            chit = say("a chit") if entry.known is UNSET else CHITS[entry.known.chit]
            yield say(
                "cashed {secret} for {n} £ and {chit}",
                secret=entry.secret,
                n=atlas().cash,
                chit=chit,
            )
        case SawKill():
            yield _kill(entry, where, words)
        case SawSkipped() if entry.known is not UNSET:
            yield say("skipped step {n} ({why})", n=entry.step, why=WHY[entry.known.why])


def _search(entry: SawSearch, where: str, words: Words) -> Iterator[Message]:
    strengths = ""
    if entry.known is not UNSET:
        police, spy = entry.known.police, entry.known.strength
        strengths = f" ({words(say('police {police}, spy {spy}', police=police, spy=spy))})"
    power = TITLES[entry.power]
    yield say(
        "was searched by {power}{where}{strengths}", power=power, where=where, strengths=strengths
    )
    if entry.to:
        yield say("escaped to {to}", to=city_name(entry.to, words))
    elif entry.answer == "papers":
        yield say("showed papers")
    elif entry.captured:
        yield say("was captured")
    else:
        yield say("stayed in play")


def _discover(entry: SawDiscover, where: str, words: Words) -> Iterator[Message]:
    known = "" if entry.known is UNSET else ", ".join(map(words, face(entry.known, words)))
    values: Mapping[str, Value] = {"secret": entry.secret, "where": where}
    then: Mapping[str, Value] = {"known": f" ({known})" if known else ""}
    if entry.result == "found":
        free = say("discovered {secret}{where} for free{known}", **values, **then)
        yield free if entry.free else say("discovered {secret}{where}{known}", **values, **then)
        return
    yield say("looked for {secret}{where}", **values)
    if entry.result == "covered":
        yield say("found it covered{known}", **then)
    elif entry.result == "guarded":
        yield say("found its carrier at least as strong{known}", **then)
    elif not entry.captured or entry.by is None:
        yield say("met a counterspy that did nothing and left the game{known}", **then)
    elif entry.by == NEUTRAL_BOX:
        yield say("was sent into the neutral box by a counterspy{known}", **then)
    else:
        power = TITLES[entry.by]
        yield say("was captured by a counterspy for {power}{known}", **then, power=power)


def _kill(entry: SawKill, where: str, words: Words) -> Message:
    values: dict[str, Value] = {"victim": entry.victim, "where": where, "strengths": ""}
    if entry.known is not UNSET:
        against = say("{spy} against {victim}", spy=entry.known.spy, victim=entry.known.victim)
        values["strengths"] = f" ({words(against)})"
    match entry.result:
        case "killed":
            return say("killed {victim}{where}{strengths}", **values)
        case "captured":
            return say("attacked {victim}{where}{strengths} and was captured", **values)
        case _:
            return say("attacked {victim}{where}{strengths}, and nothing came of it", **values)
