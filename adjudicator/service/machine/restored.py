"""Tell the players of each match that a backup was restored, once, before anything else is done."""

from collections.abc import Iterator
from datetime import datetime

from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable, load
from adjudicator.service.base.progress import Progress
from adjudicator.service.match.told_to_all import tell_all
from adjudicator.store import epochs, turns
from adjudicator.store.database import Clash, Store, StoreTrouble
from adjudicator.store.epochs import Ended


def tell_players(store: Store, *, now: datetime, means: Means) -> Iterator[Progress]:
    """Tell each match's players, each match in a transaction of its own.

    A match that cannot be read stops none of the others; it is tried again.
    """
    with store.reading() as tx:
        untold = epochs.untold(tx)
    for ended in untold:
        try:
            told = _tell(store, ended, now, means)
        except (Clash, Unreadable):
            continue  # a later tick tells them; that a match cannot be read is told by itself
        except StoreTrouble:
            raise
        except Exception:
            if means.raise_faults:
                raise
            why = say("its players could not be told that the club was restored")
            yield Progress(why, ended.match, urgent=True)
        else:
            if told:
                done = say("its players are told that the club was restored")
                yield Progress(done, ended.match)


def _tell(store: Store, ended: Ended, now: datetime, means: Means) -> bool:
    with store.transaction() as tx:
        loaded = load(tx, ended.match)
        if not epochs.mark_told(tx, ended.match_id, now):
            return False  # another worker was quicker
        turn = turns.one(tx, ended.match_id, min(ended.ply, loaded.match.ply)).turn
        tell_all(
            tx, loaded, "restore", _told(ended, turn, loaded.match.epoch), now=now, means=means
        )
        return True


def _told(ended: Ended, turn: int, epoch: str) -> Message:
    """Return what the players read, and the log keeps; `adjud audit` reads the last sentence."""
    return say(
        "The club was restored from its backup of {saved}. The match goes on from turn {turn}: "
        "what you were sent of later moves no longer counts, and orders that answer it are not "
        "carried out. Epoch {ended} ends with ply {ply}, epoch {epoch} begins.",
        saved=when(ended.saved_at),
        turn=turn,
        ended=ended.epoch,
        ply=ended.ply,
        epoch=epoch,
    )
