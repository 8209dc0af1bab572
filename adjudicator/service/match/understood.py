"""A sheet as it is understood: what it orders and what is wrong with it."""

from collections.abc import Sequence

from msgspec import Struct

from adjudicator.core.jottings import Jotting
from adjudicator.core.match import Seat
from adjudicator.core.message import Message
from adjudicator.core.orders import Problem
from adjudicator.core.sheets import RawSheet, SheetCommand
from adjudicator.service.base.loaded_match import Loaded


class Given(Struct, frozen=True):
    """The command line or a letter's address says this of a sheet beside its text.

    `turn` is that of the report which its letter answers, `ply` the one that it tells of. By mail a
    resignation is not taken until it is confirmed (letters, section 3).
    """

    match: str | None = None
    seat: str | None = None
    channel: str = "file"
    may_resign: bool = True
    letter_id: int | None = None
    turn: int | None = None
    ply: int | None = None


class Ahead(Struct, frozen=True):
    """The later turn that a sheet is for."""

    turn: int
    ply: int


class Understood(Struct, frozen=True):
    """A sheet whose match and seat are known: what it orders and what is wrong with it.

    `explained` says what its lines mean. `ahead` is given if it is for a later turn. The places in
    its `jottings` are meant as after the ply `seen`. With `words_alone` it was judged by its words
    and by what everybody may know, and `loaded` holds nothing that a seat has sent.
    """

    loaded: Loaded
    seat: Seat
    text: str
    lines: Sequence[str]
    commands: Sequence[SheetCommand]
    problems: Sequence[Problem]
    warnings: Sequence[Problem] = ()
    explained: Sequence[Message] = ()
    says_orders: bool = True
    ahead: Ahead | None = None
    jottings: Sequence[Jotting] = ()
    seen: int = 0
    words_alone: bool = False


def understood_of(
    loaded: Loaded,
    seat: Seat,
    raw: RawSheet,
    lines: Sequence[str],
    problems: Sequence[Problem],
) -> Understood:
    return Understood(
        loaded=loaded,
        seat=seat,
        text="\n".join(line.text for line in (raw.line, *raw.body)),
        lines=lines,
        commands=raw.commands,
        problems=problems,
    )
