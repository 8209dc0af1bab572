"""When the operator hears again of something that waits for him."""

from datetime import datetime, timedelta

from msgspec import Struct

A_DAY = timedelta(days=1)


class Rhythm(Struct, frozen=True):
    """The days after which he hears of it; after the last of them every so many days more."""

    days: tuple[int, ...]
    then: int = 7

    def due(self, since: datetime, now: datetime) -> int:
        """Return how often he should have heard by now of what waits since then."""
        waited = now - since
        first = sum(waited >= day * A_DAY for day in self.days)
        if first < len(self.days):
            return first
        return first + (waited - self.days[-1] * A_DAY) // (self.then * A_DAY)

    def after(self, since: datetime, now: datetime) -> datetime:
        """Return when he hears of it next."""
        due = self.due(since, now)
        if due < len(self.days):
            return since + self.days[due] * A_DAY
        return since + (self.days[-1] + self.then * (due - len(self.days) + 1)) * A_DAY


OF_MATCH = Rhythm((1, 3, 7))
OF_ADDRESS = Rhythm((2, 7))
