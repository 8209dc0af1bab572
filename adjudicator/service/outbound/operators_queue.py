"""The operator's queue: letters that came in and letters to go out."""

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
from adjudicator.service.base.loaded_match import seated
from adjudicator.store import daily, inbox, matches, outbox
from adjudicator.store.database import Store, Tx
from adjudicator.store.listings import LETTERS_IN, LETTERS_OUT, VEILED, Arrived, Queued

# The statuses of a letter that goes out, and of one that came in.
OUT = ("kept", "unconfirmed", "waiting", "sent", "stuck", "bounced", "dropped")
IN = ("received", "duplicate", "junk", "parked", "refused", "accepted", "stuck", "dropped")
STATUSES = tuple(dict.fromkeys((*OUT, *IN)))

UNTOLD = "hidden"  # stands for a status that would tell who reads a letter

_TIMES = ("created_at", "next_at", "sent_at", "received_at")
PAGE = 100  # letters that are shown at once
_MOST_SHOWN = 64 * 1024  # characters of a letter's text


def what_of(letter: Queued) -> str:
    """Return the letter's key, without the number of the letter that it answers."""
    parts = letter.key.split("/")
    if not KINDS[letter.kind].answers or parts[0] == "player":
        return letter.key
    return "/".join(parts[:2] if parts[0] == "public" else parts[:4])


def moment_of(letter: Entry) -> datetime:
    """Return when a letter came or was queued."""
    return letter.received_at if isinstance(letter, Arrived) else letter.created_at


def listed(store: Store, statuses: Sequence[str], *, gm: bool = False) -> Iterator[Entry]:
    """Yield all letters by time. With `gm` it includes those that tell who has sent and who has
    not."""
    _check(statuses)
    return _each(store, statuses, discreet=not gm)


def _each(store: Store, statuses: Sequence[str], *, discreet: bool) -> Iterator[Entry]:
    with store.reading() as tx:
        came: Iterator[Entry] = LETTERS_IN.each(tx, statuses, discreet=discreet)
        went: Iterator[Entry] = LETTERS_OUT.each(tx, statuses, discreet=discreet)
        hidden: set[str] = set() if not discreet else matches.hiding_names(tx)
        for letter in merge(came, went, key=moment_of):  # at one moment: first what came
            yield _nameless(letter, hidden)


def _nameless(letter: Entry, hidden: Collection[str]) -> Entry:
    """Return a letter without its reader's name, and without what follows from him, if its match
    hides who plays it. One that needs the operator keeps its status."""
    if not isinstance(letter, Queued) or letter.match not in hidden:
        return letter
    if letter.seat is None or letter.status not in VEILED:
        return structs.replace(letter, to=None)
    return structs.replace(letter, to=None, status=UNTOLD, tries=0, next_at=None, sent_at=None)


def hides_reader(letter: Queued) -> bool:
    """Return whether the reader of a letter is not shown, because its match hides who plays it."""
    return letter.to is None and letter.seat is not None


def newest(
    store: Store, statuses: Sequence[str], page: int, *, gm: bool = False
) -> tuple[list[Entry], bool]:
    """Return a page of letters by time, and whether there are older ones. Page 1 has the newest."""
    _check(statuses)
    most = PAGE * page + 1
    with store.reading() as tx:
        letters: list[Entry] = [
            *LETTERS_IN.listed(tx, statuses, discreet=not gm, newest=most)[::-1],
            *LETTERS_OUT.listed(tx, statuses, discreet=not gm, newest=most)[::-1],
        ]
        hidden: set[str] = set() if gm else matches.hiding_names(tx)
    letters.sort(key=moment_of)
    last = len(letters) - PAGE * (page - 1)
    shown = [_nameless(one, hidden) for one in letters[max(0, last - PAGE) : max(0, last)]]
    return shown, last > PAGE


def _check(statuses: Sequence[str]) -> None:
    for status in statuses:
        if status not in STATUSES:
            text = say("there is no status '{status}'", status=shown(status))
            raise unknown(text, status, STATUSES)


def plain(letter: Entry) -> dict[str, Any]:
    """Return a letter as scripts read it; times are RFC 3339."""
    value = {**structs.asdict(letter), "id": shown_id(letter)}
    if isinstance(letter, Queued):
        value["key"] = what_of(letter)
        del value["name"]
    else:
        del value["spool_name"]
    return {key: rfc3339(value[key]) if key in _TIMES else value[key] for key in value}


def one(
    store: Store, wanted: Which, *, gm: bool = False, noted_at: datetime | None = None
) -> tuple[Entry, str]:
    """Return a letter and, with `gm`, what it says.

    With `noted_at` the look is noted for all players of its match, or of every match if it has
    none. What was written to the operator himself is his.
    """
    if noted_at:
        with store.reading() as tx:
            letter = _letter(tx, wanted, gm=gm)
        if not _is_his_own(letter):
            _note(store, letter, noted_at)
    with store.reading() as tx:
        letter = _letter(tx, wanted, gm=gm)
        if not gm:
            return letter, ""
        if wanted.came_in:
            return letter, _text(inbox.envelope(tx, letter.id))
        return letter, outbox.body(tx, letter.id)


def _is_his_own(letter: Entry) -> bool:
    return isinstance(letter, Queued) and letter.kind in ("alert", "test")


