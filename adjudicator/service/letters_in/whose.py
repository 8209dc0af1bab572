"""Whose letter it is (letters, section 2): the tag decides, never the sender's word."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.game import Seat
from adjudicator.core.sheets import Head, RawSheet
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
from adjudicator.service.base.loaded_match import Loaded, gather, seat_of
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in.said import Opened
from adjudicator.store import matches
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match

MOST_KEYS = 10  # sheets of one letter whose keys are tried
MOST_MATCHES = 10  # that one letter names and that are looked for


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


class Known:
    """The matches that a letter names, each looked up once."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._found: dict[str, Match | None] = {}
        self._gathered: dict[str, Loaded] = {}

    def look_for(self, names: Sequence[str]) -> None:
        """Only for the first few: who writes may name as many as there are. In one order, however
        they were written: two workers that hold several would wait for each other else."""
        fresh = dict.fromkeys(name.lower() for name in names if name.lower() not in self._found)
        for name in sorted([*fresh][:MOST_MATCHES]):
            self._found[name] = matches.find(self._tx, name)

    def find(self, name: str) -> Match | None:
        return self._found.get(name.lower())

    def gather(self, name: str) -> Loaded | None:
        match = self.find(name)
        if match is None:
            return None
        if match.name not in self._gathered:
            self._gathered[match.name] = gather(self._tx, match)
        return self._gathered[match.name]


Whose: TypeAlias = Addressed | Former | Torn | Anybody | Unsigned | Nobody | Bounced | Tried


def find(tx: Tx, post: Post, recipient: str, opened: Opened) -> Whose:
    """In the order of trust: our own server's word, To and Cc, what the letter answers, the key
    in the sheet's head."""
    letter, known = opened.letter, Known(tx)
    addresses = dict.fromkeys((recipient, *letter.addressed))
    read = [read_address(post, address) for address in addresses]
    bounces = [address for address in read if isinstance(address, Bounce)]
    if bounces:
        return Bounced(bounces[0])
    tried = [address for address in read if isinstance(address, TrialAddress)]
    if tried:
        return Tried(tried[0].tag)
    addressed = [address for address in read if isinstance(address, SeatAddress)]
    heads = _heads_with_keys(opened.framed.sheets)
    known.look_for([*(one.match for one in addressed), *(head.match for head in heads)])
    found = [*_by_tag(known, post, [*addressed, *dict.fromkeys(_by_key(known, heads))])]
    named = {(whose.loaded.match.name, whose.seat) for whose in found}
    if len(named) > 1:
        return Torn()
    if found:
        return found[0]
    by_id = next(_by_id(known, post, letter.references), None)
    if by_id is not None:
        return by_id
    if any(isinstance(address, Public) for address in read):
        return Anybody()
    return Unsigned() if any(_names_a_seat(known, one) for one in addressed) else Nobody()


def is_ours(tx: Tx, post: Post, recipient: str) -> bool:
    """Whether a letter to that address can mean something to us: a seat's, with a tag that is or
    was right, the public one, or one that a bounce would come to."""
    address = read_address(post, recipient)
    if isinstance(address, SeatAddress):
        known = Known(tx)
        known.look_for([address.match])
        return any(True for _ in _by_tag(known, post, [address]))
    return address is not None


def _by_tag(
    known: Known, post: Post, addresses: Sequence[SeatAddress]
) -> Iterator[Addressed | Former]:
    for address in addresses:
        loaded = known.gather(address.match)
        seat = Seat(address.seat)
        if loaded is None or seat not in loaded.holders:
            continue
        tenure = loaded.holders[seat].tenure
        if authorises(post, address, tenure):
            yield Addressed(loaded, seat, authorised=True)
            continue
        for ended in range(tenure - 1, 0, -1):
            if authorises(post, address, ended):
                yield Former(loaded, seat, ended)
                break


def _names_a_seat(known: Known, address: SeatAddress) -> bool:
    loaded = known.gather(address.match)
    return loaded is not None and address.seat in loaded.holders


def _heads_with_keys(sheets: Sequence[RawSheet]) -> Sequence[Head]:
    heads = (sheet.head for sheet in sheets[:MOST_KEYS])
    return [head for head in heads if head and head.key]


def _by_key(known: Known, heads: Sequence[Head]) -> Iterator[SeatAddress]:
    """`ORDERS match [seat] key K`, for servers that drop sub-addresses: the last part of the
    seat's address."""
    for head in heads:
        told = (keyed_address(head.match, seat, str(head.key)) for seat in _seats(known, head))
        yield from (address for address in told if address is not None)


def _seats(known: Known, head: Head) -> Sequence[str]:
    """The seat that a head names, in any of our languages; all of the match if it names none."""
    match = known.find(head.match)
    if match is None:
        return ()
    game = GAMES[match.game]
    try:
        return [seat_of(game, head.seat)] if head.seat else game.seats
    except Refusal:
        return ()


def _by_id(known: Known, post: Post, references: Sequence[str]) -> Iterator[Addressed]:
    named = [(one, name) for one in references if (name := match_of_message_id(post, one))]
    known.look_for([name for _, name in named])
    for reference, name in named:
        loaded = known.gather(name)
        if loaded is None:
            continue
        match = loaded.match
        tenancies = [(match.name, seat, loaded.holders[seat].tenure) for seat in loaded.seats]
        whose = seat_of_message_id(post, reference, tenancies)
        if whose:
            yield Addressed(loaded, Seat(whose[1]), authorised=False)
