"""Run the same program on a PostgreSQL server: the same matches, and several workers at once."""

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from pathlib import Path
from typing import Self

import pytest
from msgspec import structs

from tests.club import MONDAY, Changes, Club, Context, Store
from tests.database import StoreTrouble, Tx, emails_due, match_named, open_store, update_match
from tests.inside import inbox, matches
from tests.processes import at_once
from tests.rows import Rows, rows_of
from tests.scale import scaled
from tests.service import due

DAY = timedelta(days=1)


@pytest.fixture
def database(postgres_url: str) -> str:
    return postgres_url


def run(store: Store, now: datetime, context: Context) -> list[str]:
    return [str(done) for done in Club(store, context).run_due(now=now)]


def serial(url: str, now: datetime, context: Context, number: int) -> Rows:
    """Return the rows of the same matches, ticked by one worker on SQLite."""
    store = open_store(url)
    due.many(store, now, number)
    run(store, now, context)
    rows = rows_of(store, numbered=False)
    store.close()
    return rows


@pytest.mark.slow
def test_a_whole_match_and_everything_else_leave_the_same_rows_as_on_sqlite(
    store: Store, sqlite_url: str, now: datetime, context: Context
) -> None:
    other = open_store(sqlite_url)
    for each in (store, other):
        due.everything(each, now)
        Club(each).new(name="whole", white="computer", black="computer:random", now=now)
        assert run(each, now, context)
        assert run(each, now, context) == []
        assert all(Club(each).verify(name) == [] for name in Club(each).match_names())
    assert rows_of(store) == rows_of(other)
    other.close()


def test_four_workers_at_once_adjudicate_every_turn_once(
    database: str, sqlite_url: str, now: datetime, context: Context
) -> None:
    number = scaled(12)
    expected = serial(sqlite_url, now, context, number)
    store = open_store(database)
    due.many(store, now, number)
    store.close()

    def work(_: int) -> None:
        mine = open_store(database)
        run(mine, now, context)
        mine.close()

    at_once(4, work)
    store = open_store(database)
    run(store, now, context)  # what one worker left to another that was just leaving
    assert rows_of(store, numbered=False) == expected
    store.close()


def test_a_match_that_another_worker_has_is_passed_over(
    store: Store, now: datetime, context: Context
) -> None:
    due.many(store, now, 2)
    with store.transaction() as tx:
        assert matches.claim(tx, "m-0", now)
        told = run(store, now, context)
    assert told
    assert not any("m-0" in line for line in told)


def test_workers_claim_one_match_after_the_other_and_hold_it_until_it_is_adjudicated(
    store: Store, now: datetime, context: Context
) -> None:
    due.many(store, now, 3)
    names = ["m-0", "m-1", "m-2"]
    with store.transaction() as first, store.transaction() as second:
        assert [claimed(first, names[:1], now), claimed(second, names, now)] == [["m-0"], names[1:]]
        update_match(first, 1, wake_at=None)  # it is adjudicated, and not committed yet
        with store.transaction() as third:
            assert claimed(third, names, now) == []
    with store.transaction() as tx:
        assert claimed(tx, names, now) == ["m-1", "m-2"]


def claimed(tx: Tx, names: Sequence[str], now: datetime) -> Sequence[str]:
    """Return those of these matches that a worker can claim, one after the other."""
    return [name for name in names if matches.claim(tx, name, now)]


def test_workers_claim_different_emails(postgres_url: str, tmp_path: Path) -> None:
    from tests.inside import outgoing
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    for number in range(3):
        club.new(name=f"m{number}")
    with store.reading() as tx:
        ids = emails_due(tx, MONDAY)
    assert len(ids) == 6
    with store.transaction() as first, store.transaction() as second:
        assert outgoing.claim(first, ids, MONDAY, 2) == ids[:2]
        assert outgoing.claim(second, ids, MONDAY, 3) == ids[2:5]
        assert outgoing.claim(first, ids, MONDAY, 9) == [*ids[:2], ids[5]]
    store.close()


def test_four_workers_at_once_hand_over_every_email_once(postgres_url: str, tmp_path: Path) -> None:
    from msgspec.structs import replace

    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    for number in range(scaled(30)):
        club.new(name=f"m{number}")
    store.close()
    taken = tmp_path / "taken"

    class Way:
        def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
            with taken.open("ab") as file:
                file.write(message_from_bytes(raw)["Message-ID"].encode() + b"\n")

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def work(_: int) -> None:
        mine = open_store(postgres_url)
        context = replace(club.context, open_transport=Way)
        Club(mine, context).deliver()
        mine.close()

    at_once(4, work)
    ids = taken.read_text().split()
    assert len(ids) == len(set(ids)) == 2 * scaled(30)


