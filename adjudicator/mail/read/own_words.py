"""Find a player's own words in a letter: his sheets and his bare lines (letters, section 4)."""

from collections.abc import Iterator, Sequence

from msgspec import Struct, structs

from adjudicator.core.orders import clean, said
from adjudicator.core.sheets import KEYWORDS, RawSheet, read_sheets
from adjudicator.mail.read.quoting import QUOTE, Region, depth, regions

_LEFT_OUT = frozenset({Region.SIGNATURE, Region.QUOTED, Region.BELOW})
_BLANK = ".."  # in a report's template, for a square to be filled in


class Texts(Struct, frozen=True):
    """The texts found in a letter.

    `sheet` and `bare` keep the line numbers of the body: a line that belongs elsewhere is empty
    there.
    """

    sheet: str | None  # for `core.sheets.read_sheets`: the sheets and the sender's other lines
    bare: str  # the sender's lines outside sheets, for bare orders and commands
    left_out: str  # signatures and quotes, unquoted; an order in them deserves a warning
    quoted: bool  # the sheet stood in a quote; bare lines that read as orders contradict it
    attached: bool  # `sheet`, or `bare` where there is none, is a text attachment
    ambiguous: bool  # both the body and an attachment have a sheet
    html_only: bool  # the body was HTML: bare lines are no orders


class _Frame(Struct, frozen=True):
    start: int  # indexes of its head and its last line
    end: int
    ended: bool  # with an END; the head may be at fault
    raw: RawSheet


def find(body: str, attachments: Sequence[str], *, html_only: bool) -> Texts:
    lines = body.split("\n")
    plain = _frames(lines)
    framed = {i for frame in plain if frame.ended for i in range(frame.start, frame.end + 1)}
    whose = regions(lines, framed)
    bare = _only(lines, whose, Region.OWN)
    silent = not bare.strip() and not attachments
    sheet, quoted, taken = _sheet(lines, whose, plain, silent=silent)
    texts = Texts(
        sheet=sheet,
        bare=_without(bare, taken),
        left_out=_without(_bared(lines, whose), taken),
        quoted=quoted,
        attached=False,
        ambiguous=False,
        html_only=html_only,
    )
    return _with_files(texts, attachments)


def _with_files(texts: Texts, files: Sequence[str]) -> Texts:
    """Take a text attachment's sheet if the body has none, and its bare lines if the body says
    nothing."""
    framed = [text for text in files if _frames(text.split("\n"))]
    if texts.sheet is not None:
        return structs.replace(texts, ambiguous=bool(framed))
    if framed:
        return structs.replace(texts, sheet="\n".join(framed), attached=True)
    if files and not texts.bare.strip():
        return structs.replace(texts, bare="\n".join(files), attached=True, html_only=False)
    return texts


def _sheet(
    lines: Sequence[str], whose: Sequence[Region], plain: Sequence[_Frame], *, silent: bool
) -> tuple[str | None, bool, Sequence[_Frame]]:
    """Return the text of the sheets, whether they were quoted, and the sheets themselves.

    The sender's own sheets come first, finished or not; then filled-in ones from quotes. A template
    that was sent back unchanged counts only if nothing else is said (`silent`).
    """
    own = [frame for frame in plain if whose[frame.start] in (Region.OWN, Region.SIGNATURE)]
    if own:
        return _composed(lines, whose, own), False, own
    below = [frame for frame in plain if whose[frame.start] is Region.BELOW]
    bared = [_unquoted(line) for line in lines] if Region.QUOTED in whose else lines
    behind = [
        frame
        for frame in (_frames(bared) if bared is not lines else ())
        if whose[frame.start] is Region.QUOTED and depth(lines[frame.start]) == 1
    ]
    for source, frames in ((lines, below), (bared, behind)):
        filled = [frame for frame in frames if frame.ended and _is_filled(frame.raw)]
        if chosen := filled or (frames if silent else []):
            return _composed(source, whose, chosen), True, chosen
    return None, False, ()


def _frames(lines: Sequence[str]) -> list[_Frame]:
    sheets = read_sheets("\n".join(lines)).sheets
    heads = {raw.line.number - 1 for raw in sheets}
    found = []
    for raw in sheets:
        start = raw.line.number - 1
        behind = start + 1 + len(raw.body) + len(raw.commands)
        # After the last line comes END, another head, or nothing.
        ended = behind < len(lines) and behind not in heads and _is_keyword(lines[behind])
        found.append(_Frame(start, behind if ended else behind - 1, ended, raw))
    return found


def _is_keyword(line: str) -> bool:
    return said(line) in KEYWORDS


def _is_filled(raw: RawSheet) -> bool:
    """Return whether somebody wrote into the sheet.

    He did if any line has no blank to fill in and is more than a keyword.
    """
    texts = (clean(line.text) for line in raw.body)
    return bool(raw.commands) or any(
        text and _BLANK not in text and not text.isalpha() for text in texts
    )


def _composed(source: Sequence[str], whose: Sequence[Region], frames: Sequence[_Frame]) -> str:
    """Return the sheets and what the sender wrote around them, without his signature.

    An unfinished sheet would otherwise swallow the signature.
    """
    inside = {i for frame in frames for i in _lines_of(frame, whose)}
    kept = (line if i in inside or whose[i] is Region.OWN else "" for i, line in enumerate(source))
    return "\n".join(kept).rstrip("\n")


def _lines_of(frame: _Frame, whose: Sequence[Region]) -> Iterator[int]:
    """Yield the indexes of a frame's lines; an unfinished one ends where the sender's words end."""
    for i in range(frame.start, frame.end + 1):
        if not frame.ended and whose[i] is not whose[frame.start]:
            return
        yield i


def _unquoted(line: str) -> str:
    """Take away one level of quoting. A line that was quoted twice keeps a `>` and belongs to no
    sheet."""
    if depth(line) != 1:
        return line
    return QUOTE.sub("", line, count=1)


def _bared(lines: Sequence[str], whose: Sequence[Region]) -> str:
    """Return the lines of signatures and of the letter that is answered, unquoted.

    What was forwarded is left out, because somebody else wrote it.
    """
    kept = (
        (QUOTE.sub("", line, count=1) if ">" in line else line) if place in _LEFT_OUT else ""
        for line, place in zip(lines, whose, strict=True)
    )
    return "\n".join(kept).rstrip("\n")


def _only(lines: Sequence[str], whose: Sequence[Region], region: Region) -> str:
    kept = (line if place is region else "" for line, place in zip(lines, whose, strict=True))
    return "\n".join(kept).rstrip("\n")


def _without(text: str, frames: Sequence[_Frame]) -> str:
    taken = {i for frame in frames for i in range(frame.start, frame.end + 1)}
    kept = ("" if i in taken else line for i, line in enumerate(text.split("\n")))
    return "\n".join(kept).rstrip("\n")
