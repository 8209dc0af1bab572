"""The `Game` value: all that the rest of the program knows of one set of rules."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import reduce
from typing import Any, Generic, TypeVar

from msgspec import Struct, convert

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.likeness import Likeness
from adjudicator.core.lookback import History
from adjudicator.core.match import Option, Outcome, Seat, Setting
from adjudicator.core.message import Message, Words, say
from adjudicator.core.orders import Line, Problem, Sheet
from adjudicator.core.record import Chronicle, Refused, Replayed, Transcript
from adjudicator.core.report import IN_BOTH, AnyReport, Report
from adjudicator.core.text import Lexicon, Spelling, spelling
from adjudicator.core.visible import Visible

# What this file promises to a game and asks of it, as docs/games.md has it. It changes when a game
# that kept it would no longer do so.
CONTRACT = 1

S = TypeVar("S")
O = TypeVar("O")  # noqa: E741
E = TypeVar("E")
V = TypeVar("V", bound=Visible)
N = TypeVar("N", bound=Visible)


@dataclass(frozen=True, kw_only=True)
class Rules(Generic[S, O, E]):
    """The rules proper: a state S, and what orders O do to it, as events E.

    `adjudicate` sees everything and may only return events; `apply` folds one event into the state
    and is given no chance. `phase` is "setup" in the set-up, if there is one, then "play", and
    "over" once there is an `outcome`. `turn` is 0 in the set-up and counts from 1 in play; it never
    goes back. `awaiting` are the seats that have to order now; it is empty once there is an
    outcome, and never before.

    The program itself ends matches for four reasons: `leave` is called with "resignation" or
    "forfeit", `close` with "agreement" or "cancelled". Both may come in every state that has no
    outcome. `leave` ends the part of some seats; if nobody is left to play against, it ends the
    match, and the outcome's reason is the one that was given. `close` ends the match at once, with
    one event and with that reason. A page needs a sentence for each of the four, as
    `core/match.py` has for several players. `succeed` ends what a seat's holder arranged for
    later and does not hand on to his successor.
    """

    state: type[S]
    """The type of all that is true of a match; it is stored as JSON and read again as it was."""
    event: Any  # a union of tagged structs, which `type[E]` cannot say
    """The union of types of what can happen; stored as JSON, too."""
    set_up: Callable[[Setting, Chance], S]
    """From what was agreed and the match's chance to the first state."""
    awaiting: Callable[[S], frozenset[Seat]]
    """Who has to order now: a seat that has left only if no other has to, `gone` names it and
    `default` has orders for it; empty once there is an outcome, and never before."""
    outcome: Callable[[S], Outcome | None]
    """Who has won and why; None while the match goes on."""
    turn: Callable[[S], int]
    """0 in a set-up, then from 1; it never goes back."""
    phase: Callable[[S], str]
    """`setup` if there is one, `play`, `over`."""
    adjudicate: Callable[[S, Mapping[Seat, Sequence[O]], Chance], Iterable[E]]
    """Sees the state, all orders and the chance; only yields events; the same again for the
    same."""
    apply: Callable[[S, E], S]
    """Folds one event into the state, without chance."""
    leave: Callable[[S, Sequence[Seat], str], Iterable[E]]
    """Ends the part of some seats, by `resignation` or `forfeit`, in every state without an
    outcome."""
    close: Callable[[S, str], Iterable[E]]
    """Ends the match with one event, by `agreement` or `cancelled`, in every state without an
    outcome."""
    succeed: Callable[[S, Seat], Iterable[E]] = lambda state, seat: ()
    """Ends what a seat's holder arranged for later and does not hand on."""
    gone: Callable[[S], Collection[Seat]] = lambda state: ()
    """The seats that have left a match that goes on."""
    default: Callable[[S, Seat, Stream], Sequence[O] | None] | None = None
    """Orders for a seat that is silent at its deadline, or None. Where a game has some, an order
    sheet without a line is accepted, means the same, and `orders.warn` says what."""
    provides: Callable[[S], bool] = lambda state: False
    """Whether it answers silence at this deadline whatever was agreed."""
    opens_at_once: bool = False
    """Nobody orders the first ply, so it is adjudicated when the match is made; matches of older
    programs may still await orders for it."""
    pace: Callable[[S], float] = lambda state: 1.0
    """The share of the usual time that the coming turn gets."""
    places: Callable[[S], Sequence[Collection[Seat]]] = lambda state: ()
    """When there is an outcome: groups of equal seats, the best first, each seat once. Those that
    left may stand anywhere, for `core/result.py` puts them last. With none, the winners come first
    and all others are equal."""


