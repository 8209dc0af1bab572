"""Send a set-up that was refused back with its faults marked, so that its writer only mends them.

A mark is a remark behind a line, or above the lines where it is about all of them. It is kept
short, for a mail program breaks long lines, and the rest of a remark would be a row.
"""

from collections.abc import Iterator, Sequence

from adjudicator.core.message import say
from adjudicator.core.orders import Line, Problem, clean, cleaned, numbered, shown
from adjudicator.core.sheets import RawSheet, Reading, bare_sheet
from adjudicator.service.letters_in import in_force
from adjudicator.service.letters_in.carry_out import Done, bare_of
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.said import Content

_WIDTH = 66  # of a line with its mark; mail programs break at 72 and put `> ` before it
_MOST_LINES = 60
_MOST_MARKS = 12  # about the whole set-up


def sheet(talk: Talk, content: Content, done: Done) -> str:
    """Return the sheet of a letter with its faults marked; empty if it is no set-up, or another
    sheet would be read."""
    view = talk.loaded.game.sight.observe(talk.loaded.state, talk.seat)
    raw = _raw(talk, content)
    if raw is None or view.phase != "setup" or not in_force.may_order(talk):
        return ""
    refused = [one for one in done.receipts if not one.accepted and one.turn is not None]
    if len(refused) != 1 or refused[0].turn != talk.loaded.match.turn:
        return ""
    problems = [one for one in refused[0].problems if one.line != raw.line.number or not raw.head]
    rows = list(cleaned(raw.body))
    template = in_force.template(talk)
    if not problems or not template or len(rows) > _MOST_LINES or _is_unfilled(rows, template):
        return ""
    if not _is_set_up(talk, raw.body, template):
        return ""
    told = say("Your set-up with its faults marked. Mend them and send it back:")
    return "\n".join(
        (talk.words(told), "", template[0], *_marked(talk, rows, problems), template[-1], "")
    )


def _raw(talk: Talk, content: Content) -> RawSheet | None:
    if content.reading.sheets:
        return content.reading.sheets[0] if len(content.reading.sheets) == 1 else None
    orders = bare_of(talk, content).orders
    return bare_sheet(Reading((), tuple(orders))) if orders else None


def _is_set_up(talk: Talk, body: Sequence[Line], template: Sequence[str]) -> bool:
    """Return whether there is an order in a sheet of the kind that the template asks for."""
    parse = talk.loaded.game.orders.parse
    asked = parse(numbered(template[1:-1])).orders
    return not {*map(type, asked)}.isdisjoint(map(type, parse(body).orders))


def _is_unfilled(rows: Sequence[tuple[Line, str]], template: Sequence[str]) -> bool:
    """Return whether the rows are those of the template, in which nothing was filled in."""
    return {text for _, text in rows} <= {clean(line) for line in template[1:-1]}


def _marked(
    talk: Talk, rows: Sequence[tuple[Line, str]], problems: Sequence[Problem]
) -> Iterator[str]:
    """Yield the rows, each with what is wrong with it. What is told of the first is about all."""
    first, *others = rows
    yield first[1]
    whole = [one for one in problems if one.line in (0, first[0].number)]
    for one in whole[:_MOST_MARKS]:
        yield _cut(f"# {talk.words(one.message)}")
    for line, text in others:
        told = (talk.words(one.message) for one in problems if one.line == line.number)
        wrong = [one.partition(";")[0] for one in told]  # what follows stands in the answer
        mark = f"  # {'; '.join(wrong)}" if wrong else ""
        yield f"{text}{_cut(mark, _WIDTH - len(text))}" if mark else text


def _cut(text: str, width: int = _WIDTH) -> str:
    """Shorten a mark; where there is hardly room it is a mark alone."""
    room = max(width, 6)
    return text if len(text) <= room else f"{text[:2]}{shown(text[2:], room - 2)}"
