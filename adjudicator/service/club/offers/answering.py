"""Answer offers: ACCEPT and DECLINE, wrong codes, and the end of those that nobody answers
(club, 3). A row for each kind of offer says what it is and what its answers do.

Whoever adds a kind makes its offers with `making.make` and adds its row here.
"""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Message, say
from adjudicator.core.orders import shown
from adjudicator.service.base.context import Progress, Refusal, Session
from adjudicator.service.base.jobs import DueItem, Tick, Told
from adjudicator.service.club.offers import begun, challenges, seats, substitutes
from adjudicator.service.club.offers.making import (
    TRIES,
    OfferKind,
    OfferStep,
    OfferVoid,
    end_of,
    step_of,
    tell_asker,
    withdraw,
)
from adjudicator.service.matches import doubt
from adjudicator.store import offers, rows
from adjudicator.store.database import Tx
from adjudicator.store.offers import Offer


def accept(s: Session, player_id: int, code: str) -> Sequence[Message]:
    """Accept an offer; return what the player reads, one sentence or more each."""
    found = _lock_offer(s.tx, player_id, code)
    if found is None or found.status != "open":
        return _not_open(s, player_id, code, found)
    step = step_of(s, found)
    kind = kind_of(found)
    if end_of(s.tx, found) <= s.now:
        _end(step, "expired")
        if kind.needless is not None:
            return [kind.needless(s.tx, found)]
        return [_nothing(code), *_list_of_open(s.tx, player_id)]
    tried = s.tx.begin_nested()  # what is refused leaves nothing
    try:
        told = kind.accept(step)
    except OfferVoid as refusal:
        tried.rollback()
        _end(step, "void")
        return refusal.messages
    except Refusal as refusal:
        tried.rollback()
        return [*refusal.messages, say("The offer is still open.")]
    tried.commit()
    offers.end(s.tx, [found.id], "accepted", s.now)
    if kind.exclusive:
        withdraw(s.tx, found.about, s.now)
    tell_asker(step, _message_for_asker(step, "accepted"))
    return [told]


def decline(s: Session, player_id: int, code: str) -> Sequence[Message]:
    """Decline an offer; its asker is told, and no reason."""
    found = _lock_offer(s.tx, player_id, code)
    if found is None or found.status != "open":
        return _not_open(s, player_id, code, found)
    step = step_of(s, found)
    _end(step, "declined")
    return [say("You have declined {what}.", what=kind_of(found).what(s.tx, found))]


def _lock_offer(tx: Tx, player_id: int, code: str) -> Offer | None:
    """Return the offer to a player with that code, with all offers of the same thing locked."""
    found = offers.newest(tx, player_id, code.upper())
    if found is None:
        return None
    return next(one for one in offers.hold(tx, found.about) if one.id == found.id)


def _not_open(s: Session, player_id: int, code: str, found: Offer | None) -> Sequence[Message]:
    """Say why nothing can be accepted under a code. One that no offer had is a wrong one."""
    if found is None:
        told = [_nothing(code)]
        void = offers.count_wrong_code(s.tx, player_id, TRIES)
        for one in void:
            _end(step_of(s, one), "void")
        if void:
            told.append(say("Too many wrong codes came, so your open offers have ended."))
        return [*told, *_list_of_open(s.tx, player_id)]
    if found.status == "accepted":
        return [say("You have already accepted {what}.", what=kind_of(found).what(s.tx, found))]
    if found.status == "withdrawn" and _is_anothers(s.tx, found):
        return [say("Another player accepted this offer before you.")]
    needless = kind_of(found).needless
    if needless is not None and found.status != "declined":
        return [needless(s.tx, found)]
    return [_nothing(code), *_list_of_open(s.tx, player_id)]


def _is_anothers(tx: Tx, found: Offer) -> bool:
    if not kind_of(found).exclusive:
        return False
    return any(one.status == "accepted" for one in offers.hold(tx, found.about))


def _nothing(code: str) -> Message:
    return say("You have no offer with the code {code}.", code=shown(code.upper()))


