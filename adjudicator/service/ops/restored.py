"""Tell the players of each match that a backup was restored, once, before anything else is done."""

from collections.abc import Sequence

from adjudicator.core.acts import Restored
from adjudicator.core.message import say
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Progress, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.base.public_number import why_unopened
from adjudicator.service.matches import unopened
from adjudicator.service.matches.append_ply import tell_all
from adjudicator.store import clubs, turns
from adjudicator.store.clubs import PastEpoch
from adjudicator.store.database import Tx


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the matches whose players do not know it yet."""
    return [DueItem(ended, ended.match) for ended in clubs.restores_to_tell(tx)]


def tell(s: Session, ended: PastEpoch) -> Told:
    """Tell the players of a match."""
    told = Progress(say("its players are informed that the club was restored"), ended.match)
    loaded = load(s.tx, ended.match)
    if not clubs.mark_restore_told(s.tx, ended.match_id, s.now):
        return None  # another worker was quicker
    if not loaded.is_opened:
        _tell_early(s, ended, loaded)
        return told
    turn = turns.one(s.tx, ended.match_id, min(ended.ply, loaded.match.ply)).turn
    notice = Restored(ended.saved_at, turn, ended.epoch, ended.ply, loaded.match.epoch)
    tell_all(s, loaded, "restore", [notice])
    return told


def _tell_early(s: Session, ended: PastEpoch, found: Loaded) -> None:
    """Tell the players of a match without a position, and what decides in it, once more."""
    if found.match.status == "over":
        return
    told = say(
        "The club was restored from its backup of {saved}. The match has not opened: {why}.",
        saved=when(ended.saved_at),
        why=why_unopened(found.match),
    )
    full = found.match.full_at is not None
    unopened.tell(s, found, told, proofs=full)
