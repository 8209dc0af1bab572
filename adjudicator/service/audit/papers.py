"""What the papers of a match promise and tell: heads, commitments, receipts, the log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from msgspec import Struct

from adjudicator.core import chain, contest_log
from adjudicator.core.message import Message, say, tell
from adjudicator.core.report import MadeWith, OwnPapers, Span
from adjudicator.service.audit.same import Came
from adjudicator.service.emails.value import EmailValue, each_of

K = TypeVar("K")
V = TypeVar("V")
S = TypeVar("S", bound=Struct)
KEY, SEED = "Key of the log", "Seed of the match"  # as English emails say it
_NAMED = 5  # of several papers


class StatedCommitment(Struct, frozen=True):
    """A digest under its title; `opened` are the bytes that should give it."""

    title: str
    digest: str
    opened: bytes | None = None


class ReceiptPaper(Struct, frozen=True):
    """The receipt of a sheet; with `kept`, of one for a later turn. One that is `claimed` is what a
    report says of orders that had been used already."""

    match: str
    seat: str
    turn: int
    revision: int
    digest: str
    label: str  # before its first bar
    kept: bool = False
    claimed: bool = False

    def tells(self, lines: Sequence[str]) -> bool:
        """Return whether it is the digest of these orders."""
        told = (self.label, self.match, self.seat, self.turn, self.revision)
        return self.digest == chain.sheet_digest(chain.receipt_head(*told, kept=self.kept), lines)

    @property
    def named(self) -> tuple[str, int, int]:
        return self.seat, self.turn, self.revision

    @property
    def withdraws(self) -> bool:
        return self.tells(chain.WITHDRAWN)


class SaidPaper(Struct, frozen=True):
    """The receipt of a RESIGN, a DRAW or the CLEAR of a DRAW."""

    match: str
    turn: int
    said: chain.DeclaredWord
    digest: str
    label: str

    def confirms(self, word: chain.DeclaredWord) -> bool:
        """Return whether it is that of a word, with its time and its digest."""
        right = chain.said_digest(self.label, self.match, self.turn, self.said)
        return self.digest == right and (self.said.word, self.said.at) == (word.word, word.at)


class OpenedLog(Struct, frozen=True):
    """The log as it was opened."""

    key: str
    lines: tuple[str, ...]


class Restore(Struct, frozen=True, order=True):
    """Tell that a club was restored: after that ply of the epoch `ended` the match was played on
    anew, in the epoch `begun`."""

    ply: int
    ended: str
    begun: str


class NumberTold(Struct, frozen=True):
    """What an email told of the public number before that was known."""

    commitment: str
    full: str
    which: str
    seed: str = ""


class EmailHeads(Struct, frozen=True, kw_only=True):
    """The heads of an email: its Message-ID and those that it answers, the addresses to which it
    went, and those to which answers go if it is the club's. `came` is when the reader's own server
    took it, `dated` when it says that it was written; each is empty if that is not known. One that
    `left_so` has the hash in its club's signature."""

    message_id: str
    kind: str  # as `core/email_kinds` calls it
    answers: tuple[str, ...]
    to: frozenset[str]
    home: frozenset[str] = frozenset()
    came: str = ""
    dated: str = ""
    left_so: bool = False


class ValuePaper(Struct, frozen=True):
    """The value of an email, and its forms as they came; None of a value alone."""

    told: EmailValue
    came: Came | None


class UnreadValue(Struct, frozen=True):
    """Why the value of an email cannot be used. A `false` one is by the version that it names,
    which cannot have written it; another `version` can write the email again from its `text`."""

    why: Message | str
    false: bool
    version: str = ""
    text: str = ""
    came: Came | None = None


class ToldReport(Struct, frozen=True, kw_only=True):
    """A report as JSON, and what it was made with; None in one of an older program. In that of an
    email sentences are messages, `in_words` they are those of its reader. One that is `once` is
    the news that an email of its own tells once only, one that is `alone` those of its ply, with
    which an answer tells what came of orders."""

    body: Mapping[str, Any]
    made: MadeWith | None
    own: OwnPapers | None = None
    in_words: bool = False
    once: bool = False
    alone: bool = False

    @property
    def spans(self) -> list[Span]:
        """Return of which plies it tells news."""
        made = self.made
        return [*(made.once or ()), *([made.news] if made.news else [])] if made else []

    @property
    def ply(self) -> int:
        return int(self.body["ply"])

    @property
    def seat(self) -> str:
        return str(self.body["seat"])


class ToldOfContest(Struct, frozen=True):
    """What a paper says of the log of a tournament or, as its label says, of a ladder: heads by the
    numbers of their lines, and all its lines, if it has them, or some of them with their
    numbers."""

    name: str
    heads: tuple[tuple[int, str], ...]
    lines: tuple[str, ...]
    label: str = contest_log.LABEL
    single: tuple[tuple[int, str], ...] = ()


