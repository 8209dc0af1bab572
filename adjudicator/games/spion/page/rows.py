"""The rows that Spion's templates print, made from a report alone.

Whatever is told here stands in the report: this module sees no state.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.composing import OUT_OF_TURN, aside, out_of_turn
from adjudicator.core.game import Outcome, Report, Rows, Seat
from adjudicator.core.lookback import History
from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.squares import Squares
from adjudicator.games.spion.lexicon import SEAT_TITLES, spelled
from adjudicator.games.spion.page import composer_data, drawing
from adjudicator.games.spion.page.drawing import LETTERS
from adjudicator.games.spion.page.history import OldReport, history
from adjudicator.games.spion.page.legend import legend
from adjudicator.games.spion.page.news import (
    Group,
    embassy_names,
    happened,
    keys,
    left,
    seats,
    told_in,
)
from adjudicator.games.spion.page.squares import squares
from adjudicator.games.spion.rules.rolls import LAST_ROUND, MOST_ROUNDS
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import (
    SeenNote,
    SeenPending,
    SeenRoll,
    SeenSeat,
    View,
    in_the_way,
    own_roll,
)

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


class Dice(Struct, frozen=True, kw_only=True):
    """Dice to be used, and which link of which chain shows them (6.5)."""

    heading: str
    dice: tuple[int, int]
    sum: int
    double: bool
    check: str


class Player(Struct, frozen=True, kw_only=True):
    """A seat in the table: its pieces, its filled places, at the end its cards. `places` are the
    filled ones to be read aloud."""

    seat: Seat
    letter: str
    title: str
    own: bool
    spy: Place
    bodyguard: Place
    start: Place
    home: Place
    filled: str
    dots: str
    places: str
    cards: Sequence[str]


class Page(Rows, frozen=True, kw_only=True):
    """Sentences, tables and drawings, each in the order in which the reader meets it."""

    news: Sequence[Group]
    types_told: Sequence[Group]
    own: Player | None
    holder: Sequence[tuple[int, str]]
    dice: Sequence[Dice]
    goals: Sequence[Labelled]
    facts: Sequence[str]
    standing: Sequence[str]
    board: Sequence[str]
    squares: Squares
    shapes: drawing.Shapes
    legend: Sequence[tuple[str, str, str]]
    picture: str
    short: Sequence[tuple[str, Place]]
    players: Sequence[Player]
    out: str
    names: Sequence[tuple[Place, str]]
    embassies: Sequence[tuple[Place, str, Card]]
    dossier: Sequence[tuple[int, Card, str, bool]] | None
    opened: Sequence[tuple[str, str]]
    composer: composer_data.Offers | None
    aside: Sequence[str]


def looking_back(
    report: Report[View, Seen], words: Words, past: Sequence[OldReport], /
) -> History | None:
    return history(report, past, words, _ending(report.view, words))


def page(report: Report[View, Seen], words: Words, back: History | None = None, /) -> Page:
    view = report.view
    playing = view.phase == "play"
    ordering = playing and not view.pending  # else the dice have been used
    shapes = drawing.shapes(view, report.news)
    own_words = spelled(words)
    players = _players(view, words)
    return Page(
        title=words(say("Spion")),
        seats={entry.seat: words(SEAT_TITLES[entry.seat]) for entry in view.seats},
        spelling=own_words,
        rules="; ".join(_rules(report, words)) + ".",
        early=report.turn <= 1,
        result=_ending(view, words),
        news=happened(view, report.news, words),
        types_told=happened(view, report.news, words, only_types=True),
        own=next((row for row in players if row.own), None),
        holder=_holder(view),
        dice=[_dice(view, roll, words) for roll in view.dice if ordering],
        goals=list(_goals(view, words)),
        facts=[words(message) for message in _facts(report)] if playing else [],
        standing=own_words.all(view.standing) if playing else [],
        board=drawing.lines(view),
        squares=squares(view, report.news, words),
        shapes=shapes,
        legend=legend(shapes, view.seat, words),
        picture=words(_picture(view)),
        short=list(drawing.letters_for_codes(drawing.board_in(view)).items()),
        players=players,
        out=words(_out(view)),
        names=sorted(embassy_names(view, words).items()),
        embassies=_embassies(view, words),
        dossier=_dossier(view, words),
        opened=keys(report.news, words),
        how=[words(message) for message in _how(view)],
        composer=composer_data.offers(report, words),
        scripts=composer_data.scripts(report),
        data=composer_data.data(report, words),
        live_scripts=OUT_OF_TURN if _waits(report) else (),
        live_data=out_of_turn(report, own_words, words) if _waits(report) else {},
        aside=own_words.all(aside(report)) if _waits(report) else [],
    )


def _waits(report: Report[View, Seen]) -> bool:
    """Return whether the reader plays on, and the orders of others are awaited."""
    plays = any(one.seat == report.seat and one.left is None for one in report.view.seats)
    return plays and not report.template and report.result is None


def _most_rounds(report: Report[View, Seen]) -> int:
    return int(report.options.get("max_rounds", "0"))


def _rules(report: Report[View, Seen], words: Words) -> Iterator[str]:
    view = report.view
    yield told_in(view.board.title, words)
    yield words(_MODES[view.mode])
    yield words(_MEMORIES[view.memory])
    yield words(say("types in play: {types}", types=", ".join(view.types)))
    for message in _house_rules(report):
        yield words(message)


def _house_rules(report: Report[View, Seen]) -> Iterator[Message]:
    view = report.view
    if view.open_doors:
        yield say("embassies protect nobody while no card is out")
    if not view.roll_when_blocked:
        yield say("who cannot move at all does not roll")
    if most := _most_rounds(report):
        yield count(
            "after {n} round the cards are counted", "after {n} rounds the cards are counted", most
        )


def _ending(view: View, words: Words) -> str | None:
    return words(_result(view.result)) if view.result else None


def _result(result: Outcome) -> Message:
    if result.reason == "cancelled":
        return say("The match is cancelled and nobody wins.")
    reason, winners = _REASONS[result.reason], result.winners
    if not winners:
        return say("Nobody wins: {reason}.", reason=reason)
    if len(winners) > 1:
        return say("{seats} share the victory: {reason}.", seats=seats(winners), reason=reason)
    return say("{seat} wins: {reason}.", seat=SEAT_TITLES[winners[0]], reason=reason)


def _entry(view: View) -> SeenSeat | None:
    return next((entry for entry in view.seats if entry.seat == view.seat), None)


def _holder(view: View) -> list[tuple[int, str]]:
    """Return the reader's places 1 to 4: a type, `?` if an old report forgets it, `-` if there is
    no card."""
    own = _entry(view)
    return [(place, _on(own, place)) for place in range(1, 5)] if own else []


def _on(entry: SeenSeat, place: int) -> str:
    if place not in entry.filled:
        return _EMPTY
    return (entry.cards[place - 1] or _EMPTY) if entry.cards else _FACE_DOWN


def _dice(view: View, roll: SeenRoll, words: Words) -> Dice:
    own = roll.seat == view.seat
    first, second = roll.dice
    heading = (
        say("Your dice for turn {turn}", turn=view.turn)
        if own
        else say("The dice of {seat} for turn {turn}", seat=SEAT_TITLES[roll.seat], turn=view.turn)
    )
    link = say("Roll {n}, key {key}…; the whole key stands below.", n=roll.number, key=roll.key[:8])
    return Dice(
        heading=words(heading),
        dice=roll.dice,
        sum=first + second,
        double=first == second,
        check=words(link),
    )


def _goals(view: View, words: Words) -> Iterator[Labelled]:
    """List what the reader's spy can reach, by kind."""
    board, goals = drawing.board_in(view), drawing.reached(view)
    cards = {entry.code for entry in view.board.embassies if entry.card}
    for label, kind in (
        (say("Embassies with a card"), sorted(set(goals) & cards)),
        (say("Embassies without a card"), sorted((set(goals) & set(board.embassies)) - cards)),
        (say("Wells"), [g for g in goals if board.kinds.get(g) == "well"]),
        (say("Streets"), [g for g in goals if board.kinds.get(g) == "street"]),
    ):
        if kind:
            yield words(label), " ".join(kind)


