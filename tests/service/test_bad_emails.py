"""One bad email never stops the others, whether it came, goes out, or was never an email."""

import os
import threading
from contextlib import suppress
from datetime import datetime, timedelta
from email import message_from_bytes
from io import BytesIO
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.message import say
from adjudicator.mail.transport import receive, spool
from adjudicator.resources import Incomplete
from tests.club import MONDAY, Club, Mailbox, shown_id, which_email
from tests.database import Arrived, Clash, StoreTrouble, emails_due, open_store
from tests.inside import adjudication, delivery, matches, reading, undecided, upkeep
from tests.service.mailclub import MailClub, text_of

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.context = structs.replace(club.context, raise_faults=False)
    club.add("Anna", "Bob")
    club.new()
    club.run_tick()
    return club


def accepted(club: MailClub) -> list[str]:
    """Return the seats whose set-ups were read and answered."""
    return sorted(club.loaded().sheets)


def email(club: MailClub, number: int) -> Arrived:
    return club.emails_in()[number]


# --- in the spool ----------------------------------------------------------------------------


@pytest.mark.parametrize("octet", [b"\xe9", b"\xff", b"\xed\xa0\x80"])
def test_a_sender_that_is_no_text_keeps_no_email_from_being_read(club, octet):
    """A shell hands such octets on as they are, and so does LMTP."""
    sender = os.fsdecode(octet + b"vil@example.org")
    stranger = BytesIO(b"Subject: x\r\n\r\nhello\r\n")
    arguments = ["mail", "receive", "--spool", str(club.folder), sender, "adjud@play.example.org"]
    assert receive.main(arguments, {}, stranger) == 0
    club.write("white", *SHEET)
    club.run_tick()
    assert accepted(club) == ["white"]
    assert spool.count(club.folder) == 0
    assert spool.bad(club.folder) == 0
    assert email(club, 0).status == "junk"


def test_an_order_from_a_sender_that_is_no_text_is_an_order_all_the_same(club):
    club.write("white", *SHEET)
    name, raw = spool.names(club.folder)[0], club.raws[0]
    spool.remove(club.folder, name)
    to = club.address("white")
    spool.put(club.folder, BytesIO(raw), sender="ann\udce9@x", recipient=to, channel="lmtp")
    (answer,) = club.run_tick()
    assert answer["To"] == "Anna <anna@example.org>"
    assert accepted(club) == ["white"]


def stray_file(new: Path) -> None:
    (new / "0-notes.txt").write_text("buy milk")


def stray_folder(new: Path) -> None:
    (new / "0-folder").mkdir()
    (new / "0-folder" / "letter").write_text("{}")


def half_an_envelope(new: Path) -> None:
    (new / "0.1.x").write_text('{"sender": "a@x", "recipient": 7, "channel": "pipe"}\nhello')


def a_nest(new: Path) -> None:
    (new / "0.2.x").write_text("[" * 100_000)


def a_dangling_link(new: Path) -> None:
    (new / "0-link").symlink_to(new / "nowhere")


def a_link_to_itself(new: Path) -> None:
    (new / "0-circle").symlink_to(new / "0-circle")


def a_link_to_an_email(new: Path) -> None:
    (new / "0-other").symlink_to(spool.names(new.parent)[0])


def a_pipe(new: Path) -> None:
    os.mkfifo(new / "0-pipe")


STRAYS = [
    *(stray_file, stray_folder, half_an_envelope, a_nest),
    *(a_dangling_link, a_link_to_itself, a_link_to_an_email, a_pipe),
]


