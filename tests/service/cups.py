"""A tournament in a test: its entrants, its matches, and results made by resignations."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from unittest.mock import patch

from adjudicator.service.competition import creating
from adjudicator.service.competition.kinds import KINDS
from adjudicator.service.competition.kinds.kind import Kind, NewPairing, Tournament
from adjudicator.service.competition.replay import parse as parse_log
from adjudicator.service.competition.replay import verify as verify_log
from adjudicator.service.competition.showing import as_json, as_text, lines_of
from adjudicator.service.competition.tournament import all_of_club, find, one_of_club
from tests.club import MONDAY, NewTournament
from tests.database import all_players
from tests.service.mailclub import MailClub

__all__ = [
    "KINDS",
    "MONDAY",
    "NAMES",
    "SEED",
    "Cup",
    "Kind",
    "NewPairing",
    "Tournament",
    "all_of_club",
    "as_json",
    "as_text",
    "lines_of",
    "parse_log",
    "verify_log",
]

NAMES = ("Anna", "Bob", "Cleo", "Dag", "Eva", "Finn", "Gro", "Hal", "Ida", "Jon", "Kim", "Leo")
SEED = bytes(range(32))


class Cup:
    """The tournament `cup` of a club, with as many entrants as asked for."""

    def __init__(self, club: MailClub, entrants: int, kind: str, **wanted: Any) -> None:
        self.club = club
        self.names = NAMES[:entrants]
        club.add(*(name for name in self.names if name not in club_players(club)))
        now = wanted.pop("now", MONDAY)
        wanted = {"game": "espionage", "variant": "small", **wanted}
        if wanted["game"] != "espionage":
            del wanted["variant"]
        asked = NewTournament(name="cup", kind=kind, entrants=self.names, **wanted)
        with patch.object(creating.secrets, "token_bytes", lambda length: SEED[:length]):
            club.create_tournament(asked, now=now)

    def start(self, now: datetime = MONDAY) -> list[str]:
        self.club.start_tournament("cup", now=now)
        return self.tick(now)

    def tick(self, now: datetime = MONDAY) -> list[str]:
        """Run a tick; return what it told. The log follows from its own lines then, as always."""
        told = self.club.tick(now)
        with self.club.store.reading() as tx:
            assert [str(one) for one in verify_log(tx, find(tx, "cup"))] == []
        return told

    @property
    def now(self) -> Tournament:
        return one_of_club(self.club.store, "cup")

    def shown(self) -> Mapping[str, Any]:
        return as_json(self.now)

    def text(self) -> str:
        return as_text(self.now, str)

    def table(self) -> list[tuple[int, str, int]]:
        """Return (place, player, 24ths) of each line."""
        return [(one["place"], one["player"], one["points"]) for one in self.shown()["table"]]

    def boards(self, round_: int) -> dict[str, tuple[str, ...]]:
        """Return who meets in each match of a round, in the order of seats."""
        who = {one["number"]: one["player"] for one in self.shown()["entries"]}
        return {
            one["match"]: tuple(who[number] for number in one["entries"])
            for one in self.shown()["pairings"]
            if one["round"] == round_ and one["kind"] == "match"
        }

    def without_match(self, round_: int, kind: str = "bye") -> list[str]:
        who = {one["number"]: one["player"] for one in self.shown()["entries"]}
        return [
            who[number]
            for one in self.shown()["pairings"]
            if one["round"] == round_ and one["kind"] == kind
            for number in one["entries"]
        ]

    def resign(self, match: str, player: str, now: datetime = MONDAY) -> None:
        """Let a player resign a match, whatever his seat."""
        seats = self.club.loaded(match).holders
        (seat,) = (seat for seat, one in seats.items() if one.player_name == player)
        assert self.club.send(seat, "RESIGN", match=match, now=now).accepted

    def win_all(self, round_: int, now: datetime = MONDAY) -> None:
        """Let the first by name win each match of a round."""
        for match, players in self.boards(round_).items():
            for loser in sorted(players)[1:]:
                if match and self.club.loaded(match).match.status != "over":
                    self.resign(match, loser, now)
                    self.tick(now)
        self.tick(now)

    def decide(self, match: str, word: str, reason: str = "so") -> str:
        return str(self.club.decide("cup", match, word, reason=reason))

    def withdraw(self, player: str) -> str:
        return str(self.club.withdraw("cup", player, reason="away"))


def club_players(club: MailClub) -> Sequence[str]:
    with club.store.reading() as tx:
        return [one.name for one in all_players(tx)]
