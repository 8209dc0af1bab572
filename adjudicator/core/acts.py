"""Acts: what happens in a match beside orders, as values. What is done is what is told.

Theory of operation. An act is a struct with values and no sentence. Its sentence and its effect are
two functions of the same value, so they cannot differ: a use case makes an act, and what is told
(`message_for_acts`) and what is in force afterwards (`effect_of`) follow from it. The fields of an
act are the holes of its one sentence, in their order. A ruling is one act or several in a row.

The row of a ruling keeps its acts, and so does its line of the log; whoever tells the ruling words
it from them. Lines of matches with the label ADJUD2 have the sentences, as have rows of before
0.3.0. `acts_in` (`core/worded_acts`) finds the acts again in them, so an audit takes the same
effects from a log as the club had. It needs no words of a language: sentences are templates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import reduce
from typing import Annotated, ClassVar, TypeAlias, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from adjudicator.core.message import Message, Value, at, both, say


class Effect(Struct, frozen=True, kw_only=True):
    """What acts change in a match. `due` is the deadline from now on, None for none; `options` are
    new values; `forfeits` say until when seats, by their titles, have to send orders; `excused` are
    seats to which a missed deadline is not charged; `sought_until` is until when substitutes of
    silent seats are looked for. The rest says whether the waiting for slow players ends, the match
    is held, or goes on, or its last ply is taken back."""

    due: datetime | UnsetType | None = UNSET
    options: Mapping[str, str] = {}
    forfeits: Sequence[tuple[Message, datetime]] = ()
    excused: tuple[str, ...] = ()
    sought_until: datetime | None = None
    ends_waiting: bool = False
    holds: bool = False
    resumes: bool = False
    takes_back: bool = False


Instant: TypeAlias = Annotated[datetime, msgspec.Meta(tz=True)]


def _tag(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class Act(Struct, frozen=True, tag_field="act", tag=_tag, forbid_unknown_fields=True):
    """Something that happened in a match. `words` is its sentence without the values.

    In JSON an act is an object whose key `act` says which kind it is. `action` is what an audit
    calls a ruling with it, where it asks for that (`action_of`). One that can count against a seat
    is told `at_once`, and waits for no daily email.
    """

    words: ClassVar[Message]
    action: ClassVar[str] = ""
    at_once: ClassVar[bool] = False

    def effect(self) -> Effect:
        return Effect()


def sentence(act: Act) -> Message:
    """Return what all players are told of an act."""
    fields = type(act).__struct_fields__
    return Message(act.words.text, {name: _value(getattr(act, name)) for name in fields})


def _value(value: str | int | Message | datetime) -> Value:
    return at(value.astimezone(UTC).isoformat()) if isinstance(value, datetime) else value


def message_for_acts(acts: Iterable[Act]) -> Message:
    """Return the sentences of acts, of which there is at least one, one after another."""
    return reduce(both, map(sentence, acts))


def effect_of(acts: Iterable[Act]) -> Effect:
    """Return what acts change together; the last of them decides."""
    whole = Effect()
    for one in (act.effect() for act in acts):
        whole = replace(
            one,
            due=whole.due if one.due is UNSET else one.due,
            options={**whole.options, **one.options},
            forfeits=(*whole.forfeits, *one.forfeits),
            excused=(*whole.excused, *one.excused),
            sought_until=one.sought_until or whole.sought_until,
            ends_waiting=whole.ends_waiting or one.ends_waiting,
            holds=whole.holds or one.holds,
            resumes=whole.resumes or one.resumes,
            takes_back=whole.takes_back or one.takes_back,
        )
    return whole


def action_of(acts: Iterable[Act]) -> str:
    """Return what a ruling with these acts is called; empty if nobody asks."""
    return next((act.action for act in acts if act.action), "")


# The time for a turn.


class DeadlineMoved(Act, frozen=True):
    when: Instant
    at_once = True
    words = say("The deadline is now {when}.")

    def effect(self) -> Effect:
        return Effect(due=self.when)


class ClockPutRight(Act, frozen=True):
    """A turn that a clock opened which ran ahead is due earlier than it said."""

    when: Instant
    at_once = True
    words = say("The club's clock was wrong. The deadline is now {when}.")

    def effect(self) -> Effect:
        return Effect(due=self.when)


class ClockSetBack(Act, frozen=True):
    """What was logged last has the time `before`, and it is `after` now. Only with this act may
    times of a log go back."""

    before: Instant
    after: Instant
    at_once = True
    words = say("The club's clock was set back from {before} to {after}.")


def clock_changes(acts: Iterable[Act]) -> list[ClockSetBack]:
    return [act for act in acts if isinstance(act, ClockSetBack)]


class ForfeitAnnounced(Act, frozen=True):
    seat: Message
    when: Instant
    at_once = True
    words = say("{seat} forfeits the match if it sends no orders by {when}.")

    def effect(self) -> Effect:
        return Effect(forfeits=((self.seat, self.when),))


class WaitingEnded(Act, frozen=True):
    turn: int | str
    words = say(
        "The game master has ended the wait: turn {turn} is played as soon as all orders are in."
    )

    def effect(self) -> Effect:
        return Effect(ends_waiting=True)


class HeldByMaster(Act, frozen=True):
    at_once = True
    words = say("The game master has put the match on hold.")

    def effect(self) -> Effect:
        return Effect(holds=True)


class Outage(Act, frozen=True):
    """No tick ran in that time, and no email was made. It is told with what follows from it: that
    the match is on hold, or that orders came late (`service/base/outages`)."""

    since: Instant
    until: Instant
    words = say("The club was out of order from {since} until {until}.")


class HeldForEmails(Act, frozen=True):
    at_once = True
    words = say(
        "The deadline has passed, but some emails may not have reached the club. The turn was "
        "not played, and the match is on hold until the game master resumes it. You can still "
        "send orders."
    )

    def effect(self) -> Effect:
        return Effect(holds=True)


class HeldForReport(Act, frozen=True):
    at_once = True
    words = say("The match is on hold because a report could not be delivered.")

    def effect(self) -> Effect:
        return Effect(holds=True)


class Continued(Act, frozen=True):
    """A match goes on that was held, or waited for a player, and has no deadline."""

    at_once = True
    words = say("The match continues.")

    def effect(self) -> Effect:
        return Effect(resumes=True)


class ContinuedUntil(Act, frozen=True):
    when: Instant
    at_once = True
    words = say("The match continues. The deadline is now {when}.")

    def effect(self) -> Effect:
        return Effect(resumes=True, due=self.when)


def continuation(due: datetime | None) -> Act:
    return Continued() if due is None else ContinuedUntil(due)


# Silence.


class NothingSent(Act, frozen=True):
    """Silent seats have lost by forfeit."""

    seats: Message
    words = say("{seats} sent no orders in time.")


class Excused(Act, frozen=True):
    names: str  # nobody reads them; an undo and an audit do
    seats: Message
    when: Instant
    words = say(
        "The deadline has passed without orders from {seats}. This is excused, and the deadline "
        "is now {when}."
    )

    def effect(self) -> Effect:
        return Effect(due=self.when, excused=tuple(self.names.split()))


class DefaultsUsed(Act, frozen=True):
    seats: Message
    words = say(
        "The deadline has passed without orders from {seats}. The default orders in the rules "
        "are used."
    )


class CameLate(Act, frozen=True):
    """Told with the ply that the orders played, and not before: it tells who had sent none."""

    seat: Message
    came: Instant
    due: Instant
    words = say("The orders of {seat} came on {came}, after its time was up on {due}.")


class NearlyForgotten(Act, frozen=True):
    """What was told of default orders, and that seats missed a second deadline in a row."""

    told: Message
    seats: Message
    words = say(
        "{told} {seats} missed two deadlines in a row. After a third, the match does not wait "
        "for them until they send orders again."
    )


class Waits(Act, frozen=True):
    """The game master decides about silent seats."""

    words = say(
        "The deadline has passed, and orders are missing. The match waits for the game master. A "
        "player who sent no orders can still send them."
    )


class SubstitutesSought(Act, frozen=True):
    when: Instant
    words = say(
        "The deadline has passed, and orders are missing. Until {when}, other players are asked to "
        "take over from those who sent none. Orders that come before that are used."
    )

    def effect(self) -> Effect:
        return Effect(sought_until=self.when)


class ThenForfeit(Act, frozen=True):
    words = say("After that, a player who has sent none forfeits the match.")


class ThenDefaults(Act, frozen=True):
    words = say(
        "After that, default orders are used, and the match does not wait for a player who has "
        "missed three deadlines in a row."
    )


# Plies that are taken back, and options.


class TakenBack(Act, frozen=True):
    turn: int | str
    action = "undo"
    at_once = True
    words = say(
        "The game master took back the last turn played. Turn {turn} is open for orders "
        "again. The orders for it are current again, later ones are not."
    )

    def effect(self) -> Effect:
        return Effect(takes_back=True, due=None)


class TakenBackUntil(Act, frozen=True):
    turn: int | str
    when: Instant
    action = "undo"
    at_once = True
    words = say(
        "The game master took back the last turn played. Turn {turn} is open for orders again. "
        "The orders for it are current again, later ones are not. The deadline is now {when}."
    )

    def effect(self) -> Effect:
        return Effect(takes_back=True, due=self.when)


class AdvanceWithdrawn(Act, frozen=True):
    words = say("Your orders sent in advance are withdrawn.")


class OptionChanged(Act, frozen=True):
    key: str
    value: str
    before: str
    at_once = True
    words = say(
        "The game master changed an option of the match: {key} is now '{value}', before it was "
        "'{before}'."
    )

    def effect(self) -> Effect:
        return Effect(options={self.key: self.value})


class DeadlineKept(Act, frozen=True):
    when: Instant
    words = say("The present turn keeps its deadline, {when}.")

    def effect(self) -> Effect:
        return Effect(due=self.when)


class DeadlineEnded(Act, frozen=True):
    words = say("The present turn has no deadline.")

    def effect(self) -> Effect:
        return Effect(due=None)


class PressEnded(Act, frozen=True):
    words = say("Messages between players are not passed on any more.")


# Who plays.


class PlaysNow(Act, frozen=True):
    """A seat was given to another holder."""

    player: Message | str
    seat: Message
    action = "replace"
    words = say("{player} now plays {seat}.")


class Plays(Act, frozen=True):
    """An open seat was taken."""

    player: Message | str
    seat: Message
    words = say("{player} plays {seat}.")


class MatchBegun(Act, frozen=True):
    words = say("The match begins.")


class MatchBegunUntil(Act, frozen=True):
    when: Instant
    words = say("The match begins; orders are due {when}.")

    def effect(self) -> Effect:
        return Effect(due=self.when)


class GivenToSubstitute(Act, frozen=True):
    words = say("The seat was given to a substitute.")


class OfferEnded(Act, frozen=True):
    words = say("The draw offer from that seat has ended.")


class WarningsEnded(Act, frozen=True):
    words = say("The game master's forfeit warning no longer applies.")


class SeatLeft(Act, frozen=True):
    """A seat is open: nothing is due until it is taken."""

    seat: Message
    action = "leave"
    words = say("The player of {seat} has left. The match waits until the seat is taken.")

    def effect(self) -> Effect:
        return Effect(due=None)


def tells_holder(acts: Iterable[Act]) -> bool:
    """Return whether acts tell that a seat has another holder, or none."""
    return any(isinstance(act, PlaysNow | Plays | SeatLeft) for act in acts)


class ForfeitDecided(Act, frozen=True):
    seat: Message
    action = "forfeit"
    words = say("The game master decided that {seat} loses by forfeit.")


class LostInTournament(Act, frozen=True):
    seat: Message
    action = "forfeit"
    words = say("{seat} loses this match by forfeit.")


class LeftTournament(Act, frozen=True):
    seat: Message
    name: str
    action = "forfeit"
    words = say("{seat} has left the tournament {name}, and loses this match.")


class Cancelled(Act, frozen=True):
    words = say("The game master cancelled the match.")


class NeverOpened(Act, frozen=True):
    words = say("It never opened. Its seed, which nobody had seen, is below.")


class SaidToAll(Act, frozen=True):
    """Words of the game master's, which have no effect, whatever they say."""

    text: str
    words = say("The game master says: {text}")


