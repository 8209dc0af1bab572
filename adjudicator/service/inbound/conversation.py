"""Who writes an email, while it is answered: the holder of a seat (`Conversation`), a player about
what is not one seat's (`Person`), or anybody (`Stranger`)."""

from typing import Protocol

from msgspec import Struct, field

from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words
from adjudicator.core.own_words import Rows
from adjudicator.core.sheets import Reading
from adjudicator.core.text import Spelling
from adjudicator.reports.words import words
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.loaded_match import Loaded, MatchSession
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.emails.receipts import Receipt
from adjudicator.service.matches import sheet_storing
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.outbox.post import own_address
from adjudicator.store import players
from adjudicator.store.matches import Holder
from adjudicator.store.players import Player


class WordsTold(Struct, frozen=True):
    """The words of our emails to a seat: `rows` of them in its reports, and whole `lines`."""

    rows: Rows
    lines: frozenset[tuple[str, ...]]


class Conversation(Session, frozen=True, kw_only=True):
    """One email of one seat, while it is answered.

    `session` has the time when the email came, which decides whether it was in time; `now` is when
    it is read.
    `confirmed` says that a code confirmed what is carried out, which has waited since the email
    `parked`, when the ply `parked_ply` was awaited. With `dry` nothing is changed, only told.
    `told` holds what our emails told the seat, once somebody has looked that up for this email.
    `on_file` says that the email is from the seat's address on file, `may_confirm` that a code in
    it counts. `references` are the emails that it answers. `notes` are told first.
    """

    session: MatchSession
    seat: Seat
    letter_id: int
    confirmed: bool = False
    dry: bool = False
    parked: int | None = None
    parked_ply: int | None = None
    on_file: bool = True
    may_confirm: bool = True
    references: tuple[str, ...] = ()
    notes: tuple[Message, ...] = ()
    told: list[WordsTold] = field(default_factory=list)

    @property
    def loaded(self) -> Loaded:
        return self.session.loaded

    @property
    def given(self) -> Source:
        return Source(
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
    def wishes(self) -> Holder:
        """Return what the reader has chosen."""
        return self.holder

    @property
    def language(self) -> str:
        return self.holder.language

    @property
    def game(self) -> str:
        return self.loaded.match.game

    @property
    def address(self) -> str:
        """Return the address on file; nothing of the match goes anywhere else."""
        return players.one(self.tx, self.player_id).address

    @property
    def own_address(self) -> str:
        """Return the holder's address for all matches."""
        assert self.context.post is not None
        return own_address(self.context.post, players.one(self.tx, self.player_id))

    def submit(self, taken: Reading, given: Source | None = None) -> list[Receipt]:
        """Hand in sheets, as a file would; a dry run is judged by the time of reading."""
        given = given or self.given
        if self.dry:
            return sheet_storing.check_in(
                MatchSession(self.tx, self.loaded, self.now), taken, given
            )
        return sheet_storing.submit_in(self.session, taken, given)


class Person(Session, frozen=True, kw_only=True):
    """A player who writes to his personal address, or from a seat about what is not that seat's.

    `letter_id` is the email that is answered. With `dry` nothing is changed. `confirmed` says that
    a code confirmed what is asked.
    """

    player_id: int
    letter_id: int
    dry: bool = False
    confirmed: bool = False

    @property
    def wishes(self) -> Player:
        """Return the player as his row is now."""
        return players.one(self.tx, self.player_id)

    @property
    def language(self) -> str:
        return self.wishes.language

    @property
    def game(self) -> str:
        return ""  # his words are of no game

    @property
    def words(self) -> Words:
        player = self.wishes
        return words(player.language, "", player.zone)


def holder_of(conversation: Conversation) -> Person:
    """Return the player who holds the seat of an email."""
    s = conversation
    return Person(s.tx, s.now, s.context, player_id=s.player_id, letter_id=s.letter_id, dry=s.dry)


class Stranger(Session, frozen=True, kw_only=True):
    """The writer of an email, by his own account; nothing else is known of him. Whoever answers him
    gets no player, so no answer can tell whether the club knows the address."""

    address: str
    name: str
    language: str

    @property
    def words(self) -> Words:
        return words(self.language, "")


class Sender(Protocol):
    """Whoever sends a command: any of the three."""

    @property
    def language(self) -> str: ...
    @property
    def words(self) -> Words: ...


def refusal_text(refusal: Refusal) -> Paragraphs:
    """Return what a refusal says."""
    return paragraph(*refusal.messages)


class Question(Struct, frozen=True):
    """The words of a player for the game master, and who he is; `seat` is its title. Both it and
    `match` are empty if they are of no match."""

    match: str
    seat: str
    name: str
    address: str
    lines: tuple[str, ...]
