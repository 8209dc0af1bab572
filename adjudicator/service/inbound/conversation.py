"""Who writes an email, while it is answered: the holder of a seat (`Conversation`), a player about
what is not one seat's (`Person`), or anybody (`Stranger`); and what holds for a seat then."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Protocol

from msgspec import Struct, field

from adjudicator.core.clock import complete_at
from adjudicator.core.game import spelling_of
from adjudicator.core.match import Seat, holder
from adjudicator.core.message import Message, Value, Words, say
from adjudicator.core.own_words import Rows
from adjudicator.core.sheets import Reading
from adjudicator.core.text import Spelling
from adjudicator.reports.words import words
from adjudicator.service.base.calendar import when
from adjudicator.service.base.context import Refusal, Session
from adjudicator.service.base.deadlines import facts_of, has_reserve_until
from adjudicator.service.base.loaded_match import Loaded, MatchSession
from adjudicator.service.emails.paragraphs import Paragraphs, Receipt, order_line, paragraph
from adjudicator.service.matches import overview, sheet_storing
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.outbox.queue import own_address
from adjudicator.service.reports import building
from adjudicator.store import players
from adjudicator.store.matches import Holder
from adjudicator.store.players import Player
from adjudicator.store.submissions import Submission


class WordsTold(Struct, frozen=True):
    """The words of our emails to a seat: `rows` of them in its reports, whole `lines`, and signs
    in a row of the reports, `glued` as a program does that drops what parts the squares of a board.
    """

    rows: Rows
    lines: frozenset[tuple[str, ...]]
    glued: frozenset[str]


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


# What holds for a seat as the match is now: the end of every answer, STATUS, and the sheet to be
# filled in.
#
# The end is the seat's orders in force and how long they may be replaced, or why none are awaited.
# Nothing in it shows who of the others has sent.


def standing_line(conversation: Conversation, told: Collection[int] = ()) -> Paragraphs:
    """Say what is in force. `told` are the revisions whose orders are in the answer already."""
    if why := _nothing_awaited(conversation):
        return paragraph(why, *_sheets_ahead(conversation))
    return paragraph(
        *_in_force(conversation, told), *_time(conversation), *_sheets_ahead(conversation)
    )


def current_line(conversation: Conversation) -> Paragraphs:
    """Say what the seat's orders are now, in an answer to an email that says nothing new."""
    if is_awaited(conversation) and (sheet := conversation.loaded.sheets.get(conversation.seat)):
        told = say("Your current orders are version {revision}:", revision=sheet.revision)
        return paragraph(
            told,
            *map(order_line, sheet.lines),
            *_time(conversation),
            *_sheets_ahead(conversation),
        )
    return standing_line(conversation)


def still_line(conversation: Conversation, told: Collection[int] = ()) -> Paragraphs:
    """Say in one sentence what is in force, of an email that is not read yet."""
    return paragraph(_still(conversation.loaded.sheets.get(conversation.seat)))


def _still(sheet: Submission | None) -> Message:
    if sheet is None:
        return say("You have no current orders.")
    return say("Version {revision} of your orders is still current.", revision=sheet.revision)


def sheet_in_force(conversation: Conversation) -> Paragraphs:
    """Return a sheet to be filled in; nothing if none would count now."""
    if not may_order(conversation):
        return ()
    return paragraph(
        say("Your order sheet to fill in:"), "", *template_order_lines(conversation), ""
    )


def status_lines(conversation: Conversation) -> list[Message]:
    """Answer STATUS: the match, its turn and players, and what it waits for."""
    loaded = conversation.loaded
    game, match = loaded.game, loaded.match
    turn = overview.turn(loaded)
    values: dict[str, Value] = {"game": say(game.title), "match": match.name, "turn": turn}
    lines = [Message("{game} {match}, {turn}", values)]
    for seat in loaded.seats:
        name: Value = holder(loaded.holders[seat].shown_name) or say("open seat")
        values = {"seat": game.seat_titles[seat], "name": name}
        if seat == conversation.seat:
            lines.append(Message("{seat}: {name} ({you})", {**values, "you": say("you")}))
        else:
            lines.append(Message("{seat}: {name}", values))
    if match.status != "over":
        lines.append(overview.waits_for(loaded))
        lines += overview.draw_offers(loaded, conversation.seat)
    if match.status == "playing" and match.deadline_at and conversation.seat not in loaded.awaited:
        lines.append(_deadline(match.deadline_at))
    return lines


def template_lines(conversation: Conversation) -> Sequence[str]:
    """Return a sheet ready to edit, in canonical words; empty for a seat that is not awaited."""
    view = conversation.loaded.game.sight.observe(conversation.loaded.state, conversation.seat)
    return building.order_template(conversation.loaded, conversation.seat, view)


