"""A game from its rules, its orders and its sight; all else is made of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgspec import Struct, to_builtins

from adjudicator.core.dice import LABEL, Stream
from adjudicator.core.game import Game, Page, Proof, Sight
from adjudicator.core.match import Option, Seat
from adjudicator.core.message import Message, say
from adjudicator.core.simple import given
from adjudicator.core.simple.computers import Computer, Lookahead
from adjudicator.core.simple.computers import computers as computers_of
from adjudicator.core.simple.lookback import STEPPING, LookingBack, old_reports
from adjudicator.core.simple.orders import SimpleOrders
from adjudicator.core.simple.orders import orders as orders_of
from adjudicator.core.simple.page import Look, Showing
from adjudicator.core.simple.record import Replaying
from adjudicator.core.simple.rules import SimpleRules
from adjudicator.core.simple.rules import rules as rules_of
from adjudicator.core.simple.state import Ended, Left, Position, Seen, SheetPlayed
from adjudicator.core.visible import Visible

S = TypeVar("S", bound=Position)
O = TypeVar("O", bound=Struct)  # noqa: E741
V = TypeVar("V", bound=Seen)
N = TypeVar("N", bound=Visible)


def _drawn(state: Position) -> str:
    return "\n".join(f"{name}: {value}" for name, value in to_builtins(state).items())


@dataclass(frozen=True, kw_only=True)
class SimpleSight(Generic[S, V, N]):
    """`observe` and `witness` as in `Sight`; `witness` is not asked of how a match ends. `truth`
    writes the state's fields by default."""

    view: type[V]
    sighting: Any  # N: a union, or one struct
    observe: Callable[[S, Seat], V]
    witness: Callable[[Any, Seat], N | None]
    truth: Callable[[S], str] = _drawn


def simple_game(
    *,
    slug: str,
    title: str,
    gist: Message,
    about: Message,
    lasts: Message,
    seats: Mapping[Seat, Message],
    rules: SimpleRules[S, O],
    orders: SimpleOrders[O, V],
    sight: SimpleSight[S, V, N],
    look: Look[V, N, O] | None = None,
    lookahead: Lookahead[S, V] | None = None,
    computers: Mapping[str, Computer] | None = None,
    players: range | None = None,
    variants: Mapping[str, Message] | None = None,
    options: Mapping[str, Option] | None = None,
    seat_words: Mapping[str, Seat] | None = None,
    contract: int = 1,
) -> Game[S, O, Any, V, N]:
    """Return the game: `seats` are the titles of its seats, whose names are small letters, and
    `variants` those of its variants. By default all seats play. `contract` is the version of
    docs/games.md for which it is written.

    Raises TypeError if a value is none that can be used, or if it would have no computer that
    draws its orders.
    """
    told = variants or {"standard": say("standard")}
    shown: Look[V, N, O] = look or Look()
    wrong = given.faults(
        title=title,
        sentences={"`gist`": gist, "`about`": about, "`lasts`": lasts},
        seats=seats,
        variants=told,
        options=options or {},
        orders=orders,
        look=shown,
    )
    for fault in wrong:
        raise TypeError(f"{slug}: {fault}")
    showing = Showing(title, about, seats, orders, shown, options or {})

    def silent(state: S, seat: Seat, chance: Stream) -> Sequence[O]:
        return playing["computer:random"](sight.observe(state, seat), chance)

    def witness(event: Any, seat: Seat) -> N | None:
        return None if isinstance(event, SheetPlayed | Left | Ended) else sight.witness(event, seat)

    own_rules = rules_of(rules, orders.lines, silent)
    own_orders = orders_of(orders)
    replaying = Replaying(
        own_rules, own_orders, sight.observe, options or {}, tuple(told), tuple(seats)
    )
    back = LookingBack(
        sight.view,
        replaying,
        sight.observe,
        witness,
        shown.board,
        shown.news,
        seats,
        showing.spelled,
    )
    playing = {
        **computers_of(lookahead, orders, own_rules, sight.observe),
        **(computers or {}),
    }
    if "computer:random" not in playing:
        raise TypeError(f"{slug}: give `legal` of its orders, or a computer:random of its own")
    return Game(
        slug=slug,
        title=title,
        gist=gist,
        about=about,
        lasts=lasts,
        seats=tuple(seats),
        seat_titles=seats,
        seat_words=seat_words or {},
        players=players or range(len(seats), len(seats) + 1),
        variants=tuple(told),
        variant_titles=told,
        options=options or {},
        rules=own_rules,
        orders=own_orders,
        sight=Sight(
            view=sight.view,
            sighting=sight.sighting,
            observe=sight.observe,
            witness=witness,
            truth=sight.truth,
        ),
        page=Page(
            rows=showing.rows,
            card=showing.card,
            back=back.history,
            past=old_reports(sight.view, sight.sighting),
            stepping=STEPPING,
        ),
        record=replaying.records(title),
        computers=playing,
        contract=contract,
        proof=Proof(label=LABEL, repeated=(SheetPlayed,)),
    )
