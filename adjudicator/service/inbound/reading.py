"""Read each email that came in, once (emails, section 5).

Theory of operation. An email in the database waits until a tick reads it. The tick first counts a
try, in a transaction of its own. Then one transaction locks the email, reads it, locks the match
that it names, carries out what it asks, queues its one answer and notes its new status. So an email
has done all that it asks, or nothing. What one to a player's own address says of several matches
is done in a transaction for each (`several_matches`).

A fault of ours in an email counts against it; after three the email is stuck, and those behind it
are read all the same. A kill (`kill -9`, no memory, no power) leaves a try that was begun and never
ended. It is counted apart, because the machine's reboots are not the email's fault. After the
first and the second kill the next tick tries again, after the third to fifth the email waits 1, 4
and 16 hours, and after the sixth it is stuck. If the database fails or a file of the program is
missing, the try does not count.

On SQLite one tick reads emails at a time (`store/upkeep`). On PostgreSQL each worker takes the
first email that no other one has locked, with `SKIP LOCKED`, and at the end waits for those that
others still read: what they order must be in force before anything is adjudicated. Between the two
transactions another worker may take the email for one of a killed worker and read it; then it is
read by whoever locks it first, and the other one finds it done.

| status | becomes | when |
|---|---|---|
| received | junk | no person wrote it, or it is not for us |
| received | duplicate | the same email came before; it is answered once more, as things are now |
| received | accepted, refused | it was read and answered |
| received | received | a part of it was carried out, and others wait |
| received | parked | it failed the match's level, or asks for what must be confirmed |
| received | received, later | it killed the program from three to five times |
| received | stuck | three faults of ours, or six kills; the operator and the seat are told |
| received, stuck | dropped | `adjud mail queue drop` |
| stuck, dropped | received | `adjud mail queue retry`: it is tried as if it were new |
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from adjudicator.core.commands import names_match
from adjudicator.core.message import say
from adjudicator.games import GAMES
from adjudicator.mail.address import read_address
from adjudicator.mail.read.email import Email
from adjudicator.resources import Incomplete
from adjudicator.service.base import game_faults, keys
from adjudicator.service.base.context import (
    Context,
    OpenClub,
    Progress,
    Refusal,
    Session,
    fault_of_program,
)
from adjudicator.service.base.jobs import raise_what_stops_all
from adjudicator.service.base.loaded_match import Unreadable
from adjudicator.service.inbound import (
    bounces,
    guest_email,
    personal_email,
    public_email,
    routing,
    seat_email,
    several_matches,
    undecided,
)
from adjudicator.service.inbound.parsed_email import ParsedEmail, parse_email
from adjudicator.service.inbound.routing import (
    Ambiguous,
    BadSignature,
    NoRecipient,
    OwnSelfTest,
    Recipient,
    ReturnedEmail,
    StaleTenure,
    ToGuest,
    ToOldAddress,
    ToPerson,
    ToPublic,
    ToSeat,
    ToUnreadable,
    recipient_of,
)
from adjudicator.service.matches.sheet_parsing import would_read_as_orders
from adjudicator.store import clubs, inbox, players
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.inbox import IncomingEmail

# Read one email, in the transaction that carries it out: whose it is, and what becomes of it.
#
# `CHAIN` is the whole policy: the first row that fits an email says what is done with it.
#
# The operator is told of what is junk, stuck or put off, and never that a seat has written, for he
# may play against it.


Told: TypeAlias = Sequence[Progress]


def read_email(s: Session, opened: ParsedEmail) -> Told | None:
    """Do what an email asks, once it is locked, and note its new status; return what the operator
    is told, None if parts of it wait, each for a transaction of its own."""
    assert s.context.post is not None
    whose = recipient_of(s.tx, s.context.post, opened)
    row = next(row for row in CHAIN if row.fits(s, opened, whose))
    return row.act(s, opened, whose)


def _close(s: Session, opened: ParsedEmail, status: str, reason: str) -> Told:
    inbox.update(s.tx, opened.id, status=status, reason=reason)
    return [Progress(say("an email: {reason}", reason=reason))] if status == "junk" else []


def _is_anothers(s: Session, opened: ParsedEmail, whose: ToSeat) -> bool:
    """Return whether the sender plays in this match, but not this seat.

    Then nothing is parked for the seat or shown to its holder (section 2).
    """
    held = {
        seat
        for seat, holder in whose.loaded.holders.items()
        if seat_email.is_from(holder, opened.email)
    }
    return bool(held) and whose.seat not in held


def _is_nobodys(s: Session, opened: ParsedEmail, _whose: object) -> bool:
    return _why_nobodys(s, opened) is not None


def _why_nobodys(s: Session, opened: ParsedEmail) -> str | None:
    """Return why no person wrote the email (section 5); None if one may have."""
    email = opened.email
    if email.automatic:
        return email.automatic
    if email.note and not _says_something(opened):
        return email.note
    if _is_ours(s.context, email):
        return "our own"
    return "no envelope sender" if _has_no_sender(opened.received) else None


def _says_something(opened: ParsedEmail) -> bool:
    """Return whether there are orders or commands of the sender's own in an email: a sheet that is
    filled in counts in a quote, too, but not below a reaction, whose program quotes by itself."""
    content, texts = opened.content, opened.email.texts
    edited = texts.has_filled and opened.email.note != "a reaction"
    own = content.reading.sheets if edited or not texts.quoted else ()
    if own or content.commands or content.presses or content.jottings or content.codes_alone:
        return True
    said = (*content.prose, *content.unread)
    return bool(content.misspelt) or any(would_read_as_orders(said, GAMES.values()))


def _is_ours(context: Context, email: Email) -> bool:
    """Return whether the email is from an address of ours.

    A player may well have another address of our domain.
    """
    assert context.post is not None
    return email.sender is not None and read_address(context.post, email.sender) is not None


def _has_no_sender(received: IncomingEmail) -> bool:
    """Return whether the envelope's sender is empty, as of bounces (RFC 5321, section 4.5.5).

    A pipe may say so with a word; if it says nothing, nothing is known.
    """
    if received.channel == "lmtp" and not received.sender:
        return True
    return received.sender.upper() in ("<>", "MAILER-DAEMON")


def _take_back(s: Session, opened: ParsedEmail, whose: ReturnedEmail) -> Told:
    """Note that an email of ours came back; a person's words beside it are answered."""
    if is_persons := opened.email.bounce is None and not _why_nobodys(s, opened):
        public_email.tell_astray(s, opened)
    reason = bounces.take_back(
        s,
        opened,
        whose.bounce,
        has_sender=not _has_no_sender(opened.received),
        is_orders=is_persons and opened.holds_orders,
    )
    return _close(s, opened, "junk", reason)


