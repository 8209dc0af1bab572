"""Orders as values, and the one way in which we write them (rules section 9)."""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from msgspec import Struct

from adjudicator.core.match import StoredValue

ALL, NONE, DEFAULT, HOME = "ALL", "NONE", "DEFAULT", "HOME"
CARRYING, EMPTY, POLICE = "CARRYING", "EMPTY", "POLICE"
MONEY, STRENGTH, VALUE = "MONEY", "STRENGTH", "VALUE"
COUNTED = (POLICE, MONEY, STRENGTH, VALUE)  # conditions that compare a number


class Cond(StoredValue, frozen=True):
    """A condition (6.5): `what` is one of the words above or a secret's code; `op` is `>=`, `<=`
    or `=` where a number is compared, else empty."""

    what: str
    op: str = ""
    n: int = 0


Conds: TypeAlias = tuple[Cond, ...]


class Goal(Struct, frozen=True):
    """One wish of a GO step; `place` is a city or HOME."""

    place: str
    near: bool = False
    conds: Conds = ()


class Go(Struct, frozen=True, tag=True):
    """`GO PRA IF N-4, NEAR HOME` (9.2)."""

    goals: tuple[Goal, ...]


class Discover(Struct, frozen=True, tag=True):
    """`DISCOVER N-4, N-3 TRIES 2` (4.3)."""

    secrets: tuple[str, ...]
    tries: int = 1
    conds: Conds = ()


class Take(Struct, frozen=True, tag=True):
    """`TAKE G-1` (4.5)."""

    secret: str
    conds: Conds = ()


class Drop(Struct, frozen=True, tag=True):
    """`DROP` (4.5)."""

    conds: Conds = ()


class Kill(Struct, frozen=True, tag=True):
    """`KILL R-B` (4.7)."""

    spy: str
    conds: Conds = ()


class Escape(Struct, frozen=True, tag=True):
    """`ESCAPE`: a captured spy returns (5.7)."""


Step: TypeAlias = Go | Discover | Take | Drop | Kill | Escape


class Play(Struct, frozen=True, tag=True):
    """`PLAY TG1` (5.8)."""

    tile: str


class Discard(Struct, frozen=True, tag=True):
    """`DISCARD TG1` (5.8)."""

    tile: str


class Post(Struct, frozen=True, tag=True):
    """`POLICE P1 BER ON G-1` (5.9)."""

    piece: str
    city: str
    on: str | None = None


class Plan(Struct, frozen=True, tag=True):
    """`SPY A: GO PRA; DISCOVER N-4` (3.2)."""

    spy: str
    steps: tuple[Step, ...]


class Hold(Struct, frozen=True, tag=True):
    """`HOLD N-4` or `HOLD ALL` (4.6)."""

    secrets: tuple[str, ...]


class Give(Struct, frozen=True, tag=True):
    """`GIVE italy 10` or `GIVE italy PAPERS` (5.10); `chit` is a kind, None for money."""

    power: str
    money: int = 0
    chit: str | None = None


class Answer(StoredValue, frozen=True, tag=True):
    """`ANSWER ESCAPE A, B AGAINST FRANCE IF CARRYING` (6.2); no spies: all, no powers: all."""

    act: Literal["PAPERS", "ESCAPE", "NONE", "DEFAULT"]
    spies: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    conds: Conds = ()


class Cover(StoredValue, frozen=True, tag=True):
    """`COVER ALL AGAINST ITALY IF VALUE>=2` (6.3); `secrets` may be ALL, NONE or DEFAULT."""

    secrets: tuple[str, ...]
    against: tuple[str, ...] = ()
    conds: Conds = ()


class Flee(Struct, frozen=True, tag=True):
    """`FLEE A: HAM, WAR` (6.4); `spies` may be ALL."""

    spies: tuple[str, ...]
    cities: tuple[str, ...]


class Spare(Struct, frozen=True, tag=True):
    """`SPARE france, I-A, BER` (6.4): powers, spies, cities, ALL or NONE."""

    things: tuple[str, ...]


class Informer(Struct, frozen=True, tag=True):
    """`INFORMER N-4, I-1` (6.4): secrets, ALL or NONE."""

    secrets: tuple[str, ...]


class SetUp(Struct, frozen=True, tag=True):
    """`SETUP`, `SETUP AUTO` or `SETUP RANDOM` (9.3)."""

    drawn: Literal["AUTO", "RANDOM"] | None = None


class Place(Struct, frozen=True, tag=True):
    """`G-1 BER`, `P1 BER ON G-1`, `A LIS`: a line of a set-up (9.3)."""

    piece: str
    city: str
    on: str | None = None


StandingOrder: TypeAlias = Answer | Cover | Flee | Spare | Informer
TurnOrder: TypeAlias = Play | Discard | Post | Plan | Hold | Give
Order: TypeAlias = TurnOrder | StandingOrder | SetUp | Place


def canonical(order: Order) -> str:
    """Write an order in the one way in which we write it: English words and codes."""
    match order:
        case Play(tile):
            return f"PLAY {tile}"
        case Discard(tile):
            return f"DISCARD {tile}"
        case Post(piece, city, on):
            return f"POLICE {piece} {city}" + _on(on)
        case Plan(spy, steps):
            return f"SPY {spy}: " + "; ".join(map(step_text, steps))
        case Hold(secrets):
            return f"HOLD {_list(secrets)}"
        case Give(power, money, chit):
            return f"GIVE {power.upper()} {chit.upper() if chit else money}"
        case Answer(act, spies, against, conds):
            return f"ANSWER {act}" + (f" {_list(spies)}" if spies else "") + _rest(against, conds)
        case Cover(secrets, against, conds):
            return f"COVER {_list(secrets)}" + _rest(against, conds)
        case Flee(spies, cities):
            return f"FLEE {_list(spies)}: {_list(cities)}"
        case Spare(things):
            return f"SPARE {_list(thing.upper() for thing in things)}"
        case Informer(secrets):
            return f"INFORMER {_list(secrets)}"
        case SetUp(drawn):
            return f"SETUP {drawn}" if drawn else "SETUP"
        case Place(piece, city, on):
            return f"{piece} {city}" + _on(on)


def step_text(step: Step) -> str:
    match step:
        case Go(goals):
            return f"GO {_list(map(_goal, goals))}"
        case Discover(secrets, tries, conds):
            return (
                f"DISCOVER {_list(secrets)}" + (f" TRIES {tries}" if tries > 1 else "") + if_(conds)
            )
        case Take(secret, conds):
            return f"TAKE {secret}" + if_(conds)
        case Drop(conds):
            return "DROP" + if_(conds)
        case Kill(spy, conds):
            return f"KILL {spy}" + if_(conds)
        case Escape():
            return "ESCAPE"


def if_(conds: Conds) -> str:
    """Write conditions with the word that leads to them, behind a blank; nothing if there are
    none."""
    if not conds:
        return ""
    return " IF " + " AND ".join(f"{c.what}{c.op}{c.n}" if c.op else c.what for c in conds)


def _goal(goal: Goal) -> str:
    return ("NEAR " if goal.near else "") + goal.place + if_(goal.conds)


def _list(words: Iterable[str]) -> str:
    return ", ".join(words)


def _on(secret: str | None) -> str:
    return f" ON {secret}" if secret else ""


def _rest(against: tuple[str, ...], conds: Conds) -> str:
    return (f" AGAINST {_list(map(str.upper, against))}" if against else "") + if_(conds)
