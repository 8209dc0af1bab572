"""A ladder as its table: places, matches that go on, the last results, as everybody may see them
(club, 8.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from adjudicator.core.message import Message, Words, say
from adjudicator.games import GAMES
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.competition import ladder_log
from adjudicator.service.competition.ladders import find, message_for_result
from adjudicator.service.emails.paragraphs import Paragraphs, paragraph
from adjudicator.service.emails.wording import plain_text
from adjudicator.store import ladders
from adjudicator.store.contest_logs import LoggedLine
from adjudicator.store.database import Store, Tx
from adjudicator.store.ladders import ChallengeRow, LadderPlace, LadderRow

MOST_RESULTS = 50


class LadderTable(Struct, frozen=True):
    """A ladder with its places, the challenges that go on, and the last results."""

    row: LadderRow
    rungs: Sequence[LadderPlace]
    going: Sequence[ChallengeRow]
    results: Sequence[ChallengeRow]
    log: LoggedLine | None  # its last line

    @property
    def head(self) -> Message | None:
        return ladder_log.message_for_head(self.row.name, self.log)


def table(tx: Tx, row: LadderRow) -> LadderTable:
    return LadderTable(
        row,
        ladders.rungs(tx, row.id),
        [one for one in ladders.going(tx, row.id) if one.match and one.status != "over"],
        [
            one
            for one in ladders.past_challenges(tx, row.id, MOST_RESULTS)
            if one.match or one.ending
        ],
        ladders.last_log_line(tx, row.id),
    )


def all_of_club(store: Store) -> list[LadderTable]:
    with store.reading() as tx:
        return all_readable(tx)[0]


def all_readable(tx: Tx) -> tuple[list[LadderTable], list[str]]:
    """Return the ladders, the oldest first, and the names of those that cannot be read, which keep
    no other from being shown."""
    found, spoilt = list[LadderTable](), list[str]()
    for name in ladders.names(tx):
        try:
            row = find(tx, name)
            if row.game in GAMES and row.variant not in GAMES[row.game].variants:
                raise ValueError(name)
            found.append(table(tx, row))
        except (ValueError, LookupError):
            spoilt.append(name)
    return found, spoilt


def one_of_club(store: Store, name: str) -> LadderTable:
    """Return a ladder to show it. Raises Refusal."""
    with store.reading() as tx:
        return table(tx, find(tx, name))


def as_paragraphs(shown_: LadderTable) -> Paragraphs:
    """Return the places, the matches that go on and the last results."""
    row = shown_.row
    head = say("Ladder {name}: {game}", name=row.name, game=GAMES.title(row.game))
    head = say("{head}, closed", head=head) if row.status == "closed" else head
    places = [f"  {one.place}  {one.player}" for one in shown_.rungs]
    none = None if places else say("Nobody is on it yet.")
    told = paragraph(head, *places, none)
    if shown_.going:
        going = (Message("  {told}", {"told": message_for_going(one)}) for one in shown_.going)
        told += paragraph(say("Matches in progress:"), *going)
    if shown_.results:
        results = (
            Message("  {day}  {told}", {"day": day_of(one), "told": message_for_result(one)})
            for one in shown_.results
        )
        told += paragraph(say("Last results:"), *results)
    return (*told, *paragraph(shown_.head))


def as_text(shown_: LadderTable, tell: Words) -> str:
    return plain_text(as_paragraphs(shown_), tell)


def message_for_going(one: ChallengeRow) -> Message:
    return say(
        "{challenger} against {other} ({match})",
        challenger=one.challenger,
        other=one.asked,
        match=one.match or "",
    )


def day_of(one: ChallengeRow) -> str:
    return f"{one.done_at:%Y-%m-%d}" if one.done_at else ""


def as_json(shown_: LadderTable) -> Mapping[str, Any]:
    row = shown_.row
    return {
        "ladder": row.name,
        "game": row.game,
        "variant": row.variant,
        "status": row.status,
        "log": {"line": shown_.log.n, "head": shown_.log.head} if shown_.log else None,
        "places": [{"place": one.place, "player": one.player} for one in shown_.rungs],
        "playing": [
            {"challenger": one.challenger, "asked": one.asked, "match": one.match}
            for one in shown_.going
        ],
        "results": [
            {
                "at": rfc3339(one.done_at),
                "challenger": one.challenger,
                "asked": one.asked,
                "match": one.match,
                "ending": one.ending,
            }
            for one in shown_.results
        ],
    }