def test_a_sheet_waits_for_the_ply_that_is_being_appended(
    store: Store, now: datetime, context: Context
) -> None:
    """Otherwise it would be accepted for a turn that is over, and never be used."""
    club = Club(store)
    club.begin(now=now)
    answers: list[bool] = []
    loaded = club.loaded()

    def submit() -> None:
        sheet = "ORDERS m white turn 1\nc3-c4\nd3-d4\nEND\n"
        (receipt,) = Club(store).submit(sheet, now=now)
        answers.append(receipt.accepted)

    with store.transaction() as tx:
        assert match_named(tx, "m")
        sender = threading.Thread(target=submit)
        sender.start()
        sender.join(0.5)
        assert sender.is_alive()
        update_match(tx, loaded.match.id, turn=2)  # the turn goes on
    sender.join(60)
    assert answers == [False]


def test_orders_in_advance_leave_the_same_rows_as_on_sqlite(
    store: Store, sqlite_url: str, now: datetime, context: Context
) -> None:
    other = open_store(sqlite_url)
    for each in (store, other):
        due.in_advance(each, now)
        assert len(run(each, now, context)) == 4
    assert rows_of(store) == rows_of(other)
    other.close()


def test_a_ply_is_taken_back_and_emails_come_back_as_on_sqlite(
    postgres_url: str, tmp_path: Path
) -> None:
    from tests.service import test_bounces
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    with store.transaction() as tx:  # both are told, whoever is to order next
        tx.exec_driver_sql("UPDATE player SET reports = 'all'")
    club.new("deadline=every 3 days")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()
    club.undo("m", reason="x")
    assert club.loaded().match.ply == 0
    club.run_tick()
    assert club.loaded().match.ply == 1
    assert club.verify("m") == []
    test_bounces.bounce(club)
    club.run_tick()
    assert (test_bounces.row(club)["status"], test_bounces.row(club)["bounces"]) == ("waiting", 1)
    assert [email.reason for email in club.queue(["junk"])] == ["a bounce"]
    store.close()


def test_three_workers_at_one_spool_take_every_email_once(
    postgres_url: str, tmp_path: Path
) -> None:
    from io import BytesIO

    from adjudicator.mail.transport import spool
    from tests.rows import letters_in

    number = scaled(60)
    for n in range(number):
        spool.put(tmp_path, BytesIO(b"%d" % n), sender="", recipient="", channel="test")

    def work(_: int) -> None:
        store = open_store(postgres_url)
        assert not Club(store, Context()).collect(tmp_path)
        store.close()

    at_once(3, work)
    store = open_store(postgres_url)
    with store.reading() as tx:
        assert letters_in(tx) == {"received": number}
    assert spool.names(tmp_path) == []
    store.close()


@pytest.mark.slow
def test_three_workers_read_every_email_once(postgres_url: str, tmp_path: Path) -> None:
    from tests.database import EMAILS_OUT
    from tests.rows import letters_in
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    number = scaled(20)
    for n in range(number):
        club.new(name=f"m{n}")
        for seat in ("white", "black"):
            sheet = (f"ORDERS m{n} {seat}", "SETUP RANDOM", "END")
            club.write(seat, *sheet, to=club.address(seat, f"m{n}"))
    club.collect(club.folder)
    store.close()

    def work(_: int) -> None:
        mine = open_store(postgres_url)
        Club(mine, club.context).read_all()
        mine.close()

    at_once(3, work)
    store = open_store(postgres_url)
    # Workers that begin an email in the same moment each count a try, so now and then one is put
    # off like an email over which the program was killed: for an hour, of which its seat is told.
    Club(store, club.context).read_all(now=MONDAY + timedelta(hours=2))
    with store.reading() as tx:
        assert letters_in(tx) == {"accepted": 2 * number}
        keys = [one.key for one in EMAILS_OUT.emails(tx) if one.kind == "receipt"]
    receipts = [key for key in keys if not key.endswith("/later")]
    assert len(receipts) == len(set(receipts)) == 2 * number
    store.close()


def unread_emails(store: Store) -> list[int]:
    with store.reading() as tx:
        found = tx.exec_driver_sql("SELECT id FROM letter WHERE status = 'received' ORDER BY id")
        return list(found.scalars())


@pytest.mark.parametrize(("held", "left"), [(1, [1, 2, 3]), (2, [2, 3])])
def test_an_email_that_another_worker_reads_is_waited_for_with_those_behind_it(
    postgres_url: str, tmp_path: Path, held: int, left: list[int]
) -> None:
    """It is never taken for one of a killed worker, and no later sheet gives way to it, in whatever
    case its address is written."""
    from tests.database import EMAILS_IN
    from tests.rows import letters_in
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    for seat in ("white", "white", "white", "black"):
        to = club.address(seat)
        to = to.upper() if len(club.raws) == 2 else to
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END", to=to)
    club.collect(club.folder)

    def read() -> None:
        mine = open_store(postgres_url)
        Club(mine, club.context).read_all()
        mine.close()

    worker = threading.Thread(target=read)
    with store.transaction() as tx:
        assert inbox.take(tx, held)
        worker.start()
        for _ in range(120):  # until it has read all that it may
            worker.join(0.5)
            if unread_emails(store) == left:
                break
        worker.join(0.5)
        assert worker.is_alive()
        assert unread_emails(store) == left
    worker.join(60)
    with store.reading() as tx:
        assert letters_in(tx) == {"accepted": 4}
        assert {one.tries for one in EMAILS_IN.emails(tx)} == {1}
    store.close()


