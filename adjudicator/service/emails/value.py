"""All that an email says, as one value, and that value as JSON.

A club collects the value and writes the email from it and from nothing else (`write`), so whoever
has the value can write the same email. It tells nothing that its email does not show or that
follows from what the email shows. Sentences of ours are messages with what stands in them; only
people's own words are prose.

As JSON it is ASCII with sorted keys, and there is one way to write it: what is read and written
again is the same text, and a key that nobody knows is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, MsgspecError, Struct
from msgspec.json import decode
from msgspec.structs import replace

from adjudicator import __version__
from adjudicator.core.chain import in_log
from adjudicator.core.email_kinds import ValuedKind
from adjudicator.core.game import AnyGame, unflatten
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.core.report import AnyReport, PressThread, flat
from adjudicator.core.visible import Visible, plain
from adjudicator.games import GAMES
from adjudicator.releases import ReleaseState, prints_alike, state_of
from adjudicator.resources import zone_of
from adjudicator.service.emails.paragraphs import EmailContents, Paragraphs, Told


class UnreadableValue(Exception):
    """What should be the value of an email is none, or of another `version`; `why` says so. One
    that names this version and that this cannot have written is `false`, and so is one that names a
    version that never was."""

    def __init__(self, why: Message, *, false: bool = False, version: str = "") -> None:
        super().__init__(str(why))
        self.why, self.false, self.version = why, false, version


LABEL = "ADJUD3"
VALUE_ID = "adjud-value"  # of the element of a page that has the value
MOST = 1_000_000  # bytes of a value; the largest last report of a long match has an eighth of it
DEEPEST = 200  # lists and objects in each other: each part of a list in a sentence is two


class Addressee(Visible, frozen=True, kw_only=True):
    """To whom an email goes: the seat of a match, and which of its holders; or to no seat, but to
    the `player` with this number in the club, or to nobody whom the club knows by one. `epoch` is
    the club's."""

    match: str = ""
    seat: Seat = Seat("")
    tenure: int = 0
    player: int | None = None
    epoch: str


class ClubLines(Visible, frozen=True, kw_only=True):
    """What the lines below an email say of its club: its name, who runs it, and where its pages
    are. Each may be empty."""

    name: str
    reach: Message | None
    site: str


class ConfirmedOrders(Visible, frozen=True, kw_only=True):
    """A receipt that stands in a report: what was confirmed when the orders were read, what came of
    them, and the lines for those who check it."""

    says: Paragraphs
    told: Message
    proofs: tuple[Told, ...]


class ReadersPage(Visible, frozen=True, kw_only=True):
    """Whether an email has its reader's page or leads to it: where that is and, if it is older than
    the report, of when."""

    shown: Literal["attached", "linked", "none"]
    link: str | None = None
    built: str | None = None


class Beside(Visible, frozen=True, kw_only=True):
    """What changes the sentences of an email beside its report: whether it is the `first` to its
    reader, whether he gets `tips`, is `advised` orders and can ask for a `rematch`, the seat of the
    one player whom he can thank, his `rating` before and after the match, his page, the Content-ID
    of the picture of the board, and to which address he writes for his seat. `told` are sentences
    of a first email."""

    first: bool = False
    tips: bool = False
    advised: bool = False
    rematch: bool = False
    thanks: str = ""
    rating: tuple[int, int] | None = None
    page: ReadersPage = ReadersPage(shown="none")
    picture: str | None = None
    reply_to: str | None = None
    told: tuple[Message, ...] = ()


class Opens(Visible, frozen=True, kw_only=True):
    """A button or a link: what it is called, and the page that it opens or, without one, the email
    that it begins, to the address to which the reader writes. That has these `lines` and, without a
    `subject`, the first of them as its subject."""

    label: Message
    page: str | None = None
    subject: Message | None = None
    lines: tuple[str, ...] = ()


class SmallBoard(Visible, frozen=True, kw_only=True):
    """A picture of a game's empty board, by its Content-ID, beside the paragraph `at` which the
    email tells of the game."""

    at: int
    game: str
    picture: str


class Ask(Visible, frozen=True, kw_only=True):
    """What the HTML of an email has a button for. So many paragraphs stand `above` it; `preview` is
    what an inbox shows, `told` are sentences below the button, and `ways` lead elsewhere. The
    paragraphs of the text with the numbers `only_text` say what the button does."""

    above: int
    button: Opens | None
    told: tuple[Message, ...] = ()
    ways: tuple[Opens, ...] = ()
    preview: Message | None = None
    only_text: tuple[int, ...] = ()
    boards: tuple[SmallBoard, ...] = ()


class EmailText(Visible, frozen=True, kw_only=True):
    """What an email says that is no report, in the words of a `game`, if it has one: its subject,
    of several the first that is short enough, and its contents. Without `asked` it has no HTML."""

    game: str
    subject: tuple[Message, ...]
    contents: EmailContents
    asked: Ask | None = None


