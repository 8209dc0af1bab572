"""The rows that Spion's templates print, made from a report's plain data alone.

Whatever is told here stands in the report: this module sees no state and no view.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudicator.core.game import Seat
from adjudicator.core.message import Message, Words, count, say
from adjudicator.games.spion.lexicon import SEAT_TITLES, spelled
from adjudicator.games.spion.page import composer_data, drawing
from adjudicator.games.spion.page.drawing import LETTERS
from adjudicator.games.spion.page.history import LOOKING_BACK, OldReport, history
from adjudicator.games.spion.page.legend import legend
from adjudicator.games.spion.page.news import embassy_names, happened, keys, left, seats, told_in
from adjudicator.games.spion.rules.movement import ROLLS, ends
from adjudicator.games.spion.rules.position import blockers
from adjudicator.games.spion.rules.rolls import LAST_ROUND, MOST_ROUNDS

Report = Mapping[str, Any]
Labelled = tuple[str, str]

_EMPTY, _FACE_DOWN = "-", "?"

_MODES: Mapping[str, Message] = {
    "turns": say("one after the other orders his turn"),
    "rounds": say("all order at once, and the turns are executed one after the other"),
}
_MEMORIES: Mapping[str, Message] = {
    "honour": say("types are told once, and nobody writes them down or looks back"),
    "once": say("types are told once, in a letter of their own"),
    "open": say("an open dossier keeps what all have seen"),
}
_REASONS: Mapping[str, Message] = {
    "set": say("four cards of one type"),
    "resignation": say("the others gave up"),
    "forfeit": say("the others sent no orders in time"),
    "agreement": say("the players agreed"),
    "max-rounds": say("the last round has been played, and the cards are counted"),
}


def page(
    report: Report, words: Words, past: Sequence[OldReport] | None = None, /
) -> Mapping[str, Any]:
    """Sentences, tables and drawings, each in the order in which the reader meets it."""
    playing = report["phase"] == "play"
    ordering = playing and not report["pending"]  # else the dice have been used
    result = words(_result(report["result"])) if report["result"] else None
    back = None if past is None else history(report, past, words, result)
    shapes = drawing.shapes(report)
    own_words = spelled(words)
    return {
        "title": words(say("Spion")),
        "seats": {entry["seat"]: words(SEAT_TITLES[entry["seat"]]) for entry in report["seats"]},
        "spelling": own_words,
        "rules": "; ".join(_rules(report, words)) + ".",
        "result": result,
        "news": happened(report, words),
        "types_told": happened(report, words, only_types=True),
        "own": next((row for row in _players(report, words) if row["own"]), None),
        "holder": _holder(report),
        "dice": [_dice(report, roll, words) for roll in report["dice"] if ordering],
        "goals": list(_goals(report, words)),
        "facts": [words(message) for message in _facts(report)] if playing else [],
        "standing": own_words.all(report["standing"]) if playing else [],
        "board": drawing.lines(report),
        "shapes": shapes,
        "legend": legend(shapes, report["seat"], words),
        "picture": words(_picture(report)),
        "short": list(drawing.letters_for_codes(drawing.board_in(report)).items()),
        "players": _players(report, words),
        "out": words(_out(report)),
        "names": sorted(embassy_names(report, words).items()),
        "embassies": _embassies(report, words),
        "dossier": _dossier(report, words),
        "opened": keys(report, words),
        "how": [words(message) for message in _how(report)],
        "composer": composer_data.offers(report, words),
        "history": back,
        "scripts": [*(LOOKING_BACK if back else ()), *composer_data.scripts(report)],
        "data": composer_data.data(report, words),
    }


def _rules(report: Report, words: Words) -> Iterator[str]:
    yield told_in(report["board"]["title"], words)
    yield words(_MODES[report["mode"]])
    yield words(_MEMORIES[report["memory"]])
    yield words(say("types in play: {types}", types=", ".join(report["types"])))
    for message in _house_rules(report):
        yield words(message)


def _house_rules(report: Report) -> Iterator[Message]:
    if report["open_doors"]:
        yield say("embassies protect nobody while no card is out")
    if not report["roll_when_blocked"]:
        yield say("who cannot move at all does not roll")
    if most := int(report["options"].get("max_rounds", "0")):
        yield count(
            "after {n} round the cards are counted", "after {n} rounds the cards are counted", most
        )


def _result(result: Mapping[str, Any]) -> Message:
    if result["reason"] == "cancelled":
        return say("The match is cancelled and nobody wins.")
    reason, winners = _REASONS[result["reason"]], result["winners"]
    if not winners:
        return say("Nobody wins: {reason}.", reason=reason)
    if len(winners) > 1:
        return say("{seats} share the victory: {reason}.", seats=seats(winners), reason=reason)
    return say("{seat} wins: {reason}.", seat=SEAT_TITLES[winners[0]], reason=reason)


def _entry(report: Report) -> Mapping[str, Any] | None:
    return next((entry for entry in report["seats"] if entry["seat"] == report["seat"]), None)


def _holder(report: Report) -> list[tuple[int, str]]:
    """The reader's places 1 to 4: a type, `?` where an old report forgets it, `-` where none is."""
    own = _entry(report)
    return [(place, _on(own, place)) for place in range(1, 5)] if own else []