# What the game master looked at that only a seat may know.


class BoardSeen(Act, frozen=True):
    seat: Message
    day: str
    action = "look"
    words = say("The game master looked at {seat}'s board on {day}.")


class WholeBoardSeen(Act, frozen=True):
    day: str
    action = "look"
    words = say("The game master looked at the whole board on {day}.")


class LinkSeen(Act, frozen=True):
    seat: Message
    day: str
    action = "look"
    words = say("The game master looked up the link to {seat}'s page on {day}.")


class SendersSeen(Act, frozen=True):
    day: str
    action = "look"
    words = say("On {day} the game master looked up which players had sent orders.")


class PlayersSeen(Act, frozen=True):
    day: str
    action = "look"
    words = say("On {day} the game master looked up who plays.")


class EmailSeen(Act, frozen=True):
    seat: Message
    day: str
    action = "look"
    words = say("The game master looked at {seat}'s email on {day}.")


class ClubEmailSeen(Act, frozen=True):
    day: str
    action = "look"
    words = say("The game master looked at the club's email on {day}.")


# What comes from outside of a match.


class NumberKnown(Act, frozen=True):
    """A match has opened with its public number."""

    number: Message | str
    value: str
    at_once = True
    words = say("The public number is known: {number}: {value}. The match has opened with it.")


