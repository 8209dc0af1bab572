"""Decide whose words each line of a body is: the sender's, a quote, a signature, or another
email's.

An email of ours that is quoted is known by its shape, in any language: a mail program names the
club's own address above it. For other people's emails we use our own list of stop lines, in the
languages of our players and their neighbours. A library that knows more (mail-parser-reply) takes
`- a1 a3` for a signature and hangs on 20,000 line ends. If a quote is not recognised here, a bare
sheet is refused, and the player is told; a sheet with a frame does not depend on this.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from functools import cache
from itertools import islice

from msgspec import Struct

from adjudicator.core.commands import jotting_of
from adjudicator.core.orders import Line

MOST_STOP_LINE = 300  # a longer line is no stop line, and no pattern is tried on it
_ATTRIBUTION_LINES = 4  # over which a program breaks "On ... wrote:"


class Region(Enum):
    OWN = "own"
    QUOTED = "quoted"  # behind `>`
    SIGNATURE = "signature"
    MARK = "mark"  # a line of the mail program's, such as "On ... wrote:" or "-- "
    BELOW = "below"  # under the header of an email quoted without `>`
    FORWARDED = "forwarded"
    OURS = "ours"  # an email of ours that no program's line announces


QUOTE = re.compile(r"[ \t\u00a0]{0,3}(>(?:[ \t\u00a0]{0,2}>)*)[ \u00a0]?")

_WROTE = re.compile(
    # A mail program's line has a digit in its date; a player's own "you wrote:" has none.
    r"(?=\D*\d).*\b(?:wrote|writes|skrev|skreiv|schrieb|schreibt|a écrit|escribió|escreveu"
    r"|ha scritto|schreef|kirjoitti|napisał|folgendes geschrieben)\b.*:\W{0,3}",
    re.IGNORECASE,
)
_COLON = re.compile(r":\W{0,3}\Z")  # at the end of what `_WROTE` matches
_OPENING = re.compile(
    r"\W{0,3}(?:on|am|den|le|el|em|il|op|w|dnia"
    r"|mandag|tirsdag|onsdag|torsdag|fredag|lørdag|søndag|måndag|tisdag|torsdag|lördag|söndag"
    r"|man|tir|ons|tor|tors|fre|lør|søn|mån|tis|lör|sön|\d{1,4})\b",
    re.IGNORECASE,
)
# `2. d3-d4` and "On turn 5 I do" have neither.
_YEAR_OR_TIME = re.compile(r"\b(?:19|20)\d\d\b|\d:\d\d\b|\b(?:kl|um)\b\.? ?\d", re.IGNORECASE)
_WROTE_WORD = re.compile(
    r"\b(?:wrote|writes|skrev|skreiv|skriver|schrieb|schreibt|geschrieben)\b", re.IGNORECASE
)
_ORIGINAL = re.compile(
    r"-{2,}\s*(?:original message|original appointment|opprinnelig (?:melding|beskjed|e-post)"
    r"|oprindelig (?:meddelelse|besked)|ursprungligt (?:meddelande|mejl|brev)|originalmeddelande"
    r"|ursprüngliche (?:nachricht|mail|e-mail)|original-?nachricht|originalmelding"
    r"|oorspronkelijk bericht|message d'origine|mensaje original)\s*-{2,}",
    re.IGNORECASE,
)
_FORWARD = re.compile(
    r"-{2,}\s*(?:forwarded message|videresendt (?:melding|e-post)|vidarebefordrat (?:meddelande"
    r"|mejl|brev)|weitergeleitete nachricht|videresendt meddelelse).{0,60}"
    r"|begin forwarded message:|start på videresendt (?:melding|e-post|e-postmelding):"
    r"|vidarebefordrat brev:|anfang der weitergeleiteten nachricht:",
    re.IGNORECASE,
)
_FROM = re.compile(r"\W{0,3}(?:from|fra|från|von|de)\s?:\W{0,3}\s*(?P<who>\S.*)", re.IGNORECASE)
_BESIDE = re.compile(
    r"\W{0,3}(?:(?P<date>sent|date|sendt|dato|skickat|datum|gesendet)|(?P<to>to|til|till|an)"
    r"|(?P<subject>subject|emne|ämne|betreff)|(?P<cc>cc|kopi|kopia))\s?:",
    re.IGNORECASE,
)
_DELIMITER = re.compile(r"--[ \t\u00a0]*")
_UNDERSCORES = re.compile(r"_{5,}\s*")
# Yahoo's program for telephones writes on behind its attribution, and quotes with nothing.
_WROTE_ON = re.compile(
    r"(?=\D*\d).{0,200}<[^<>\s]{1,100}@[^<>\s]{1,100}>\s?(?:wrote|skrev|skreiv|schrieb):\s{2,}\S.*",
    re.IGNORECASE,
)
# The shape of what programs write above an email of ours, whatever the language.
_ENDS_SAID = re.compile(r"[:\uff1a]\W{0,4}\Z")
_DATED = re.compile(
    r"\b(?:19|20)\d\d\b|\d[:.h]\d\d\b|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|\d\s?[年日시]"
)
_FIELD = re.compile(r"\W{0,4}[^\W\d_][^:\uff1a@]{0,40}[:\uff1a](?P<value>.*)")
_BRACKETED = re.compile(r"\[[a-z][a-z0-9-]{0,23}\]")  # a match in a subject of ours
_RULE = re.compile(r"(?P<sign>[-=*~_])(?P=sign)+\s?[^\W\d_].{0,60}?(?P=sign){2,}")
_MOST_FIELDS = 8  # of the head of a quoted email
_MARKS_OF_DIRECTION = re.compile("[\u200b-\u200f\u202a-\u202e\u2066-\u2069]")
_PHONE = re.compile(
    r"(?:(?:sent|sendt|skickat|skickades|sänt|gesendet)"
    r" (?:from|with|via|using|fra|frå|med|från|von|mit)"
    r"|(?:diese nachricht wurde )?von .{1,60} gesendet|mobil gesendet"
    r"|sicher versendet mit|secured with"
    r"|(?:get|hent|last ned|skaff|skaff deg|få|skaffa|hämta|ladda ne[dr]|holen sie sich|laden sie)"
    r" (?:outlook|bluemail)"
    r"|outlook für .* (?:beziehen|herunterladen)"
    r"|yahoo mail(?=:)"
    r"|virus-?fr(?:ee|i|itt)|virenfrei|fri från virus)\b.{0,80}",
    re.IGNORECASE,
)


def depth(line: str) -> int:
    """Return how often the line is quoted."""
    found = QUOTE.match(line) if ">" in line else None
    return found[1].count(">") if found else 0


_NARROWEST = 56  # columns at which a mail program breaks lines


def is_rest(above: str, line: str) -> bool:
    """Return whether a line may be the rest of the one above: its first word had no room there."""
    return bool(line.strip()) and len(above.rstrip()) + 1 + len(line.split()[0]) > _NARROWEST


def naming(lines: Sequence[str], ours: str) -> frozenset[int]:
    """Return the indexes of the lines outside quotes that name an address of the club, whose public
    one is `ours`; a program may have broken it there."""
    found = set()
    for i, line in enumerate(lines):
        if ours and "@" in line and not depth(line):
            parts = [_MARKS_OF_DIRECTION.sub("", part) for part in lines[max(i - 1, 0) : i + 2]]
            whole = parts[min(i, 1)], "".join(map(str.strip, parts))
            if any(len(one) <= 3 * MOST_STOP_LINE and _own(ours).search(one) for one in whole):
                found.add(i)
    return frozenset(found)


@cache
def _own(ours: str) -> re.Pattern[str]:
    user, _, domain = map(re.escape, ours.rpartition("@"))
    return re.compile(
        rf"(?<![\w.+-]){user}(?:[-+._=][^\s@<>()]*)?@{domain}(?![\w-]|\.\w)", re.IGNORECASE
    )


def regions(
    lines: Sequence[str],
    framed: Collection[int],
    pressed: Collection[int] = (),
    named: Collection[int] = (),
) -> list[Region]:
    """Return a region for each line.

    The lines whose indexes are in `framed` end no region: in a sheet, `From: b2 TO b4` is an order.
    Those in `pressed` stand in a message for other seats, where no program puts a signature;
    those in `named` name an address of ours.
    """
    found: list[Region] = []
    place = Region.OWN
    quotes = Region.QUOTED  # what a quoted line is
    marks = 0  # lines of an attribution still to come
    for i, line in enumerate(lines):
        if i in framed or place is Region.FORWARDED:
            found.append(place)
        elif depth(line):
            if _FORWARD.fullmatch(_short(QUOTE.sub("", line, count=1))):
                quotes = Region.FORWARDED
            found.append(quotes)
        elif marks:
            marks -= 1
            found.append(Region.MARK)
        elif not line:
            found.append(place)
        elif stop := _stop(lines, i, named, below=place is Region.BELOW, pressed=i in pressed):
            place, marks = (place, stop.length - 1) if stop.goes_on else (stop.region, 0)
            found.append(Region.MARK)
        else:
            found.append(place)
    return found


class _Stop(Struct, frozen=True):
    """A line that is nobody's words, with the region that begins after it."""

    region: Region
    length: int = 1

    @property
    def goes_on(self) -> bool:
        """Return whether the words after it are those of whoever wrote before it."""
        return self.region is Region.MARK


