"""What happened, in words, as far as this report's seat was told it (rules 7.3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from adjudicator.core.message import Message, Words, count, say
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import CHITS, chits, place, tile_text
from adjudicator.games.spies.page.titles import secret_title
from adjudicator.games.spies.rules.atlas import atlas

Entry = Mapping[str, Any]
Group = tuple[str, list[tuple[str, str]]]  # a heading; of each sentence what it tells, and itself

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


def happened(report: Mapping[str, Any], words: Words) -> list[Group]:
    """Each power's turn with its sentences; turns without any are left out."""
    return [
        (words(heading), rows)
        for heading, entries in grouped(report["news"])
        if (
            rows := [(entry["type"], told) for entry in entries if (told := sentence(entry, words))]
        )
    ]


def grouped(news: Sequence[Entry]) -> list[tuple[Message, list[Entry]]]:
    """The news of each power's turn, under its heading."""
    groups: list[tuple[Message, list[Entry]]] = []
    for entry in news:
        if entry["type"] == "turn":
            title = TITLES[entry["power"]]
            groups.append((say("{power}, {year}", power=title, year=str(entry["year"])), []))
        elif groups:
            groups[-1][1].append(entry)
    return groups


def sentence(entry: Entry, words: Words) -> str:
    """All that is told of an event; empty for one that its heading tells."""
    return " ".join(words(message) for message in _SENTENCES[entry["type"]](entry, words))


Sentences = Callable[[Entry, Words], Iterator[Message]]


def _known(entry: Entry) -> Mapping[str, Any]:
    known: Mapping[str, Any] = entry.get("known", {})
    return known


def _turn(entry: Entry, words: Words) -> Iterator[Message]:
    return iter(())


def _tile(entry: Entry, words: Words) -> Iterator[Message]:
    if entry["tile"]:
        tile = entry["tile"]
        yield say("The event is {tile}: {told}.", tile=tile, told=tile_text(tile, words))
    elif known := _known(entry):
        yield say("You discard {tile}, unseen by the others.", tile=known["tile"])
    else:
        yield say("A tile is discarded unseen.")


def _gain(entry: Entry, words: Words) -> Iterator[Message]:
    power, city = TITLES[entry["power"]], place(entry["city"], words)
    if known := _known(entry):
        told = chits(known["chits"])
        yield say("{power} gets {chits} in {city}.", power=power, chits=told, city=city)
    elif entry["chits"]:
        yield count(
            "{power} gets {n} chit in {city}.",
            "{power} gets {n} chits in {city}.",
            entry["chits"],
            power=power,
            city=city,
        )
    if entry["money"]:
        yield say("{power} gets {n} £ in {city}.", power=power, n=entry["money"], city=city)


def _search(entry: Entry, words: Words) -> Iterator[Message]:
    values = {
        "power": TITLES[entry["power"]],
        "spy": entry["spy"],
        "city": place(entry["city"], words),
    }
    if entry["answer"] == "papers":
        yield say("{power} searches {spy} in {city}, which shows its papers.", **values)
    elif entry["answer"] == "escape":
        to = place(entry["to"], words)
        yield say("{power} searches {spy} in {city}, which escapes to {to}.", **values, to=to)
    elif entry["captured"]:
        yield say("{power} searches {spy} in {city} and captures it.", **values)
    else:
        yield say("{power} searches {spy} in {city} without success.", **values)
    if known := _known(entry):
        yield say(
            "Police {police} against strength {strength}.",
            police=known["police"],
            strength=known["strength"],
        )


def _go(entry: Entry, words: Words) -> Iterator[Message]:
    yield say(
        "{spy} goes from {start} to {goal}.",
        spy=entry["spy"],
        start=place(entry["from"], words),
        goal=place(entry["to"], words),
    )


def _return(entry: Entry, words: Words) -> Iterator[Message]:
    yield say(
        "{spy} escapes and is back in {city}.", spy=entry["spy"], city=place(entry["city"], words)
    )


