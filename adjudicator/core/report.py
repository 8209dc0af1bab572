"""A report: what one seat is told of a match, whatever the game; and the messages of others beside
it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import UNSET, UnsetType, convert

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.sheets import Origin, sheet_head
from adjudicator.core.visible import Visible, plain

V = TypeVar("V", bound=Visible)
N = TypeVar("N", bound=Visible)


class InForce(Visible, frozen=True, kw_only=True):
    """A seat's own current orders."""

    revision: int
    """Their version."""
    lines: tuple[str, ...]
    """Canonical lines."""


class Committed(Visible, frozen=True, kw_only=True):
    """A promise made with a digest: what it is about and, once opened, the text behind it."""

    what: str
    """What it is of, such as `seed`."""
    seat: str | None = None
    """Of whom, or null."""
    number: int | None = None
    """Of a chain: which draw, from 1."""
    digest: str
    """64 hex digits."""
    opened: str | None = None
    """The text behind the digest, once it is opened."""


class SheetInAdvance(Visible, frozen=True, kw_only=True):
    """A seat's own sheet that waits for a later turn."""

    turn: int
    """For which turn they are saved."""
    lines: tuple[str, ...]
    """Canonical English lines."""


class LineInAdvance(Visible, frozen=True, kw_only=True):
    """A line of the seat's own sheet in advance that gave its order."""

    turn: int
    """The turn."""
    line: int
    """Its number; the line of ORDERS is 1."""
    text: str
    """The line."""
    revision: int | UnsetType = UNSET
    """The version of the orders that were sent in advance."""
    digest: str | UnsetType = UNSET
    """The digest of the orders, which the log must confirm."""
    hashed: str | UnsetType = UNSET
    """What is hashed before the orders."""


class Ordered(Visible, frozen=True, kw_only=True):
    """The seat's own orders that were adjudicated. Times are RFC 3339."""

    turn: int
    """The turn."""
    revision: int
    """The version."""
    at: str
    """When they came."""
    hashed: str
    """What is hashed before the orders."""
    digest: str
    """The digest that their confirmation told."""


class OwnSheet(Visible, frozen=True, kw_only=True):
    """Orders of the seat's holder that the log does not have as they were sent: they were replaced,
    withdrawn or not used, or saved for a later turn."""

    turn: int
    """The turn."""
    revision: int
    """The version."""
    at: str | None
    """When they came; null for orders in advance that came into force."""
    kept: bool
    """Whether they were saved for a later turn."""
    became: str
    """What became of them."""
    lines: tuple[str, ...]
    """The orders."""


class OwnPapers(Visible, frozen=True, kw_only=True):
    """What a seat's holder has sent for themselves alone, opened in their last report and in nobody
    else's. Nothing of a former holder is in it."""

    sheets: tuple[OwnSheet, ...] = ()
    """The orders that they sent and the log does not have."""
    marks: tuple[tuple[int, str, str], ...] = ()
    """Ply, place and text of each mark."""
    notes: tuple[str, ...] = ()
    """The notebook."""


class Dropped(Visible, frozen=True, kw_only=True):
    """A line of the seat's own sheet in advance that was not used, and why."""

    turn: int
    """The turn."""
    line: int
    """Its number; the line of ORDERS is 1."""
    text: str
    """The line."""
    why: Message
    """Why, in the reader's language."""


class Log(Visible, frozen=True, kw_only=True):
    """The head of the log (`core/chain.py`) and, when the match is over, its key and all lines."""

    head: str
    """The log's fingerprint: the head of its chain."""
    label: str | UnsetType = UNSET
    """`ADJUD3`, or `ADJUD2` in a match that began before 0.3.0; older versions wrote none."""
    key: str | None = None
    """64 hex digits when the match is over, else null."""
    lines: tuple[str, ...] | None = None
    """One ASCII line for each ply when the match is over, else null."""
    board: str | UnsetType = UNSET
    """The game master's own board, if there is one."""