def _note(store: Store, letter: Entry, now: datetime) -> None:
    if not (letter.match and letter.seat):
        looks.at_email_of_all(store, now)
        return
    with store.transaction() as tx:
        looks.at_email(tx, seated(tx, letter.match), Seat(letter.seat), now)


def _text(envelope: inbox.StoredEnvelope) -> str:
    """Return a letter that came, fit for a terminal. One that cannot be read is shown as it is, and
    of one whose bytes are forgotten no more than its envelope."""
    sender, recipient, raw = envelope.sender, envelope.recipient, envelope.raw
    if not raw:
        return f"from: {sender}\nto: {recipient}"
    from adjudicator.mail.read.charset import decode
    from adjudicator.mail.read.letter import read

    try:
        letter = read(raw)
        texts = letter.texts
        subject, said = letter.subject, texts.bare if texts.sheet is None else texts.sheet
        sender = letter.sender or sender
    except Exception:  # it may be stuck because of this very fault
        subject, said = "", decode(raw)
    head = f"from: {sender}\nto: {recipient}\nsubject: {subject}\n\n"
    lines = (head + said[:_MOST_SHOWN]).split("\n")
    return "\n".join(shown(line, _MOST_SHOWN) if line else "" for line in lines).rstrip("\n")


def retry(store: Store, wanted: Which, *, now: datetime) -> Message:
    """Try a stuck letter again; one that was kept or sent never goes out."""
    with store.transaction() as tx:
        letter = _letter(tx, wanted)
        if letter.status not in _again(letter):
            raise Refusal(_not_again(wanted, letter.status))
        if wanted.came_in:
            inbox.update(tx, letter.id, **_AFRESH)
            return say("email {id} will be read at the next tick", id=str(wanted))
        if outbox.is_to_former(tx, letter.id):
            told = say(
                "email {id} was for someone who no longer has the seat; it is not sent again",
                id=str(wanted),
            )
            raise Refusal(told)
        _try_again(tx, letter, now)
    return say("email {id} will be tried at the next tick", id=str(wanted))


def _try_again(tx: Tx, letter: Entry, now: datetime) -> None:
    """Let a letter go out again; one that a daily letter carries, with that."""
    carrier = daily.carrier_of(tx, letter.id)
    if carrier is None:
        daily.let_loose(tx, [letter.id])
    again = letter.id if carrier is None else carrier
    outbox.update(tx, again, status="waiting", tries=0, bounces=0, next_at=now)
    daily.retry_with(tx, again)


def retry_all(store: Store, *, now: datetime) -> Message:
    """Try all letters again that are stuck or wait.

    Letters that the queue does not show are tried, too, but not counted: their number would tell
    who has sent orders.
    """
    with store.transaction() as tx:
        stuck = LETTERS_IN.listed(tx, ["stuck"])
        for came in stuck:
            inbox.update(tx, came.id, **_AFRESH)
        waiting = LETTERS_OUT.listed(tx, ["stuck", "waiting"])
        again = [letter for letter in waiting if not outbox.is_to_former(tx, letter.id)]
        for letter in again:
            outbox.update(tx, letter.id, status="waiting", tries=0, next_at=now)
        seen = {letter.id for letter in LETTERS_OUT.listed(tx, discreet=True)}
        shown_in = {letter.id for letter in LETTERS_IN.listed(tx, discreet=True)}
    n = len(seen & {letter.id for letter in again})
    n += len(shown_in & {letter.id for letter in stuck})
    return count(
        "{n} email in the queue will be tried at the next tick",
        "{n} emails in the queue will be tried at the next tick",
        n,
    )


_AFRESH = {"status": "received", "tries": 0, "faults": 0, "again_at": None, "reason": None}


def _again(letter: Entry) -> tuple[str, ...]:
    if isinstance(letter, Arrived):
        return ("stuck", "dropped")
    if letter.kind == "aside":  # told once: what came back is forgotten
        return ("stuck", "dropped", "waiting")
    return ("stuck", "dropped", "waiting", "bounced")


def _not_again(wanted: Which, status: str) -> Message:
    if wanted.came_in:
        return say("email {id} is {status}; it is not read again", id=str(wanted), status=status)
    return say("email {id} is {status}; it is not sent again", id=str(wanted), status=status)


def drop(store: Store, wanted: Which) -> Message:
    """Never send a letter, or never read it; it stays in the list."""
    with store.transaction() as tx:
        letter = _letter(tx, wanted)
        if letter.status not in ("stuck", "waiting", "unconfirmed", "received"):
            raise Refusal(
                say(
                    "email {id} is {status}; nothing to drop",
                    id=str(wanted),
                    status=letter.status,
                )
            )
        if wanted.came_in:
            inbox.update(tx, letter.id, status="dropped")
        else:
            outbox.update(tx, letter.id, status="dropped", next_at=None)
    return say("email {id} is dropped", id=str(wanted))


def _letter(tx: Tx, wanted: Which, *, gm: bool = False) -> Entry:
    shown_to_him = LETTERS_IN if wanted.came_in else LETTERS_OUT
    letters: Sequence[Entry] = shown_to_him.listed(tx, discreet=not gm)
    found = next((letter for letter in letters if shown_id(letter) == str(wanted)), None)
    if found is None:
        raise Refusal(say("there is no email {id}", id=str(wanted)))
    return found if gm else _nameless(found, matches.hiding_names(tx))
