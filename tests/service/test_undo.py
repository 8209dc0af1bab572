"""`gm say` and `gm undo`: something is told to all, and a ply is taken back as if it had not
been."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.core.message import tell
from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY, Club, Refusal, Source
from tests.database import tables
from tests.inside import sheet_storing
from tests.rows import rows_of
from tests.scale import scaled
from tests.service.mailclub import MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TIMES = ("deadline_at", "wake_at")
COUNTED = ("changes",)  # an undo is one, too


@pytest.fixture
def club(store):
    return Club(store)


@pytest.fixture
def mail(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    return club


def undo(club, now=MONDAY, reason=""):
    return tell(club.undo("m", reason=reason, now=now))


def say(club, text, now=MONDAY):
    return tell(club.announce("m", text, now=now))


CHAIN = ("line", "head")  # a ply that is made again names the undo in the chain of the log


def rows(club, besides=()):
    """Return everything but the log of rulings, the notices that tell them, times and counts."""
    found = dict(rows_of(club.store, numbered=False, without=(*TIMES, *COUNTED, *besides)))
    del found["ruling"], found["clock"]
    found["outbox"] = [row for row in found["outbox"] if "'notice'" not in row]
    return found


def both_order(club, now):
    for seat in club.loaded().awaited:
        assert club.order(seat, now=now).accepted


def test_what_the_game_master_says_is_told_to_all_seats_and_logged(mail):
    mail.run_tick()
    assert say(mail, "  I am away\n until  {Monday}. ") == "m: the message goes to all seats"
    emails = mail.run_tick()
    assert [email["To"] for email in emails] == [
        "Anna <anna@example.org>",
        "Bob <bob@example.org>",
    ]
    for email in emails:
        text = email.get_body(("plain",)).get_content()
        assert "The game master says: I am away until {Monday}." in text
        assert email["X-Adjud"] == "notice"
    for seat in ("white", "black"):
        (notice,) = mail.report(seat)["notices"]
        assert notice["text"] == "The game master says: I am away until {Monday}."
    with mail.store.reading() as tx:
        assert tx.execute(sa.select(tables.ruling.c.action)).scalars().all() == ["say"]


def test_what_cannot_be_said(club):
    club.begin()
    with pytest.raises(Refusal, match="there is nothing to say"):
        say(club, " \n ")
    with pytest.raises(Refusal, match="at most 2000 characters"):
        say(club, "x" * 2001)
    say(club, "bell\x07")
    assert "\x07" not in str(club.report("white")["notices"])


def test_something_can_be_said_when_the_match_is_over(club):
    club.begin()
    club.cancel("m", reason="x")
    say(club, "Thank you.")
    assert club.loaded().match.status == "over"
    assert "Thank you." in str(club.report("white")["notices"][-1])


@pytest.mark.parametrize("plies", [0, 1, 2, 3, 6])
@pytest.mark.parametrize("variant", ["small", "small-fast"])
def test_undo_after_a_tick_gives_the_rows_from_before_it(club, variant, plies):
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", variant=variant)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    for day in range(plies):
        club.tick(MONDAY + day * HOUR)
        both_order(club, MONDAY + day * HOUR)
    late = MONDAY + plies * HOUR
    before = rows(club)
    assert club.tick(late)
    once = rows(club, CHAIN)
    assert rows(club) != before
    undo(club, late)
    assert rows(club) == before
    assert club.verify("m") == []
    assert club.loaded().match.deadline_at == late + 3 * DAY
    assert club.tick(late)
    again = rows(club, CHAIN)
    for table in ("turn", "event", "commitment", "submission", "seat"):
        assert again[table] == once[table]
    assert club.verify("m") == []


def test_a_match_can_be_taken_back_to_its_opening(club):
    club.add("Anna", "Bob")
    club.new()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    known = [rows(club)]
    for number in range(scaled(4)):
        club.tick()
        if number < scaled(4) - 1:
            both_order(club, MONDAY)
            known.append(rows(club))
    for expected in reversed(known):
        undo(club)
        # The orders of the ply after it were in force when it was taken back, and are void.
        assert rows(club)["turn"] == expected["turn"]
        assert rows(club)["report"] == expected["report"]
        assert club.verify("m") == []
    with pytest.raises(Refusal, match="m: nothing has been adjudicated yet"):
        undo(club)


def test_undo_is_told_and_logged_with_its_reason(club):
    club.begin("deadline=every 3 days")
    assert undo(club, MONDAY + HOUR, "A slip.") == (
        "m: the last ply is undone; turn 0 is open for orders again until 2026-11-26 13:00 UTC. "
        "If all orders for it are in, the next tick adjudicates it; `adjud gm hold` prevents that"
    )
    for seat in ("white", "black"):
        (notice,) = club.report(seat)["notices"]
        assert notice["text"] == (
            "The game master took back the last turn played. Turn 0 is open for orders again. "
            "The orders for it are current again, later ones are not. The deadline is now Thu 26 "
            "Nov 2026, 13:00 UTC. Your orders sent in advance are withdrawn. A slip."
        )
    assert len(club.letters("notice")) == 2


def test_a_held_match_stays_held_and_other_orders_can_be_sent(club):
    club.begin()
    club.hold("m", reason="x")
    assert undo(club) == "m: the last ply is undone; turn 0 is open for orders again"
    assert club.loaded().match.status == "held"
    assert club.tick() == []
    assert club.send("white", "SETUP RANDOM").revision == 2


def test_a_ply_that_was_printed_stays(club):
    club.begin()
    club.report("black")
    before = rows_of(club.store)
    with pytest.raises(Refusal, match="m: a report of the last ply was already printed"):
        undo(club)
    assert rows_of(club.store) == before


def test_an_old_report_that_is_printed_now_keeps_no_later_ply(club):
    club.begin()
    club.sent_report("m", "white", 0)
    undo(club)
    assert club.loaded().match.ply == 0


@pytest.mark.parametrize("trouble", [None, Temporary("no answer")])
def test_a_ply_of_which_a_report_was_handed_over_or_tried_stays(mail, trouble):
    for seat in ("white", "black"):
        mail.send(seat, "SETUP RANDOM")
    mail.tick()
    mail.way.trouble = trouble
    mail.run_tick()
    with pytest.raises(Refusal, match="m: an email about the last ply was already sent"):
        undo(mail)


def test_reports_that_wait_are_never_sent_after_undo(mail):
    mail.run_tick()
    for seat in ("white", "black"):
        mail.send(seat, "SETUP RANDOM")
    mail.tick()
    undo(mail)
    mail.hold("m", reason="x")
    kinds = [email["X-Adjud"] for email in mail.run_tick()]
    assert kinds == ["notice"] * 4
    mail.resume("m", reason="y", extend=timedelta())
    kinds = [email["X-Adjud"] for email in mail.run_tick()]
    assert kinds == ["notice", "report"]  # one tells Black, the other White, of the going on


def test_who_took_a_seat_since_gets_the_report_of_the_ply_that_stands(club):
    club.begin()
    club.add("Carl")
    club.replace("m", "white", "Carl")
    assert "m/1/white/report/2" in club.letters()
    undo(club)
    assert "m/1/white/report/2" not in club.letters()
    assert "m/0/white/report/2" in club.letters()


def test_a_miss_that_was_excused_since_the_ply_is_given_back_and_an_earlier_one_is_not(club):
    def missed(seat):
        return club.loaded().holders[seat].missed

    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "excused=3")
    club.send("white", "SETUP RANDOM")
    club.tick(MONDAY + 3 * DAY)  # Black misses the set-up
    assert (missed("white"), missed("black")) == (0, 1)
    now = MONDAY + 4 * DAY
    club.send("black", "SETUP RANDOM", now=now)
    club.tick(now)
    for _ in range(2):  # White misses turn 1, which is taken back, twice
        club.tick(now + 3 * DAY)
        assert (missed("white"), missed("black")) == (1, 1)
        now += 4 * DAY
        assert (
            undo(club, now).partition("; ")[2].startswith("turn 0 is open for orders again until")
        )
        assert (missed("white"), missed("black")) == (0, 1)
        club.tick(now)


def test_the_game_master_reads_who_gets_a_miss_back(club):
    club.begin("deadline=every 3 days", "excused=1")
    club.tick(MONDAY + 3 * DAY)
    assert "; a missed deadline is removed from the record of white." in undo(
        club, MONDAY + 4 * DAY
    )
    assert "removed from" not in undo_again(club, MONDAY + 4 * DAY)


def undo_again(club, now):
    club.tick(now)
    return undo(club, now)


def test_an_ended_match_stays_ended(club):
    club.begin()
    club.forfeit("m", "white")
    with pytest.raises(Refusal, match="m is over and stays over"):
        undo(club)


def test_orders_sent_for_the_next_ply_are_void(club):
    club.begin()
    assert club.order("white").accepted
    undo(club)
    club.tick()
    assert club.loaded().match.ply == 1
    assert club.loaded().sheets == {}


def test_an_offer_that_lapsed_stands_again(club):
    club.begin()
    club.send("black", "DRAW")
    club.tick()
    club.order("white")
    club.tick()
    assert club.loaded().draw_offer is None
    undo(club)
    assert club.loaded().draw_offer == "black"


def test_looks_are_told_by_the_ply_that_replaces_the_one_that_was_taken_back(mail):
    """Looks before it, and looks after it."""
    for seat in ("white", "black"):
        mail.send(seat, "SETUP RANDOM")
    mail.run_tick()
    mail.whole_state("m", noted_at=MONDAY)
    mail.order("white")
    mail.tick()
    text = "ORDERS m black\nd1-d2\nEND"
    sheet_storing.check_noting(mail.store, text, Source(), now=MONDAY)
    undo(mail)
    told = [one["text"] for one in mail.report("black")["notices"]]
    assert [text for text in told if "looked" in text] == []
    mail.tick()
    for seat in ("white", "black"):
        told = [one["text"] for one in mail.report(seat)["notices"]]
        assert [text for text in told if "looked" in text] == [
            "The game master looked at the whole board on 2026-11-23.",
            "The game master looked at Black's board on 2026-11-23.",
        ]
    assert mail.verify("m") == []
