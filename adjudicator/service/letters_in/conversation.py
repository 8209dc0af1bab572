"""The value `Talk`: one letter of one seat, while it is answered."""

from datetime import datetime
from typing import Self

from msgspec import Struct, structs

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.spelling import Spelling
from adjudicator.reports.words import words
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import intake
from adjudicator.service.match.intake import Answered
from adjudicator.service.match.sheet_reading import TakenApart
from adjudicator.service.match.understood import Given
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.matches import Holder


class Talk(Struct, frozen=True, kw_only=True):
    """One letter of one seat, while it is answered.

    `at` is when the letter came, which decides whether it was in time; `now` is when it is read.
    `confirmed` says that a code confirmed what is carried out, which has waited since the letter
    `parked`, when the ply `parked_ply` was awaited. With `dry` nothing is changed, only told.
    `on_file` says that the letter is from the seat's address on file, `may_confirm` that a code in
    it counts. `references` are the letters that it answers. `notes` are told first.
    """

    tx: Tx
    loaded: Loaded
    seat: Seat
    letter_id: int
    now: datetime
    at: datetime
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

    def submit(self, taken: TakenApart, given: Given | None = None) -> Answered:
        """Hand in sheets, as a file would; a dry run is judged by the time of reading."""
        given = given or self.given
        if self.dry:
            return intake.check_in(self.tx, self.loaded, taken, given, now=self.now)
        return intake.submit_in(self.tx, self.loaded, taken, given, now=self.at)

    def after(self, left: Loaded | None) -> Self:
        """Return the talk as it goes on with the match that was left; None: nothing changed it."""
        return self if left is None else structs.replace(self, loaded=left)

    def afresh(self) -> Loaded:
        """Load the match as it is now, for something has changed it that does not hand it on."""
        return load(self.tx, self.loaded.match.name)