@pytest.mark.parametrize("leave", STRAYS)
def test_what_is_no_email_is_kept_aside_and_told_once_a_day(club, leave):
    club.write("white", *SHEET)
    leave(club.folder / "new")
    answers = club.run_tick()
    assert accepted(club) == ["white"]
    assert sorted(a["To"].addresses[0].username for a in answers) == ["anna", "gm"]
    alert = next(a for a in answers if a["To"] == "gm@example.org")
    assert "could not be read as an email" in alert.get_content()
    assert any("could not be read as an email" in line for line in club.told)
    club.write("white", "STATUS")
    leave(club.folder / "new")
    assert [answer["X-Adjud"] for answer in club.run_tick()] == ["receipt"]
    assert spool.count(club.folder) == 0
    assert spool.bad(club.folder) == 2, "nothing is overwritten"


@pytest.mark.parametrize("leave", [a_dangling_link, a_link_to_itself, stray_folder])
def test_what_is_no_email_holds_up_no_deadline(club, leave):
    club.new("deadline=every 3 days", "absence=forfeit", name="other")
    club.context = structs.replace(club.context, max_gap=None)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="other")
    club.write("white", *SHEET)
    club.run_tick()
    leave(club.folder / "new")
    club.run_tick(MONDAY + timedelta(days=4))
    assert club.loaded("other").match.status == "over"


def test_an_email_that_was_put_aside_is_read_when_it_is_put_back(club):
    club.write("white", *SHEET)
    (name,) = spool.names(club.folder)
    spool.put_aside(club.folder, name)
    club.run_tick()
    assert accepted(club) == []
    (club.folder / "bad" / name).rename(club.folder / "new" / name)
    club.run_tick()
    assert accepted(club) == ["white"]


def test_what_can_be_neither_taken_nor_put_aside_stops_nothing(club, monkeypatch):
    club.write("white", *SHEET)
    stray_folder(club.folder / "new")

    def forbidden(folder, name):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(spool, "put_aside", forbidden)
    answers = club.run_tick()
    assert accepted(club) == ["white"]
    assert sorted(a["To"].addresses[0].username for a in answers) == ["anna", "gm"]
    assert any("cannot be read from the disk" in line for line in club.told)
    assert club.run_tick() == []
    assert club.told == []


def test_what_cannot_be_read_in_the_mailbox_stops_no_email_and_is_told_once(club, tmp_path):
    box = tmp_path / "Maildir"
    for name in ("tmp", "new", "cur"):
        (box / name).mkdir(parents=True)
    bad = box / "new" / "1"
    bad.mkdir()
    club.write("white", *SHEET)
    raw = f"Delivered-To: {club.address('white')}\n".encode() + club.raws[-1]
    for name in spool.names(club.folder):
        spool.remove(club.folder, name)
    (box / "new" / "2").write_bytes(raw)
    club.context = structs.replace(club.context, mailbox=Mailbox(f"maildir:{box}", lambda: None))
    answers = club.run_tick()
    assert accepted(club) == ["white"]
    (alert,) = [one for one in answers if one["To"] == "gm@example.org"]
    text = " ".join(alert.get_content().split())
    assert text.startswith(
        f"An entry of the mailbox cannot be read as an email: {bad} (not a file)"
    )
    assert [line for line in club.told if str(bad) in line]
    for days in (0, 1, 9):
        assert club.run_tick(MONDAY + timedelta(days=days, hours=1)) == []
        assert [line for line in club.told if str(bad) in line] == []
    assert bad.is_dir()


def test_an_email_that_the_disk_does_not_give_stays_where_it_is(club, monkeypatch):
    """It may belong to another user; the superuser never meets such an email."""
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    club.write("white", *SHEET)
    first, read = spool.names(club.folder)[0], spool.read

    def forbidden(folder, name):
        if name == first:
            raise PermissionError(13, "Permission denied")
        return read(folder, name)

    with monkeypatch.context() as patch:
        patch.setattr(spool, "read", forbidden)
        club.run_tick()
    assert accepted(club) == ["white"]
    assert any("cannot be read from the disk" in line for line in club.told)
    assert spool.names(club.folder) == [first]
    club.run_tick()
    assert accepted(club) == []  # all set-ups are in: the match has begun
    assert club.loaded().match.ply == 1


