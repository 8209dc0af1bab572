"""A club that plays Spion: matches opened, positions laid out, emails of four players."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from email import message_from_bytes, policy
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator.games.spion.rules.state import State
from adjudicator.games.spion.rules.variants import standard
from tests.club import (
    MONDAY,
    SEED,
    Loaded,
    MatchSession,
    NewMatch,
    Receipt,
    Session,
    computer_orders,
)
from tests.database import tables
from tests.inside import append_ply, deadlines, standing
from tests.inside import matches_entering as entering
from tests.service.mailclub import MailClub

PLAYERS = {"blue": "Anna", "green": "Bob", "yellow": "Carl", "red": "Dora"}


def _awaiting_phrases(s: Session, loaded: Loaded) -> None:
    append_ply.publish(s, standing.report_context_of(s.tx, loaded))
    deadlines.reschedule(MatchSession(s.tx, loaded, s.now))


class SpionClub(MailClub):
    def open(
        self,
        *options: str,
        players: int = 2,
        variant: str = "original",
        now: datetime = MONDAY,
        holders: Mapping[str, str] | None = None,
        seed: str = SEED,
        older: bool = False,
        languages: Mapping[str, str] | None = None,
    ) -> None:
        """Open a match; `holders` replace the four players. One that is `older` awaits phrases, as
        those that were made until 0.2.28 do."""
        seats = standard(variant).seating[players]
        held = {seat: PLAYERS[seat] for seat in seats} | dict(holders or {})
        for name in held.values():
            if name in PLAYERS.values():
                self.add(name, language=(languages or {}).get(name, "en"), now=now)
        wanted = NewMatch(
            game="spion",
            variant=variant,
            name="m",
            seats=[f"{seat}={name}" for seat, name in held.items()],
            options=options,
            seed=None,
            fresh_seed=bytes.fromhex(seed),
        )
        played = _awaiting_phrases if older else entering.play_first_ply
        with patch.object(entering, "play_first_ply", played):
            self.create(wanted, now=now)

    def begin(self, *options: str, players: int = 2, now: datetime = MONDAY, **more: Any) -> None:
        """Open a match: its cards are dealt and its first dice are rolled; and tell all of it."""
        self.open(*options, players=players, now=now, **more)
        self.run_tick(now)

    @property
    def state(self) -> State:
        state: State = self.loaded().state
        return state

    @property
    def turn(self) -> int:
        return self.state.turn

    def all_send(self, now: datetime = MONDAY, but: Sequence[str] = ()) -> None:
        """Hand in for every awaited seat what a built-in player would order."""
        for seat in self.loaded().awaited:
            if seat not in but:
                assert self.order(seat, now).accepted

    def order(self, seat: str, now: datetime = MONDAY) -> Receipt:
        loaded = self.loaded()
        return self.send(seat, *computer_orders(loaded, seat, "computer"), now=now)

    def lay(self, state: State) -> None:
        """Put the match into that state, as if it had come there by play."""
        ply = self.loaded().match.ply
        with self.store.transaction() as tx:
            last = tables.turn.c.ply == ply
            changes = {"snapshot": encode(state).decode(), "turn": state.turn}
            tx.execute(sa.update(tables.turn).where(last).values(changes))
            tx.execute(sa.update(tables.match).values(turn=state.turn))

    def answered(self, seat: str, *lines: str, now: datetime = MONDAY) -> list[str]:
        """Send an email of these lines for the seat; return the answers."""
        self.write(seat, *lines, sender=self.mailbox(seat), at=now)
        emails = self.run_tick(now)
        mine = [one for one in emails if self.mailbox(seat) in str(one["To"])]
        return [text_of(one) for one in mine]

    def mailbox(self, seat: str) -> str:
        return f"{PLAYERS[seat].lower()}@example.org"

    def to(self, seat: str, kind: str = "") -> list[str]:
        """Return the texts of the emails that went to a seat's player, of one kind or of all."""
        read = [
            message_from_bytes(raw, policy=policy.default)
            for _, to, raw in self.way.letters
            if to == self.mailbox(seat)
        ]
        return [text_of(one) for one in read if kind in ("", one["X-Adjud"])]


def text_of(email: Any) -> str:
    body = email.get_body(("plain",))
    return str(body.get_content()) if body else ""


def holding(state: State, **held: str) -> State:
    """Give seats these cards (`ATOM - KEMI -`), taken from the embassies."""
    embassies, holders = dict(state.embassies), dict(state.holders)
    for seat, words in held.items():
        places = tuple(None if word == "-" else word for word in words.split())
        for card in filter(None, places):
            del embassies[next(code for code, lies in embassies.items() if lies == card)]
        holders[seat] = places
    return replace(state, embassies=embassies, holders=holders)


def with_dice(state: State, **dice: tuple[int, int]) -> State:
    rolls = {
        seat: replace(roll, dice=dice.get(seat, roll.dice)) for seat, roll in state.rolls.items()
    }
    return replace(state, rolls=rolls)


def duel(club: SpionClub, *options: str, now: datetime = MONDAY, **more: Any) -> None:
    """Make a match of two: Blue has rolled a double and may challenge Yellow, who holds KEMI and
    RYMD."""
    club.begin(*options, now=now, **more)
    state = club.state
    state = replace(
        state,
        to_move="blue",
        first="blue",
        rolls={"blue": replace(next(iter(state.rolls.values())), number=state.links["1"])},
        spies={"blue": "b4", "yellow": "e2"},
    )
    state = holding(with_dice(state, blue=(3, 3)), blue="ATOM - - -", yellow="KEMI RYMD - -")
    club.lay(state)
