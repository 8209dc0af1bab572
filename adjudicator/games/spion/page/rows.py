"""The rows that Spion's templates print, made from a report alone.

Whatever is told here stands in the report: this module sees no state.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from adjudicator.core.composing import out_of_turn
from adjudicator.core.game import Rows
from adjudicator.core.lookback import History
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.core.visible import Squares
from adjudicator.games.spion.lexicon import SEAT_TITLES, card_read, spelled
from adjudicator.games.spion.page import composer_data, drawing, sentences
from adjudicator.games.spion.page.drawing import legend
from adjudicator.games.spion.page.history import OldReport, history
from adjudicator.games.spion.page.names import embassy_names
from adjudicator.games.spion.page.news import Group, keys, lines_by_turn, own_turns
from adjudicator.games.spion.page.players import Player, holder, players
from adjudicator.games.spion.page.squares import squares
from adjudicator.games.spion.rules.state import Card, Place
from adjudicator.games.spion.sight.sightings import Seen
from adjudicator.games.spion.sight.view import (
    SeenNote,
    SeenRoll,
    View,
    board_in,
    position_of,
)

Labelled = tuple[str, str]


class Dice(Struct, frozen=True, kw_only=True):
    """Dice to be used, and which link of which chain shows them (6.5)."""

    heading: str
    dice: tuple[int, int]
    sum: int
    double: bool
    check: str


class Page(Rows, frozen=True, kw_only=True):
    """Sentences, tables and drawings, each in the order in which the reader meets it."""

    news: Sequence[Group]
    gist: str
    types_told: Sequence[Group]
    own: Player | None
    holder: Sequence[tuple[int, str]]
    kinds: Mapping[str, str]
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
    goals_with_card: Sequence[tuple[Place, str]]
    embassies: Sequence[tuple[Place, str, Card]]
    dossier: Sequence[tuple[int, Card, str, bool]] | None
    opened: Sequence[tuple[str, str]]
    composer: composer_data.Offers | None
    aside: Sequence[str]


def looking_back(
    report: Report[View, Seen], words: Words, past: Sequence[OldReport], room: int | None, /
) -> History | None:
    return history(report, past, words, sentences.ending(report.view, words), room)


def page(report: Report[View, Seen], words: Words, back: History | None = None, /) -> Page:
    view = report.view
    playing = view.phase == "play"
    ordering = playing and not view.pending  # else the dice have been used
    shapes = drawing.shapes(view, report.news)
    own_words = spelled(words)
    table = players(report, words)
    news = lines_by_turn(view, report.news, words)
    plays = any(one.seat == report.seat and one.left is None for one in view.seats)
    waiting = out_of_turn(report, plays, own_words, words)
    return Page(
        title=words(say("Spion")),
        seats={entry.seat: words(SEAT_TITLES[entry.seat]) for entry in view.seats},
        spelling=own_words,
        rules="; ".join(sentences.option_texts(report, words)) + ".",
        early=report.turn <= 1,
        result=sentences.ending(view, words),
        news=news,
        gist=news[-1][1][-1][1] if news else "",
        mine=own_turns(view, report.news, news, words),
        types_told=lines_by_turn(view, report.news, words, only_types=True),
        own=next((row for row in table if row.own), None),
        holder=holder(view, words),
        kinds={card_read(card, words): card for card in view.types},
        dice=[_dice(view, roll, words) for roll in view.dice if ordering],
        goals=list(_goals(view, words)),
        facts=[words(message) for message in sentences.facts(report)] if playing else [],
        standing=own_words.all(view.standing) if playing else [],
        board=drawing.lines(view),
        squares=squares(view, report.news, words),
        shapes=shapes,
        legend=legend(shapes, view.seat, words),
        picture=words(sentences.picture(view)),
        short=list(drawing.letters_for_codes(board_in(view)).items()),
        players=table,
        out=words(sentences.cards_out(view)),
        names=sorted(embassy_names(view, words).items()),
        goals_with_card=[
            (code, name)
            for code, name in sorted(embassy_names(view, words).items())
            if code in position_of(view).out and code in view.reach
        ],
        embassies=_embassies(view, words),
        dossier=_dossier(view, words),
        opened=keys(report.news, words),
        how=[words(message) for message in sentences.how(view)],
        composer=composer_data.offers(report, words),
        scripts=composer_data.scripts(report),
        data=composer_data.data(report, words),
        live_scripts=waiting.scripts,
        live_data=waiting.data,
        aside=waiting.sheet,
    )


def _dice(view: View, roll: SeenRoll, words: Words) -> Dice:
    own = roll.seat == view.seat
    first, second = roll.dice
    heading = (
        say("Your dice for turn {turn}", turn=view.turn)
        if own
        else say("The dice of {seat} for turn {turn}", seat=SEAT_TITLES[roll.seat], turn=view.turn)
    )
    link = say("Roll {n}, key {key}…; the full key is below.", n=roll.number, key=roll.key[:8])
    return Dice(
        heading=words(heading),
        dice=roll.dice,
        sum=first + second,
        double=first == second,
        check=words(link),
    )


def _goals(view: View, words: Words) -> Iterator[Labelled]:
    """List what the reader's spy can reach, by kind."""
    board, goals = board_in(view), drawing.reachable_places(view)
    cards = {entry.code for entry in view.board.embassies if entry.card}
    for label, kind in (
        (say("Embassies with a card"), sorted(set(goals) & cards)),
        (say("Embassies without a card"), sorted((set(goals) & set(board.embassies)) - cards)),
        (say("Wells"), [g for g in goals if board.kinds.get(g) == "well"]),
        (say("Streets"), [g for g in goals if board.kinds.get(g) == "street"]),
    ):
        if kind:
            yield words(label), " ".join(kind)


def _embassies(view: View, words: Words) -> list[tuple[str, str, str]]:
    """Return code, name and card of each embassy in which one lies; nothing before the end."""
    names = embassy_names(view, words)
    return [
        (entry.code, names[entry.code], card_read(entry.type, words))
        for entry in view.board.embassies
        if entry.type
    ]


def _dossier(view: View, words: Words) -> list[tuple[int, str, str, bool]] | None:
    """Return turn, type, place, and whether the card has moved since; None if there is no dossier
    (5.6)."""
    if view.dossier is None:
        return None
    return [
        (note.turn, card_read(note.card, words), words(_noted_at(note)), note.moved)
        for note in view.dossier
    ]


def _noted_at(note: SeenNote) -> Message:
    if note.seat:
        return say("{seat}, place {n}", seat=SEAT_TITLES[note.seat], n=note.place)
    return say("embassy {code}", code=note.place)
