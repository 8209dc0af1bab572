"""The rows that the templates of `default/` print, made from a report alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec import Struct, to_builtins

from adjudicator.core.composing import BY_HAND, SHARED, by_hand, draft, told
from adjudicator.core.game import Rows
from adjudicator.core.match import Option, Outcome, Seat, defaults, ending
from adjudicator.core.message import Message, Words, say
from adjudicator.core.report import Report
from adjudicator.core.simple.board import Board, Map, ValueTable, fields, text
from adjudicator.core.simple.board_faults import BoardFault, faults
from adjudicator.core.simple.orders import SimpleOrders
from adjudicator.core.simple.state import Seen
from adjudicator.core.text import Spelling, speller
from adjudicator.core.visible import Squares, Visible, plain

V = TypeVar("V", bound=Seen)
N = TypeVar("N", bound=Visible)
O = TypeVar("O", bound=Struct)  # noqa: E741

CHOICES = ("shared/bar.js", "default/choices.js")
CELL, MARGIN = 40, 24  # of a square, and of what stands around the board, in the drawing
_WORDS: Mapping[str, Message] = {
    "first": say("Choose your order."),
    "map": say("Map: select a place"),
    "several": say("Choose {most} orders."),
    "chosen": say("{n} of {most} chosen"),
    "ready": say("Your orders: {lines}. Now send them."),
    "sentIn": say("You have sent: {lines}."),
}
_OF_TWO: Mapping[str, Message] = {
    "resignation": say("the other player resigned"),
    "forfeit": say("the other player forfeited"),
}


def _told(news: Visible) -> Message:
    """Say what a sighting has in its fields, which is the default."""
    told = (f"{name}: {value}" for name, value in plain(news).items() if value is not None)
    return Message("{told}", {"told": ", ".join(told)})


@dataclass(frozen=True, kw_only=True)
class Look(Generic[V, N, O]):
    """How a game is shown. `board` makes the board of a view in its reader's words, `news` the
    sentence for what a seat learned, `label` what the button of a legal order says, and `square`
    on which square of the board, or place of the map, it is tapped; one of an empty name has a
    button. `how` says how orders are written, `rules` what was
    agreed or has to be known, and `reasons` why the match ended, by the reason of the outcome."""

    board: Callable[[V, Words], Board] = fields
    news: Callable[[N], Message] = _told
    label: Callable[[O, Words], str] | None = None
    square: Callable[[O], str] | None = None
    how: Sequence[Message] = ()
    rules: Sequence[Message] = ()
    reasons: Mapping[str, Message] = field(default_factory=dict)


class Cell(Struct, frozen=True):
    """A square of the drawing: `x` and `y` are its upper left corner."""

    x: int
    y: int
    ground: str
    sign: str
    style: str
    told: str


class SimpleRows(Rows, frozen=True, kw_only=True):
    """One of `table`, `squares` and `map` is given, and `lines` is the same as text. `choices` says
    that legal orders can be chosen, and `buttons` that not all of them are tapped on the board."""

    about: str
    example: Sequence[str]
    news: Sequence[str]
    left: Sequence[str]
    lines: Sequence[str]
    table: ValueTable | None
    squares: Squares | None
    map: Map | None
    cells: Sequence[Cell]
    width: int
    height: int
    choices: bool
    buttons: bool


class SimpleCard(Struct, frozen=True):
    """The rows of the card that HELP sends. `examples` are lines of one sheet; `others` have other
    words."""

    title: str
    about: str
    examples: Sequence[str]
    others: Sequence[str]
    sentences: Sequence[str]


class Showing:
    """The parts of a game of which its page is made."""

    def __init__(
        self,
        title: str,
        about: Message,
        titles: Mapping[Seat, Message],
        orders: SimpleOrders[Any, Any],
        look: Look[Any, Any, Any],
        options: Mapping[str, Option],
    ) -> None:
        self._title, self._about, self._titles = title, about, titles
        self._orders, self._look, self._options = orders, look, options
        self.spelled = speller(orders.lexicon(), titles)

    def rows(self, report: Report[Any, Any], words: Words) -> SimpleRows:
        view = report.view
        spelled = self.spelled(words)
        board = self._look.board(view, words)
        if fault := next(faults(board), None):
            raise BoardFault(fault)
        squares = board if isinstance(board, Squares) else None
        width, height = _size(squares) if squares else (0, 0)
        legal = self._orders.legal(view) if self._orders.legal and report.template else ()
        choices = [self._choice(order, spelled, words) for order in legal]
        return SimpleRows(
            title=words(Message(self._title)),
            seats={seat: words(self._titles[seat]) for seat in view.seats},
            spelling=spelled,
            rules=self._rules(report, words),
            result=words(self.result(view)) if view.result else None,
            how=list(map(words, self._look.how)),
            scripts=(CHOICES if legal else BY_HAND) if report.template else (),
            data=self._composer(report, board, choices, spelled, words),
            about=words(self._about),
            example=spelled.all(self._orders.example(view)) if report.template else (),
            news=[words(self._news(news)) for news in report.news],
            left=[words(self._titles[seat]) for seat in view.left],
            lines=text(board),
            table=board if isinstance(board, ValueTable) else None,
            squares=squares,
            map=board if isinstance(board, Map) else None,
            cells=list(_cells(squares)) if squares else (),
            width=width,
            height=height,
            choices=bool(legal),
            buttons=any(not square for _, _, square in choices),
        )

    def _news(self, news: Any) -> Message:
        told = self._look.news(news)
        if not isinstance(told, Message):
            raise BoardFault(
                f"`look.news` returns {told!r}; return a sentence, as `say(…)` makes it"
            )
        return told

    def _rules(self, report: Report[Any, Any], words: Words) -> str:
        """Say the rules, and which options are not as usual."""
        told = [words(sentence) for sentence in self._look.rules or [self._about]]
        usual = defaults(self._options, len(report.view.seats))
        agreed = (
            f"{name}: {report.options[name]}."
            for name, option in self._options.items()
            if {report.options.get(name, option.default), usual[name]} != {option.default}
        )
        return " ".join((*told, *agreed))

    def card(self, words: Words) -> SimpleCard:
        sentences = [*self._look.how, *self._look.rules]
        title, about = words(Message(self._title)), words(self._about)
        examples, (first, *others) = self._orders.examples, self._orders.one_each
        sheet = [first] if others else examples
        return SimpleCard(title, about, sheet, others, list(map(words, sentences)))

    def result(self, view: Seen) -> Message:
        result = view.result
        assert result is not None, "it is asked for at the end"
        return ending(result, self._reasons(result, len(view.seats)), self._titles)

    def _reasons(self, result: Outcome, players: int) -> Mapping[str, Message]:
        unknown = {} if result.reason in _OF_TWO else {result.reason: Message(result.reason)}
        if result.reason == "agreement":
            unknown = {}
        two = _OF_TWO if players == 2 else {}
        return {**unknown, **two, **self._look.reasons}

    def _composer(
        self,
        report: Report[Any, Any],
        board: Board,
        choices: Sequence[tuple[str, str, str]],
        spelled: Spelling,
        words: Words,
    ) -> Mapping[str, Any]:
        if not choices:
            return by_hand(report, spelled, words)
        composing = {
            "sheet": report.template,
            "draft": draft(report),
            "words": told({**SHARED, **_WORDS}, words),
            "spelling": to_builtins(spelled),
            "choices": choices,
            "most": self._orders.many(report.view),
            "sent": report.orders.lines if report.orders else (),
            "cell": CELL,
            "margin": MARGIN,
            "rows": (),
        }
        if self._look.square and isinstance(board, Squares):
            composing["rows"] = _names(board)
        elif self._look.square and isinstance(board, Map):
            composing["places"] = board.places
        return {"composer-data": composing}

    def _choice(self, order: Any, spelled: Spelling, words: Words) -> tuple[str, str, str]:
        line = self._orders.canonical(order)
        label = self._look.label(order, words) if self._look.label else spelled(line)
        return line, label, self._look.square(order) if self._look.square else ""


def _size(squares: Squares) -> tuple[int, int]:
    return (
        CELL * len(squares.columns) + 2 * MARGIN,
        CELL * len(squares.rows) + 2 * MARGIN,
    )


def _names(squares: Squares) -> list[str]:
    """Name the squares, a row a text, as orders name them: `a3 b3 c3`."""
    return [
        " ".join(f"{column}{head}".lower() for column in squares.columns)
        for head, _ in squares.rows
    ]


def _cells(squares: Squares) -> Iterator[Cell]:
    for row, (_, across) in enumerate(squares.rows):
        for column, square in enumerate(across):
            things = square.things
            yield Cell(
                MARGIN + CELL * column,
                MARGIN + CELL * row,
                square.ground,
                "".join(thing.sign for thing in things),
                things[0].style if things else "",
                ", ".join(thing.told for thing in things),
            )
