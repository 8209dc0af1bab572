"""Check that no seat learns what it may not know, by matches that it cannot tell apart.

Two branches of a match differ in nothing but the orders of one turn that another seat drew, and the
private chance that is not the seat's own. As long as a seat's views and its news are the same in
both, the two are twins to it: all that it gets must be the same bytes.
"""

import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, product
from random import Random
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.dice import Chance, Stream
from adjudicator.core.game import AnyGame, fold
from adjudicator.core.match import Seat, Setting
from adjudicator.core.message import LANGUAGES, tell
from adjudicator.core.orders import split_lines
from adjudicator.core.report import AnyReport
from adjudicator.core.visible import Visible, plain
from adjudicator.service.game_check.sample import (
    ONLOOKER,
    PLAYER,
    ContractFault,
    Place,
    Sample,
    garble,
    standing,
)
from adjudicator.service.reports import building, printing

_TRIES = 5  # other orders of the others that are tried at a ply
_DEALS = 30  # other set-ups that are tried
_ON = 3  # plies that twins are played on
_PLIES = 8  # of each match, at which it branches
_ADDRESS = re.compile(
    r" at 0x[0-9a-f]+"
)  # in what Python shows of a value without a form of its own


class OtherChance(Chance, frozen=True):
    """The chance of a match, but for the deal and the private draws of all seats but one."""

    seat: str = ""
    other: bytes = b""

    def private(self, seat: str, use: str) -> Stream:
        return super().private(seat, use if seat == self.seat else f"{use}|{self.other.hex()}")

    def deal(self) -> Stream:
        return replace(self.plain, seed=self.other).deal()

    @property
    def plain(self) -> Chance:
        """Return the chance of which this is another."""
        return Chance(self.seed, self.match, self.label, self.phrases)


class TwinBranch(Struct, frozen=True):
    """One ply in one of two branches, and what came of it; `before` is None for the set-up."""

    chance: Chance
    before: Any
    orders: Mapping[Seat, Sequence[Any]]
    events: tuple[Any, ...]
    after: Any


class Fork(Struct, frozen=True):
    """Two branches of a match, of which `seat` gave the same orders and was shown the same."""

    setting: Setting
    seat: Seat
    left: TwinBranch
    right: TwinBranch

    @property
    def both(self) -> tuple[TwinBranch, TwinBranch]:
        return self.left, self.right


def _adjudicated(
    game: AnyGame, state: Any, orders: Mapping[Seat, Sequence[Any]], chance: Chance
) -> TwinBranch:
    events = tuple(game.rules.adjudicate(state, orders, chance))
    return TwinBranch(chance, state, orders, events, fold(game, state, events))


def _set_up(game: AnyGame, setting: Setting, chance: Chance) -> TwinBranch:
    return TwinBranch(chance, None, {}, (), game.rules.set_up(setting, chance))


def _again(game: AnyGame, fork: Fork, branch: TwinBranch) -> Any:
    """Adjudicate a branch again, as a club does before the seat is told or writes, and return the
    state after it."""
    if branch.before is None:
        return _set_up(game, fork.setting, branch.chance).after
    return _adjudicated(game, branch.before, branch.orders, branch.chance).after


def _view(game: AnyGame, state: Any, seat: Seat) -> bytes:
    return msgspec.json.encode(plain(game.sight.observe(state, seat)))


def _news(game: AnyGame, branch: TwinBranch, seat: Seat) -> list[Any]:
    seen = (game.sight.witness(event, seat) for event in branch.events)
    return [plain(sight) for sight in seen if sight is not None]


def _random_orders(game: AnyGame, state: Any, seat: Seat, chance: Chance, use: str) -> Any:
    view = game.sight.observe(state, seat)
    return game.computers[PLAYER](view, chance.private(seat, use))


