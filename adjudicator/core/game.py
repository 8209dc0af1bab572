"""What a set of rules must provide. The shell knows a game by this value and by nothing else."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NewType, Protocol, TypeAlias, TypeVar

from msgspec import Struct

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.message import Message, Words
from adjudicator.core.orders import Line, Problem, Sheet
from adjudicator.core.record import Refused, Replayed, Transcript
from adjudicator.core.report import Visible
from adjudicator.core.spelling import Lexicon, Spelling, spelling

Seat = NewType("Seat", str)

S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
E = TypeVar("E")
V = TypeVar("V", bound=Visible)

Plain: TypeAlias = Mapping[str, Any]  # a report as plain data


class Outcome(Visible, frozen=True, kw_only=True):
    """How a match ended: `winner` where there is exactly one, `winners` always."""

    winner: Seat | None
    winners: tuple[Seat, ...]
    reason: str


class Option(Struct, frozen=True):
    """One setting of a match that belongs to a game: its values, the first is the default.

    `values` is empty for a whole number from 0 to `most`; the default is then 0. `by_seats` is the
    default where it depends on how many play.
    """

    values: tuple[str, ...] = ()
    most: int = 0
    help: str = ""
    by_seats: Mapping[int, str] = {}

    @property
    def default(self) -> str:
        return self.values[0] if self.values else "0"


class Setting(Struct, frozen=True):
    """What is agreed before a match opens. `board` is a board of the game master's own, as the
    game wrote it down after it had read it; empty for the variant's."""

    variant: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    board: str = ""


class Link(Struct, frozen=True):
    """A link of a public chain, as a seat may see it: it opens draw `number`, counted from 1.
    `seat` is None for the adjudicator's own chain. While it is not `opened` only the link before
    it is shown, against which it will be checked."""

    chain: str
    seat: Seat | None
    number: int
    opened: bool = True


class Chronicle(Struct, frozen=True):
    """What a game record says beside the moves: names by seat, `date` as `YYYY.MM.DD`, and the
    seed in hex, which is opened when the match has ended."""

    names: Mapping[Seat, str]
    date: str
    outcome: Outcome | None
    match: str = ""
    seed: str = ""


class Page(Protocol):
    """Turns a report, already plain data, into the rows that the game's templates print.

    The shared ones print `title`, the game's name; `seats`, the title of each seat in play;
    `spelling`, how the reader writes order lines; `rules`, a sentence on what was agreed;
    `result`, one on the end, None before it; and `how`, sentences above the order sheet. Of a
    page that does more they put in `scripts`, places under `templates` in the order in which they
    run, and `data`, a value for each script element by its id; `templates/shared/history.html.j2`
    steps through `history`, made with `core/lookback.py`. What else there is, is between the page
    and the game's own templates.
    """

    def __call__(
        self, report: Mapping[str, Any], words: Words, past: Sequence[Any] | None = None, /
    ) -> Mapping[str, Any]:
        """`past` are older reports of the same seat as the game's `past` reads them, the oldest
        first; None where the page is a form that does not look back."""
        ...


