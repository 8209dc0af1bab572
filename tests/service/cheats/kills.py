"""Kill a tick of a club that plays by mail."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from tests.service.mailclub import MailClub


class Killed(BaseException):
    """A tick is killed."""


@contextmanager
def killed(club: MailClub, after: int, is_sent: bool) -> Iterator[None]:
    """Kill what is done within when so much was written down, before the next can be; or, with
    `is_sent`, when the first email has just gone."""
    store, left = type(club.store), after
    true = store.transaction

    @contextmanager
    def transaction(self: Any) -> Iterator[Any]:
        nonlocal left
        with true(self) as tx:
            yield tx
            left -= 1
            if left < 0 and not is_sent:
                raise Killed

    def deliver(envelope_from: str, to: str, raw: bytes) -> None:
        type(club.way).deliver(club.way, envelope_from, to, raw)
        if is_sent:
            raise Killed

    with (
        patch.object(store, "transaction", transaction),
        patch.object(club.way, "deliver", deliver),
    ):
        yield
