"""Find a player's own words in an email: his sheets and his bare lines (emails, section 4)."""

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, structs

from adjudicator.core.commands import (
    ends_press,
    is_command,
    is_press,
    is_with_code,
    jotting_of,
    read_press,
)
from adjudicator.core.orders import Line, clean, lookup_form, number_lines
from adjudicator.core.own_words import (
    NO_WORDS,
    SURELY,
    OwnWords,
    first_of_ours,
    goes_on,
    words_of,
)
from adjudicator.core.sheets import RawSheet, Reading, read_lines
from adjudicator.mail.read.quoting import QUOTE, Region, depth, is_rest, naming, regions

_LEFT_OUT = frozenset({Region.SIGNATURE, Region.QUOTED, Region.BELOW, Region.OURS})
_ORDER_LIKE = re.compile(r"(?<![\w/])[a-z]-?\d")  # a square, or a piece of Spies
_BLANK = ".."  # in a report's template, for a square to be filled in


class Texts(Struct, frozen=True):
    """The texts found in an email.

    `sheet` and `bare` keep the line numbers of the body: a line that belongs elsewhere is empty
    there. The lines of an attached `sheet` are numbered after those of `bare`.
    """

    sheet: str | None  # the sheets and the sender's other lines
    reading: Reading  # what `core.sheets` reads in `sheet`
    bare: str  # the sender's lines outside sheets, for bare orders and commands
    left_out: str  # signatures and quotes, unquoted; an order in them deserves a warning
    quoted: bool  # the sheet stood in a quote; bare lines that read as orders contradict it
    attached: bool  # `sheet`, or `bare` where there is none, is a text attachment
    ambiguous: bool  # both the body and an attachment have a sheet
    html_only: bool  # the body was HTML: bare lines are no orders
    footers: tuple[Line, ...] = ()  # marks and notes below a stop line, which count for nothing
    unread: str = ""  # text attachments from which nothing is taken; their lines come last

    @property
    def is_whole(self) -> bool:
        """Return whether there is a sheet of the sender's own that is finished and filled in."""
        return not self.quoted and self.has_filled

    @property
    def has_filled(self) -> bool:
        return any(_is_filled(raw) and not raw.problems for raw in self.reading.sheets)


_NOTHING = Reading((), ())


def find(
    body: str,
    attachments: Sequence[str],
    *,
    html_only: bool,
    ours: str = "",
    known: OwnWords = NO_WORDS,
) -> Texts:
    """Find the sender's words; `ours` is the club's public address, and by what is `known` an email
    of ours is found that nothing else marks."""
    lines = body.split("\n")
    plain = _sheets(lines)
    framed = {i for sheet in plain if sheet.ended for i in sheet.indexes}
    named = naming(lines, ours)
    whose = regions(lines, framed, named=named)
    has_press = any(is_press(line) for line in number_lines(lines))
    pressed = _lines_of_press(body) if has_press else frozenset[int]()
    if pressed and not {*whose} <= {Region.OWN, Region.QUOTED}:
        whose = regions(lines, framed, pressed, named)
    _set_apart_rests(lines, whose, {*framed, *pressed}, known)
    _set_apart_ours(lines, whose, framed, pressed, known)
    footers = _footers(lines, whose, framed)
    for line in footers:
        whose[line.number - 1] = Region.SIGNATURE
    own = [line if place is Region.OWN else "" for line, place in zip(lines, whose, strict=True)]
    if has_press:
        _set_in_messages(own, lines, whose, framed)
    bare = "\n".join(own).rstrip("\n")
    silent = not bare.strip() and not attachments
    plain = [sheet for sheet in plain if _start(sheet) not in pressed]
    chosen = _choose(lines, whose, plain, pressed, silent=silent)
    place = whose[_start(chosen[0])] if chosen else Region.OWN
    source = _unquoted(lines) if place is Region.QUOTED else lines
    sheet = _compose(chosen, source, whose, own)
    reading = _reading(chosen, source, whose, sheet) if chosen else _NOTHING
    if not reading.sheets:
        chosen, reading = (), _NOTHING
    texts = Texts(
        sheet=sheet if chosen else None,
        reading=reading,
        bare=_without(bare, chosen),
        left_out=_without(_unquote_lines(lines, whose), chosen),
        quoted=bool(chosen) and place not in (Region.OWN, Region.SIGNATURE),
        attached=False,
        ambiguous=False,
        html_only=html_only,
        footers=footers,
    )
    return _with_files(texts, attachments, len(lines))