BEFORE_OPENING = -1  # the ply after which an epoch ended in which a match waited for its number


class Restored(Act, frozen=True):
    """The club was restored; `adjud audit` reads the last sentence."""

    saved: Instant
    turn: int | str
    ended: str
    ply: int | str
    epoch: str
    at_once = True
    action = "restore"
    words = say(
        "The club was restored from its backup of {saved}. The match continues from turn {turn}: "
        "the later moves that you were sent are no longer valid, and orders that reply to them "
        "are not carried out. Epoch {ended} ends with ply {ply}, epoch {epoch} begins."
    )


AnyAct: TypeAlias = (
    DeadlineMoved
    | ClockPutRight
    | ClockSetBack
    | ForfeitAnnounced
    | WaitingEnded
    | HeldByMaster
    | Outage
    | HeldForEmails
    | HeldForReport
    | Continued
    | ContinuedUntil
    | NothingSent
    | Excused
    | DefaultsUsed
    | CameLate
    | NearlyForgotten
    | Waits
    | SubstitutesSought
    | ThenForfeit
    | ThenDefaults
    | TakenBack
    | TakenBackUntil
    | AdvanceWithdrawn
    | OptionChanged
    | DeadlineKept
    | DeadlineEnded
    | PressEnded
    | PlaysNow
    | Plays
    | MatchBegun
    | MatchBegunUntil
    | GivenToSubstitute
    | OfferEnded
    | WarningsEnded
    | SeatLeft
    | ForfeitDecided
    | LostInTournament
    | LeftTournament
    | Cancelled
    | NeverOpened
    | SaidToAll
    | BoardSeen
    | WholeBoardSeen
    | LinkSeen
    | SendersSeen
    | PlayersSeen
    | EmailSeen
    | ClubEmailSeen
    | NumberKnown
    | Restored
)
KINDS: tuple[type[AnyAct], ...] = get_args(AnyAct)