def test_what_a_kill_left_unfinished_is_swept_out_after_a_day_and_a_half(club):
    club.write("white", *SHEET)
    old, new = (club.folder / "tmp" / name for name in ("1.2.old", "1.2.new"))
    for path, hours in ((old, 37), (new, 35)):
        path.write_text("{}")
        moment = (MONDAY - timedelta(hours=hours)).timestamp()
        os.utime(path, (moment, moment))
    club.run_tick()
    assert [path.name for path in (club.folder / "tmp").iterdir()] == ["1.2.new"]


# --- an email at which the program ends -------------------------------------------------------


class Killed(BaseException):
    """Raised where a signal would end the program: nothing that it holds is done any more."""


def deadly(monkeypatch, club: MailClub, word: bytes) -> None:
    """Let an email with this word in it end the program that looks into it."""
    read = reading.parse_email

    def look(received, post):
        if word in received.raw:
            raise Killed
        return read(received, post)

    for module in (reading, undecided):
        monkeypatch.setattr(module, "parse_email", look)


def dies(club: MailClub, now: datetime = MONDAY) -> None:
    with pytest.raises(Killed):
        club.run_tick(now)


def test_an_email_at_which_the_program_dies_is_read_later_and_those_behind_it_before(
    club, monkeypatch
):
    club.write("white", "deadly", *SHEET)
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    with monkeypatch.context() as patch:
        deadly(patch, club, b"deadly")
        for _ in range(3):
            dies(club)
        dies(club)  # at the notice to its sender; the email is put off before
        answers = club.run_tick()
    assert email(club, 0).status == "received"
    assert accepted(club) == ["black"]
    assert sorted(a["To"].addresses[0].username for a in answers) == ["bob", "gm"]
    alert = next(a for a in answers if a["To"] == "gm@example.org")
    assert "adjud was killed several times" in alert.get_content()


def test_an_email_over_which_the_program_is_killed_is_read_later_and_its_kill_counts(
    club, monkeypatch
):
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        dies(club)
    assert accepted(club) == []
    (receipt,) = club.run_tick()
    assert receipt["Subject"] == "[m] Turn 0: your orders are in"
    assert email(club, 0).tries == 2
    assert [*club.folder.glob("new/*"), *club.folder.glob("tmp/*")] == []


def test_an_email_that_is_read_and_still_in_the_spool_is_not_read_again(club, monkeypatch):
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(spool, "remove", die)
        dies(club)
    assert len(club.run_tick()) == 1
    assert club.run_tick() == []
    assert email(club, 0).tries == 1
    assert [*club.folder.glob("new/*"), *club.folder.glob("tmp/*")] == []


def test_who_wrote_it_is_told_once_that_it_is_read_later(club, monkeypatch):
    """The program is killed as by a machine that restarts at a bad time."""
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        for _ in range(3):
            dies(club)
        told = club.run_tick()
        assert "an email will be read later: adjud was stopped 3 times" in club.told
        assert club.run_tick(MONDAY + timedelta(minutes=59)) == []
        dies(club, MONDAY + timedelta(hours=1))
        assert club.run_tick(MONDAY + timedelta(hours=1)) == []
        assert club.run_tick(MONDAY + timedelta(hours=4, minutes=59)) == []
    _, notice = sorted(told, key=lambda one: one["X-Adjud"])
    assert notice["To"] == "Anna <anna@example.org>"
    assert notice["Subject"] == "[m] Your email will be read later"
    assert "It will be read again automatically within a day" in " ".join(text_of(notice).split())
    assert "You have no current orders." in text_of(notice)
    (receipt,) = club.run_tick(MONDAY + timedelta(hours=5))
    assert receipt["Subject"] == "[m] Turn 0: your orders are in"


