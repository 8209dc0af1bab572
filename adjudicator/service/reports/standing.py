"""All from which reports of one ply are made, read from the database at once."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from msgspec import UNSET, Struct
from msgspec.structs import replace

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.report import AnyReport
from adjudicator.service.base.deadlines import takes_advance
from adjudicator.service.base.loaded_match import (
    Loaded,
    Seated,
    Unreadable,
    decoder,
    readable,
    rulings_since,
)
from adjudicator.store import press, results, rulings, submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.matches import Match
from adjudicator.store.press import Mark, Note
from adjudicator.store.results import UnusedSheet
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import AdvanceVerdict, Submission
from adjudicator.store.turns import Commitment

# From which ply on a seat's report tells news: since its own last orders, or since it was told.


def first_news(tx: Tx, loaded: Loaded, seat: Seat) -> int:
    """Return the first ply of which the seat's report tells, if it was told of all before.

    It is that of its own last orders, or the one after the last that it has been told of. A seat
    that has left orders no more.
    """
    holder, since = loaded.holders[seat], loaded.match.ply
    if loaded.game.sight.retells and seat not in loaded.gone:
        return holder.ordered_ply
    untold = turns.plies_to_print(tx, loaded.match.id, seat, holder.tenure)
    while since - 1 in untold and since > holder.ordered_ply:
        since -= 1
    return since


def first_plies_to_tell(tx: Tx, loaded: Loaded, since: Mapping[Seat, int]) -> Mapping[Seat, int]:
    """Go back, for each seat to which emails go, to the first ply that none has told its
    holder."""
    match_id, coverages = loaded.match.id, turns.told_by_reports(tx, loaded.match.id)
    found = {}
    for seat in loaded.seats:
        tenure = loaded.holders[seat].tenure
        coverage = coverages.get((seat, tenure))
        if coverage is None:
            continue
        if coverage.unsent:
            found[seat] = _since_orders(tx, loaded, seat, since[seat])
            continue
        first = since[seat] if coverage.first is None else coverage.first
        if coverage.returned:
            first = _first_gap(turns.spans_of_reports(tx, match_id, seat, tenure), first)
        elif coverage.until is not None:
            first = coverage.until + 1
        found[seat] = min(since[seat], first)
    return found


def _first_gap(spans: Sequence[tuple[int, int]], first: int) -> int:
    """Return the first ply, counted from `first`, that is in no span; these are sorted.

    A report that came back leaves such a gap, though newer ones were delivered.
    """
    for since, until in spans:
        if since > first:
            break
        first = max(first, until + 1)
    return first


def _since_orders(tx: Tx, loaded: Loaded, seat: Seat, since: int) -> int:
    """Go back over orders that were sent in advance to the last ply of which a report was printed.

    No emails go out, and who prints his report after several turns finds all of them in it.
    """
    match_id = loaded.match.id
    while since and submissions.ordered_in_advance(tx, match_id, since, seat):
        before = since - 1
        if turns.was_shown_to(tx, match_id, before, seat):
            break
        if turns.was_tried(tx, match_id, before, seat):
            break
        since = submissions.last_used_ply(tx, match_id, seat, since)
    return since


class ReportContext(Struct, frozen=True):
    """All from which reports of one ply are made.

    `since` is the first ply of each seat's news, and `fresh`, if it is another, that of the news
    that an email of their own tells once only. `log` holds (ply, event) from the earliest of them
    on, or the whole match once it is over or if its views remember what was seen. `lines` are those
    of the log's chain, once it is opened; `jottings` are given where the game takes marks and
    notes. `used` are the sheets of people that were adjudicated, with their turns, and `taken_over`
    says when a seat got its present holder, if it had another. `unused` are the sheets of people
    that the log does not have, once the match is over.
    """

    loaded: Loaded
    ply: int
    since: Mapping[Seat, int]
    log: Sequence[tuple[int, Any]]
    commitments: Sequence[Commitment]
    rulings: Sequence[Ruling]
    verdicts: Mapping[str, Sequence[AdvanceVerdict]] = {}
    lines: Sequence[str | None] = ()
    fresh: Mapping[Seat, int] = {}
    jottings: Sequence[Mark | Note] | None = None
    used: Sequence[tuple[int, Submission]] = ()
    taken_over: Mapping[str, datetime] = {}
    unused: Sequence[UnusedSheet] = ()


def report_context_of(
    tx: Tx,
    loaded: Loaded,
    commitments: Sequence[Commitment] | None = None,
    rulings_made: Sequence[Ruling] | None = None,
) -> ReportContext:
    """Return what reports of the match are made from now; all to which it has committed and all
    rulings in it may be known."""
    fresh = {seat: first_news(tx, loaded, seat) for seat in loaded.seats}
    since = {**fresh, **first_plies_to_tell(tx, loaded, fresh)}
    verdicts: Mapping[str, Sequence[AdvanceVerdict]] = {}
    if takes_advance(loaded):
        verdicts = submissions.verdicts(tx, loaded.match.id, min(since.values()))
    earliest = min(since.values())
    game, match = loaded.game, loaded.match
    whole = is_over(loaded) or game.sight.remember is not None or game.marks is not None
    return ReportContext(
        loaded=loaded,
        ply=loaded.match.ply,
        since=since,
        fresh=fresh,
        log=read_log(tx, loaded.match, game, 0 if whole else earliest),
        commitments=turns.commitments(tx, match.id) if commitments is None else commitments,
        rulings=rulings_since(tx, match, 0) if rulings_made is None else rulings_made,
        verdicts=verdicts,
        lines=turns.lines(tx, loaded.match.id) if is_over(loaded) else (),
        jottings=press.jottings_of_match(tx, loaded.match.id) if game.marks else None,
        used=submissions.own_since(tx, match.id, earliest),
        taken_over={one.seat: one.at for one in rulings.holder_changes_since(tx, match.id, 0)},
        unused=results.unused_sheets(tx, match.id) if is_over(loaded) else (),
    )


def read_log(
    tx: Tx, match: Match, game: AnyGame, since: int = 0, until: int | None = None
) -> list[tuple[int, Any]]:
    """Return (ply, event) of the match's log from that ply on. Raises Unreadable."""
    with readable(match):
        rows = turns.events_since(tx, match.id, since)
        read_event = decoder(game.rules.event).decode
        return [(ply, read_event(body)) for ply, body in rows if until is None or ply <= until]