class Document(Struct, frozen=True, kw_only=True):
    """An email, page or report: where it lies, and what it says.

    `epoch` is that of its club, empty in emails before the first restore, None if none is named. If
    it has a value, or was printed as JSON, that says in which epoch and when it was `made`.
    """

    name: str
    match: str
    seats: frozenset[str] = frozenset()
    head: tuple[int, str] | None = None
    listed: tuple[tuple[int, str], ...] = ()  # heads, on a page of the club's site
    promises: tuple[StatedCommitment, ...] = ()
    receipts: tuple[ReceiptPaper, ...] = ()
    kept: tuple[ReceiptPaper, ...] = ()  # of sheets in advance
    said: tuple[SaidPaper, ...] = ()
    log: OpenedLog | None = None
    report: ToldReport | None = None
    answered: tuple[ToldReport, ...] = ()  # in an answer
    setting: Mapping[str, Any] | None = None  # what was agreed, of an opened match
    epoch: str | None = None
    made: tuple[str, str] | None = None
    restores: tuple[Restore, ...] = ()  # of which it tells
    number: NumberTold | None = None  # the public number, before it was known
    values: tuple[str, ...] = ()  # the same, once it was
    heads: EmailHeads | None = None
    value: ValuePaper | None = None  # all that it says
    is_part: bool = False  # another paper of the same email has the value of the whole
    is_personal: bool = False  # of an email to no seat: its place among those to its reader
    picture: bytes | None = None  # of the board
    unread: UnreadValue | None = None
    contests: tuple[ToldOfContest, ...] = ()  # then it is of no match

    @property
    def ply(self) -> int | None:
        """Return the last ply of which it tells; None if it tells of none."""
        if self.head is not None:
            return self.head[0]
        return self.report.ply if self.report else None

    @property
    def is_email(self) -> bool:
        return bool(self.heads or self.value or self.is_part or self.unread)

    @property
    def labels(self) -> set[str]:
        """Return the labels of what is hashed in it, empty for a log that names none."""
        found = {one.label for one in (*self.receipts, *self.kept)}
        found |= {one.label for one in self.said}
        if self.log is not None:
            first = self.log.lines[0]
            found.add("" if chain.is_older(first) else chain.label_of(first))
        if self.report is not None:
            found.add((self.report.body.get("log") or {}).get("label", ""))
        return found

    @property
    def tenure(self) -> int | None:
        """Return the number of the holder to whom a report was made; None if it does not say."""
        made = self.report.made if self.report else None
        return made.tenure or None if made else None


class Unused(Struct, frozen=True):
    """A file or an email of which nothing, or not all, could be used, and why: a few words."""

    name: str
    why: Message
    heads: EmailHeads | None = None


def read_values(papers: Iterable[Document]) -> list[tuple[Document, EmailValue]]:
    """Return the values of the emails that have one."""
    return [(paper, paper.value.told) for paper in papers if paper.value]


def values_to_seats(papers: Iterable[Document]) -> Iterator[tuple[Document, EmailValue]]:
    """Yield the values of emails, but of a daily one its parts."""
    for paper, whole in read_values(papers):
        yield from ((paper, told) for told in each_of(whole))


def within(value: object, kind: type[S]) -> Iterator[S]:
    """Yield all structs of a kind in a value, at whatever depth."""
    if isinstance(value, kind):
        yield value
    if isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from within(getattr(value, name), kind)
    elif isinstance(value, tuple | list):
        for one in value:
            yield from within(one, kind)


def by_key(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return what stands behind each key, in its order."""
    found: dict[K, list[V]] = {}
    for key, one in pairs:
        found.setdefault(key, []).append(one)
    return found


def of_paper(paper: Document, what: Message | str) -> Message:
    return say("{paper}: {what}", paper=paper.name, what=what)


def differ(what: Message | str, one: Document, other: Document) -> Message:
    """Say that two papers do not agree about something."""
    return say("{what}: {one} and {other} do not agree", what=what, one=one.name, other=other.name)


def message_for_orders(seat: str, turn: int, revision: int) -> Message:
    return say(
        "the orders shown for {seat}, turn {turn}, version {revision}",
        seat=seat,
        turn=turn,
        revision=revision,
    )


def disagreements(claims: Iterable[tuple[Message | str, object, Document]]) -> Iterator[Message]:
    """Yield what a paper says otherwise than the first that says something of the same."""
    first: dict[str, tuple[object, Document]] = {}
    for what, value, paper in claims:
        said, other = first.setdefault(str(what), (value, paper))
        if said != value:
            yield differ(what, other, paper)


def all_promises(papers: Sequence[Document]) -> Mapping[str, tuple[Document, StatedCommitment]]:
    """Return each commitment by its title, with the first paper that tells it."""
    first: dict[str, tuple[Document, StatedCommitment]] = {}
    for paper in papers:
        for promise in paper.promises:
            first.setdefault(promise.title, (paper, promise))
    return first


def first_names(names: Sequence[str]) -> str:
    """Return the first of several names, and how many more there are."""
    more = len(names) - _NAMED
    return "; ".join([*names[:_NAMED], *([tell(say("and {n} more", n=more))] if more > 0 else [])])
