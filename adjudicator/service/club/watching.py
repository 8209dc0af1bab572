"""The page of a running match for people who have no seat in it: the board as the seat "" saw it
some turns ago (club, section 9)."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core import seat_report
from adjudicator.core.match import Seat
from adjudicator.core.message import Words, count, say
from adjudicator.core.report import AnyReport
from adjudicator.reports.frame import ReplyForm
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded, decoder
from adjudicator.service.base.options import onlookers
from adjudicator.service.matches import overview
from adjudicator.service.reports import building
from adjudicator.service.reports.printing import Printable
from adjudicator.service.reports.standing import read_log
from adjudicator.store import turns
from adjudicator.store.database import Tx
from adjudicator.store.turns import Ply

ONLOOKER = Seat("")


class WatchedPly(Struct, frozen=True):
    """What the page of a running match shows: the last ply that is old enough, and how many turns
    ago that was agreed to be. `mark` names the ply, also after an undo."""

    ply: int
    late: int
    mark: str


def watched(tx: Tx, loaded: Loaded) -> WatchedPly | None:
    """Return what onlookers are shown of a match; None if there is nothing, or nothing yet."""
    late = onlookers(loaded.match.options)
    if late is None or loaded.match.status == "over":
        return None
    ply = turns.last_ply_before_turn(tx, loaded.match.id, loaded.match.turn - late)
    if ply is None:
        return None
    shown = turns.one(tx, loaded.match.id, ply)
    if loaded.game.rules.phase(_state(loaded, shown)) != "play":
        return None
    return WatchedPly(ply, late, f"{ply} {rfc3339(shown.adjudicated_at)} {shown.head or ''}")


def page_of(
    tx: Tx, loaded: Loaded, shown: WatchedPly, lines: tuple[str, ...], language: str, zone: str
) -> Printable:
    """Return the page: the board after that ply, and its history up to there. Of what came later
    it has the lines above the board alone."""
    plies = [one for one in turns.plies(tx, loaded.match.id) if one.ply <= shown.ply]
    events = read_log(tx, loaded.match, loaded.game, until=shown.ply)
    reports = list(_reports(loaded, plies, events))
    past: Sequence[Any] = ()
    if loaded.game.page.past is not None:
        read = decoder(loaded.game.page.past).decode
        past = [read(building.written(loaded.game, one)) for one in reports[:-1]]
    return Printable(reports[-1], language, zone, past, ReplyForm(watched=lines))


def _reports(
    loaded: Loaded, plies: Sequence[Ply], events: Sequence[tuple[int, Any]]
) -> Iterator[AnyReport]:
    """Yield how the match stood after each ply, as onlookers saw it, with what they saw happen."""
    witness = loaded.game.sight.witness
    news: dict[int, list[Any]] = {}
    for ply, event in events:
        if (seen := witness(event, ONLOOKER)) is not None:
            news.setdefault(ply, []).append(seen)
    for one in plies:
        state = _state(loaded, one)
        facts = replace(
            building.facts_of(loaded),
            state=state,
            ply=one.ply,
            adjudicated=rfc3339(one.adjudicated_at),
            deadline=None,
            draw_offers=(),
        )
        view = loaded.game.sight.observe(state, ONLOOKER)
        told = seat_report.public_report(facts, ONLOOKER, view)
        yield replace(told, news=tuple(news.get(one.ply, ())))


def _state(loaded: Loaded, ply: Ply) -> Any:
    return decoder(loaded.game.rules.state).decode(ply.snapshot)  # type: ignore[arg-type]  # is hashable


def lines(loaded: Loaded, shown: WatchedPly, words: Words) -> tuple[str, ...]:
    """Return what stands above the board: the line of the first page, and how old the board is."""
    told = [say("{turn}. {told}", turn=overview.turn(loaded), told=overview.waits_for(loaded))]
    if shown.late:
        told.append(
            count("Shown with a delay of {n} turn.", "Shown with a delay of {n} turns.", shown.late)
        )
    return tuple(map(words, told))
