"""Tell what happened in words, as far as this report's seat was told it (rules 7.3)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import assert_never

from msgspec import UNSET
from msgspec.structs import replace

from adjudicator.core.message import Message, Value, Words, count, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, chits, tile_text
from adjudicator.games.spies.page.titles import secret_title
from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.state import NEUTRAL_BOX
from adjudicator.games.spies.sight.sightings import (
    KnownFace,
    KnownWhy,
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

Group = tuple[str, list[str]]  # a heading, and the lines below it
Loads = Mapping[str, str | None]  # by spy, what it carries after all that is told
Values = dict[str, Value]  # what stands in the holes of a clause

WHY: Mapping[str, Message] = {
    "off-map": say("not on the map"),
    "no-goal": say("no destination was possible"),
    "condition": say("its condition was not true"),
    "nothing-here": say("nothing to discover, or already carrying something"),
    "none-there": say("nothing to discover there"),
    "hands-full": say("it already carried something"),
    "cannot-pay": say("the chit or the money for it was missing"),
    "cannot-take": say("could not take that"),
    "empty": say("carried nothing"),
    "cannot-return": say("could not come back, or could not pay"),
    "cannot-kill": say("victim not there, or no dagger"),
}


def lines_by_turn(
    news: Sequence[News], loads: Loads, words: Words
) -> list[tuple[Message, list[str]]]:
    """Return the lines of each power's turn, under its heading; turns without any are left out."""
    return [
        (heading, told)
        for heading, entries in group_by_turn(explain_discoveries(news, loads))
        if (told := lines(entries, words))
    ]


def explain_discoveries(news: Sequence[News], loads: Loads) -> list[News]:
    """Say of each discovery that was left out whether nothing was there or the spy had full hands,
    where what is told before it or after it shows that."""
    shown_before = _hands_after(news)
    shown_later = _hands_before(news, loads)
    return [
        _explained(entry, later if full is None else full)
        for entry, full, later in zip(news, shown_before, shown_later, strict=True)
    ]


def _explained(entry: News, full: bool | None) -> News:
    if not isinstance(entry, SawSkipped) or entry.known is UNSET or full is None:
        return entry
    if entry.known.why != "nothing-here":
        return entry
    return replace(entry, known=KnownWhy(why="hands-full" if full else "none-there"))


def _hands_after(news: Sequence[News]) -> Iterator[bool | None]:
    """Yield for each entry whether its spy had full hands, as those before it show."""
    full: dict[str, bool] = {}
    for entry in news:
        yield full.get(getattr(entry, "spy", ""))
        match entry:
            case SawDiscover():
                full[entry.spy] = entry.result == "found"
            case SawTake():
                full[entry.spy] = True
            case SawDrop() | SawCash() | SawReturn():
                full[entry.spy] = False
            case SawSearch() if entry.to or entry.captured:
                full[entry.spy] = False


def _hands_before(news: Sequence[News], loads: Loads) -> Iterator[bool | None]:
    """Yield for each entry whether its spy had full hands, as those after it show and what spies
    carry at last."""
    full: dict[str, bool | None] = {spy: load is not None for spy, load in loads.items()}
    found = []
    for entry in reversed(news):
        match entry:
            case SawDiscover():
                if entry.known is not UNSET and entry.known.guard is not UNSET:
                    full.clear()  # another spy may have lost it
                full[entry.spy] = False
            case SawTake() | SawReturn():
                full[entry.spy] = False
            case SawDrop() | SawCash():
                full[entry.spy] = True
            case SawSearch() if entry.to or entry.captured:
                full[entry.spy] = None
            case SawKill():
                full[entry.spy] = full[entry.victim] = None
        found.append(full.get(getattr(entry, "spy", "")))
    return reversed(found)


def group_by_turn(news: Sequence[News]) -> list[tuple[Message, list[News]]]:
    """Return the news of each power's turn, under its heading."""
    groups: list[tuple[Message, list[News]]] = []
    for entry in news:
        if isinstance(entry, SawTurn):
            title = TITLES[entry.power]
            groups.append((say("{power}, {year}", power=title, year=str(entry.year)), []))
        elif groups:
            groups[-1][1].append(entry)
    return groups