def _facts(report: Report[View, Seen]) -> Iterator[Message]:
    """Say what bears on the order to be written."""
    view = report.view
    if view.round >= MOST_ROUNDS and not _most_rounds(report):
        yield say(
            "After round {n} at the latest the match ends and the cards are counted, for there are"
            " no more keys for the dice. This is round {round}.",
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
                "An ambush on {seat} is possible from {places}.",
                seat=SEAT_TITLES[seat],
                places=", ".join(places),
            )
    for entry in view.seats:
        if entry.left:
            yield left(entry.seat, entry.left)


def _asked(view: View, pending: SeenPending) -> Iterator[Message]:
    challenger, place = SEAT_TITLES[pending.challenger], pending.place
    if pending.defender == view.seat:
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
            target=SEAT_TITLES[pending.defender],
        )


def _challenges(view: View) -> Iterator[Message]:
    """Say whom the reader may challenge; in mode `rounds` that may change before his turn."""
    if not drawing.doubled(view):
        return
    if not view.targets:
        yield say("A double, but as things stand nobody can be challenged.")
    elif drawing.bound(view):
        yield say("A double: you must challenge. Possible: {seats}.", seats=seats(view.targets))
    else:
        yield say(
            "A double: if somebody can be challenged in your turn, you must. As things stand:"
            " {seats}.",
            seats=seats(view.targets),
        )