def _end_test(s: Session, opened: ParsedEmail, whose: OwnSelfTest) -> Told:
    reason = bounces.note_self_test(s.tx, opened, whose.tag, s.now)
    return _close(s, opened, "junk", reason)


def _ignore(s: Session, opened: ParsedEmail, _whose: object) -> Told:
    return _close(s, opened, "junk", _why_nobodys(s, opened) or "")


def _refuse_other_holder(s: Session, opened: ParsedEmail, whose: ToSeat) -> Told:
    routing.tell_astray(s, opened.email)
    return _close(s, opened, "refused", "from the holder of another seat")


def _answer_seat(s: Session, opened: ParsedEmail, whose: ToSeat) -> Told:
    seat_email.read_for_seat(s, opened, whose)
    return []


def _has_no_position(s: Session, opened: ParsedEmail, whose: ToSeat) -> bool:
    return not whose.loaded.is_opened


def _answer_early(s: Session, opened: ParsedEmail, whose: ToSeat) -> Told:
    undecided.answer(s, opened, whose)
    return _close(s, opened, "refused", "its match has not opened")


def _keep(s: Session, opened: ParsedEmail, whose: ToUnreadable) -> Told:
    return undecided.keep_undecided(s, opened, whose)


def _refuse_former(s: Session, opened: ParsedEmail, whose: StaleTenure) -> Told:
    routing.tell_former(s, whose, opened.email)
    return _close(s, opened, "refused", "for a tenure that has ended")


def _answer_person(s: Session, opened: ParsedEmail, whose: ToPerson) -> Told | None:
    return [] if personal_email.read_for_person(s, opened, whose.player) else None


def _is_of_several(s: Session, opened: ParsedEmail, whose: ToSeat) -> bool:
    """Return whether the holder of a seat has sent an email to its address that names other
    matches; it is read as if it had come to his own (club, 4.1)."""
    if not whose.authorised:
        return False
    is_known = seat_email.is_from(whose.loaded.holders[whose.seat], opened.email)
    return is_known and names_match(opened.content.commands, whose.loaded.match.name)


def _answer_holder(s: Session, opened: ParsedEmail, whose: ToSeat) -> Told | None:
    player_id, match = whose.loaded.holders[whose.seat].player_id, whose.loaded.match.name
    assert player_id is not None
    player = players.one(s.tx, player_id)
    return [] if personal_email.read_for_person(s, opened, player, match=match) else None


