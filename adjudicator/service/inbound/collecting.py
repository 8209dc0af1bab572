"""Take emails from the spool into the database, some in a transaction; then delete them in the
spool.

A kill between the two does no harm: the next time an email of that name is in the database already.
"""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from adjudicator.core.message import Message, say
from adjudicator.mail.transport import spool
from adjudicator.mail.transport.spool import Spooled
from adjudicator.service.base import files
from adjudicator.service.base.context import Progress, Refusal
from adjudicator.service.base.jobs import DueItem, Tick, Told, raise_what_stops_all
from adjudicator.service.base.session import OpenClub, Session
from adjudicator.service.outbox.alerts import alert
from adjudicator.store import inbox
from adjudicator.store.database import Clash, Store, Tx

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
        files.claim_spool(club.store, folder)
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
        "received_at": files.received_at(email.envelope, email.raw),
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
