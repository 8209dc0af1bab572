"""Write the log of a ladder, and keep its places as the log gives them (club, 8.5).

Whatever changes a ladder is recorded as a line; what follows from it by the rules (`core/ladder`)
is recorded in the same transaction.
"""

from collections.abc import Sequence
from datetime import datetime

from adjudicator.core import contest_log
from adjudicator.core import ladder as rules
from adjudicator.core.ladder import PAUSE, WATCHED, Ladder
from adjudicator.core.ladder_log import (
    DECLINED,
    LadderBegunLine,
    LadderLine,
    LoggedChallenge,
)
from adjudicator.core.message import Message, say
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.competition import chaining
from adjudicator.service.competition.ladder_replay import parse
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.store import contest_logs, ladders
from adjudicator.store.contest_logs import LoggedLine
from adjudicator.store.database import Tx
from adjudicator.store.ladders import ChallengeRow, LadderRow

SILENT = {"challenger": ("challenger",), "asked": ("asked",), "both": ("challenger", "asked")}


def ladder_of(tx: Tx, row: LadderRow, now: datetime) -> Ladder:
    """Return a ladder as its log gives it, which begins now if it had none."""
    lines = parse([one.line for one in ladders.log(tx, row.id)])
    if not lines:
        lines = [_begin(tx, row, now)]
    found = Ladder()
    for line in lines:
        found = rules.after(found, line)
    return found


def record(tx: Tx, row: LadderRow, line: LadderLine, now: datetime) -> Sequence[LadderLine]:
    """Add a line to the log of a ladder whose row is locked, and what follows from it; return both.
    Who is on the ladder by its log has the place that it gives."""
    before = ladder_of(tx, row, now)
    first = chaining.add(tx, contest_logs.LADDERS, row.id, row.name, line, now)
    follows = rules.follows(before, first)
    found = [
        first,
        *(chaining.add(tx, contest_logs.LADDERS, row.id, row.name, one, now) for one in follows),
    ]
    after = before
    for one in found:
        after = rules.after(after, one)
    if after.order != before.order:
        _put_in_order(tx, row, after, now)
    return found


def _put_in_order(tx: Tx, row: LadderRow, after: Ladder, now: datetime) -> None:
    on_it = {one.entry: one.player_id for one in ladders.rungs(tx, row.id)}
    for entry, player_id in on_it.items():
        if entry not in after.order:
            ladders.leave(tx, row.id, player_id, now)
    ladders.put_in_order(tx, row.id, [on_it[entry] for entry in after.order if entry in on_it])


def entry_for(tx: Tx, row: LadderRow, player_id: int, now: datetime) -> int:
    """Return the number in the log that a player has, or gets by entering."""
    found = ladder_of(tx, row, now)
    return ladders.entries(tx, row.id).get(player_id) or found.entries + 1


def entry_of(tx: Tx, ladder_id: int, player_id: int) -> int:
    """Return the number of a player who is on a ladder, or was."""
    found = ladders.entries(tx, ladder_id)[player_id]
    assert found is not None
    return found


def open_log(tx: Tx, row: LadderRow, now: datetime) -> None:
    """Begin the log of a new ladder."""
    _begin(tx, row, now)


def _begin(tx: Tx, row: LadderRow, now: datetime) -> LadderLine:
    """Begin the log of a ladder with how it is now: its players get their numbers by their places,
    those that have left come last."""
    on_it = [one.player_id for one in ladders.rungs(tx, row.id)]
    numbers = {
        player_id: n
        for n, player_id in enumerate(dict.fromkeys([*on_it, *ladders.entries(tx, row.id)]), 1)
    }
    ladders.number_entries(tx, row.id, numbers)
    going = ladders.going(tx, row.id)
    for number, one in enumerate(going, 1):
        ladders.number_challenge(tx, one.id, number)
    past = [one for one in ladders.past_challenges(tx, row.id) if one.done_at is not None]
    line = LadderBegunLine(
        game=row.game,
        variant=row.variant,
        options=tuple(row.options),
        entries=len(numbers),
        order=tuple(numbers[one] for one in on_it),
        going=tuple(
            LoggedChallenge(
                n,
                numbers[one.challenger_id],
                numbers[one.asked_id],
                one.match or "",
                one.seat or "",
            )
            for n, one in enumerate(going, 1)
        ),
        met=tuple(
            (numbers[one.challenger_id], numbers[one.asked_id], _done_at(one))
            for one in past
            if _done(one) > now - PAUSE and (one.match is not None or one.ending == DECLINED)
        ),
        silent=tuple(
            (numbers[{"challenger": one.challenger_id, "asked": one.asked_id}[part]], _done_at(one))
            for one in past
            if _done(one) > now - WATCHED
            for part in SILENT.get(one.silent, ())
        ),
    )
    return chaining.add(tx, contest_logs.LADDERS, row.id, row.name, line, now)


def _done(one: ChallengeRow) -> datetime:
    assert one.done_at is not None
    return one.done_at


def _done_at(one: ChallengeRow) -> str:
    return rfc3339(_done(one))


# What emails and tables tell of it.


def head_of_log(tx: Tx, row: LadderRow) -> Message | None:
    """Say the head of the last line of a ladder's log; nothing while it has none."""
    return message_for_head(row.name, ladders.last_log_line(tx, row.id))


def message_for_head(name: str, last: LoggedLine | None) -> Message | None:
    if last is None:
        return None
    label = contest_log.head_label(name, last.n, contest_log.LADDER)
    return say("Log fingerprint {label}: {digest}", label=label, digest=last.head)


def paragraphs_of(tx: Tx, row: LadderRow, lines: Sequence[LadderLine]) -> Paragraphs:
    """Return the head of a ladder's log with the lines that an email tells."""
    return (
        *paragraph(head_of_log(tx, row)),
        *paragraph(*map(contest_log.write, lines)),
    )