def _refuse_old_address(s: Session, opened: ParsedEmail, whose: ToOldAddress) -> Told:
    routing.tell_of_own_address(s, whose, opened.email)
    return _close(s, opened, "refused", "for a personal address that is old")


def _refuse_torn(s: Session, opened: ParsedEmail, whose: Ambiguous) -> Told:
    routing.tell_torn(s, whose, opened.email)
    return _close(s, opened, "refused", "names two seats")


def _answer_guest(s: Session, opened: ParsedEmail, whose: ToGuest) -> Told:
    return _close(s, opened, *guest_email.read(s, opened, whose.guest))


def _answer_anybody(s: Session, opened: ParsedEmail, _whose: ToPublic) -> Told:
    return _close(s, opened, *public_email.answer(s, opened))


def _pass_over_unsigned(s: Session, opened: ParsedEmail, _whose: BadSignature) -> Told:
    clubs.count_unsigned(s.tx)
    return _tell_astray(s, opened, "for a seat, and not to its address")


def _pass_over(s: Session, opened: ParsedEmail, _whose: NoRecipient) -> Told:
    return _tell_astray(s, opened, "not for a seat")


def _tell_astray(s: Session, opened: ParsedEmail, reason: str) -> Told:
    public_email.tell_astray(s, opened)
    return _close(s, opened, "junk", reason)


W = TypeVar("W")


class Row(Struct, frozen=True):
    """A kind of email: whether one is of that kind, and what is to be done with it then."""

    kind: str
    fits: Callable[[Session, ParsedEmail, Recipient], bool]
    act: Callable[[Session, ParsedEmail, Any], Told | None]


def _row(
    kind: str,
    meant: type[W],
    act: Callable[[Session, ParsedEmail, W], Told | None],
    fits: Callable[[Session, ParsedEmail, W], bool] = lambda s, opened, whose: True,
) -> Row:
    return Row(
        kind,
        lambda s, opened, whose: isinstance(whose, meant) and fits(s, opened, whose),
        act,
    )


CHAIN: Sequence[Row] = (
    _row("an email of ours that came back", ReturnedEmail, _take_back),
    _row("a test email of ours", OwnSelfTest, _end_test),
    _row("written by no person", object, _ignore, _is_nobodys),
    _row("to a seat, from another one's holder", ToSeat, _refuse_other_holder, _is_anothers),
    _row("to a seat, about several matches", ToSeat, _answer_holder, _is_of_several),
    _row("to a seat of a match without a position", ToSeat, _answer_early, _has_no_position),
    _row("to a seat", ToSeat, _answer_seat),
    _row("to a seat of a match that cannot be read", ToUnreadable, _keep),
    _row("to a seat that somebody else has taken over", StaleTenure, _refuse_former),
    _row("to a personal address", ToPerson, _answer_person),
    _row("to an old personal address", ToOldAddress, _refuse_old_address),
    _row("to a friend's address", ToGuest, _answer_guest),
    _row("to two seats", Ambiguous, _refuse_torn),
    _row("to the public address", ToPublic, _answer_anybody),
    _row("for a seat, and not to its address", BadSignature, _pass_over_unsigned),
    _row("for nobody", NoRecipient, _pass_over),
)


TRIES = 3  # faults of ours after which an email is stuck
PASSES = 3  # in which an email is tried that clashes with other workers
# How long an email waits after 0, 1, 2... kills; after more of them a human must look at it.
WAITS = tuple(timedelta(hours=hours) for hours in (0, 0, 0, 1, 4, 16))


def read_all(club: OpenClub) -> Iterator[Told]:
    """Read every email that nobody has looked at, and yield what is told of each. One bad email
    never stops the others.

    Raises Refusal if emails stay unread because the program broke down, and Clash if one clashes
    with other workers again and again: orders may be in them, so nothing may be adjudicated past
    them.
    """
    for _ in range(PASSES):
        passed: dict[int, Clash | Incomplete] = {}  # why an email waits, and those behind it
        while one := _begin_next(club.store, club.now, passed):
            try:
                yield _go_on(club, one)
            except (Clash, Incomplete) as trouble:
                passed[one.id] = trouble
        if not any(isinstance(why, Clash) for why in passed.values()):
            break
    if passed:
        raise _why_nothing_passes(next(iter(passed.values())))


def _why_nothing_passes(why: Clash | Incomplete) -> Clash | Refusal:
    """Return why nothing may be done past an email that could not be read."""
    if isinstance(why, Clash):
        return why
    return Refusal(
        say(
            "emails cannot be read: {why}; nothing is adjudicated or decided until they can be",
            why=why.message,
        )
    )