def test_a_sheet_that_is_read_later_does_not_replace_one_that_came_after_it(club, monkeypatch):
    club.write("white", "NOTREADY", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        for _ in range(3):
            dies(club)
        club.run_tick()
    minute = MONDAY + timedelta(minutes=1)
    club.write("white", "NOTREADY", *SHEET, at=minute)
    club.run_tick(minute)
    (asked,) = club.run_tick(MONDAY + timedelta(hours=1))
    assert asked["X-Adjud"] == "confirm"
    assert club.loaded().sheets["white"].letter_id == 2


def test_it_is_stuck_after_six_times(club, monkeypatch):
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        dies(club)
        dies(club)
        for hours in (0, 1, 5, 21):
            dies(club, MONDAY + timedelta(hours=hours))
            club.run_tick(MONDAY + timedelta(hours=hours))  # put off, the last time stuck
    assert email(club, 0).tries == 6
    arrived = email(club, 0)
    assert (arrived.status, arrived.reason) == ("stuck", "adjud ended while it read it")
    kinds = [(to, message_from_bytes(raw)["X-Adjud"]) for _, to, raw in club.way.letters[2:]]
    assert sorted(kinds) == [
        ("anna@example.org", "receipt"),
        ("anna@example.org", "refusal"),
        ("gm@example.org", "alert"),
        ("gm@example.org", "alert"),
    ]
    club.retry(which_email(shown_id(arrived)))
    club.run_tick(MONDAY + timedelta(days=1))
    assert accepted(club) == ["white"]


def test_kills_are_not_counted_as_faults_nor_faults_as_kills(club, monkeypatch):
    club.write("white", *SHEET)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        dies(club)
        dies(club)
        ends = iter([trip, trip, die, trip])
        patch.setattr(reading, "read_email", lambda *given: next(ends)())
        dies(club)  # after two faults: three kills, so it is put off
        club.run_tick()
        assert (email(club, 0).status, email(club, 0).tries) == ("received", 5)
        club.run_tick(MONDAY + timedelta(hours=1))
    assert (email(club, 0).status, email(club, 0).tries) == ("stuck", 6)


def die(*_):
    raise Killed


def trip(*_):
    raise ZeroDivisionError


def test_emails_that_were_never_come_to_have_all_their_tries(club, monkeypatch):
    club.write("white", "deadly", *SHEET)
    for _ in range(3):
        club.write("black", "STATUS")
    deadly(monkeypatch, club, b"deadly")
    for _ in range(4):
        dies(club)
    assert [email(club, n).tries for n in range(4)] == [3, 0, 0, 0]
    assert email(club, 1).status == "received"


@pytest.mark.parametrize(
    "trouble",
    [StoreTrouble(say("the disk is full; nothing was stored")), Incomplete(Path("a template"))],
    ids=["database", "program"],
)
@pytest.mark.parametrize("others", [0, 1], ids=["alone", "beside another"])
def test_a_fault_of_database_or_program_is_not_held_against_an_email(
    club, monkeypatch, others, trouble
):
    club.write("white", *SHEET)
    for _ in range(others):  # then they are taken into the database first, and read from there
        club.write("white", "STATUS")

    def fail(*_, **__):
        raise trouble

    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", fail)
        for _ in range(8):
            with suppress(StoreTrouble):
                club.run_tick()
            assert accepted(club) == []
    club.run_tick()
    assert accepted(club) == ["white"]

    monkeypatch.setattr(reading, "read_email", clash_once(reading.read_email))
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    club.run_tick()
    assert club.loaded().match.ply == 1


def test_no_email_passes_one_to_the_same_seat_that_clashes_again_and_again(club, monkeypatch):
    for _ in range(2):
        club.write("white", "NOTREADY", *SHEET)
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    really = reading.read_email

    def clash(s, opened):
        if opened.id == 1:
            raise Clash(say("the database server says: {text_of}", text_of="deadlock detected"))
        return really(s, opened)

    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", clash)
        with pytest.raises(Clash):  # nothing is adjudicated past it
            club.run_tick()
    assert accepted(club) == ["black"]
    club.run_tick()
    assert [club.loaded().sheets["white"].letter_id, email(club, 0).status] == [2, "accepted"]


def test_an_email_that_another_worker_reads_is_not_taken_for_one_that_killed_him(club, monkeypatch):
    for seat in ("white", "black"):
        club.write(seat, f"ORDERS m {seat}", "SETUP RANDOM", "END")
    read, reads, may_go_on = reading.parse_email, threading.Event(), threading.Event()

    def look(received, post):
        reads.set()
        assert may_go_on.wait(60)
        return read(received, post)

    def work():
        mine = open_store(club.store.engine.url.render_as_string())
        Club(mine, club.context).take_emails()
        mine.close()

    monkeypatch.setattr(reading, "parse_email", look)
    first, second = (threading.Thread(target=work) for _ in range(2))
    first.start()
    assert reads.wait(60)
    second.start()
    second.join(0.5)
    may_go_on.set()
    for worker in (first, second):
        worker.join(60)
    assert [(email(club, n).status, email(club, n).tries) for n in range(2)] == [
        ("accepted", 1),
        ("accepted", 1),
    ]


def test_a_tick_that_waited_too_long_for_another_one_does_nothing_and_says_so(club, monkeypatch):
    club.write("white", *SHEET)
    monkeypatch.setattr(upkeep, "TIMEOUT", 0.2)
    with upkeep.hold(club.store):
        assert club.run_tick() == []
        (told,) = club.told
        assert told.startswith("another tick has been at work for")
        with pytest.raises(upkeep.Busy):
            club.take_emails()
    assert accepted(club) == []
    club.run_tick()
    assert accepted(club) == ["white"]


def test_while_emails_are_handed_over_another_tick_may_work(club, monkeypatch):
    monkeypatch.setattr(upkeep, "TIMEOUT", 0.2)
    club.write("white", *SHEET)
    held = []

    def look(*_):
        with upkeep.hold(club.store):
            held.append(True)

    monkeypatch.setattr(delivery, "_note", look)
    club.run_tick()
    assert held


# --- emails that go out ----------------------------------------------------------------------


def both_order(club: MailClub) -> None:
    """Let both order, and be told of what follows, whoever is to order next."""
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET reports = 'all'")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")


