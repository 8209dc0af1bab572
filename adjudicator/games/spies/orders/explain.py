"""Tell in words what the plans of a sheet will try: a player reads what he has ordered (9.2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce

from adjudicator.core.message import Message, count, say
from adjudicator.games.spies.orders.values import (
    CARRYING,
    EMPTY,
    MONEY,
    POLICE,
    STRENGTH,
    Cond,
    Conds,
    Discover,
    Drop,
    Escape,
    Go,
    Goal,
    Kill,
    Order,
    Plan,
    Step,
    Take,
)
from adjudicator.games.spies.rules.atlas import City, Power, power_of
from adjudicator.games.spies.rules.movement import city_named
from adjudicator.games.spies.sight.view import View

_HOW_MANY: Mapping[str, Message] = {
    ">=": say("at least"),
    "<=": say("at most"),
    "=": say("exactly"),
}


_BARE: Mapping[str, Message] = {
    CARRYING: say("it carries something"),
    EMPTY: say("it carries nothing"),
}
_COUNTED: Mapping[str, Message] = {
    CARRYING: say("it carries something worth {number}"),
    POLICE: say("the number of enemy police there is {number}"),
    MONEY: say("your money is {number} £"),
    STRENGTH: say("its strength is {number}"),
}


def explain(view: View, orders: Sequence[Order]) -> Iterator[Message]:
    """Yield a sentence for each plan with more than one way to go; short ones say it themselves."""
    for order in orders:
        if isinstance(order, Plan) and _is_winding(order):
            steps = [_step(step, power_of(order.spy)) for step in order.steps]
            yield say("{spy} will try: {steps}.", spy=order.spy, steps=_chained(steps))


def _is_winding(plan: Plan) -> bool:
    first = plan.steps[0]
    return len(plan.steps) > 1 or (isinstance(first, Go) and len(first.goals) > 1)


def _chained(steps: Iterable[Message]) -> Message:
    return reduce(lambda one, next_: say("{one}, then {next}", one=one, next=next_), steps)


def _step(step: Step, power: Power) -> Message:
    match step:
        case Go(goals):
            return say("to {goals}", goals=_goals(goals, power))
        case Discover(secrets, tries, conds):
            return _if(_discover(secrets, tries), conds)
        case Take(secret, conds):
            return _if(say("take {secret}", secret=secret), conds)
        case Drop(conds):
            return _if(say("leave what it carries"), conds)
        case Kill(spy, conds):
            return _if(say("attack {spy}", spy=spy), conds)
        case Escape():
            return say("come back from captivity")


def _goals(goals: Sequence[Goal], power: Power) -> Message:
    told = [_if(_place(goal, city_named(goal, power)), goal.conds) for goal in goals]
    return reduce(lambda one, next_: say("{one}, else {next}", one=one, next=next_), told)


def _place(goal: Goal, city: City) -> Message:
    if goal.near:
        return say("as near to {city} as it can", city=city)
    return say("{city}", city=city)


def _discover(secrets: Sequence[str], tries: int) -> Message:
    codes = ", ".join(secrets)
    if len(secrets) == 1:
        return count(
            "discover {secrets} with one chit",
            "discover {secrets} with up to {n} chits",
            tries,
            secrets=codes,
        )
    return count(
        "discover the first of {secrets} that is there, with one chit",
        "discover the first of {secrets} that is there, with up to {n} chits",
        tries,
        secrets=codes,
    )


def _if(what: Message, conds: Conds) -> Message:
    if not conds:
        return what
    told = map(_cond, conds)
    together = reduce(lambda one, next_: say("{one} and {next}", one=one, next=next_), told)
    return say("{what} if {conditions}", what=what, conditions=together)


def _cond(cond: Cond) -> Message:
    number = say("{bound} {n}", bound=_HOW_MANY[cond.op], n=cond.n) if cond.op else None
    if number is None:
        return _BARE.get(cond.what) or say("{secret} is there", secret=cond.what)
    return say(_COUNTED[cond.what].text, number=number)
