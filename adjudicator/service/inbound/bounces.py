"""Deal with emails of ours that came back (emails, section 6). Nothing here is ever answered.

A person whose address does not accept email (club, 7.8) is not asked for anything: offers to it
expire, and its entries in tournaments are silent until an email comes. For turns, nothing is
different.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct, structs

from adjudicator.core.acts import HeldForReport
from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.core.text import folded_address
from adjudicator.mail.address import (
    BounceAddress,
    MailDomain,
    bounce_address,
    fresh_tag,
    is_bounce_of,
    plain_message_id,
    public_address,
    trial_address,
)
from adjudicator.mail.read.bounces import OWN, fate
from adjudicator.mail.read.email import NAMELESS, Email, signs_of
from adjudicator.mail.transport.errors import BadTransport, Permanent, Temporary
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import Outgoing, compose
from adjudicator.reports.words import words
from adjudicator.service.base.context import Context, OpenClub, Refusal, Session
from adjudicator.service.base.loaded_match import Unreadable, load, load_seats
from adjudicator.service.club.offers import answering, wishes
from adjudicator.service.club.people import address_of
from adjudicator.service.emails.wording import paragraphs
from adjudicator.service.inbound.parsed_email import ParsedEmail
from adjudicator.service.matches import outage
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.service.matches.results import note_hold
from adjudicator.service.outbox.queue import alert
from adjudicator.store import daily, matches, outbox, outgoing, players, tournaments, upkeep
from adjudicator.store.daily import CarriedEmail
from adjudicator.store.database import Store, Tx
from adjudicator.store.outbox import Returned

REMEMBERED = timedelta(days=60)  # a later bounce is nobody's
AGAIN = timedelta(hours=1)  # until the second try

_ASTRAY = "to the address for bounces, but none"


def take_back(
    s: Session, opened: ParsedEmail, to: BounceAddress, *, has_sender: bool, is_orders: bool
) -> str:
    """Note what became of our email; return why what came is set aside.

    `has_sender` says that its envelope names a sender, `is_orders` that a person wrote
    orders to the wrong address.
    """
    assert s.context.post is not None
    email, signs = opened.email, signs_of(opened.received.raw)
    has_sender = has_sender and not signs.has_no_sender
    ours = outbox.by_bounce_tag(s.tx, to.tag, s.now - REMEMBERED)
    if ours is None or not is_bounce_of(s.context.post, to, ours.key, ours.epoch):
        return "a bounce of no email of ours"
    told = email.bounce
    why = (
        f"came back: {(told and told.action) or 'no word'} {(told and told.status) or ''}".rstrip()
    )
    from_reader = _is_from_reader(ours, email)
    match fate(told, signs, from_reader=from_reader, has_sender=has_sender):
        case "failed":
            if ours.status == "sent" and ours.kind == daily.KIND:
                _daily_failed(s.tx, ours, why, s.now)
            elif ours.status == "sent":
                _note_failure(s, ours, why)
            return "a bounce"
        case "unclear" if is_orders:
            return _ASTRAY
        case "unclear":
            if ours.status == "sent":
                outbox.update(s.tx, ours.id, reason=why)
                _ask(s, ours)
            return "an email to the address for bounces that does not say what became of ours"
        case _ if told is None and from_reader:
            return _ASTRAY
        case _:
            outbox.update(s.tx, ours.id, reason=why)
            return "a bounce that is not the last word"


def _is_from_reader(ours: Returned, email: Email) -> bool:
    """Return whether an email is from the address to which ours went."""
    if not ours.address or email.sender is None:
        return False
    return folded_address(ours.address) == folded_address(email.sender)


def _ask(s: Session, ours: Returned) -> None:
    """Tell the game master, once for each email of ours, that it may have come back.

    What came is not quoted: it may hold our email, and the game master may play. Of a reminder, an
    answer or a request to confirm nothing is told, for it would say who has sent orders.
    """
    if ours.kind == daily.KIND:  # one of the reports and notices in it stands for all
        shown = (one for one in daily.contents(s.tx, ours.id) if one.is_shown)
        ours = next((structs.replace(ours, **_as_its_own(one)) for one in shown), ours)
    if (
        not (ours.match and ours.seat)
        or KINDS[ours.kind].depends_on_orders
        or outbox.is_to_former(s.tx, ours.id)
    ):
        return
    loaded = load_seats(s.tx, ours.match)
    told = say(
        "Something came back to the return address of an email to {seat}. It does not say whether "
        "that email arrived, so nothing was sent again. Please ask the player whether they get the "
        "club's emails. If their address is wrong, `adjud player set NAME --address NEW` changes "
        "it.",
        seat=loaded.game.seat_titles[Seat(ours.seat)],
    )
    alert(s, told, ours.key, once="ever", match=loaded.match)


def _as_its_own(one: CarriedEmail) -> dict[str, Any]:
    """Return what an email is called that a daily email carried."""
    return {name: getattr(one, name) for name in ("id", "key", "kind", "match", "seat")}


def _daily_failed(tx: Tx, ours: Returned, why: str, now: datetime) -> Sequence[CarriedEmail]:
    """Note that a daily email failed: what it carried waits again, each by itself (club, 4.4).
    Return that.

    What was for somebody who no longer holds its seat, or is forgotten since it was told, does not.
    """
    daily.hold_matches_of(tx, ours.id)
    carried = daily.contents(tx, ours.id)
    was_told = ours.status == "sent"
    gone = [
        one.id
        for one in carried
        if (one.kind == "aside" and was_told) or outbox.is_to_former(tx, one.id)
    ]
    again = [one for one in carried if one.id not in gone]
    daily.let_loose(tx, gone, status="bounced", next_at=None, reason=why)
    daily.come_back(tx, [one.id for one in again], now + AGAIN, why)
    bounces = ours.bounces + 1
    outbox.update(tx, ours.id, status="bounced", next_at=None, bounces=bounces, reason=why)
    return again


def refuse_daily(tx: Tx, ours: Returned, why: str, *, now: datetime) -> Sequence[Message]:
    """Note that a server refused a daily email for good; return what the operator reads: nothing
    of what his list does not show."""
    return [
        say(
            "{letter} was refused and will be tried once more: {why}",
            letter=one.key,
            why=told_reason(tx, one.match, why),
        )
        for one in _daily_failed(tx, ours, why, now)
        if one.is_shown
    ]


def told_reason(tx: Tx, match: str | None, why: str) -> Message | str:
    """Return why a server did not take an email, as the operator may read it: it names an address,
    so nothing of it where the match hides who plays it (club, 6.4)."""
    if match is None or match not in matches.hiding_names(tx):
        return why
    return say("the answer of the mail server is not shown, because names are hidden")


def refuse(s: Session, ours: Returned, why: str) -> Message:
    """Note that a server refused a report for good; return what the operator reads."""
    _note_failure(s, ours, why)
    told = told_reason(s.tx, ours.match, why)
    if ours.bounces == 0:
        return say(
            "{letter} was refused and will be tried once more: {why}", letter=ours.key, why=told
        )
    return say("{letter} was refused again: {why}", letter=ours.key, why=told)


def _note_failure(s: Session, ours: Returned, why: str) -> None:
    """Note that an email failed.

    If it went to somebody who no longer holds the seat, nobody needs to do anything.
    """
    if wishes.came_back(s.tx, ours.key, s.now):
        return
    goes_again = ours.kind == "report" and ours.bounces == 0
    if not goes_again:
        note_unreachable(s, ours)
    outgoing.hold_match(s.tx, ours.id)
    if outbox.is_to_former(s.tx, ours.id):
        outbox.update(s.tx, ours.id, status="bounced", next_at=None, reason=why)
        return
    if goes_again:
        again = s.now + AGAIN
        outbox.update(
            s.tx, ours.id, status="waiting", tries=0, next_at=again, bounces=1, reason=why
        )
        return
    bounces = ours.bounces + 1
    outbox.update(s.tx, ours.id, status="bounced", next_at=None, bounces=bounces, reason=why)
    if ours.kind == "report" and ours.match and ours.seat:
        _alert(s, ours.match, Seat(ours.seat))


def _alert(s: Session, name: str, seat: Seat) -> None:
    """Tell the game master, and hold the match if its option says so."""
    try:
        loaded = load(s.tx, name)
    except Unreadable as unread:
        outage.lay_aside(s, unread)
        return
    if not loaded.is_opened:
        return  # it has sent no report
    match = loaded.match
    told = say(
        "A report to {seat} came back twice: the address on file does not accept email. `adjud "
        "player set NAME --address NEW` changes it.",
        seat=loaded.game.seat_titles[seat],
    )
    alert(s, told, match=loaded.match)
    matches.update(s.tx, match.id, trouble="a report came back twice; is the address right?")
    if match.options.get("hold_on_bounce") == "true" and match.status == "playing":
        matches.update(s.tx, match.id, status="held", held_at=s.now)
        note_hold(s.tx, match, s.now)
        tell_all(s, load(s.tx, name), "hold", [HeldForReport()])


# Emails by which a club tries its mail.
#
# Some go to itself, to see whether they come home, and some to a person who looks at what his
# server says of them.


class _Ready(Struct, frozen=True):
    sender: str  # of the envelope
    to: str
    raw: bytes


def test_to_ourselves(club: OpenClub) -> Sequence[Message]:
    """Send an email to an address of our own; return what was sent. Raises Refusal.

    If a server's verdict is believed, another email brings a forged verdict with it.
    """
    post = _post(club.context)
    claims = ["", *([club.context.authserv_id] if club.context.authserv_id else [])]
    emails = [(fresh_tag(), claim) for claim in claims]
    with club.store.transaction() as tx:
        upkeep.begin_self_tests(tx, emails, club.now)
    try:
        _hand_over([_home(post, tag, claim, club.now) for tag, claim in emails], club.context)
    except Refusal:
        with club.store.transaction() as tx:
            upkeep.forget_self_tests(tx)
        raise
    return list(_messages_of_test(post, emails))


def is_home(store: Store) -> bool | None:
    """Return whether the email that was sent last to an address of our own has arrived; None while
    it is on its way, and False if it came back."""
    with store.reading() as tx:
        (tried,) = (one for one in upkeep.self_tests(tx) if not one.claims)
    if tried.home_at is not None:
        return True
    return False if tried.found else None


def test_to_somebody(club: OpenClub, address: str) -> Message:
    """Send an email that tells its reader where to look. Raises Refusal."""
    post = _post(club.context)
    to = address_of(address)
    with club.store.reading() as tx:
        known = players.at(tx, to)
    tell = words(known.language if known else "en", "")
    key = f"test/{fresh_tag()}"
    text = paragraphs([tell(message) for message in _to_be_looked_at(post.domain)])
    raw = _compose_test(post, to, tell(subjects.trial()), text, key, club.now)
    _hand_over([_Ready(bounce_address(post, key), to, raw)], club.context)
    return say("a test email to {address} was sent; it says what to look for", address=to)


def note_self_test(tx: Tx, opened: ParsedEmail, tag: str, now: datetime) -> str:
    """Note that an email came to an address of a trial; return why it is set aside."""
    email = opened.email
    if email.automatic != OWN:
        told, signs = email.bounce, signs_of(opened.received.raw)
        if fate(told, signs, from_reader=False, has_sender=True) == "failed":
            upkeep.self_test_bounced(tx, tag, (told and told.status) or "no word why")
            return "a test email that came back"
        return "a test email that came back" if told else "for a test, and no test email"
    forged = (value for value in email.verdicts if _mark(tag) in value)
    upkeep.self_test_arrived(tx, tag, now, next(forged, ""))
    return "a test email that arrived"


def _post(context: Context) -> MailDomain:
    if context.post is None:
        raise Refusal(say("there is no address for incoming email; set mail.domain"))
    if not context.sends_mail or context.open_transport is None:
        raise Refusal(say("no outgoing mail is set up; set mail.out"))
    return context.post


def _home(post: MailDomain, tag: str, claim: str, now: datetime) -> _Ready:
    """Make an email to ourselves. A bounce of it comes to the same address."""
    to = trial_address(post, tag)
    told = say("`adjud mail test` sent this email to see whether it arrives.")
    raw = _compose_test(post, to, str(subjects.trial()), f"{told}\n", f"test/{tag}", now)
    return _Ready(to, to, _forged_verdicts(claim, tag) + raw)


def _forged_verdicts(claim: str, tag: str) -> bytes:
    """Return verdicts as a sender could forge them, in the usual form and in rarer ones (RFC 8601,
    section 2.2).

    A server that only searches for its name at the beginning would miss the rarer ones.
    """
    passed = f"dmarc=pass header.from={_mark(tag)}"
    servers = {"": (), NAMELESS: ("",)}.get(claim, (f"{claim}; ", f"(x) {claim.upper()} 1; "))
    return "".join(f"Authentication-Results: {one}{passed}\r\n" for one in servers).encode()


def _mark(tag: str) -> str:
    """Return a domain that stands in a forged verdict and in no other."""
    return f"{tag}.invalid"


def _compose_test(
    post: MailDomain, to: str, subject: str, text: str, key: str, now: datetime
) -> bytes:
    return compose(
        Outgoing(
            kind="test",
            sender=public_address(post),
            to=to,
            subject=subject,
            text=text,
            date=now,
            message_id=plain_message_id(post, key),
        )
    )


def _hand_over(emails: Sequence[_Ready], context: Context) -> None:
    assert context.open_transport is not None
    try:
        with context.open_transport() as way:
            for one in emails:
                way.deliver(one.sender, one.to, one.raw)
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None
    except (Temporary, Permanent) as trouble:
        raise Refusal(say("the test email was not accepted: {why}", why=str(trouble))) from None


def _messages_of_test(post: MailDomain, emails: Sequence[tuple[str, str]]) -> Iterator[Message]:
    for tag, claim in emails:
        to = trial_address(post, tag)
        if claim:
            yield say(
                "an email to {address} was sent with a forged Authentication-Results", address=to
            )
        else:
            yield say("an email to {address} was sent", address=to)
    yield say("once a tick has read what arrived, `adjud doctor` shows the result")


def _to_be_looked_at(domain: str) -> Sequence[Message]:
    return (
        say(
            "This is a test email from a club that plays games by email. Its game master asks "
            "you to check what your mail server thinks of it."
        ),
        say(
            "Have your mail program show the source of this email. At its top is a line "
            "Authentication-Results, written by your server. Good results are:\n\n  spf=pass    "
            "with smtp.mailfrom of {domain}\n  dkim=pass   with header.d={domain}\n  dmarc=pass  "
            "with header.from={domain}",
            domain=domain,
        ),
        say(
            "The club replies to players without an envelope sender, and then only DKIM matters. "
            "If the line says something else, send the game master what it says. Also say "
            "whether this email was in the spam folder. Replies to it are not read."
        ),
    )


def note_unreachable(s: Session, ours: Returned) -> None:
    """Note that an email of ours came back for good. It concerns those whose address on file is
    still the one to which it went.

    Nothing that others see may follow from an email that depends on who has sent orders.

    This locks rows of the club, so it comes before the email's match is locked.
    """
    if KINDS[ours.kind].depends_on_orders or not ours.address:
        return
    for player in players.all_at(s.tx, ours.address):
        answering.expire_all(s, player.id)
        tournaments.silence(s.tx, player.id, s.now)
