"""Chain the log of a match, so that its players can check afterwards that nobody changed it.

Theory of operation. Each ply p has one line of ASCII, `text(p)`: when and why it was adjudicated,
the orders with their seats, revisions and times, what came of them, and the rulings since the ply
before. The line holds hidden things, so before the end only its salted digest is told, inside a
head that depends on all heads before it:

    head(0) = SHA256("ADJUD3|match|ply|0|" opening)
    head(p) = SHA256("ADJUD3|match|ply|p|" head(p-1) "|" SHA256(text(p) "|" salt(p)))
    salt(p) = HMAC-SHA256(L, p)

Digests and salts are written as 64 hex digits, numbers as decimals. `opening` is what was agreed
and committed to when the match opened: JSON with nothing hidden in it, so it needs no salt. L, the
key of the log, is 32 random bytes of its own. Each report tells the head of its ply; the last one
opens L and all texts. So no order, fight or draw can be changed once any player has seen a later
report, and players who compare one head have compared all that is before it.

Besides its orders a line names every other input: who left and why, which RESIGN, DRAW and CLEAR
took effect, who took a seat over, the deadline of the turn that it opens, the version of the
program and the package of the game if they are others than before, and each ruling as its acts
(`core/acts`). So what a match came to follows from the opening, the inputs and the rules, and the
events in a line are only compared with what follows. A line has no sentence of ours: what was told,
in any language, and what was done follow from the acts.

Matches that began before 0.3.0 have the label ADJUD2, to their end, and no `label` in the opening.
Their lines have of each ruling the message with the values in it, what the club called it and the
deadline in force then. Those that began before 0.2.22 have the label ADJUD1: their opening is a
list, `seed=...`, and their lines have none of those other inputs. This program does not check them
(`OLDER`).

This leaks nothing. All heads have one length. Who does not know L cannot try texts against a head,
for each has a salt of 256 bits in it; no salt tells another; and L does not follow from the seed,
which may be given by hand. How many heads there are is the number of plies, which reports tell.
Marks, notes, conditions and press are in no text: they are never opened.

A ply that is taken back goes with its head, and its number gets another one, which follows from the
ply before. That is honest because only a ply of which no report was handed over is taken back.

A receipt tells a digest of the orders in it. The log names the revision of the orders that were
adjudicated, so the last receipt of a turn must agree with it. A sheet that was sent in advance
gives orders only when its turn comes; the report that tells of its use has their digest. Turn and
revision name it in the log, and the audit of who sent it judges it again.

What happens between two plies, as when a seat changes hands, belongs to the events of the first,
whose head may be told already. The text of the second names it, as `between`.

A text is JSON, so that everybody can read it, with keys only for what there is. An event stands in
it as a list: its type, then its fields in their order, and so do the structs in it. Fields at the
end that are blank (see `blank`) are left out, and so are the lines of an order that stand in the
text already, and the events that a game calls repeated, where orders were adjudicated: they follow
from these, the seed and the rules. So the log of a long match fits into an email. It can be read as
long as a struct gets new fields only at its end, and with a default.
"""

import hmac
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from itertools import repeat
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.structs import FieldInfo, replace

from adjudicator.core.acts import (
    AnyAct,
    action_of,
    effect_of,
    message_for_acts,
    tells_holder,
)
from adjudicator.core.message import Message, say, tell
from adjudicator.core.seat_lots import SeatLot
from adjudicator.core.worded_acts import acts_in

LABEL = "ADJUD3"  # of heads and receipts, in a match that begins now
SENTENCES = "ADJUD2"  # in one whose lines have sentences in place of acts
LABELS = (LABEL, SENTENCES)
OLDER = say("the match began before adjud 0.2.22; use adjud 0.2.28 to check it")
WITHDRAWN = ("CLEAR",)  # the line of a receipt by which a sheet was withdrawn


class AdjudicatedSheet(Struct, frozen=True, kw_only=True):
    """Orders that were adjudicated: canonical lines and when they came. `by` is empty for a person,
    else `computer`, or `default` for what the rules give a silent seat."""

    seat: str
    revision: int
    at: str
    lines: tuple[str, ...]
    by: str = ""


class Ruled(Struct, frozen=True, kw_only=True):
    """A ruling of the game master, or what the calendar did: its acts, the message that all players
    were told, with the reason in English in `text`, and the deadline in force once it was made,
    empty if there was none.

    `number` counts the rulings of a match from 1. A line has it and the acts; `action`, `text` and
    `message` follow from these when it is read, and `due` from them and what was before
    (`with_deadlines`). With the label ADJUD2 it is the other way round: the line has all but the
    number, and the acts are those that are found in the message.
    """

    at: str
    action: str
    text: str
    message: Message
    reason: str = ""
    due: str = ""
    number: int = 0
    acts: tuple[AnyAct, ...] = ()


