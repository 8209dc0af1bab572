"""Orders that an email to a new player of Espionage can send as they are, from his view alone.

They follow the first tip that names a step; what more a turn asks for is a step forward.
"""

from collections.abc import Callable, Sequence

from adjudicator.core.game import Suggestion
from adjudicator.core.message import Message, Words, say
from adjudicator.games.espionage.orders.template import forward
from adjudicator.games.espionage.page import tips
from adjudicator.games.espionage.page.tips_table import Table, table, unknown_around, worth_of
from adjudicator.games.espionage.rules.combat import TAKES, wins
from adjudicator.games.espionage.rules.movement import after, legal_steps, steps_due
from adjudicator.games.espionage.rules.pieces import Rank
from adjudicator.games.espionage.rules.state import Step
from adjudicator.games.espionage.sight.observe import View, ground, pieces_moved


def suggest(view: View, words: Words) -> Suggestion | None:
    """Return the set-up that adjud makes, or the steps of the first tip that names one."""
    if view.phase == "setup":
        return Suggestion(
            lines=("SETUP AUTO",),
            label=say("Place my army for me"),
            usual=True,
        )
    here = table(view)
    for step_of, told_by in _RULES:
        first = step_of(here)
        if first is not None and (lines := _whole(view, first)):
            return Suggestion(lines=lines, why=told_by(here))
    return None


def _whole(view: View, first: Step) -> tuple[str, ...]:
    """Return the lines of a turn that begins with a step; none if nothing can follow it."""
    here = ground(view)
    if steps_due(here, pieces_moved(view)) == 1:
        return (str(first),)
    seconds = legal_steps(after(here, first))
    return (str(first), str(min(seconds, key=forward(view)))) if seconds else ()


def _take(table: Table) -> Step | None:
    found = [
        (worth_of(met), -worth_of(mine), Step(mine.square, met.square))
        for mine, met in table.attacks()
        if mine.rank and met.rank and wins(mine.rank, met.rank)
    ]
    return max(found, key=lambda one: one[:2])[2] if found else None


def _attack_of_general(table: Table) -> Step | None:
    found = (
        Step(mine.square, met.square)
        for mine, met in table.attacks()
        if mine.rank == Rank.GENERAL and met.rank is None and met.moved
    )
    return next(found, None)


def _sure_attack(table: Table) -> Step | None:
    found = (
        Step(mine.square, met.square)
        for mine, met in table.attacks()
        if mine.rank not in (None, Rank.GENERAL) and met.rank is None and met.could_be
        if all(rank in TAKES[mine.rank] for rank in met.could_be)
    )
    return next(found, None)


def _look(table: Table) -> Step | None:
    found = [
        (len(around), step)
        for step in table.steps
        if table.at[step.start].rank == Rank.SPY and step.target not in table.at
        if (around := unknown_around(table, step.target))
    ]
    return max(found, key=lambda one: one[0])[1] if found else None


# As `tips.KINDS` has them, and each with the tip that names its step.
_RULES: Sequence[tuple[Callable[[Table], Step | None], Callable[[Table], Message | None]]] = (
    (_take, tips.can_take),
    (_attack_of_general, tips.general_attacks),
    (_sure_attack, tips.sure_attack),
    (_look, tips.spy_looks),
)
