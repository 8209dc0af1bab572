"""An answer says how things are when it goes out, not how they were when its email was read
(emails, sections 5.3 and 6)."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from adjudicator.mail.transport.errors import Temporary
from tests.club import MONDAY
from tests.database import release_emails, tables
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white turn 0", "SETUP RANDOM", "END")
BAD = ("ORDERS m white turn 0", "SETUP NONSENSE", "END")
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


def comes_again(club, number=0, at=MONDAY):
    """Let an email come once more, as a server that had no answer hands it over again."""
    club.post(club.raws[number], club.address("white"), "anna@example.org", at)


def players(club, **changes):
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.player).values(changes))


def text(email):
    return " ".join(email.get_content().split())


def test_an_email_that_comes_again_is_told_the_orders_of_now(club):
    club.write("white", *SHEET)
    club.run_tick()
    club.write("white", *SHEET)
    club.run_tick()
    comes_again(club)
    (answer,) = club.run_tick(MONDAY + HOUR)
    assert answer["Subject"] == "[m] Turn 0: answer to your email"
    assert answer["In-Reply-To"] == "<0.white@example.org>"
    assert text(answer) == (
        "Your email came a second time. It was read on Mon 23 Nov 2026, 12:00 UTC and is not "
        "carried out again. Your current orders are version 2: SETUP RANDOM You can change these "
        "orders until Thu 26 Nov 2026, 12:00 UTC, or until everyone's orders are in."
    )
    comes_again(club)
    assert club.run_tick(MONDAY + HOUR) == []
    assert club.loaded().sheets["white"].revision == 2


def test_one_whose_orders_are_still_in_force_is_told_again_what_was_accepted(club):
    club.write("white", *SHEET)
    club.run_tick()
    club.extend("m", DAY)
    comes_again(club)
    answer = next(one for one in club.run_tick() if one["X-Adjud"] == "receipt")
    assert answer["Subject"] == "[m] Turn 0: your orders are in"
    told = text(answer)
    assert "It was read on Mon 23 Nov 2026, 12:00 UTC" in told
    assert "accepted, version 1" in told
    assert "until Fri 27 Nov 2026, 12:00 UTC" in told
    assert "26 Nov" not in told


def test_one_whose_orders_were_withdrawn_is_told_that_none_are_in_force(club):
    club.write("white", *SHEET)
    club.run_tick()
    club.write("white", "CLEAR")
    club.run_tick()
    comes_again(club)
    (answer,) = club.run_tick()
    assert text(answer).endswith(
        "You have no current orders. Your orders for turn 0 are due. Deadline: Thu 26 Nov "
        "2026, 12:00 UTC."
    )
    assert "version 1" not in text(answer)


def test_one_that_was_refused_is_told_why_once_more_and_what_is_in_force_now(club):
    club.write("white", *BAD)
    (first,) = club.run_tick()
    assert "are not pieces" in text(first)
    club.write("white", *SHEET)
    club.run_tick()
    comes_again(club)
    (answer,) = club.run_tick()
    assert answer["Subject"] == "[m] Turn 0: orders NOT accepted"
    assert "This was the answer:" in text(answer)
    assert "SETUP NONSENSE" in text(answer)
    assert "You have no current orders" not in text(answer)
    assert "Your current orders: version 1. SETUP RANDOM You can change" in text(answer)


def test_one_that_waited_for_a_code_shows_no_code_that_is_used(club):
    club.write("white", *SHEET, sender="anna@elsewhere.example")
    (asked,) = club.run_tick()
    code = next(line.split()[1] for line in asked.get_content().splitlines() if "CONFIRM" in line)
    comes_again(club)
    (answer,) = club.run_tick()
    assert code in text(answer)
    club.write("white", *SHEET, sender="anna@third.example")
    (asked,) = club.run_tick()
    code = next(line.split()[1] for line in asked.get_content().splitlines() if "CONFIRM" in line)
    club.write("white", f"CONFIRM {code}")
    club.run_tick()
    comes_again(club, 2)
    (answer,) = club.run_tick()
    assert code not in text(answer)
    assert "Your current orders are version 1: SETUP RANDOM" in text(answer)


def test_an_email_that_comes_twice_before_it_is_answered_gets_one_answer(club):
    club.write("white", *SHEET)
    comes_again(club)
    (answer,) = club.run_tick()
    assert answer["Subject"] == "[m] Turn 0: your orders are in"
    assert "a second time" not in text(answer)
    club.write("white", *BAD)
    club.way.trouble = Temporary("connection refused")
    assert club.run_tick() == []
    comes_again(club, 2)
    assert club.run_tick() == []
    club.way.trouble = None
    assert len(club.run_tick(MONDAY + HOUR)) == 1
    comes_again(club, 2)
    assert len(club.run_tick(MONDAY + HOUR)) == 1


def test_of_two_emails_of_one_tick_no_answer_promises_what_the_other_replaced(club):
    club.write("white", *SHEET)
    club.write("white", *SHEET)
    first, second = club.run_tick()
    assert first["Subject"] == "[m] Turn 0: answer to your email"
    assert "accepted, version 1" in text(first)
    assert "Your current orders: version 2" in text(first)
    assert "Your current orders: version 1" not in text(first)
    assert second["Subject"] == "[m] Turn 0: your orders are in, changed"


def test_an_answer_that_waited_says_the_deadline_of_now_and_when_it_was_written(club):
    club.write("white", "STATUS", *BAD)
    players(club, confirmed_at=None)
    assert club.run_tick() == []
    club.extend("m", DAY)
    club.hold("m")
    players(club, confirmed_at=MONDAY)
    with club.store.transaction() as tx:
        release_emails(tx, 1, MONDAY)
    answer = next(one for one in club.run_tick(MONDAY + 2 * HOUR) if one["X-Adjud"] == "refusal")
    assert text(answer).startswith("This answer is late: it was written on Mon 23 Nov")
    assert text(answer).endswith("The game master has put the match on hold.")


def test_so_does_an_answer_to_a_stranger(club):
    club.write("white", "GAMES", sender="carl@example.net", to="adjud@play.example.org")
    club.way.trouble = Temporary("connection refused")
    with club.store.transaction() as tx:
        outbox_of_tick = tx.execute(sa.select(sa.func.max(tables.outbox.c.id))).scalar_one()
    club.run_tick()
    with club.store.transaction() as tx:
        fresh = tables.outbox.c.id > outbox_of_tick
        tx.execute(sa.update(tables.outbox).where(fresh).values(raw=None))
    club.way.trouble = None
    (answer,) = club.run_tick(MONDAY + DAY)
    assert text(answer).startswith("This answer is late: it was written on Mon 23 Nov")


def test_an_answer_in_a_match_that_cannot_be_read_any_more_goes_out_all_the_same(club):
    players(club, confirmed_at=None)
    club.write("white", *SHEET)
    assert club.run_tick() == []
    players(club, confirmed_at=MONDAY)
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.turn).values(snapshot="{"))
        release_emails(tx, 1, MONDAY)
    answer = next(one for one in club.run_tick() if one["X-Adjud"] == "receipt")
    assert answer["Subject"] == "[m] Turn 0: answer to your email"
    assert "accepted, version 1" in text(answer)
    assert "Your current orders" not in text(answer)