LOOK = "look"  # the action of a ruling that is told with the next ply and moves no deadline
PERSON, OPEN = "person", "open"  # kinds of holders, beside the built-in players' names


class Holding(Struct, frozen=True, array_like=True):
    """Who holds a seat when a match opens: a person, nobody yet, or a built-in player."""

    seat: str
    kind: str


class HolderChange(Struct, frozen=True, array_like=True):
    """A seat changed hands at that time, to a person or a built-in player, or to nobody (`OPEN`).
    `due` is the deadline in force from then on, empty if there is none."""

    at: str
    seat: str
    kind: str
    due: str = ""


class DeclaredWord(Struct, frozen=True, array_like=True):
    """A RESIGN or a DRAW that took effect, or the CLEAR that withdrew a DRAW, and when it came."""

    seat: str
    word: str
    at: str


class Departure(Struct, frozen=True, array_like=True):
    """The seats that a ply ends, and the reason that was given to the rules."""

    reason: str
    seats: tuple[str, ...]


class PublicChance(Struct, frozen=True, kw_only=True):
    """The public number that decided with the seed (`core/public_chance.py`): which one it was, its
    value, and when the last seat had been taken, from which the round of a beacon follows."""

    full: str
    value: str
    which: str


_Seconds = Annotated[int, msgspec.Meta(ge=0, lt=10**9)]


class Opening(Struct, frozen=True, kw_only=True, rename={"version": "adjud"}):
    """What was agreed and committed to when a match opened, in the first line of its log.

    `board` is the SHA-256 of the game master's own board, empty for the variant's. `at` is when the
    match was opened, `due` the deadline of its first turn if that began at once, `version` that of
    the program, `package` that of the game with its own version, empty if the game is one of the
    program's. `chance` is `seed`, or the public number that decided with it. A commitment is
    (what, seat, digest). `label` is that of the heads and receipts; a line of ADJUD2 has none.
    `max_gap` is that setting of the club's in seconds, 0 for none; a match that began before 1.0.0
    does not tell it.
    `lots` are those by which the seats were drawn, if they were.
    """

    game: str
    variant: str
    options: Mapping[str, str]
    board: str
    holders: tuple[Holding, ...]
    version: str
    at: str
    seed_given: bool
    chance: str | PublicChance
    commitments: tuple[tuple[str, str | None, str], ...]
    due: str = ""
    package: str = ""
    label: str = SENTENCES
    max_gap: _Seconds | None = None
    lots: tuple[SeatLot, ...] = ()


class PlyText(Struct, frozen=True, kw_only=True):
    """Tell what the text of a ply says. `turn` is the one that was adjudicated.

    `events` and `between` are lists as `pack` makes them. `holders` and `said` are what came
    since the line before, `due` is the deadline of the turn that the ply opens as it was first
    told, empty if there is none. `version` is that of the program and `package` that of the game,
    where they are others than before. `bank` are the balances of the seats that ordered, in
    seconds, if the match has a reserve.
    """

    ply: int
    turn: int
    at: str
    cause: str
    orders: tuple[AdjudicatedSheet, ...] = ()
    events: tuple[list[Any], ...] = ()
    between: tuple[list[Any], ...] = ()
    rulings: tuple[Ruled, ...] = ()
    leave: Departure | None = None
    said: tuple[DeclaredWord, ...] = ()
    holders: tuple[HolderChange, ...] = ()
    due: str = ""
    version: str = ""
    package: str = ""
    bank: Mapping[str, int] = {}


def is_older(first: str) -> bool:
    """Return whether a first line is that of a match that began before 0.2.22."""
    return not first.startswith("{")


class _Label(Struct, frozen=True):
    label: str = SENTENCES


def label_of(first: str) -> str:
    """Return the label that the first line of a log names."""
    try:
        return msgspec.json.decode(first, type=_Label).label
    except msgspec.DecodeError:
        return SENTENCES


def first_head(match: str, first: str) -> str:
    """Return the head of the opening, from the first line of the log."""
    return _sha256(f"{label_of(first)}|{match}|ply|0|{first}")


def next_head(label: str, match: str, ply: int, before: str, text: str, salt: str) -> str:
    """Return the head of a ply from that of the ply before."""
    return _sha256(f"{label}|{match}|ply|{ply}|{before}|{_sha256(f'{text}|{salt}')}")


