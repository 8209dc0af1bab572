"""A match looked back upon: as its seat's old reports told it or, when it has ended, as it was.

A page made here holds no more than the reports that its reader was sent: each moment is made
from one of them alone. At the end the record, which the last report gives, tells the rest.
"""

from collections.abc import Iterable, Iterator, Sequence

from adjudicator.core import lookback
from adjudicator.core.lookback import MomentRow, newest, points
from adjudicator.core.message import Words, say
from adjudicator.core.report import Report
from adjudicator.games.espionage.page.dossiers import Dossier
from adjudicator.games.espionage.page.news import Row, order_place, orders_made
from adjudicator.games.espionage.page.old_reports import OldReport, fresh_steps
from adjudicator.games.espionage.page.replay_from_record import retold
from adjudicator.games.espionage.page.replay_steps import Moment, Position, changes
from adjudicator.games.espionage.rules.state import VARIANTS
from adjudicator.games.espionage.sight.observe import SeenStep, View

_LONG_RECORD = 3_000  # stands in the page once, and a script makes the link

STEPPING = ("shared/history.js", "espionage/history.js")  # the scripts that step through it
SPARE_STEPPING = ("espionage/other_side.js",)


class History(lookback.History, frozen=True, kw_only=True):
    """The rows of a page that looks back, on a board of `size` by `size` squares; `dossiers` tell
    of the enemy's pieces."""

    size: int
    dossiers: Sequence[Dossier] = ()


def history(
    report: Report[View, SeenStep],
    past: Sequence[OldReport],
    words: Words,
    ending: str | None,
    room: int | None = None,
) -> History | None:
    """Make the rows that look back, as many as have room; None before the armies stand. `ending`
    is the result in words."""
    view = report.view
    if report.record:
        moments = list(retold(report.record, words, ending or ""))
    else:
        moments = list(_told((*past, OldReport(view.seat, view.pieces, report.news)), words))
    if not moments:
        return None
    hidden = not VARIANTS[view.variant].open_ranks
    rows = list(_rows(moments, hidden))
    shown = newest(rows, room, lambda n: changes({}, moments[n], hidden=hidden))
    first = len(rows) - len(shown)
    return History(
        moments=shown,
        complete=not shown[0].steps,
        cut=first > 0,
        size=view.board.size,
        record=report.record if _is_linked(report.record) else None,
        file=f"{report.match}.esp",
        points=list(points(rows, first)),
    )


def _is_linked(record: str | None) -> bool:
    """Return whether the record stands in a link too, in which blanks and brackets take three
    bytes."""
    return bool(record) and len(record or "") <= _LONG_RECORD


def _told(reports: Iterable[OldReport], words: Words) -> Iterator[Moment]:
    """Yield a moment for each report, with what was news in it."""
    first = True
    for old, news in fresh_steps(reports):
        if old.pieces and (news or first):
            yield _moment(old, news, words)
        first = first and not news


def _moment(old: OldReport, news: Sequence[SeenStep], words: Words) -> Moment:
    position = {piece.square: piece for piece in old.pieces}
    if not news:
        return Moment("turn-0", words(say("Set-up")), position)
    # The oldest report at hand may tell two orders; the board is the one after the second.
    label, steps = orders_made(news, old.pieces, old.seat, words)[-1]
    place = order_place(news[-1].turn, news[-1].side)
    return Moment(place, label, position, steps)


def _rows(moments: Sequence[Moment], hidden: bool) -> Iterator[MomentRow]:
    before: Position = {}
    for moment in moments:
        yield MomentRow(
            moment.place,
            moment.label,
            changes(before, moment, hidden=hidden),
            _joined(moment.steps),
            moment.points,
        )
        before = moment.position


def _joined(steps: Sequence[Row]) -> list[Row]:
    """Join plain steps that follow each other, without a fight or a word between them, to be
    printed as one."""
    joined: list[Row] = []
    for step, outcome, told in steps:
        before, *how = joined[-1] if joined else ("", "", "")
        if before and step and outcome == "moved" and how == ["moved", ""]:
            joined[-1] = (f"{before} {step}", outcome, told)
        else:
            joined.append((step, outcome, told))
    return joined
