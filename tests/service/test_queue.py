"""The queue of emails, both ways: what the operator may see of it, and what he may do."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from msgspec import structs

from tests.club import MONDAY, Refusal, Which, plain, shown_id, which_email
from tests.database import Arrived, open_store, outgoing_counts, update_email_in
from tests.inside import operators_queue, seat_email
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


def name_of(email):
    """Return an email's name by its number in the table, which no operator sees."""
    return f"{'in' if isinstance(email, Arrived) else 'out'}-{email.id}"


def listed(club, *statuses, gm=False):
    return [(name_of(email), email.status) for email in club.queue(statuses, gm=gm)]


def nth(club, name):
    """Return the id by which an operator names the email."""
    emails = club.queue((), gm=True)
    return which_email(next(shown_id(email) for email in emails if name_of(email) == name))


def everything(club):
    """Return all that an operator may read of emails."""
    with club.store.reading() as tx:
        counts = outgoing_counts(tx)
    emails = [plain(email) for email in club.queue(())]
    return emails, counts, club.status(None)


def stuck_email(club, monkeypatch):
    """Send one email of White at which the program fails."""

    def stumble(*_, **__):
        raise KeyError("secret")

    club.context = structs.replace(club.context, raise_faults=False)
    with monkeypatch.context() as patch:
        patch.setattr(seat_email, "_answer", stumble)
        club.write("white", *SHEET)
        return club.run_tick()


WAYS_TO_SEND = {
    "a sheet": [SHEET],
    "a sheet from elsewhere": [SHEET, {"sender": "x@evil.example"}],
    "a wrong sheet": [("ORDERS m white", "a1-a9", "END")],
    "no sheet": [("Hello",)],
}


@pytest.mark.parametrize("sent", WAYS_TO_SEND)
def test_the_queue_is_the_same_whoever_has_sent(club, tmp_path, sent):
    lines, more = (*WAYS_TO_SEND[sent], {})[:2]
    with closing(sqlite3.connect(tmp_path / "adjud.db")) as source:
        source.execute("VACUUM INTO ?", (str(tmp_path / "twin.db"),))
    twin = MailClub(open_store(f"sqlite:///{tmp_path / 'twin.db'}"), tmp_path / "twin-spool")
    twin.write("white", *lines, **more)
    assert twin.run_tick()
    club.run_tick()
    assert everything(twin) == everything(club)
    assert listed(twin, gm=True) != listed(club, gm=True)
    for wanted in (nth(twin, "out-3"), nth(twin, "in-1")):
        for use in (
            lambda c, w: c.one_in_queue(w),
            lambda c, w: c.drop(w),
            lambda c, w: c.retry(w),
        ):
            with pytest.raises(Refusal, match="there is no email"):
                use(twin, wanted)
    twin.store.close()


def test_an_email_that_nobody_has_read_yet_is_not_listed(club):

    club.write("white", *SHEET)
    assert not club.collect(club.folder)
    assert listed(club) == [("out-1", "sent"), ("out-2", "sent")]
    assert ("in-1", "received") in listed(club, gm=True)


def test_no_email_that_was_read_is_listed_before_the_end_nor_its_answer(club):
    club.write("white", *SHEET)
    club.write("black", "ORDERS m black", "SETUP RANDOM", "END")
    club.run_tick(MONDAY + timedelta(hours=1))
    club.write("white", "STATUS")
    club.run_tick(MONDAY + timedelta(hours=1))
    found = listed(club)
    assert [entry for entry in found if entry[0].startswith("in-")] == []
    assert [email.kind for email in club.queue(())] == ["report"] * 3
    assert listed(club, "accepted") == []
    assert len(listed(club, "accepted", gm=True)) == 3


def test_emails_of_a_match_that_is_over_are_listed(club):

    club.cancel("m", reason="x")
    club.write("white", "STATUS")
    club.run_tick()
    assert ("in-1", "accepted") in listed(club)


def test_junk_is_listed_without_its_sender(club):
    club.write("white", "Hello", Auto_Submitted="auto-replied")
    club.run_tick()
    email = next(plain(e) for e in club.queue(["junk"]))
    assert email["reason"] == "auto-submitted"
    assert "anna" not in str(email)
    assert "white" not in str(email)


def test_a_stuck_email_is_listed_counted_and_read_again(club, monkeypatch):
    stuck_email(club, monkeypatch)
    assert listed(club, "stuck") == [("in-1", "stuck")]
    assert club.status(None)["letters_in"] == {"stuck": 1}
    email, text = club.one_in_queue(nth(club, "in-1"))
    assert (email.tries, email.reason) == (3, "a fault inside adjud (KeyError)")
    assert text == ""
    told = club.retry(nth(club, "in-1"))
    assert str(told) == f"email {nth(club, 'in-1')} will be read at the next tick"
    (answer,) = club.run_tick()
    assert answer["X-Adjud"] == "receipt"
    assert "white" in club.loaded().sheets
    assert "letters_in" not in club.status(None)


