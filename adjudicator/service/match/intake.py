"""Turn a text into orders in force: understand it, check it against the sender's own view, store
it."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TypeAlias

from msgspec import structs

from adjudicator.core.message import say
from adjudicator.core.sheets import MOST_SHEETS, unprefixed
from adjudicator.service.base.refusal import Refusal
from adjudicator.service.match import sheet_storing
from adjudicator.service.match.receipts import Receipt
from adjudicator.service.match.sheet_judging import Given as Given
from adjudicator.service.match.sheet_judging import Understood, judge, twice_named
from adjudicator.service.match.sheet_reading import TakenApart, take_apart
from adjudicator.store.database import Store, Tx

Accept: TypeAlias = Callable[[Tx, Understood, Given, datetime], Receipt]


def submit(
    store: Store,
    text: str,
    given: Given,
    *,
    now: datetime,
    then: Callable[[Tx, Receipt], None] | None = None,
) -> list[Receipt]:
    """Hand in every sheet of a text, each in a transaction of its own: as a whole or not at all.

    `then` is called in that transaction once a sheet is stored.
    """

    def accept(tx: Tx, understood: Understood, given: Given, now: datetime) -> Receipt:
        receipt = sheet_storing.store(tx, understood, given, now)
        if receipt.stored and then is not None:
            then(tx, receipt)
        return receipt

    return _answers(take_apart(unprefixed(text)), given, now, lambda: store.transaction(), accept)


def check(store: Store, text: str, given: Given, *, now: datetime) -> list[Receipt]:
    """Return the answers that `submit` would give; nothing is stored."""
    return _answers(
        take_apart(unprefixed(text)), given, now, lambda: store.reading(), sheet_storing.would_store
    )


def submit_in(tx: Tx, taken: TakenApart, given: Given, *, now: datetime) -> list[Receipt]:
    """Submit as `submit` does, but all of it in a transaction that is open already."""
    return _answers(taken, given, now, lambda: nullcontext(tx), sheet_storing.store)


def check_in(tx: Tx, taken: TakenApart, given: Given, *, now: datetime) -> list[Receipt]:
    """Check as `check` does, but in a transaction that is open already."""
    return _answers(taken, given, now, lambda: nullcontext(tx), sheet_storing.would_store)


def _answers(
    taken: TakenApart,
    given: Given,
    now: datetime,
    opened: Callable[[], AbstractContextManager[Tx]],
    accept: Accept,
) -> list[Receipt]:
    sheets = taken.sheets
    if len(sheets) > MOST_SHEETS:
        raise Refusal(
            say(
                "there are {n} sheets in one text; send at most {most} at once",
                n=len(sheets),
                most=MOST_SHEETS,
            )
        )
    twice = twice_named(sheets, given)
    receipts = []
    for raw in sheets:
        with opened() as tx:
            understood = judge(tx, raw, given, twice, now)
            if isinstance(understood, Receipt):
                receipts.append(understood)
            else:
                receipts.append(accept(tx, understood, given, now))
    first, *rest = receipts
    return [_with_surroundings(first, taken), *rest]


def _with_surroundings(receipt: Receipt, taken: TakenApart) -> Receipt:
    """Tell what stood around the frames once, with the first sheet."""
    warnings = (*receipt.warnings, *taken.warnings)
    return structs.replace(receipt, warnings=warnings, ignored=taken.ignored)
