"""The operator's queue: emails that came in and emails to go out."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from heapq import merge
from typing import Any

from msgspec import structs

from adjudicator.core.email_kinds import KINDS
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.orders import shown
from adjudicator.service.base import looks
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Refusal, unknown
from adjudicator.service.base.keys import Entry, Which, shown_id
from adjudicator.service.base.loaded_match import load_seats
from adjudicator.store import daily, inbox, matches, outbox
from adjudicator.store.database import Store, Tx
from adjudicator.store.listings import EMAILS_IN, EMAILS_OUT, VEILED, Arrived, Queued

# The statuses of an email that goes out, and of one that came in.
OUT = ("kept", "unconfirmed", "waiting", "sent", "stuck", "bounced", "dropped")
IN = ("received", "duplicate", "junk", "parked", "refused", "accepted", "stuck", "dropped")
STATUSES = tuple(dict.fromkeys((*OUT, *IN)))

UNTOLD = "hidden"  # stands for a status that would tell who reads an email

_TIMES = ("created_at", "next_at", "sent_at", "received_at")
PAGE = 100  # emails that are shown at once
_MOST_SHOWN = 64 * 1024  # characters of an email's text


def what_of(email: Queued) -> str:
    """Return the email's key, without the number of the email that it answers."""
    parts = email.key.split("/")
    if not KINDS[email.kind].answers or parts[0] == "player":
        return email.key
    return "/".join(parts[:2] if parts[0] == "public" else parts[:4])


def moment_of(email: Entry) -> datetime:
    """Return when an email came or was queued."""
    return email.received_at if isinstance(email, Arrived) else email.created_at


def entries(store: Store, statuses: Sequence[str], *, gm: bool = False) -> Iterator[Entry]:
    """Yield all emails by time. With `gm` it includes those that tell who has sent and who has
    not."""
    _check(statuses)
    return _each(store, statuses, discreet=not gm)


def _each(store: Store, statuses: Sequence[str], *, discreet: bool) -> Iterator[Entry]:
    with store.reading() as tx:
        came: Iterator[Entry] = EMAILS_IN.each(tx, statuses, discreet=discreet)
        went: Iterator[Entry] = EMAILS_OUT.each(tx, statuses, discreet=discreet)
        hidden: set[str] = set() if not discreet else matches.hiding_names(tx)
        for email in merge(came, went, key=moment_of):  # at one moment: first what came
            yield _nameless(email, hidden)


def _nameless(email: Entry, hidden: Collection[str]) -> Entry:
    """Return an email without its reader's name, and without what follows from him, if its match
    hides who plays it. One that needs the operator keeps its status."""
    if not isinstance(email, Queued) or email.match not in hidden:
        return email
    if email.seat is None or email.status not in VEILED:
        return structs.replace(email, to=None)
    return structs.replace(email, to=None, status=UNTOLD, tries=0, next_at=None, sent_at=None)


def hides_reader(email: Queued) -> bool:
    """Return whether the reader of an email is not shown, because its match hides who plays it."""
    return email.to is None and email.seat is not None


def newest(
    store: Store, statuses: Sequence[str], page: int, *, gm: bool = False
) -> tuple[list[Entry], bool]:
    """Return a page of emails by time, and whether there are older ones. Page 1 has the newest."""
    _check(statuses)
    most = PAGE * page + 1
    with store.reading() as tx:
        emails: list[Entry] = [
            *EMAILS_IN.emails(tx, statuses, discreet=not gm, newest=most)[::-1],
            *EMAILS_OUT.emails(tx, statuses, discreet=not gm, newest=most)[::-1],
        ]
        hidden: set[str] = set() if gm else matches.hiding_names(tx)
    emails.sort(key=moment_of)
    last = len(emails) - PAGE * (page - 1)
    shown = [_nameless(one, hidden) for one in emails[max(0, last - PAGE) : max(0, last)]]
    return shown, last > PAGE


def _check(statuses: Sequence[str]) -> None:
    for status in statuses:
        if status not in STATUSES:
            text = say("there is no status '{status}'", status=shown(status))
            raise unknown(text, status, STATUSES)


def plain(email: Entry) -> dict[str, Any]:
    """Return an email as scripts read it; times are RFC 3339."""
    value = {**structs.asdict(email), "id": shown_id(email)}
    if isinstance(email, Queued):
        value["key"] = what_of(email)
        del value["name"]
    else:
        del value["spool_name"]
    return {key: rfc3339(value[key]) if key in _TIMES else value[key] for key in value}


def one(
    store: Store, wanted: Which, *, gm: bool = False, noted_at: datetime | None = None
) -> tuple[Entry, str]:
    """Return an email and, with `gm`, what it says.

    With `noted_at` the look is noted for all players of its match, or of every match if it has
    none. What was written to the operator himself is his.
    """
    if noted_at:
        with store.reading() as tx:
            email = _email(tx, wanted, gm=gm)
        if not _is_his_own(email):
            _note(store, email, noted_at)
    with store.reading() as tx:
        email = _email(tx, wanted, gm=gm)
        if not gm:
            return email, ""
        if wanted.came_in:
            return email, _text(inbox.one(tx, email.id))
        return email, outbox.body(tx, email.id)


def _is_his_own(email: Entry) -> bool:
    return isinstance(email, Queued) and email.kind in ("alert", "test")


