"""Rows of what a report has beside its seat's view: its proofs, and messages from seat to seat."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from msgspec import UNSET

from adjudicator.core import public_chance
from adjudicator.core.game import Proof, Rows
from adjudicator.core.message import Clock, Message, Words, say
from adjudicator.core.report import AnyReport, Committed, PressThread, ShownPress

# A commitment is written in pieces that end at a bar or after 64 digits, so that mail breaks no
# line of the command that checks it.
_PIECES = re.compile(r".{1,63}\||.{1,64}", re.DOTALL)


def of_chance(report: AnyReport, *, first: bool) -> Iterator[Message]:
    """Yield where what is random in the match comes from."""
    option = report.options.get("chance", public_chance.SEED)
    return public_chance.source_sentences(option, first=first)


def commitments(
    report: AnyReport, page: Rows, words: Words, proof: Proof[Any, Any]
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield what was committed to, the digest, and the lines of the command that checks it.

    What an early report told need not be told again before it is opened; the head of the log is a
    new one in each report.
    """
    head = f"{proof.label}|{report.match}|"  # before a seed
    for commitment in report.commitments:
        opened, digest = commitment.opened, commitment.digest
        if opened is None and not page.early:
            continue
        command = _check(opened, digest, head) if opened is not None else []
        yield words(message_for_commitment(commitment, page.seats, proof)), digest, command
    if report.log:
        told = say("Log of {match}, ply {ply}", match=report.match, ply=report.ply)
        yield words(told), report.log.head, []
        if report.log.key is not None:
            yield words(say("Key of the log")), report.log.key, []


def by_telephone(report: AnyReport) -> tuple[int, str] | None:
    """Return the ply and the first digits of its head."""
    if not report.log or report.log.label is UNSET:
        return None
    return report.ply, short_head(report.log.head)


def short_head(head: str) -> str:
    """Return the first 20 digits of a head, as two people can read them to each other; fewer could
    be met by trying.

    >>> short_head("6b46d2245efa91c077e2" + 44 * "0")
    '6b46-d224-5efa-91c0-77e2'
    """
    return "-".join(head[start : start + 4] for start in range(0, 20, 4))


def used_in_advance(report: AnyReport) -> Iterator[tuple[Message, str]]:
    """Yield the digests of sheets in advance that were used, each with what it is of."""
    for used in () if report.used is UNSET else report.used:
        if used.digest is not UNSET and used.hashed is not UNSET:
            yield say("SHA-256 of {head} with the orders:", head=used.hashed), used.digest


def orders_played(
    report: AnyReport, carried: Sequence[str], words: Words, clock: Clock
) -> Iterator[str]:
    """Yield when the seat's orders came that were adjudicated since its last report, and their
    digests, but those that stand in the email already."""
    told = "\n".join((*carried, *(digest for _, digest in used_in_advance(report))))
    for one in () if report.ordered is UNSET else report.ordered:
        came = say(
            "Received for turn {turn}, version {revision}: {moment}",
            turn=one.turn,
            revision=one.revision,
            moment=clock(one.at),
        )
        yield words(came)
        if one.digest not in told:
            yield words(say("SHA-256 of {head} with the orders:", head=one.hashed))
            yield f"  {one.digest}"


def keys_of(report: AnyReport) -> Mapping[str, str]:
    """Return the links that were opened, by their digests; the last report has a command for each
    instead."""
    return {one.digest: one.opened for one in report.commitments if one.opened is not None}


def message_for_commitment(
    commitment: Committed, seats: Mapping[str, str], proof: Proof[Any, Any]
) -> Message:
    who, number = commitment.seat, commitment.number or 0
    side = seats.get(who, str(who)) if who is not None else ""
    if commitment.what == proof.what:
        return proof.secret(side)
    match commitment.what:
        case "seed":
            return say("Seed of the match")
        case "anchor" if who is None:
            return say("First link of the adjudicator's dice")
        case "anchor":
            return say("First link of the dice of {seat}", seat=side)
        case "key" if who is None:
            return say("Draw {n} of the adjudicator, opened", n=number)
        case "key":
            return say("Roll {n} of {seat}, opened", n=number, seat=side)
    raise ValueError(f"there is no commitment to a {commitment.what}")


