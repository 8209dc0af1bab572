"""Write the line and the head of each ply in the chain of a match's log (`core/chain.py`)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.json import decode

from adjudicator.core import chain
from adjudicator.core.chain import Entry, Given, Ruled
from adjudicator.core.dice import Chance
from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.loaded_match import Loaded
from adjudicator.service.report.beside_view import notice_text
from adjudicator.store import submissions, turns
from adjudicator.store.database import Tx
from adjudicator.store.rulings import Ruling
from adjudicator.store.submissions import Submission

NOT_BY_PEOPLE = frozenset({"computer", submissions.DEFAULT})  # channels that the log names


class Linked(Struct, frozen=True):
    """A line of the log and the head with it; both are None for a match without a chain."""

    line: str | None = None
    head: str | None = None


def opening(game: AnyGame, state: Any, chance: Chance) -> Linked:
    """Return the first line: the commitments of all reports that tell of the opening."""
    links = (
        ("key" if one.opened else "anchor", one.seat, chance.key(one.chain, one.number - 1).hex())
        for one in game.proof.links(state, Seat(""))
    )
    promises = chain.promises([("seed", None, chance.commitment), *links])
    return Linked(promises, chain.first_head(chance.match, promises))


def following(
    tx: Tx,
    loaded: Loaded,
    happened: Sequence[Any],
    made: Iterable[Ruling],
    *,
    cause: str,
    ordering: Collection[str],
    at: str,
) -> Linked:
    """Return the line of the ply that follows on a match as it is `loaded`, with what `happened` in
    it. `made` are the rulings in the match."""
    match = loaded.match
    if match.log_key is None or loaded.head is None:
        return Linked()
    adjudicated = {str(seat): loaded.sheets[seat] for seat in loaded.seats if seat in ordering}
    entry = Entry(
        ply=match.ply + 1,
        turn=match.turn,
        at=at,
        cause=cause,
        orders=tuple(map(given, adjudicated.values())),
        events=packed(told(loaded.game, happened, cause), adjudicated),
        between=packed(_added(tx, loaded), {}) if loaded.added else (),
        rulings=ruled(made, match.ply),
    )
    line = chain.written(entry)
    salt = chain.salt(match.log_key, entry.ply)
    return Linked(line, chain.next_head(match.name, entry.ply, loaded.head, line, salt))


def given(sheet: Submission) -> Given:
    return Given(
        seat=sheet.seat,
        revision=sheet.revision,
        at=rfc3339(sheet.received_at),
        lines=sheet.lines,
        by=sheet.channel if sheet.channel in NOT_BY_PEOPLE else "",
    )


def told(game: AnyGame, events: Iterable[Any], cause: str) -> list[Any]:
    """Return the events that the line of a ply tells."""
    return chain.lean(events, game.proof.repeated if cause == "orders" else ())


def packed(events: Iterable[Any], sheets: Mapping[str, Submission]) -> tuple[list[Any], ...]:
    lines = {seat: sheet.lines for seat, sheet in sheets.items()}
    return tuple(chain.packed(event, lines) for event in events)


def ruled(made: Iterable[Ruling], ply: int) -> tuple[Ruled, ...]:
    """Return the rulings that were made while that ply was the last.

    Those of a ply that was taken back stay with its number, and go into the line after it.
    """
    return tuple(
        Ruled(at=rfc3339(one.at), action=one.action, text=notice_text(one, tell))
        for one in made
        if one.ply == ply
    )


def _added(tx: Tx, loaded: Loaded) -> list[Any]:
    """Return the events that were added to the last ply since its line was written."""
    match = loaded.match
    bodies = [body for _, body in turns.events_since(tx, match.id, match.ply)]
    return [decode(body, type=loaded.game.rules.event) for body in bodies[-loaded.added :]]
