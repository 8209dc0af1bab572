"""Sentences of a report that are no news: what was agreed, how the match ended, what bears on the
orders, and how the sheet is filled in."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core import match
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.report import Report
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read, card_title
from adjudicator.games.spion.page import drawing
from adjudicator.games.spion.page.names import name_in_language, seats
from adjudicator.games.spion.page.news import message_for_leaving
from adjudicator.games.spion.rules.rolls import LAST_ROUND
from adjudicator.games.spion.rules.state import MOST_ROUNDS
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import SeenPending, View, doubled, in_the_way, own_roll

_MODES: Mapping[str, Message] = {
    "turns": say("players take turns"),
    "rounds": say("everyone orders at once, then the turns are played one after another"),
}
_MEMORIES: Mapping[str, Message] = {
    "honour": say("types are shown only once, and nobody writes them down or looks back"),
    "once": say("types are shown only once, in a separate email"),
    "open": say("cards that everyone has seen are listed"),
}
_REASONS: Mapping[str, Message] = {
    "set": say("four cards of one type"),
    "max-rounds": say("the last round has been played, and the cards are counted"),
}


def _most_rounds(report: Report[View, Seen]) -> int:
    return int(report.options.get("max_rounds", "0"))


def option_texts(report: Report[View, Seen], words: Words) -> Iterator[str]:
    """Yield what was agreed, in parts of one sentence."""
    view = report.view
    yield name_in_language(view.board.title, words)
    yield words(_MODES[view.mode])
    yield words(_MEMORIES[view.memory])
    yield words(
        say(
            "types in play: {types}", types=", ".join(card_read(card, words) for card in view.types)
        )
    )
    for message in _house_rules(report):
        yield words(message)


def _house_rules(report: Report[View, Seen]) -> Iterator[Message]:
    view = report.view
    if view.open_doors:
        yield say("embassies protect nobody while no embassy has a card")
    if not view.roll_when_blocked:
        yield say("a player who cannot move at all does not roll")
    if most := _most_rounds(report):
        yield count(
            "after {n} round the cards are counted", "after {n} rounds the cards are counted", most
        )


def ending(view: View, words: Words) -> str | None:
    """Say how the match ended; return None before its end."""
    result = view.result
    return words(match.ending(result, _REASONS, SEAT_TITLES)) if result else None


def facts(report: Report[View, Seen]) -> Iterator[Message]:
    """Say what bears on the order to be written."""
    view = report.view
    if view.round >= MOST_ROUNDS and not _most_rounds(report):
        yield say(
            "The match ends after round {n} at the latest and the cards are counted, because "
            "there are no more keys for the dice. This is round {round}.",
            n=LAST_ROUND,
            round=view.round,
        )
    if pending := view.pending:
        yield from _asked(view, pending)
        return
    if own_roll(view) or view.to_move == view.seat:
        yield from _challenges(view)
        yield from _blockade(view)
        for seat, places in view.ambushes.items():
            yield say(
                "You can ambush {seat} from {places}.",
                seat=SEAT_TITLES[seat],
                places=", ".join(places),
            )
    for entry in view.seats:
        if entry.left:
            yield message_for_leaving(entry.seat, entry.left)


def _asked(view: View, pending: SeenPending) -> Iterator[Message]:
    challenger, place = SEAT_TITLES[pending.challenger], pending.place
    if pending.defender == view.seat:
        yield say(
            "{seat} guessed wrong about your place {n}. You take one of their cards without "
            "looking: name the place.",
            seat=challenger,
            n=place,
        )
    else:
        yield say(
            "{seat} guessed wrong about place {n} of {target}. Waiting for the answer.",
            seat=challenger,
            n=place,
            target=SEAT_TITLES[pending.defender],
        )


def _challenges(view: View) -> Iterator[Message]:
    """Say whom the reader may challenge; in mode `rounds` that may change before his turn."""
    if not doubled(view):
        return
    if not view.targets:
        yield say("A double, but nobody can be challenged now.")
    elif drawing.bound(view):
        yield say("A double: you must challenge. Possible: {seats}.", seats=seats(view.targets))
    else:
        yield say(
            "A double: you must challenge if you can when your turn comes. Possible now: {seats}.",
            seats=seats(view.targets),
        )


def _blockade(view: View) -> Iterator[Message]:
    if view.reach:
        return
    if by := in_the_way(view):
        yield say("Your spy cannot move. Bodyguards in its way: {seats}.", seats=seats(by))
    else:
        yield say("Your spy cannot move, and no bodyguard is in its way.")


def picture(view: View) -> Message:
    """Say what the drawing shows, for those who do not see it."""
    return say(
        "The board; its pieces are listed beside it. Embassies with a card: {embassies}.",
        embassies=", ".join(_lying(view)) or "-",
    )


def _lying(view: View) -> list[str]:
    return sorted(entry.code for entry in view.board.embassies if entry.card)


def cards_out(view: View) -> Message:
    """Name the embassies in which a card lies."""
    out = _lying(view)
    if not out:
        return say("No embassy has a card.")
    return say("Cards in embassies: {n} ({embassies}).", n=len(out), embassies=", ".join(out))


def how(view: View) -> Sequence[Message]:
    """Say how the sheet below is filled in."""
    if view.phase == "over":
        return ()
    return (
        *_lines(view),
        say("Send everything from ORDERS to END. Later orders replace earlier ones."),
    )


def _lines(view: View) -> Iterator[Message]:
    if view.phase == "setup":
        yield say(
            "Optional: replace the dots with some words of your own. They help make the dice and "
            "the deal, so that nobody can choose them alone. Everyone will read them."
        )
        return
    if view.pending:
        yield say(
            "Write the places in the order you prefer, such as TAKE 2,1. KEEP lines say what to "
            "do with the card: KEEP ATOM: PLACE 4, KEEP *: REFUSE TO ITA."
        )
        return
    other = next(entry.seat for entry in view.seats if entry.seat != view.seat)
    yield say(
        "Fill in the dots. If you give several destinations or lines, the first that is possible "
        "is used: MOVE NOR IF CARD, e2, NEAR DAN. CHALLENGE {seat} 3 {type} names seat, place "
        "and type.",
        seat=SEAT_TITLES[other],
        type=card_title(view.types[0]),
    )
    yield say(
        "PLACE 2 is the place for a card that you take. FIFTH, ANSWER and KEEP stay in use until "
        "you replace them. Send HELP for a list of all order lines."
    )
