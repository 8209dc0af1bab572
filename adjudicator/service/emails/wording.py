"""Put an email that is no report into its reader's words: its paragraphs, and the whole of it, in
lines that fit."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from textwrap import fill, wrap
from typing import Any

from msgspec import structs
from msgspec.json import decode

from adjudicator.core.command_table import TABLE, help_lines
from adjudicator.core.commands import is_command
from adjudicator.core.game import unflatten
from adjudicator.core.message import Message, Value, Words, at, say
from adjudicator.core.orders import Line, shown
from adjudicator.core.report import AnyReport
from adjudicator.games import GAMES
from adjudicator.reports.frame import PROOFS, RULE
from adjudicator.service.emails.links import EmailReader, prints_of
from adjudicator.service.emails.paragraphs import (
    ORDER,
    SET_IN,
    AlignedRows,
    AnswerPart,
    Card,
    CommandList,
    EmailContents,
    Lines,
    MarkedRow,
    MarkedSheet,
    NewsAlone,
    OrderLines,
    Paragraph,
    Paragraphs,
    PartStatus,
    Proofs,
    Receipt,
    SeatReminder,
    SeatReminders,
    Told,
    WholeReport,
    paragraphs_in,
    receipt_within,
)
from adjudicator.service.emails.value import Beside, report_in_email

_LOG_LINE = '{"line":'  # begins a line of the log of a tournament or a ladder
WIDTH = 70  # with a mark before them, lines fit into 72 columns, at which programs break them
MOST_ANSWER = 40_000  # bytes of what an answer says, so that the whole email has less than 64 kB
_BEHIND = 8  # one of so many bytes is kept for what stands behind a part that is cut
_LEFT_OUT = say("Part of this reply is missing here, because the email would be too long.")


def in_words(told: Iterable[Paragraph], reader: EmailReader) -> list[str]:
    """Return each paragraph in its reader's words; long lines are not broken yet."""
    return [_WRITERS[type(one)](one, reader) for one in told]


def answer_text(told: Iterable[Paragraph], reader: EmailReader) -> str:
    """Return what an answer says as its text, which is not too long and has its lines broken."""
    return paragraphs(fit(in_words(told, reader), reader.words))


@lru_cache(maxsize=512)
def texts_of(body: str, reader: EmailReader, *, with_own: bool = True) -> Sequence[str]:
    """Return the texts of an answer that was kept: what it says, and what stood below it when it
    was made; not `with_own` leaves out a sheet of the reader's own that he is to mend."""
    kept = decode(body)
    sheet = paragraphs_in(kept, "sheet") if with_own or not kept.get("is_own_sheet") else ()
    below = [*sheet, *paragraphs_in(kept, "standing")]
    return [answer_text(paragraphs_in(kept), reader), *in_words(below, reader)]


def plain_text(told: Paragraphs, tell: Words) -> str:
    """Return lines and tables as they are printed, where nobody's emails are concerned."""
    parts = []
    for one in told:
        assert isinstance(one, Lines | AlignedRows)
        lines = one.lines if isinstance(one, Lines) else one.below
        said = [line if isinstance(line, str) else tell(line) for line in lines]
        if isinstance(one, AlignedRows):
            rows = [[c if isinstance(c, str) else tell(c) for c in row] for row in one.rows]
            said = [align(rows), *said]
        parts.append("\n".join(said))
    return "\n\n".join(parts)


def as_line(line: Told, reader: EmailReader) -> str:
    """Return a line in its reader's words."""
    if isinstance(line, str):
        return line
    if line.text in (ORDER, SET_IN):
        return line.text.format(order=reader.spelled(str(line.values["order"])))
    return reader.words(line)


def _lines(told: Lines, reader: EmailReader) -> str:
    if told.game:
        reader = reader.of_game(told.game)
    return "\n".join(as_line(line, reader) for line in told.lines)


def _receipt(told: Receipt, reader: EmailReader) -> str:
    return receipt_within(told, reader.words, reader.spelled)


def _table(told: AlignedRows, reader: EmailReader) -> str:
    rows = [[as_line(cell, reader) for cell in row] for row in told.rows]
    return "\n".join([align(rows), *(as_line(line, reader) for line in told.below)])


def _orders(told: OrderLines, reader: EmailReader) -> str:
    return Unbroken("\n".join(map(reader.spelled, told.lines)))


_WIDE = 78  # columns of the daily reminder


def _reminders(told: SeatReminders, reader: EmailReader) -> str:
    heading = say("It's your turn. Each match's report says how to send orders. The addresses are:")
    lines = (line for one in told.seats for line in _reminder(one, reader.of_game(one.game).words))
    return Unbroken("\n".join((_wide(reader.words(heading), ""), "", *map(_wide, lines))))


def _reminder(one: SeatReminder, tell: Words) -> Iterator[str]:
    named: dict[str, Value] = {"match": one.match, "turn": one.turn, "seat": one.seat}
    if one.due is None:
        yield tell(say("{match}, turn {turn}, {seat}", **named))
    else:
        yield tell(say("{match}, turn {turn}, {seat}: due {when}", **named, when=at(one.due)))
    yield from (f"  {tell(line)}" for line in one.told)
    yield f"  {one.address}"


