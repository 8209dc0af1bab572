"""Twins in the whole program: two databases that differ only in what a seat may not know.

The seat gets the same receipts, refusals, reports and file names from both, and the operator the
same lines.
"""

import json
from importlib import import_module
from random import Random

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st
from msgspec.json import encode

from adjudicator.cli.match import write_report
from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from adjudicator.games import GAMES
from tests.club import MONDAY, Club, NewMatch, Session, receipt_as_json, receipt_as_text
from tests.database import tables
from tests.inside import base_looks as looks
from tests.inside import building, outgoing, rendering
from tests.scale import examples
from tests.service.mailclub import MailClub

PEOPLE = ("Anna", "Bob", "Carl", "Dora", "Emil")


@pytest.fixture
def club(store, tmp_path):
    """Make a match of every game for every number of players, named by both."""
    club = MailClub(store, tmp_path / "spool")
    club.add(*PEOPLE)
    for game in GAMES.values():
        for seats in game.seating(game.variants[0], "").values() or [game.seats]:
            held = [f"{seat}={name}" for seat, name in zip(seats, PEOPLE, strict=False)]
            wanted = NewMatch(
                game=game.slug,
                variant=None,
                name=f"{game.slug}-{len(seats)}",
                seats=held,
                options=[],
                seed=None,
                fresh_seed=bytes(32),
            )
            club.create(wanted)
    return club


def stand_at(club, name, game, state):
    """Put the match at a state, as if it had come there."""
    number = club.loaded(name).match.id
    turn = game.rules.turn(state)
    with club.store.transaction() as tx:
        last = tables.turn.c.match_id == number
        values = {"snapshot": encode(state).decode(), "turn": turn}
        tx.execute(sa.update(tables.turn).where(last).values(values))
        this = tables.match.c.id == number
        values = {"turn": turn, "variant": game.sight.observe(state, Seat("")).variant}
        tx.execute(sa.update(tables.match).where(this).values(values))


def everything(club, game, state, seat, sheets, folder):
    """Return all that the seat and the operator are told while the match is in that state."""
    seats = len(getattr(state, "seats", game.seats))
    name = f"{game.slug}-{seats}"
    stand_at(club, name, game, state)
    told = []
    for sheet in sheets:
        text = f"ORDERS {name} {seat}\n{sheet}\nEND"
        for receipt in club.check(text):
            told += [receipt_as_text(receipt, tell), json.dumps(receipt_as_json(receipt, tell))]
    told += words_checked(club, name, sheets)
    report = club.live_report(name, seat)
    for path in write_report(folder, report):
        told += [path.name, path.read_text("utf-8")]
    told.append(json.dumps(club.status(None)))
    told.append(email_with(club, report.report).decode("ascii"))
    return told


def words_checked(club, name, sheets):
    """Return what the operator, who may hold that seat, is told without `--gm` of sheets for any
    seat."""
    told = []
    for seat in club.loaded(name).seats:
        for sheet in sheets:
            text = f"ORDERS {name} {seat}\n{sheet}\nEND"
            for receipt in club.check(text, is_hidden=looks.is_hidden):
                assert receipt.words_alone
                told += [receipt_as_text(receipt, tell), json.dumps(receipt_as_json(receipt, tell))]
    return told


def email_with(club, report):
    """Return the very bytes of the email that carries a report: headers, subject, parts,
    picture."""
    number = club.loaded(report.match).match.id
    with club.store.transaction() as tx:
        mine = sa.and_(tables.report.c.seat == report.seat, tables.report.c.match_id == number)
        tx.execute(
            sa.update(tables.report)
            .where(mine)
            .values(body=building.write(GAMES[report.game], report))
        )
        key = tables.outbox.c.key == f"{report.match}/0/{report.seat}/report"
        number = tx.execute(sa.select(tables.outbox.c.id).where(key)).scalar()
        if number is None:  # the match begins with the turn of another seat
            return b""
        row = outgoing.take(tx, [number], MONDAY)[number]
        s = Session(tx, row.created_at, club.context)
        return rendering.write(s, row, "player@example.org").raw


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
@examples(15)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_twins_get_the_same_receipts_reports_and_files(club, tmp_path, game, data, seed):
    module = import_module(f"tests.games.{game.slug}.twins")
    twins = data.draw(module.pairs())
    if game.rules.outcome(twins.left) or game.rules.outcome(twins.right):
        return
    rng = Random(seed)
    sheets = [module.sheet(twins.left, twins.seat, rng) for _ in range(5)]
    left, right = (
        everything(club, game, state, twins.seat, sheets, tmp_path)
        for state in (twins.left, twins.right)
    )
    assert left == right


def test_the_status_is_the_same_whoever_has_sent(store):
    club = Club(store)
    club.add("Anna", "Bob")
    club.new("deadline=every 5 days")
    before = club.status(None)
    club.send("white", "SETUP RANDOM")
    assert club.status(None) == before
    assert club.report("black")["awaited"] == ["white", "black"]


def test_emails_go_out_in_an_order_that_tells_nothing(store, tmp_path):
    """Reports go by seat, whoever has sent first; each to one address."""
    orders = []
    for first, second in (("white", "black"), ("black", "white")):
        club = MailClub(store, tmp_path / first)
        if not orders:
            club.add("Anna", "Bob")
            with store.transaction() as tx:  # both wish each report
                tx.execute(sa.update(tables.player).values(reports="all"))
        club.new(name=f"m-{first}")
        club.run_tick()
        for seat in (first, second):
            club.send(seat, "SETUP RANDOM", match=f"m-{first}")
        orders.append([email["To"] for email in club.run_tick()])
    assert orders[0] == orders[1] == ["Anna <anna@example.org>", "Bob <bob@example.org>"]
