"""A code says what it confirms, and a resignation ends when its player plays on (emails, 3.2)."""

from datetime import timedelta
from hashlib import sha256

import pytest

from tests.club import MONDAY, computer_orders
from tests.service.mailclub import MailClub, said

HOUR = timedelta(hours=1)
ELSEWHERE = "anna@work.example"


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").at_first_turn()


def ask(club, *lines, seat="white", now=MONDAY, **more):
    """Return the answer to an email to a seat."""
    club.write(seat, *lines, at=now, **more)
    answers = [one for one in club.run_tick(now) if one["X-Adjud"] in ANSWERS]
    return answers[0]


ANSWERS = ("receipt", "refusal", "confirm", "report")


def code_in(email):
    return said(email).partition("CONFIRM ")[2][:6]


def order(club, seat, now=MONDAY):
    lines = computer_orders(club.loaded(), club.loaded().awaited[0], "computer:random")
    return ask(club, f"ORDERS m {seat}", *lines, "END", seat=seat, now=now)


NEVER = "To play on, send orders: once they are accepted, or the turn is played, this code does"


def test_an_answer_that_lists_the_code_of_a_resignation_says_so(club):
    asked = ask(club, "RESIGN")
    assert "the code does nothing" in said(asked)
    told = f"{code_in(asked)}: you resign from m. {NEVER} nothing."
    for line in ("What now?", "Hello!", "Why c3?"):
        assert told in said(ask(club, line))
    for line in ("move c3 up", "Hello c3"):  # no refusal of orders has a code in it
        assert code_in(asked) not in said(ask(club, line))


def test_orders_that_are_accepted_end_a_resignation(club):
    code = code_in(ask(club, "RESIGN"))
    ask(club, "move c3 up")
    assert code in said(ask(club, "What now?"))  # refused ones do not
    told = said(ask(club, "CHECK", "c3-c4", "g3-g4"))
    assert "these orders end your request to resign" not in told  # nor those of a trial
    assert code in said(ask(club, "What now?"))
    told = said(ask(club, "c3-c4", "g3-g4"))
    assert "these orders end your request to resign; you play on" in told
    assert code not in said(ask(club, "What now?"))
    assert "There is nothing to confirm" in said(ask(club, f"CONFIRM {code}"))
    assert club.loaded().match.status == "playing"


def test_a_resignation_beside_orders_waits_below_them(club):
    first = code_in(ask(club, "RESIGN"))
    second = code_in(ask(club, "c3-c4", "g3-g4", "NOTREADY", "RESIGN"))
    assert second not in ("", first)
    ask(club, f"CONFIRM {first}")
    assert club.loaded().match.status == "playing"
    ask(club, f"CONFIRM {second}")
    assert club.loaded().match.status == "over"


def test_the_answer_to_its_code_has_the_digest_of_the_resignation(club):
    """Of the time of the email with the code, at which it counts."""
    code = code_in(ask(club, "RESIGN"))
    told = said(ask(club, f"CONFIRM {code}", now=MONDAY + HOUR))
    assert club.loaded().match.status == "over"
    text = f"ADJUD3|m|white|1|RESIGN|{(MONDAY + HOUR):%Y-%m-%dT%H:%M:%SZ}"
    assert f"SHA-256 of {text}: {sha256(text.encode()).hexdigest()}" in told


def test_the_code_of_a_played_turn_resigns_nothing(club):
    black = code_in(ask(club, "RESIGN", seat="black"))
    order(club, "white")
    assert club.loaded().awaited == ("black",)
    assert black not in said(ask(club, "move c8 up", seat="black", now=MONDAY + HOUR))
    told = ask(club, f"CONFIRM {black}", seat="black", now=MONDAY + HOUR)
    assert "was for an earlier turn. You have not resigned from m." in said(told)
    assert club.loaded().match.status == "playing"


def test_each_code_says_what_it_brings(club):
    away = {"sender": ELSEWHERE}
    ask(club, "c3-c4", "g3-g4", **away)
    ask(club, "ORDERS m white turn 1", "c3-c4", "END", "DRAW", **away)
    ask(club, "PRESS TO black", "Hello", "ENDPRESS", "LANGUAGE nb", **away)
    told = said(ask(club, "What is this?"))
    assert ": orders in m." in told
    assert ": orders for turn 1, DRAW in m." in told
    assert ": a message, LANGUAGE nb in m." in told


def test_at_the_personal_address_too(club):
    club.say("Anna", "LANGUAGE sv", "MATCH m", "RESIGN", sender=ELSEWHERE)
    (asked,) = club.run_tick()
    assert "This is what it asks for: LANGUAGE sv, you resign from m." in said(asked)
    club.say("Anna", "MATCH m", "RESIGN")
    (of_seat,) = club.run_tick()
    club.say("Anna", "What waits?")
    told = said(club.run_tick()[0])
    assert f"{code_in(asked)}: LANGUAGE sv, you resign from m." in told
    assert f"{code_in(of_seat)}: you resign from m. {NEVER} nothing." in told