def salt(key: bytes, ply: int) -> str:
    return hmac.digest(key, str(ply).encode(), "sha256").hex()


def heads(match: str, key: bytes, texts: Sequence[str]) -> Iterator[str]:
    """Yield the heads of an opened log."""
    head = ""
    for ply, text in enumerate(texts):
        if ply == 0:
            head = first_head(match, text)
        else:
            head = next_head(label_of(texts[0]), match, ply, head, text, salt(key, ply))
        yield head


_NOT_ALWAYS = {"due": "", "package": "", "label": SENTENCES, "lots": ()}


def opening(agreed: Opening) -> str:
    """Return the first line of a log: JSON with its keys and the options in order."""
    said = msgspec.to_builtins(replace(agreed, options=dict(sorted(agreed.options.items()))))
    there = {key: value for key, value in said.items() if value != _NOT_ALWAYS.get(key)}
    return ascii_line(dict(sorted(there.items())))


def read_opening(first: str) -> Opening:
    """Read what `opening` wrote. Raises ValueError if it is no such line."""
    try:
        return msgspec.json.decode(first, type=Opening)
    except msgspec.DecodeError as wrong:
        raise ValueError(f"this is no first line of a log: {wrong}") from None


def receipt_head(
    label: str, match: str, seat: str, turn: int, revision: int, *, kept: bool = False
) -> str:
    """Return what is hashed before the orders of a receipt; those of a sheet that is `kept` for a
    later turn have one of their own."""
    return f"{label}|{match}|{seat}|{turn}|{revision}|" + ("kept|" if kept else "")


def sheet_digest(head: str, lines: Sequence[str]) -> str:
    """Return the digest that a receipt tells of the orders in it, one canonical line a line."""
    return _sha256(head + "\n".join(lines))


def said_text(label: str, match: str, turn: int, said: DeclaredWord) -> str:
    """Return what is hashed for the receipt of a RESIGN, a DRAW, or the CLEAR of a DRAW."""
    return f"{label}|{match}|{said.seat}|{turn}|{said.word}|{said.at}"


def said_digest(label: str, match: str, turn: int, said: DeclaredWord) -> str:
    return _sha256(said_text(label, match, turn, said))


def write(entry: PlyText, label: str = LABEL) -> str:
    """Return a text: one line of ASCII, without the signs that HTML would have to escape."""
    ruled = [_of_ruling(one, label) for one in entry.rulings]
    said: dict[str, Any] = {
        "ply": entry.ply,
        "turn": entry.turn,
        "at": entry.at,
        "cause": entry.cause,
        "orders": [
            [one.seat, one.revision, one.at, list(one.lines), *([one.by] if one.by else [])]
            for one in entry.orders
        ],
        "events": list(entry.events),
        "between": list(entry.between),
        _rulings_key(label): ruled,
        "leave": msgspec.to_builtins(entry.leave) or "",
        "said": msgspec.to_builtins(entry.said),
        "holders": msgspec.to_builtins(entry.holders),
        "due": entry.due,
        "adjud": entry.version,
        "package": entry.package,
        "bank": dict(entry.bank),
    }
    return ascii_line({key: value for key, value in said.items() if value not in ([], "", (), {})})


def _rulings_key(label: str) -> str:
    return "rulings" if label == SENTENCES else "acts"


def _of_ruling(one: Ruled, label: str) -> list[Any]:
    if label == SENTENCES:
        return [one.at, one.action, msgspec.to_builtins(one.message), one.reason, one.due]
    reason = [one.reason] if one.reason else []
    return [one.number, one.at, msgspec.to_builtins(one.acts), *reason]


def ascii_line(said: Mapping[str, Any]) -> str:
    """Return JSON as one line of ASCII, without the signs that HTML would have to escape."""
    line = json.dumps(said, ensure_ascii=True, separators=(",", ":"))
    for sign in "<>&":
        line = line.replace(sign, f"\\u{ord(sign):04x}")
    return line


_UNREADABLE = (LookupError, TypeError, AttributeError, RecursionError, msgspec.ValidationError)


