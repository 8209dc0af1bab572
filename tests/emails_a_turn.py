"""Count what a turn costs in emails: `python -m tests.letters_a_turn`.

For each game and language it plays a match of people, and one of a person against computers. Each
player answers his report in a tick of his own, as at home. A line tells, for a player and a sheet
of his: the emails that came for it, and the kB in them, as they are handed to the server. The
first emails of a match are not counted.
"""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from adjudicator.core.match import Seat
from adjudicator.core.message import LANGUAGES
from adjudicator.games import GAMES
from tests.club import MONDAY, NewMatch, computer_orders
from tests.database import create, open_store
from tests.games.samples import seats_of
from tests.service.mailclub import MailClub

PLAYERS = ("Anna", "Bob", "Carl", "Dora", "Erik")
SHEETS = 30  # in a match at most


class Counted(Struct):
    """Emails to people, and the sheets that they sent."""

    sheets: int = 0
    letters: int = 0
    size: int = 0

    @property
    def line(self) -> str:
        each, weight = self.letters / self.sheets, self.size / self.sheets / 1000
        return f"{each:.2f} letters, {weight:5.1f} kB a sheet ({self.sheets} sheets)"


def main() -> None:
    for game in GAMES:
        for language in LANGUAGES:
            for company in ("people", "computers"):
                with TemporaryDirectory() as folder:
                    found = measured(Path(folder), game, language, company)
                print(f"{game:<10} {language} {company:<10} {found.line}", flush=True)


def measured(folder: Path, game: str, language: str, company: str) -> Counted:
    url = f"sqlite:///{folder}/adjud.db"
    create(url)
    store = open_store(url)
    try:
        club = MailClub(store, folder / "spool")
        club.add(*PLAYERS, language=language)
        _open(club, game, company)
        club.run_tick()
        return _played(club)
    finally:
        store.close()


def _open(club: MailClub, game: str, company: str) -> None:
    seats = seats_of(game, GAMES[game].players[-1])
    others = PLAYERS[1:] if company == "people" else ["computer"] * len(PLAYERS)
    wanted = NewMatch(
        game=game,
        variant=None,
        name="m",
        seats=[f"{seat}={who}" for seat, who in zip(seats, [PLAYERS[0], *others], strict=False)],
        options=("deadline=none",),
        seed=None,
        fresh_seed=bytes(32),
    )
    club.create(wanted)


def _played(club: MailClub) -> Counted:
    found, now = Counted(), MONDAY
    club.way.letters.clear()
    while found.sheets < SHEETS:
        seat = next(_to_order(club), None)
        if seat is None:
            break
        loaded = club.loaded()
        lines = computer_orders(loaded, seat, "computer:random")
        now += timedelta(hours=1)
        player = str(loaded.holders[seat].player_name).lower()
        head = f"ORDERS m {seat} turn {loaded.match.turn}"
        club.write(
            seat,
            head,
            *lines,
            "END",
            sender=f"{player}@example.org",
            at=now,
        )
        club.run_tick(now)
        found.sheets += 1
    raws = [raw for _, _, raw in club.way.letters if re.search(rb"^X-Adjud: (?!alert)", raw, re.M)]
    found.letters, found.size = len(raws), sum(map(len, raws))
    return found


def _to_order(club: MailClub) -> Iterator[Seat]:
    loaded = club.loaded()
    return (
        seat
        for seat in loaded.awaited
        if loaded.holders[seat].player_id and seat not in loaded.sheets
    )


if __name__ == "__main__":
    main()