class MatchRow(Visible, frozen=True, kw_only=True):
    """A match in the table of a daily email: its game, what is wanted of its reader there, and
    until when."""

    match: str
    game: str
    wanted: Message
    due: str | None


class DailyTable(Visible, frozen=True, kw_only=True):
    """What stands in a daily email above its parts: of which moment it is, its subject, of several
    the first that is short enough, its rows, and sentences below these."""

    at: str
    subject: tuple[Message, ...]
    rows: tuple[MatchRow, ...]
    told: tuple[Message, ...]


# Of an email, and of a ruling.
Number: TypeAlias = Annotated[int, Meta(ge=1, lt=100_000)]


class EmailValue(Visible, frozen=True, kw_only=True, rename={"beside": "with"}):
    """All that an email says. Its `kind` is that of its row in `core/email_kinds`; an aside is the
    news of a report by themselves, which are told once only. It has a `report`, as
    `core/report.flat` writes it, or what is `said`; with the last page of a match alone it has
    both. A daily email has a `table` and the values of its `parts`.

    `n` is the number of this email to this tenure or, of one to no seat, to this player, from 1 and
    by one. A part of a daily email to a seat has one, too; one to no seat has none, nor has an
    email to nobody whom the club knows. The numbers `skipped` below it are of emails that were
    never sent, and `before` is the SHA-256 of the value, as JSON, of the newest one that was not
    skipped. `acts` are the numbers of the rulings that it tells, as the log of its match has
    them."""

    adjud: str
    label: str
    n: Number | None = None
    before: str | None = None
    skipped: tuple[Number, ...] = ()
    kind: ValuedKind
    part: bool
    to: Addressee
    at: str
    language: str
    zone: str
    club: ClubLines
    report: Mapping[str, Any] | None = None
    said: EmailText | None = None
    receipts: tuple[ConfirmedOrders, ...] = ()
    press: tuple[PressThread, ...] = ()
    acts: tuple[Number, ...] = ()
    beside: Beside = Beside()
    table: DailyTable | None = None
    parts: tuple["EmailValue", ...] = ()

    @property
    def slug(self) -> str:
        """Return the name of the game in whose words the email speaks; empty if it is of none."""
        if self.report is not None:
            return str(self.report.get("game"))
        return self.said.game if self.said else ""

    @property
    def game(self) -> AnyGame:
        return GAMES[self.slug]

    @property
    def told(self) -> AnyReport:
        """Return the report."""
        assert self.report is not None
        return _told(self.game, self.report)


def _told(game: AnyGame, said: Mapping[str, Any]) -> AnyReport:
    return unflatten(game, _by_seats(said, game.seats))


def _by_seats(value: Any, seats: Sequence[Seat]) -> Any:
    """Return a value with all that it tells seat by seat in the rule book's order, which sorted
    keys lose."""
    if isinstance(value, dict):
        keys = [seat for seat in seats if seat in value] if value.keys() <= {*seats} else value
        return {key: _by_seats(value[key], seats) for key in keys}
    return [_by_seats(one, seats) for one in value] if isinstance(value, list) else value


def report_in_email(report: AnyReport) -> AnyReport:
    """Return a report as its email is written from: what a page tells of a mapping one after the
    other stands in the order of its keys there, or of the seats, if they are its keys."""
    return _told(GAMES[report.game], report_value(report))


def report_value(report: AnyReport) -> Mapping[str, Any]:
    """Return a report as a value of an email has it: sorted, so that the club writes the email from
    what everybody reads in the JSON."""
    told: Mapping[str, Any] = _sorted(flat(report, GAMES[report.game].record.key))
    return told


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [*map(_sorted, value)] if isinstance(value, list) else value


_ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&"}  # it stands in pages, too


def to_json(value: EmailValue) -> str:
    """Return a value as JSON. Its report leaves out what is so where nothing is said."""
    return as_json(_in_json(value))


def _in_json(value: EmailValue) -> Mapping[str, Any]:
    parts = [*map(_in_json, value.parts)]
    return {**plain(value), "report": _report_in_json(value), "parts": parts}


_WHOLE = "0."  # how versions begin that left nothing out


def _report_in_json(value: EmailValue) -> Mapping[str, Any] | None:
    if value.report is None:
        return None
    if value.adjud.startswith(_WHOLE):
        return report_value(value.told)
    return flat(value.told, value.game.record.key, lean=True)


def _with_whole_reports(value: EmailValue) -> EmailValue:
    """Return a value as it was before its report left out anything."""
    parts = tuple(map(_with_whole_reports, value.parts))
    report = None if value.report is None else report_value(value.told)
    return replace(value, report=report, parts=parts)


def as_json(value: Mapping[str, Any]) -> str:
    """Return a value of dicts and lists as JSON."""
    text = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return f"{text.translate(_ESCAPED)}\n"