def wrong_address(club: MailClub, name: str) -> None:
    """Enter an address that an earlier adjud would have accepted."""
    with club.store.transaction() as tx:
        tx.exec_driver_sql(f"UPDATE player SET address = 'x@blåbær.no' WHERE name = '{name}'")


def test_an_email_that_cannot_be_written_keeps_no_other_from_going_out(club):
    wrong_address(club, "Anna")
    both_order(club)
    emails = club.run_tick()
    assert [email["To"] for email in emails] == ["Bob <bob@example.org>"]
    assert any(line.endswith("stuck: a fault inside adjud (ValueError)") for line in club.told)
    (alert,) = club.run_tick()
    assert alert["To"] == "gm@example.org"
    assert "An email could not be sent" in alert.get_content()
    (stuck,) = club.queue(["stuck"])
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET address = 'anna@example.org' WHERE name = 'Anna'")
    club.retry(which_email(shown_id(stuck)))
    (email,) = club.run_tick()
    assert email["To"] == "Anna <anna@example.org>"


def test_an_email_that_trips_the_way_out_keeps_no_other_from_going_out(club, monkeypatch):
    deliver = club.way.deliver

    def trip(sender, to, raw):
        if to == "anna@example.org":
            raise ZeroDivisionError
        deliver(sender, to, raw)

    monkeypatch.setattr(club.way, "deliver", trip)
    both_order(club)
    assert [email["To"] for email in club.run_tick()] == ["Bob <bob@example.org>"]
    assert len([*club.queue(["stuck"])]) == 1


