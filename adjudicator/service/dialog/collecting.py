"""Letters from the spool into the database, each in a transaction; then they leave the spool.

A kill between the two repeats harmlessly: a letter of that name is in the database already.
"""

from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from adjudicator.mail import spool
from adjudicator.store import inbox
from adjudicator.store.database import Store


def collect(store: Store, folder: Path) -> int:
    """Returns how many letters were taken."""
    taken = 0
    for letter in spool.waiting(folder):
        envelope = letter.envelope
        with store.transaction() as tx:
            taken += inbox.insert(
                tx,
                spool_name=letter.name,
                sha256=sha256(letter.raw).hexdigest(),
                received_at=datetime.fromtimestamp(envelope.received_at, UTC),
                sender=envelope.sender,
                recipient=envelope.recipient,
                channel=envelope.channel,
                length=envelope.length,
                raw=letter.raw,
            )
        spool.remove(folder, letter.name)
    return taken
