"""Take emails into the spool, from a mailbox or from our own mail server by LMTP; and from the
spool into the database, some in a transaction, after which they are deleted in the spool.

A kill between the two does no harm: the next time an email of that name is in the database already.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from adjudicator.core.message import Message, count, say
from adjudicator.mail.address import MailDomain
from adjudicator.mail.read.email import arrival_time
from adjudicator.mail.transport import fetch as ways_in
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.errors import BadTransport, Temporary
from adjudicator.mail.transport.fetch import Keep, Skip
from adjudicator.mail.transport.lmtp import serve_lmtp
from adjudicator.mail.transport.spool import Spooled
from adjudicator.service.base.context import (
    Context,
    OpenClub,
    Progress,
    Refusal,
    Session,
    claim_spool,
)
from adjudicator.service.base.jobs import DueItem, Tick, Told, raise_what_stops_all
from adjudicator.service.inbound.routing import is_ours
from adjudicator.service.outbox.queue import alert
from adjudicator.store import inbox
from adjudicator.store.database import Clash, Store, StoreTrouble, Tx, open_store

_SOME = 16  # emails that are taken in one transaction


def collect(club: OpenClub, folder: Path) -> Iterator[Progress]:
    """Take the emails in the spool; yield what could not be taken, which never stops the
    others."""
    if wrong := spool.no_folder(folder):
        told = say("spool: {path} is not a folder, so no email can be received", path=str(wrong))
        yield Progress(_warn(club, told), urgent=True, failed=True)
        return
    if not folder.is_dir():
        return
    try:
        claim_spool(club.store, folder)
    except Refusal as refusal:
        told = _warn(club, refusal.messages[0])
        yield Progress(told, urgent=True, failed=True)
        return
    spool.remove_unfinished(folder, club.now.timestamp())
    names = spool.names(folder)
    for first in range(0, len(names), _SOME):
        some = names[first : first + _SOME]
        try:
            _take(club.store, folder, some)
        except Exception:  # which of them it is shows by itself
            for told in _one_by_one(club, folder, some):
                yield Progress(told, urgent=True)


def _one_by_one(club: OpenClub, folder: Path, names: Sequence[str]) -> Iterator[Message]:
    for name in names:
        try:
            _take(club.store, folder, [name])
        except Clash:
            continue  # the next tick takes it
        except OSError:
            yield from _warn_of_day(club, _unreadable(folder))
        except Exception as fault:
            if not isinstance(fault, spool.NoEmail):
                raise_what_stops_all(fault, club.context)
            try:
                spool.put_aside(folder, name)
            except OSError:  # it stays where it is
                yield from _warn_of_day(club, _unreadable(folder))
            else:
                yield _warn(club, _put_aside(folder))


def _take(store: Store, folder: Path, names: Sequence[str]) -> None:
    emails = [email for name in names if (email := spool.read(folder, name)) is not None]
    if not emails:
        return
    with store.transaction() as tx:
        inbox.insert(tx, [_row_of(email) for email in emails])
    for email in emails:
        spool.remove(folder, email.name)


def _row_of(email: Spooled) -> Mapping[str, Any]:
    return {
        "spool_name": email.name,
        "sha256": sha256(email.raw).hexdigest(),
        "received_at": spool.arrival_time(email.envelope, email.raw),
        "sender": email.envelope.sender,
        "recipient": email.envelope.recipient,
        "channel": email.envelope.channel,
        "length": email.envelope.length,
        "raw": email.raw,
    }


def _unreadable(folder: Path) -> Message:
    return say(
        "An email in {path} cannot be read from the disk. It stays there, and every tick tries "
        "it again. Check its owner and mode.",
        path=str(folder / "new"),
    )


def _put_aside(folder: Path) -> Message:
    return say(
        "Something in the spool could not be read as an email. It was moved to {path}. If it is "
        "an email, move it back to {new}, and the next tick tries it again.",
        path=str(folder / "bad"),
        new=str(folder / "new"),
    )


def _warn_of_day(club: OpenClub, told: Message) -> Iterator[Message]:
    """Tell the operator of what stays, not at every tick."""
    with club.session() as s:
        first = alert(s, told, "unreadable", once="day")
    if first:
        yield told


def _warn(club: OpenClub, told: Message) -> Message:
    with club.session() as s:
        alert(s, told, "spool", once="day")
    return told


def old_bytes(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if there are bytes of emails that came long ago."""
    return [DueItem("bytes")] if inbox.has_old_bytes(tx, tick.now - inbox.REMEMBERED) else []


def forget_bytes(s: Session, _key: str) -> Told:
    """Delete the bytes of emails that came so long ago that nobody asks for them any more."""
    inbox.forget_bytes(s.tx, s.now - inbox.REMEMBERED)
    return ()


# Seconds before a mailbox that cannot be reached is tried again, longer each time.
BACK_OFF = (5, 15, 60, 300)
LOOK = 10  # seconds between looks at a mailbox on disk, which cannot tell of a new email

Sleep = Callable[[float], object]
Tell = Callable[[str, Message], object]  # takes the place of an entry that cannot be read, and why


