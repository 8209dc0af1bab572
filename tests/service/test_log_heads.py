"""Each report tells the head of the log, and the last one opens the log (`core/chain.py`)."""

import json
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from adjudicator import __version__
from adjudicator.core import chain
from adjudicator.core.acts import Cancelled, DeadlineMoved, PlaysNow, SaidToAll
from adjudicator.core.chain import DeclaredWord, Departure, Holding
from adjudicator.core.message import say, tell
from tests.club import (
    MONDAY,
    Club,
    computer_orders,
    receipt_as_json,
    receipt_as_text,
    receipt_digest,
    show,
)
from tests.database import log_lines, plies, stored_reports, tables
from tests.inside import append_ply
from tests.service.mailclub import value_in
from tests.service.spiesclub import SpiesClub
from tests.service.spionclub import SpionClub
from tests.service.test_in_advance import begun, keep


@pytest.fixture
def club(store):
    return Club(store)


def heads(club):
    with club.store.reading() as tx:
        return [ply.head for ply in plies(tx, club.loaded().match.id)]


def change(club, statement):
    with club.store.transaction() as tx:
        tx.execute(statement)


def wrong(club):
    return [str(message) for message in club.verify("m")]


def played(club):
    club.begin()
    for seat in ("white", "black", "white"):
        club.order(seat)
        club.tick()


def ended(club):
    played(club)
    club.announce("m", "Snø & <is>.")
    club.cancel("m", reason="x")


def test_each_report_tells_the_head_of_its_ply_to_all_seats(club):
    played(club)
    with club.store.reading() as tx:
        stored = list(stored_reports(tx, club.loaded().match.id))
    told = {(one.ply, json.loads(one.body)["log"]["head"]) for one in stored}
    assert told == set(enumerate(heads(club)))
    assert len(told) == 5
    assert [json.loads(one.body)["log"] for one in stored] == [
        {"head": heads(club)[one.ply], "label": "ADJUD3", "key": None, "lines": None}
        for one in stored
    ]


def first_line(club):
    with club.store.reading() as tx:
        return log_lines(tx, club.loaded().match.id)[0]


def test_the_first_head_binds_what_was_agreed_and_promised(club):
    club.add("Anna", "Bob")
    club.new("fights=both", "deadline=every 3 days", black="computer")
    report = club.report("white")
    opening = chain.read_opening(first_line(club))
    assert report["log"]["head"] == chain.first_head("m", chain.opening(opening))
    made = [(one["what"], one["seat"], one["digest"]) for one in report["commitments"]]
    assert list(opening.commitments) == made
    assert opening.options == report["options"]
    assert list(opening.options) == sorted(opening.options)
    assert opening.holders == (Holding("white", "person"), Holding("black", "computer"))
    assert (opening.game, opening.variant, opening.board) == ("espionage", report["variant"], "")
    assert (opening.version, opening.chance, opening.seed_given) == (__version__, "seed", False)
    assert (opening.at, opening.due) == ("2026-11-23T12:00:00Z", report["deadline"])