def can_read_log(loaded: Loaded, bodies: Iterable[str]) -> bool:
    """Return whether these events of the match's log can be read."""
    with suppress(Unreadable), readable(loaded.match):
        read_event = decoder(loaded.game.rules.event).decode
        for body in bodies:
            read_event(body)
        return True
    return False


def is_over(loaded: Loaded) -> bool:
    return loaded.game.rules.outcome(loaded.state) is not None


# The earlier reports of a seat, on which its page looks back.


_MOST = 400  # reports; about as many moments as a page has room for


def looking_back(
    tx: Tx, loaded: Seated, report: AnyReport, *, turns_back: int | None = None
) -> Sequence[Any]:
    """Return the seat's reports before this one, read as far as its game's pages need them.

    With `turns_back` it returns no more than those of so many turns. The last report of a match
    holds the record, which tells more; there it returns none.
    """
    game = loaded.game
    if game.page.past is None or report.record:
        return ()
    seat, since = report.seat, first_tenure(loaded, report.seat)
    told = turns.reports_before(
        tx,
        loaded.match.id,
        seat,
        report.ply,
        since_tenure=since,
        since_turn=0 if turns_back is None else report.turn - turns_back,
        most=_MOST,
    )
    return [*map(decoder(game.page.past).decode, told)]


def first_tenure(loaded: Seated, seat: Seat) -> int:
    """Return the first tenure whose reports the seat's present holder may read."""
    return 0 if loaded.game.sight.retold else loaded.holders[seat].tenure


# What the holder of a seat wrote down for himself alone (Espionage rule 9.3).


def own_jottings(
    loaded: Loaded, seat: Seat, written: Iterable[Mark | Note]
) -> tuple[list[Mark], list[str]]:
    """Return the marks and the notes of the seat's present holder."""
    tenure = loaded.holders[seat].tenure
    mine = [one for one in written if (one.seat, one.tenure) == (seat, tenure)]
    marks = [one for one in mine if isinstance(one, Mark)]
    return marks, [one.text for one in mine if isinstance(one, Note)]


def without_jottings(game: AnyGame, report: AnyReport) -> AnyReport:
    """Return a report of a former holder as his successor may read it: as if he had written
    nothing down."""
    if game.marks is None or report.notes is UNSET:
        return report
    nothing: Mapping[str, str] = {}
    view = game.marks.shown(report.view, nothing)
    if report.result is not None:
        view = game.marks.shown_lost(view, ())
    made = report.made
    if made is not UNSET:
        made = replace(made, marks=UNSET)
    return replace(report, view=view, notes=(), made=made)