class Notice(Visible, frozen=True, kw_only=True):
    """A notice to the players. Times are RFC 3339."""

    at: str
    """When."""
    told: Message
    """What was done, in the reader's language."""
    reason: str = ""
    """Behind it the reason, in the game master's own words."""

    def in_words(self, words: Words) -> str:
        return words(self.told) + (f" {self.reason}" if self.reason else "")


Span: TypeAlias = tuple[int, int]  # the first and the last ply of some news
PlacedMark: TypeAlias = tuple[int, str, str]  # the ply and the place of a mark, and what it says


class MadeWith(Visible, frozen=True, kw_only=True):
    """Tell what a report was made with and what no log says, so that its reader can make it again
    from the log when the match is over.

    It tells nothing hidden, for each part follows from what its reader can see anyway: `adjud` is
    the club's version, the same for all; `news` are the plies since the seat's own last orders or
    its last report, and up to this report's own ply; all the rest says in which of its forms the
    reader sees the report. Nothing in it comes from another seat, nor from the time at which
    anything was sent.
    """

    adjud: str
    """The club's version."""
    stored: str | UnsetType = UNSET
    """The version that made the report before `adjud` printed it."""
    news: Span | None
    """The first and the last ply of its news."""
    once: tuple[Span, ...] | UnsetType = UNSET
    """Plies whose news are told only once, and stand before those of `news`."""
    lasting: bool | UnsetType = UNSET
    """The news are told without what is told only once."""
    again: bool | UnsetType = UNSET
    """It is an old report as it may be read again."""
    former: bool | UnsetType = UNSET
    """It was made for a former holder."""
    tenure: int | UnsetType = UNSET
    """The holder's number."""
    orders: int | UnsetType = UNSET
    """The version of the current orders."""
    marks: tuple[PlacedMark, ...] | UnsetType = UNSET
    """Ply, place and text of each mark."""
    deadline: str | UnsetType = UNSET
    """The deadline that is printed."""
    until: str | UnsetType = UNSET
    """How long the reserve lasts, as printed."""
    language: str | UnsetType = UNSET
    """The reader's language."""
    zone: str | UnsetType = UNSET
    """The reader's time zone."""
    worded: tuple[str, str] | UnsetType = UNSET
    """Language and zone of its notices, if a version up to 0.2.31 stored them in others."""
    as_of: str | UnsetType | None = UNSET
    """The time that a live report tells."""
    first: bool | UnsetType = UNSET
    """It is the first email of the match to this holder."""
    tips: bool | UnsetType = UNSET
    """The reader gets tips."""
    attached: bool | UnsetType = UNSET
    """The page is attached."""
    linked: bool | UnsetType = UNSET
    """The page is linked."""
    built: str | UnsetType = UNSET
    """Of when the linked page is."""
    picture: bool | UnsetType = UNSET
    """The board is a picture."""
    site: bool | UnsetType = UNSET
    """The club has a site."""
    link: bool | UnsetType = UNSET
    """The page has a link to the site."""
    example: bool | UnsetType = UNSET
    """An example of orders is told."""
    ways: tuple[str, ...] | UnsetType = UNSET
    """The links of its button and beside it: `orders`, `rematch`, `thanks`, `draw`, `site`."""
    rating: tuple[int, int] | UnsetType = UNSET
    """The reader's rating before and after the match."""


