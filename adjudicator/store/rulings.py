"""Rulings of which the players are told: the game master's, with his reason, and the calendar's.

A look of the game master's at what only a seat may know is told with the next ply and not before
(`service/base/looks`). What else took effect beside orders, words of seats and new holders, is kept
for the line of the log that names it: a row has the ply that was the last one then.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import cast

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import asdict, replace

from adjudicator.core.acts import Act, AnyAct, Effect, effect_of, message_for_acts
from adjudicator.core.message import Message
from adjudicator.core.worded_acts import acts_in
from adjudicator.store import matches, rows
from adjudicator.store.database import Tx
from adjudicator.store.tables import declaration, holder_change, ruling, said

LOOK = "look"  # the action of a look
OPTION = "option"  # the action of a ruling that changes an option of the match


@rows.of(ruling)
class Ruling(Struct, frozen=True, kw_only=True):
    """A ruling that was made while `ply` was the last one.

    It is its `acts`. Rows of before 0.3.0 have none, and stand for what `told` says. A line of the
    log has that sentence as it was then, so it is kept beside the acts.
    """

    ply: int
    at: datetime
    action: str
    told: Message
    reason: str
    due_at: datetime | None = None  # the deadline in force once it was made
    acts: tuple[AnyAct, ...] | None = None
    number: int = 0  # which it gets when it is inserted

    @property
    def message(self) -> Message:
        """What all players are told, without the reason."""
        return message_for_acts(self.acts) if self.acts else self.told

    @property
    def all_acts(self) -> tuple[AnyAct, ...]:
        """Its acts, or those that are found in what it told."""
        return self.acts or tuple(acts_in(self.told))

    @property
    def effect(self) -> Effect:
        return effect_of(self.all_acts)

    def is_told_at(self, ply: int) -> bool:
        """Return whether reports tell of it while that ply is the last one."""
        return self.action != LOOK or self.ply < ply


def of_acts(
    acts: Iterable[Act],
    *,
    ply: int,
    at: datetime,
    action: str,
    reason: str = "",
    due_at: datetime | None = None,
) -> Ruling:
    """Return the ruling that is these acts, of which there is at least one."""
    made = cast(tuple[AnyAct, ...], tuple(acts))  # there are no other acts (`acts.KINDS`)
    told = message_for_acts(made)
    return Ruling(ply=ply, at=at, action=action, told=told, reason=reason, due_at=due_at, acts=made)


def insert(tx: Tx, match_id: int, made: Ruling) -> None:
    """Insert a ruling with its number. Rulings count from 1, and looks by themselves: they are told
    later, and a number that is left out would say that there was one."""
    is_look = made.action == LOOK
    number = newest_number(tx, match_id, of_looks=is_look) + 1
    rows.add(tx, Ruling, match_id=match_id, **asdict(replace(made, number=number)))
    if not is_look:
        matches.count_change(tx, match_id)


def newest_number(tx: Tx, match_id: int, *, of_looks: bool = False) -> int:
    """Return the number of the newest ruling of a match that is no look, or of its newest look; 0
    if there is none."""
    is_one = ruling.c.action == LOOK if of_looks else ruling.c.action != LOOK
    newest = sa.select(sa.func.max(ruling.c.number)).where(ruling.c.match_id == match_id, is_one)
    return tx.execute(newest).scalar_one() or 0


def has(tx: Tx, match_id: int, action: str) -> bool:
    """Return whether the game master has done this in a match."""
    return rows.has(tx, Ruling, match_id=match_id, action=action)


def last(tx: Tx, match_id: int, action: str) -> datetime:
    """Return when the game master did this in a match last, which he must have done."""
    made = sa.select(ruling.c.at).where(ruling.c.match_id == match_id, ruling.c.action == action)
    at: datetime = tx.execute(made.order_by(ruling.c.id.desc()).limit(1)).scalar_one()
    return at


_SINCE = (
    sa.select(*rows.columns(Ruling))
    .where(ruling.c.match_id == sa.bindparam("of_match"), ruling.c.ply >= sa.bindparam("since"))
    .order_by(ruling.c.id)
)
_OF_SOME = sa.select(ruling.c.match_id, *rows.columns(Ruling)).where(
    ruling.c.match_id.in_(sa.bindparam("of_matches", expanding=True))
)


def since(tx: Tx, match_id: int, ply: int) -> list[Ruling]:
    """Return the rulings that were made while that ply or a later one was the last."""
    found = tx.execute(_SINCE, {"of_match": match_id, "since": ply}).mappings()
    return [rows.read(Ruling, row) for row in found]


def cannot_be_read(tx: Tx, match_ids: Sequence[int]) -> frozenset[int]:
    """Return which of these matches have rulings that cannot be read."""
    found = set()
    of_some = tx.execute(_OF_SOME, {"of_matches": match_ids}).mappings() if match_ids else ()
    for row in of_some:
        try:
            rows.read(Ruling, {name: row[name] for name in Ruling.__struct_fields__})
        except ValueError:
            found.add(row["match_id"])
    return frozenset(found)


def take_back(tx: Tx, match_id: int, ply: int) -> None:
    """Count the looks, and the changes of options, that were made after a ply as made before it,
    for it is taken back: the ply that replaces it tells of them, and has the options."""
    moved = ruling.c.action.in_([LOOK, OPTION])
    made = (ruling.c.match_id == match_id, ruling.c.ply == ply, moved)
    tx.execute(sa.update(ruling).where(*made).values(ply=ply - 1))


# Resignations and draw offers: what seats declared beside their orders.


@rows.of(declaration)
class Declaration(Struct, frozen=True, kw_only=True):
    """A RESIGN or DRAW that was received but perhaps not told to the others yet."""

    id: int
    seat: str
    kind: str
    received_at: datetime
    status: str


def declare(tx: Tx, match_id: int, seat: str, kind: str, now: datetime) -> Declaration:
    made = {"seat": seat, "kind": kind, "received_at": now, "status": "pending"}
    return rows.add(tx, Declaration, match_id=match_id, **made)


IS_OPEN = declaration.c.status.in_(["pending", "standing"])


def settle(tx: Tx, ids: Sequence[int], status: str, *, ply: int | None = None) -> None:
    """Give declarations a final status.

    `ply` is the one that used them or let them lapse, so that an undo can take that back.
    """
    if ids:
        chosen = declaration.c.id.in_(ids)
        values = {"status": status, "settled_ply": ply}
        tx.execute(sa.update(declaration).where(chosen).values(values))


def reopen_declarations(tx: Tx, match_id: int, ply: int, *, but: Collection[str] = ()) -> None:
    """Open the declarations that a ply settled, as they were before it; those of the seats `but`
    stay closed."""
    settled = sa.and_(
        declaration.c.match_id == match_id,
        declaration.c.settled_ply == ply,
        declaration.c.seat.not_in(list(but)),
    )
    # A resignation was used before anybody was told of it; a draw offer that lapsed had been told.
    status = sa.case((declaration.c.kind == "DRAW", "standing"), else_="pending")
    tx.execute(sa.update(declaration).where(settled).values(status=status, settled_ply=None))


@rows.of(said)
class StoredWord(Struct, frozen=True, kw_only=True):
    """A RESIGN or a DRAW that took effect, or the CLEAR that withdrew a DRAW, and when it came."""

    ply: int
    seat: str
    word: str
    at: datetime


@rows.of(holder_change)
class StoredHolderChange(Struct, frozen=True, kw_only=True):
    """A seat's new holder, a person or a built-in player, and the deadline in force then."""

    ply: int
    seat: str
    kind: str
    at: datetime
    due_at: datetime | None


