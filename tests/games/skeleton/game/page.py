"""The rows that the templates print, made from a report alone."""

from collections.abc import Mapping, Sequence

from adjudicator.core.composing import BY_HAND, by_hand
from adjudicator.core.game import Rows
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.core.text import spelling
from adjudicator.core.visible import Square, Squares, Thing
from tests.games.skeleton.game.lexicon import LEXICON, SEAT_TITLES
from tests.games.skeleton.game.rules import CROSS, NOUGHT, OTHER, ROWS
from tests.games.skeleton.game.sight import News, View, drawn

# A sentence for every reason: the game's own, and the four that the program itself gives.
_WON: Mapping[str, Message] = {
    "three-in-a-row": say("three in a row"),
    "resignation": say("the other side resigned"),
    "forfeit": say("the other side forfeits the match"),
}
_NOT_WON: Mapping[str, Message] = {
    "full-board": say("A draw: the board is full."),
    "agreement": say("A draw: the players agreed."),
    "cancelled": say("The match is cancelled and nobody wins."),
    "resignation": say("Both sides resigned."),
    "forfeit": say("Both sides forfeit the match."),
}


_SIGNS: Mapping[Seat, str] = {CROSS: "X", NOUGHT: "O"}


class Page(Rows, frozen=True, kw_only=True):
    """`signs` are the column, the row and the sign of each mark that the seat sees, `squares` the
    same board as a table, for letters."""

    news: Sequence[str]
    board: Sequence[str]
    squares: Squares
    signs: Sequence[tuple[int, int, str]]


def rows(report: Report[View, News], words: Words) -> Page:
    view = report.view
    spelled = spelling(LEXICON, SEAT_TITLES, words)
    return Page(
        title=words(say("Skeleton")),
        seats={seat: words(title) for seat, title in SEAT_TITLES.items()},
        spelling=spelled,
        rules=words(say("You see your own marks only. Three in a row win.")),
        result=words(_result(view.result)) if view.result else None,
        how=[words(say("Write CLAIM and a square, as in CLAIM b2."))],
        scripts=BY_HAND if report.template else (),
        data=by_hand(report, spelled, words),
        news=[words(_told(news)) for news in report.news],
        board=drawn(view.marks).split("\n"),
        squares=_squares(view.marks, words),
        signs=list(_signs(view.marks)),
    )


def _squares(marks: Mapping[str, Seat], words: Words) -> Squares:
    return Squares(
        columns=[square[0] for square in ROWS[0]],
        rows=[
            (row[0][1:], [Square("", _things(marks.get(square), words)) for square in row])
            for row in ROWS
        ],
    )


def _things(side: Seat | None, words: Words) -> Sequence[Thing]:
    return [Thing(_SIGNS[side], "mark", words(SEAT_TITLES[side]))] if side else ()


def _result(result: Outcome) -> Message:
    if result.winner is None:
        return _NOT_WON[result.reason]
    side, reason = SEAT_TITLES[result.winner], _WON[result.reason]
    return say("{side} wins: {reason}.", side=side, reason=reason)


def _told(news: News) -> Message:
    side = SEAT_TITLES[news.seat]
    if news.square is None and news.hit:
        return say(
            "{side} came on a mark of {other}.", side=side, other=SEAT_TITLES[OTHER[news.seat]]
        )
    if news.square is None:
        return say("{side} marked a square.", side=side)
    if news.hit:
        return say("{square} is marked by the other side; order again.", square=news.square)
    return say("You marked {square}.", square=news.square)


def _signs(marks: Mapping[str, Seat]) -> Sequence[tuple[int, int, str]]:
    return [
        (column, row, _SIGNS[marks[square]])
        for row, squares in enumerate(ROWS)
        for column, square in enumerate(squares)
        if square in marks
    ]