def _short(line: str) -> str:
    return line.strip() if len(line) <= MOST_STOP_LINE else ""


def _stop(
    lines: Sequence[str], i: int, named: Collection[int], *, below: bool, pressed: bool
) -> _Stop | None:
    """Return the stop that begins at this line, if any.

    Below another email's header only the mark of a forwarded email counts.
    """
    line = _short(lines[i])
    if not line:
        return None
    dashes, colon = line.startswith("--"), ":" in line  # most lines have neither
    if (dashes or colon) and _FORWARD.fullmatch(line):
        return _Stop(Region.FORWARDED)
    if below:
        return None
    if named and (stop := _stop_of_ours(lines, i, named)):
        return stop
    if (dashes and _ORIGINAL.fullmatch(line)) or (colon and _is_header(lines, i)):
        return _Stop(Region.BELOW)
    if colon and not pressed and _introduces(line) and any(map(depth, _next_said(lines, i + 1))):
        return _Stop(Region.MARK)
    if length := _attribution(lines, i):
        quoted = any(depth(after) for after in _next_said(lines, i + length))
        return _Stop(Region.MARK, length) if quoted else _Stop(Region.BELOW)
    if pressed:
        return None
    if (dashes and _DELIMITER.fullmatch(line)) or _UNDERSCORES.fullmatch(line):
        return _Stop(Region.SIGNATURE)
    # People may go on writing below their telephone's advertisement.
    return _Stop(Region.MARK) if _PHONE.fullmatch(line) else None