def digest_of(value: EmailValue) -> str:
    """Return the SHA-256 of a value as JSON."""
    return sha256(to_json(value).encode()).hexdigest()


def file_name(value: EmailValue) -> str:
    """Return the name of the file with the value of an email, as that has it attached. That of a
    daily email has its day, so that several can be kept in one folder."""
    to, about = value.to, str(value.kind)
    if value.table is not None:
        written_at = datetime.fromisoformat(value.table.at)
        about = f"{about}-{written_at.astimezone(zone_of(value.zone)):%Y-%m-%d}"
    elif to.match:
        about = f"{to.match}-{to.seat}-{value.n}"
    return f"{about}.adjud.json"


def as_part(value: EmailValue) -> EmailValue:
    """Return what an email says as a part, without a number yet, of one that has several."""
    return replace(value, part=True, n=None, before=None, skipped=())


def each_of(value: EmailValue) -> Sequence[EmailValue]:
    """Return the values to seats in that of an email: of a daily one its parts."""
    return value.parts if value.table is not None else (value,)


class _Head(Struct, frozen=True):
    """What is read first: who wrote a value."""

    adjud: str = ""
    label: str = ""


def is_labelled(text: bytes) -> bool:
    """Return whether JSON says that it is the value of an email, whatever else it has."""
    try:
        return decode(text, type=_Head).label == LABEL
    except (MsgspecError, UnicodeDecodeError, RecursionError):
        return False


def read(text: bytes) -> EmailValue:
    """Read a value that was written as JSON.

    Raises UnreadableValue with a sentence that begins behind the name of a file.
    """
    if len(text) > MOST:
        raise UnreadableValue(say("it is too large for an adjud email: at most {n} bytes", n=MOST))
    try:
        head = decode(text, type=_Head)
    except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
        raise UnreadableValue(_not_read(what_is_wrong(trouble))) from trouble
    if head.label != LABEL:
        raise UnreadableValue(say("this is not the JSON of an adjud email"))
    if not prints_alike(head.adjud):
        raise _of_another(head.adjud)
    if _depth(text) > DEEPEST:
        raise UnreadableValue(_not_read(say("it is nested too deeply")), false=True)
    try:
        told = decode(text, type=EmailValue)
        same = _has_times(told) and all(_is_sound(one) for one in each_of(told))
        value = _with_whole_reports(told)
        is_ours = to_json(value).encode() == text
    except UnreadableValue:
        raise
    except Exception as trouble:  # whatever somebody may have made up
        raise UnreadableValue(_not_read(what_is_wrong(trouble)), false=True) from trouble
    if not same or not is_ours:
        changed = say("it is not as adjud wrote it; something in it was changed")
        raise UnreadableValue(changed, false=not same)
    return value


def _has_times(value: EmailValue) -> bool:
    """Return whether it is said as in a log when an email was written. Raises ValueError."""
    told = [value.at, *(one.at for one in value.parts), *([value.table.at] if value.table else [])]
    return all(in_log(datetime.fromisoformat(one)) == one for one in told)


def _is_sound(value: EmailValue) -> bool:
    """Return whether the report of a value is as adjud writes it, and of the seat to which it goes,
    which the game has.

    Raises UnreadableValue if its game is not here, or if it says nothing.
    """
    if value.slug not in ("", *GAMES):
        why = GAMES.why_missing(value.slug) or say("this adjud does not have its game")
        raise UnreadableValue(why)
    if value.report is None and value.said is None:
        raise UnreadableValue(say("this is not the JSON of an adjud email"), false=True)
    to, told = value.to, value.report
    if to.match and value.slug and to.seat not in value.game.seats:
        return False
    return told is None or (
        (told["match"], told["seat"]) == (to.match, to.seat) and _report_in_json(value) == told
    )


_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"')


def _depth(text: bytes) -> int:
    """Return how many lists and objects of a JSON text stand in each other."""
    at = most = 0
    for sign in re.findall(rb"[\[{\]}]", _STRING.sub(b"", text)):
        at += 1 if sign in b"[{" else -1
        most = max(most, at)
    return most


def what_is_wrong(trouble: Exception) -> str:
    """Return what went wrong with a value, for those who look into it."""
    why = shown(str(trouble), 200)
    return why if isinstance(trouble, MsgspecError) else f"{type(trouble).__name__}: {why}"


def _of_another(version: str) -> UnreadableValue:
    if state_of(version) is ReleaseState.NONE:
        never = say("adjud {version} was never released", version=shown(version))
        return UnreadableValue(never, false=True)
    why = say(
        "adjud {version} wrote it, and this is adjud {own}, which may word it differently; use "
        "that version",
        version=shown(version),
        own=__version__,
    )
    return UnreadableValue(why, version=version)


def _not_read(why: Message | str) -> Message:
    return say("this is not the JSON of an adjud email: {why}", why=why)
