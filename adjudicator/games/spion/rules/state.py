"""The whole truth of a match of Spion, and the facts that change it."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from adjudicator.core.match import Option, Outcome, Seat, StoredValue
from adjudicator.games.spion.orders.values import Answer, Fifth, Keep

SEATS = (Seat("blue"), Seat("green"), Seat("yellow"), Seat("red"))  # the rule book's 1 to 4
MOST_ROUNDS = 900  # that can be agreed
X = "X"  # the adjudicator's own chain (section 6.6)

Place: TypeAlias = str  # a square ("e5") or an embassy's code ("NOR")
Card: TypeAlias = str  # a type ("ATOM")
Holder: TypeAlias = tuple[Card | None, Card | None, Card | None, Card | None]  # places 1 to 4
Dice: TypeAlias = tuple[int, int]
Mode: TypeAlias = Literal["turns", "rounds"]
Memory: TypeAlias = Literal["honour", "once", "open"]
Standing: TypeAlias = Fifth | Answer | Keep
Use: TypeAlias = Literal["move", "challenge", "fifth", "answer"]
# Why a line cannot be followed: the place that it names is filled, the holder full, no embassy of
# its list vacant, the card to give up not there, room in the holder, no place of its list filled.
Why: TypeAlias = Literal["filled", "full", "embassies", "missing", "room", "empty"]

EMPTY: Holder = (None, None, None, None)


def chain(seat: Seat) -> str:
    """Return the name of a seat's chain: its number in the rule book, as text (section 6.1)."""
    return str(SEATS.index(seat) + 1)


OPTIONS: Mapping[str, Option] = {
    "mode": Option(
        ("turns", "rounds"),
        by_seats={3: "rounds", 4: "rounds"},
        about="one after the other (usual for two), or all at once",
    ),  # 8.3
    "memory": Option(
        ("honour", "once", "open"), about="what may be remembered, see the rules, 5.6"
    ),  # 5.6
    "open_doors": Option(
        ("false", "true"), about="while no embassy has a card, embassies do not protect"
    ),  # 8.2
    "max_rounds": Option(
        most=MOST_ROUNDS,
        about="after so many rounds the player with the most equal cards wins; with `0` after"
        " 990 at the latest, because a chain of dice has no more keys",
    ),  # A38
    "roll_when_blocked": Option(
        ("true", "false"), about="whether a spy that cannot move at all rolls all the same"
    ),  # A26
}


class Settings(StoredValue, frozen=True):
    """The board and the options of a match. `own_board` is the text of a board that did not
    come with the game, else empty. `roll_when_blocked` is ruling A26."""

    variant: str = "original"
    own_board: str = ""
    mode: Mode = "turns"
    memory: Memory = "honour"
    open_doors: bool = False
    max_rounds: int = 0
    roll_when_blocked: bool = True


class Roll(StoredValue, frozen=True):
    """Two dice, the link of the seat's chain that they come from, and its key in hex."""

    number: int
    dice: Dice
    key: str

    @property
    def total(self) -> int:
        return sum(self.dice)

    @property
    def double(self) -> bool:
        return self.dice[0] == self.dice[1]


class Pending(StoredValue, frozen=True):
    """A wrong guess that awaits the defender's answer (5.3). `place` is the one that was shown."""

    challenger: Seat
    defender: Seat
    place: int


class Unplaced(StoredValue, frozen=True):
    """A card on "?" of a holder, until its owner's choice is carried out."""

    seat: Seat
    card: Card


class Noted(StoredValue, frozen=True):
    """An entry of the open dossier (5.6): a card that all saw and where it lay then, a place of
    `seat` ("3") or, without a seat, an embassy. `moved` strikes it out."""

    turn: int
    card: Card
    seat: Seat | None
    place: str
    moved: bool = False


class State(StoredValue, frozen=True):
    """`seats` are those in play, in table order, `left` those of them that gave up and why.
    `embassies` has only those that hold a card, in the board's order. `rolls` are dice not yet
    used up, `links` how many links of each chain are used. `to_move` is None in the set-up, at
    the end and between the rounds of mode `rounds`."""

    settings: Settings
    seats: tuple[Seat, ...]
    types: tuple[Card, ...]
    spies: Mapping[Seat, Place]
    bodyguards: Mapping[Seat, Place]
    holders: Mapping[Seat, Holder]
    embassies: Mapping[Place, Card] = {}
    unplaced: Unplaced | None = None
    phrases: Mapping[Seat, str] = {}
    standing: Mapping[Seat, tuple[Standing, ...]] = {}
    rolls: Mapping[Seat, Roll] = {}
    links: Mapping[str, int] = {}
    first: Seat | None = None
    to_move: Seat | None = None
    turn: int = 0
    round: int = 0
    ply: int = 0
    pending: Pending | None = None
    left: Mapping[Seat, str] = {}
    dossier: tuple[Noted, ...] = ()
    outcome: Outcome | None = None


class Ordered(StoredValue, frozen=True, tag=True):
    """A seat's sheet as it was used, in canonical lines; secret until the end. `ply` counts
    adjudications, the phrases being 1."""

    seat: Seat
    ply: int
    lines: tuple[str, ...]


class Phrased(StoredValue, frozen=True, tag=True):
    """A seat's phrase (6.2); public once all are in."""

    seat: Seat
    text: str


class Dealt(StoredValue, frozen=True, tag=True):
    """The cards lie in the embassies, face down (R1.1). `cards` is secret, its keys are not."""

    cards: Mapping[Place, Card]


