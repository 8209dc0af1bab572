"""What the seats' reserves hold by an opened log, and whether that is what was agreed (club, 5.2).

A log does not have the days on which a player was away. So a charge may be lower than the options
say, and the time of a seat may end later, but neither is ever the other way round.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

from adjudicator.core.chain import AdjudicatedSheet, PlyText
from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.releases import CLOCK, plays_alike
from adjudicator.service.audit.log import (
    BY_DEFAULT,
    ParsedLog,
    ReplayedMatch,
    calendar_of,
    due_in,
    options_at,
    reserves_at,
)
from adjudicator.service.audit.verdicts import AuditFinding, contradicts
from adjudicator.service.base.bank import A_SECOND, Bank
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.options import Terms, terms

_SLACK = 1  # seconds: a log has whole ones


def compare_reserves(played: ReplayedMatch, log: ParsedLog) -> Iterator[AuditFinding]:
    """Yield the balances that contradict what was agreed and when the orders came."""
    opening = log.opening
    version, seats = opening.version, [str(seat) for seat in played.setting.seats]
    turns: dict[str, int] = {}
    for entry in log.entries:
        version = entry.version or version
        try:
            agreed = terms(options_at(opening, log.entries[: entry.ply]))
        except (Refusal, ValueError, KeyError):
            return  # said with the deadlines
        if agreed.bank is None:
            turns = {}
            continue
        held = reserves_at(log, seats, entry.ply - 1, entry.rulings, entry.holders)
        if held is None or entry.cause != "orders":
            continue
        for sheet in entry.orders:
            turns[sheet.seat] = turns.get(sheet.seat, 0) + 1
            told = entry.bank.get(sheet.seat)
            least, most = _between(agreed, agreed.bank, held, sheet, log, entry, turns)
            if _is_opening(played, log, entry, sheet):
                least = most = agreed.bank.after(held[sheet.seat], 0, turns[sheet.seat])
            if plays_alike(version, CLOCK) and (told is None or not least <= told <= most):
                yield _not_agreed(played, log, entry, sheet.seat, told, least, most)


def _is_opening(
    played: ReplayedMatch, log: ParsedLog, entry: PlyText, sheet: AdjudicatedSheet
) -> bool:
    """Return whether nobody was silent, for the first ply was adjudicated with the opening."""
    due = due_in(log, entry)
    opens_at_once = entry.ply == 1 and played.game.rules.opens_at_once
    return opens_at_once and sheet.by == BY_DEFAULT and (not due or sheet.at < due)


def _between(
    agreed: Terms,
    bank: Bank,
    held: Mapping[str, int],
    sheet: AdjudicatedSheet,
    log: ParsedLog,
    entry: PlyText,
    turns: dict[str, int],
) -> tuple[int, int]:
    """Return the least and the most that a seat can have after its orders were adjudicated."""
    balance, nth = held.get(sheet.seat, 0), turns[sheet.seat]
    if sheet.by == BY_DEFAULT:
        return (bank.after(balance, balance, nth),) * 2
    due = due_in(log, entry)
    drawn = timedelta()
    if due:
        drawn = calendar_of(agreed).cost_of_delay(
            datetime.fromisoformat(due), min(map(datetime.fromisoformat, (sheet.at, entry.at)))
        )
    charge = min(balance, drawn // A_SECOND + 2 * _SLACK if drawn else 0)
    kept = 0 if agreed.leave != "none" else max(0, charge - 4 * _SLACK)
    return bank.after(balance, charge, nth), bank.after(balance, kept, nth)


def _not_agreed(
    played: ReplayedMatch,
    log: ParsedLog,
    entry: PlyText,
    seat: str,
    told: int | None,
    least: int,
    most: int,
) -> AuditFinding:
    return contradicts(
        say(
            "{paper}: ply {ply}: {seat} has a reserve of {seen} seconds, and by its orders and the "
            "options it is from {least} to {most}",
            paper=log.paper.name,
            ply=entry.ply,
            seat=played.game.seat_titles[Seat(seat)],
            seen="-" if told is None else told,
            least=least,
            most=most,
        )
    )