def _handled(entry: Entry, words: Words) -> dict[str, str]:
    return {
        "spy": entry["spy"],
        "secret": entry["secret"],
        "city": place(entry["city"], words),
    }


def _take(entry: Entry, words: Words) -> Iterator[Message]:
    yield say("{spy} takes {secret} in {city}.", **_handled(entry, words))


def _drop(entry: Entry, words: Words) -> Iterator[Message]:
    yield say("{spy} leaves {secret} in {city}.", **_handled(entry, words))


def _guard(entry: Entry, words: Words) -> Iterator[Message]:
    yield say(
        "Police of {power} now guard {secret} in {city}.",
        power=TITLES[entry["power"]],
        secret=entry["secret"],
        city=place(entry["city"], words),
    )


def _discover(entry: Entry, words: Words) -> Iterator[Message]:
    values = _handled(entry, words)
    match entry["result"]:
        case "found" if entry["free"]:
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
            yield from _caught(entry)
    yield from _face(_known(entry), words)


def _caught(entry: Entry) -> Iterator[Message]:
    if entry["captured"] and entry["by"] == "neutral":
        yield say("It is captured and put into the neutral box.")
    elif entry["captured"]:
        yield say("It is captured for {power}.", power=TITLES[entry["by"]])
    else:
        yield say("The counterspy does nothing and leaves the game.")


def _face(known: Mapping[str, Any], words: Words) -> Iterator[Message]:
    if "value" in known:
        title = secret_title(known["title"], words)
        yield say("It is worth {n}: {title}.", n=known["value"], title=title)
    if "counterspy" in known:
        yield say("The counterspy has strength {n}.", n=known["counterspy"])
    if "strength" in known:
        yield say("The spy has strength {n}.", n=known["strength"])
    if "spy" in known:
        yield say(
            "Strength {spy} against {guard} of the carrier.", spy=known["spy"], guard=known["guard"]
        )


def _cash(entry: Entry, words: Words) -> Iterator[Message]:
    yield say(
        "{power} cashes {secret}, brought by {spy}: {n} £ and a chit.",
        power=TITLES[entry["power"]],
        secret=entry["secret"],
        spy=entry["spy"],
        n=atlas().cash,
    )
    if known := _known(entry):
        yield say("You draw {chit}.", chit=CHITS[known["chit"]])


def _give(entry: Entry, words: Words) -> Iterator[Message]:
    power, other = TITLES[entry["power"]], TITLES[entry["to"]]
    if entry["money"]:
        yield say("{power} gives {other} {n} £.", power=power, other=other, n=entry["money"])
    elif known := _known(entry):
        chit = CHITS[known["chit"]]
        yield say("{power} gives {other} a chit: {chit}.", power=power, other=other, chit=chit)
    else:
        yield say("{power} gives {other} a chit.", power=power, other=other)


def _kill(entry: Entry, words: Words) -> Iterator[Message]:
    values = {
        "spy": entry["spy"],
        "victim": entry["victim"],
        "city": place(entry["city"], words),
    }
    match entry["result"]:
        case "killed":
            yield say("{spy} kills {victim} in {city}.", **values)
        case "captured":
            yield say("{spy} attacks {victim} in {city} and is captured.", **values)
        case _:
            yield say("{spy} attacks {victim} in {city}, and nothing comes of it.", **values)
    if known := _known(entry):
        yield say("Strength {spy} against {victim}.", spy=known["spy"], victim=known["victim"])


def _skipped(entry: Entry, words: Words) -> Iterator[Message]:
    yield say(
        "{spy} leaves out step {n} of its plan: {why}.",
        spy=entry["spy"],
        n=entry["step"],
        why=_WHY[_known(entry)["why"]],
    )


_SENTENCES: Mapping[str, Sentences] = {
    "turn": _turn,
    "tile": _tile,
    "gain": _gain,
    "search": _search,
    "go": _go,
    "return": _return,
    "take": _take,
    "drop": _drop,
    "guard": _guard,
    "discover": _discover,
    "cash": _cash,
    "give": _give,
    "kill": _kill,
    "skipped": _skipped,
}