@dataclass(frozen=True, kw_only=True)
class Orders(Generic[O, V]):
    """The orders O of a game, between lines of text and values.

    `parse` sees no state, so it can only say "not understood". `check` sees a view V, never a
    state, so its complaints cannot leak. `canonical` writes an order in English words, on one line
    or several; `lexicon` translates them for readers of other languages, and `parse` reads all of
    them. `template` returns the body of a sheet ready to edit: its lines need not be orders yet,
    and sent back as they are they are refused. `likeness` knows the lines that do not read as
    orders and may be meant as such; without it any line may be.
    """

    parse: Callable[[Sequence[Line]], Sheet[O]]
    """From lines to orders and to what was not understood; it sees no state."""
    canonical: Callable[[O], str]
    """One way to write an order, in English, which `parse` reads again."""
    check: Callable[[V, Sheet[O]], Sequence[Problem]]
    """What is wrong with orders, by the seat's view alone."""
    template: Callable[[V], Sequence[str]]
    """A sheet to edit, by the view alone; sent back as it is it is refused."""
    lexicon: Lexicon
    """The words of orders in other languages."""
    evident: Callable[[V, Sheet[O]], Iterable[Problem]] = lambda view, sheet: ()
    """What everybody can see to be wrong; its view is that of the seat "" under the name of the
    sheet's seat."""
    likeness: Callable[[], Likeness] | None = None
    """Knows the lines that do not read as orders and may be meant as such; without it any line may
    be."""
    warn: Callable[[V, Sheet[O]], Sequence[Problem]] = lambda view, sheet: ()
    """What is allowed and cannot work, by the view alone."""
    completed: Callable[[V, O], O] = lambda view, order: order
    """An order with what its seat's view adds to it, as it is kept and told."""
    explain: Callable[[V, Sequence[O]], Iterable[Message]] = lambda view, orders: ()
    """Says in words what orders mean."""
    example: Callable[[V], Sequence[str]] = lambda view: ()
    """The body of a sheet that is legal in the seat's position, by its view alone, for somebody who
    has never ordered; empty if there are none."""
    reach: Callable[[V, str], Iterable[Message]] = lambda view, question: ()
    """Where what a question names can go, by its sender's view alone. The question is folded."""

    def lines(self, orders: Iterable[O]) -> list[str]:
        """Return the canonical lines of these orders, as they are stored and told."""
        return [line for order in orders for line in self.canonical(order).split("\n")]


@dataclass(frozen=True, kw_only=True)
class Sight(Generic[S, E, V, N]):
    """A seat may know this: a view V of the state S, and a sighting N of an event E.

    `observe` and `witness` are the only functions from secrets to a seat. `witness` returns None if
    the seat learns nothing. `observe` is also asked for the seat "", which nobody holds: it sees
    what all may see, and the club's pages show an ended match to everybody as this seat sees it. A
    report tells the view's keys beside its own (`flat`), so a view has none of those but `IN_BOTH`,
    which say the same in both; a game that breaks this cannot be made. `truth` draws everything, as
    plain text, for the game master.
    """

    view: type[V]
    """The type of what a seat sees; its keys are none of a report's."""
    sighting: Any  # N: a union, or one struct
    """The type of what a seat learns of an event."""
    observe: Callable[[S, Seat], V]
    """From a state and a seat to all that it may see; the seat `""` sees what everybody may."""
    witness: Callable[[E, Seat], N | None]
    """From an event and a seat to what it learns; None if nothing."""
    truth: Callable[[S], str]
    """Everything, as text, for the game master."""
    remember: Callable[[V, Iterable[Any], Mapping[str, str]], V] | None = None
    """Adds to a view what its seat has seen happen: all its news from the beginning on, under the
    match's options. Reports and built-in players have such views; it is never asked for the seat
    "", and it is None if the past adds nothing."""
    retells: bool = True
    """False if news are told once only, and not again until the seat has ordered."""
    retold: bool = True
    """False if a seat's new holder does not see the reports of those before."""
    lasting: Callable[[Report[V, N]], Report[V, N]] = lambda report: report
    """A report as it may be shown again later."""
    tells_once: Callable[[Report[V, N]], bool] | None = None
    """Whether a report's news go out once only, in an email of their own that `aside.txt.j2`
    prints; the stored report then keeps only what of them is `lasting`."""


