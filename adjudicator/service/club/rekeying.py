"""Give a club another key because its own is lost for good; every seat then has another address."""

from collections.abc import Sequence
from datetime import datetime

from adjudicator.core.message import Message, say
from adjudicator.mail.address import Key, fingerprint
from adjudicator.service.base import keys
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import with_holders
from adjudicator.service.outbox import to_queue
from adjudicator.store import clubs, matches
from adjudicator.store.database import Store


def readdress(store: Store, found: Sequence[Key], *, now: datetime, means: Means) -> int:
    """Take these for the club's keys, and return how many matches are concerned.

    The seats of all matches that are not over are told, by letters from their new addresses.
    """
    with store.transaction() as tx:
        if keys.known(tx).has(found):
            return 0  # done before
        clubs.know_keys(tx, tuple(map(fingerprint, found)))
        playing = [match for match in matches.listed(tx) if match.status != "over"]
        for seated in with_holders(tx, playing).values():
            body = {"told": _told(seated.match.name)}
            to_queue.queue_notices(tx, seated, seated.seats, body, now=now, means=means)
    return len(playing)


def _told(match: str) -> Message:
    return say(
        "The key that signs the addresses of this club was lost, so your seat in {match} has "
        "another address: the one that this letter comes with. Answer this letter or a later one; "
        "what goes to the old address is not read.",
        match=match,
    )