def insert_word(tx: Tx, match_id: int, one: StoredWord) -> None:
    rows.add(tx, StoredWord, match_id=match_id, **asdict(one))


def insert_holder_change(tx: Tx, match_id: int, one: StoredHolderChange) -> None:
    rows.add(tx, StoredHolderChange, match_id=match_id, **asdict(one))


def words_since(tx: Tx, match_id: int, ply: int) -> list[StoredWord]:
    """Return what took effect while that ply or a later one was the last, in order."""
    return rows.find(tx, StoredWord, said.c.ply >= ply, match_id=match_id)


def holder_changes_since(tx: Tx, match_id: int, ply: int) -> list[StoredHolderChange]:
    """Return who took a seat over while that ply or a later one was the last, in order."""
    return rows.find(tx, StoredHolderChange, holder_change.c.ply >= ply, match_id=match_id)


def take_back_inputs(tx: Tx, match_id: int, ply: int) -> None:
    """Count what came after a ply as if it had come before it, for the ply is taken back. A
    resignation that took effect in it will take effect anew."""
    resigned = (said.c.match_id == match_id, said.c.ply == ply - 1, said.c.word == "RESIGN")
    tx.execute(sa.delete(said).where(*resigned))
    for table in (said, holder_change):
        of_ply: Sequence[sa.ColumnElement[bool]] = (
            table.c.match_id == match_id,
            table.c.ply == ply,
        )
        tx.execute(sa.update(table).where(*of_ply).values(ply=ply - 1))
