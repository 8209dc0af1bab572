"""The domain that a club's letters go out from and come home to."""

from adjudicator.core.message import Message, say
from adjudicator.service.base.refusal import Refusal
from adjudicator.store import clubs
from adjudicator.store.database import Store


def keep(store: Store, domain: str) -> Message | None:
    """Remember the domain of the configuration; says so where it was another one. Raises Refusal
    where the configuration has none but the club has."""
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
        "letters of this club go out from {domain} now, no longer from {known}",
        domain=domain,
        known=known,
    )


def fault(known: str, domain: str) -> Message | None:
    """What is wrong where a configuration without a domain meets a club that has one: it is not
    this club's. All letters made by it would be kept for ever, and all that came lie unread."""
    if domain or not known:
        return None
    return say(
        "letters of this club go out from {domain}, which this configuration does not know; "
        "use the club's own, with --config",
        domain=known,
    )
