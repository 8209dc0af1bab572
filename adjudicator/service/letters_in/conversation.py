"""The value `Talk`: one letter of one seat, while it is answered."""

from datetime import datetime

from msgspec import Struct

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.spelling import Spelling
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import intake
from adjudicator.service.match.receipts import Receipt
from adjudicator.service.match.sheet_reading import TakenApart
from adjudicator.service.match.understood import Given
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder


class Talk(Struct, frozen=True, kw_only=True):
    """One letter of one seat, while it is answered.

    `session` has the time when the letter came, which decides whether it was in time; `now` is when
    it is read.
    `confirmed` says that a code confirmed what is carried out, which has waited since the letter
    `parked`, when the ply `parked_ply` was awaited. With `dry` nothing is changed, only told.
    `on_file` says that the letter is from the seat's address on file, `may_confirm` that a code in
    it counts. `references` are the letters that it answers. `notes` are told first.
    """

    session: MatchSession
    seat: Seat
    letter_id: int
    now: datetime
    means: Means
    confirmed: bool = False
    dry: bool = False
    parked: int | None = None
    parked_ply: int | None = None
    on_file: bool = True
    may_confirm: bool = True
    references: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()

    @property
    def tx(self) -> Tx:
        return self.session.tx

    @property
    def loaded(self) -> Loaded:
        return self.session.loaded

    @property
    def given(self) -> Given:
        return Given(
            self.loaded.match.name,
            self.seat,
            "mail, confirmed" if self.confirmed else "mail",
            may_resign=self.confirmed,
            letter_id=self.letter_id,
        )

    @property
    def holder(self) -> Holder:
        return self.loaded.holders[self.seat]

    @property
    def words(self) -> Words:
        return words(self.holder.language, self.loaded.match.game, self.holder.zone)

    @property
    def spelled(self) -> Spelling:
        return spelling_of(self.loaded.game, self.words)

    @property
    def player_id(self) -> int:
        player_id = self.holder.player_id
        assert player_id is not None
        return player_id

    @property
    def address(self) -> str:
        """Return the address on file; nothing of the match goes anywhere else."""
        return players.address(self.tx, self.player_id)

    def refused(self, refusal: Refusal) -> str:
        """Return a refusal as the holder reads it."""
        return "\n".join(self.words(message) for message in refusal.messages)

    def submit(self, taken: TakenApart, given: Given | None = None) -> list[Receipt]:
        """Hand in sheets, as a file would; a dry run is judged by the time of reading."""
        given = given or self.given
        if self.dry:
            return intake.check_in(MatchSession(self.tx, self.loaded, self.now), taken, given)
        return intake.submit_in(self.session, taken, given)
