"""Turn a text into orders in force: understand it, check it against the sender's own view, store
it."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TypeAlias

from msgspec import structs

from adjudicator.core.match import Seat
from adjudicator.core.message import say
from adjudicator.core.orders import problem
from adjudicator.core.sheets import MOST_SHEETS, unprefixed
from adjudicator.service.base import looks
from adjudicator.service.base.loaded_match import Loaded, Unreadable
from adjudicator.service.base.match_session import MatchSession
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import sheet_storing
from adjudicator.service.match.receipts import Receipt, unaddressed
from adjudicator.service.match.sheet_judging import judge
from adjudicator.service.match.sheet_reading import TakenApart, take_apart
from adjudicator.service.match.understood import Given, Understood
from adjudicator.store.database import Store, Tx

Accept: TypeAlias = Callable[[MatchSession, Understood, Given], Receipt]


def submit(
    store: Store,
    text: str,
    given: Given,
    *,
    now: datetime,
    then: Callable[[MatchSession, Understood, Receipt], None] | None = None,
) -> list[Receipt]:
    """Hand in every sheet of a text, each in a transaction of its own: as a whole or not at all.

    `then` is called in that transaction for each sheet of a seat, also for one that is refused.
    """

    def accept(session: MatchSession, understood: Understood, given: Given) -> Receipt:
        receipt = sheet_storing.store(session, understood, given)
        if then is not None:
            then(session, understood, receipt)
        return receipt

    taken = take_apart(unprefixed(text))
    return _each(taken, given, now, lambda: store.transaction(), accept)


def check(
    store: Store,
    text: str,
    given: Given,
    *,
    now: datetime,
    is_hidden: Callable[[Loaded, Seat], bool] = lambda loaded, seat: False,
) -> list[Receipt]:
    """Return the answers that `submit` would give; nothing is stored.

    For a seat that `is_hidden` they follow from the words and from what everybody may know.
    """
    taken, accept = take_apart(unprefixed(text)), sheet_storing.would_store
    return _each(taken, given, now, lambda: store.reading(), accept, is_hidden)


def check_noting(store: Store, text: str, given: Given, *, now: datetime) -> list[Receipt]:
    """Check a text, and note for all players that the game master looked."""

    def accept(session: MatchSession, understood: Understood, given: Given) -> Receipt:
        looks.at_seats(session.tx, session.loaded, [understood.seat], now)
        return sheet_storing.would_store(session, understood, given)

    return _each(take_apart(unprefixed(text)), given, now, lambda: store.transaction(), accept)


def submit_in(session: MatchSession, taken: TakenApart, given: Given) -> list[Receipt]:
    """Submit sheets for one match, all of them in a transaction that is open already."""
    return _on(session, taken, given, sheet_storing.store)


def check_in(session: MatchSession, taken: TakenApart, given: Given) -> list[Receipt]:
    """Check sheets for one match, in a transaction that is open already."""
    return _on(session, taken, given, sheet_storing.would_store)


def _each(
    taken: TakenApart,
    given: Given,
    now: datetime,
    opened: Callable[[], AbstractContextManager[Tx]],
    accept: Accept,
    is_hidden: Callable[[Loaded, Seat], bool] = lambda loaded, seat: False,
) -> list[Receipt]:
    """Answer each sheet in a transaction of its own, which loads its match."""
    _check_number(taken)
    receipts = []
    for raw in taken.sheets:
        try:
            with opened() as tx:
                judged = judge(tx, raw, given, taken.sheets, None, now, is_hidden)
                if isinstance(judged, Receipt):
                    receipts.append(judged)
                else:
                    session = MatchSession(tx, judged.loaded, now)
                    receipts.append(accept(session, judged, given))
        except Unreadable as unread:
            receipts.append(unaddressed(raw, [*raw.problems, problem(raw.line, unread.message)]))
    return _with_surroundings(receipts, taken)


def _on(session: MatchSession, taken: TakenApart, given: Given, accept: Accept) -> list[Receipt]:
    """Answer each sheet on the match as the one before left it."""
    assert given.match == session.name  # so no other is looked for
    _check_number(taken)
    receipts = []
    for raw in taken.sheets:
        judged = judge(session.tx, raw, given, taken.sheets, session.loaded, session.now)
        if isinstance(judged, Receipt):
            receipts.append(judged)
        else:
            receipts.append(accept(session, judged, given))
    return _with_surroundings(receipts, taken)


def _check_number(taken: TakenApart) -> None:
    """Raise Refusal if there are too many sheets in a text."""
    if len(taken.sheets) > MOST_SHEETS:
        raise Refusal(
            say(
                "there are {n} sheets in one text; send at most {most} at once",
                n=len(taken.sheets),
                most=MOST_SHEETS,
            )
        )


def _with_surroundings(receipts: Sequence[Receipt], taken: TakenApart) -> list[Receipt]:
    """Tell what stood around the frames once, with the first sheet."""
    first, *rest = receipts
    warnings = (*first.warnings, *taken.warnings)
    return [structs.replace(first, warnings=warnings, ignored=taken.ignored), *rest]