def _wide(line: str, rest: str = "  ") -> str:
    """Break a long line between words; an address stays whole."""
    return fill(line, _WIDE, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)


def _card(told: Card, reader: EmailReader) -> str:
    from adjudicator.reports.render import card

    return card(GAMES[reader.game], reader.language, reader.spelled, told.heads)


def _commands(told: CommandList, reader: EmailReader) -> str:
    if told.of == "anyone":
        rows = [row for row in TABLE.values() if row.public == "answered"]
    else:
        all_ = say("Show all your matches, the soonest first")
        status = structs.replace(TABLE["STATUS"], help=all_)
        others = (row for row in TABLE.values() if row.where != "seat")
        rows = [status if row.name == status.name else row for row in others]
    return "\n".join(help_lines(rows, reader.words))


def _report(told: WholeReport, reader: EmailReader) -> str:
    from adjudicator.reports.frame import ReplyForm

    report, seat = _report_in(told.report), EmailReader(told.language, told.zone)
    said = ReplyForm(press=told.press)
    return prints_of(report, seat, Beside(tips=told.tips), said, attached=False).form("txt")


def _report_in(told: Mapping[str, Any]) -> AnyReport:
    return report_in_email(unflatten(GAMES[str(told["game"])], told))


def _news(told: NewsAlone, reader: EmailReader) -> str:
    from adjudicator.reports.render import renders

    report = _report_in(told.report)
    (text,) = renders(GAMES[report.game], report, ["news"], reader.language, reader.zone)
    return text


def _proofs(told: Proofs, reader: EmailReader) -> str:
    heading = reader.words(PROOFS)
    lines = (as_line(line, reader) for line in told.lines)
    return "\n".join((heading, "-" * len(heading), *lines))


# A mark is a remark behind a line, or above the lines where it is about all of them. It is kept
# short, for a mail program breaks long lines, and the rest of a remark would be a row.

_MARKED_WIDTH = 66  # of a line with its mark; mail programs break at 72 and put `> ` before it


def _marked(told: MarkedSheet, reader: EmailReader) -> str:
    tell, spelled = reader.words, reader.spelled
    intro = say("Your set-up with its faults marked. Mend them and send it back:")
    above = (_shorten_mark(f"# {tell(one)}") for one in told.faults)
    rows = (_marked_row(one, tell) for one in told.rows)
    lines = (spelled(told.head), told.first, *above, *rows, spelled(told.end))
    return "\n".join((tell(intro), "", *lines, ""))


def _marked_row(row: MarkedRow, tell: Words) -> str:
    wrong = [tell(one).partition(";")[0] for one in row.faults]  # what follows is in the answer
    mark = f"  # {'; '.join(wrong)}" if wrong else ""
    return f"{row.text}{_shorten_mark(mark, _MARKED_WIDTH - len(row.text))}" if mark else row.text


def _shorten_mark(text: str, width: int = _MARKED_WIDTH) -> str:
    """Shorten a mark; where there is hardly room it is a mark alone."""
    room = max(width, 6)
    return text if len(text) <= room else f"{text[:2]}{shown(text[2:], room - 2)}"


_WRITERS: Mapping[type, Callable[[Any, EmailReader], str]] = {
    Lines: _lines,
    Receipt: _receipt,
    AlignedRows: _table,
    OrderLines: _orders,
    SeatReminders: _reminders,
    Card: _card,
    CommandList: _commands,
    WholeReport: _report,
    NewsAlone: _news,
    Proofs: _proofs,
    MarkedSheet: _marked,
}


# The whole email.

_HEADINGS: dict[PartStatus, Message] = {
    "accepted": say("{match}: accepted"),
    "parked": say("{match}: to be confirmed"),
    "refused": say("{match}: NOT accepted"),
    "stuck": say("{match}: not read yet"),
}


def text_of(told: EmailContents, reader: EmailReader) -> str:
    """Return the text of an email that is no report, with its lines broken."""
    tell = reader.words
    return paragraphs(
        [
            *in_words(told.above, reader),
            *fit(in_words(told.says, reader), tell),
            *in_words(told.below, reader),
            *share_out([_text_of_part(part, reader) for part in told.parts], tell),
        ]
    )


def fit_contents(told: EmailContents, reader: EmailReader) -> EmailContents:
    """Return an answer without what has no room in its email. Of several matches the first have
    their reports, as many as fit: half of one says little, and each is heavy as a value."""
    places = places_with_room(in_words(told.says, reader))
    says = tuple(told.says[place] for place in places)
    parts = told.parts if len(told.parts) < 2 else tuple(_fit_reports(told.parts, reader))
    return structs.replace(told, says=says, parts=parts)


_REPORTS = (WholeReport, NewsAlone)