def _on(entry: Mapping[str, Any], place: int) -> str:
    if place not in entry["filled"]:
        return _EMPTY
    return entry["cards"][place - 1] if entry["cards"] else _FACE_DOWN


def _dice(report: Report, roll: Mapping[str, Any], words: Words) -> dict[str, Any]:
    """Dice to be used, and which link of which chain shows them (6.5)."""
    own = roll["seat"] == report["seat"]
    first, second = roll["dice"]
    heading = (
        say("Your dice for turn {turn}", turn=report["turn"])
        if own
        else say("The dice of {seat} for turn {turn}", seat=_title(roll), turn=report["turn"])
    )
    return {
        "heading": words(heading),
        "dice": (first, second),
        "sum": first + second,
        "double": first == second,
        "check": words(
            say(
                "Roll {n}, key {key}…; the whole key stands below.",
                n=roll["number"],
                key=roll["key"][:8],
            )
        ),
    }


def _title(entry: Mapping[str, Any]) -> Message:
    return SEAT_TITLES[entry["seat"]]


def _goals(report: Report, words: Words) -> Iterator[Labelled]:
    """What the reader's spy can reach, by kind."""
    board, goals = drawing.board_in(report), drawing.reached(report)
    cards = {entry["code"] for entry in report["board"]["embassies"] if entry["card"]}
    for label, kind in (
        (say("Embassies with a card"), sorted(set(goals) & cards)),
        (say("Embassies without a card"), sorted((set(goals) & set(board.embassies)) - cards)),
        (say("Wells"), [g for g in goals if board.kinds.get(g) == "well"]),
        (say("Streets"), [g for g in goals if board.kinds.get(g) == "street"]),
    ):
        if kind:
            yield words(label), " ".join(kind)


def _facts(report: Report) -> Iterator[Message]:
    """What bears on the order to be written."""
    if report["round"] >= MOST_ROUNDS and not int(report["options"].get("max_rounds", "0")):
        yield say(
            "After round {n} at the latest the match ends and the cards are counted, for there are"
            " no more keys for the dice. This is round {round}.",
            n=LAST_ROUND,
            round=report["round"],
        )
    if pending := report["pending"]:
        yield from _asked(report, pending)
        return
    own = [roll for roll in report["dice"] if roll["seat"] == report["seat"]]
    if own or report["to_move"] == report["seat"]:
        yield from _challenges(report)
        yield from _blockade(report, sum(own[0]["dice"]) if own else max(ROLLS))
        for seat, places in report["ambushes"].items():
            yield say(
                "An ambush on {seat} is possible from {places}.",
                seat=SEAT_TITLES[seat],
                places=", ".join(places),
            )
    for entry in report["seats"]:
        if entry["left"]:
            yield left(entry["seat"], entry["left"])


def _asked(report: Report, pending: Mapping[str, Any]) -> Iterator[Message]:
    challenger, place = SEAT_TITLES[pending["challenger"]], pending["place"]
    if pending["defender"] == report["seat"]:
        yield say(
            "{seat} guessed wrong at your place {n}. You take one of his cards, unseen:"
            " name the place.",
            seat=challenger,
            n=place,
        )
    else:
        yield say(
            "{seat} guessed wrong at place {n} of {target}, whose answer is awaited.",
            seat=challenger,
            n=place,
            target=SEAT_TITLES[pending["defender"]],
        )


def _challenges(report: Report) -> Iterator[Message]:
    """Whom the reader may challenge; in mode `rounds` that may change before his turn."""
    if not drawing.doubled(report):
        return
    if not report["targets"]:
        yield say("A double, but as things stand nobody can be challenged.")
    elif drawing.bound(report):
        yield say(
            "A double: you must challenge. Possible: {seats}.", seats=seats(report["targets"])
        )
    else:
        yield say(
            "A double: if somebody can be challenged in your turn, you must. As things stand:"
            " {seats}.",
            seats=seats(report["targets"]),
        )