def forks(sample: Sample) -> Iterator[Fork]:
    """Yield branches of the random matches in which another seat ordered something else; whether
    the seat can tell them apart is not asked."""
    game = sample.game
    for ply in sample.plies(_PLIES):
        for seat in sample.seats(ply):
            others = [other for other in ply.orders if other != seat]
            left = TwinBranch(ply.chance, ply.before, ply.orders, ply.events, ply.after)
            for number in range(_TRIES if others else 0):
                use = f"fork {number}"
                drawn = {
                    other: _random_orders(game, ply.before, other, ply.chance, use)
                    for other in others
                }
                chance = _other(ply.chance, seat, use)
                right = _adjudicated(game, ply.before, {**ply.orders, **drawn}, chance)
                if right.after == left.after and right.events == left.events:
                    continue
                if not any(game.rules.outcome(one.after) for one in (left, right)):
                    yield Fork(ply.setting, seat, left, right)


def _other(chance: Chance, seat: Seat, use: str) -> OtherChance:
    other = sha256(chance.seed + use.encode()).digest()
    return OtherChance(
        chance.seed, chance.match, chance.label, chance.phrases, seat=seat, other=other
    )


def set_ups(sample: Sample) -> Iterator[Fork]:
    """Yield set-ups that differ in the deal and the private draws of other seats."""
    game = sample.game
    for match in sample.played:
        for ply, seat in product(match.plies[:1], match.plies[0].setting.seats):
            sample.place = Place(match=match.name, ply=0, seat=seat)
            left = _set_up(game, ply.setting, ply.chance)
            for number in range(_DEALS):
                chance = _other(ply.chance, seat, f"deal {number}")
                yield Fork(ply.setting, seat, left, _set_up(game, ply.setting, chance))


def news(sample: Sample) -> Iterator[ContractFault]:
    """Find news that differ where views do not, and note the keys of views that differ where news
    do not: an author sees there what `observe` shows and nothing tells.

    A game whose news are told once only (`sight.tells_once`) leaves it to players to remember them,
    so it is not asked.
    """
    game = sample.game
    shown = set[str]()
    for fork in forks(sample):
        seat, right = fork.seat, fork.right
        one, other = (_news(game, branch, seat) for branch in fork.both)
        views = [plain(game.sight.observe(branch.after, seat)) for branch in fork.both]
        if views[0] != views[1]:
            if one == other:
                shown.update(key for key in views[0] if views[0][key] != views[1].get(key))
        elif _values(one) != _values(other) and not game.sight.tells_once:
            drawn = _lines(game, right.orders, seat)
            yield sample.fault(
                f"had others ordered {drawn}, {seat}'s view would be the same, but its news are "
                f"{_first_difference(one, other)}; if the rules tell this, its view shows it, too"
            )
    if shown:
        keys = ", ".join(sorted(shown))
        sample.note = f"only the view, and no news, shows what others ordered: {keys}"


def _values(told: Any) -> list[str]:
    """Return all values in some news, sorted: in what order others acted is no secret."""
    if isinstance(told, Mapping):
        return sorted(value for one in told.values() for value in _values(one))
    if isinstance(told, list):
        return sorted(value for one in told for value in _values(one))
    return [repr(told)]


def _lines(game: AnyGame, orders: Mapping[Seat, Sequence[Any]], but: Seat) -> str:
    return " | ".join(
        f"{seat}: {' / '.join(game.orders.lines(one))}"
        for seat, one in orders.items()
        if seat != but
    )


def _first_difference(one: list[Any], other: list[Any]) -> str:
    for left, right in zip(one, other, strict=False):
        if left != right:
            return f"{left} and {right}"
    return f"{len(one)} and {len(other)}"


def _alike(game: AnyGame, fork: Fork) -> bool:
    """Return whether the seat cannot tell the branches apart, and they are not the same."""
    views = {_view(game, branch.after, fork.seat) for branch in fork.both}
    return (
        len(views) == 1
        and fork.left.after != fork.right.after
        and _news(game, fork.left, fork.seat) == _news(game, fork.right, fork.seat)
    )


