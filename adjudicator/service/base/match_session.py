"""One use case on one match: its transaction, the time, and the match as its rows are."""

from datetime import datetime
from typing import Any

from adjudicator.core.match import Seat
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.store import matches
from adjudicator.store.database import Tx


class MatchSession:
    """The match is loaded once, and once more after its rows have changed, when it is next asked
    for. So nothing is changed in memory beside the database: whoever writes calls `changed`.

    `now` is the time at which what is done counts.
    """

    def __init__(self, tx: Tx, loaded: Loaded, now: datetime) -> None:
        self.tx, self.now = tx, now
        self.name = loaded.match.name
        self._loaded: Loaded | None = loaded

    @property
    def loaded(self) -> Loaded:
        if self._loaded is None:
            self._loaded = load(self.tx, self.name)
        return self._loaded

    def changed(self) -> None:
        """Note that rows of the match have changed."""
        self._loaded = None

    def change_seat(self, seat: Seat, **columns: Any) -> None:
        matches.update_seats(self.tx, self.loaded.match.id, [seat], **columns)
        self.changed()