def fetch_mailbox(source: str, folder: Path, password: str | None, tell: Tell | None = None) -> int:
    """Take the emails from `maildir:PATH`, `mbox:PATH` or an IMAP URL; return how many there
    were. Entries that cannot be read are told, and stay."""
    try:
        return _look(source, _keeper(source, folder), _skipper(tell), password)
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None
    except Temporary as trouble:
        raise Refusal(say("not now: {why}", why=str(trouble))) from None


def _skipper(tell: Tell | None) -> Skip:
    def skip(place: str, why: str) -> None:
        told = say(
            "An entry of the mailbox cannot be read as an email: {place} ({why}). It stays "
            "there, and all other emails are fetched. Please look at it: it may contain a "
            "player's orders.",
            place=place,
            why=why,
        )
        if tell is not None:
            tell(place, told)

    return skip


def warn_of_skipped(club: OpenClub, place: str, told: Message) -> bool:
    """Tell the operator of an entry that cannot be read; return whether this is the first time."""
    about = sha256(place.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    with club.session() as s:
        return alert(s, told, f"mailbox/{about}", once="ever")


def fetched_message(taken: int) -> Message:
    return count("{n} email fetched", "{n} emails fetched", taken)


def watch_mailbox(
    source: str, folder: Path, password: str | None, sleep: Sleep
) -> Iterator[Message]:
    """Fetch for as long as the caller asks; yield a line for each batch and for each trouble.

    After a trouble the mailbox is opened anew.
    """
    skipped: dict[str, Message] = {}
    shown: set[str] = set()
    keep, skip, failures = _keeper(source, folder), _skipper(skipped.setdefault), 0
    while True:
        try:
            for taken in _looks(source, keep, skip, password, sleep):
                failures = 0
                yield from (told for place, told in skipped.items() if place not in shown)
                shown.update(skipped)
                if taken:
                    yield fetched_message(taken)
        except BadTransport as trouble:
            raise Refusal(trouble.message) from None
        except (Temporary, OSError) as trouble:
            seconds = BACK_OFF[min(failures, len(BACK_OFF) - 1)]
            failures += 1
            yield say("not now: {why}; trying again in {n} seconds", why=str(trouble), n=seconds)
            sleep(seconds)


def _keeper(source: str, folder: Path) -> Keep:
    channel = source.partition(":")[0]

    def keep(raw: bytes) -> None:
        # An email that reached the mailbox before the deadline is in time, however late we look.
        taken = arrival_time(raw)
        spool.put(
            folder,
            BytesIO(raw),
            sender="",
            recipient="",
            channel=channel,
            received_at=taken.timestamp() if taken else None,
        )

    return keep


def _look(source: str, keep: Keep, skip: Skip, password: str | None) -> int:
    scheme, _, path = source.partition(":")
    if scheme == "maildir":
        return ways_in.fetch_maildir(Path(path), keep, skip)
    if scheme == "mbox":
        return ways_in.fetch_mbox(Path(path), keep, skip)
    return ways_in.fetch_imap(source, password, keep, skip)


def _looks(
    source: str, keep: Keep, skip: Skip, password: str | None, sleep: Sleep
) -> Iterator[int]:
    if source.partition(":")[0] not in ("maildir", "mbox"):
        yield from ways_in.watch_imap(source, password, keep, skip)
    while True:
        yield _look(source, keep, skip, password)
        sleep(LOOK)


# Take emails into the spool that our own mail server hands on by LMTP.


Report = Callable[[Message], object]


@contextmanager
def serve_by_lmtp(
    store: Store, context: Context, host: str, port: int, tell: Report
) -> Iterator[None]:
    """Take emails while the block runs.

    Whoever writes to an address that is nobody's is refused before he has sent anything (RFC 2033).
    `tell` is told of emails that could not be stored.
    """
    post, folder = context.post, context.spool
    if post is None or folder is None:
        raise Refusal(say("there is no address for incoming email; set mail.domain"))
    claim_spool(store, folder)
    try:
        with serve_lmtp(
            host,
            port,
            lambda sender, recipient, raw: _keep(folder, sender, recipient, raw),
            lambda recipient: _is_address_of_club(store, post, recipient),
            failed=lambda trouble: tell(say("not stored: {why}", why=_why(trouble))),
        ):
            yield
    except BadTransport as trouble:
        raise Refusal(trouble.message) from None


def _keep(folder: Path, sender: str, recipient: str, raw: bytes) -> None:
    spool.put(folder, BytesIO(raw), sender=sender, recipient=recipient, channel="lmtp")


def _is_address_of_club(store: Store, post: MailDomain, recipient: str) -> bool:
    """Return whether the club has that address.

    Nobody is refused for good until the database was opened anew: since we opened it, the club may
    have been moved away, or restored to another file, and has made addresses there. Raises
    StoreTrouble if it cannot be asked; then the mail server keeps the email.
    """
    with store.reading() as tx:
        if is_ours(tx, post, recipient):
            return True
    with (
        closing(open_store(store.engine.url.render_as_string(hide_password=False))) as anew,
        anew.reading() as tx,
    ):
        return is_ours(tx, post, recipient)


def _why(trouble: Exception) -> Message | str:
    """Return the kind of trouble, and nothing that an email could have put there."""
    if isinstance(trouble, StoreTrouble):
        return trouble.message
    return (trouble.strerror if isinstance(trouble, OSError) else None) or type(trouble).__name__