def _blockade(report: Report, most: int) -> Iterator[Message]:
    if report["reach"]:
        return
    here = drawing.position_in(report)
    by = blockers(here, Seat(report["seat"]), ends(here, Seat(report["seat"]), most).met)
    if by:
        yield say("Your spy cannot move. Bodyguards in its way: {seats}.", seats=seats(by))
    else:
        yield say("Your spy cannot move, and no bodyguard is in its way.")


def _picture(report: Report) -> Message:
    """What the drawing shows, for those who do not see it."""
    return say(
        "The board; its pieces are listed beside it. Cards lie in: {embassies}.",
        embassies=", ".join(_lying(report)) or _EMPTY,
    )


def _lying(report: Report) -> list[str]:
    return sorted(entry["code"] for entry in report["board"]["embassies"] if entry["card"])


def _players(report: Report, words: Words) -> list[dict[str, Any]]:
    """A row a seat: its pieces, its filled places, at the end its cards."""
    over = report["phase"] == "over"
    return [
        {
            "seat": entry["seat"],
            "letter": LETTERS[entry["seat"]],
            "title": words(_title(entry)),
            "own": entry["seat"] == report["seat"],
            "left": entry["left"] is not None,
            "spy": entry["spy"],
            "bodyguard": entry["bodyguard"],
            "start": entry["start"],
            "home": entry["home"],
            "filled": "".join(_places(entry, ".")),
            "dots": " ".join(_places(entry, "\N{MIDDLE DOT}")),
            "places": words(_told_places(entry)),
            "cards": [_on(entry, place) for place in range(1, 5)] if over else [],
        }
        for entry in report["seats"]
    ]


def _places(entry: Mapping[str, Any], empty: str) -> list[str]:
    """The number of each place that has a card."""
    return [str(n) if n in entry["filled"] else empty for n in range(1, 5)]


def _told_places(entry: Mapping[str, Any]) -> Message:
    """The same, to be read aloud."""
    if not entry["filled"]:
        return say("no card")
    return say("cards on the places {places}", places=", ".join(map(str, entry["filled"])))


def _out(report: Report) -> Message:
    """The embassies in which a card lies."""
    out = _lying(report)
    if not out:
        return say("Cards out: none.")
    return say("Cards out: {n} ({embassies}).", n=len(out), embassies=", ".join(out))


def _embassies(report: Report, words: Words) -> list[tuple[str, str, str]]:
    """Code, name and card of each embassy in which one lies; nothing before the end."""
    names = embassy_names(report, words)
    return [
        (entry["code"], names[entry["code"]], entry["type"])
        for entry in report["board"]["embassies"]
        if entry["type"]
    ]


def _dossier(report: Report, words: Words) -> list[tuple[int, str, str, bool]] | None:
    """Turn, type, place, and whether the card has moved since; None where there is none (5.6)."""
    if report["dossier"] is None:
        return None
    return [
        (note["turn"], note["card"], words(_noted_at(note)), note["moved"])
        for note in report["dossier"]
    ]


def _noted_at(note: Mapping[str, Any]) -> Message:
    if note["seat"]:
        return say("{seat}, place {n}", seat=SEAT_TITLES[note["seat"]], n=note["place"])
    return say("embassy {code}", code=note["place"])


def _how(report: Report) -> Sequence[Message]:
    """How the sheet below is filled in."""
    if report["phase"] == "over":
        return ()
    return (*_lines(report), say("Send the sheet from ORDERS to END; a later one replaces it."))


def _lines(report: Report) -> Iterator[Message]:
    if report["phase"] == "setup":
        yield say(
            "Write some words of your own in place of the dots. They go into the dice and the"
            " deal, so that nobody can have chosen these alone; all will read them."
        )
        return
    if report["pending"]:
        yield say(
            "Write the places in the order of your choice, as TAKE 2,1. KEEP lines say what"
            " becomes of the card: KEEP ATOM: PLACE 4, KEEP *: REFUSE TO ITA."
        )
        return
    yield say(
        "Write on in place of the dots; of several goals or lines the first that can be"
        " followed counts: MOVE NOR IF CARD, e2, NEAR HOL. CHALLENGE red 3 ATOM names seat,"
        " place and type."
    )
    yield say(
        "PLACE 2 names the place for a card that you take. FIFTH, ANSWER and KEEP stay in force"
        " until you replace them. The command HELP sends all kinds of lines."
    )
