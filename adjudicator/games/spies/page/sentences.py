"""Sentences of a report that are no news: what was agreed, how the match ended, what bears on the
orders, and how the sheet is filled in."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core import match
from adjudicator.core.match import Outcome, Seat
from adjudicator.core.message import Message, count, say
from adjudicator.core.report import Report
from adjudicator.games.spies.orders.words import TITLES
from adjudicator.games.spies.page.names import power_names
from adjudicator.games.spies.rules.atlas import (
    FIRST_YEAR,
    LAST_YEAR,
    Code,
    atlas,
    owner_of,
    police_codes,
    spy_codes,
)
from adjudicator.games.spies.sight.sightings import News
from adjudicator.games.spies.sight.view import View

_REASONS: Mapping[str, Message] = {
    "points": say("most points"),
}
_LEFT: Mapping[str, Message] = {
    "resignation": say("{power} resigned; the default rules now play its turns."),
    "forfeit": say("{power} has lost by forfeit; the default rules now play its turns."),
}
_HAD_LEFT: Mapping[str, Message] = {  # in the last letter (6.7)
    "resignation": say("{power} resigned, so it could not win."),
    "forfeit": say("{power} had lost by forfeit, so it could not win."),
}
# What decides between equal points, in this order (8.3).
_BY = (say("more foreign secrets cashed"), say("more captured spies"), say("more money"))


def option_messages(view: View) -> Iterator[Message]:
    """Yield what was agreed, in parts of one sentence."""
    if view.mode == "years":
        yield say("Everyone orders a whole year, then the powers move one after another")
        if view.order == "rotating":
            yield say("a different power begins each year")
        else:
            yield say("Germany begins each year")
    else:
        yield say("Each power's turn is ordered separately")
    if view.assassination:
        yield say("with daggers")
    if view.dormant:
        yield say("nobody plays {powers}", powers=power_names(view.dormant))
    for seat, led in view.seats.items():
        if len(led) > 1:
            yield say("{seat} leads {powers}", seat=TITLES[seat], powers=power_names(led))


def ending(view: View, result: Outcome) -> Message:
    """Say how the match ended."""
    if result.reason == "points" and result.winner:
        return _by_points(view, result.winner)
    return match.ending(result, _REASONS, TITLES)


def _by_points(view: View, winner: Seat) -> Message:
    """Name the winner's points and, where others that could win have as many, what decided."""
    points = _points(view, winner)
    others = [seat for seat in view.seats if seat != winner and seat not in view.left]
    level = [seat for seat in others if _points(view, seat) == points]
    if not level:
        return count(
            "{seat} wins with {n} point.",
            "{seat} wins with {n} points.",
            points,
            seat=TITLES[winner],
        )
    best = max(_besides(view, seat) for seat in level)
    parts = zip(_BY, _besides(view, winner), best, strict=True)
    return count(
        "{seat} wins with {n} point, tied with {others} but with {what}.",
        "{seat} wins with {n} points, tied with {others} but with {what}.",
        points,
        seat=TITLES[winner],
        others=power_names(level),
        what=next(what for what, own, other in parts if own > other),
    )


def _points(view: View, seat: Seat) -> int:
    return sum(view.points[power] for power in view.seats[seat])


def _besides(view: View, seat: Seat) -> tuple[int, int, int]:
    """Return what decides between equal points, as a seat has it (8.3)."""
    led = view.seats[seat]
    entries = [(power, entry) for power in led for entry in view.record[power]]
    cashed = sum(e.kind == "secret" and owner_of(e.code) != power for power, e in entries)
    spies = sum(entry.kind == "spy" for _, entry in entries)
    return cashed, spies, sum(view.money[power] for power in led)


def facts(view: View) -> Iterator[Message]:
    """Yield what bears on the orders to be written, or on the result: whose turn it is, and who
    has left."""
    if view.phase == "play":
        year = str(view.year)
        if view.to_move:
            yield say("It is {year}, {power}'s turn.", year=year, power=TITLES[view.to_move])
        else:
            yield say("It is {year}; {power} begins.", year=year, power=TITLES[view.first])
        if view.year == LAST_YEAR:
            yield say("This is the last year.")
    said = _HAD_LEFT if view.phase == "over" else _LEFT
    for seat, reason in view.left.items():
        for power in view.seats[seat]:
            yield say(said[reason].text, power=TITLES[power])


def how(report: Report[View, News]) -> Sequence[Message]:
    """Say how the sheet below is filled in; nothing if there is none."""
    if report.phase == "over" or not report.template:
        return ()
    if report.phase == "setup":
        lines = _setting_up()
    else:
        view = report.view
        lines = _ordering(view) if view.year == FIRST_YEAR else _ordering_again(view)
    return (*lines, say("Send everything from ORDERS to END. Later orders replace earlier ones."))


def _setting_up() -> Iterator[Message]:
    yield say(
        "Write only SETUP AUTO, and adjud places your pieces sensibly. Or replace the dots with a "
        "city for every piece: secrets (at most two in a city) and police go in home cities, "
        "spies anywhere. Police may be ON a secret in the same city. Your first turn is {first}.",
        first=str(FIRST_YEAR),
    )


def _ordering(view: View) -> Iterator[Message]:
    spy, piece = _own_pieces(view)
    yield say(
        "Each line is one order. Fill in the dots and delete what you do not need. A spy has "
        "five spaces. Put ; between its steps. If you give several destinations, the first that "
        "is possible is used: {plan}",
        plan=_plan(view, spy),
    )
    yield say(
        "Each discovery costs a DISCOVERY chit and 10 £. A foreign secret that your spy carries "
        "in your capital is cashed automatically. POLICE {piece} {city} moves police. Send HELP "
        "for a list of all order lines.",
        piece=piece,
        city=atlas().powers[view.moving[0]].capital,
    )
    yield say(
        "If your spy is searched and carries something or has strength 4 or 5, it answers with "
        "PAPERS (5 £), else with ESCAPE (10 £). A COVER (5 £) protects what you know to be worth "
        "3 or more. ANSWER and COVER lines change that until you replace them."
    )


def _ordering_again(view: View) -> Iterator[Message]:
    spy, _ = _own_pieces(view)
    yield say(
        "Fill in the dots and delete what you do not need, as in {plan}. Send HELP for a list of "
        "all order lines, REPORT 0 for the routes between cities.",
        plan=_plan(view, spy),
    )


def _plan(view: View, spy: Code) -> Message:
    """Return a plan as an example, for a secret that is still in play: best a neutral one that
    nobody controls."""
    foreign = [
        (secret.controller is not None, secret.origin is not None, secret.city, secret.secret)
        for secret in view.secrets
        if secret.city and secret.origin not in view.powers
    ]
    _, _, city, code = min(foreign, default=(False, False, "PRA", "N-4"))
    return say(
        "SPY {spy}: GO {city} IF {secret}, {other}; DISCOVER {secret}; GO HOME",
        spy=spy,
        city=city,
        secret=code,
        other="ZUR" if city != "ZUR" else "PRA",
    )


def _own_pieces(view: View) -> tuple[Code, Code]:
    """Return a spy and a police piece for examples; with two powers only whole codes do (9.1).

    The spy is on the map if one is: another's plan would be left out (7.3).
    """
    power = view.moving[0]
    on_map = [spy.spy for spy in view.spies if spy.power == power and spy.city]
    return [*on_map, spy_codes(power)[0]][0], police_codes(power)[0]
