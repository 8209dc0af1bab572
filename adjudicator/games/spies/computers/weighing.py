"""Weigh what a secret is worth to a spy, as far as a view tells.

Of a face that the seat was not told, every face that it has not seen elsewhere is equally likely.
From these follow the value to hope for and the counterspy to fear; police count by their number,
since their strength is hidden; a power that holds chits may cover what it controls.
"""

from collections.abc import Mapping
from functools import lru_cache

from msgspec import Struct

from adjudicator.games.spies.rules.atlas import Code, Power, atlas, owner_of
from adjudicator.games.spies.sight.view import SeenSecret, SeenSpy, View

# How likely one or two police pieces are stronger than a spy of strength 0 to 5.
CAUGHT = ((1.0, 0.9, 0.6, 0.4, 0.15, 0.05), (1.0, 1.0, 0.95, 0.85, 0.65, 0.45))
ANSWERED = 4  # spies of this strength answer by default (6.6)
RIVALRY = 0.9  # how much more a secret counts that a strong enemy loses
BAIT = 6.0  # how much more often what its owner leaves open at home is a counterspy
COVERS = 0.04  # how often a chit in an enemy's hand turns out to be a Cover that is played


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
        police={p.city: p.pieces for p in view.police if p.power not in view.powers},
        rivals={power: _standing(view, power) for power in view.money},
    )


def _standing(view: View, power: Power) -> float:
    """Return how well an enemy stands, from 0 to 1, by the originals that he still may keep and the
    secrets that he cashed: what he loses to us he cannot win with."""
    mine = [secret for secret in view.secrets if secret.origin == power]
    kept = sum(not secret.gone for secret in mine)
    cashed = sum(entry.kind == "secret" for entry in view.record[power])
    return min(1.0, (kept + cashed) / (len(mine) + 3))


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
    """Return how likely it is that whoever controls the secret keeps it."""
    chits = here.view.chits.get(secret.controller or "", 0)
    return min(0.6, chits * COVERS)


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
