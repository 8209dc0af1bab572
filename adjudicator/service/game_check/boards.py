"""Check what a simple game draws, and the orders that are chosen on it."""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from adjudicator.core.message import tell
from adjudicator.core.orders import split_lines
from adjudicator.core.simple.board_faults import BoardFault, text_fault, unknown_looks
from adjudicator.core.simple.page import SimpleRows
from adjudicator.resources import template
from adjudicator.service.game_check.findings import ContractFault
from adjudicator.service.game_check.sample import Sample
from adjudicator.service.game_check.standing import standing
from adjudicator.service.reports import building

_DRAWN_BY = ("report.html.j2", "email.html.j2")


def drawings(sample: Sample) -> Iterator[ContractFault]:
    """Draw the board of every seat of a game whose page has one of `core/simple`, when the seat is
    to order and when it is not; each fault is told once."""
    met = set[str]()
    for ply, state in sample.states(12):
        for seat in sample.seats(ply):
            told = building.public(standing(sample.game, state, ply.setting.options).loaded, seat)
            if seat in sample.game.rules.awaiting(state):
                lines = sample.game.orders.template(told.view)
                told = replace(told, template=(told.sheet_head(), *lines, "END"))
            try:
                rows = sample.game.page.rows(told, tell)
            except BoardFault as fault:
                faults = [str(fault)]
            else:
                if not isinstance(rows, SimpleRows):
                    return
                faults = [*_faults(sample.game.slug, rows)]
            for one in faults:
                if one not in met:
                    met.add(one)
                    yield sample.fault(one)


def _faults(slug: str, rows: SimpleRows) -> Iterator[str]:
    if rows.squares and any(_is_default(slug, name) for name in _DRAWN_BY):
        yield from unknown_looks(rows.squares)
    composing = rows.data.get("composer-data", {})
    known = {name for row in composing.get("rows", ()) for name in row.split()}
    yield from _of_choices(composing.get("choices", ()), known | {*composing.get("places", ())})


def _is_default(slug: str, name: str) -> bool:
    return template(f"{slug}/{name}").parent.name == "default"


def _of_choices(choices: Iterable[tuple[str, str, str]], known: set[str]) -> Iterator[str]:
    found = [*choices]
    for line, text, square in found:
        yield from text_fault(text, f"`look.label` of {line}")
        if isinstance(text, str) and not text.strip():
            yield f"`look.label` of {line} is empty"
        if not isinstance(square, str):
            yield f"`look.square` of {line} is {square!r}; return a text, empty for a button"
        elif square and square not in known:
            yield f"{line} is tapped on {square!r}, which is not on the board"
    for line, times in Counter(line for line, _, _ in found).items():
        if times > 1:
            yield f"{line} is {times} times among the legal orders"
    by_square: dict[str, list[str]] = {}
    for line, _, square in found:
        if isinstance(square, str) and square:
            by_square.setdefault(square, []).append(line)
    for square, lines in by_square.items():
        if len({*lines}) > 1:
            yield f"{', '.join(lines)} are tapped on the same square, {square}: one of them is lost"


def examples(sample: Sample) -> Iterator[ContractFault]:
    """Read the examples that the card and refusals show."""
    card = sample.game.page.card(tell)
    for line in (*getattr(card, "examples", ()), *getattr(card, "others", ())):
        if sample.game.orders.parse(split_lines(line)).problems:
            yield sample.fault(f"the example {line!r} is not read as an order")