def test_a_clash_with_another_worker_leaves_the_email_to_the_next_tick(club, monkeypatch):
    with monkeypatch.context() as patch:
        monkeypatch.setattr(delivery, "SOME", 1)
        patch.setattr(matches, "take_of_emails", clash_once(matches.take_of_emails))
        both_order(club)
        assert [email["To"] for email in club.run_tick()] == ["Bob <bob@example.org>"]
    assert [email["To"] for email in club.run_tick()] == ["Anna <anna@example.org>"]


def clash_once(do):
    """Let the first call of a function clash with another worker."""
    clashes = iter([Clash(say("the database server says: {text_of}", text_of="deadlock detected"))])

    def clash(*given, **how):
        for trouble in clashes:
            raise trouble
        return do(*given, **how)

    return clash


@pytest.mark.parametrize("some", [1, 16])
def test_two_ticks_that_overlap_send_each_email_once(club, monkeypatch, some):
    """The second one begins while the first is at its slow server; what is not leased is its."""
    monkeypatch.setattr(delivery, "SOME", some)
    both_order(club)
    deliver, inner = club.way.deliver, []

    def slow(sender, to, raw):
        if not inner:
            inner.append(1)
            assert bool(club.run_tick(MONDAY + timedelta(minutes=5))) == (some == 1)
        deliver(sender, to, raw)

    club.way.deliver = slow
    club.run_tick()
    assert sorted(to for _, to, _ in club.way.letters[2:]) == [
        "anna@example.org",
        "bob@example.org",
    ]


def test_an_email_whose_sender_was_killed_goes_again_with_the_same_bytes(club):
    both_order(club)
    before, deliver = len(club.way.letters), club.way.deliver

    def taken_and_killed(*email):
        deliver(*email)
        raise Killed

    club.way.deliver = taken_and_killed
    with pytest.raises(Killed):
        club.run_tick()
    club.way.deliver = deliver
    club.run_tick(MONDAY + timedelta(minutes=14))
    assert len(club.way.letters) == before + 2  # the other one
    club.run_tick(MONDAY + timedelta(minutes=15, seconds=5))
    first, _, again = club.way.letters[before:]
    assert first == again


def test_a_tick_that_takes_long_keeps_its_emails_to_itself_to_the_last(club, monkeypatch):
    """Emails are ours until the last of them was delivered, however slow the server is."""
    both_order(club)
    passed = [0.0]
    monkeypatch.setattr(delivery, "monotonic", lambda: passed[0])
    monkeypatch.setattr(delivery, "ROUND", timedelta(hours=1))
    deliver, others = club.way.deliver, []

    def slow(sender, to, raw):
        passed[0] += 14 * 60
        with club.store.reading() as tx:
            others.append(emails_due(tx, MONDAY + timedelta(seconds=passed[0])))
        deliver(sender, to, raw)

    club.way.deliver = slow
    club.run_tick()
    assert [len(due) for due in others] == [0, 0]
    assert len(club.way.letters) == 4


# --- a match ----------------------------------------------------------------------------------


def test_a_fault_names_the_match_and_the_seat_and_no_order(club):
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.tick()
    club.order("white")
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE submission SET orders = '[\"c3-zz9\"]' WHERE seat = 'white'")
    club.context = structs.replace(club.context, raise_faults=True)
    with pytest.raises(ValueError, match="m, ply 2, white: orders no longer parse") as told:
        club.tick()
    assert "zz9" not in str(told.value)
    assert repr(club.loaded()) == "Loaded(Match('m', ply=1))"


def test_a_match_that_clashes_with_another_worker_is_left_to_the_next_tick(club, monkeypatch):
    club.new(name="other")
    for match in ("m", "other"):
        for seat in ("white", "black"):
            club.send(seat, "SETUP RANDOM", match=match)

    with monkeypatch.context() as patch:
        patch.setattr(adjudication, "gather", clash_once(adjudication.gather))
        assert [line.partition(":")[0] for line in club.tick()] == ["other"]
    assert [line.partition(":")[0] for line in club.tick()] == ["m"]
