"""Decide whose letter it is (letters, section 2): the tag decides, never what the sender says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.match import Seat
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
from adjudicator.service.base.loaded_match import Loaded, Unreadable, gather, readable, seat_of
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.letters_in.said import Opened
from adjudicator.store import matches, tenures
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder, Match

MOST_KEYS = 10  # sheets of one letter whose keys are tried
MOST_MATCHES = 10  # looked up for one letter, however many it names


class Addressed(Struct, frozen=True):
    """A letter for a seat.

    `authorised` says that it came to the seat's own address. A letter that was found only by what
    it answers names the seat and authorises nothing.
    """

    loaded: Loaded
    seat: Seat
    authorised: bool


class Withheld(Struct, frozen=True):
    """A letter to the seat of a match that cannot be read now."""

    unread: Unreadable
    seat: str
    player_id: int | None


class Former(Struct, frozen=True):
    """A letter to the address of a tenure that has ended."""

    loaded: Loaded
    seat: Seat
    tenure: int


class Torn(Struct, frozen=True):
    """A letter whose addresses name different seats; nobody's orders are touched. `player_id` is
    whoever holds them all, if one player does."""

    player_id: int | None


class Anybody(Struct, frozen=True):
    """A letter to the public address."""


class Unsigned(Struct, frozen=True):
    """A letter to an address that names a seat and never was one: by a slip, a guess or a lost
    key."""


class Tried(Struct, frozen=True):
    """A letter by which the club tries its mail, or the bounce of one."""

    tag: str


class Nobody(Struct, frozen=True):
    """A letter that is not for us; it gets no answer."""


class Bounced(Struct, frozen=True):
    """A bounce of one of our letters."""

    bounce: Bounce


class Known:
    """The matches that a letter names, each looked up once."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self._found: dict[str, Match | None] = {}
        self._gathered: dict[str, Loaded] = {}

    def look_for(self, names: Sequence[str]) -> None:
        """Look up the first few of the matches; a letter may name as many as there are.

        They are locked in one order, however they were written: otherwise two workers that lock
        several could wait for each other.
        """
        fresh = dict.fromkeys(name.lower() for name in names if name.lower() not in self._found)
        for name in sorted([*fresh][:MOST_MATCHES]):
            self._found[name] = matches.find(self.tx, name)

    def find(self, name: str) -> Match | None:
        return self._found.get(name.lower())

    def holders_of(self, match: Match) -> Mapping[str, Holder]:
        """Return who holds the seats of a match that cannot be read; none if they cannot, too."""
        try:
            with readable(match):
                return matches.holders(self.tx, match.id)
        except Unreadable:
            return {}

    def holder_of(self, match: Match, seat: str) -> Holder | None:
        return self.holders_of(match).get(seat)

    def gather(self, name: str) -> Loaded | None:
        match = self.find(name)
        if match is None:
            return None
        if match.name not in self._gathered:
            self._gathered[match.name] = gather(self.tx, match)
        return self._gathered[match.name]


Whose: TypeAlias = (
    Addressed | Withheld | Former | Torn | Anybody | Unsigned | Nobody | Bounced | Tried
)


def find(tx: Tx, post: Post, recipient: str, opened: Opened) -> Whose:
    """Return whose letter it is.

    These count in the order of trust: our own server's word, To and Cc, what the letter answers,
    the key in the sheet's head.
    """
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
    heads = _heads_with_keys(opened.content.reading.sheets)
    known.look_for([*(one.match for one in addressed), *(head.match for head in heads)])
    found = [*_by_tag(known, post, [*addressed, *dict.fromkeys(_by_key(known, heads))])]
    named = {(_match_of(whose).name, whose.seat) for whose in found}
    if len(named) > 1:
        return Torn(_holder_of_all(found))
    if found:
        return found[0]
    by_id = next(_by_id(known, post, letter.references), None)
    if by_id is not None:
        return by_id
    if any(isinstance(address, Public) for address in read):
        return Anybody()
    return Unsigned() if any(_names_a_seat(known, one) for one in addressed) else Nobody()