class Rows(Struct, frozen=True, kw_only=True):
    """The rows that the templates of every game print; a game's own page adds to them.

    `title` is the game's name; `seats` the title of each seat in play; `spelling` how the reader
    writes order lines; `rules` a sentence on what was agreed; `result` one on the end, None before
    it; `how` sentences above the order sheet. `scripts` are places under `templates` in the order
    in which they run, `data` is a value for each script element by its id. `spare` are scripts, run
    before the others, that an email leaves out, because it has to be light.
    Pages that do not go by email have `live_scripts` and `live_data` instead of the others, where
    there are any.
    `templates/shared/history.html.j2` steps through `history`, made with `core/lookback.py`; it is
    put in where a page looks back, with its scripts.
    `mine` are the places of those parts of the news that tell what came of the reader's own orders,
    for they stand first.
    A report that is not `early` leaves out commitments that were told and are not opened yet.
    """

    title: str
    seats: Mapping[str, str]
    spelling: Spelling
    rules: str
    result: str | None
    how: Sequence[str]
    scripts: Sequence[str] = ()
    spare: Sequence[str] = ()
    data: Mapping[str, Any] = {}
    live_scripts: Sequence[str] = ()
    live_data: Mapping[str, Any] = {}
    early: bool = True
    mine: Sequence[int] = ()
    tales: Sequence[Any] = ()
    history: History | None = None


class Suggestion(Struct, frozen=True, kw_only=True):
    """Orders that a button of an email sends: the body of a sheet, in English words, that is legal
    in its reader's position. `label` is what the button says, None where it names the orders
    themselves; `why` is a sentence for below it. `usual` says that they are no advice but what
    most players do, so that everybody gets them."""

    lines: tuple[str, ...]
    label: Message | None = None
    why: Message | None = None
    usual: bool = False


def _no_history(report: Any, words: Words, past: Sequence[Any], room: int | None, /) -> None:
    """Look back on nothing."""


@dataclass(frozen=True, kw_only=True)
class Page(Generic[V, N]):
    """The rows that a game's templates print.

    `rows` turns a report into `Rows` and what the game adds to them, in the reader's words. The
    templates have them as `page`; what every game's report has stands beside them as `frame`
    (`reports/frame.py`). The report is that of a seat, or, when the match is over, of the seat "".
    """

    rows: Callable[[Report[V, N], Words], Rows]
    """From a report to the rows that the templates print; from nothing else."""
    back: Callable[[Report[V, N], Words, Sequence[Any], int | None], History | None] = _no_history
    """Rows that look back on older reports of the same seat, the oldest first, as `past` reads
    them, or on the record of a match that has ended; the newest of them that fit into so many bytes
    of an email, or all. At least that of the present; None where there is none yet."""
    past: Any = None
    """A struct with what `back` reads of old reports; None if no page looks back."""
    stepping: Sequence[str] = ()
    """Scripts that step through these rows, and run before those of the page."""
    spare_stepping: Sequence[str] = ()
    """Others of them that an email leaves out."""
    tales: Callable[[Report[V, N], Words], Sequence[Any]] = lambda report, words: ()
    """What a page and the HTML of an email tell in sentences and the text in codes; it is not
    a part of `rows`, because an audit takes the names that are in these for facts."""
    rules: Callable[[Words], Any] | None = None
    """Rows of the page that explains the rules; None without such a page."""
    card: Callable[[Words], Any] = lambda words: None
    """What the card for HELP prints of the game, where its template does not say it itself."""
    tip: Callable[[V, Words], Message | None] = lambda view, words: None
    """A tip for players who are new to the game, from the view alone and another each turn; None if
    it has none to give."""
    suggest: Callable[[V, Words], Suggestion | None] = lambda view, words: None
    """The first orders that a plain rule of the book finds, from the view alone; None if none of
    them finds any."""


@dataclass(frozen=True, kw_only=True)
class Records(Generic[S, E]):
    """Game records: `write` writes a finished match down, `replay` plays such a text through the
    rules again.
    """

    write: Callable[[Chronicle, S, Sequence[E]], str]
    """Writes a match that has ended down."""
    replay: Callable[[Transcript], Replayed | Refused] | None = None
    """Plays such a text by the rules again; what the rules do not allow is refused. None if a
    record is only written."""
    key: str = "record"
    """The key under which a last report holds the record, if the view has a `record` of its own
    that is something else."""
    suffix: str = "txt"
    """The ending of its file name."""


class Link(Struct, frozen=True):
    """A link of a public chain, as a seat may see it: it opens draw `number`, counted from 1.
    `seat` is None for the adjudicator's own chain. While it is not `opened` only the link before
    it is shown, against which it will be checked."""

    chain: str
    seat: Seat | None
    number: int
    opened: bool = True