def lines(news: Sequence[News], words: Words) -> list[str]:
    """Return what is told, in lines: what a spy did or suffered before another one is one line, and
    so is what the powers got for an event tile."""
    return [
        f"{about}: {'; '.join(told)}" if about else told[0]
        for about, entries in _runs(news, words)
        if (told := list(_told(entries, words)))
    ]


def _runs(news: Sequence[News], words: Words) -> Iterator[tuple[str, list[News]]]:
    """Yield what belongs into a line, with what it is about."""
    numbers = iter(range(len(news)))
    for (about, _), run in groupby(news, lambda entry: _about(entry, next(numbers), words)):
        yield about, list(run)


def _about(entry: News, number: int, words: Words) -> tuple[str, int]:
    """Say what an entry is about, and give what stands by itself a number of its own."""
    match entry:
        case SawGain():
            return words(say("gains")), 0
        case SawTurn() | SawTile() | SawGuard() | SawGive():
            return "", number
        case _:
            return entry.spy, 0


def _told(news: Sequence[News], words: Words) -> Iterator[str]:
    """Tell a line's entries one after another; a city that was named last is not named again."""
    at = ""
    for entry in news:
        city = getattr(entry, "city", at)
        there = "" if city == at else words(say("in {city}", city=city))
        where = f" {there}" if there else ""
        yield from map(words, _clauses(entry, at, where, words))
        at = getattr(entry, "to", None) or city


def _clauses(entry: News, at: str, where: str, words: Words) -> Iterator[Message]:
    match entry:
        case SawTurn():
            return iter(())
        case SawTile():
            return _tile(entry, words)
        case SawGain():
            return _gain(entry)
        case SawSearch():
            return _search(entry, where, words)
        case SawGo():
            return _go(entry, at)
        case SawReturn():
            return iter((say("escapes and is back in {city}", city=entry.city),))
        case SawTake():
            return iter((say("takes {secret}{where}", secret=entry.secret, where=where),))
        case SawDrop():
            return iter((say("leaves {secret}{where}", secret=entry.secret, where=where),))
        case SawGuard():
            return _guard(entry)
        case SawDiscover():
            return _discover(entry, where, words)
        case SawCash():
            return _cash(entry)
        case SawGive():
            return _give(entry)
        case SawKill():
            return _kill(entry, where, words)
        case SawSkipped():
            return _skipped(entry)
        case _:
            assert_never(entry)


def _tile(entry: SawTile, words: Words) -> Iterator[Message]:
    if tile := entry.tile:
        yield say("Tile {tile}: {told}", tile=tile, told=tile_text(tile, words))
    elif entry.known is not UNSET:
        yield say("You discard {tile}, hidden from the others.", tile=entry.known.tile)
    else:
        yield say("A tile is discarded face down.")


def _gain(entry: SawGain) -> Iterator[Message]:
    power, city = TITLES[entry.power], entry.city
    if entry.known is not UNSET:
        yield say("{power} {chits} {city}", power=power, chits=chits(entry.known.chits), city=city)
    elif entry.chits:
        told = count("{n} chit", "{n} chits", entry.chits)
        yield say("{power} {chits} {city}", power=power, chits=told, city=city)
    if entry.money:
        yield say("{power} {n} £ {city}", power=power, n=entry.money, city=city)


def _search(entry: SawSearch, where: str, words: Words) -> Iterator[Message]:
    values: Values = {"power": TITLES[entry.power], "where": where, "strengths": ""}
    if entry.known is not UNSET:
        police, spy = entry.known.police, entry.known.strength
        against = say("police {police}, spy {spy}", police=police, spy=spy)
        values["strengths"] = f" ({words(against)})"
    if entry.to:
        yield say("searched by {power}{where}{strengths}, escapes to {to}", **values, to=entry.to)
    elif entry.answer == "papers":
        yield say("searched by {power}{where}{strengths}, shows papers", **values)
    elif entry.captured:
        yield say("searched by {power}{where}{strengths}, captured", **values)
    else:
        yield say("searched by {power}{where}{strengths}, stays in play", **values)