def beside_page(texts: Texts, page: Texts) -> Texts:
    """Choose between a text without a whole sheet and the HTML that should be another form of it.

    The HTML counts if it has a whole sheet, or if the text is a stub: "This is an HTML message".
    The lines that only the other one has are among those left out, so that orders in them are
    named.
    """
    if page.is_whole or (_says_little(texts) and (page.has_filled or _is_stub(texts, page))):
        return structs.replace(page, left_out=_with_others(page, texts))
    return structs.replace(texts, left_out=_with_others(texts, page))


def _with_others(texts: Texts, other: Texts) -> str:
    """Return what is left out, with the sender's lines in another form of the email that the texts
    have not."""
    known = {lookup_form(line) for text in _all(texts) for line in text.split("\n")}
    more = [
        line
        for line in other.bare.split("\n")
        if lookup_form(line) and lookup_form(line) not in known
    ]
    return "\n".join([*([texts.left_out] if texts.left_out else []), *more])


def _says_little(texts: Texts) -> bool:
    """Return whether nothing is quoted in a text, and no line of it could be an order or a
    command."""
    if texts.sheet is not None or texts.left_out.strip():
        return False
    lines = texts.bare.split("\n")
    return not any(
        _ORDER_LIKE.search(lookup_form(line)) or is_command(Line(0, line)) for line in lines
    )


def _is_stub(texts: Texts, page: Texts) -> bool:
    """Return whether most words of a text are not in the HTML: then a program wrote it."""
    words, known = _words([texts.bare]), _words(_all(page))
    return bool(known) and 2 * len(words & known) <= len(words)


