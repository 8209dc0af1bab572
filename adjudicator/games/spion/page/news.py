"""Tell what happened in words, as far as this report's seat knows it (rules 5.5).

Types stand in sentences of their own, so that what is left of an old report reads well (5.6).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from msgspec import UNSET

from adjudicator.core.message import Message, Words, count, say
from adjudicator.core.text import Spelling, one_line
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_title, spelled
from adjudicator.games.spion.page.drawing import below_ground
from adjudicator.games.spion.page.names import Names, embassy_names, seats, where
from adjudicator.games.spion.rules.board import Board
from adjudicator.games.spion.sight.sightings import (
    SawAnswerAwaited,
    SawBegun,
    SawBlocked,
    SawChallenged,
    SawDealt,
    SawDrew,
    SawGuardSwapped,
    SawGuessedRight,
    SawKept,
    SawLeft,
    SawMoved,
    SawOpeningRolled,
    SawPhrased,
    SawRefused,
    SawReplaced,
    SawShown,
    SawSwapped,
    SawTakenInAnswer,
    SawTook,
    SawTurnOpened,
    SawUnfollowed,
    Seen,
    tells_type,
)
from adjudicator.games.spion.sight.view import View, board_in

Group = tuple[str, list[tuple[str, str]]]  # a heading; of each sentence what it tells, and itself


def lines_by_turn(
    view: View, news: Sequence[Seen], words: Words, only_types: bool = False
) -> list[Group]:
    """Return the sentences of each executed turn; with `only_types` those alone that belong to a
    type."""
    names = embassy_names(view, words)
    return [
        (words(heading), rows)
        for heading, entries in group_by_turn(news)
        if (rows := list(_rows(entries, board_in(view), names, words, only_types)))
    ]


def own_turns(view: View, news: Sequence[Seen], told: Sequence[Group], words: Words) -> list[int]:
    """Return which of the parts that are told are turns of the reader."""
    own = {
        words(heading)
        for heading, _ in group_by_turn(news)
        if heading.values.get("seat") == SEAT_TITLES.get(view.seat)
    }
    return [n for n, (heading, _) in enumerate(told) if heading in own]


def sentences(news: Sequence[Seen], view: View, words: Words) -> Iterator[str]:
    """Yield the sentences of news of the same match, without headings."""
    names = embassy_names(view, words)
    return (told for _, told in _rows(news, board_in(view), names, words, only_types=False))


def group_by_turn(news: Sequence[Seen]) -> list[tuple[Message, list[Seen]]]:
    """Return the news of each turn, under its heading."""
    groups: list[tuple[Message, list[Seen]]] = []
    for entry in news:
        heading = _heading(entry)
        if heading is None and not groups:
            heading = say("The answer")  # its turn stands in an earlier report
        if heading is not None and (not groups or groups[-1][0] != heading):
            groups.append((heading, []))
        groups[-1][1].append(entry)
    return groups


def _heading(entry: Seen) -> Message | None:
    """Return the heading of a part of the news; None goes on with the part before."""
    match entry:
        case SawPhrased() | SawDealt() | SawOpeningRolled() | SawBegun():
            return say("The beginning")
        case SawLeft():
            return say("Players who left")
        case SawReplaced():
            return say("A new player")
        case SawTurnOpened():
            return _opened(entry)
        case _:
            return None


def _opened(entry: SawTurnOpened) -> Message:
    seat = SEAT_TITLES[entry.seat]
    if entry.dice is None:
        return say("Turn {turn}, {seat} (no dice)", turn=entry.turn, seat=seat)
    first, second = entry.dice
    dice = f"{first}+{second}"
    if first == second:
        return say("Turn {turn}, {seat} ({dice}, a double)", turn=entry.turn, seat=seat, dice=dice)
    return say("Turn {turn}, {seat} ({dice})", turn=entry.turn, seat=seat, dice=dice)


def _rows(
    entries: Sequence[Seen], board: Board, names: Names, words: Words, only_types: bool
) -> Iterator[tuple[str, str]]:
    with_phrases = any(isinstance(entry, SawPhrased) and entry.text for entry in entries)
    for entry in entries:
        if only_types and not tells_type(entry):
            continue
        if isinstance(entry, SawPhrased) and not with_phrases:
            continue  # nobody was asked for one, or nobody gave one
        told = " ".join(words(message) for message in _told(entry, board, names, words))
        if told:
            yield str(entry.__struct_config__.tag), told


def _told(entry: Seen, board: Board, names: Names, words: Words) -> Iterator[Message]:
    match entry:
        case SawTurnOpened():
            return iter(())  # the heading has told it
        case SawMoved():
            return _moved(entry, board, names)
        case SawDealt() | SawTook() | SawSwapped() | SawRefused():
            return _SENTENCES[type(entry)](entry, names)
        case SawUnfollowed():
            return _unfollowed(entry, spelled(words))
        case _:
            return _SENTENCES[type(entry)](entry)


def _phrased(entry: SawPhrased) -> Iterator[Message]:
    seat, text = SEAT_TITLES[entry.seat], one_line(entry.text)
    if text:
        yield say("The phrase of {seat}: {text}", seat=seat, text=text)
    else:
        yield say("{seat} sent no phrase.", seat=seat)


def _dealt(entry: SawDealt, names: Names) -> Iterator[Message]:
    yield count(
        "{n} card is dealt, face down.",
        "{n} cards are dealt, face down, one to an embassy.",
        len(entry.embassies),
    )
    if bare := [code for code in names if code not in entry.embassies]:
        yield say("No card is dealt to {embassies}.", embassies=", ".join(bare))


def _opening_rolled(entry: SawOpeningRolled) -> Iterator[Message]:
    first, second = entry.dice
    yield say(
        "{seat} rolls {dice} = {total} for the first turn.",
        seat=SEAT_TITLES[entry.seat],
        dice=f"{first}+{second}",
        total=first + second,
    )


def _begun(entry: SawBegun) -> Iterator[Message]:
    yield say("{seat} begins.", seat=SEAT_TITLES[entry.seat])


def _left(entry: SawLeft) -> Iterator[Message]:
    yield message_for_leaving(entry.seat, entry.reason)


def message_for_leaving(seat: str, reason: str) -> Message:
    """Say that a seat gave up or was forfeited, which also the game master does, and what follows
    (5.4)."""
    if reason == "forfeit":
        return say(
            "{seat} has lost by forfeit; the default rules now play its pieces.",
            seat=SEAT_TITLES[seat],
        )
    return say("{seat} resigned; the default rules now play its pieces.", seat=SEAT_TITLES[seat])


def _replaced(entry: SawReplaced) -> Iterator[Message]:
    yield say(
        "{seat} has a new player and no standing orders: those of the player before have ended.",
        seat=SEAT_TITLES[entry.seat],
    )


def _blocked(entry: SawBlocked) -> Iterator[Message]:
    if entry.by:
        yield say("The spy cannot move. Bodyguards in its way: {seats}.", seats=seats(entry.by))
    else:
        yield say("The spy cannot move, and no bodyguard is in its way.")


def _drew(entry: SawDrew) -> Iterator[Message]:
    """Tell what no order decided. A link for a fifth card or an answer is opened whether it is
    needed or not, and says nothing."""
    if entry.use == "move":
        yield say("No order applies: the destination is random.")
    elif entry.use == "challenge":
        yield say(
            "No order applies: the first possible target is challenged; place and type are random."
        )


def _moved(entry: SawMoved, board: Board, names: Names) -> Iterator[Message]:
    start, goal = where(entry.start, names), where(entry.goal, names)
    way = (entry.start, *entry.path)
    wells = [
        step for step, below in zip(pairwise(way), below_ground(board, way), strict=True) if below
    ]
    if wells:
        (down, up), *_ = wells
        yield say(
            "The spy goes from {start} to {goal}, through the tunnel {down}-{up}.",
            start=start,
            goal=goal,
            down=down,
            up=up,
        )
    else:
        yield say("The spy goes from {start} to {goal}.", start=start, goal=goal)


def _took(entry: SawTook, names: Names) -> Iterator[Message]:
    seat, embassy = SEAT_TITLES[entry.seat], where(entry.embassy, names)
    if entry.place is None:
        yield say(
            "{seat} takes the card from {embassy}; the holder is full.",
            seat=seat,
            embassy=embassy,
        )
    else:
        yield say(
            "{seat} puts the card from {embassy} on place {n}.",
            seat=seat,
            embassy=embassy,
            n=entry.place,
        )
    yield from _type(entry)


def _type(entry: SawTook | SawTakenInAnswer) -> Iterator[Message]:
    if entry.card is not UNSET:
        yield say("It is {card}.", card=card_title(entry.card))


def _swapped(entry: SawSwapped, names: Names) -> Iterator[Message]:
    yield say(
        "{seat} puts the card from place {n} into {embassy} and keeps the new one instead.",
        seat=SEAT_TITLES[entry.seat],
        n=entry.place,
        embassy=where(entry.embassy, names),
    )
    if entry.given is not UNSET:
        yield say("Given up: {card}.", card=card_title(entry.given))


def _refused(entry: SawRefused, names: Names) -> Iterator[Message]:
    yield say(
        "{seat} refuses the card and puts it into {embassy}.",
        seat=SEAT_TITLES[entry.seat],
        embassy=where(entry.embassy, names),
    )


def _kept(entry: SawKept) -> Iterator[Message]:
    yield say("{seat} keeps the card on place {n}.", seat=SEAT_TITLES[entry.seat], n=entry.place)


def _challenged(entry: SawChallenged) -> Iterator[Message]:
    seat, target = SEAT_TITLES[entry.seat], SEAT_TITLES[entry.target]
    if entry.ambush:
        yield say("{seat} ambushes {target}.", seat=seat, target=target)
    else:
        yield say("{seat} challenges {target}.", seat=seat, target=target)
    yield say(
        "The bodyguard of {seat} goes to {square}, the spy of {target} goes home to {home}.",
        seat=seat,
        square=entry.guard_to,
        target=target,
        home=entry.spy_to,
    )
    if entry.guess is not UNSET:
        yield say(
            "Guess: place {n} of {target} holds {card}.",
            n=entry.place,
            target=target,
            card=card_title(entry.guess),
        )
    else:
        yield say("A guess about place {n} of {target}.", n=entry.place, target=target)


def _guessed_right(entry: SawGuessedRight) -> Iterator[Message]:
    seat = SEAT_TITLES[entry.seat]
    if entry.into is None:
        yield say("Right: {seat} takes the card; the holder is full.", seat=seat)
    else:
        yield say("Right: {seat} puts the card on place {n}.", seat=seat, n=entry.into)


def _shown(entry: SawShown) -> Iterator[Message]:
    if entry.card is not UNSET:
        yield say("Wrong: the card is {card}. Everyone has seen it.", card=card_title(entry.card))
    else:
        yield say("Wrong: the card was shown to everyone.")


def _taken(entry: SawTakenInAnswer) -> Iterator[Message]:
    yield say(
        "{seat} takes the card on place {n} of {target}.",
        seat=SEAT_TITLES[entry.seat],
        n=entry.place,
        target=SEAT_TITLES[entry.target],
    )
    yield from _type(entry)


def _answer_awaited(entry: SawAnswerAwaited) -> Iterator[Message]:
    yield say(
        "{seat} is asked which card of {target} to take.",
        seat=SEAT_TITLES[entry.target],
        target=SEAT_TITLES[entry.seat],
    )


_WHY: Mapping[str, Message] = {
    "filled": say("that place was filled"),
    "full": say("the holder was full"),
    "embassies": say("no embassy on its list could take the card"),
    "missing": say("the card to give up was not there"),
    "room": say("the holder had room"),
    "empty": say("no place on its list had a card"),
}


def _unfollowed(entry: SawUnfollowed, spelled: Spelling) -> Iterator[Message]:
    if entry.line is not UNSET and entry.why is not UNSET:
        yield say(
            "{seat}: {line} could not be used: {why}.",
            seat=SEAT_TITLES[entry.seat],
            line=spelled(entry.line),
            why=_WHY[entry.why],
        )


def _guard_swapped(entry: SawGuardSwapped) -> Iterator[Message]:
    yield say(
        "The bodyguard of {seat} replaces that of {target} on {square}; the replaced one goes home"
        " to {home}.",
        seat=SEAT_TITLES[entry.seat],
        target=SEAT_TITLES[entry.target],
        square=entry.guard_to,
        home=entry.goal,
    )


_SENTENCES: Mapping[type[Seen], Callable[..., Iterator[Message]]] = {
    SawPhrased: _phrased,
    SawDealt: _dealt,
    SawOpeningRolled: _opening_rolled,
    SawBegun: _begun,
    SawLeft: _left,
    SawReplaced: _replaced,
    SawBlocked: _blocked,
    SawDrew: _drew,
    SawTook: _took,
    SawSwapped: _swapped,
    SawRefused: _refused,
    SawKept: _kept,
    SawChallenged: _challenged,
    SawGuessedRight: _guessed_right,
    SawShown: _shown,
    SawTakenInAnswer: _taken,
    SawAnswerAwaited: _answer_awaited,
    SawGuardSwapped: _guard_swapped,
}


def keys(news: Sequence[Seen], words: Words) -> list[tuple[str, str]]:
    """Return the links of public chains that the news open, each once (6.5, 6.6)."""
    found: dict[str, Message] = {}
    for entry in news:
        match entry:
            case SawDrew(key=key, number=number):
                found[key] = say("Draw {n} of the adjudicator", n=number)
            case (
                SawOpeningRolled(key=str(key), number=int(number))
                | SawTurnOpened(key=str(key), number=int(number))
            ):
                seat = SEAT_TITLES[entry.seat]
                found[key] = say("Roll {n} of {seat}", n=number, seat=seat)
    return [(words(message), key) for key, message in found.items()]