def test_nobody_waits_for_ever_for_a_worker_that_was_stopped(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No match is adjudicated past the email that he has: the tick ends in a sentence, and when he
    is gone, the next one reads that email."""
    from tests.rows import letters_in
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END")
    club.collect(club.folder)
    monkeypatch.setattr("adjudicator.store.database.LOCK_TIMEOUT", 300)
    mine = open_store(postgres_url)
    with store.transaction() as held:
        assert inbox.take(held, 1)
        with pytest.raises(StoreTrouble, match=r"another process has held .* pg_stat_activity"):
            Club(mine, club.context).read_emails()
        with store.reading() as tx:
            assert letters_in(tx) == {"accepted": 1, "received": 1}
    Club(mine, club.context).read_emails()
    with store.reading() as tx:
        assert letters_in(tx) == {"accepted": 2}
    with store.transaction() as tx:
        assert match_named(tx, "m")
        with pytest.raises(StoreTrouble, match="another process has held"):
            Club(mine).send("white", "c3-c4", "d3-d4")
    mine.close()
    store.close()


def test_a_ply_is_taken_back_while_its_emails_are_being_written(
    postgres_url: str, tmp_path: Path
) -> None:
    """Whoever comes second waits for the first; neither waits for the other for ever."""
    from tests.club import Refusal
    from tests.inside import delivery
    from tests.service.mailclub import MailClub

    store = open_store(postgres_url)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    with store.transaction() as tx:  # both are told, whoever is to order next
        tx.exec_driver_sql("UPDATE player SET reports = 'all'")
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()
    told: list[object] = []

    def undo() -> None:
        try:
            told.append(Club(store, club.context).undo("m", reason="x"))
        except Exception as refusal:
            told.append(refusal)

    undone = threading.Thread(target=undo)
    is_superseded = delivery.is_superseded

    def meanwhile(tx: object, email: object) -> bool:
        if not undone.ident:  # the email is taken, and its match not read yet
            undone.start()
            undone.join(1)
        return is_superseded(tx, email)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "is_superseded", meanwhile)
        club.deliver()
    undone.join(60)
    (refused,) = told
    assert isinstance(refused, Refusal)
    assert str(refused) == "m: an email about the last ply was already sent"
    assert len(club.way.letters) == 4
    store.close()


SPOILT = (
    "UPDATE turn SET snapshot = 'garbage' WHERE match_id = 2",
    "UPDATE match SET options = 'garbage' WHERE id = 2",
    "UPDATE match SET game = 'chess' WHERE id = 2",
    "UPDATE match SET created_at = 'yesterday' WHERE id = 2",
    "UPDATE seat SET forfeit_at = 'soon' WHERE match_id = 2",
)


@pytest.mark.parametrize("statement", SPOILT)
def test_a_match_that_cannot_be_read_stops_no_other(store: Store, statement: str) -> None:
    club = Club(store)
    club.add("Anna", "Bob")
    for name in ("one", "two", "three"):
        club.new("deadline=every 3 days", name=name)
    club.tick(MONDAY + 2.5 * DAY)
    with store.transaction() as tx:
        tx.exec_driver_sql(statement)
    late = MONDAY + 3 * DAY
    told = club.tick(late)
    assert [one for one in told if one.startswith("two: cannot be read")]
    assert "three: the deadline has passed; the match waits for you" in told
    assert [bool(one.get("unread")) for one in club.status(None)["matches"]] == [
        False,
        True,
        False,
    ]
    club.change("Anna", Changes(address="anna@example.net"), now=late, sends_mail=True)
    assert club.verify("one") == []
    assert club.verify("two") != []
    assert [str(one) for one in club.tick(late + DAY)].count("two: the match still waits for you")
    club.cancel_unreadable("two", reason="x", now=late)
    assert [one["match"] for one in club.status(None)["matches"]] == ["one", "three"]


def test_an_address_that_nobody_confirms_is_told_by_one_of_two_workers(
    database: str, now: datetime
) -> None:
    store = open_store(database)
    club = Club(store)
    club.context = structs.replace(club.context, sends_mail=True)
    club.add("Anna", "Bob")
    club.new(name="one")
    club.change("Anna", Changes(address="anna@example.net"), now=now, sends_mail=True)

    def work(_: int) -> None:
        mine = open_store(database)
        run(mine, now + 2 * DAY, club.context)
        mine.close()

    at_once(2, work)
    assert len(club.letters("alert")) == 1
    store.close()