@dataclass(frozen=True, kw_only=True)
class Proof(Generic[S, E]):
    """Players check with these afterwards that nobody chose after the fact.

    The seed of a match is committed to before it opens, whatever the game. `label` begins the texts
    from which its streams follow: that of `core/dice.py`, or the game's own.
    """

    label: str
    """Begins the texts from which the match's chance follows."""
    secrets: Callable[[S], Mapping[Seat, str]] = lambda state: {}
    """Texts by seat, each committed to by a salted hash as soon as it is named, and opened at the
    end."""
    secret: Callable[[str], Message] = lambda seat: say("Secret of {seat}", seat=seat)
    """Says what such a text is."""
    what: str = "secret"
    """The word for it in the text that is hashed."""
    links: Callable[[S, Seat], Sequence[Link]] = lambda state, seat: ()
    """Links of public chains that a seat may see."""
    phrases: Callable[[S], tuple[str, ...]] = lambda state: ()
    """What goes into public chance (Spion rule book, section 6)."""
    audit: Callable[[S, Sequence[E], Chance], Iterable[Message]] = lambda state, events, chance: ()
    """Compares the chance in the events of an ended match with its seed."""
    repeated: tuple[type[Struct], ...] = ()
    """Types of events that say nothing but what the orders, the opened seed and the rules do; the
    log's texts leave them out."""


@dataclass(frozen=True, kw_only=True)
class Advance(Generic[S, O, V, N]):
    """Orders for later turns, and the conditions that they may have (`core/conditions.py`).

    A game that has this part takes such orders, unless its option `advance` is off.

    `ply` counts the adjudications before that of a seat's turn: 0 is the coming one, and one that
    has been made is negative. `impossible` names what no position allows in an order, `doubtful`
    what few allow; both are given the view of today, and read nothing from it that can change.

    `condition` reads the folded text of one condition: it returns a value of the game's own, None
    if the text is none, or what is wrong with it. `written` is its canonical form, which
    `condition` reads again. `senseless` says why nobody can ask that, on the board of the match.
    `holds` answers it on the seat's view and on what it has seen since its own last orders, and on
    nothing else.
    """

    ply: Callable[[S, Seat, int], int]
    """How many adjudications come before a seat's turn."""
    impossible: Callable[[V, Sheet[O]], Iterable[Problem]]
    """What no position allows in an order, by today's view."""
    doubtful: Callable[[V, Sheet[O]], Iterable[Problem]]
    """What few positions allow."""
    condition: Callable[[str], Any]
    """Reads a condition."""
    written: Callable[[Any], str]
    """Writes one so that it is read again."""
    senseless: Callable[[V, Any], Message | None]
    """Why nobody can ask that on this board."""
    holds: Callable[[V, Sequence[N], Any], bool]
    """Answers it by the view and what was seen since, and by nothing else."""


class MarkEnd(Enum):
    """How a mark ended: its piece was removed, or it was told what the piece is."""

    REMOVED = "removed"
    TOLD = "told"


@dataclass(frozen=True, kw_only=True)
class Marks(Generic[E, V, N]):
    """A seat may write down for itself marks on pieces that it does not know, and notes.

    A game that has this part takes MARK and NOTE (`core/commands.py`). A mark is stored with the
    place and the ply in which it was made; where it is now follows from what its seat saw since.

    `places` are those in a view where a mark can be made; `refusal` says why not at the place of a
    folded word. `follow` returns the place, after a sighting, of what stood on a place before it,
    or how a mark on it has ended. `shown` adds to a view the marks that stand, by place.
    `shown_lost` adds, when the match is over, those whose pieces were removed, each with the event
    that removed it; it alone is given more than its seat saw, for by then nothing is hidden.
    """

    places: Callable[[V], Collection[str]]
    """Where a mark can be made, by the view."""
    refusal: Callable[[V, str], Message]
    """Why not there."""
    follow: Callable[[N, str], str | MarkEnd]
    """Where a mark is after a sighting, or how it ended."""
    shown: Callable[[V, Mapping[str, str]], V]
    """Adds the marks that stand to a view."""
    shown_lost: Callable[[V, Sequence[tuple[str, E]]], V]
    """Adds those that ended, when the match is over."""


