"""Spies and their plans (rules 3.2, 4.3 to 4.7, 5.7).

Steps are done one after another. A step that cannot be done at that moment is left out and its
owner told why; the rest goes on. A plan ends without a word when its spy is captured or flees:
`Errand.done` says so, and whoever captures the spy need not know of plans.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from adjudicator.games.spies.orders.values import (
    ALL,
    Conds,
    Discover,
    Drop,
    Escape,
    Go,
    Hold,
    Kill,
    Order,
    Plan,
    Step,
    Take,
)
from adjudicator.games.spies.rules import events, standing_orders
from adjudicator.games.spies.rules.atlas import City, Code, Power, atlas, owner_of, spy_codes
from adjudicator.games.spies.rules.conditions import all_hold
from adjudicator.games.spies.rules.control import (
    are_enemies,
    is_original,
    leader,
    name_for,
    police_in,
)
from adjudicator.games.spies.rules.discovery import discover, first_legal_secret
from adjudicator.games.spies.rules.movement import goal_of
from adjudicator.games.spies.rules.ply_in_progress import Course
from adjudicator.games.spies.rules.search import guard_at_once, search
from adjudicator.games.spies.rules.state import DEAD, Spy


def spies_step(course: Course, power: Power, sheet: Sequence[Order]) -> None:
    """Carry out the plans in the order of their lines; then spies without a line cash in (4.6)."""
    plans = [o for o in sheet if isinstance(o, Plan) and owner_of(o.spy) == power]
    held = {code for o in sheet if isinstance(o, Hold) for code in o.secrets}
    for plan in plans:
        Errand(course, power, plan.spy, held).carry_out(plan.steps)
    for spy in spy_codes(power):
        if spy in course.state.spies and spy not in {plan.spy for plan in plans}:
            Errand(course, power, spy, held).cash()


class Errand:
    """One spy in its power's turn."""

    def __init__(self, course: Course, power: Power, spy: Code, held: set[str]) -> None:
        self.course, self.power, self.code, self.held = course, power, spy, held
        self.spaces = atlas().most_spaces
        self.searched: set[City] = set()
        self.done = False

    @property
    def spy(self) -> Spy:
        return self.course.state.spies[self.code]

    def carry_out(self, steps: Sequence[Step]) -> None:
        self.cash()
        for number, step in enumerate(steps, start=1):
            why = self._do(number, step)
            if why:
                seat = leader(self.course.state, self.power)
                self.course.tell(events.Skipped(self.power, seat, self.code, number, why))
            if self.done:
                return

    def _do(self, number: int, step: Step) -> events.Why | None:
        """Do a step, or say why it is left out."""
        if isinstance(step, Escape):
            return self._return() if number == 1 else "cannot-return"
        if isinstance(step, Kill):
            return self._kill(step)
        if self.spy.city is None:
            return "off-map"
        if isinstance(step, Go):
            return self._go(step)
        if not self._holds(step.conds):
            return "condition"
        return _DOERS[type(step)](self, step)

    def _holds(self, conds: Conds) -> bool:
        return all_hold(self.course.state, self.power, self.code, self.spy.city, conds)

    def cash(self) -> None:
        """Cash at once a foreign secret that the spy carries in its capital (4.6)."""
        carried, capital = self.spy.carries, atlas().powers[self.power].capital
        if carried is None or self.spy.city != capital or is_original(carried, self.power):
            return
        if self.held.isdisjoint({ALL, carried}):
            seat = leader(self.course.state, self.power)
            chit = next(iter(self.course.next_chits(1)), None)
            self.course.tell(events.Cash(self.power, seat, self.code, carried, chit))

    def _return(self) -> events.Why | None:
        """Bring a captured spy back to its capital (5.7)."""
        state = self.course.state
        captured = self.spy.captor not in (None, DEAD)
        if not captured or not standing_orders.can_pay(state, self.power, "escape"):
            return "cannot-return"
        capital = atlas().powers[self.power].capital
        self.course.tell(events.Return(self.power, self.code, capital))
        return None

    def _go(self, step: Go) -> events.Why | None:
        start = self.spy.city
        goal = goal_of(self.course.state, self.power, self.code, step, self.spaces)
        if goal is None or start is None:
            return "no-goal"
        spaces = atlas().distance(start, goal)
        if spaces:
            self.spaces -= spaces
            self.course.tell(events.Go(self.power, self.code, start, goal))
            self._arrive(goal)
        return None

    def _arrive(self, city: City) -> None:
        """Let police search the spy that arrived (5.3), then let it cash (4.6)."""
        state, host = self.course.state, atlas().owner(city)
        meets = host and are_enemies(state, self.power, host) and police_in(state, host, city)
        if host and meets and city not in self.searched:
            self.searched.add(city)
            search(self.course, host, self.code, arrival=True)
            self.done = self.spy.city != city
        if not self.done:
            self.cash()

    def _discover(self, step: Discover) -> events.Why | None:
        """Look for the secrets of a step, so often as it says (4.3.6)."""
        not_again: set[Code] = set()
        for number in range(step.tries):
            state = self.course.state
            secret = first_legal_secret(state, self.power, self.code, step.secrets, not_again)
            if secret is None:
                return None if number else "nothing-here"
            if not standing_orders.can_pay(state, self.power, "discovery"):
                return "cannot-pay"
            event = discover(self.course, self.power, self.code, secret)
            if event.captured:
                self.done = True
                return None
            if event.result == "guarded":
                not_again.add(secret)
            self.cash()
        return None

    def _take(self, step: Take) -> events.Why | None:
        """Take an own original that is uncontrolled or under own police (4.5)."""
        state, city = self.course.state, self.spy.city
        secret = state.secrets[step.secret]
        free = is_original(step.secret, self.power) and secret.spy is None
        if self.spy.carries or city is None or secret.city != city or not free:
            return "cannot-take"
        self.course.tell(events.Take(self.power, self.code, step.secret, city))
        return None

    def _drop(self, step: Drop) -> events.Why | None:
        carried, city = self.spy.carries, self.spy.city
        if carried is None or city is None:
            return "empty"
        self.course.tell(events.Drop(self.power, self.code, carried, city))
        return None

    def _kill(self, step: Kill) -> events.Why | None:
        """Attack another spy with a dagger (4.7)."""
        state, city = self.course.state, self.spy.city
        if not self._holds(step.conds):
            return "condition"
        victim, other = state.spies.get(step.spy), owner_of(step.spy)
        if victim is None or other is None or city is None or victim.city != city:
            return "cannot-kill"
        hostile = are_enemies(state, self.power, other)
        if not hostile or not standing_orders.can_pay(state, self.power, "dagger"):
            return "cannot-kill"
        mine, theirs = self.spy.strength, victim.strength
        result: events.Killing = (
            "killed" if mine > theirs else "nothing" if mine == theirs else "captured"
        )
        carried = self.spy.carries
        told = (name_for(state, self.power), name_for(state, other))
        self.course.tell(
            events.Kill(self.power, self.code, step.spy, city, result, mine, theirs, told)
        )
        if result == "captured":
            self.done = True
            if carried:
                guard_at_once(self.course, other, carried)
        return None


_DOERS: Mapping[type[Any], Callable[[Errand, Any], events.Why | None]] = {
    Discover: Errand._discover,
    Take: Errand._take,
    Drop: Errand._drop,
}
