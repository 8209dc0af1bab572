"""When a letter of the spool came, by our own mail server's clock (letters, section 4)."""

from datetime import UTC, datetime, timedelta

from adjudicator.mail.read.letter import received_at as in_head
from adjudicator.mail.transport.spool import Envelope

LONGEST_QUEUED = timedelta(days=5)  # a mail server tries so long (RFC 5321, section 4.5.4.1)
_BEHIND_A_SERVER = ("pipe", "lmtp")


def received_at(envelope: Envelope, raw: bytes) -> datetime:
    """Return when our mail server took the letter, so that a pipe that had to be tried again makes
    none late.

    The topmost Received is the server's own; what a sender wrote stands below it. One that is older
    than a server keeps a letter is not believed.
    """
    handed_over = datetime.fromtimestamp(envelope.received_at, UTC)
    if envelope.channel not in _BEHIND_A_SERVER:
        return handed_over
    try:
        taken = in_head(raw)
    except Exception:  # a letter is kept first and understood later
        return handed_over
    if taken is None or not handed_over - LONGEST_QUEUED <= taken <= handed_over:
        return handed_over
    return taken
