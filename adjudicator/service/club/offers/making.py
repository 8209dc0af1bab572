"""Make offers and end them (club, 3). What an answer does is its kind's matter.

A kind makes its offers with `make`, and has its row in `answering.py`: what is offered, what ACCEPT
does, and what follows when an offer ends without it. `answering.py` does all the rest: codes, wrong
codes, the emails to the asker, offers of which another one was accepted first, and the end.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from adjudicator.core.email_kinds import OF_SECRET_OFFER
from adjudicator.core.message import Message, say
from adjudicator.mail.write import subjects
from adjudicator.mail.write.compose import mailto
from adjudicator.reports.words import words
from adjudicator.resources import zone_of
from adjudicator.service.base.bank import Running
from adjudicator.service.base.calendar import Away, when
from adjudicator.service.base.context import Context, Refusal, Session
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph, to_send
from adjudicator.service.outbox import queue
from adjudicator.service.outbox.queue import own_address
from adjudicator.store import clubs, offers, players, rows
from adjudicator.store.database import Tx
from adjudicator.store.offers import Offer
from adjudicator.store.players import Player

VALID = timedelta(days=7)  # of running time
TRIES = 5  # wrong codes, then all offers to the player are void


class OfferVoid(Refusal):
    """Refuse an ACCEPT of what can never come true any more; the offer becomes void."""


class OfferStep(Session, frozen=True, kw_only=True):
    """An offer that is answered or has ended, in the transaction of that."""

    offer: Offer

    @property
    def asked(self) -> Player:
        return players.one(self.tx, self.offer.player_id)


def step_of(s: Session, offer: Offer) -> OfferStep:
    return OfferStep(s.tx, s.now, s.context, offer=offer)


class OfferKind(Struct, frozen=True, kw_only=True):
    """A kind of offer.

    `what` names it in a sentence ("an invitation to m1"). `accept` does what was offered, in the
    transaction of the answer, and returns what the player reads; it raises Refusal if it cannot be
    done now, and OfferVoid if it never can. `ended` is called when an offer was declined, has
    expired or became void. Of several offers of one thing the first ACCEPT wins if `exclusive`.
    `needless` is what an ACCEPT is answered that comes when nothing is offered any more.
    """

    what: Callable[[Tx, Offer], Message]
    accept: Callable[[OfferStep], Message]
    ended: Callable[[OfferStep], None]
    exclusive: bool = True
    needless: Callable[[Tx, Offer], Message] | None = None


class NewOffer(Struct, frozen=True, kw_only=True):
    """An offer to be made. `told` are the paragraphs of its email, above the code, `subject` is
    that of the email if it does not only name what is offered. It ends at `until`, if that is
    before the usual time. Of what `is_secret` the operator is told neither that it is offered nor
    how it ended, nor that it fails: its number is drawn, so that those of others have no gap.
    Unless `is_sent` there is no email, because the player wants nothing of the asker's, who is not
    told (club, 10)."""

    kind: str
    what: Message
    subject: Message | None = None
    player: Player
    told: Paragraphs
    asker: Player | None = None
    match_id: int | None = None
    seat: str | None = None
    about: str
    details: Mapping[str, Any] = {}
    until: datetime | None = None
    is_secret: bool
    is_sent: bool = True


def make(s: Session, wanted: NewOffer) -> Offer:
    """Store an offer and queue its email, from the player's personal address."""
    player, details = wanted.player, wanted.details
    if wanted.until is not None:
        details = {**details, _UNTIL: wanted.until.isoformat()}
    made = offers.insert(
        s.tx,
        **({"id": -1 - secrets.randbelow(2**31 - 1)} if wanted.is_secret else {}),
        kind=wanted.kind,
        player_id=player.id,
        asker_id=wanted.asker.id if wanted.asker else None,
        match_id=wanted.match_id,
        seat=wanted.seat,
        about=wanted.about,
        details=details,
        code=_fresh_code(s, player),
        created_at=s.now,
        expires_at=_earlier(ends_at(s.tx, player, s.now), wanted.until),
    )
    clubs.begin_clock(s.tx, s.now)
    if not wanted.is_sent:
        return made
    queue.queue_from_personal_address(
        s,
        player,
        f"offer/{made.id}",
        wanted.subject or subjects.offer(wanted.what),
        (*wanted.told, *_how_to_answer(made, player, s.context)),
        kind=_email_kind(made),
    )
    return made