def _go(entry: SawGo, at: str) -> Iterator[Message]:
    if entry.start == at:
        yield say("to {goal}", goal=entry.to)
    else:
        yield say("{start} to {goal}", start=entry.start, goal=entry.to)


def _guard(entry: SawGuard) -> Iterator[Message]:
    yield say(
        "Police from {power} now guard {secret} in {city}.",
        power=TITLES[entry.power],
        secret=entry.secret,
        city=entry.city,
    )


def _discover(entry: SawDiscover, where: str, words: Words) -> Iterator[Message]:
    known = "" if entry.known is UNSET else ", ".join(map(words, face(entry.known, words)))
    values: Values = {
        "secret": entry.secret,
        "where": where,
        "known": f" ({known})" if known else "",
    }
    match entry.result:
        case "found" if entry.free:
            yield say("discovers {secret}{where} for nothing{known}", **values)
        case "found":
            yield say("discovers {secret}{where}{known}", **values)
        case "covered":
            yield say("looks for {secret}{where}: it is covered{known}", **values)
        case "guarded":
            yield say(
                "looks for {secret}{where}: its carrier is at least as strong{known}", **values
            )
        case _ if not entry.captured or entry.by is None:
            yield say(
                "looks for {secret}{where}: a counterspy, which does nothing and leaves the"
                " game{known}",
                **values,
            )
        case _ if entry.by == NEUTRAL_BOX:
            yield say(
                "looks for {secret}{where}: a counterspy, which sends it into the neutral "
                "box{known}",
                **values,
            )
        case _:
            yield say(
                "looks for {secret}{where}: a counterspy, which captures it for {power}{known}",
                **values,
                power=TITLES[entry.by],
            )


def face(known: KnownFace, words: Words) -> Iterator[Message]:
    if known.value is not UNSET and known.title is not UNSET:
        title = secret_title(known.title, words)
        yield say("worth {n}: {title}", n=known.value, title=title)
    if known.counterspy is not UNSET:
        yield say("counterspy {n}", n=known.counterspy)
    if known.strength is not UNSET:
        yield say("spy {n}", n=known.strength)
    if known.spy is not UNSET and known.guard is not UNSET:
        yield say("spy {spy}, carrier {guard}", spy=known.spy, guard=known.guard)


def _cash(entry: SawCash) -> Iterator[Message]:
    told = say("a chit") if entry.known is UNSET else CHITS[entry.known.chit]
    yield say(
        "{power} cashes {secret}: {n} £, {chit}",
        power=TITLES[entry.power],
        secret=entry.secret,
        n=atlas().cash,
        chit=told,
    )


def _give(entry: SawGive) -> Iterator[Message]:
    power, other = TITLES[entry.power], TITLES[entry.to]
    if entry.money:
        yield say("{power} gives {other} {n} £.", power=power, other=other, n=entry.money)
    elif entry.known is not UNSET:
        chit = CHITS[entry.known.chit]
        yield say("{power} gives {other} a chit: {chit}.", power=power, other=other, chit=chit)
    else:
        yield say("{power} gives {other} a chit.", power=power, other=other)


def _kill(entry: SawKill, where: str, words: Words) -> Iterator[Message]:
    values: Values = {"victim": entry.victim, "where": where, "strengths": ""}
    if entry.known is not UNSET:
        against = say("{spy} against {victim}", spy=entry.known.spy, victim=entry.known.victim)
        values["strengths"] = f" ({words(against)})"
    match entry.result:
        case "killed":
            yield say("kills {victim}{where}{strengths}", **values)
        case "captured":
            yield say("attacks {victim}{where}{strengths} and is captured", **values)
        case _:
            yield say("attacks {victim}{where}{strengths}, and nothing comes of it", **values)


def _skipped(entry: SawSkipped) -> Iterator[Message]:
    assert entry.known is not UNSET, "the owner, who alone is told of a step left out, knows why"
    yield say("step {n} skipped: {why}", n=entry.step, why=WHY[entry.known.why])