def pairs(sample: Sample) -> Iterator[Fork]:
    """Yield twins: forks that the seat cannot tell apart, and how they go on with the same
    orders."""
    game = sample.game
    done = set[tuple[str, int | None, str]]()
    for fork in chain(set_ups(sample), forks(sample)):
        key = (sample.place.match, sample.place.ply, fork.seat)
        if key in done or not _alike(game, fork):
            continue
        done.add(key)
        rng = sample.random("twins", *key)
        place = sample.place
        yield fork
        for _ in range(_ON):
            orders = _same_orders(game, fork, rng)
            if orders is None:
                break
            left, right = (
                _adjudicated(game, branch.after, orders, fork.left.chance) for branch in fork.both
            )
            if any(game.rules.outcome(one.after) for one in (left, right)):
                break
            fork = Fork(fork.setting, fork.seat, left, right)
            if not _alike(game, fork):
                break
            sample.place = replace(place, ply=(sample.place.ply or 0) + 1, orders=())
            yield fork


def _same_orders(game: AnyGame, fork: Fork, rng: Random) -> dict[Seat, Any] | None:
    """Return orders for the next ply that are allowed in both branches, None if none are found."""
    waiting = game.rules.awaiting(fork.left.after)
    if waiting != game.rules.awaiting(fork.right.after):
        return None
    found = {}
    for seat in (seat for seat in fork.setting.seats if seat in waiting):
        for _ in range(_TRIES):
            orders = _random_orders(
                game, fork.left.after, seat, fork.left.chance, f"on {rng.getrandbits(32)}"
            )
            sheet = game.orders.parse(split_lines("\n".join(game.orders.lines(orders))))
            if not game.orders.check(game.sight.observe(fork.right.after, seat), sheet):
                found[seat] = orders
                break
        else:
            return None
    return found


