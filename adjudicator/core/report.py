"""A report: what one seat is told of a match, whatever the game."""

from collections.abc import Mapping
from typing import Any, Generic, TypeAlias, TypeVar

from msgspec import UNSET, UnsetType, convert

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.sheets import Origin, sheet_head
from adjudicator.core.visible import Visible, plain

V = TypeVar("V", bound=Visible)
N = TypeVar("N", bound=Visible)


class InForce(Visible, frozen=True, kw_only=True):
    """A seat's own sheet in force."""

    revision: int
    lines: tuple[str, ...]


class Committed(Visible, frozen=True, kw_only=True):
    """A promise made with a digest: what it is about and, once opened, the text behind it."""

    what: str
    seat: str | None
    number: int | None
    digest: str
    opened: str | None


class SheetInAdvance(Visible, frozen=True, kw_only=True):
    """A seat's own sheet that waits for a later turn."""

    turn: int
    lines: tuple[str, ...]


class LineInAdvance(Visible, frozen=True, kw_only=True):
    """A line of the seat's own sheet in advance that gave its order.

    `digest` is that of the orders, which the log must confirm, with `hashed` before them.
    """

    turn: int
    line: int
    text: str
    revision: int | UnsetType = UNSET
    digest: str | UnsetType = UNSET
    hashed: str | UnsetType = UNSET


class Ordered(Visible, frozen=True, kw_only=True):
    """The seat's own orders that were adjudicated: `at` is when they came (RFC 3339), `digest` that
    of their receipt, with `hashed` before the orders."""

    turn: int
    revision: int
    at: str
    hashed: str
    digest: str


class OwnSheet(Visible, frozen=True, kw_only=True):
    """Orders of the seat's holder that the log does not have as he sent them: they were replaced,
    withdrawn or not used, or `kept` for a later turn. `at` is when they came; null for orders in
    advance that were used. `became` says what became of them."""

    turn: int
    revision: int
    at: str | None
    kept: bool
    became: str
    lines: tuple[str, ...]


class OwnPapers(Visible, frozen=True, kw_only=True):
    """What a seat's holder has sent for himself alone, opened in his last report and in nobody
    else's. Nothing of a former holder is in it."""

    sheets: tuple[OwnSheet, ...] = ()
    marks: tuple[tuple[int, str, str], ...] = ()
    notes: tuple[str, ...] = ()


class Dropped(Visible, frozen=True, kw_only=True):
    """A line of the seat's own sheet in advance that was not used, and why."""

    turn: int
    line: int
    text: str
    why: Message


class Log(Visible, frozen=True, kw_only=True):
    """The head of the log (`core/chain.py`) and, when the match is over, its key and all lines.

    `label` is that of the heads; stored reports of matches that began before 0.2.22 have none.
    `board` is the game master's own board, if the match has one, so that it can be played again.
    """

    head: str
    label: str | UnsetType = UNSET
    key: str | None = None
    lines: tuple[str, ...] | None = None
    board: str | UnsetType = UNSET


