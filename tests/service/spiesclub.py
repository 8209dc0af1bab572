"""A club that plays Spies: matches of two to five, emails of their players."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from adjudicator.games.spies.rules.atlas import atlas
from adjudicator.games.spies.rules.state import State
from tests.club import MONDAY, SEED, NewMatch, Receipt, computer_orders
from tests.service.mailclub import MailClub

PLAYERS = {
    "germany": "Anna",
    "italy": "Bob",
    "russia": "Carl",
    "france": "Dora",
    "britain": "Emil",
}


class SpiesClub(MailClub):
    def open(
        self,
        *options: str,
        players: int = 5,
        now: datetime = MONDAY,
        holders: Mapping[str, str] | None = None,
        languages: Mapping[str, str] | None = None,
    ) -> None:
        """Open a match in which the set-ups are awaited; `holders` replace the five players."""
        held = {seat: PLAYERS[seat] for seat in atlas().seating[players]} | dict(holders or {})
        for name in held.values():
            if name in PLAYERS.values():
                self.add(name, language=(languages or {}).get(name, "en"), now=now)
        wanted = NewMatch(
            game="spies",
            variant=None,
            name="m",
            seats=[f"{seat}={name}" for seat, name in held.items()],
            options=options,
            seed=None,
            fresh_seed=bytes.fromhex(SEED),
        )
        self.create(wanted, now=now)

    def start(self, *options: str, players: int = 5, now: datetime = MONDAY) -> None:
        """Open a match and play its set-up."""
        self.open(*options, players=players, now=now)
        self.all_send(now)
        self.run_tick(now)

    @property
    def state(self) -> State:
        state: State = self.loaded().state
        return state

    def all_send(self, now: datetime = MONDAY, but: Sequence[str] = ()) -> None:
        """Hand in for every awaited seat what a built-in player would order."""
        for seat in self.loaded().awaited:
            if seat not in but:
                receipt = self.order(seat, now)
                assert receipt.accepted, receipt.problems

    def order(self, seat: str, now: datetime = MONDAY) -> Receipt:
        loaded = self.loaded()
        return self.send(seat, *computer_orders(loaded, seat, "computer"), now=now)
