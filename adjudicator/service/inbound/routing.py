"""Decide whose email it is (emails, section 2): the tag decides, never what the sender says."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.sheets import Head, RawSheet
from adjudicator.games import GAMES
from adjudicator.mail.address import (
    BounceAddress,
    GuestAddress,
    MailDomain,
    PersonalAddress,
    Public,
    SeatAddress,
    TrialAddress,
    authorises,
    is_personal,
    keyed_address,
    match_of_message_id,
    read_address,
    seat_of_message_id,
)
from adjudicator.mail.read.email import Email
from adjudicator.mail.write import subjects
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    gather,
    readable,
    seat_of,
)
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.inbound.parsed_email import ParsedEmail
from adjudicator.service.outbox.queue import alert, email_to_player, own_address, post
from adjudicator.store import clubs, matches, outbox, players, rows
from adjudicator.store.database import Tx
from adjudicator.store.guests import Guest
from adjudicator.store.matches import Holder, Match
from adjudicator.store.players import Player

MOST_KEYS = 10  # sheets of one email whose keys are tried
MOST_MATCHES = 10  # looked up for one email, however many it names


class ToSeat(Struct, frozen=True):
    """An email for a seat, also of a match that has no position yet.

    `authorised` says that it came to the seat's own address. An email that was found only by what
    it answers names the seat and authorises nothing.
    """

    loaded: Loaded
    seat: Seat
    authorised: bool


class ToUnreadable(Struct, frozen=True):
    """An email to the seat of a match that cannot be read now."""

    unread: Unreadable
    seat: str
    player_id: int | None


class StaleTenure(Struct, frozen=True):
    """An email to the address of a tenure that has ended."""

    loaded: Seated
    seat: Seat
    tenure: int


class ToPerson(Struct, frozen=True):
    """An email to a player's personal address (club, 2)."""

    player: Player


class ToOldAddress(Struct, frozen=True):
    """An email to a personal address from before the player's address on file was changed."""

    player: Player


class ToGuest(Struct, frozen=True):
    """An email to an address that was handed on to somebody who is not a member (club, 6.2)."""

    guest: Guest


class Ambiguous(Struct, frozen=True):
    """An email whose addresses name different seats; nobody's orders are touched. `player_id` is
    whoever holds them all, if one player does."""

    player_id: int | None


class ToPublic(Struct, frozen=True):
    """An email to the public address."""


class BadSignature(Struct, frozen=True):
    """An email to an address that names a seat and never was one: by a slip, a guess or a lost
    key."""


class OwnSelfTest(Struct, frozen=True):
    """An email by which the club tries its mail, or the bounce of one."""

    tag: str


class NoRecipient(Struct, frozen=True):
    """An email that is not for us; it gets no answer."""


class ReturnedEmail(Struct, frozen=True):
    """A bounce of one of our emails."""

    bounce: BounceAddress


class NamedMatches:
    """The matches that an email names, each looked up once."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self._found: dict[str, Match | None] = {}
        self._gathered: dict[str, Loaded] = {}

    def look_for(self, names: Sequence[str]) -> None:
        """Look up the first few of the matches; an email may name as many as there are.

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


Recipient: TypeAlias = (
    ToSeat
    | ToUnreadable
    | StaleTenure
    | ToPerson
    | ToOldAddress
    | ToGuest
    | Ambiguous
    | ToPublic
    | BadSignature
    | NoRecipient
    | ReturnedEmail
    | OwnSelfTest
)


def recipient_of(tx: Tx, post: MailDomain, opened: ParsedEmail) -> Recipient:
    """Return whose email it is.

    These count in the order of trust: our own server's word, To and Cc, what the email answers,
    the key in the sheet's head.
    """
    email, known = opened.email, NamedMatches(tx)
    addresses = dict.fromkeys((opened.received.recipient, *email.addressed))
    read = [read_address(post, address) for address in addresses]
    bounces = [address for address in read if isinstance(address, BounceAddress)]
    if bounces:
        return ReturnedEmail(bounces[0])
    tried = [address for address in read if isinstance(address, TrialAddress)]
    if tried:
        return OwnSelfTest(tried[0].tag)
    addressed = [address for address in read if isinstance(address, SeatAddress)]
    heads = _heads_with_keys(opened.content.reading.sheets)
    known.look_for([*(one.match for one in addressed), *(head.match for head in heads)])
    found = [*_by_tag(known, post, [*addressed, *dict.fromkeys(_by_key(known, heads))])]
    named = {(_match_of(whose).name, whose.seat) for whose in found}
    if len(named) > 1:
        return Ambiguous(_holder_of_all(found))
    if found:
        return found[0]
    personal = [one for one in read if isinstance(one, PersonalAddress)]
    people = [*_by_token(tx, post, personal)]
    if people:
        alone = len({one.player.id for one in people}) == 1
        return people[0] if alone else Ambiguous(None)
    doors = [one.door for one in read if isinstance(one, GuestAddress)]
    if doors and (guest := rows.first(tx, Guest, door=doors[0], lock=True)):
        return ToGuest(guest)
    by_id = next(_by_id(known, post, email.references), None)
    if by_id is not None:
        return by_id
    if any(isinstance(address, Public) for address in read):
        return ToPublic()
    forged = bool(personal) or any(_names_a_seat(known, one) for one in addressed)
    return BadSignature() if forged else NoRecipient()