def _blockade(view: View) -> Iterator[Message]:
    if view.reach:
        return
    if by := in_the_way(view):
        yield say("Your spy cannot move. Bodyguards in its way: {seats}.", seats=seats(by))
    else:
        yield say("Your spy cannot move, and no bodyguard is in its way.")


def _picture(view: View) -> Message:
    """Say what the drawing shows, for those who do not see it."""
    return say(
        "The board; its pieces are listed beside it. Cards lie in: {embassies}.",
        embassies=", ".join(_lying(view)) or _EMPTY,
    )


def _lying(view: View) -> list[str]:
    return sorted(entry.code for entry in view.board.embassies if entry.card)


def _players(view: View, words: Words) -> list[Player]:
    over = view.phase == "over"
    return [
        Player(
            seat=entry.seat,
            letter=LETTERS[entry.seat],
            title=words(SEAT_TITLES[entry.seat]),
            own=entry.seat == view.seat,
            spy=entry.spy,
            bodyguard=entry.bodyguard,
            start=entry.start,
            home=entry.home,
            filled="".join(_places(entry, ".")),
            dots=" ".join(_places(entry, "\N{MIDDLE DOT}")),
            places=words(_told_places(entry)),
            cards=[_on(entry, place) for place in range(1, 5)] if over else [],
        )
        for entry in view.seats
    ]


def _places(entry: SeenSeat, empty: str) -> list[str]:
    """Return the number of each place that has a card."""
    return [str(n) if n in entry.filled else empty for n in range(1, 5)]


def _told_places(entry: SeenSeat) -> Message:
    """Say which places have a card, to be read aloud."""
    if not entry.filled:
        return say("no card")
    return say("cards on the places {places}", places=", ".join(map(str, entry.filled)))


def _out(view: View) -> Message:
    """Name the embassies in which a card lies."""
    out = _lying(view)
    if not out:
        return say("Cards out: none.")
    return say("Cards out: {n} ({embassies}).", n=len(out), embassies=", ".join(out))


def _embassies(view: View, words: Words) -> list[tuple[str, str, str]]:
    """Return code, name and card of each embassy in which one lies; nothing before the end."""
    names = embassy_names(view, words)
    return [
        (entry.code, names[entry.code], entry.type) for entry in view.board.embassies if entry.type
    ]


def _dossier(view: View, words: Words) -> list[tuple[int, str, str, bool]] | None:
    """Return turn, type, place, and whether the card has moved since; None if there is no dossier
    (5.6)."""
    if view.dossier is None:
        return None
    return [(note.turn, note.card, words(_noted_at(note)), note.moved) for note in view.dossier]


def _noted_at(note: SeenNote) -> Message:
    if note.seat:
        return say("{seat}, place {n}", seat=SEAT_TITLES[note.seat], n=note.place)
    return say("embassy {code}", code=note.place)


def _how(view: View) -> Sequence[Message]:
    """Say how the sheet below is filled in."""
    if view.phase == "over":
        return ()
    return (*_lines(view), say("Send the sheet from ORDERS to END; a later one replaces it."))


def _lines(view: View) -> Iterator[Message]:
    if view.phase == "setup":
        yield say(
            "Write some words of your own in place of the dots. They go into the dice and the"
            " deal, so that nobody can have chosen these alone; all will read them."
        )
        return
    if view.pending:
        yield say(
            "Write the places in the order of your choice, as TAKE 2,1. KEEP lines say what"
            " becomes of the card: KEEP ATOM: PLACE 4, KEEP *: REFUSE TO ITA."
        )
        return
    other = next(entry.seat for entry in view.seats if entry.seat != view.seat)
    yield say(
        "Write on in place of the dots; of several goals or lines the first that can be"
        " followed counts: MOVE NOR IF CARD, e2, NEAR DAN. CHALLENGE {seat} 3 {type} names seat,"
        " place and type.",
        seat=SEAT_TITLES[other],
        type=view.types[0],
    )
    yield say(
        "PLACE 2 names the place for a card that you take. FIFTH, ANSWER and KEEP stay in force"
        " until you replace them. The command HELP sends all kinds of lines."
    )
