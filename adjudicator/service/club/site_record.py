"""The lines of the record of a club's site, by which a later build knows what can stay."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from msgspec import MsgspecError, Struct
from msgspec.json import decode

from adjudicator.reports import club
from adjudicator.service.club.publishing import EarlierVersion


class SiteRow(Struct, frozen=True):
    """The row of a match on the first page, which is kept when its own pages are made."""

    going: club.Going | None
    over: club.Over | None
    ended_at: float = 0.0
    made_at: float = 0.0
    named: bool = True  # its players may be


class SitePage(Struct, frozen=True):
    """A page in the record, or a file that it shares with others."""

    path: str
    size: int


class MatchLine(Struct, frozen=True):
    """A line of the record: all that the site has of one match."""

    match: str
    stamp: str
    row: SiteRow
    pages: Sequence[SitePage]
    watched: str = ""  # what its page for onlookers shows
    shown: Mapping[str, str] = {}  # what each seat's own page shows, by its path


class RulesLine(Struct, frozen=True, kw_only=True):
    """The line of the pages that follow from the program and the language alone. `links` are those
    of the first page to the rules: (game, page)."""

    match: str = ""  # it is no match's
    stamp: str
    links: Sequence[tuple[str, str]]
    pages: Sequence[SitePage]


class OtherLine(Struct, frozen=True, kw_only=True):
    """The line of pages that are no match's, and are made anew when what they say changes."""

    match: str  # begins with a slash, as no name of a match does
    stamp: str
    pages: Sequence[SitePage] = ()


class LineHead(Struct, frozen=True):
    """What is read of a line first."""

    match: str
    stamp: str


class NotedLine(Struct, frozen=True):
    """A line as it is written: ten thousand of them, read, would take much memory."""

    earlier: EarlierVersion
    stamp: str
    line: bytes


def sizes(pages: Sequence[SitePage]) -> Mapping[str, int]:
    return {page.path: page.size for page in pages}


def noted_lines(versions: Sequence[EarlierVersion]) -> Mapping[str, Sequence[NotedLine]]:
    """Return the lines of all earlier versions, by match."""
    found = defaultdict(list)
    for earlier in versions:
        for line in earlier.record:
            try:
                head = decode(line, type=LineHead)
            except MsgspecError:  # a kill cut it short, or it names a file of the whole club
                continue
            found[head.match].append(NotedLine(earlier, head.stamp, line))
    return found


def line_of_match(noted: NotedLine) -> MatchLine | None:
    try:
        return decode(noted.line, type=MatchLine)
    except MsgspecError:  # another version of the program wrote it
        return None