def _email_kind(offer: Offer) -> str:
    return OF_SECRET_OFFER if offer.is_secret else "notice"


def _fresh_code(s: Session, player: Player) -> str:
    """Return a code that no offer to the player has had."""
    while rows.has(s.tx, Offer, player_id=player.id, code=(code := s.context.coder())):
        continue
    return code


def _how_to_answer(made: Offer, player: Player, context: Context) -> Paragraphs:
    """Return the last paragraphs of an offer's email: its two lines, and a link for each."""
    accept, decline = say("ACCEPT"), say("DECLINE")
    parts = (
        *paragraph(say("If you want this, reply to this email with the line")),
        *to_send(accept, made.code),
        *paragraph(say("If you do not, reply with the line")),
        *to_send(decline, made.code),
    )
    if context.post is not None:
        tell, to = words(player.language, "", player.zone), own_address(context.post, player)
        lines = (f"{tell(word)} {made.code}" for word in (accept, decline))
        parts += (
            *paragraph(say("Or open one of these links, and send the email that it opens:")),
            *paragraph(*(mailto(to, line, [line]) for line in lines)),
        )
    assert made.expires_at is not None
    ends = when(made.expires_at)
    told = say(
        "The offer is open until {when}. Days on which you are away do not count.", when=ends
    )
    if made.expires_at == _until(made):
        told = say("The offer is open until {when}.", when=ends)
    return (*parts, *paragraph(told))


_UNTIL = "until"  # in the details of an offer that ends before the usual time


def _until(offer: Offer) -> datetime | None:
    text = offer.details.get(_UNTIL)
    return datetime.fromisoformat(text) if text else None


def _earlier(one: datetime, other: datetime | None) -> datetime:
    return one if other is None else min(one, other)


def end_of(tx: Tx, offer: Offer) -> datetime:
    """Return when an offer expires, as the days are known now on which its player is away."""
    usual = ends_at(tx, players.one(tx, offer.player_id), offer.created_at)
    return _earlier(usual, _until(offer))


def ends_at(tx: Tx, player: Player, since: datetime) -> datetime:
    """Return when an offer that was made then expires: after seven days without those on which the
    player is away."""
    away = tuple(
        Away(zone_of(one.zone), one.first, one.last) for one in players.days_away(tx, [player.id])
    )
    return Running(zone=zone_of(player.zone), away=away).lasts_until(since, VALID)


def tell_asker(step: OfferStep, told: Message) -> None:
    """Queue the one email to the asker about the end of an offer."""
    if step.offer.asker_id is None:
        return
    asker = players.one(step.tx, step.offer.asker_id)
    if asker.erased_at is not None:
        return
    queue.queue_from_personal_address(
        step,
        asker,
        f"offer/{step.offer.id}/ended",
        subjects.offer_ended(),
        paragraph(told),
        kind=_email_kind(step.offer),
    )


def tell_people(step: OfferStep, ids: Sequence[int], told: Message) -> None:
    """Queue one email to each of these players about what became of the offer."""
    for player_id in ids:
        player = players.one(step.tx, player_id)
        queue.queue_from_personal_address(
            step,
            player,
            f"offer/{step.offer.id}/off",
            subjects.offer_ended(),
            paragraph(told),
            kind=_email_kind(step.offer),
        )


def withdraw(tx: Tx, about: str, now: datetime) -> None:
    """Withdraw what is still open of the offers of one thing; nobody is told."""
    still = [one.id for one in offers.hold(tx, about) if one.status == "open"]
    offers.end(tx, still, "withdrawn", now)
