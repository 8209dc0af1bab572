"""How reliably players send their orders (club, 6.1): the figures that are shown of them."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from msgspec import Struct

from adjudicator.core.message import Message, count, say
from adjudicator.service.base.context import Refusal
from adjudicator.service.base.options import terms
from adjudicator.store import results
from adjudicator.store.database import Tx

SPAN = timedelta(days=365)
NEW = 20  # turns; who has fewer is called new


def per_cent(share: int) -> str:
    """Return a share with its sign: gettext takes "% o" in a sentence for a placeholder."""
    return f"{share} %"


class Reliability(Struct, frozen=True):
    """The turns of a player in the last year, and how many tenures of seats ended."""

    on_time: int = 0
    turns: int = 0
    left: int = 0
    ended: int = 0

    @property
    def is_new(self) -> bool:
        return self.turns < NEW

    @property
    def share(self) -> int:
        """Return how many of a hundred turns were on time, rounded down."""
        return 100 * self.on_time // self.turns if self.turns else 100

    @property
    def told(self) -> Message:
        if self.is_new:
            return count("new, {n} turn", "new, {n} turns", self.turns)
        turns = say("{share} of {n} turns on time", share=per_cent(self.share), n=self.turns)
        if not self.ended:
            return turns
        return count(
            "{turns}; left {left} of {n} match",
            "{turns}; left {left} of {n} matches",
            self.ended,
            turns=turns,
            left=self.left,
        )


def reliability(
    tx: Tx, now: datetime, people: Collection[int] | None = None
) -> Mapping[int, Reliability]:
    """Return the figures of players by their ids, or of all; without those of whom nothing was
    ever counted."""
    since = (now - SPAN).date() + timedelta(days=1)
    return {
        player_id: Reliability(one.on_time, one.on_time + one.missed, one.left, one.ended)
        for player_id, one in results.figures_of_conduct(tx, since, people).items()
    }


def refuse_unreliable(tx: Tx, options: Mapping[str, str], player_id: int, *, now: datetime) -> None:
    """Raise Refusal if a match asks for more turns on time than a player has."""
    least = terms(options).reliable
    if not least:
        return
    his = reliability(tx, now, [player_id]).get(player_id, Reliability())
    if not his.is_new and his.share < least:
        raise Refusal(
            say(
                "this match asks for {least} of turns on time; yours: {share} of {n}",
                least=per_cent(least),
                share=per_cent(his.share),
                n=his.turns,
            )
        )