def _begin_next(store: Store, now: datetime, passed: Collection[int]) -> IncomingEmail | None:
    """Return the next email; if it is to be read now, its try is counted.

    It is counted before it is made, so that an email that kills us is not tried for ever.
    """
    while True:
        with store.reading() as tx:
            if not inbox.is_any_unread(tx, now, passed):
                return None
        with store.transaction() as tx:
            one = inbox.next_unread(tx, now, passed)
            if one is None:
                inbox.wait_for_another(tx, now, passed)
                continue
            if _is_to_read(one):
                inbox.count_try(tx, one.id)
            return one


def _is_to_read(one: IncomingEmail) -> bool:
    """Return whether enough time has passed since the program was killed over the email."""
    return one.kills < len(WAITS) and not (WAITS[one.kills] and one.again_at is None)


def _go_on(club: OpenClub, one: IncomingEmail) -> Told:
    if _is_to_read(one):
        return _try(club, one.id)
    if one.kills < len(WAITS):
        return _put_off(club, one)
    return _give_up(club, one.id, "adjud ended while it read it")


def _try(club: OpenClub, letter_id: int) -> Told:
    """Read an email; the try is counted already. After a fault of ours it is the next one again.

    The parts of one about several matches are read in a transaction each (`several_matches`).
    """
    opened: ParsedEmail | None = None
    told: Told | None = None
    try:
        while told is None:
            with club.session() as s:
                received = inbox.take(s.tx, letter_id)
                if received is None:
                    return []
                opened = opened or parse_email(received, club.context.post)
                told = read_email(s, opened)
    except StoreTrouble:
        _uncount(club.store, letter_id)
        raise
    except Unreadable as unread:
        return _withhold(club, letter_id, unread)
    except Exception as fault:
        raise_what_stops_all(fault, club.context)
        if missing := fault_of_program(fault):
            _uncount(club.store, letter_id)
            raise missing from fault
        reason = f"a fault inside {game_faults.whose(fault)}"
    else:
        return told
    with club.store.transaction() as tx:
        faults = inbox.count_fault(tx, letter_id)
    return _give_up(club, letter_id, reason) if faults >= TRIES else []


def _withhold(club: OpenClub, letter_id: int, unread: Unreadable) -> Told:
    """Keep an email at which its match turned out not to be readable."""
    assert club.context.post is not None
    with club.session() as s:
        received = inbox.take(s.tx, letter_id)
        if received is None:
            return []
        if several_matches.set_aside(s, letter_id, unread):
            return []  # its other parts are read when its turn comes again
        opened = parse_email(received, club.context.post)
        whose = recipient_of(s.tx, club.context.post, opened)
        if isinstance(whose, ToSeat):
            holder = whose.loaded.holders[whose.seat]
            whose = ToUnreadable(unread, whose.seat, holder.player_id)
        if not isinstance(whose, ToUnreadable):
            whose = ToUnreadable(unread, "", None)
        return undecided.keep_undecided(s, opened, whose)


def _uncount(store: Store, letter_id: int) -> None:
    """Take back the count of a try, because the email was not at fault."""
    with suppress(StoreTrouble), store.transaction() as tx:
        inbox.uncount_try(tx, letter_id)


def _give_up(club: OpenClub, letter_id: int, reason: str) -> Told:
    """Put an email aside for a human, and tell the operator and the seat.

    The seat is told when the email is stuck already: to find the seat we look into the email once
    more.
    """
    with club.session() as s:
        if inbox.take(s.tx, letter_id) is None:
            return []  # another worker's last try has come to an end
        if several_matches.set_aside(s, letter_id, None):
            return []  # its other parts are read when its turn comes again
        inbox.update(s.tx, letter_id, status="stuck", reason=reason, again_at=None)
        undecided.warn(s, undecided.STUCK)
        stuck = keys.shown_id_of_arrived(s.tx, letter_id)
        told = say("email {id} is stuck; see `adjud mail queue list`", id=stuck)
    undecided.tell_sender(club, letter_id, undecided.STUCK)
    return [Progress(told, urgent=True)]


def _put_off(club: OpenClub, one: IncomingEmail) -> Told:
    """Put an email off until later, and tell the operator and then the seat, as `_give_up` does."""
    with club.session() as s:
        if inbox.take(s.tx, one.id) is None:
            return []  # another worker has come to an end with it
        inbox.update(s.tx, one.id, again_at=club.now + WAITS[one.kills])
        undecided.warn(s, undecided.LATER)
    undecided.tell_sender(club, one.id, undecided.LATER)
    told = say("an email will be read later: adjud was stopped {n} times", n=one.kills)
    return [Progress(told)]