def _stop_of_ours(lines: Sequence[str], i: int, named: Collection[int]) -> _Stop | None:
    """Return the stop that begins at this line, if an email of ours is quoted below it. A line such
    as `-- Message --` may stand above."""
    if not any(at in named for at in range(i, i + _MOST_FIELDS)):
        return None
    start = i
    if _RULE.fullmatch(_short(lines[i])):
        below = range(i + 1, min(i + 4, len(lines)))
        start = next((at for at in below if lines[at].strip()), i)
    if head := _head_of_ours(lines, start, named):
        length = head[-1] + 1 - i
        is_ours = next(at for at in head if "@" in lines[at]) in named  # not an email to us
    elif told := _attribution_of_ours(lines, start, named):
        length, is_ours = told + start - i, True
    else:
        return None
    # Below a quote with marks its reader may write on.
    quoted = is_ours and any(map(depth, _next_said(lines, i + length)))
    return _Stop(Region.MARK, length) if quoted else _Stop(Region.BELOW)


def _attribution_of_ours(lines: Sequence[str], i: int, named: Collection[int]) -> int:
    """Return how many lines name an address of ours and what is quoted below, 0 if none do: they
    end with a colon, or stand right above a quote. Without a quote they tell a time."""
    at = next((at for at in range(i, i + _ATTRIBUTION_LINES - 1) if at in named), None)
    if at is None or not all(map(_short, lines[i : at + 1])):
        return 0
    if any(map(depth, lines[i : at + 1])) or (at > i and not _may_begin(lines[i])):
        return 0
    for last in range(at, min(at + 3, len(lines))):
        line = _short(lines[last])
        if not line or depth(line):
            break
        if _ENDS_SAID.search(line):
            told = " ".join(lines[i : last + 1])
            quoted = any(map(depth, _next_said(lines, last + 1)))
            is_note = jotting_of(Line(0, lines[i]), outside=True)
            return last + 1 - i if (quoted or _DATED.search(told)) and not is_note else 0
        if line.endswith((".", "!", "?")):
            break
    return at + 1 - i if any(map(depth, _next_said(lines, at + 1))) else 0


