"""An answer that goes out when its turn has been adjudicated says nothing of orders in force
(emails, section 6)."""

from datetime import timedelta

import pytest

from tests.club import MONDAY, computer_orders
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m black turn 0", "SETUP RANDOM", "END")
SINCE = (
    "Turn 0 has been played since your email was read. Your latest report shows the current "
    "position."
)
# What must not be said of orders that can be replaced no more.
OF_BEFORE = ("Your current orders", "You can change", "to fill in", "waiting for", "Waiting for")


@pytest.fixture
def club(store, tmp_path):
    """Return a club in which the other set-up is in."""
    club = MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")
    club.send("white", "SETUP RANDOM")
    return club


def answers(club):
    emails = [one for one in club.run_tick() if "bob" in one["To"] and one["X-Adjud"] != "report"]
    assert club.loaded().match.ply == 1
    told = (one.get_content().partition("Proofs")[0] for one in emails)
    texts = [" ".join(text.split()) for text in told]
    return list(zip([str(one["Subject"]) for one in emails], texts, strict=True))


@pytest.mark.parametrize(
    ("lines", "subject"),
    [
        (
            (*SHEET, "ORDERS m black turn 7", "a1-a2", "END"),
            "[m] Turn 0: NOT everything was accepted",
        ),
        (("CONFIRM ABCDEF", *SHEET), "[m] Turn 0: NOT everything was accepted"),
        ((*SHEET, "RESIGN"), "[m] Really resign? Please confirm"),
    ],
    ids=["refused in part", "a wrong code", "a resignation to be confirmed"],
)
def test_an_email_of_which_only_a_part_was_taken(club, lines, subject):
    club.write("black", *lines)
    ((told_as, text),) = answers(club)
    assert told_as == subject
    assert text.endswith(SINCE)
    assert [word for word in OF_BEFORE if word in text] == []


def test_two_emails_in_one_tick(club):
    club.write("black", *SHEET)
    club.write("black", *SHEET)
    (first, told), (second, _) = answers(club)
    assert first == "[m] Turn 0: answer to your email"
    assert told.endswith(SINCE)
    assert second == "[m] Turn 0: your orders were carried out, version 2"


def test_a_question_behind_the_orders(club):
    club.write("black", *SHEET)
    club.write("black", "PING")
    _, (subject, text) = answers(club)
    assert subject == "[m] Your email has arrived"
    assert text == f"Your email has arrived. {SINCE}"


def test_a_refusal_keeps_no_sheet_to_be_filled_in(club):
    club.write("black", *SHEET)
    club.write("black", "ORDERS m black turn 0", "SETUP NONSENSE", "END")
    _, (subject, text) = answers(club)
    assert subject == "[m] Turn 0: orders NOT accepted"
    assert "SETUP NONSENSE" in text
    assert text.endswith(SINCE)


def test_emails_over_the_limit_of_a_day(club):
    for _ in range(32):
        club.write("white", "PING")
    club.run_tick()
    assert club.loaded().match.ply == 0
    club.write("white", "ORDERS m white turn 0", "SETUP RANDOM", "END")
    club.write("black", *SHEET)
    emails = [*club.run_tick(), *club.run_tick(MONDAY + timedelta(hours=2))]
    (email,) = [one for one in emails if "anna" in one["To"] and one["X-Adjud"] == "receipt"]
    text = " ".join(email.get_content().split())
    assert SINCE in text
    assert [word for word in OF_BEFORE if word in text] == []


def test_a_turn_whose_second_half_is_to_come_is_not_called_adjudicated(club):
    club.write("black", *SHEET)
    club.run_tick()
    club.write("black", "PING")
    club.write(
        "white", "ORDERS m white", *computer_orders(club.loaded(), "white", "computer"), "END"
    )
    (email,) = [
        one for one in club.run_tick() if one["X-Adjud"] == "receipt" and "bob" in one["To"]
    ]
    assert (club.loaded().match.turn, club.loaded().awaited) == (1, ("black",))
    text = " ".join(email.get_content().split())
    assert "The match has moved on since your email was read." in text
    assert "has been played" not in text