def _match_of(whose: Addressed | Withheld | Former) -> Match:
    return whose.unread.match if isinstance(whose, Withheld) else whose.loaded.match


def _holder_of_all(found: Sequence[Addressed | Withheld | Former]) -> int | None:
    ids = {_holder_of(one) for one in found}
    return ids.pop() if len(ids) == 1 else None


def _holder_of(whose: Addressed | Withheld | Former) -> int | None:
    match whose:
        case Addressed(loaded, seat):
            return loaded.holders[seat].player_id
        case Withheld():
            return whose.player_id
        case Former():
            return None


def is_ours(tx: Tx, post: Post, recipient: str) -> bool:
    """Return whether a letter to that address can mean something to us.

    It can be the address of a seat, with a tag that is or was right, the public address, or one for
    bounces.
    """
    address = read_address(post, recipient)
    if isinstance(address, SeatAddress):
        known = Known(tx)
        known.look_for([address.match])
        return any(True for _ in _by_tag(known, post, [address]))
    return address is not None


def _by_tag(
    known: Known, post: Post, addresses: Sequence[SeatAddress]
) -> Iterator[Addressed | Withheld | Former]:
    for address in addresses:
        try:
            loaded = known.gather(address.match)
        except Unreadable as unread:
            holder = known.holder_of(unread.match, address.seat)
            if holder is not None and authorises(post, address, holder.tenure):
                yield Withheld(unread, holder.seat, holder.player_id)
            continue
        seat = Seat(address.seat)
        if loaded is None or seat not in loaded.holders:
            continue
        tenure = loaded.holders[seat].tenure
        if authorises(post, address, tenure):
            yield Addressed(loaded, seat, authorised=True)
            continue
        for ended in tenures.ended(known.tx, loaded.match.id, seat):
            if authorises(post, address, ended):
                yield Former(loaded, seat, ended)
                break


def _names_a_seat(known: Known, address: SeatAddress) -> bool:
    try:
        loaded = known.gather(address.match)
    except Unreadable as unread:
        return known.holder_of(unread.match, address.seat) is not None
    return loaded is not None and address.seat in loaded.holders


def _heads_with_keys(sheets: Sequence[RawSheet]) -> Sequence[Head]:
    heads = (sheet.head for sheet in sheets[:MOST_KEYS])
    return [head for head in heads if head and head.key]


def _by_key(known: Known, heads: Sequence[Head]) -> Iterator[SeatAddress]:
    """Yield the addresses that `ORDERS match [seat] key K` means.

    This is for servers that drop sub-addresses; the key is the last part of the seat's address.
    """
    for head in heads:
        told = (keyed_address(head.match, seat, str(head.key)) for seat in _seats(known, head))
        yield from (address for address in told if address is not None)


def _seats(known: Known, head: Head) -> Sequence[str]:
    """Return the seat that a head names, in any of our languages; all of the match if it names
    none."""
    match = known.find(head.match)
    if match is None or match.game not in GAMES:
        return (head.seat.lower(),) if match and head.seat else ()
    game = GAMES[match.game]
    try:
        return [seat_of(game, head.seat)] if head.seat else game.seats
    except Refusal:
        return ()


def _by_id(known: Known, post: Post, references: Sequence[str]) -> Iterator[Addressed | Withheld]:
    named = [(one, name) for one in references if (name := match_of_message_id(post, one))]
    known.look_for([name for _, name in named])
    for reference, name in named:
        try:
            loaded = known.gather(name)
        except Unreadable as unread:
            holders = known.holders_of(unread.match)
            whose = seat_of_message_id(post, reference, _tenancies(unread.match, holders))
            if whose:
                yield Withheld(unread, whose[1], holders[whose[1]].player_id)
            continue
        if loaded is None:
            continue
        whose = seat_of_message_id(post, reference, _tenancies(loaded.match, loaded.holders))
        if whose:
            yield Addressed(loaded, Seat(whose[1]), authorised=False)


def _tenancies(match: Match, holders: Mapping[str, Holder]) -> list[tuple[str, str, int]]:
    return [(match.name, seat, holder.tenure) for seat, holder in sorted(holders.items())]
