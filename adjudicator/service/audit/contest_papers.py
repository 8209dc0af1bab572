"""What the judges of logs of tournaments and ladders share: the log with the papers of its matches,
and how a match ended by its own log."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.clock import DORMANT_AFTER
from adjudicator.core.contest_log import RestoredLine
from adjudicator.core.message import Message, say
from adjudicator.core.result import How, MatchResult, SeatDeparture, leavers, result_of
from adjudicator.service.audit.log import BY_DEFAULT, ReplayedMatch
from adjudicator.service.audit.papers import Document, differ
from adjudicator.service.audit.verdicts import AuditFinding, contradicts


class ContestPapers(Struct, frozen=True):
    """A log whose lines were read, the paper that has it, all papers of the contest, those of
    matches by their names, and the matches that were played again."""

    name: str
    papers: Sequence[Document]
    paper: Document
    lines: Sequence[Any]
    of_matches: Mapping[str, Sequence[Document]]
    played: Mapping[str, ReplayedMatch]

    @property
    def epochs(self) -> list[str]:
        return [line.epoch for line in self.lines if isinstance(line, RestoredLine)]


class ContestKind(Struct, frozen=True, kw_only=True):
    """How the log of a kind of contest is judged: how its lines are read, by which rule its heads
    are compared, by which rules what else, and where its log is found."""

    parse: Callable[[Sequence[str]], Sequence[Any]]
    heads: str
    rules: Sequence[tuple[str, Callable[[ContestPapers], Iterator[AuditFinding]]]]
    without_log: Callable[[str], Message]
    computed: Callable[[int], Message]


def other_heads(its: ContestPapers, line: Any) -> Iterator[AuditFinding]:
    """Compare the last head of a match that a result names with what its own papers tell."""
    for other in its.of_matches.get(line.match, ()):
        if its.epochs and other.epoch != its.epochs[-1]:
            continue  # it may be of a match of that name which the restore has undone
        heads = [*other.listed, *([other.head] if other.head else [])]
        if any(ply == line.ply and digest != line.head for ply, digest in heads):
            yield contradicts(differ(say("the end of {match}", match=line.match), other, its.paper))


def own_result(match: ReplayedMatch) -> MatchResult | None:
    """Return how a match ended by its own log; None if it has not, or was cancelled."""
    cause = match.plies[-1].entry.cause if match.plies else ""
    seats = match.setting.seats
    return result_of(match.game.rules, match.last, seats, [*departures(match)], cause=cause)


def is_asleep(match: ReplayedMatch, seat: str) -> bool:
    given = [one.by for ply in match.plies for one in ply.entry.orders if one.seat == seat]
    return given[-DORMANT_AFTER:] == [BY_DEFAULT] * DORMANT_AFTER


def departures(match: ReplayedMatch) -> Iterator[SeatDeparture]:
    for one in match.plies:
        entry = one.entry
        if entry.cause not in ("resignation", "forfeit"):
            continue
        actions = [ruled.action for ruled in entry.rulings]
        forfeits = [action for action in actions if action in ("silence", "forfeit")]
        by_forfeit: How = "silence" if forfeits[-1:] == ["silence"] else "forfeited"
        how: How = "resigned" if entry.cause == "resignation" else by_forfeit
        for seat in leavers(match.game.rules, one.before, one.state, match.setting.seats):
            yield SeatDeparture(seat=seat, how=how, ply=entry.ply)
