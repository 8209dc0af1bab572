"""Compare which matches stand in the table of a daily email (C3).

A club lists the matches of which the email has a part, and those that wait for its reader's orders
(`service/outbound/daily`). From an opened log it is known for what a match waited, and by the
number of the orders that were used that none had come before. So a match that is left out is named
where that is certain. Who held the seat is known from the emails to it: from another daily email,
which has a part of the match for the same player, and from those of before and after.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.service.audit.log import ParsedLog, ReplayedMatch, ReplayedPly, taken_back
from adjudicator.service.audit.papers import Document
from adjudicator.service.audit.told_acts import whole_values
from adjudicator.service.audit.verdicts import AuditFinding, AuditVerdict
from adjudicator.service.emails.value import EmailValue, each_of


def findings(
    played: ReplayedMatch, of_club: Sequence[Document], log: ParsedLog
) -> Iterator[AuditFinding]:
    """Yield the daily emails that leave the match out though it waited for their reader."""
    if any(map(taken_back, log.entries)):
        return
    every = [*whole_values(of_club, log)]
    to_seats = [one for _, whole in every for one in each_of(whole) if one.to.match == played.match]
    for paper, whole in every:
        if whole.table is None or any(row.match == played.match for row in whole.table.rows):
            continue
        its = (told.to for _, other in every for told in other.parts if _is_of_one(whole, other))
        holders = {(to.seat, to.tenure) for to in its if to.match == played.match}
        for seat, tenure in holders:
            times = [one.at for one in to_seats if (one.to.seat, one.to.tenure) == (seat, tenure)]
            held = min(times) < whole.table.at < max(times)
            if held and _is_waiting(played, seat, whole.table.at):
                told = say(
                    "{paper} has no line for {match}, which waited for the orders of {seat} then",
                    paper=paper.name,
                    match=played.match,
                    seat=played.game.seat_titles[seat],
                )
                yield AuditFinding(AuditVerdict.CONTRADICTS, told, "C3")


def _is_of_one(one: EmailValue, other: EmailValue) -> bool:
    return one.to.player is not None and one.to.player == other.to.player


def _is_waiting(played: ReplayedMatch, seat: Seat, at: str) -> bool:
    """Return whether the match waited for the orders of a seat then, and none had come: its first
    ones of the turn, which were used, came later."""
    for before, ply in pairwise(played.plies):
        if before.entry.at < at < ply.entry.at:
            return _is_first_and_later(before, ply, seat, at)
    return False


def _is_first_and_later(before: ReplayedPly, ply: ReplayedPly, seat: Seat, at: str) -> bool:
    entry = ply.entry
    is_quiet = not (entry.rulings or entry.holders)  # nor was it on hold, or the clock set back
    is_new = before.entry.turn != entry.turn
    return (
        is_quiet
        and is_new
        and any(
            one.seat == seat and not one.by and one.revision == 1 and one.at > at
            for one in entry.orders
        )
    )
