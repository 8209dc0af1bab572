"""What a set of rules must provide. The shell knows a game by this value and by nothing else."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NewType, TypeVar

from msgspec import Struct

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.message import Message, Words
from adjudicator.core.orders import Line, Problem, Sheet
from adjudicator.core.record import Refused, Replayed, Transcript
from adjudicator.core.report import Visible

Seat = NewType("Seat", str)

S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
E = TypeVar("E")
V = TypeVar("V", bound=Visible)


class Outcome(Visible, frozen=True, kw_only=True):
    """How a match ended: `winner` where there is exactly one, `winners` always."""

    winner: Seat | None
    winners: tuple[Seat, ...]
    reason: str


class Option(Struct, frozen=True):
    """One setting of a match that belongs to a game: its values, the first is the default.

    `values` is empty for a whole number from 0 to `most`; the default is then 0.
    """

    values: tuple[str, ...] = ()
    most: int = 0
    help: str = ""

    @property
    def default(self) -> str:
        return self.values[0] if self.values else "0"


class Setting(Struct, frozen=True):
    """What is agreed before a match opens."""

    variant: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]


class Chronicle(Struct, frozen=True):
    """What a game record says beside the moves: names by seat, `date` as `YYYY.MM.DD`."""

    names: Mapping[Seat, str]
    date: str
    outcome: Outcome | None


@dataclass(frozen=True, kw_only=True)
class Game(Generic[S, O, E, V]):
    """The rules of one game: S its state, O an order, E an event, V what one seat sees.

    The signatures are promises. `parse` sees no state, so it can only say "not understood".
    `check` sees a view, never a state, so its complaints cannot leak. `adjudicate` sees
    everything and may only return events. `apply` has no chance. `observe` and `witness` are
    the only functions from secrets to a seat; `truth` draws everything, for the game master.

    `leave` and `close` end a seat's part or the match. `secrets` are committed to by a salted
    hash as soon as they are named and opened at the end; `draws` counts the public draws made,
    by chain. `template` is the body of a sheet ready to edit. `page` turns a report, already
    plain data, into the rows that the game's templates print. `record` writes a finished
    match down, `replay` plays such a record through the rules. `default` orders for a seat that
    is silent at its deadline, or None where it cannot.
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
    draws: Callable[[S], Mapping[str, int]]
    record: Callable[[Chronicle, S, Sequence[E]], str]
    computers: Mapping[str, Callable[[V, Stream], tuple[O, ...]]]
    template: Callable[[V], Sequence[str]]
    page: Callable[[Mapping[str, Any], Words], Mapping[str, Any]]
    seat_titles: Mapping[Seat, Message]
    seat_words: Mapping[str, Seat] = field(default_factory=dict)
    replay: Callable[[Transcript], Replayed | Refused] | None = None  # None: only written
    default: Callable[[S, Seat, Stream], Sequence[O] | None] | None = None


AnyGame = Game[Any, Any, Any, Any]