class Notice(Visible, frozen=True, kw_only=True):
    """A notice to the players, made at the RFC 3339 time `at`: what was done, and the reason in the
    game master's own words."""

    at: str
    told: Message
    reason: str = ""

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

    `stored` is the version that made the report's value, where another one printed it. `once` are
    plies whose news are told whole, before those of `news`, in a game that tells some of it once
    only, and `lasting` says that those of `news` are told without that; `again` says that it is an
    old report as it may be read again, `former` that it was made for a former holder. `tenure` is
    its holder's number, `orders` the revision in force; `marks` are the seat's own. `language`,
    `zone`, `as_of`, `deadline` and `until`, of the reserve, are those with which it is printed, and
    `worded` are the language and zone of its notices, if a version up to 0.2.31 stored them and its
    reader has others since; `rating` is the reader's before and after the match; `first`, `tips`,
    `attached`, `linked`, `built`, `picture`, `site`, `link` and `example` are what a reader's email
    or page has that others have not.
    """

    adjud: str
    stored: str | UnsetType = UNSET
    news: Span | None
    once: tuple[Span, ...] | UnsetType = UNSET
    lasting: bool | UnsetType = UNSET
    again: bool | UnsetType = UNSET
    former: bool | UnsetType = UNSET
    tenure: int | UnsetType = UNSET
    orders: int | UnsetType = UNSET
    marks: tuple[PlacedMark, ...] | UnsetType = UNSET
    deadline: str | UnsetType = UNSET
    until: str | UnsetType = UNSET
    language: str | UnsetType = UNSET
    zone: str | UnsetType = UNSET
    worded: tuple[str, str] | UnsetType = UNSET
    as_of: str | UnsetType | None = UNSET
    first: bool | UnsetType = UNSET
    tips: bool | UnsetType = UNSET
    attached: bool | UnsetType = UNSET
    linked: bool | UnsetType = UNSET
    built: str | UnsetType = UNSET
    picture: bool | UnsetType = UNSET
    site: bool | UnsetType = UNSET
    link: bool | UnsetType = UNSET
    example: bool | UnsetType = UNSET
    ways: tuple[str, ...] | UnsetType = UNSET
    rating: tuple[int, int] | UnsetType = UNSET


class Report(Visible, Generic[V, N], frozen=True, kw_only=True):
    """A report tells one seat what it sees, what it learned, and what every game's reports have.

    Times are RFC 3339. What a report of an older program does not know is UNSET. `flat` writes a
    report as the interface has it, `unflattened` reads one. `advance`, `used` and `dropped` tell of
    the seat's own sheets in advance, where the game takes any, and `notes` are its own, where the
    game takes notes. `ordered` are its own orders since its last report. `tenure` numbers the
    seat's holders, and `epoch` changes when the club is restored. `bank` is what the reserve of
    each seat holds, in seconds, and `reserve_until` how long it gives the reader time for these
    orders, if the match has reserves. `log` is None, and `made` is UNSET, if the match began before
    0.2.22. `own` is in the last report of any other.
    """

    view: V
    match: str
    game: str
    variant: str
    options: Mapping[str, str]
    players: Mapping[str, str]
    phase: str
    seat: Seat
    tenure: int | UnsetType = UNSET
    ply: int
    epoch: str | UnsetType = UNSET
    turn: int
    adjudicated: str | UnsetType | None = UNSET
    as_of: str | UnsetType | None = UNSET
    awaited: tuple[Seat, ...] = ()
    deadline: str | None = None
    bank: Mapping[str, int] | UnsetType = UNSET
    reserve_until: str | UnsetType = UNSET
    orders: InForce | None = None
    result: Outcome | None
    news: tuple[N, ...] = ()
    draw_offer: str | None = None
    draw_offers: tuple[str, ...] | UnsetType = UNSET
    commitments: tuple[Committed, ...] = ()
    notices: tuple[Notice, ...] = ()
    template: tuple[str, ...] = ()
    advance: tuple[SheetInAdvance, ...] | UnsetType = UNSET
    used: tuple[LineInAdvance, ...] | UnsetType = UNSET
    dropped: tuple[Dropped, ...] | UnsetType = UNSET
    ordered: tuple[Ordered, ...] | UnsetType = UNSET
    log: Log | UnsetType | None = UNSET
    notes: tuple[str, ...] | UnsetType = UNSET
    own: OwnPapers | UnsetType = UNSET
    made: MadeWith | UnsetType = UNSET
    record: str | None = None

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


def flat(report: AnyReport, record_key: str = "record") -> dict[str, Any]:
    """Write a report as values alone: the keys of its view stand beside all the rest."""
    told = plain(report)
    record = told.pop("record")
    return {**told.pop("view"), **told, record_key: record}


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