def template_order_lines(conversation: Conversation) -> list[Message]:
    """Return the lines of a sheet ready to edit."""
    return [order_line(line, set_in=False) for line in template_lines(conversation)]


def current_version(conversation: Conversation) -> int | None:
    """Return the number of the seat's orders in force; None if there are none."""
    sheet = conversation.loaded.sheets.get(conversation.seat)
    return sheet.revision if sheet else None


def is_awaited(conversation: Conversation) -> bool:
    """Return whether the seat is to order now."""
    return _nothing_awaited(conversation) is None


def may_order(conversation: Conversation) -> bool:
    """Return whether a sheet that came now would count, if nothing were wrong with it."""
    return is_awaited(conversation) and (
        conversation.seat not in conversation.loaded.sheets or not _is_late(conversation)
    )


def _nothing_awaited(conversation: Conversation) -> Message | None:
    loaded = conversation.loaded
    if loaded.match.status == "over":
        return say("{match} is over.", match=loaded.match.name)
    if conversation.seat in loaded.gone:
        return say("You have left {match}; it continues without you.", match=loaded.match.name)
    if conversation.seat in loaded.resigned:
        return say("You have resigned. No orders are needed from you.")
    if conversation.seat not in loaded.awaited:
        return say("It's not your turn now.")
    return None


def _in_force(conversation: Conversation, told: Collection[int]) -> Iterator[Message]:
    sheet = conversation.loaded.sheets.get(conversation.seat)
    if sheet is None:
        yield say("You have no current orders.")
        yield say("Your orders for turn {turn} are due.", turn=conversation.loaded.match.turn)
        return
    yield say("Your current orders: version {revision}.", revision=sheet.revision)
    if sheet.revision not in told:
        yield from map(order_line, sheet.lines)


def _sheets_ahead(conversation: Conversation) -> Iterator[Message]:
    """Say for which later turns sheets are kept."""
    if turns := [str(sheet.turn) for sheet in conversation.loaded.kept.get(conversation.seat, ())]:
        yield say("Saved for later turns: {turns}.", turns=", ".join(turns))


def _time(conversation: Conversation) -> Iterator[Message]:
    """Say how long the seat has."""
    loaded = conversation.loaded
    deadline = loaded.match.deadline_at
    if loaded.match.status == "held":
        yield say("The game master has put the match on hold.")
    elif loaded.match.status == "open" and loaded.has_begun:
        yield say("The match waits until the seat of a player who left is taken.")
    elif loaded.match.status == "open":
        yield say("The match begins when its last seat is filled.")
    elif conversation.seat in loaded.sheets:
        yield _replaceable(conversation)
    elif deadline and _is_late(conversation):
        yield say(
            "The deadline, {when}, has passed. You can still send orders until the turn is played.",
            when=when(deadline),
        )
        yield from _reserve(conversation)
    elif deadline:
        yield _deadline(deadline)
        yield from _reserve(conversation)


def _reserve(conversation: Conversation) -> Iterator[Message]:
    if ends := has_reserve_until(conversation.loaded, conversation.seat):
        yield say("With your reserve, you have until {when}.", when=when(ends))


def _replaceable(conversation: Conversation) -> Message:
    """Say until when the orders in force may be replaced.

    When all orders will have settled is told only if this seat alone is awaited; otherwise it would
    say that the others have sent.
    """
    loaded = conversation.loaded
    deadline = loaded.match.deadline_at
    complete = complete_at(facts_of(loaded)) if loaded.awaited == (conversation.seat,) else None
    if deadline and _is_late(conversation):
        return say("The deadline has passed. These orders can no longer change.")
    if complete and complete <= conversation.now:
        return say("The turn is now being played with these orders.")
    if loaded.holders[conversation.seat].not_ready_ply == loaded.match.ply + 1:
        return _until(deadline, say("until you send READY"))
    if complete:
        settled = min(complete, deadline) if deadline else complete
        return say("You can change these orders until {when}.", when=when(settled))
    return _until(deadline, say("until everyone's orders are in"))


def _until(moment: datetime | None, event: Message) -> Message:
    if moment is None:
        return say("You can change these orders {until}.", until=event)
    return say(
        "You can change these orders until {when}, or {until}.", when=when(moment), until=event
    )


def _is_late(conversation: Conversation) -> bool:
    deadline = conversation.loaded.match.deadline_at
    return deadline is not None and conversation.now >= deadline


def _deadline(deadline: datetime) -> Message:
    return say("Deadline: {when}.", when=when(deadline))
