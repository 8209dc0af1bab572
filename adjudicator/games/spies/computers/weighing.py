"""Weigh what a secret is worth to a spy, as far as a view tells.

Of a face that the seat was not told, every face that it has not seen elsewhere is equally likely.
From these follow the value to hope for and the counterspy to fear; police count by their number,
since their strength is hidden; a power that holds chits may hold a Cover, with which it keeps what
is worth most of what it controls. Discoveries of others' originals promise less for that than their
mean value, and who reckons without it robs whoever is nearest to all.
"""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from adjudicator.games.spies.rules.atlas import Code, Power, atlas, owner_of
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

# How likely one or two police pieces are stronger than a spy of strength 0 to 5.
CAUGHT = ((1.0, 0.9, 0.6, 0.4, 0.15, 0.05), (1.0, 1.0, 0.95, 0.85, 0.65, 0.45))
ANSWERED = 4  # spies of this strength answer by default (6.6)
RIVALRY = 0.3  # how much more a secret counts that the enemy with the best hopes loses
LEAD = 8.0  # who may hope for so many points less than the best is no rival
A_SECRET, A_SPY = 2.2, 3.0  # points that a secret and a captured spy are worth in the mean
BAIT = 6.0  # how much more often what its owner leaves open at home is a counterspy
COVERED_FROM = 3  # values from which on secrets are covered by default (6.6)


class Unseen(Struct, frozen=True):
    """The faces that a seat has not seen: values of real ones, strengths of counterspies."""

    values: tuple[int, ...]
    counterspies: tuple[int, ...]

    @property
    def number(self) -> int:
        return len(self.values) + len(self.counterspies)


class Table(Struct, frozen=True):
    """A view with what is looked up in it again and again."""

    view: View
    unseen: Unseen
    police: Mapping[str, int]
    rivals: Mapping[Power, float]


def table(view: View) -> Table:
    return Table(
        view=view,
        unseen=_unseen(view),
        police=view.enemy_police,
        rivals=_rivals(view),
    )


def _rivals(view: View) -> Mapping[Power, float]:
    """Return how far each power is in the way of who wants to win, from 0 to 1: the one that may
    hope for most points fully, one far behind it not at all."""
    hopes = {power: _hopes(view, power) for power in view.money}
    best = max(hopes.values())
    return {power: max(0.0, 1 - (best - hope) / LEAD) for power, hope in hopes.items()}


def _hopes(view: View, power: Power) -> float:
    """Return the points for which a power may hope by what everybody sees: its originals that
    nobody has taken, and its record."""
    kept = sum(
        secret.origin == power and not secret.gone and secret.controller in (None, power)
        for secret in view.secrets
    )
    return A_SECRET * kept + sum(
        (A_SECRET if entry.kind == "secret" else A_SPY) * atlas().factors[entry.year]
        for entry in view.record[power]
    )


def _unseen(view: View) -> Unseen:
    values = [face.value for face in atlas().faces.values() if face.value]
    strengths = [face.strength for face in atlas().faces.values() if face.strength]
    for secret in view.secrets:
        if secret.value is not None and secret.value in values:
            values.remove(secret.value)
        if secret.counterspy is not None and secret.counterspy in strengths:
            strengths.remove(secret.counterspy)
    return Unseen(tuple(values), tuple(strengths))


def factor(view: View) -> int:
    return atlas().factors[view.year]


def gain(here: Table, spy: SeenSpy, secret: SeenSecret, city: str) -> float:
    """Return the points that a discovery by a spy in a city may be expected to bring: what can be
    cashed soon, less the spy that a counterspy may catch."""
    strength = spy.strength or 0
    bait = BAIT if _is_left_open(secret) else 1.0
    hope, fear = _hope(here.unseen, secret.value, secret.counterspy, strength, bait)
    capital = atlas().powers[spy.power].capital
    far = atlas().distance(city, capital)
    home = 1.0 if far <= atlas().most_spaces else 0.75
    points = hope * factor(here.view) * home * (1 - _covered(here, secret))
    points *= 1 + RIVALRY * here.rivals.get(secret.origin or "", 0.0)
    loss = fear * strength * factor(here.view) * 0.8
    return points - loss


@lru_cache(maxsize=4096)
def _hope(
    unseen: Unseen, value: int | None, counterspy: int | None, strength: int, bait: float
) -> tuple[float, float]:
    """Return the mean value, and how often a counterspy catches the spy. `bait` is how much more
    often than by chance it is a counterspy."""
    if value is not None:
        return float(value), 0.0
    if counterspy is not None:
        return 0.0, float(counterspy > strength)
    if not unseen.number:
        return 0.0, 0.0
    caught = sum(other > strength for other in unseen.counterspies)
    all_ = len(unseen.values) + bait * len(unseen.counterspies)
    return sum(unseen.values) / all_, bait * caught / all_


def _is_left_open(secret: SeenSecret) -> bool:
    """Return whether an original lies at home where its owner could guard it, and does not."""
    owner = secret.origin
    return bool(owner and not secret.controller and secret.city in atlas().powers[owner].homes)


def _covered(here: Table, secret: SeenSecret) -> float:
    """Return how much of the value to hope for is lost to Cover: how likely it is that whoever
    controls the secret holds one and can pay it, times what is covered by default."""
    holder = secret.controller or ""
    chits = here.view.chits.get(holder, 0)
    if not chits or here.view.money[holder] < atlas().costs["cover"]:
        return 0.0
    of_all = atlas().chits["cover"] / sum(atlas().chits.values())
    return (1 - (1 - of_all) ** chits) * _dear(here.unseen, secret.value)


def _dear(unseen: Unseen, value: int | None) -> float:
    """Return which part of a value, if it is not known of the values unseen, is in secrets that are
    covered by default."""
    values = unseen.values if value is None else (value,)
    return sum(v for v in values if v >= COVERED_FROM) / max(1, sum(values))


def danger(here: Table, spy: SeenSpy, city: str, papers: int) -> float:
    """Return the points that going to a city may be expected to cost: how likely its police are
    stronger, and what a captured spy is worth to them."""
    pieces = min(here.police.get(city, 0), len(CAUGHT))
    if not pieces:
        return 0.0
    strength = spy.strength or 0
    likely = CAUGHT[pieces - 1][strength]
    if papers and strength >= ANSWERED:
        likely *= 0.4
    return likely * (strength * factor(here.view) + 1)


def may_discover(
    view: View, spy: SeenSpy, secret: SeenSecret, strengths: Mapping[Code, int]
) -> bool:
    """Return whether a spy may discover a secret (4.3.1) and may hope to: not from a carrier who is
    known to be as strong."""
    if secret.gone or secret.city is None:
        return False
    carrier = owner_of(secret.spy) if secret.spy else None
    if carrier in view.powers:
        return False
    if secret.spy and strengths.get(secret.spy, 3) >= (spy.strength or 0):
        return False
    return carrier is not None if secret.origin == spy.power else secret.origin not in view.powers
