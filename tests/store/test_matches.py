"""Rows of matches, seats, plies and sheets."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from adjudicator.store import (
    matches,
    outbox,
    rows,
    rulings,
    submissions,
    turns,
    whole_match,
)
from adjudicator.store.matches import Match
from adjudicator.store.outbox import OutgoingEmail
from adjudicator.store.players import Player
from adjudicator.store.rulings import Declaration
from adjudicator.store.turns import Commitment, Ply, StoredReport
from tests.database import (
    Store,
    Tx,
    append_ply,
    events_since,
    insert_match,
    mark_shown,
    match_named,
    plies,
    report_of_ply,
    tables,
    update_match,
    update_player,
    update_seats,
)
from tests.rows import count

NOW = datetime(2026, 11, 21, 18, tzinfo=UTC)


def made(store: Store, name: str = "m", wake_at: datetime | None = None) -> int:
    with store.transaction() as tx:
        match_id = insert_match(
            tx,
            {
                "name": name,
                "game": "espionage",
                "variant": "small",
                "options": {"fights": "both", "deadline": "Tue,Fri 18:00"},
                "seed": bytes(range(224, 256)),
                "seed_given": False,
                "status": "playing",
                "ply": 0,
                "turn": 1,
                "created_at": NOW,
                "wake_at": wake_at,
            },
        )
        holder = {"match_id": match_id, "tenure": 1, "ordered_ply": 0}
        seats = {"white": "computer", "black": None}
        matches.insert_seats(
            tx, [{**holder, "name": seat, "computer": who} for seat, who in seats.items()]
        )
        append_ply(tx, match_id, ply(0), [])
        return match_id


def ply(number: int) -> Ply:
    return Ply(ply=number, turn=1, cause="orders", adjudicated_at=NOW, snapshot="{}")


def found(store: Store, name: str = "m") -> Match:
    with store.reading() as tx:
        match = match_named(tx, name)
    assert match is not None
    return match


def send(store: Store, match_id: int, *lines: str, number: int = 1) -> int:
    with store.transaction() as tx:
        return submissions.store(
            tx,
            match_id,
            ply=number,
            seat="white",
            received_at=NOW,
            channel="file",
            lines=lines,
            text="",
        )


def test_a_match_comes_back_as_it_was_given(store: Store) -> None:
    match_id = made(store)
    match = found(store, "M")
    assert match.id == match_id
    assert match.options == {"fights": "both", "deadline": "Tue,Fri 18:00"}
    assert match.seed == bytes(range(224, 256))
    assert match.seed_given is False
    assert (match.created_at, match.deadline_at) == (NOW, None)


def test_a_name_is_given_once(store: Store) -> None:
    made(store)
    with pytest.raises(IntegrityError):
        made(store)
    assert (count(store, "match"), count(store, "seat")) == (1, 2)


def test_matches_are_due_when_their_time_has_come_the_oldest_first(store: Store) -> None:
    for name, minutes in (("soon", 1), ("late", -5), ("now", 0), ("later", -9)):
        made(store, name, NOW + timedelta(minutes=minutes))
    made(store, "never")
    with store.reading() as tx:
        assert [*matches.due(tx, NOW)] == ["late", "now", "later"]


def test_a_seat_is_held_by_a_player_by_a_computer_or_by_nobody(store: Store) -> None:
    match_id = made(store)
    with store.reading() as tx:
        holders = matches.holders(tx, match_id)
    assert {seat: holder.shown_name for seat, holder in holders.items()} == {
        "white": "computer",
        "black": "",
    }


def break_off(store: Store, match_id: int) -> None:
    with store.transaction() as tx:
        append_ply(tx, match_id, ply(2), ['{"d":4}'])
        raise RuntimeError("power")


def test_a_ply_is_appended_once_and_whole(store: Store) -> None:
    match_id = made(store)
    with store.transaction() as tx:
        append_ply(tx, match_id, ply(1), ['{"a":1}', '{"b":2}'])
    with pytest.raises(IntegrityError), store.transaction() as tx:
        append_ply(tx, match_id, ply(1), ['{"c":3}'])
    with pytest.raises(RuntimeError, match="power"):
        break_off(store, match_id)
    with store.reading() as tx:
        assert [entry.ply for entry in plies(tx, match_id)] == [0, 1]
        assert events_since(tx, match_id, 0) == [(1, '{"a":1}'), (1, '{"b":2}')]


def test_events_come_back_in_their_order_however_many(store: Store) -> None:
    match_id = made(store)
    bodies = [str(n) for n in range(25)]
    with store.transaction() as tx:
        append_ply(tx, match_id, ply(1), bodies)
    with store.reading() as tx:
        assert [body for _, body in events_since(tx, match_id, 1)] == bodies


def test_events_belong_to_a_ply_that_is_there(store: Store) -> None:
    with pytest.raises(IntegrityError), store.transaction() as tx:
        append_ply(tx, 77, ply(1), [])
    assert count(store, "turn") == 0


def test_the_last_report_of_a_turn_is_found_and_first_shown_once(store: Store) -> None:
    match_id = made(store)
    with store.transaction() as tx:
        append_ply(tx, match_id, ply(1), [])
        for number in (0, 1):
            body = f'"of ply {number}"'
            made_of = StoredReport(ply=number, seat="white", turn=1, tenure=1, body=body)
            turns.put_reports(tx, match_id, [made_of])
        mark_shown(tx, match_id, 1, "white", NOW)
        mark_shown(tx, match_id, 1, "white", NOW + timedelta(days=1))
        last = turns.last_report_of_turn(tx, match_id, "white", 1)
        none = turns.last_report_of_turn(tx, match_id, "white", 2)
    assert last is not None
    assert (last.body, last.shown_at) == ('"of ply 1"', NOW)
    assert none is None


def test_a_report_is_found_by_match_ply_and_seat(store: Store) -> None:
    wanted = [
        (name, number, seat) for name in "nm" for number in (0, 1) for seat in ("black", "white")
    ]
    ids = {name: made(store, name) for name in "nm"}
    with store.transaction() as tx:
        for name, number, seat in wanted:
            if seat == "black" and number:
                append_ply(tx, ids[name], ply(number), [])
            body = f'"{name} {number} {seat}"'
            told = StoredReport(ply=number, seat=seat, turn=1, tenure=1, body=body)
            turns.put_reports(tx, ids[name], [told])
        for name, number, seat in wanted:
            report = report_of_ply(tx, ids[name], number, seat)
            assert report is not None
            assert report.body == f'"{name} {number} {seat}"'
        assert report_of_ply(tx, ids["m"], 2, "white") is None


def test_sheets_and_what_reports_told_are_found_by_their_match(store: Store) -> None:
    ids = {name: made(store, name) for name in "nm"}
    send(store, ids["n"], "a1-a2")
    email = OutgoingEmail(
        key="n/0/white", kind="report", match_id=ids["n"], ply=0, seat="white", tenure=1, since=0
    )
    with store.transaction() as tx:
        outbox.put(tx, [email], NOW, sends_mail=False)
        found = {name: whole_match.of_match(tx, ids[name], 0).sheets for name in "nm"}
        told = {name: turns.told_by_reports(tx, ids[name]) for name in "nm"}
    assert [found["n"]["white"].lines, found["m"]] == [("a1-a2",), {}]
    assert [told["n"].keys(), told["m"]] == [{("white", 1)}, {}]


def test_a_secret_is_committed_to_once(store: Store) -> None:
    match_id = made(store)
    setup = Commitment(what="setup", seat="white", ply=1, text="GSC", salt="5a")
    with store.transaction() as tx:
        turns.commit_to(tx, match_id, [setup])
    with pytest.raises(IntegrityError), store.transaction() as tx:
        turns.commit_to(tx, match_id, [setup])
    with store.reading() as tx:
        assert turns.commitments(tx, match_id) == [setup]


def test_the_last_sheet_of_a_seat_is_in_force_and_the_others_are_kept(store: Store) -> None:
    match_id = made(store)
    assert [send(store, match_id, "a3-a4"), send(store, match_id, "b3-b4", "c3-c4")] == [1, 2]
    with store.reading() as tx:
        sheets = whole_match.of_match(tx, match_id, 0).sheets
    assert sheets["white"].lines == ("b3-b4", "c3-c4")
    assert sheets["white"].received_at == NOW
    assert count(store, "submission") == 2


def test_closing_sheets_says_how_many_there_were(store: Store) -> None:
    match_id = made(store)
    send(store, match_id, "a3-a4")
    with store.transaction() as tx:
        assert submissions.close(tx, match_id, 1, ["white", "black"], "used") == 1
        assert submissions.close(tx, match_id, 1, ["white", "black"], "unused") == 0
        assert whole_match.of_match(tx, match_id, 0).sheets == {}


def unsettled(tx, match_id: int) -> list[Declaration]:
    by = tables.declaration.c.received_at
    return rows.find(tx, Declaration, rulings.IS_OPEN, order=by, match_id=match_id)


def test_declarations_come_by_time_of_receipt_and_go_when_settled(store: Store) -> None:
    match_id = made(store)
    with store.transaction() as tx:
        rulings.declare(tx, match_id, "black", "DRAW", NOW)
        rulings.declare(tx, match_id, "white", "RESIGN", NOW - timedelta(minutes=1))
        first, second = unsettled(tx, match_id)
        rulings.settle(tx, [first.id], "used")
        rulings.settle(tx, [], "lapsed")
        assert [d.kind for d in (first, second)] == ["RESIGN", "DRAW"]
        assert unsettled(tx, match_id) == [second]


def test_a_traceback_shows_neither_seed_nor_salt_nor_set_up(store: Store) -> None:
    made(store)
    with store.reading() as tx:
        match = match_named(tx, "m")
    assert repr(match) == "Match('m', ply=0)"
    secret = Commitment(what="setup", seat="white", ply=1, text="1S25MP", salt="5a" * 32)
    assert repr(secret) == "Commitment('setup', 'white', ply=1)"


_KEYS = {"id", "match_id", "changes"}


def _uncounted(store: Store, table: sa.Table, change: Callable[..., None]) -> set[str]:
    """Return the columns of a table by whose change no page of the site changes."""
    with store.reading() as tx:
        rows = sa.select(table).order_by(*table.primary_key)
        row = {**(tx.execute(rows).mappings().first() or {})}
    found = set()
    for column in row.keys() - _KEYS:
        with store.transaction() as tx:
            before = matches.versions(tx)
            change(tx, **{column: row[column]})
            if matches.versions(tx) == before:
                found.add(column)
    return found


def test_the_site_is_told_of_what_it_shows_and_of_nothing_that_a_seat_sends(store: Store) -> None:
    """Whoever adds a column decides here whether a page changes with it."""
    match_id = made(store)
    anna = {"name": "Anna", "name_key": "anna", "address": "anna@example.org"}
    with store.transaction() as tx:
        player_id = rows.add(tx, Player, **anna, language="en", zone="UTC", created_at=NOW).id
        update_seats(tx, match_id, ["black"], player_id=player_id)

    def of_match(tx: Tx, **change: Any) -> None:
        update_match(tx, match_id, **change)

    def of_seat(tx: Tx, **change: Any) -> None:
        if "name" not in change:
            update_seats(tx, match_id, ["black"], **change)

    def of_player(tx: Tx, **change: Any) -> None:
        update_player(tx, player_id, **change)

    noted_by_ticks = {
        "wake_at",
        "reminded_ply",
        "alerted_ply",
        "alerted_at",
        "hurried_ply",
        "trouble",
        "logged_by",
        "archived_at",
        "package",
    }
    assert _uncounted(store, tables.match, of_match) == noted_by_ticks
    shown = {"player_id", "computer", "tenure", "kept"}
    assert _uncounted(store, tables.seat, of_seat) == _columns(tables.seat) - shown
    shown = {"name", "language", "zone", "tips"}
    assert _uncounted(store, tables.player, of_player) == _columns(tables.player) - shown


def _columns(table: sa.Table) -> set[str]:
    return {column.name for column in table.c} - _KEYS