def read(text: str, label: str = LABEL) -> PlyText:
    """Read what `write` wrote. Raises ValueError if the text is not one of those."""
    try:
        said = json.loads(text)
        if {"rulings", "acts"} - {_rulings_key(label)} & said.keys():
            raise TypeError(f"{label} has them otherwise")
        read_ruling = _ruling_from_log if label == SENTENCES else _acts_from_log
        return PlyText(
            ply=convert(said["ply"], int),
            turn=convert(said["turn"], int),
            at=convert(said["at"], str),
            cause=convert(said["cause"], str),
            orders=tuple(_sheet_from_log(one) for one in said.get("orders", ())),
            events=convert(said.get("events", ()), tuple[list[Any], ...]),
            between=convert(said.get("between", ()), tuple[list[Any], ...]),
            rulings=tuple(map(read_ruling, said.get(_rulings_key(label), ()))),
            leave=convert(said.get("leave"), Departure | None),
            said=convert(said.get("said", ()), tuple[DeclaredWord, ...]),
            holders=convert(said.get("holders", ()), tuple[HolderChange, ...]),
            due=convert(said.get("due", ""), str),
            version=convert(said.get("adjud", ""), str),
            package=convert(said.get("package", ""), str),
            bank=convert(said.get("bank", {}), dict[str, _Seconds]),
        )
    except _UNREADABLE as wrong:
        raise ValueError(f"this is no line of a log: {wrong}") from None


def _sheet_from_log(told: Any) -> AdjudicatedSheet:
    seat, revision, at, lines, *by = told
    given = {"seat": seat, "revision": revision, "at": at, "lines": lines}
    return convert({**given, "by": by[0] if by else ""}, AdjudicatedSheet)


def _ruling_from_log(told: Any) -> Ruled:
    at, action, told_to_all, reason, due = told
    message = convert(told_to_all, Message)
    text = f"{tell(message)} {reason}".rstrip()
    ruled = {"at": at, "action": action, "text": text, "reason": reason, "due": due}
    return replace(convert({**ruled, "message": message}, Ruled), acts=tuple(acts_in(message)))


_Number = Annotated[int, msgspec.Meta(ge=1, lt=10**9)]
_Acts = Annotated[tuple[AnyAct, ...], msgspec.Meta(min_length=1)]


def _acts_from_log(told: Any) -> Ruled:
    number, at, made_of, *more = told
    acts = convert(made_of, _Acts)
    message, reason = message_for_acts(acts), convert(more, tuple[str, ...])
    if len(reason) > 1:
        raise TypeError("a ruling has one reason")
    return Ruled(
        number=convert(number, _Number),
        at=convert(at, str),
        acts=acts,
        action=action_of(acts),
        message=message,
        reason="".join(reason),
        text=f"{tell(message)} {''.join(reason)}".rstrip(),
    )


def with_deadlines(opening: Opening, entries: Iterable[PlyText]) -> Iterator[PlyText]:
    """Yield the lines of a log, each ruling with the deadline in force once it was made, as it
    follows from the acts. Those of ADJUD2 say it themselves.

    Of one second, a change of holders came right before the ruling that tells it, if there is one.
    What was ruled in a ply that was taken back stands in a later line, and changes nothing there.
    """
    due, newest = opening.due, 0
    for entry in entries:
        if opening.label == SENTENCES:
            yield entry
            continue
        changes, rulings = [*entry.holders], []
        for one in entry.rulings:
            while changes and _came_before(changes[0], one, entry.rulings):
                due = changes.pop(0).due
            moved = effect_of(one.acts).due
            then = due if isinstance(moved, UnsetType) else in_log(moved) if moved else ""
            rulings.append(replace(one, due=then))
            due = due if one.number < newest else then
        newest = max([newest, *(one.number for one in rulings if one.action != LOOK)])
        due = entry.due
        yield replace(entry, rulings=tuple(rulings))


def _came_before(change: HolderChange, one: Ruled, rulings: Iterable[Ruled]) -> bool:
    if change.at != one.at:
        return change.at < one.at
    same = (each for each in rulings if each.at == one.at)
    return tells_holder(one.acts) or not any(tells_holder(each.acts) for each in same)