def test_who_wrote_an_email_that_is_stuck_is_told_once(club, monkeypatch):
    alert, comfort = stuck_email(club, monkeypatch)
    assert alert["To"] == "gm@example.org"
    assert "An incoming email could not be read." in alert.get_content()
    assert comfort["To"] == "Anna <anna@example.org>"
    assert "a human will look at it" in comfort.get_body(("plain",)).get_content()
    club.retry(nth(club, "in-1"))

    def stumble(*_, **__):
        raise KeyError

    with monkeypatch.context() as patch:
        patch.setattr(seat_email, "_answer", stumble)
        assert club.run_tick() == []
    club.retry(nth(club, "in-1"))
    with club.store.transaction() as tx:
        update_email_in(tx, 1, raw=b"".join(club.raws).replace(b"RANDOM", b"nonsense"))
    (answer,) = club.run_tick()
    assert answer["X-Adjud"] == "refusal"


def test_a_dropped_email_is_never_read(club, monkeypatch):
    stuck_email(club, monkeypatch)
    wanted = nth(club, "in-1")
    assert str(club.drop(wanted)) == f"email {wanted} is dropped"
    assert club.run_tick() == []
    assert listed(club, "dropped") == [("in-1", "dropped")]
    with pytest.raises(Refusal, match=f"email {wanted} is dropped; nothing to drop"):
        club.drop(wanted)
    club.retry(wanted)
    assert len(club.run_tick()) == 1


def test_the_game_master_reads_what_an_email_says(club):
    club.write("white", *SHEET, "\x07bell")
    club.run_tick()
    email, text = club.one_in_queue(nth(club, "in-1"), gm=True)
    assert email.seat == "white"
    assert "from: anna@example.org\n" in text
    assert "subject: orders\n" in text
    assert "SETUP RANDOM" in text
    assert "\x07" not in text


def test_an_email_that_cannot_be_parsed_can_be_shown(club, monkeypatch):
    from adjudicator.mail.read import email

    club.write("white", *SHEET)
    club.run_tick()

    def stumble(raw):
        raise RecursionError

    monkeypatch.setattr(email, "read", stumble)
    _, text = club.one_in_queue(nth(club, "in-1"), gm=True)
    assert "SETUP RANDOM" in text
    assert "Message-ID:" in text


def test_emails_are_listed_by_time(club):
    club.write("white", "Hello", Auto_Submitted="auto-replied")
    club.run_tick()
    moments = [operators_queue.moment_of(email) for email in club.queue(())]
    assert moments == sorted(moments)


@pytest.mark.parametrize(
    ("word", "wanted"),
    [
        ("k3f5qw2m", Which("k3f5qw2m")),
        ("out-k3f5qw2m", Which("k3f5qw2m")),
        ("IN-K3F5QW2M", Which("k3f5qw2m", came_in=True)),
        ("7", None),
        ("in-", None),
        ("ink3f5qw2m", None),
        ("k3f5qw21", None),
    ],
)
def test_an_email_is_named(word, wanted):
    assert which_email(word) == wanted


def twin_of(club, tmp_path):
    """Make the same club with a database of its own."""
    with closing(sqlite3.connect(tmp_path / "adjud.db")) as source:
        source.execute("VACUUM INTO ?", (str(tmp_path / "twin.db"),))
    return MailClub(open_store(f"sqlite:///{tmp_path / 'twin.db'}"), tmp_path / "twin-spool")


def test_nothing_that_is_listed_counts_emails_that_are_not(club, tmp_path):
    """Emails of the awaited turn between two that an operator sees leave no gap."""
    from tests.service.test_dialog import HOUR

    twin = twin_of(club, tmp_path)
    twin.write("white", *SHEET)
    twin.write("white", "STATUS")
    twin.run_tick()
    told = []
    for each in (club, twin):
        each.write("black", "PING", to="adjud@play.example.org", sender="carl@example.net")
        each.run_tick(MONDAY + HOUR)
        emails = [plain(email) for email in each.queue(())]
        assert not any(entry["id"][-1] == "1" for entry in emails)
        told.append([{**entry, "id": ""} for entry in emails])
    assert told[0] == told[1]
    twin.store.close()


def test_the_id_of_an_email_does_not_follow_from_its_number(club, tmp_path):
    """Otherwise an operator who writes to his own club could count the emails of an awaited
    turn."""
    twin = twin_of(club, tmp_path)
    ids = []
    for each in (club, twin):
        each.write("black", "PING", to="adjud@play.example.org", sender="carl@example.net")
        each.run_tick()
        ids.append({email.key: shown_id(email) for email in each.emails_out()})
    (answer,) = (key for key in ids[0] if key.startswith("public/"))
    assert ids[0][answer] != ids[1][answer]
    twin.store.close()


def test_a_status_that_is_not_there(club):
    with pytest.raises(Refusal, match="did you mean parked"):
        club.queue(["parkt"])
