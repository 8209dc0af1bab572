"""Write the log of a tournament: a line in the transaction of what it tells (club, 7.9)."""

from collections.abc import Sequence
from datetime import datetime

from msgspec import structs, to_builtins

from adjudicator.core import contest_log
from adjudicator.core.contest_log import (
    ClosedLine,
    LoggedBoard,
    LoggedPlace,
    LogLine,
    OpenedLine,
    ResultLine,
    RoundLine,
)
from adjudicator.core.pairing import history
from adjudicator.core.result import MatchResult
from adjudicator.service.competition import chaining
from adjudicator.service.competition.kinds.kind import NewPairing, Tournament
from adjudicator.store import contest_logs, tournaments
from adjudicator.store.database import Tx
from adjudicator.store.tournaments import PairingRow, TournamentRow


def note(tx: Tx, row: TournamentRow, line: LogLine, now: datetime) -> None:
    """Add a line to the log of a tournament whose row is locked. One that began without a log goes
    on without."""
    table = contest_logs.TOURNAMENTS
    if isinstance(line, OpenedLine) or contest_logs.last_line(tx, table, row.id) is not None:
        chaining.add(tx, table, row.id, row.name, line, now)


def entries_so_far(tx: Tx, row: TournamentRow) -> int | None:
    """Return how many have entered a tournament, also if they withdrew; None if it has no log."""
    lines = lines_of(tx, row)
    return sum(isinstance(one, contest_log.EnteredLine) for one in lines) if lines else None


def lines_of(tx: Tx, row: TournamentRow) -> list[LogLine]:
    return [contest_log.read(one.line) for one in tournaments.log(tx, row.id)]


# What lines say.


def opening(row: TournamentRow) -> OpenedLine:
    return OpenedLine(
        kind=row.kind,
        game=row.game,
        variant=row.variant,
        options=dict(sorted(row.options.items())),
        format=to_builtins(row.format),
        commitment=history.commitment(row.seed),
        chance=row.chance,
    )


def boards(made: Sequence[NewPairing]) -> tuple[LoggedBoard, ...]:
    return tuple(
        LoggedBoard(board, one.kind, one.numbers, tuple(one.points or ()))
        for board, one in enumerate(made, 1)
    )


def replays(tournament: Tournament, drawn: Sequence[PairingRow]) -> RoundLine:
    """Return the line of the matches of a knock-out that are played again."""
    numbers = tournament.numbers
    again = tuple(
        LoggedBoard(one.board, one.kind, tuple(numbers[id_] for id_ in reversed(one.entries)))
        for one in drawn
    )
    return RoundLine(round=tournament.row.round, again=1, boards=again)


def addresses_apart(
    tournament: Tournament, round_: int, made: Sequence[NewPairing]
) -> tuple[tuple[int, ...], ...]:
    """Return the numbers that share an address, if others would meet without that: nobody need know
    it who does not compute the round again."""
    shared = tournament.shared_addresses
    if not shared:
        return ()
    strangers = [structs.replace(one, address=str(one.id)) for one in tournament.entries]
    alone = Tournament(tournament.row, strangers, tournament.pairings, tournament.known_kind)
    return () if tournament.kind.pairs(alone, round_) == made else shared


def result(
    tx: Tx, tournament: Tournament, pairing: PairingRow, seats: Sequence[str], ended: MatchResult
) -> ResultLine:
    """Return what a match gave, as far as its own log says it; the seats are in their order."""
    assert pairing.match_id is not None
    number = {
        seat: tournament.numbers[id_] for seat, id_ in zip(seats, pairing.entries, strict=True)
    }
    ply, head = tournaments.last_head(tx, pairing.match_id)
    left = [(number[one.seat], str(one.how)) for one in ended.departures]
    return ResultLine(
        round=pairing.round,
        board=pairing.board,
        again=pairing.again,
        match=pairing.match or "",
        ply=ply,
        head=head,
        places=tuple(tuple(number[seat] for seat in group) for group in ended.places),
        left=(*left, *((number[seat], "asleep") for seat in ended.dormant)),
        ending="",
    )


def closing(tournament: Tournament, why: str) -> ClosedLine:
    """Return the end with the table as it is now, or without one if it is cancelled."""
    table = [] if why == "cancelled" else tournament.kind.table(tournament, None)
    places = (
        LoggedPlace(
            one.place, one.number, one.points, str(one.compared), one.won, one.played, one.round
        )
        for one in table
    )
    return ClosedLine(why=why, seed=tournament.row.seed.hex(), table=tuple(places))
