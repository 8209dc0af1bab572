"""The first page of a folder of reports."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict

from adjudicator.reports.render import environment


class View(Struct, frozen=True):
    """A way to watch the match: `page` is where it plays, `picture` a board of it."""

    title: str
    page: str
    picture: str


class Contents(Struct, frozen=True, kw_only=True):
    """All that the page says: the match as it plays, and every report.

    `made` is the time at which they were made, `result` a sentence, `record` the file with the game
    record; `moments` are (link, moment, what happened); `commands` begin such a match; `seats` are
    (title, name in the files, turns as they stand there).
    """

    title: str
    made: str
    result: str
    turns: int
    record: str
    views: Sequence[View]
    moments: Sequence[tuple[str, str, str]]
    commands: Sequence[str]
    seats: Sequence[tuple[str, str, Sequence[str]]]


def contents(said: Contents) -> str:
    """Return the page as HTML."""
    return environment("en", "").get_template("shared/index.html.j2").render(asdict(said))