def _note(store: Store, email: Entry, now: datetime) -> None:
    if not (email.match and email.seat):
        looks.at_email_of_all(store, now)
        return
    with store.transaction() as tx:
        looks.at_email(tx, load_seats(tx, email.match), Seat(email.seat), now)


def _text(came: inbox.IncomingEmail) -> str:
    """Return an email that came, fit for a terminal. One that cannot be read is shown as it is, and
    of one whose bytes are forgotten no more than its envelope."""
    sender, recipient, raw = came.sender, came.recipient, came.raw
    if not raw:
        return f"from: {sender}\nto: {recipient}"
    from adjudicator.mail.read.charset import decode
    from adjudicator.mail.read.email import read

    try:
        email = read(raw)
        texts = email.texts
        subject, said = email.subject, texts.bare if texts.sheet is None else texts.sheet
        sender = email.sender or sender
    except Exception:  # it may be stuck because of this very fault
        subject, said = "", decode(raw)
    head = f"from: {sender}\nto: {recipient}\nsubject: {subject}\n\n"
    lines = (head + said[:_MOST_SHOWN]).split("\n")
    return "\n".join(shown(line, _MOST_SHOWN) if line else "" for line in lines).rstrip("\n")


def retry(store: Store, wanted: Which, *, now: datetime) -> Message:
    """Try a stuck email again; one that was kept or sent never goes out."""
    with store.transaction() as tx:
        email = _email(tx, wanted)
        if email.status not in _again(email):
            raise Refusal(_not_again(wanted, email.status))
        if wanted.came_in:
            inbox.update(tx, email.id, **_AFRESH)
            return say("email {id} will be read at the next tick", id=str(wanted))
        if outbox.is_to_former(tx, email.id):
            told = say(
                "email {id} was for someone who no longer has the seat; it is not sent again",
                id=str(wanted),
            )
            raise Refusal(told)
        _try_again(tx, email, now)
    return say("email {id} will be tried at the next tick", id=str(wanted))


def _try_again(tx: Tx, email: Entry, now: datetime) -> None:
    """Let an email go out again; one that a daily email carries, with that."""
    carrier = daily.carrier_of(tx, email.id)
    if carrier is None:
        daily.let_loose(tx, [email.id])
    again = email.id if carrier is None else carrier
    outbox.update(tx, again, status="waiting", tries=0, bounces=0, next_at=now)
    daily.retry_with(tx, again)


def retry_all(store: Store, *, now: datetime) -> Message:
    """Try all emails again that are stuck or wait.

    Emails that the queue does not show are tried, too, but not counted: their number would tell
    who has sent orders.
    """
    with store.transaction() as tx:
        stuck = EMAILS_IN.emails(tx, ["stuck"])
        for came in stuck:
            inbox.update(tx, came.id, **_AFRESH)
        waiting = EMAILS_OUT.emails(tx, ["stuck", "waiting"])
        again = [email for email in waiting if not outbox.is_to_former(tx, email.id)]
        for email in again:
            outbox.update(tx, email.id, status="waiting", tries=0, next_at=now)
        seen = {email.id for email in EMAILS_OUT.emails(tx, discreet=True)}
        shown_in = {email.id for email in EMAILS_IN.emails(tx, discreet=True)}
    n = len(seen & {email.id for email in again})
    n += len(shown_in & {email.id for email in stuck})
    return count(
        "{n} email in the queue will be tried at the next tick",
        "{n} emails in the queue will be tried at the next tick",
        n,
    )


_AFRESH = {"status": "received", "tries": 0, "faults": 0, "again_at": None, "reason": None}


def _again(email: Entry) -> tuple[str, ...]:
    if isinstance(email, Arrived):
        return ("stuck", "dropped")
    if email.kind == "aside":  # told once: what came back is forgotten
        return ("stuck", "dropped", "waiting")
    return ("stuck", "dropped", "waiting", "bounced")


def _not_again(wanted: Which, status: str) -> Message:
    if wanted.came_in:
        return say("email {id} is {status}; it is not read again", id=str(wanted), status=status)
    return say("email {id} is {status}; it is not sent again", id=str(wanted), status=status)


def drop(store: Store, wanted: Which) -> Message:
    """Never send an email, or never read it; it stays in the list."""
    with store.transaction() as tx:
        email = _email(tx, wanted)
        if email.status not in ("stuck", "waiting", "unconfirmed", "received"):
            raise Refusal(
                say(
                    "email {id} is {status}; nothing to drop",
                    id=str(wanted),
                    status=email.status,
                )
            )
        if wanted.came_in:
            inbox.update(tx, email.id, status="dropped")
        else:
            outbox.update(tx, email.id, status="dropped", next_at=None)
    return say("email {id} is dropped", id=str(wanted))


def _email(tx: Tx, wanted: Which, *, gm: bool = False) -> Entry:
    shown_to_him = EMAILS_IN if wanted.came_in else EMAILS_OUT
    emails: Sequence[Entry] = shown_to_him.emails(tx, discreet=not gm)
    found = next((email for email in emails if shown_id(email) == str(wanted)), None)
    if found is None:
        raise Refusal(say("there is no email {id}", id=str(wanted)))
    return found if gm else _nameless(found, matches.hiding_names(tx))