@dataclass(frozen=True, kw_only=True)
class Game(Generic[S, O, E, V]):
    """The rules of one game: S its state, O an order, E an event, V what one seat sees.

    The signatures are promises. `parse` sees no state, so it can only say "not understood".
    `check` sees a view, never a state, so its complaints cannot leak. `adjudicate` sees
    everything and may only return events. `apply` has no chance. `observe` and `witness` are
    the only functions from secrets to a seat; `truth` draws everything, for the game master.

    `canonical` writes orders in English words; `lexicon` is for who reads them in another language,
    as `variant_titles` are.
    `leave` and `close` end a seat's part or the match, `succeed` ends what a seat's holder arranged
    for later and leaves to no other. `secrets` are committed to by a salted
    hash as soon as they are named and opened at the end; `links` are those of the public chains
    that a seat may see. `template` is the body of a sheet ready to edit. `page` turns a report,
    already plain data, into the rows that the game's templates print; `rules` makes those of the
    page that tells its rules. `record` writes a finished match down, `replay` plays such a record
    through the rules. `default` orders for a seat that is silent at its deadline, or None where
    it cannot.

    `remember` adds to a view what its seat has seen happen, all its news from the beginning on: for
    built-in players, who are given a view and no more. None where they need nothing of before.
    `computers` are the built-in players by the name that a seat is given to: `computer`, and
    `computer:random`, which orders anything that is allowed. Tests read `variant` of a view, and
    `seats` of a state in which not all of them need be in play.

    What only some games need has a default:
    `label` and `phrases` go into public chance (Spion rule book, section 6);
    `seating` are the seats that a number of players take on a variant or a board, empty for any;
    `board` reads a board of the game master's own and writes it down for `Setting`;
    `warn` names lines that are allowed and cannot work as things stand;
    `gone` are seats that have left a match that goes on;
    `pace` is the share of the usual time that the coming turn has;
    `provides` says that silence at this deadline is answered by `default` whatever was agreed;
    `retells` is False where news are told once, not until the seat has ordered again;
    `lasting` is a report as it may be shown again later, made from its plain data;
    `tells_once` says that a report's news go out once only, in a letter of their own, and that
    the report keeps what of them is `lasting`;
    `audit` compares the chance in a finished match's events with its seed;
    `completed` is an order with what its seat's view adds to it, as it is kept and told;
    `explain` says in words what orders mean that their lines say briefly;
    `record_key` is where a last report holds the game record, if the view's own `record` is
    something else.
    """

    slug: str
    title: str
    seats: tuple[Seat, ...]
    players: range
    variants: tuple[str, ...]
    options: Mapping[str, Option]
    state: type[S]
    event: Any  # a union of tagged structs, which `type[E]` cannot say

    set_up: Callable[[Setting, Chance], S]
    awaiting: Callable[[S], frozenset[Seat]]
    outcome: Callable[[S], Outcome | None]
    turn: Callable[[S], int]
    phase: Callable[[S], str]
    parse: Callable[[Sequence[Line]], Sheet[O]]
    canonical: Callable[[O], str]
    check: Callable[[V, Sheet[O]], Sequence[Problem]]
    adjudicate: Callable[[S, Mapping[Seat, Sequence[O]], Chance], Iterable[E]]
    leave: Callable[[S, Sequence[Seat], str], Iterable[E]]
    close: Callable[[S, str], Iterable[E]]
    apply: Callable[[S, E], S]
    observe: Callable[[S, Seat], V]
    witness: Callable[[E, Seat], Visible | None]
    truth: Callable[[S], str]
    secrets: Callable[[S], Mapping[Seat, str]]
    links: Callable[[S, Seat], Sequence[Link]]
    record: Callable[[Chronicle, S, Sequence[E]], str]
    computers: Mapping[str, Callable[[V, Stream], tuple[O, ...]]]
    template: Callable[[V], Sequence[str]]
    page: Page
    seat_titles: Mapping[Seat, Message]
    lexicon: Lexicon
    seat_words: Mapping[str, Seat] = field(default_factory=dict)
    variant_titles: Mapping[str, Message] = field(default_factory=dict)
    replay: Callable[[Transcript], Replayed | Refused] | None = None  # None: only written
    rules: Callable[[Words], Mapping[str, Any]] | None = None  # None: no page tells them
    default: Callable[[S, Seat, Stream], Sequence[O] | None] | None = None
    past: Any = None  # what `page` reads of old reports, a struct; None: it does not look back
    retold: bool = True  # whether a seat's new holder sees the reports of those before him
    label: str = "ADJUD1"
    phrases: Callable[[S], tuple[str, ...]] = lambda state: ()
    seating: Callable[[str, str], Mapping[int, tuple[Seat, ...]]] = lambda variant, board: {}
    board: Callable[[str], str | Message] | None = None
    warn: Callable[[V, Sheet[O]], Sequence[Problem]] = lambda view, sheet: ()
    succeed: Callable[[S, Seat], Iterable[E]] = lambda state, seat: ()
    gone: Callable[[S], Collection[Seat]] = lambda state: ()
    pace: Callable[[S], float] = lambda state: 1.0
    provides: Callable[[S], bool] = lambda state: False
    retells: bool = True
    lasting: Callable[[Plain], Plain] = lambda report: report
    tells_once: Callable[[Plain], bool] = lambda report: False
    remember: Callable[[V, Iterable[Any]], V] | None = None
    audit: Callable[[S, Sequence[E], Chance], Iterable[Message]] = lambda state, events, chance: ()
    completed: Callable[[V, O], O] = lambda view, order: order
    explain: Callable[[V, Sequence[O]], Iterable[Message]] = lambda view, orders: ()
    record_key: str = "record"
    suffix: str = "txt"  # of a file with its record


AnyGame = Game[Any, Any, Any, Any]


def variant_title(game: AnyGame, variant: str) -> Message:
    """What players call a variant of the game."""
    return game.variant_titles[variant]


def spelling_of(game: AnyGame, words: Words) -> Spelling:
    """How a reader writes the game's order lines."""
    return spelling(game.lexicon, game.seat_titles, words)