def _words(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(
        word for text in texts for line in text.split("\n") for word in lookup_form(line).split()
    )


def _all(texts: Texts) -> Sequence[str]:
    return texts.sheet or "", texts.bare, texts.left_out


def _lines_of_press(body: str) -> frozenset[int]:
    """Return the indexes of the lines in messages for other seats that end with an ENDPRESS.

    In one without, a mail program's footer may be what comes last.
    """
    ended = [press for press in read_press(body)[0] if press.ended]
    starts = [(press.line.number, len(press.lines)) for press in ended]
    return frozenset(i for start, length in starts for i in range(start, start + length))


def _set_apart_rests(
    lines: Sequence[str], whose: list[Region], but: Collection[int], known: OwnWords
) -> None:
    """Find the rests of quoted lines that a program broke because they were too long.

    Such a rest stands between two quoted lines, or goes on with words of ours.
    """
    if Region.QUOTED not in whose:
        return
    for i in range(1, len(lines)):
        if whose[i] is not Region.OWN or whose[i - 1] is not Region.QUOTED or i in but:
            continue
        if not is_rest(lines[i - 1], lines[i]):
            continue
        end = next((at for at in range(i, len(lines)) if whose[at] is not Region.OWN), i)
        rests = all(is_rest(lines[at - 1], lines[at]) for at in range(i, end))
        between = rests and whose[end] is Region.QUOTED
        if between or goes_on(lines[i - 1], lines[i], known):
            whose[i] = Region.QUOTED


def _set_apart_ours(
    lines: Sequence[str],
    whose: list[Region],
    framed: Collection[int],
    pressed: Collection[int],
    known: OwnWords,
) -> None:
    """Find where an email of ours begins that stands below the sender's words without any mark.

    What he writes himself below it is told from it only in a sheet or in a message. A line with a
    code stays, with the words above it by which it is known whether he has confirmed it.
    """
    own = [i for i, place in enumerate(whose) if place is Region.OWN and i not in pressed]
    talk = [i for i in own if i not in framed and not (i and depth(lines[i - 1]))]
    if sum(word.isalpha() for i in talk for word in words_of(lines[i])) < SURELY:
        return
    first = first_of_ours([lines[i] for i in talk], known)
    if first is None:
        return
    below = [i for i in own if i >= talk[first] and lookup_form(lines[i])]
    codes = {at for at, i in enumerate(below) if is_with_code(Line(i, lines[i]))}
    for at, i in enumerate(below):
        if not codes.intersection(range(at, at + 3)):
            whose[i] = Region.OURS


def _set_in_messages(
    own: list[str], lines: Sequence[str], whose: Sequence[Region], framed: Collection[int]
) -> None:
    """Put what is quoted in a message for other seats back among the sender's own words: its reader
    must be told from its writer by whoever passes it on.

    A message without an ENDPRESS ends where a quoted email begins, if there is nothing below that
    may belong to it.
    """
    for press in read_press("\n".join(own))[0]:
        start = press.line.number  # the index of the line below its head
        if press.ended:
            for i in range(start, start + len(press.lines)):
                own[i] = own[i] or (lines[i] if whose[i] is Region.QUOTED else "")
        elif end := _end_of_message(lines, whose, start, framed):
            own[end] = _END_OF_MESSAGE


_END_OF_MESSAGE = "ENDPRESS"


def _end_of_message(
    lines: Sequence[str], whose: Sequence[Region], start: int, framed: Collection[int]
) -> int | None:
    """Return the index of the first line that is not the writer's in a message that begins there,
    if it has words above that line and a quoted email below; None if it is in doubt what belongs
    to it."""
    below = range(start, len(lines))
    end = next((i for i in below if whose[i] is not Region.OWN), None)
    if end is None or not any(map(lookup_form, lines[start:end])):
        return None
    places = {*whose[end:]}
    if Region.OURS in places or not places & {Region.QUOTED, Region.BELOW}:
        return None
    later = (i for i in range(end, len(lines)) if whose[i] is Region.OWN and i not in framed)
    if any(lookup_form(lines[i]) for i in later) or any(map(ends_press, lines[end:])):
        return None
    return end


def _footers(
    lines: Sequence[str], whose: Sequence[Region], framed: Collection[int]
) -> tuple[Line, ...]:
    """Return the sender's lines below a stop line that would read as marks or notes.

    People may go on writing there, but a program's advertisement may begin with NOTE, too.
    """
    if Region.MARK not in whose:
        return ()
    below = range(whose.index(Region.MARK), len(lines))
    own = (Line(i + 1, lines[i]) for i in below if whose[i] is Region.OWN and i not in framed)
    return tuple(line for line in own if jotting_of(line, outside=True))


def _with_files(texts: Texts, files: Sequence[str], lines: int) -> Texts:
    """Take a text attachment's sheet if the body has none, and its bare lines if the body says
    nothing. `lines` is how many the body has."""
    above = texts.bare.count("\n") + 1 if texts.bare else 0
    framed, others, reading = list[str](), list[str](), _NOTHING
    for text in files:
        found = read_lines(number_lines(text.split("\n"), above + 1))
        if not found.sheets:
            others.append(text)
            continue
        framed.append(text)
        above += text.count("\n") + 1
        sheets = (*reading.sheets, *found.sheets)
        reading = Reading(sheets, (*reading.ignored, *found.ignored))
    unread = "\n" * lines + "\n".join(others) if others else ""
    if texts.sheet is not None:
        return structs.replace(texts, ambiguous=bool(framed), unread=unread)
    if framed:
        sheet = "\n".join(framed)
        return structs.replace(texts, sheet=sheet, reading=reading, attached=True, unread=unread)
    if files and not texts.bare.strip():
        return structs.replace(texts, bare="\n".join(files), attached=True, html_only=False)
    return structs.replace(texts, unread=unread)


def _choose(
    lines: Sequence[str],
    whose: Sequence[Region],
    plain: Sequence[RawSheet],
    pressed: Collection[int],
    *,
    silent: bool,
) -> Sequence[RawSheet]:
    """Choose the sheets that count: all of them are the sender's own, or stood below his words, or
    behind marks of quoting.

    His own come first, finished or not; then filled-in ones from quotes. A template that was sent
    back unchanged counts only if nothing else is said (`silent`).
    """
    own = [one for one in plain if whose[_start(one)] in (Region.OWN, Region.SIGNATURE)]
    if own:
        return own
    below = [one for one in plain if whose[_start(one)] in (Region.BELOW, Region.OURS)]
    behind = [
        one
        for one in (_sheets(_unquoted(lines)) if Region.QUOTED in whose else ())
        if whose[_start(one)] is Region.QUOTED
        and depth(lines[_start(one)]) == 1
        and _start(one) not in pressed
    ]
    for sheets in (below, behind):
        filled = [one for one in sheets if one.ended and _is_filled(one)]
        if chosen := filled or (sheets if silent else []):
            return chosen
    return ()


def _sheets(lines: Sequence[str]) -> Sequence[RawSheet]:
    return read_lines(number_lines(lines)).sheets


def _start(sheet: RawSheet) -> int:
    return sheet.indexes.start


def _is_filled(raw: RawSheet) -> bool:
    """Return whether somebody wrote into the sheet.

    He did if any line has no blank to fill in and is more than a keyword.
    """
    texts = (clean(line.text) for line in raw.body)
    return bool(raw.commands) or any(
        text and _BLANK not in text and not text.isalpha() for text in texts
    )


def _compose(
    chosen: Sequence[RawSheet],
    source: Sequence[str],
    whose: Sequence[Region],
    own: Sequence[str],
) -> str:
    """Return the sheets and what the sender wrote around them, without his signature.

    An unfinished sheet would otherwise swallow the signature.
    """
    inside = {i for sheet in chosen for i in _lines_of(sheet, whose)}
    kept = (line if i in inside else own[i] for i, line in enumerate(source))
    return "\n".join(kept).rstrip("\n")


def _reading(
    chosen: Sequence[RawSheet], source: Sequence[str], whose: Sequence[Region], text: str
) -> Reading:
    """Return what is read in the text that `_compose` makes of the same sheets. An unfinished one
    is read again, for it has lost the lines that are not its sender's."""
    if not all(sheet.ended for sheet in chosen):
        return read_lines(number_lines(text.split("\n")))
    inside = {i for sheet in chosen for i in sheet.indexes}
    around = (
        line
        for i, line in enumerate(number_lines(source))
        if i not in inside and whose[i] is Region.OWN and lookup_form(line.text)
    )
    return Reading(tuple(chosen), tuple(around))


def _lines_of(sheet: RawSheet, whose: Sequence[Region]) -> Iterator[int]:
    """Yield the indexes of a sheet's lines; an unfinished one ends where the sender's words end."""
    for i in sheet.indexes:
        if not sheet.ended and whose[i] is not whose[_start(sheet)]:
            return
        yield i


def _unquoted(lines: Sequence[str]) -> Sequence[str]:
    return [_unquote(line) for line in lines]


def _unquote(line: str) -> str:
    """Take away one level of quoting. A line that was quoted twice keeps a `>` and belongs to no
    sheet."""
    if depth(line) != 1:
        return line
    return QUOTE.sub("", line, count=1)


def _unquote_lines(lines: Sequence[str], whose: Sequence[Region]) -> str:
    """Return the lines of signatures and of the email that is answered, unquoted.

    What was forwarded is left out, because somebody else wrote it.
    """
    kept = (
        (QUOTE.sub("", line, count=1) if ">" in line else line) if place in _LEFT_OUT else ""
        for line, place in zip(lines, whose, strict=True)
    )
    return "\n".join(kept).rstrip("\n")


def _without(text: str, sheets: Sequence[RawSheet]) -> str:
    taken = {i for sheet in sheets for i in sheet.indexes}
    kept = ("" if i in taken else line for i, line in enumerate(text.split("\n")))
    return "\n".join(kept).rstrip("\n")