def _fit_reports(parts: Sequence[AnswerPart], reader: EmailReader) -> Iterator[AnswerPart]:
    """Yield parts with the reports that have room together, and a sentence in place of others."""
    sizes = [_size([_text_of_part(part, reader)]) for part in parts]
    over, last = sum(sizes) - MOST_ANSWER, len(parts)
    while over > 0 and last > 0:
        last -= 1
        over += _size([_text_of_part(_without_reports(parts[last]), reader)]) - sizes[last]
    yield from parts[:last]
    yield from map(_without_reports, parts[last:])


def _without_reports(part: AnswerPart) -> AnswerPart:
    says, below = (
        tuple(Lines((_LEFT_OUT,)) if isinstance(one, _REPORTS) else one for one in told)
        for told in (part.says.says, part.says.below)
    )
    return structs.replace(part, says=structs.replace(part.says, says=says, below=below))


def _text_of_part(part: AnswerPart, reader: EmailReader) -> str:
    heading = say(_HEADINGS[part.status].text, match=part.match)
    text = text_of(part.says, reader.of_game(part.game))
    return f"{RULE}\n{reader.words(heading)}\n\n{text}"


# Lay a text out in lines.


class Unbroken(str):
    """A paragraph of order lines, none of which may be broken."""


def paragraphs(parts: Sequence[str]) -> str:
    """Join paragraphs into one text; long lines are broken between words."""
    said = (part.strip("\n") if isinstance(part, Unbroken) else _break(part) for part in parts)
    return "\n\n".join(part for part in said if part.strip()) + "\n"


def _break(part: str) -> str:
    return "\n".join(_break_line(line) for line in part.strip("\n").split("\n"))


def fit(parts: Sequence[str], tell: Words, most: int = MOST_ANSWER) -> list[str]:
    """Return the parts of an answer, together not longer than `most`. The first that does not fit
    is cut after a line, and that is said there; of those behind it the short ones, such as codes,
    are kept."""
    kept: list[str] = []
    for _, rows, is_cut in _fit(parts, most):
        kept += ["\n".join(rows)] if rows else []
        kept += [tell(_LEFT_OUT)] if is_cut else []
    return kept


def places_with_room(parts: Sequence[str]) -> list[int]:
    """Return which parts of an answer have room in it, or would have if they were cut."""
    return [place for place, _, _ in _fit(parts, MOST_ANSWER)]


def _fit(parts: Sequence[str], most: int) -> Iterator[tuple[int, list[str], bool]]:
    """Yield the place of each part that has room, the lines of it that have, and whether it is the
    first that is cut."""
    was_cut = False
    for place, part in enumerate(parts):
        rows = part.split("\n")
        sizes = [*accumulate(map(_bytes, rows), initial=0)]
        count = len(rows) if sizes[-1] <= most else bisect_right(sizes, most - most // _BEHIND) - 1
        is_cut = count < len(rows)
        if not (is_cut and was_cut):
            most -= sizes[count]
            yield place, rows[:count], is_cut
        was_cut = was_cut or is_cut


def cut(text: str, most: int) -> tuple[list[str], Message | None]:
    """Return the first lines of a text that fit, and what says so if there are more."""
    rows = text.split("\n")
    sizes = [*accumulate(map(_bytes, rows), initial=0)]
    if sizes[-1] <= most:
        return rows, None
    return rows[: bisect_right(sizes, most - most // _BEHIND) - 1], _LEFT_OUT


def share_out(texts: Sequence[str], tell: Words) -> list[str]:
    """Return texts of which each has its share of an answer; what short ones leave of theirs, long
    ones have."""
    kept, most = [*texts], MOST_ANSWER
    sizes = [_size([text]) for text in texts]
    shortest_first = sorted(range(len(texts)), key=sizes.__getitem__)
    for left, place in zip(range(len(texts), 0, -1), shortest_first, strict=True):
        kept[place] = "\n\n".join(fit([texts[place]], tell, most // left))
        most -= min(sizes[place], most // left)
    return kept


def _size(texts: Iterable[str]) -> int:
    return sum(_bytes(line) for text in texts for line in text.split("\n"))


def _bytes(line: str) -> int:
    """Return how long a line is when it is sent, with its end and where it is broken."""
    octets = line.encode()
    return len(octets) + 2 * sum(octet > 126 or octet == 61 for octet in octets) + 6


_DIGEST = re.compile(r"[0-9a-f]{64}")  # stays in its line with what it is of


def _break_line(line: str) -> str:
    if len(line) <= WIDTH or _DIGEST.search(line) or line.startswith(_LOG_LINE):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines = wrap(
        line,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(_with_company(lines, indent)) if lines else ""


def _with_company(lines: Sequence[str], indent: str) -> Iterator[str]:
    """Let no command stand by itself in a line, as the last word of "or until you say READY." may:
    where our email is sent back and no quotes are marked, it would be obeyed."""
    above = lines[0]
    for line in lines[1:]:
        rest, _, word = above.rpartition(" ")
        if rest.strip() and is_command(Line(0, line)):
            above, line = rest.rstrip(), f"{indent}{word} {line.strip()}"
        yield above
        above = line
    yield above


def align(rows: Sequence[Sequence[str]]) -> str:
    """Return a table with its columns padded."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