class Report(Visible, Generic[V, N], frozen=True, kw_only=True):
    """A report tells one seat what it sees, what it learned, and what every game's reports have.

    Times are RFC 3339. What a report of an older program does not know is UNSET. `flat` writes a
    report as the interface has it, `unflatten` reads one.
    """

    view: V
    match: str
    """The match's name."""
    game: str
    """The game's slug."""
    variant: str
    """The variant."""
    options: Mapping[str, str]
    """What the match agreed on."""
    players: Mapping[str, str]
    """Each seat's player by name."""
    phase: str
    """`setup`, `play` or `over`."""
    seat: Seat
    """The reader's seat."""
    tenure: int | UnsetType = UNSET
    """Numbers the seat's holders from 1; after a restore from a higher number."""
    ply: int
    """The ply that the report is about."""
    epoch: str | UnsetType = UNSET
    """The club's epoch, another one after each restore."""
    turn: int
    """The turn that is now to be ordered."""
    adjudicated: str | UnsetType | None = UNSET
    """When the ply was."""
    as_of: str | UnsetType | None = UNSET
    """In a live report the present time."""
    awaited: tuple[Seat, ...] = ()
    """The seats that are to move, whether or not they have sent."""
    deadline: str | None = None
    """Until when, or null."""
    bank: Mapping[str, int] | UnsetType = UNSET
    """In a match with a `bank`: what each seat's reserve holds as of the ply, in seconds."""
    reserve_until: str | UnsetType = UNSET
    """To a reader who is to move: how long their reserve lasts, if beyond the deadline."""
    orders: InForce | None = None
    """This seat's current orders, or null."""
    result: Outcome | None
    """How the match ended, or null."""
    news: tuple[N, ...] = ()
    """What this seat saw happen. They reach back to the first step that no report delivered to this
    holder (or `kept`, without outgoing mail) has shown, and at least to the seat's own last order,
    that one included."""
    draw_offer: str | None = None
    """The first of `draw_offers`, or null."""
    draw_offers: tuple[str, ...] | UnsetType = UNSET
    """The seats whose offers of a draw are open."""
    commitments: tuple[Committed, ...] = ()
    """The proofs."""
    notices: tuple[Notice, ...] = ()
    """What the game master and the calendar decided."""
    template: tuple[str, ...] = ()
    """The lines of orders to fill in, or null."""
    advance: tuple[SheetInAdvance, ...] | UnsetType = UNSET
    """This seat's orders that are saved for later turns."""
    used: tuple[LineInAdvance, ...] | UnsetType = UNSET
    """The lines in advance that gave its orders."""
    dropped: tuple[Dropped, ...] | UnsetType = UNSET
    """The lines in advance that were not used."""
    ordered: tuple[Ordered, ...] | UnsetType = UNSET
    """The seat's own orders that were adjudicated since its last report, so that a lost
    confirmation is not missed."""
    log: Log | UnsetType | None = UNSET
    """The log's fingerprint, and at the end the log. Null in a match that began before 0.2.22."""
    notes: tuple[str, ...] | UnsetType = UNSET
    """The lines of the seat's notebook."""
    own: OwnPapers | UnsetType = UNSET
    """In the last report: what the present holder sent and the log does not have."""
    made: MadeWith | UnsetType = UNSET
    """What the report was made with and no log has, so that `adjud audit` can make it again."""
    record: str | None = None
    """The record of a match that is over, else null; of Spies under `game_record`."""

    def sheet_head(self, turn: int | None = None) -> str:
        """Return the first line of a sheet that is made with this report."""
        return sheet_head(self.match, self.seat, turn, self.origin)

    @property
    def origin(self) -> Origin | None:
        """Return what such a sheet says of this report; None for one of an older program."""
        return Origin.of(self.epoch or "", self.ply)

    @property
    def in_no_letter(self) -> bool:
        """Return whether it is nobody's, or an ended match without its record: such reports are
        made for pages that stay, and no email carries them."""
        return not self.seat or (self.result is not None and self.record is None)


# What a view may say, too, because it is the same there.
IN_BOTH = frozenset({"variant", "phase", "seat", "turn", "result"})

AnyReport = Report[Any, Any]


def flat(report: AnyReport, record_key: str = "record", *, lean: bool = False) -> dict[str, Any]:
    """Write a report as values alone: the keys of its view stand beside all the rest. Of a `lean`
    one `unflatten` knows what it leaves out."""
    told = plain(report, lean=lean)
    record = {record_key: told.pop("record")} if "record" in told else {}
    return {**told.pop("view"), **told, **record}


def flat_in_words(report: AnyReport, words: Words, record_key: str = "record") -> dict[str, Any]:
    """Write a report as the interface has it: as `flat`, with its sentences in the reader's
    words."""
    told = flat(report, record_key)
    told["notices"] = [{"at": one.at, "text": one.in_words(words)} for one in report.notices]
    for one in told.get("dropped", ()):
        one["message"] = words(convert(one.pop("why"), Message))
    return told


