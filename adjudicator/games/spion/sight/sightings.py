"""The news of Spion as values: one struct for each kind of event, of the event's own fields (rules
5.5).

`guess`, `card`, `given` and `kept` are types of cards and told once, and so is `line`, which may
be for a type, with its `why`. Each is absent for who may not know it. `LASTING` lists all others: a
field that is new is told once too, until it stands there.
"""

from typing import TypeAlias

from msgspec import UNSET, UnsetType

from adjudicator.core.match import Seat
from adjudicator.core.visible import Visible
from adjudicator.games.spion.rules.state import Card, Dice, Place, Why


class Sighting(Visible, frozen=True, kw_only=True, tag_field="event"):
    """Something that happened to `seat`, or that it did."""

    seat: Seat


class SawPhrased(Sighting, frozen=True, kw_only=True, tag="phrased"):
    text: str


class SawBegun(Sighting, frozen=True, kw_only=True, tag="begun"):
    """`seat` has the first turn."""


class SawOpeningRolled(Sighting, frozen=True, kw_only=True, tag="opening-rolled"):
    number: int
    dice: Dice
    key: str


class SawTurnOpened(Sighting, frozen=True, kw_only=True, tag="turn-opened"):
    turn: int
    number: int | UnsetType = UNSET
    dice: Dice | None
    key: str | UnsetType = UNSET


class SawBlocked(Sighting, frozen=True, kw_only=True, tag="blocked"):
    by: tuple[Seat, ...]


class SawDrew(Sighting, frozen=True, kw_only=True, tag="drew"):
    number: int
    key: str
    use: str


class SawUnfollowed(Sighting, frozen=True, kw_only=True, tag="unfollowed"):
    why: Why | UnsetType = UNSET
    line: str | UnsetType = UNSET


class SawAnswerAwaited(Sighting, frozen=True, kw_only=True, tag="answer-awaited"):
    target: Seat
    place: int


class SawLeft(Sighting, frozen=True, kw_only=True, tag="left"):
    reason: str


class SawReplaced(Sighting, frozen=True, kw_only=True, tag="replaced"):
    """`seat` has a new holder."""


class SawDealt(Sighting, frozen=True, kw_only=True, tag="dealt"):
    embassies: tuple[Place, ...]


class SawMoved(Sighting, frozen=True, kw_only=True, tag="moved"):
    start: Place
    goal: Place
    path: tuple[Place, ...]
    ambush: bool


class SawGuardSwapped(Sighting, frozen=True, kw_only=True, tag="guard-swapped"):
    target: Seat
    goal: Place
    guard_from: Place
    guard_to: Place


class SawChallenged(Sighting, frozen=True, kw_only=True, tag="challenged"):
    target: Seat
    place: int
    guard_from: Place
    guard_to: Place
    spy_from: Place
    spy_to: Place
    ambush: bool
    guess: Card | UnsetType = UNSET


class SawTook(Sighting, frozen=True, kw_only=True, tag="took"):
    embassy: Place
    place: int | None
    card: Card | UnsetType = UNSET


class SawSwapped(Sighting, frozen=True, kw_only=True, tag="swapped"):
    embassy: Place
    place: int
    given: Card | UnsetType = UNSET
    kept: Card | UnsetType = UNSET


class SawRefused(Sighting, frozen=True, kw_only=True, tag="refused"):
    embassy: Place
    card: Card | UnsetType = UNSET


class SawKept(Sighting, frozen=True, kw_only=True, tag="kept"):
    place: int
    card: Card | UnsetType = UNSET


class SawGuessedRight(Sighting, frozen=True, kw_only=True, tag="guessed-right"):
    target: Seat
    place: int
    into: int | None
    card: Card | UnsetType = UNSET


class SawShown(Sighting, frozen=True, kw_only=True, tag="shown"):
    place: int
    card: Card | UnsetType = UNSET


class SawTakenInAnswer(Sighting, frozen=True, kw_only=True, tag="taken-in-answer"):
    target: Seat
    place: int
    card: Card | UnsetType = UNSET


Seen: TypeAlias = (
    SawPhrased
    | SawBegun
    | SawOpeningRolled
    | SawTurnOpened
    | SawBlocked
    | SawDrew
    | SawUnfollowed
    | SawAnswerAwaited
    | SawLeft
    | SawReplaced
    | SawDealt
    | SawMoved
    | SawGuardSwapped
    | SawChallenged
    | SawTook
    | SawSwapped
    | SawRefused
    | SawKept
    | SawGuessedRight
    | SawShown
    | SawTakenInAnswer
)
LASTING = frozenset(
    {
        *("seat", "target", "turn", "number", "dice", "key", "text", "by", "use", "reason"),
        *("place", "into", "embassy", "embassies", "start", "goal", "path", "ambush"),
        *("guard_from", "guard_to", "spy_from", "spy_to"),
    }
)


def tells_type(entry: Seen) -> bool:
    """Return whether an entry has anything that is told once."""
    return any(
        getattr(entry, name) is not UNSET for name in entry.__struct_fields__ if name not in LASTING
    )