def test_the_first_head_of_a_match_with_dice_is_over_their_anchors_too(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.open(players=3)
    commitments = list(chain.read_opening(first_line(club)).commitments)
    for seat in club.loaded().seats:
        report = club.report(seat)
        made = [(one["what"], one["seat"], one["digest"]) for one in report["commitments"]]
        assert [what for what, _, _ in made][:5] == ["seed", *["anchor"] * 4]
        assert made[:5] == commitments  # behind them the roll of the first turn, which is known


def inputs(club):
    with club.store.reading() as tx:
        return [chain.read(line) for line in log_lines(tx, club.loaded().match.id)[1:]]


def test_a_line_names_every_input_beside_orders(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin("mode=rounds", players=3)
    club.add("Zoe")
    how = {"reason": "Snow.", "now": MONDAY}
    club.replace("m", "yellow", "Zoe", **how)
    club.send("yellow", "DRAW")
    club.tick()
    club.send("yellow", "CLEAR")
    club.set_deadline("m", "2026-11-30 12:00", **how)
    club.send("green", "RESIGN")
    club.tick()
    line = inputs(club)[-1]
    at = "2026-11-23T12:00:00Z"
    assert line.leave == Departure("resignation", ("green",))
    assert line.said == (
        DeclaredWord("yellow", "DRAW", at),
        DeclaredWord("yellow", "CLEAR", at),
        DeclaredWord("green", "RESIGN", at),
    )
    assert [(one.seat, one.kind) for one in line.holders] == [("yellow", "person")]
    told = [(one.number, one.reason, one.acts) for one in line.rulings]
    title = club.loaded().game.seat_titles["yellow"]
    due = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert told == [
        (1, "Snow.", (PlaysNow(say("Another player"), title),)),
        (2, "Snow.", (DeadlineMoved(due),)),
    ]
    assert line.due == "2026-11-30T12:00:00Z"  # the others' time stays
    assert line.version == ""
    assert wrong(club) == []


def test_what_was_said_of_a_ply_that_is_taken_back_is_in_the_line_of_the_next(club):
    club.begin()
    club.send("black", "DRAW")
    club.tick()
    club.send("white", "RESIGN")
    club.tick()
    ply = club.loaded().match.ply
    assert [(one.seat, one.word) for one in inputs(club)[-1].said] == [
        ("black", "DRAW"),
        ("white", "RESIGN"),
    ]
    assert wrong(club) == []
    assert club.loaded().match.status == "over"
    assert ply == len(inputs(club))


def test_a_line_names_the_version_of_the_program_where_it_changed(club, monkeypatch):
    played(club)
    assert [one.version for one in inputs(club)] == [""] * 4
    monkeypatch.setattr(append_ply, "__version__", "9.9.9")
    club.order("black")
    club.tick()
    assert [one.version for one in inputs(club)][-2:] == ["", "9.9.9"]
    club.undo("m", reason="oh")
    club.tick()
    club.order("white")
    club.tick()
    assert [one.version for one in inputs(club)][-3:] == ["", "9.9.9", ""]
    assert wrong(club) == []


def test_what_seats_said_has_receipts(club):
    club.begin()
    drawn = club.send("white", "DRAW")
    (proof,) = drawn.declared
    assert proof.hashed == "ADJUD3|m|white|1|DRAW|2026-11-23T12:00:00Z"
    said = DeclaredWord("white", "DRAW", "2026-11-23T12:00:00Z")
    assert proof.digest == chain.said_digest("ADJUD3", "m", 1, said)
    assert f"SHA-256 of {proof.hashed}:\n    {proof.digest}\n" in receipt_as_text(drawn, tell)
    declared = [{"hashed": proof.hashed, "digest": proof.digest}]
    assert receipt_as_json(drawn, tell)["declared"] == declared
    assert club.send("white", "DRAW").declared == []  # it stands
    assert [one.hashed for one in club.send("white", "CLEAR").declared] == [
        "ADJUD3|m|white|1|CLEAR|2026-11-23T12:00:00Z"
    ]
    assert club.send("white", "CLEAR").declared == []


def test_the_last_report_opens_the_log_from_which_all_heads_follow(club):
    ended(club)
    log = club.report("black")["log"]
    assert list(chain.heads("m", bytes.fromhex(log["key"]), log["lines"])) == heads(club)
    entries = [chain.read(line) for line in log["lines"][1:]]
    assert [entry.cause for entry in entries] == [*["orders"] * 4, "cancelled"]
    assert [one.seat for one in entries[0].orders] == ["white", "black"]
    acts = [one.acts for one in entries[-1].rulings]
    assert acts == [(SaidToAll("Snø & <is>."),), (Cancelled(),)]
    assert wrong(club) == []


def test_a_ply_that_is_taken_back_gets_another_head_that_follows_from_the_one_before(club):
    played(club)
    before = heads(club)
    club.undo("m", reason="oh")
    assert heads(club) == before[:-1]
    club.tick()
    after = heads(club)
    assert after[:-1] == before[:-1]
    assert after[-1] != before[-1]  # its line names the undo
    assert wrong(club) == []


def test_what_happens_when_a_seat_changes_hands_is_in_the_line_after_it(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    club.begin("mode=rounds", players=3)
    club.add("Zoe")
    told = club.report("blue")["log"]["head"]
    how = {"reason": "", "now": MONDAY}
    club.replace("m", "yellow", "Zoe", **how)
    assert club.report("blue")["log"]["head"] == told
    club.cancel("m", **how)
    last = chain.read(club.report("blue")["log"]["lines"][-1])
    assert last.between == (["Replaced", "yellow"],)
    assert wrong(club) == []


LAST = tables.turn.c.ply == 4


@pytest.mark.parametrize(
    ("spoil", "found"),
    [
        (sa.update(tables.turn).where(LAST).values(head="0" * 64), "log fingerprint of ply 4"),
        (sa.update(tables.turn).where(LAST).values(cause="forfeit"), "line 4 of the log"),
        (sa.update(tables.turn).where(LAST).values(added=1), "line 4 of the log"),
        (sa.update(tables.match).values(log_key=bytes(32)), "log fingerprint of ply 1"),
        (sa.update(tables.match).values(log_key=None), "fingerprints, but no key"),
        (
            sa.update(tables.submission)
            .where(tables.submission.c.ply == 4)
            .values(orders='["a1-a2"]'),
            "line 4 of the log",
        ),
        (
            sa.update(tables.event)
            .where(tables.event.c.ply == 4, tables.event.c.body.like('%"step":2%'))
            .values(body=sa.func.replace(tables.event.c.body, '"step":2', '"step":1')),
            "line 4 of the log",
        ),
        (
            sa.insert(tables.ruling).values(
                match_id=1, ply=3, at=MONDAY, action="say", told='{"text":"x"}', reason=""
            ),
            "line 4 of the log",
        ),
    ],
)
def test_verify_finds_a_log_that_does_not_fit_its_chain(club, spoil, found):
    played(club)
    assert wrong(club) == []
    change(club, spoil)
    assert any(found in message for message in wrong(club)), wrong(club)


def test_the_digest_of_a_receipt_is_that_of_the_orders_in_the_log(club):
    club.begin()
    first, second = club.order("white"), club.order("white")
    assert (first.revision, second.revision) == (1, 2)
    club.tick()
    club.cancel("m", reason="x")
    (order,) = chain.read(club.report("white")["log"]["lines"][2]).orders
    assert order.revision == 2
    digest = second.proof.digest
    assert receipt_digest("m", "white", 1, 2, order.lines) == digest
    told = receipt_as_text(second, tell)
    assert f"SHA-256 of ADJUD3|m|white|1|2| with the orders:\n    {digest}\n" in told
    assert receipt_as_json(second, tell)["digest"] == digest
    assert receipt_as_json(second, tell)["hashed"] == "ADJUD3|m|white|1|2|"


def test_a_receipt_says_which_sheet_was_withdrawn(club):
    club.begin()
    club.order("white")
    receipt = club.send("white", "CLEAR")
    assert receipt.withdrawn == 1
    assert receipt.proof.digest == receipt_digest("m", "white", 1, 1, ["CLEAR"])
    assert club.send("white", "CLEAR").proof is None


def test_what_is_refused_or_only_checked_has_no_digest(club):
    club.begin()
    assert club.send("white", "a1-a9").proof is None
    text = "ORDERS m white\nSETUP RANDOM\nEND"
    assert [one.proof for one in club.check(text)] == [None]


def test_the_use_of_a_sheet_in_advance_is_told_with_the_digest_of_its_orders(store, tmp_path):
    club = begun(store, tmp_path)
    kept = keep(club, "white", 2, "IF FIGHT: g3-g4, h3-h4", "ELSE: d3-d4, e3-e4")
    lines = ["IF FIGHT: g3-g4, h3-h4", "ELSE: d3-d4, e3-e4"]
    assert kept.kept
    assert kept.proof.digest == receipt_digest("m", "white", 2, 1, lines, kept=True)
    club.send("white", "b3-b4", "c3-c4")
    club.tick()
    club.send("black", "b6-b5", "c6-c5")
    club.tick()
    club.tick()
    (used,) = club.report("white")["used"]
    assert used["digest"] == receipt_digest("m", "white", 2, 1, ["d3-d4", "e3-e4"])
    assert used["hashed"] == "ADJUD3|m|white|2|1|"
    club.cancel("m", reason="x")
    lines = club.report("white")["log"]["lines"]
    (order,) = (one for line in lines[4:5] for one in chain.read(line).orders)
    assert receipt_digest("m", "white", 2, order.revision, order.lines) == used["digest"]
    assert not any("FIGHT" in line for line in lines)  # conditions are never opened
    assert wrong(club) == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", [SpionClub, SpiesClub])
def test_every_email_with_a_report_and_every_page_tells_the_newest_head(kind, store, tmp_path):
    club = kind(store, tmp_path / "spool")
    club.open()
    club.run_tick()
    while club.loaded().match.turn < 3:
        for seat in club.loaded().awaited:
            assert club.send(seat, *computer_orders(club.loaded(), seat, "computer")).accepted
        emails = club.run_tick()
        reports = [one for one in emails if one["X-Adjud"] == "report"]
        newest = heads(club)[-1]
        assert reports
        for email in reports:
            assert newest in value_in(email.as_bytes()).decode()
    match, seat = club.loaded().match.name, club.loaded().awaited[0]
    page = Club(store).live_report(match, seat)
    assert newest in show(page, "html")


def test_a_report_names_the_seats_orders_since_its_last_report_and_short_digits_of_the_head(club):
    club.begin()
    receipt = club.order("white")
    club.tick()
    report = club.report("white")
    assert report["ordered"] == [
        {
            "turn": 1,
            "revision": 1,
            "at": "2026-11-23T12:00:00Z",
            "hashed": "ADJUD3|m|white|1|1|",
            "digest": receipt.proof.digest,
        }
    ]
    assert club.report("black")["ordered"] == club.report("black")["ordered"][:1]
    assert all(one["turn"] == 0 for one in club.report("black")["ordered"])
    text = show(club.sent_report("m", "white", 1), "text")
    head = report["log"]["head"]
    short = "-".join(head[start : start + 4] for start in range(0, 20, 4))
    assert f"To compare by phone: ply 2, {short}\n" in text
    came = "Received for turn 1, version 1: Mon 23 Nov 2026, 12:00 UTC\n"
    assert (
        f"{came}SHA-256 of ADJUD3|m|white|1|1| with the orders:\n  {receipt.proof.digest}\n" in text
    )
    assert text.count(receipt.proof.digest) == 1


def test_a_seats_new_holder_is_not_told_when_the_orders_of_the_former_one_came(club):
    club.begin()
    club.order("white")
    club.add("Zoe")
    club.tick()
    later = MONDAY + timedelta(hours=1)
    how = {"reason": "", "now": later}
    club.replace("m", "white", "Zoe", **how)
    club.order("black")
    club.tick()
    assert club.report("white")["ordered"] == []
    assert club.report("black")["ordered"] != []


def test_a_sheet_that_another_replaces_is_kept_as_it_came(club):
    club.begin()
    first = club.order("white")
    again = [f"{order} # again" for order in first.orders]
    second = club.send("white", *again, now=MONDAY + timedelta(hours=1))
    assert second.revision == 2
    with club.store.reading() as tx:
        c = tables.submission.c
        wanted = sa.select(c.revision, c.status, c.received_at, c.orders, c.text)
        rows = tx.execute(wanted.where(c.seat == "white", c.ply == 2).order_by(c.revision)).all()
    kept = [(row.revision, row.status, row.received_at, json.loads(row.orders)) for row in rows]
    assert kept == [
        (1, "replaced", MONDAY, list(first.orders)),
        (2, "in force", MONDAY + timedelta(hours=1), list(second.orders)),
    ]
    assert ["again" in row.text for row in rows] == [False, True]
