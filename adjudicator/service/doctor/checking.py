"""What a check looks at, and what it finds."""

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import cached_property
from typing import TypeAlias

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.service.premises import Premises
from adjudicator.store import upkeep
from adjudicator.store.database import Store, open_store


class Finding(Struct, frozen=True):
    """One thing that was looked at."""

    well: bool
    text: Message


def well(text: Message) -> Finding:
    return Finding(True, text)


def bad(text: Message) -> Finding:
    return Finding(False, text)


class Patient:
    """An installation, and the moment at which it is looked at."""

    def __init__(self, url: str, at: Premises, now: datetime) -> None:
        self.url = url
        self.at = at
        self.now = now

    @cached_property
    def store(self) -> Store:
        """The database. Raises StoreTrouble where it cannot be opened."""
        return open_store(self.url)

    @cached_property
    def people(self) -> int:
        """How many seats people hold in matches that are not over."""
        with self.store.reading() as tx:
            return upkeep.people_playing(tx)

    def close(self) -> None:
        if "store" in self.__dict__:
            self.store.close()


Look: TypeAlias = Callable[[Patient], Iterator[Finding]]