def refusals(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    looked_at = 0
    for fork in pairs(sample):
        looked_at += 1
        texts = [*_probes(sample, fork)]
        answers = []
        for branch in fork.both:
            state = _again(game, fork, branch)
            answers.append([_answer(game, state, fork.seat, text) for text in texts])
        for text, one, other in zip(texts, *answers, strict=True):
            if one != other:
                yield sample.fault(
                    f"the sheet {text!r} is answered {one or 'with nothing'!r} in one match and "
                    f"{other or 'with nothing'!r} in another that {fork.seat} cannot tell apart"
                )
                return
    sample.note = _counted(looked_at)


def _counted(pairs: int) -> str:
    return f"{pairs} pairs of matches that a seat cannot tell apart"


def _probes(sample: Sample, fork: Fork) -> Iterator[str]:
    """Yield sheets that the seat might send: its own, those of others, garbled ones."""
    game, seat = sample.game, fork.seat
    rng = sample.random("probes", seat, sample.place.match, sample.place.ply)
    own = seat in game.rules.awaiting(fork.left.after)
    for number in range(6 if own else 0):
        orders = _random_orders(game, fork.left.after, seat, fork.left.chance, f"probe {number}")
        text = "\n".join(game.orders.lines(orders))
        yield text
        yield garble(text, rng)
    drawn = [orders for branch in fork.both for orders in branch.orders.values()]
    for orders in drawn:
        text = "\n".join(game.orders.lines(orders))
        yield text
        yield f"{text}\n{text}"
        yield from (game.orders.canonical(order) for order in list(orders)[:4])
    yield "\n".join(line for orders in drawn for line in game.orders.lines(orders))


def _answer(game: AnyGame, state: Any, seat: Seat, text: str) -> str:
    view = game.sight.observe(state, seat)
    sheet = game.orders.parse(split_lines(text))
    problems = [*sheet.problems, *game.orders.check(view, sheet)]
    if not problems:
        problems += game.orders.warn(view, sheet)
    return "; ".join(f"{one.line} {tell(one.message)}" for one in problems)


def twins(sample: Sample) -> Iterator[ContractFault]:
    game, number = sample.game, 0
    for number, fork in enumerate(pairs(sample), start=1):
        for road, one, other in _both_asked(game, fork, pages=number % 10 == 1 and number < 40):
            if one != other:
                yield sample.fault(
                    f"{road} differs in two matches that {fork.seat} cannot tell apart: "
                    f"{_difference(one, other)}"
                )
    note = _counted(number)
    yield from _after_another(sample)
    sample.note = note


def _both_asked(game: AnyGame, fork: Fork, pages: bool) -> Iterator[tuple[str, Any, Any]]:
    """Yield what a seat gets in both branches, by the member of the game that gives it. Before each
    question its branch is adjudicated again: what a game keeps is then of this branch, and no other
    function has put something else in its place."""
    roads = [*_roads(game, fork), *(_pages(game, fork) if pages else ())]
    for road, ask in roads:
        one, other = (ask(_again(game, fork, branch), branch) for branch in fork.both)
        yield road, one, other


def _after_another(sample: Sample) -> Iterator[ContractFault]:
    """Look at what a seat is shown of a ply again, once a ply of another match was played: the
    program plays all matches in one process."""
    game = sample.game
    plies = [
        (ply, sample.place)
        for ply in sample.plies(_PLIES)
        if not game.rules.outcome(ply.after)  # then nothing is hidden any more
    ]
    for number, (ply, place) in enumerate(plies):
        stranger, _ = plies[(number + len(plies) // 2) % len(plies)]
        for seat in ply.setting.seats:
            shown = []
            for last in (ply, stranger):
                _adjudicated(game, last.before, last.orders, last.chance)
                shown.append(_rows(game, ply.setting, seat, ply.after, ply.events))
            if shown[0] != shown[1]:
                sample.place = replace(place, seat=seat)
                yield sample.fault(
                    "page.rows differs once another match was played in the same process: "
                    f"{_difference(*shown)}"
                )


def _difference(one: Any, other: Any) -> str:
    left, right = str(one), str(other)
    at = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    return f"{left[max(0, at - 20) : at + 40]!r} and {right[max(0, at - 20) : at + 40]!r}"


Asking = Callable[[Any, TwinBranch], Any]


def _roads(game: AnyGame, fork: Fork) -> Iterator[tuple[str, Asking]]:
    """Yield how to ask in a state for what a seat gets, by the member of the game that gives it."""
    rules, sight, seat = game.rules, game.sight, fork.seat

    def by_view(ask: Callable[[Any], Any]) -> Asking:
        return lambda state, branch: ask(sight.observe(state, seat))

    def ordered(name: str) -> Asking:
        return by_view(
            lambda view: game.orders.lines(
                game.computers[name](view, fork.left.chance.private(seat, "twins"))
            )
        )

    yield "rules.awaiting", lambda state, branch: sorted(rules.awaiting(state))
    yield "rules.turn", lambda state, branch: rules.turn(state)
    yield "rules.phase", lambda state, branch: rules.phase(state)
    yield "rules.pace", lambda state, branch: rules.pace(state)
    yield 'the view of the seat ""', lambda state, branch: _view(game, state, ONLOOKER)
    yield "proof.links", lambda state, branch: msgspec.json.encode(game.proof.links(state, seat))
    yield "orders.template", by_view(lambda view: list(game.orders.template(view)))
    yield "orders.example", by_view(lambda view: list(game.orders.example(view)))
    yield "page.tip", by_view(lambda view: repr(game.page.tip(view, tell)))
    yield (
        "page.rows",
        lambda state, branch: _rows(game, fork.setting, seat, state, branch.events),
    )
    if seat in rules.awaiting(fork.left.after):
        yield "page.suggest", by_view(lambda view: repr(game.page.suggest(view, tell)))
        for name in (PLAYER, "computer"):
            if name in game.computers:
                yield f"what {name} orders", ordered(name)


def _report(
    game: AnyGame, setting: Setting, seat: Seat, state: Any, events: Iterable[Any]
) -> AnyReport:
    """Return the report of a seat after some events, with their news."""
    seen = (game.sight.witness(event, seat) for event in events)
    news = tuple(sight for sight in seen if sight is not None)
    return replace(building.report(standing(game, state, setting.options), seat), news=news)


def _rows(game: AnyGame, setting: Setting, seat: Seat, state: Any, events: Iterable[Any]) -> str:
    rows = game.page.rows(_report(game, setting, seat, state, events), tell)
    return _ADDRESS.sub("", repr(rows))


def _pages(game: AnyGame, fork: Fork) -> Iterator[tuple[str, Asking]]:
    def printed(language: str, form: str) -> Asking:
        def ask(state: Any, branch: TwinBranch) -> str:
            report = _report(game, fork.setting, fork.seat, state, branch.events)
            return printing.render(printing.Printable(report, language, "UTC"), form)

        return ask

    for language, form in product(LANGUAGES, ("text", "html", "letter", "svg", "json")):
        yield f"the page as {form} in {language}", printed(language, form)


def visible(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for road in ("observe", "witness"):
        returned = typing.get_type_hints(getattr(game.sight, road)).get("return")
        if returned is None:
            yield sample.fault(f"sight.{road} has no annotation of what it returns")
            continue
        for cls in classes_within(msgspec.inspect.type_info(returned)):
            if not issubclass(cls, (Visible, str)):
                yield sample.fault(
                    f"sight.{road} may return {cls.__name__}, which is not declared Visible"
                )
    hidden = (game.rules.state, *(typing.get_args(game.rules.event) or (game.rules.event,)))
    for cls in hidden:
        if issubclass(cls, Visible):
            yield sample.fault(f"{cls.__name__} is declared Visible; its base is StoredValue")


_PLAIN = (
    msgspec.inspect.StrType,
    msgspec.inspect.IntType,
    msgspec.inspect.BoolType,
    msgspec.inspect.NoneType,
    msgspec.inspect.LiteralType,  # a word out of those that the type itself names
)


def classes_within(node: Any) -> Iterator[type]:
    """Yield every class that a value of this type may hold."""
    if isinstance(node, msgspec.inspect.StructType):
        yield node.cls
        for field in node.fields:
            yield from classes_within(field.type)
    elif isinstance(node, msgspec.inspect.UnionType):
        for part in node.types:
            yield from classes_within(part)
    elif isinstance(node, msgspec.inspect.TupleType):
        for part in node.item_types:
            yield from classes_within(part)
    elif isinstance(node, msgspec.inspect.DictType):
        yield from classes_within(node.key_type)
        yield from classes_within(node.value_type)
    elif hasattr(node, "item_type"):
        yield from classes_within(node.item_type)
    elif isinstance(node, msgspec.inspect.EnumType):
        yield node.cls
    elif not isinstance(node, _PLAIN):
        yield type(node)  # anything else, `Any` among it, is more than may be shown


def views(sample: Sample) -> Iterator[ContractFault]:
    game = sample.game
    for ply, state in sample.states(40):
        view = plain(game.sight.observe(state, ONLOOKER))
        if view.get("seat") != ONLOOKER:
            yield sample.fault('a view has `seat`, which is "" for the seat that nobody has')
        if view.get("variant") != ply.setting.variant:
            yield sample.fault("a view has the match's `variant`")
        if not game.sight.truth(state).strip():
            yield sample.fault("sight.truth is empty")
        for seat in sample.seats(ply):
            body = plain(game.sight.observe(state, seat))
            if msgspec.json.decode(msgspec.json.encode(body)) != body:
                yield sample.fault("a view is not the same after JSON")
    for ply in sample.plies(20):
        for seat in sample.seats(ply):
            views = {_view(game, state, seat) for state in (ply.before, ply.after)}
            told = [game.sight.witness(event, seat) for event in ply.events]
            for sight in told:
                plain(sight)
            if len(views) == 1 and not any(told):
                yield sample.fault(f"{seat} cannot see that time went on")