def sentences_of_old(told: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `flat` wrote with the sentences that an older program has stored in the words of
    their reader: each becomes a message that says the same in all languages."""
    upgraded = dict(told)
    if "notices" in told:
        upgraded["notices"] = [_with_message(one, "text", "told") for one in told["notices"]]
    if "dropped" in told:
        upgraded["dropped"] = [_with_message(one, "message", "why") for one in told["dropped"]]
    return upgraded


def _with_message(told: Mapping[str, Any], prose: str, message: str) -> Mapping[str, Any]:
    if message in told:
        return told
    kept = {key: value for key, value in told.items() if key != prose}
    return {**kept, message: {"text": told[prose]}}


# Messages between seats as one of them may read them again (club, section 10).


_MOST_PRESS = 10  # messages with each correspondent
MOST_CHARACTERS = 24_000  # of all together


class ShownPress(Visible, frozen=True, kw_only=True):
    """A message that a seat's holder wrote or got."""

    number: int | None = None
    """The number of one that the seat received."""
    at: str
    """When."""
    by: Seat | None
    """The seat that wrote it; null if unsigned."""
    to: tuple[Seat, ...]
    """The seats that got it; empty for one to the game master."""
    unsigned: bool = False
    """Whether it was sent unsigned."""
    lines: tuple[str, ...]
    """What it says."""

    def others(self, me: Seat) -> tuple[Seat, ...]:
        """Return the other seats that wrote or got it; empty for unsigned ones that I got."""
        if self.by is None:
            return ()
        return tuple(seat for seat in (self.by, *self.to) if seat != me)


class PressThread(Visible, frozen=True, kw_only=True):
    """What was said among the same seats."""

    others: tuple[Seat, ...]
    """The other seats; none of unsigned ones."""
    master: bool = False
    """Whether it is that with the game master."""
    messages: tuple[ShownPress, ...]
    """The messages, the oldest first."""


def threads(
    found: Sequence[ShownPress], me: Seat, seats: Sequence[Seat]
) -> tuple[PressThread, ...]:
    """Return the last messages with each other seat, the unsigned ones and those to the game
    master, sorted by those who wrote and got them. `found` has the oldest first."""
    kept = _in_room([one for n, one in enumerate(found) if n in set(_last(found, me, seats))])
    groups: dict[tuple[bool, tuple[Seat, ...]], list[ShownPress]] = {}
    for one in kept:
        others = tuple(seat for seat in seats if seat in one.others(me))
        groups.setdefault((_to_master(one), others), []).append(one)
    order = {seat: n for n, seat in enumerate(seats)}

    def place(key: tuple[bool, tuple[Seat, ...]]) -> tuple[bool, bool, int, list[int]]:
        master, others = key
        return master, not others, len(others), [order[seat] for seat in others]

    return tuple(
        PressThread(others=key[1], master=key[0], messages=tuple(groups[key]))
        for key in sorted(groups, key=place)
    )


def _last(found: Sequence[ShownPress], me: Seat, seats: Sequence[Seat]) -> Iterator[int]:
    each = [(n, one) for n, one in enumerate(found)]
    for seat in seats:
        yield from [n for n, one in each if seat in one.others(me)][-_MOST_PRESS:]
    yield from [n for n, one in each if one.by is None][-_MOST_PRESS:]
    yield from [n for n, one in each if _to_master(one)][-_MOST_PRESS:]


def _to_master(one: ShownPress) -> bool:
    return one.by is not None and not one.to


def _in_room(found: Sequence[ShownPress]) -> list[ShownPress]:
    """Return the newest that fit together, the oldest first."""
    kept: list[ShownPress] = []
    room = MOST_CHARACTERS
    for one in reversed(found):
        room -= sum(map(len, one.lines))
        if room < 0:
            break
        kept.append(one)
    return kept[::-1]