class OpeningRolled(StoredValue, frozen=True, tag=True):
    """A roll for the first turn (R1.3); public."""

    seat: Seat
    number: int
    dice: Dice
    key: str


class Begun(StoredValue, frozen=True, tag=True):
    """`first` moves first; turn 1 begins."""

    first: Seat


class Rolled(StoredValue, frozen=True, tag=True):
    """Dice for the seat's coming turn. `public`: nobody can act before they are used (5.1)."""

    seat: Seat
    number: int
    dice: Dice
    key: str
    public: bool


class Instructed(StoredValue, frozen=True, tag=True):
    """All standing orders of a seat as they are from now on; only its own affair."""

    seat: Seat
    standing: tuple[Standing, ...]


class TurnOpened(StoredValue, frozen=True, tag=True):
    """A seat's turn is executed; its dice become public. None: it did not roll (A26)."""

    seat: Seat
    turn: int
    roll: Roll | None


class Moved(StoredValue, frozen=True, tag=True):
    """A spy walked. `path` are the places it entered, the goal last; `ambush`: as in R7."""

    seat: Seat
    start: Place
    goal: Place
    path: tuple[Place, ...]
    ambush: bool = False


class Took(StoredValue, frozen=True, tag=True):
    """A spy took the card of the embassy that it entered (R5). `place` None: onto "?"."""

    seat: Seat
    embassy: Place
    card: Card
    place: int | None


class Swapped(StoredValue, frozen=True, tag=True):
    """The card on "?" went to `place`, the one from there face down to `embassy` (R5.3)."""

    seat: Seat
    place: int
    embassy: Place
    given: Card
    kept: Card


class Refused(StoredValue, frozen=True, tag=True):
    """The card on "?" went face down to `embassy` (R5.3, R6.3). `known`: all know its type,
    since it was guessed."""

    seat: Seat
    embassy: Place
    card: Card
    known: bool = False


class Kept(StoredValue, frozen=True, tag=True):
    """The card on "?" went to a free place (R6.3)."""

    seat: Seat
    place: int
    card: Card


class Challenged(StoredValue, frozen=True, tag=True):
    """R6.1: the bodyguard went from `guard_from` to `guard_to`, the target's spy from
    `spy_from` to its start `spy_to`."""

    seat: Seat
    target: Seat
    place: int
    guess: Card
    guard_from: Place
    guard_to: Place
    spy_from: Place
    spy_to: Place
    ambush: bool = False


class GuessedRight(StoredValue, frozen=True, tag=True):
    """R6.2: the guessed card went to the challenger. `into` None: onto "?"."""

    seat: Seat
    target: Seat
    place: int
    card: Card
    into: int | None


class Shown(StoredValue, frozen=True, tag=True):
    """R6.3: after a wrong guess the card was shown to all and put back."""

    seat: Seat
    place: int
    card: Card


class TakenInAnswer(StoredValue, frozen=True, tag=True):
    """R6.3: the defender `seat` took the card on `place` of the challenger onto "?"."""

    seat: Seat
    challenger: Seat
    place: int
    card: Card


class Blocked(StoredValue, frozen=True, tag=True):
    """R8: the spy had nowhere to go; `by` are the owners of the bodyguards that block it."""

    seat: Seat
    by: tuple[Seat, ...]


class GuardSwapped(StoredValue, frozen=True, tag=True):
    """R8.2: the seat's bodyguard went from `guard_from` to `square`, that of `replaced` from
    there to its `home`."""

    seat: Seat
    replaced: Seat
    square: Place
    guard_from: Place
    home: Place


class Drew(StoredValue, frozen=True, tag=True):
    """Link `number` of chain X was opened in this turn for a default (5.4)."""

    seat: Seat
    use: Use
    number: int
    key: str


class Unfollowed(StoredValue, frozen=True, tag=True):
    """A line of the seat, in canonical form, that was meant for this case and could not be
    followed; only its own affair. The next line or the default was followed instead."""

    seat: Seat
    line: str
    why: Why


class AnswerAwaited(StoredValue, frozen=True, tag=True):
    """Mode `turns`: the defender has no FINAL answer and is asked (5.3)."""

    challenger: Seat
    defender: Seat
    place: int


class TurnPassed(StoredValue, frozen=True, tag=True):
    """The seat's turn is over; `to_move` is next, None where the next round is to be ordered."""

    seat: Seat
    to_move: Seat | None
    turn: int
    round: int


class Left(StoredValue, frozen=True, tag=True):
    """A seat gave up or was forfeited; it goes on by the defaults (5.4)."""

    seat: Seat
    reason: str


class Replaced(StoredValue, frozen=True, tag=True):
    """A seat has a new holder: the standing orders of the one before end with him."""

    seat: Seat


class Ended(StoredValue, frozen=True, tag=True):
    """The match is over."""

    outcome: Outcome


Event: TypeAlias = (
    Ordered
    | Phrased
    | Dealt
    | OpeningRolled
    | Begun
    | Rolled
    | Instructed
    | TurnOpened
    | Moved
    | Took
    | Swapped
    | Refused
    | Kept
    | Challenged
    | GuessedRight
    | Shown
    | TakenInAnswer
    | Blocked
    | GuardSwapped
    | Drew
    | Unfollowed
    | AnswerAwaited
    | TurnPassed
    | Left
    | Replaced
    | Ended
)
