"""The view of a seat, as values (rules 7.1, 7.2, 9.7)."""

from collections.abc import Mapping

from adjudicator.core.match import Outcome, Seat
from adjudicator.core.visible import Visible
from adjudicator.games.spies.orders.values import Flee, Informer, Spare, canonical
from adjudicator.games.spies.rules.state import DEAD


class SeenSpy(Visible, frozen=True, kw_only=True):
    """`strength` is None where the seat was not told it."""

    spy: str
    power: str
    city: str | None
    captor: str | None
    carries: str | None
    strength: int | None

    @property
    def dead(self) -> bool:
        return self.captor == DEAD


class SeenSecret(Visible, frozen=True, kw_only=True):
    """`value` or, of a counterspy, its strength, and the title: None where the seat was not told
    them. `origin` None: it began with nobody."""

    secret: str
    origin: str | None
    city: str | None
    spy: str | None
    controller: str | None
    gone: str | None
    value: int | None
    counterspy: int | None
    title: str | None


class SeenPolice(Visible, frozen=True, kw_only=True):
    """The number of pieces that stand in a city, and the secrets that they guard."""

    city: str
    power: str
    pieces: int
    guards: tuple[str, ...]


class OwnPolice(Visible, frozen=True, kw_only=True):
    police: str
    strength: int
    city: str | None
    on: str | None


class OwnChits(Visible, frozen=True, kw_only=True):
    discovery: int
    papers: int
    cover: int
    escape: int
    dagger: int


class SeenEntry(Visible, frozen=True, kw_only=True):
    """A line of a power's record."""

    kind: str
    code: str
    year: int


class SeenStanding(Visible, frozen=True, kw_only=True):
    """The seat's standing orders; None are the defaults of 6.6. `answer` and `cover` are lines,
    `informer` and `spare` things, as the orders name them."""

    answer: tuple[str, ...] | None
    cover: tuple[str, ...] | None
    flee: Mapping[str, tuple[str, ...]]
    spare: tuple[str, ...]
    informer: tuple[str, ...] | None

    @property
    def lines(self) -> list[str]:
        """Return them all as lines, but for the defaults."""
        lines = [*(self.answer or ()), *(self.cover or ())]
        lines += [canonical(Flee((spy,), cities)) for spy, cities in self.flee.items()]
        lines += [canonical(Spare(self.spare))] if self.spare else []
        lines += [canonical(Informer(self.informer))] if self.informer else []
        return lines


class View(Visible, frozen=True, kw_only=True):
    """The match as one seat sees it now. `powers` are those that it leads; `year` is the one to be
    played, `first` who begins it. Each of the last fields but `points` has the seat's own powers
    alone, and at the end, when nothing is hidden, all. `left` are the seats that gave up, and
    why."""

    variant: str
    phase: str
    seat: Seat
    turn: int
    result: Outcome | None
    seats: Mapping[Seat, tuple[str, ...]]
    left: Mapping[Seat, str]
    order: str
    assassination: bool
    year: int
    mode: str
    to_move: str | None
    first: str
    powers: tuple[str, ...]
    dormant: tuple[str, ...]
    placed: bool
    spies: tuple[SeenSpy, ...]
    secrets: tuple[SeenSecret, ...]
    police: tuple[SeenPolice, ...]
    own_police: tuple[OwnPolice, ...]
    money: Mapping[str, int]
    chits: Mapping[str, int]
    tiles: Mapping[str, int]
    played: tuple[str, ...]
    own_chits: Mapping[str, OwnChits]
    own_tiles: Mapping[str, tuple[str, ...]]
    record: Mapping[str, tuple[SeenEntry, ...]]
    points: Mapping[str, int]
    standing: SeenStanding

    @property
    def moving(self) -> tuple[str, ...]:
        """Return the seat's powers for which orders may be given now."""
        return tuple(power for power in self.powers if self.to_move in (None, power))

    @property
    def enemy_police(self) -> Mapping[str, int]:
        """Return how many pieces of enemies stand in each city that has any."""
        return {p.city: p.pieces for p in self.police if p.power not in self.powers}
