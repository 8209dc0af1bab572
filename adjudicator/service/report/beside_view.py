"""Tell what a report has beside its seat's view: log, orders in advance, commitments, notices."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET

from adjudicator.core.dice import digest, seal
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, say
from adjudicator.core.report import Committed, Dropped, Kept, Log, Notice, Used
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.report.standing import Standing, is_over
from adjudicator.store import rulings
from adjudicator.store.database import Tx
from adjudicator.store.rulings import Ruling


def log_head(at: Standing) -> Log | None:
    """Return the head of the log, which is opened when the match is over; None if the match has no
    chain."""
    head, key = at.loaded.head, at.loaded.match.log_key
    if head is None or key is None:
        return None
    if not is_over(at.loaded):
        return Log(head=head)
    return Log(
        head=head,
        key=key.hex(),
        lines=tuple(line for line in at.lines if line is not None),
        board=at.loaded.match.board or UNSET,
    )


def in_advance(at: Standing, seat: Seat, since: int) -> Mapping[str, Any]:
    """Return what the seat's report tells of its own sheets in advance (Espionage rule 8.4)."""
    loaded = at.loaded
    holder = loaded.holders[seat]
    tell = words(holder.language, loaded.match.game, holder.zone)
    judged = [one for one in at.verdicts.get(seat, ()) if one.ply >= since]
    kept = loaded.kept.get(seat, ())
    return {
        "advance": tuple(Kept(turn=sheet.turn, lines=sheet.lines) for sheet in kept),
        "used": tuple(
            Used(
                turn=one.turn,
                line=one.used[0],
                text=one.used[1],
                revision=one.revision or UNSET,
                digest=one.digest or UNSET,
            )
            for one in judged
            if one.used
        ),
        "dropped": tuple(
            Dropped(turn=one.turn, line=why.line, text=why.text, message=tell(why.message))
            for one in judged
            for why in one.fallen
        ),
    }


def commitments(at: Standing, seat: Seat) -> Iterator[Committed]:
    loaded = at.loaded
    chance, over = loaded.chance, is_over(loaded)
    yield Committed(
        what="seed",
        seat=None,
        number=None,
        digest=chance.commitment,
        opened=chance.seed.hex() if over else None,
    )
    for link in loaded.game.proof.links(loaded.state, seat):
        yield Committed(
            what="key" if link.opened else "anchor",
            seat=link.seat,
            number=link.number,
            digest=chance.key(link.chain, link.number - 1).hex(),
            opened=chance.key(link.chain, link.number).hex() if link.opened else None,
        )
    for entry in sorted(at.commitments, key=lambda one: (one.ply, loaded.seats.index(one.seat))):
        sealed = seal(loaded.match.name, entry.what, entry.seat, entry.text, entry.salt)
        yield Committed(
            what=entry.what,
            seat=entry.seat,
            number=None,
            digest=digest(sealed),
            opened=sealed if over else None,
        )


def notices(at: Standing, seat: Seat, since: int) -> Iterator[Notice]:
    holder, match = at.loaded.holders[seat], at.loaded.match
    tell = words(holder.language, match.game, holder.zone)
    for entry in at.rulings:
        # Made while the ply of this seat's last orders was awaited.
        if entry.ply + 1 >= since and entry.is_told_at(at.ply):
            yield Notice(at=rfc3339(entry.at), text=notice_text(entry, tell))
    if match.seed_given:
        given = say("The seed of this match was given by hand; its chance is no secret.")
        yield Notice(at=rfc3339(match.created_at), text=tell(given))


def notices_since(tx: Tx, loaded: Loaded, seat: Seat) -> Iterator[Notice]:
    """Yield what was ruled since the last ply, as its reader is told it."""
    holder, match = loaded.holders[seat], loaded.match
    tell = words(holder.language, match.game, holder.zone)
    for entry in rulings.since(tx, match.id, match.ply):
        if entry.is_told_at(match.ply):
            yield Notice(at=rfc3339(entry.at), text=notice_text(entry, tell))


def notice_text(entry: Ruling, tell: Words) -> str:
    """Return what players read of a ruling: what was done, and the game master's reason."""
    return tell(entry.told) + (f" {entry.reason}" if entry.reason else "")
