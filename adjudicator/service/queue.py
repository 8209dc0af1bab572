"""The queue of letters as the operator works on it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec import structs

from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.calendar import rfc3339
from adjudicator.service.refusal import Refusal, unknown
from adjudicator.store import outbox
from adjudicator.store.database import Store, Tx
from adjudicator.store.outbox import Queued

STATUSES = ("kept", "unconfirmed", "waiting", "sent", "stuck", "dropped")


def listed(store: Store, statuses: Sequence[str]) -> list[Queued]:
    """The queue, without reminders that would tell who has not sent yet."""
    for status in statuses:
        if status not in STATUSES:
            text = say("there is no status '{status}'", status=shown(status))
            raise unknown(text, status, STATUSES)
    with store.reading() as tx:
        return outbox.listed(tx, statuses, discreet=True)


def plain(letter: Queued) -> dict[str, Any]:
    """A letter as scripts read it; times are RFC 3339."""
    value = structs.asdict(letter)
    times = ("created_at", "next_at", "sent_at")
    return {key: rfc3339(value[key]) if key in times else value[key] for key in value}


def one(store: Store, number: int) -> tuple[Queued, str]:
    """A letter and its body."""
    with store.reading() as tx:
        return _letter(tx, number), outbox.body(tx, number)


def retry(store: Store, number: int, *, now: datetime) -> Message:
    """A stuck or dropped letter waits again; one that was kept or sent never goes out."""
    with store.transaction() as tx:
        letter = _letter(tx, number)
        if letter.status not in ("stuck", "dropped", "waiting"):
            raise Refusal(
                say(
                    "letter {id} is {status}; it is not sent again", id=number, status=letter.status
                )
            )
        outbox.update(tx, number, status="waiting", tries=0, next_at=now)
    return say("letter {id} will be tried at the next tick", id=number)


def drop(store: Store, number: int) -> Message:
    with store.transaction() as tx:
        letter = _letter(tx, number)
        if letter.status not in ("stuck", "waiting", "unconfirmed"):
            raise Refusal(
                say("letter {id} is {status}; nothing to drop", id=number, status=letter.status)
            )
        outbox.update(tx, number, status="dropped", next_at=None)
    return say("letter {id} is dropped", id=number)


def _letter(tx: Tx, number: int) -> Queued:
    found = outbox.listed(tx, letter_id=number, discreet=True)
    if not found:
        raise Refusal(say("there is no letter {id}", id=number))
    return found[0]
