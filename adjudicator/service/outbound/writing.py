"""What is needed to write an email: its row, the values that it tells, its match, its reader."""

from typing import Any

from msgspec.json import decode

from adjudicator.core.match import Seat
from adjudicator.core.message import Words
from adjudicator.mail.address import message_id
from adjudicator.service.base.context import Session
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.emails.wording import AnswerReader
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder
from adjudicator.store.outgoing import DueEmail


class Writing(Session, frozen=True, kw_only=True):
    """An email that is written at a time, in a transaction that can read its match.

    `body` is what its row says beside its key; `loaded` is None if it is of no match, or if that
    match cannot be read and the email goes to no seat of it.
    """

    due: DueEmail
    loaded: Seated | None
    body: Any
    reader: AnswerReader

    @property
    def tell(self) -> Words:
        return self.reader.words

    @property
    def match(self) -> Seated:
        assert self.loaded is not None
        return self.loaded

    @property
    def seat(self) -> Seat:
        assert self.due.seat is not None
        return Seat(self.due.seat)

    @property
    def holder(self) -> Holder:
        return self.match.holders[self.seat]

    @property
    def title(self) -> str:
        """Return the seat's name as its holder calls it."""
        return self.tell(self.match.game.seat_titles[self.seat])

    @property
    def message_id(self) -> str:
        """Return the Message-ID of an email to a seat."""
        assert self.context.post is not None
        match, tenure = self.match.match.name, self.holder.tenure
        key, epoch = self.due.key, self.due.epoch
        return message_id(self.context.post, key, match, self.seat, tenure, epoch)


def begin(s: Session, due: DueEmail, loaded: Seated | None) -> Writing:
    """Return what is needed to write an email, in the language of its reader: a seat's holder,
    another player, a stranger, or the operator."""
    body = decode(due.body)
    reader = _reader_of(s.tx, due, loaded, body)
    return Writing(
        tx=s.tx, due=due, loaded=loaded, body=body, reader=reader, now=s.now, context=s.context
    )


def is_to_address(body: Any) -> bool:
    """Return whether an email has the address of its reader in its row: it answers one to the
    public address, or goes out from a personal one."""
    return isinstance(body, dict) and "to" in body


def _reader_of(tx: Tx, due: DueEmail, loaded: Seated | None, body: Any) -> AnswerReader:
    game = loaded.match.game if loaded else ""
    if loaded and due.seat:
        holder = loaded.holders[due.seat]
        return AnswerReader(holder.language, holder.zone, game)
    if due.player_id is not None:
        player = players.one(tx, due.player_id)
        return AnswerReader(player.language, player.zone, game)
    return AnswerReader(body.get("language", "en") if is_to_address(body) else "en", game=game)
