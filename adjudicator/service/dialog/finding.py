"""Whose letter it is (letters, section 2): the tag decides, never the sender's word."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.game import Seat
from adjudicator.core.sheets import Head, read_sheets
from adjudicator.games import GAMES
from adjudicator.mail.address import (
    Bounce,
    Post,
    Public,
    SeatAddress,
    TrialAddress,
    authorises,
    keyed_address,
    match_of_message_id,
    read_address,
    seat_of_message_id,
)
from adjudicator.mail.letter import Letter
from adjudicator.service.loading import Loaded, gather, seat_of
from adjudicator.service.refusal import Refusal
from adjudicator.store import matches
from adjudicator.store.database import Tx

MOST_KEYS = 10  # sheets of one letter whose keys are tried


class Addressed(Struct, frozen=True):
    """A letter for a seat. `authorised` says that it came to the seat's own address; one that
    came home only by what it answers finds the seat and authorises nothing."""

    loaded: Loaded
    seat: Seat
    authorised: bool


class Former(Struct, frozen=True):
    """The address of a tenure that has ended."""

    loaded: Loaded
    seat: Seat
    tenure: int


class Torn(Struct, frozen=True):
    """Addresses in it name different seats; nobody's orders are touched."""


class Anybody(Struct, frozen=True):
    """A letter to the public address."""


class Unsigned(Struct, frozen=True):
    """An address that names a seat and was never one: by a slip, a guess or a lost key."""


class Tried(Struct, frozen=True):
    """A letter by which the club tries its mail, or what came back of one."""

    tag: str


class Nobody(Struct, frozen=True):
    """Not ours: answered by silence."""


class Bounced(Struct, frozen=True):
    """A bounce of one of our letters."""

    bounce: Bounce


Whose: TypeAlias = Addressed | Former | Torn | Anybody | Unsigned | Nobody | Bounced | Tried


def find(tx: Tx, post: Post, recipient: str, letter: Letter) -> Whose:
    """In the order of trust: our own server's word, To and Cc, what the letter answers, the key
    in the sheet's head."""
    read = [
        read_address(post, address) for address in dict.fromkeys((recipient, *letter.addressed))
    ]
    bounces = [address for address in read if isinstance(address, Bounce)]
    if bounces:
        return Bounced(bounces[0])
    tried = [address for address in read if isinstance(address, TrialAddress)]
    if tried:
        return Tried(tried[0].tag)
    addressed = [address for address in read if isinstance(address, SeatAddress)]
    found = [*_by_tag(tx, post, [*addressed, *dict.fromkeys(_by_key(tx, letter))])]
    named = {(whose.loaded.match.name, whose.seat) for whose in found}
    if len(named) > 1:
        return Torn()
    if found:
        return found[0]
    by_id = next(_by_id(tx, post, letter.references), None)
    if by_id is not None:
        return by_id
    if any(isinstance(address, Public) for address in read):
        return Anybody()
    return Unsigned() if any(_names_a_seat(tx, address) for address in addressed) else Nobody()


def is_ours(tx: Tx, post: Post, recipient: str) -> bool:
    """Whether a letter to that address can mean something to us: a seat's, with a tag that is or
    was right, the public one, or one that a bounce would come to."""
    address = read_address(post, recipient)
    if isinstance(address, SeatAddress):
        return any(True for _ in _by_tag(tx, post, [address]))
    return address is not None


def _by_tag(tx: Tx, post: Post, addresses: Sequence[SeatAddress]) -> Iterator[Addressed | Former]:
    # In one order, however they were written: two workers that hold several would wait for each
    # other else.
    there = {name: matches.find(tx, name) for name in sorted({one.match for one in addresses})}
    for address in addresses:
        match = there[address.match]
        if match is None:
            continue
        loaded = gather(tx, match)
        seat = Seat(address.seat)
        if seat not in loaded.holders:
            continue
        tenure = loaded.holders[seat].tenure
        if authorises(post, address, tenure):
            yield Addressed(loaded, seat, authorised=True)
            continue
        for ended in range(tenure - 1, 0, -1):
            if authorises(post, address, ended):
                yield Former(loaded, seat, ended)
                break


def _names_a_seat(tx: Tx, address: SeatAddress) -> bool:
    match = matches.find(tx, address.match)
    return match is not None and address.seat in gather(tx, match).holders


def _by_key(tx: Tx, letter: Letter) -> Iterator[SeatAddress]:
    """`ORDERS match [seat] key K`, for servers that drop sub-addresses: the last part of the
    seat's address."""
    for sheet in read_sheets(letter.texts.sheet or "").sheets[:MOST_KEYS]:
        head = sheet.head
        if head and head.key:
            told = (keyed_address(head.match, seat, head.key) for seat in _seats(tx, head))
            yield from (address for address in told if address is not None)


def _seats(tx: Tx, head: Head) -> Sequence[str]:
    """The seat that a head names, in any of our languages; all of the match if it names none."""
    match = matches.find(tx, head.match)
    if match is None:
        return ()
    game = GAMES[match.game]
    try:
        return [seat_of(game, head.seat)] if head.seat else game.seats
    except Refusal:
        return ()


def _by_id(tx: Tx, post: Post, references: Sequence[str]) -> Iterator[Addressed]:
    for reference in references:
        name = match_of_message_id(post, reference)
        match = matches.find(tx, name) if name else None
        if match is None:
            continue
        loaded = gather(tx, match)
        tenancies = [(match.name, seat, loaded.holders[seat].tenure) for seat in loaded.seats]
        whose = seat_of_message_id(post, reference, tenancies)
        if whose:
            yield Addressed(loaded, Seat(whose[1]), authorised=False)
