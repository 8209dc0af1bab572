"""Twins in emails of all kinds: two clubs that differ only in what a seat may not know write the
same bytes to it, with the value that is attached and all else. The emails are reports, answers,
notices, messages and reminders, of matches with hidden names, none of which is in a value."""

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from adjudicator.core.game import AnyGame
from adjudicator.core.match import Seat
from adjudicator.games import GAMES
from tests import values
from tests.club import MONDAY, NewMatch
from tests.database import tables
from tests.printed import write_report
from tests.scale import examples
from tests.service.mailclub import MailClub, value_in
from tests.service.test_email_values import PEOPLE
from tests.service.test_secrecy_road import stand_at

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
_VERSIONS = slice(18, 20)  # bytes that say whether a database has a write-ahead log
_BEGUN: dict[Path, bytes] = {}
_KINDS: dict[str, set[str]] = {}  # of the emails that were compared, by game


@pytest.fixture
def club(store, tmp_path) -> MailClub:
    """Return a club with a match of each game for each number of players, of which the first emails
    have gone out."""
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, coder=lambda: "ENNA22")
    club.add(*PEOPLE)
    for game in GAMES.values():
        for seats in game.seating(game.variants[0], "").values() or [game.seats]:
            wanted = NewMatch(
                game=game.slug,
                variant=None,
                name=f"{game.slug}-{len(seats)}",
                seats=[f"{seat}={name}" for seat, name in zip(seats, PEOPLE, strict=False)],
                options=["deadline=every 3 days", "names=hidden"],
                seed=None,
                fresh_seed=bytes(32),
            )
            club.create(wanted)
    club.run_tick()
    return club


def as_it_is(club: MailClub) -> bytes:
    with closing(sqlite3.connect(str(club.store.engine.url.database))) as own:
        content = bytearray(own.serialize())
    content[_VERSIONS] = b"\x01\x01"  # one in memory has none
    return bytes(content)


def bring_back(club: MailClub, content: bytes) -> None:
    with (
        closing(sqlite3.connect(str(club.store.engine.url.database))) as own,
        closing(sqlite3.connect(":memory:")) as made,
    ):
        made.deserialize(content)
        made.backup(own)
    club.raws.clear()
    club.way.letters.clear()


def emails_to(
    club: MailClub, game: AnyGame, state: Any, seat: Seat, sheets: Sequence[str]
) -> Iterator[tuple[str, bytes]]:
    """Yield the kind and the bytes of all that the seat is sent while the match is in a state."""
    name = f"{game.slug}-{len(getattr(state, 'seats', game.seats))}"
    stand_at(club, name, game, state)
    holders = club.loaded(name).holders
    people = {one: str(holder.player_name).lower() for one, holder in holders.items()}
    report = club.live_report(name, seat).report
    with club.store.transaction() as tx:
        number = club.loaded(name).match.id
        mine = sa.and_(tables.report.c.seat == seat, tables.report.c.match_id == number)
        kept = write_report(game, report)
        tx.execute(sa.update(tables.report).where(mine).values(body=kept))

    def write(who: Seat, *lines: str) -> None:
        to, sender = club.address(who, name), f"{people[who]}@example.org"
        club.write(who, *lines, sender=sender, to=to, at=MONDAY + HOUR)

    other = next(one for one in people if one != seat)
    write(other, f"PRESS TO {seat.upper()}", "Three goats.", "ENDPRESS")
    for lines in (("STATUS",), ("REPORT",), ("HELP",), ("NOTE a1", "DRAW"), ("RESIGN",)):
        write(seat, *lines)
    write(seat, f"ORDERS {name} {seat}", "NONSENSE", "END")
    for sheet in sheets:
        write(seat, "CHECK", f"ORDERS {name} {seat}", *sheet.split("\n"), "END")
    if len(game.rules.awaiting(state)) > 1:  # else the turn would be played
        write(seat, f"ORDERS {name} {seat}", *sheets[0].split("\n"), "END")
    club.announce(name, "The hall is cold.", now=MONDAY + HOUR)
    for at in (MONDAY + HOUR, MONDAY + 2 * HOUR, MONDAY + 2.5 * DAY):
        club.run_tick(at)
    for _, to, raw in club.way.letters:
        if to == f"{people[seat]}@example.org":
            text = value_in(raw)
            assert [
                one for one in PEOPLE if one.encode() in text and one.lower() != people[seat]
            ] == []
            value = values.read(text)
            if value.to.match in (name, ""):
                yield value.kind, raw


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@examples(6)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_twins_get_the_same_emails_of_all_kinds(club, game, data, seed):
    module = import_module(f"tests.games.{game.slug}.twins")
    twins = data.draw(module.pairs())
    if game.rules.outcome(twins.left) or game.rules.outcome(twins.right):
        return
    rng, begun = Random(seed), _BEGUN.setdefault(club.folder, as_it_is(club))
    sheets = [module.sheet(twins.left, twins.seat, rng) for _ in range(2)]
    got = []
    for state in (twins.left, twins.right):
        bring_back(club, begun)
        got.append([*emails_to(club, game, state, twins.seat, sheets)])
    assert got[0] == got[1]
    _KINDS.setdefault(game.slug, set()).update(kind for kind, _ in got[0])


@pytest.mark.slow
def test_emails_of_many_kinds_were_compared() -> None:
    for kinds in _KINDS.values():
        assert kinds >= {"receipt", "refusal", "confirm", "notice", "press"}