def _check(opened: str, digest: str, head: str) -> list[str]:
    """Return a shell command that prints the digest: of a link, of the seed after `head`, or of a
    text.

    Raises ValueError if none of them gives that digest, because a check that fails is an
    accusation.
    """
    if _is_hex(opened) and _digest(bytes.fromhex(opened)) == digest:
        return [*_printf_lines(opened), "  | xxd -r -p | sha256sum"]
    if _is_hex(opened) and _digest(head.encode() + bytes.fromhex(opened)) == digest:
        return [f"(printf '%s' '{head}'", *_printf_lines(opened), "  | xxd -r -p) | sha256sum"]
    if _digest(opened.encode()) == digest:
        return [*_printf_lines(opened), "  | sha256sum"]
    raise ValueError(f"what was opened for the commitment {digest} does not hash to it")


def _printf_lines(text: str) -> list[str]:
    """Return lines that print a text: `printf` joins its arguments, so they may be on several
    lines."""
    quoted = ["'" + piece.replace("'", "'\\''") + "'" for piece in _PIECES.findall(text)]
    return ["printf '%s' \\", *(f"  {piece} \\" for piece in quoted)]


def _is_hex(text: str) -> bool:
    return len(text) % 2 == 0 and re.fullmatch("[0-9a-f]+", text) is not None


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()


Seats: TypeAlias = Mapping[str, str]
# The title of a thread, and for each message what stands above it, and its lines.
ThreadRows: TypeAlias = tuple[str, Sequence[tuple[str, Sequence[str]]]]

PRESS = say("Messages")  # the heading of them, also for `adjud audit`
_HINT = say(
    "MUTE and a seat stops messages from it. COMPLAIN and a number sends a message to the game "
    "master."
)


def press_rows(
    threads: Iterable[PressThread], me: str, seats: Seats, words: Words, clock: Clock
) -> list[ThreadRows]:
    return [(words(_title(one, seats)), _messages(one, me, seats, words, clock)) for one in threads]


def press_hint(threads: Iterable[PressThread], words: Words) -> str | None:
    """Return what can be done about messages that came; None if none did."""
    came = any(one.number is not None for thread in threads for one in thread.messages)
    return words(_HINT) if came else None


def _title(thread: PressThread, seats: Seats) -> Message:
    if thread.master:
        return say("To the game master")
    if not thread.others:
        return say("Unsigned")
    return say("With {seats}", seats=_titles(thread.others, seats))


def _messages(
    thread: PressThread, me: str, seats: Seats, words: Words, clock: Clock
) -> Sequence[tuple[str, Sequence[str]]]:
    return [(words(_head(one, me, seats, clock)), one.lines) for one in thread.messages]


def _head(one: ShownPress, me: str, seats: Seats, clock: Clock) -> Message:
    at, to = clock(one.at), _titles(one.to, seats)
    if one.number is not None and one.by is None:
        return say("{n}. {when}, unsigned, to {seats}:", n=one.number, when=at, seats=to)
    if one.number is not None:
        by = seats[str(one.by)]
        return say("{n}. {when}, {seat} to {seats}:", n=one.number, when=at, seat=by, seats=to)
    if not one.to:
        return say("{when}, you to the game master:", when=at)
    to = _titles([seat for seat in one.to if seat != me], seats)
    if one.unsigned:
        return say("{when}, you, unsigned, to {seats}:", when=at, seats=to)
    return say("{when}, you to {seats}:", when=at, seats=to)


def _titles(found: Iterable[str], seats: Seats) -> str:
    return ", ".join(seats[seat] for seat in found)
