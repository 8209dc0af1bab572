"""Everything that Spies' templates print of a report (rules 9.7)."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudicator.core.message import Message, Words, count, say
from adjudicator.games.spies.lexicon import spelled
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page import composer_data, drawing, tables
from adjudicator.games.spies.page.history import LOOKING_BACK, OldReport, history
from adjudicator.games.spies.page.names import powers as named_powers
from adjudicator.games.spies.page.news import happened
from adjudicator.games.spies.rules.atlas import FIRST_YEAR, LAST_YEAR

Report = Mapping[str, Any]

_REASONS: Mapping[str, Message] = {
    "points": say("most points"),
    "resignation": say("the others gave up"),
    "forfeit": say("the others sent no orders in time"),
    "agreement": say("the players agreed"),
}


def page(
    report: Report, words: Words, past: Sequence[OldReport] | None = None, /
) -> Mapping[str, Any]:
    """Sentences, tables and the map, each in the order in which the reader meets it."""
    own_words = spelled(words)
    playing = report["phase"] == "play"
    back = None if past is None else history(report, past, words)
    return {
        "title": words(say("Spies")),
        "seats": {seat: words(TITLES[seat]) for seat in report["seats"]},
        "spelling": own_words,
        "rules": "; ".join(words(message) for message in _rules(report)) + ".",
        "result": words(_result(report)) if report["result"] else None,
        "year": report["year"],
        "news": happened(report, words),
        "facts": [words(message) for message in _facts(report)],
        "own": tables.own(report, words),
        "powers": tables.powers(report, words),
        "countries": tables.countries(report, words),
        "off_map": tables.off_map(report, words),
        "points": tables.points(report, words),
        "years": list(tables.years()),
        "ways": tables.ways(words),
        "ships": tables.ships(),
        "starting": report["phase"] == "setup",
        "played": ", ".join(report["played"]),
        "standing": own_words.all(_standing(report)) if playing else [],
        "shapes": drawing.shapes(report),
        "picture": words(_picture(report)),
        "how": [words(message) for message in _how(report)],
        "composer": composer_data.offers(report, words),
        "history": back,
        "scripts": [*(LOOKING_BACK if back else ()), *composer_data.scripts(report)],
        "data": composer_data.data(report, words),
    }


def _rules(report: Report) -> Iterator[Message]:
    if report["mode"] == "years":
        yield say("all order a year at once, and the powers' turns are played one after another")
        if report["order"] == "rotating":
            yield say("another power begins each year")
        else:
            yield say("Germany begins each year")
    else:
        yield say("each power's turn is ordered by itself")
    if report["assassination"]:
        yield say("with daggers")
    if report["dormant"]:
        yield say("nobody plays {powers}", powers=named_powers(report["dormant"]))
    for seat, led in report["seats"].items():
        if len(led) > 1:
            yield say("{seat} leads {powers}", seat=TITLES[seat], powers=named_powers(led))


def _result(report: Report) -> Message:
    result = report["result"]
    if result["reason"] == "cancelled":
        return say("The match is cancelled and nobody wins.")
    reason, winners = _REASONS[result["reason"]], result["winners"]
    if not winners:
        return say("Nobody wins: {reason}.", reason=reason)
    if len(winners) > 1:
        return say(
            "{seats} share the victory: {reason}.", seats=named_powers(winners), reason=reason
        )
    if result["reason"] == "points":
        points = sum(report["points"][power] for power in report["seats"][winners[0]])
        return count(
            "{seat} wins with {n} point.",
            "{seat} wins with {n} points.",
            points,
            seat=TITLES[winners[0]],
        )
    return say("{seat} wins: {reason}.", seat=TITLES[winners[0]], reason=reason)


def _facts(report: Report) -> Iterator[Message]:
    """What bears on the orders to be written."""
    if report["phase"] == "play":
        year = str(report["year"])
        if report["to_move"]:
            yield say(
                "It is {year}, the turn of {power}.", year=year, power=TITLES[report["to_move"]]
            )
        else:
            first = TITLES[report["first"]]
            yield say("It is {year}; {power} begins.", year=year, power=first)
        if report["year"] == LAST_YEAR:
            yield say("This is the last year.")
    yield from tables.left(report)


def _standing(report: Report) -> list[str]:
    """The seat's standing orders as lines; nothing of the defaults (6.6)."""
    told = report["standing"]
    lines = [*(told["answer"] or ()), *(told["cover"] or ())]
    lines += [f"FLEE {spy}: {', '.join(cities)}" for spy, cities in told["flee"].items()]
    if told["spare"]:
        lines.append(f"SPARE {', '.join(thing.upper() for thing in told['spare'])}")
    if told["informer"]:
        lines.append(f"INFORMER {', '.join(told['informer'])}")
    return lines


def _picture(report: Report) -> Message:
    """What the drawing shows, for those who do not see it."""
    return say("The map of Europe. All that stands and lies in its cities is listed by country.")


def _how(report: Report) -> Sequence[Message]:
    """How the sheet below is filled in."""
    if report["phase"] == "over" or not report["template"]:
        return ()
    return (*_lines(report), say("Send the sheet from ORDERS to END; a later one replaces it."))


def _lines(report: Report) -> Iterator[Message]:
    if report["phase"] == "setup":
        yield say(
            "You win with most points at the end of {last}: secrets of others that your spies bring"
            " home, spies that you capture, and your own secrets that are still safe at home.",
            last=str(LAST_YEAR),
        )
        yield say(
            "Write a city for every piece in place of the dots: secrets (at most two in a city) and"
            " police at home, police ON a secret in the same city or without ON; spies anywhere."
            " Or write SETUP RANDOM alone. Your first turn is {first}.",
            first=str(FIRST_YEAR),
        )
        return
    yield say(
        "A line is one order; write on in place of the dots and take out what you do not need."
        " A spy has five spaces; its steps stand behind each other with ; between them, and of"
        " several goals the first that is possible counts: SPY A: GO PRA IF N-4, ZUR; DISCOVER"
        " N-4; GO HOME"
    )
    yield say(
        "POLICE P1 BER ON G-1 moves police, ANSWER, COVER, FLEE, SPARE and INFORMER stay in force"
        " until you replace them. A foreign secret that a spy carries in your capital is cashed by"
        " itself. The command HELP sends all kinds of lines."
    )