def _list_of_open(tx: Tx, player_id: int) -> Iterator[Message]:
    """Yield what is open; a line of it is no command, for emails are sent back."""
    found = offers.open_to(tx, player_id)
    if not found:
        yield say("You have no open offers.")
        return
    yield say("These offers to you are open:")
    for one in found:
        yield say("  {code}: {what}", code=one.code, what=kind_of(one).what(tx, one))


def _message_for_asker(step: OfferStep, status: str) -> Message:
    what = kind_of(step.offer).what(step.tx, step.offer)
    told = {
        "accepted": say("{player} has accepted {what}.", player=step.asked.name, what=what),
        "declined": say("{player} has declined {what}.", player=step.asked.name, what=what),
        "expired": say("{player} has not answered {what}, and it has expired.",
                       player=step.asked.name, what=what),
        "void": say("{player} can no longer accept {what}, so it has ended.",
                    player=step.asked.name, what=what),
    }  # fmt: skip
    return told[status]


def _end(step: OfferStep, status: str) -> None:
    """End an offer without a yes."""
    offers.end(step.tx, [step.offer.id], status, step.now)
    tell_asker(step, _message_for_asker(step, status))
    ended = rows.one(step.tx, Offer, step.offer.id)
    kind_of(step.offer).ended(step_of(step, ended))


def void_of_player(s: Session, player_id: int) -> None:
    """Make void what is still offered to a player who is removed or erased, and what he offers."""
    for one in offers.of_person(s.tx, player_id):
        if one.status == "open":
            _end(step_of(s, one), "void")


def expire_all(s: Session, player_id: int) -> None:
    """Let the open offers to a player expire, because his address does not accept email."""
    for seen in offers.open_to(s.tx, player_id):
        one = next(row for row in offers.hold(s.tx, seen.about) if row.id == seen.id)
        if one.status == "open":
            _end(step_of(s, one), "expired")


# Offers that nobody answered: a tick ends them.


def due(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return the offers whose time is up."""
    return [DueItem(one.id, _about(one), one.match_id) for one in offers.due(tx, tick.now)]


def _about(found: Offer) -> str:
    """Return what the operator calls the thing offered; nothing if they may not know of it."""
    return "" if found.is_secret else str(found.details.get("name") or found.kind)


def expire(s: Session, offer_id: int) -> Told:
    """End an offer, unless the days on which its player is away have grown meanwhile."""
    found = offers.take_due(s.tx, offer_id, s.now)
    if found is None:
        return None  # another worker has it, or was quicker
    if found.is_spoilt:
        raise ValueError(f"the details of offer {offer_id}")
    ends = end_of(s.tx, found)
    if ends > s.now:
        rows.change(s.tx, Offer, found.id, expires_at=ends)
        return None
    offers.hold(s.tx, found.about)
    _end(step_of(s, found), "expired")
    return () if found.is_secret else Progress(say("an offer has expired"))


def waiting(tx: Tx, tick: Tick) -> Sequence[DueItem]:
    """Return one key if an offer of which the operator may know does not end, for the clock is in
    doubt."""
    waits = doubt.stops_club(tx, tick.context) and offers.is_known_due(tx, tick.now)
    return [DueItem("an offer", "an offer")] if waits else []


def tell_of_waiting(s: Session, _key: str) -> Told:
    return doubt.tell_of_waiting(s, say("an offer"))


KINDS: Mapping[str, OfferKind] = {
    "invite": begun.KIND,
    "muster": seats.KIND,
    "rematch": begun.KIND,
    challenges.KIND_NAME: challenges.KIND,
    substitutes.KIND_NAME: substitutes.KIND,
}


def kind_of(offer: Offer) -> OfferKind:
    """Return the kind of an offer; an `invite` may be to a seat of a match that waits for it."""
    is_of_seat = offer.kind == "invite" and offer.match_id is not None
    return seats.KIND if is_of_seat else KINDS[offer.kind]