@dataclass(frozen=True, kw_only=True)
class Game(Generic[S, O, E, V, N]):
    """One game: what it is called and what is agreed before a match, and its parts.

    The signatures of the parts are promises, and each part says which. S is a state, O an order, E
    an event, V what one seat sees, N what it learns of an event.

    `slug` is the name of the game's package. `gist` says in a line what it is, on the first page of
    a club. `about` says to somebody who has never heard of it, in two sentences, what it is and how
    one wins, and `lasts` how long a turn and a match take; both stand in invitations. `players` are
    the numbers that can play; `seating` gives the seats that a number of players take on a variant
    or a board, empty for any. `board` reads the game master's own board and writes it down for
    `Setting`, or says what is wrong with it; None if there are no such boards. `seat_words` are
    other words for seats.

    `computers` are the built-in players, by the name under which a seat is given to them:
    `computer`, and `computer:random`, which gives random orders that are allowed. They are given
    their seat's view and a stream of private chance. Tests read `variant` of a view, and `seats` of
    a state in which not all seats need be in play.

    `contract` is the `CONTRACT` for which the game was written: 1 if it does not say.
    """

    slug: str
    """The name, one word of 2 to 20 small letters, as in the entry point; it never changes."""
    title: str
    """What people call the game."""
    gist: Message
    """What it is, in one line of a club's first page."""
    about: Message
    """What it is and how one wins, in two sentences of an invitation."""
    lasts: Message
    """How long a turn and a match take."""
    seats: tuple[Seat, ...]
    """All seats, in the rule book's order."""
    seat_titles: Mapping[Seat, Message]
    """A title for each seat."""
    players: range
    """The numbers of players that can play."""
    variants: tuple[str, ...]
    """The boards or rules that a match can have; the first is the default."""
    variant_titles: Mapping[str, Message]
    """A title for each variant."""
    options: Mapping[str, Option]
    """What can be agreed before a match, each with one default."""

    rules: Rules[S, O, E]
    """The part below."""
    orders: Orders[O, V]
    """The part below."""
    sight: Sight[S, E, V, N]
    """The part below."""
    page: Page[V, N]
    """The part below."""
    record: Records[S, E]
    """The part below."""
    computers: Mapping[str, Callable[[V, Stream], tuple[O, ...]]]
    """By name, from a view and a stream of private chance to orders that are allowed; `computer`
    and `computer:random` are there."""
    proof: Proof[S, E]
    """The part below."""
    advance: Advance[S, O, V, N] | None = None  # None: it takes no orders for later turns
    """The part below; without it there are no orders for later turns."""
    marks: Marks[E, V, N] | None = None  # None: it takes no marks and no notes
    """The part below; without it there are no marks and no notes."""

    seat_words: Mapping[str, Seat] = field(default_factory=dict)
    """Other words for seats."""
    seating: Callable[[str, str], Mapping[int, tuple[Seat, ...]]] = lambda variant, board: {}
    """The seats that a number of players take on a variant or a board."""
    board: Callable[[str], str | Message] | None = None
    """Reads a game master's own board, or says what is wrong with it."""
    contract: int = 1
    """The version of this contract; 1 if it is not given."""

    def __post_init__(self) -> None:
        """Refuse a contract that is no number, and a view whose keys the report would overwrite."""
        if type(self.contract) is not int:
            raise TypeError(
                f"{self.slug}: `contract` is the whole number of docs/games.md, not "
                f"{self.contract!r}"
            )
        taken = {*Report.__struct_fields__} - {"view", "record"} - IN_BOTH | {self.record.key}
        if clash := taken.intersection(self.sight.view.__struct_encode_fields__):
            raise TypeError(
                f"{self.slug}: every report has {', '.join(sorted(clash))} already, so the view "
                "needs another name for it"
            )


AnyGame = Game[Any, Any, Any, Any, Any]


def fold(game: Game[S, O, E, V, Any], state: S, events: Iterable[E]) -> S:
    """Return the state after the events."""
    return reduce(game.rules.apply, events, state)


def spelling_of(game: AnyGame, words: Words) -> Spelling:
    """Return how a reader writes the game's order lines."""
    return spelling(game.orders.lexicon, game.seat_titles, words)


def unflatten(game: AnyGame, told: Mapping[str, Any]) -> AnyReport:
    """Read what `flat` wrote. Raises ValidationError if it is no report of the game."""
    own = {key: told[key] for key in Report.__struct_fields__ if key in told and key != "record"}
    keys = game.sight.view.__struct_encode_fields__
    view = {key: value for key, value in told.items() if key in keys or key not in own}
    key = game.record.key
    record = told[key] if key in keys else view.pop(key, None)
    whole = {**own, "view": view, "record": record}
    # mypy takes `view` for the name of a type; it is one that is known when this runs.
    return convert(whole, Report[game.sight.view, game.sight.sighting])  # type: ignore[name-defined]
