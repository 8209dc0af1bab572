"""The mark by which a club knows its own spool.

If two clubs took letters from one spool, each would throw away the other's.
"""

from pathlib import Path

from adjudicator.core.message import Message, say
from adjudicator.mail.transport import spool
from adjudicator.service.base.refusal import Refusal
from adjudicator.store import clubs
from adjudicator.store.database import Store, Tx


def claim(store: Store, folder: Path) -> None:
    """Make the spool this club's if it is nobody's. Raises Refusal if it is another club's."""
    with store.reading() as tx:
        own = clubs.mark(tx)
    if not spool.club(folder):
        spool.make(folder)
        spool.give_to(folder, own)
    if spool.club(folder) != own:
        raise Refusal(anothers(folder))


def is_anothers(tx: Tx, folder: Path) -> bool:
    return spool.club(folder) not in ("", clubs.mark(tx))


def anothers(folder: Path) -> Message:
    return say(
        "the spool {path} is another club's: what lies there is left alone, and no missed deadline "
        "counts. Set mail.spool to a folder of this club's own; if there is no other club any "
        "more, delete {mark}",
        path=str(folder),
        mark=str(folder / spool.CLUB),
    )