def _may_begin(line: str) -> bool:
    return "@" in line or bool(_DATED.search(line))


def _head_of_ours(lines: Sequence[str], i: int, named: Collection[int]) -> Sequence[int]:
    """Return the indexes of lines such as From, Sent, To, Subject that begin here, if one of them
    names an address of ours; several tell an address, a time or a subject of ours."""
    told = [at for at in _fields(lines, i) if _is_told(lines[at])]
    if i not in told[:1] or len(told) < 2 or not any(at in named for at in told):
        return ()
    return list(_fields(lines, i))


def _fields(lines: Sequence[str], i: int) -> Iterator[int]:
    """Yield the indexes of lines `word: value` from here on; a blank one may stand between two, and
    a value may go on."""
    goes_on = blank = False
    for at, line in islice(enumerate(lines[i : i + 2 * _MOST_FIELDS], i), 2 * _MOST_FIELDS):
        text = _short(line)
        if not text and blank:
            return
        is_field = bool(text) and not depth(line) and _FIELD.fullmatch(text) is not None
        if text and not is_field and not (goes_on or line[0] in " \t"):
            return
        if is_field:
            yield at
        goes_on, blank = text.endswith((",", ";", "<")), not text


def _is_told(line: str) -> bool:
    found = _FIELD.fullmatch(_short(line))
    value = found["value"] if found else ""
    return "@" in value or bool(_DATED.search(value) or _BRACKETED.search(value))


def _introduces(line: str) -> bool:
    """Return whether a line may say who wrote what is quoted below it: it names the writing, or an
    address and a time. A note that says so is the sender's own."""
    if not line.endswith(":") or jotting_of(Line(0, line), outside=True):
        return False
    return bool(_WROTE_WORD.search(line)) or ("@" in line and any(map(str.isdigit, line)))


def _attribution(lines: Sequence[str], i: int) -> int:
    """Return how many lines "On ... wrote:" takes, 0 if there is none."""
    if not _OPENING.match(lines[i]) and "@" not in lines[i]:
        return 0
    if "@" in lines[i] and len(lines[i]) <= MOST_STOP_LINE and _WROTE_ON.fullmatch(lines[i]):
        return 1
    joined = ""
    for length, line in enumerate(lines[i : i + _ATTRIBUTION_LINES], start=1):
        if not line.strip() or len(line) > MOST_STOP_LINE or depth(line):
            return 0
        joined = f"{joined} {line.strip()}".strip()
        if _COLON.search(joined[-4:]) and _WROTE.fullmatch(joined):  # tried no sooner
            return length
        if length == 1 and not _may_go_on(line):
            return 0
    return 0


def _may_go_on(line: str) -> bool:
    """Return whether the first line of an attribution may be broken there: programs do so behind
    the date or an address. Without this the orders of a numbered list went with the line below."""
    return "@" in line or bool(_YEAR_OR_TIME.search(line))


def _next_said(lines: Sequence[str], i: int) -> Iterator[str]:
    """Yield the first line from `i` on that is not blank."""
    for line in lines[i : i + 50]:
        if line.strip():
            yield line
            return


def _is_header(lines: Sequence[str], i: int) -> bool:
    """Return whether lines such as From, Sent, To, Subject begin here, or Sent, From, To.

    One line by itself, such as `From: b2 TO b4`, is none.
    """
    first = _FROM.fullmatch(_short(lines[i]))
    if first is None:
        return _is_header_with_date(lines, i)
    beside = _beside(lines, i)
    return len(beside) >= 2 or (bool(beside) and "@" in first["who"])


def _is_header_with_date(lines: Sequence[str], i: int) -> bool:
    """Return whether a line such as Sent begins a header, whose next line is From: so write GMX and
    its like."""
    found = _BESIDE.match(_short(lines[i]))
    if found is None or found.lastgroup != "date" or i + 1 >= len(lines):
        return False
    return bool(_FROM.fullmatch(_short(lines[i + 1]))) and len(_beside(lines, i + 1)) >= 2


def _beside(lines: Sequence[str], i: int) -> set[str | None]:
    """Return what kinds of lines of a header stand below a line."""
    return {
        found.lastgroup
        for line in lines[i + 1 : i + 6]
        if (found := _BESIDE.match(_short(line))) is not None
    }
