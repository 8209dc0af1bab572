"""Warn of orders in a place where none are looked for, and quote them."""

from collections.abc import Iterator, Sequence

from adjudicator.core.commands import code_of, is_command, is_press
from adjudicator.core.game import AnyGame
from adjudicator.core.jottings import jotting_of
from adjudicator.core.message import say
from adjudicator.core.orders import Line, Problem, problem
from adjudicator.service.letters_in import own_letters
from adjudicator.service.letters_in.carry_out import Done
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.said import Content
from adjudicator.service.match import sheet_reading

_MISPLACED = say(
    "this reads as an order but stands in a signature, a quoted letter or HTML, and was left out"
)
_IN_FILE = say(
    "this stands in an attachment, of which nothing was read, because the letter itself says "
    "something"
)
_IN_FOOTER = say(
    "this reads as a mark or a note but stands below the end of your letter, and was left out"
)


def misplaced(talk: Talk, content: Content, done: Done) -> Sequence[Problem]:
    """Return warnings of lines that read as orders where none are looked for, or that begin like
    commands.

    A quoted letter of ours holds orders of the seat, steps that were made, examples; there is no
    warning of those.
    """
    game, own = talk.loaded.game, talk.loaded.sheets.get(talk.seat)
    known = {*(own.lines if own else ()), *(line for one in done.receipts for line in one.orders)}
    left: list[Line] = []
    for line in content.left_out:
        said = _orders_in(game, line)
        if said and not known.issuperset(said):
            left.append(line)
    meant = {} if done.read else {one.line: one for one in content.meant}
    beside = [Line(one.line, one.text) for one in meant.values()]
    ours = own_letters.not_ours(talk, [*beside, *left], content.left_out) if beside or left else []
    found = [meant[line.number] for line in ours if line in beside]
    found += (problem(line, _MISPLACED) for line in ours if line in left)
    found += (problem(line, _IN_FOOTER) for line in content.footers)
    found += (problem(line, _IN_FILE) for line in _meant_in(game, content.unread))
    if not (content.is_bare and done.read):
        found += _slips(content)
    return found[: sheet_reading.MOST_MISPLACED]


def _slips(content: Content) -> Iterator[Problem]:
    """Yield the slips in commands; one that quotes a code which the letter confirms is none."""
    for slip in content.slips:
        if code_of(Line(slip.line, slip.text)) not in content.codes:
            yield slip


def _orders_in(game: AnyGame, line: Line) -> list[str]:
    """Return the orders that a line reads as, in canonical lines."""
    sheet = game.orders.parse([line])
    return [] if sheet.problems else game.orders.lines(sheet.orders)


def _meant_in(game: AnyGame, lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines that read as orders, commands, marks, notes, or the head of press."""
    for line in lines:
        is_said = is_command(line) or is_press(line) or jotting_of(line, outside=True)
        if is_said or _orders_in(game, line):
            yield line