def _by_token(
    tx: Tx, post: MailDomain, addresses: Sequence[PersonalAddress]
) -> Iterator[ToPerson | ToOldAddress]:
    """Yield the players whose personal addresses these are or were, the present ones first."""
    found = [(one, player) for one in addresses if (player := players.of_token(tx, one.token))]
    for one, player in found:
        if is_personal(post, one, player.number):
            yield ToPerson(player)
    for one, player in found:
        if any(is_personal(post, one, number) for number in range(1, player.number)):
            yield ToOldAddress(player)


_OfSeat: TypeAlias = ToSeat | ToUnreadable | StaleTenure


def _match_of(whose: _OfSeat) -> Match:
    return whose.unread.match if isinstance(whose, ToUnreadable) else whose.loaded.match


def _holder_of_all(found: Sequence[_OfSeat]) -> int | None:
    ids = {_holder_of(one) for one in found}
    return ids.pop() if len(ids) == 1 else None


def _holder_of(whose: _OfSeat) -> int | None:
    match whose:
        case ToSeat(loaded, seat):
            return loaded.holders[seat].player_id
        case ToUnreadable():
            return whose.player_id
        case StaleTenure():
            return None


def is_ours(tx: Tx, post: MailDomain, recipient: str) -> bool:
    """Return whether an email to that address can mean something to us.

    It can be the address of a seat, with a tag that is or was right, the public address, or one for
    bounces.
    """
    address = read_address(post, recipient)
    if isinstance(address, SeatAddress):
        known = NamedMatches(tx)
        known.look_for([address.match])
        return any(True for _ in _by_tag(known, post, [address]))
    if isinstance(address, PersonalAddress):
        return any(True for _ in _by_token(tx, post, [address]))
    return address is not None


def _by_tag(
    known: NamedMatches, post: MailDomain, addresses: Sequence[SeatAddress]
) -> Iterator[_OfSeat]:
    for address in addresses:
        try:
            loaded = known.gather(address.match)
        except Unreadable as unread:
            holder = known.holder_of(unread.match, address.seat)
            if holder is not None and authorises(post, address, holder.tenure):
                yield ToUnreadable(unread, holder.seat, holder.player_id)
            continue
        seat = Seat(address.seat)
        if loaded is None or seat not in loaded.holders:
            continue
        holder = loaded.holders[seat]
        if not holder.computer and authorises(post, address, holder.tenure):
            yield ToSeat(loaded, seat, authorised=True)
            continue
        for ended in matches.ended_tenures(known.tx, loaded.match.id, seat):
            if authorises(post, address, ended):
                yield StaleTenure(loaded, seat, ended)
                break


def _names_a_seat(known: NamedMatches, address: SeatAddress) -> bool:
    try:
        loaded = known.gather(address.match)
    except Unreadable as unread:
        return known.holder_of(unread.match, address.seat) is not None
    return loaded is not None and address.seat in loaded.holders


def _heads_with_keys(sheets: Sequence[RawSheet]) -> Sequence[Head]:
    heads = (sheet.head for sheet in sheets[:MOST_KEYS])
    return [head for head in heads if head and head.key]


def _by_key(known: NamedMatches, heads: Sequence[Head]) -> Iterator[SeatAddress]:
    """Yield the addresses that `ORDERS match [seat] key K` means.

    This is for servers that drop sub-addresses; the key is the last part of the seat's address.
    """
    for head in heads:
        told = (keyed_address(head.match, seat, str(head.key)) for seat in _seats(known, head))
        yield from (address for address in told if address is not None)


def _seats(known: NamedMatches, head: Head) -> Sequence[str]:
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


def _by_id(
    known: NamedMatches, post: MailDomain, references: Sequence[str]
) -> Iterator[ToSeat | ToUnreadable]:
    named = [(one, name) for one in references if (name := match_of_message_id(post, one))]
    known.look_for([name for _, name in named])
    for reference, name in named:
        try:
            loaded = known.gather(name)
        except Unreadable as unread:
            holders = known.holders_of(unread.match)
            whose = seat_of_message_id(post, reference, _tenancies(unread.match, holders))
            if whose:
                yield ToUnreadable(unread, whose[1], holders[whose[1]].player_id)
            continue
        if loaded is None:
            continue
        whose = seat_of_message_id(post, reference, _tenancies(loaded.match, loaded.holders))
        if whose:
            yield ToSeat(loaded, Seat(whose[1]), authorised=False)


def _tenancies(match: Match, holders: Mapping[str, Holder]) -> list[tuple[str, str, int]]:
    return [(match.name, seat, holder.tenure) for seat, holder in sorted(holders.items())]


