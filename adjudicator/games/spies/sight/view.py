"""The view of a seat, as values (rules 7.1, 7.2, 9.7)."""

from collections.abc import Mapping

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.visible import Visible
from adjudicator.games.spies.orders.values import Flee, Informer, Spare, canonical
from adjudicator.games.spies.rules.state import DEAD


class SeenSpy(Visible, frozen=True, kw_only=True):
    """A spy as one seat sees it."""

    spy: str
    """The spy."""
    power: str
    """Whose it is."""
    city: str | None
    """Where it is, or null."""
    captor: str | None = None
    """Who has captured it, or null."""
    carries: str | None = None
    """The secret that it carries, or null."""
    strength: int | None = None
    """Null where this seat was not told it."""

    @property
    def dead(self) -> bool:
        return self.captor == DEAD


class SeenSecret(Visible, frozen=True, kw_only=True):
    """A secret as one seat sees it."""

    secret: str
    """Its code."""
    origin: str | None
    """Whose it was at first; null if nobody's."""
    city: str | None
    """Where it lies, or null."""
    spy: str | None = None
    """Who carries it, or null."""
    controller: str | None = None
    """Who has it, or null."""
    gone: str | None = None
    """What became of it, or null."""
    value: int | None = None
    """Its points, or null where this seat was not told."""
    counterspy: int | None = None
    """The strength of a counterspy, or null."""
    title: str | None = None
    """What it is called, or null where this seat was not told."""


class SeenPolice(Visible, frozen=True, kw_only=True):
    """Police in a city."""

    city: str
    """The city."""
    power: str
    """Whose police."""
    pieces: int
    """How many pieces stand there."""
    guards: tuple[str, ...]
    """The secrets that they guard."""


class OwnPolice(Visible, frozen=True, kw_only=True):
    """A piece of the seat's own police."""

    police: str
    """The piece."""
    strength: int
    """Its strength."""
    city: str | None
    """Where it stands, or null."""
    on: str | None
    """The secret that it guards, or null."""


class OwnChits(Visible, frozen=True, kw_only=True):
    """The chits of one of the seat's own powers."""

    discovery: int
    """How many of this kind."""
    papers: int
    """How many of this kind."""
    cover: int
    """How many of this kind."""
    escape: int
    """How many of this kind."""
    dagger: int
    """How many of this kind."""


class SeenEntry(Visible, frozen=True, kw_only=True):
    """A line of a power's record."""

    kind: str
    """What was done."""
    code: str
    """With which spy or secret."""
    year: int
    """In which year."""


class SeenStanding(Visible, frozen=True, kw_only=True):
    """The seat's standing orders; null are the defaults of 6.6."""

    answer: tuple[str, ...] | None
    """Lines, or null for the default."""
    cover: tuple[str, ...] | None
    """Lines, or null for the default."""
    flee: Mapping[str, tuple[str, ...]]
    """By spy, the cities to which it flees."""
    spare: tuple[str, ...]
    """Powers that are not searched."""
    informer: tuple[str, ...] | None
    """Secrets, or null for the default."""

    @property
    def lines(self) -> list[str]:
        """Return them all as lines, but for the defaults."""
        lines = [*(self.answer or ()), *(self.cover or ())]
        lines += [canonical(Flee((spy,), cities)) for spy, cities in self.flee.items()]
        lines += [canonical(Spare(self.spare))] if self.spare else []
        lines += [canonical(Informer(self.informer))] if self.informer else []
        return lines


class View(Visible, frozen=True, kw_only=True):
    """The match as one seat sees it now. What is of own powers alone is of all at the end, when
    nothing is hidden."""

    variant: str
    """The variant."""
    phase: str
    """`setup`, `play` or `over`."""
    seat: Seat
    """The reader's seat."""
    turn: int
    """The turn; 0 in the set-up."""
    result: Outcome | None
    """How the match ended, or null."""
    seats: Mapping[Seat, tuple[str, ...]]
    """The powers that each seat leads."""
    left: Mapping[Seat, str]
    """The seats that gave up, and why."""
    order: str
    """The option."""
    assassination: bool
    """The option."""
    year: int
    """The year that is to be played."""
    mode: str
    """`years` or `turns`."""
    to_move: str | None
    """The power that is to move; null if all order at once."""
    first: str
    """The power that begins the year."""
    powers: tuple[str, ...]
    """The powers of this seat."""
    dormant: tuple[str, ...]
    """Powers that nobody leads."""
    placed: bool
    """Whether the set-ups are done."""
    spies: tuple[SeenSpy, ...]
    """All spies."""
    secrets: tuple[SeenSecret, ...]
    """All secrets."""
    police: tuple[SeenPolice, ...]
    """The police that everybody sees."""
    own_police: tuple[OwnPolice, ...]
    """This seat's own police."""
    money: Mapping[str, int]
    """By power, in pounds."""
    chits: Mapping[str, int]
    """By power, how many."""
    tiles: Mapping[str, int]
    """By power, how many."""
    played: tuple[str, ...]
    """The event tiles that were played."""
    own_chits: Mapping[str, OwnChits]
    """By own power, how many of each kind."""
    own_tiles: Mapping[str, tuple[str, ...]]
    """By own power, which ones."""
    record: Mapping[str, tuple[SeenEntry, ...]]
    """By power, its captured spies and cashed secrets."""
    points: Mapping[str, int]
    """By own power; at the end of all."""
    standing: SeenStanding
    """The seat's standing orders."""

    @property
    def moving(self) -> tuple[str, ...]:
        """Return the seat's powers for which orders may be given now."""
        return tuple(power for power in self.powers if self.to_move in (None, power))

    @property
    def enemy_police(self) -> Mapping[str, int]:
        """Return how many pieces of enemies stand in each city that has any."""
        return {p.city: p.pieces for p in self.police if p.power not in self.powers}