def in_log(moment: datetime) -> str:
    """Return a time as a log has it: in UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def lean(
    events: Iterable[Any], repeated: tuple[type[Struct], ...], line: Iterable[list[Any]] = ()
) -> list[Any]:
    """Return the events without those of the types that the orders repeat. Of a `line` that has
    some of these, as an older version wrote it, all events are returned."""
    tags = [[one.__struct_config__.tag] for one in repeated]
    if any(told[:1] in tags for told in line):
        return [*events]
    return [event for event in events if not isinstance(event, repeated)]


def pack(event: Any, lines: Mapping[str, Sequence[str]]) -> list[Any]:
    """Return an event as a list. `lines` are the orders of its ply by seat."""
    if "lines" in event.__struct_fields__ and event.lines == _of_seat(event, lines):
        event = replace(event, lines=())
    told = _list(event)
    return [event.__struct_config__.tag, *told]


def unpack(kind: Any, told: Sequence[Any], lines: Mapping[str, Sequence[str]]) -> Any:
    """Return the event of a list. `kind` is the game's union of events.

    Raises ValueError if it is none of them.
    """
    try:
        event = convert(_table(kind, list(told)), kind)
    except (msgspec.ValidationError, LookupError, TypeError) as wrong:
        raise ValueError(f"this is no event: {wrong}") from None
    if "lines" in event.__struct_fields__ and not event.lines:
        return replace(event, lines=_of_seat(event, lines) or ())
    return event


def _of_seat(event: Any, lines: Mapping[str, Sequence[str]]) -> tuple[str, ...] | None:
    mine = lines.get(getattr(event, "seat", ""))
    return None if mine is None else tuple(mine)


def _list(value: Any) -> Any:
    """Return a value with its structs as lists, which begin with the tag where they have one."""
    if isinstance(value, Struct):
        parts = [getattr(value, field.name) for field, _ in _fields(type(value))]
        for _, nothing in reversed(_fields(type(value))):
            if parts[-1] != nothing:
                break
            parts.pop()
        return [_member(part) for part in parts]
    if value is UNSET:
        return {}
    if isinstance(value, Mapping):
        keys = msgspec.to_builtins(dict.fromkeys(value), str_keys=True)
        return dict(zip(keys, (_member(part) for part in value.values()), strict=True))
    if isinstance(value, list | tuple | set | frozenset):
        return [_member(part) for part in value]
    return msgspec.to_builtins(value)


def _member(value: Any) -> Any:
    """Return a value that stands in a list, a table or a field."""
    told = _list(value)
    tag = value.__struct_config__.tag if isinstance(value, Struct) else None
    return told if tag is None else [tag, *told]


def _table(kind: Any, told: Any) -> Any:
    """Return what was written as lists with its structs as tables again."""
    if isinstance(kind, UnionType) or get_origin(kind) is Union:
        return _one_of(get_args(kind), told)
    if _is_struct(kind):
        return _struct(kind, told)
    parts = get_args(kind)
    if isinstance(told, dict) and len(parts) == 2:
        return {key: _table(parts[1], value) for key, value in told.items()}
    if isinstance(told, list) and parts:
        kinds = parts if len(parts) == len(told) and Ellipsis not in parts else repeat(parts[0])
        return [_table(one, value) for one, value in zip(kinds, told, strict=False)]
    return told


def _one_of(kinds: Sequence[Any], told: Any) -> Any:
    structs = [one for one in kinds if _is_struct(one)]
    if structs and isinstance(told, list):
        tagged = {one.__struct_config__.tag: one for one in structs}
        return _table(structs[0] if None in tagged else tagged[told[0]], told)
    others = [one for one in kinds if one is not NoneType]
    return _table(others[0], told) if len(others) == 1 and told is not None else told


def _struct(cls: Any, told: list[Any]) -> dict[str, Any]:
    config, fields = cls.__struct_config__, _fields(cls)
    begun = {} if config.tag is None else {config.tag_field: config.tag}
    values = told[len(begun) :]
    if len(values) > len(fields):
        raise LookupError(f"{cls.__name__} has no more than {len(fields)} parts")
    whole: dict[str, Any] = begun
    for number, (field, nothing) in enumerate(fields):
        if number >= len(values):
            if nothing is not UNSET:
                whole[field.encode_name] = msgspec.to_builtins(nothing)
        elif field.default is not UNSET or values[number] != {}:
            whole[field.encode_name] = _table(field.type, values[number])
    return whole


def _is_struct(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def blank(field: FieldInfo) -> Any:
    """Return what a field holds that was left out: its default if it has one, else the first of
    nothing, no, an empty text, list or table that it can hold."""
    if field.default is not msgspec.NODEFAULT:
        return field.default
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    for candidate in _BLANKS:
        try:
            return convert(candidate, field.type)
        except msgspec.ValidationError:
            continue
    return msgspec.NODEFAULT  # equal to nothing that an event holds


_BLANKS: Sequence[Any] = (None, False, "", (), {})


@cache
def _fields(cls: Any) -> tuple[tuple[FieldInfo, Any], ...]:
    """Return the fields of a struct, each with what is blank in it."""
    return tuple((field, blank(field)) for field in msgspec.structs.fields(cls))


def _sha256(text: str) -> str:
    return sha256(text.encode()).hexdigest()