# Emails from people who no longer hold a seat, or who named two, or an old address: they are told
# so, and nothing else.
#
# Emails that name a seat by an address that never was one are only counted.


A_DAY_ASTRAY = 3  # emails to one player about emails that were for two seats, another's or none
_OLD = say(
    "Your email went to an old address of your seat, so it was not read. Reply to the latest "
    "email for your seat."
)


def tell_former(s: Session, whose: StaleTenure, email: Email) -> None:
    """Tell him the first time that he writes; nothing of the match is told to him.

    If he holds the seat again, he may still have to order, so he is told that as often as others
    who write to a wrong address.
    """
    match, seat = whose.loaded.match, whose.seat
    holder = whose.loaded.holders[seat].player_id
    if holder is not None and holder == matches.player_of_tenure(
        s.tx, match.id, seat, whose.tenure
    ):
        _tell(s, players.one(s.tx, holder), email, subjects.old_address(), _OLD)
        return
    player_id = matches.untold_tenure(s.tx, match.id, seat, whose.tenure)
    if player_id is None:
        return
    title = whose.loaded.game.seat_titles[seat]
    told = say(
        "You no longer have this seat: {seat} in {match}. Your email was not read, and further "
        "emails to this address get no reply.",
        seat=title,
        match=match.name,
    )
    player = players.one(s.tx, player_id)
    tell = words(player.language, match.game)
    key = f"{match.name}/former/{seat}/{whose.tenure}"
    subject = subjects.notice(match.name, tell(title))
    _queue(s, key, player, email, subject, paragraph(told, game=match.game))
    matches.mark_tenure_told(s.tx, match.id, seat, whose.tenure, s.now)


_OWN = say(
    "Your email went to an address for you that is old, so it was not read. Your address for all "
    "your matches is now {address}."
)


def tell_of_own_address(s: Session, whose: ToOldAddress, email: Email) -> None:
    """Tell a player at his address on file which his personal address is now."""
    assert s.context.post is not None
    told = say(_OWN.text, address=own_address(s.context.post, whose.player))
    _tell(s, whose.player, email, subjects.old_address(), told)


def tell_torn(s: Session, whose: Ambiguous, email: Email) -> None:
    """Tell the sender, or, if he is not known, the player who holds all of the seats."""
    player = players.at(s.tx, email.sender) if email.sender else None
    if player is None and whose.player_id is not None:
        player = players.one(s.tx, whose.player_id)
    told = say(
        "Your email named two seats, so it was not read. Send a separate email for each seat, as "
        "a reply to one of its reports."
    )
    if player is not None:
        _tell(s, player, email, subjects.two_seats(), told)


def tell_astray(s: Session, email: Email) -> None:
    """Tell somebody who plays in the match that he wrote to another player's seat."""
    told = say(
        "Your email went to the address of a seat that is not yours, so it was not read. Reply "
        "to the latest email for your own seat."
    )
    if player := players.at(s.tx, email.sender) if email.sender else None:
        _tell(s, player, email, subjects.not_your_seat(), told)


def _tell(s: Session, player: Player, email: Email, subject: Message, told: Message) -> None:
    """Tell a player at his address on file, a few times a day at most."""
    prefix = f"player/{player.id}/two-seats/{s.now:%Y-%m-%d}/"
    number = outbox.count(s.tx, prefix) + 1
    if number > A_DAY_ASTRAY:
        return
    _queue(s, f"{prefix}{number}", player, email, subject, paragraph(told))


def _queue(
    s: Session, key: str, player: Player, email: Email, subject: Message, says: Paragraphs
) -> None:
    """Queue an email to a person and not to a seat: no seat's address is in it."""
    body = {
        "to": player.address,
        "subject": subject,
        "says": says,
        "answers": email.message_id,
    }
    post(s, email_to_player(player, key, body))


def due_to_tell(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if emails named a seat by an address that no key of ours signed."""
    return [DueItem("unsigned")] if clubs.number_of_unsigned(tx) else []


def tell_of_unsigned(s: Session, _key: str) -> Told:
    """Tell the operator, once a day, how many such emails came.

    He is not told for which seats: he may play, and it would say who has sent.
    """
    told = _came_to_dead_addresses(clubs.number_of_unsigned(s.tx))
    if not alert(s, told, "unsigned", once="day"):
        return None
    clubs.forget_unsigned(s.tx)
    return ()


def _came_to_dead_addresses(n: int) -> Message:
    return count(
        "{n} email for a seat came to an address that is not the seat's and never was. It was "
        "not read and not answered: see `adjud mail queue list --status junk`. It may be a slip "
        "or a guess. If players say that they get no replies, the key is not the one that signed "
        "their addresses: restore it from a backup.",
        "{n} emails for seats came to addresses that are not those seats' and never were. They "
        "were not read and not answered: see `adjud mail queue list --status junk`. It may be a "
        "slip or a guess. If players say that they get no replies, the key is not the one that "
        "signed their addresses: restore it from a backup.",
        n,
    )
