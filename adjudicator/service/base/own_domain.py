"""The domain from which a club's emails go out and to which emails come home."""

from adjudicator.core.message import Message, say
from adjudicator.service.base.context import Refusal
from adjudicator.store import clubs
from adjudicator.store.database import Store


def keep(store: Store, domain: str) -> Message | None:
    """Remember the domain of the configuration; return a sentence if it was another one.

    Raises Refusal if the configuration has none but the club has one.
    """
    with store.reading() as tx:
        known = clubs.domain(tx)
    if domain == known:
        return None
    if stranger := fault(known, domain):
        raise Refusal(stranger)
    with store.transaction() as tx:
        clubs.move(tx, domain)
    if not known:
        return None
    return say(
        "this club's email is now sent from {domain}, no longer from {known}",
        domain=domain,
        known=known,
    )


def fault(known: str, domain: str) -> Message | None:
    """Return the fault of a configuration without a domain for a club that has one: it is not this
    club's.

    All emails that it made would be kept for ever, and all that came would lie unread.
    """
    if domain or not known:
        return None
    return say(
        "this club's email is sent from {domain}, which this configuration does not know; use "
        "the club's own configuration, with --config",
        domain=known,
    )
