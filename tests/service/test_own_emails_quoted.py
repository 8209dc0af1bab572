"""Lines that we wrote ourselves are known when they are sent back: nobody is warned of them."""

import re

import pytest

from tests.service.mailclub import MailClub, said, text_of
from tests.service.spionclub import SpionClub, duel

MISPLACED = "this looks like an order, but it is"


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").at_first_turn()


def quoted(email, mark):
    return [f"{mark}{line}" for line in text_of(email).splitlines()]


def answering(club, email, *lines, mark="> ", seat="white", **headers):
    """Return the answer to lines above one of our emails, quoted whole."""
    above = (*lines, "", "On Mon, 23 Nov 2026 at 12:00, adjud <adjud@play.example.org> wrote:", "")
    club.write(seat, *above, *quoted(email, mark), **headers)
    (answer,) = [one for one in club.run_tick() if one["X-Adjud"] in ("receipt", "refusal")]
    return answer


def played(club, turns):
    """Play on by steps; return the reports to White, the oldest first."""
    reports = []
    for _ in range(turns):
        for seat in ("white", "black"):
            club.order(seat)
            reports += [one for one in club.run_tick() if "anna" in str(one["To"])]
    return [one for one in reports if one["X-Adjud"] == "report"]


@pytest.mark.parametrize("headers", [True, False])
@pytest.mark.parametrize("mark", ["> ", ""])
def test_help_in_answer_to_an_earlier_report_warns_of_none_of_its_lines(club, headers, mark):
    reports = played(club, 4)
    for report in reports[:-1]:
        assert any(re.fullmatch(r"  [a-h]\d-[a-h]\d", line) for line in quoted(report, ""))
        answers = {"In_Reply_To": report["Message-ID"]} if headers else {}
        answer = answering(club, report, "HELP", mark=mark, **answers)
        assert MISPLACED not in said(answer)
        assert "ignored" not in said(answer)


def test_a_line_of_his_own_in_a_quote_is_still_warned_of(club):
    first, *_ = played(club, 3)
    club.write("white", "HELP", "", "Anna wrote:", *quoted(first, "> "), "> h1-h8")
    (answer,) = club.run_tick()
    assert said(answer).count(MISPLACED) == 1
    assert "h1-h8: this looks like an order" in said(answer)


@pytest.mark.parametrize("mark", ["> ", ""])
def test_receipts_of_orders_replaced_since_are_known(club, mark):
    for step in ("c3-c4", "d3-d4"):
        club.write("white", step, "f3-f4", "NOTREADY")
        (receipt, *_) = club.run_tick()
        if step == "c3-c4":
            first = receipt
    assert MISPLACED not in said(answering(club, first, "STATUS", mark=mark))


@pytest.mark.parametrize("mark", ["> ", ""])
def test_the_card_and_a_refusal_are_known(club, mark):
    club.write("white", "HELP")
    (card,) = club.run_tick()
    club.write("white", "c3-c9", "f3-f4")
    (refusal,) = club.run_tick()
    assert MISPLACED not in said(answering(club, card, "STATUS", mark=mark))
    assert MISPLACED not in said(answering(club, refusal, "STATUS", mark=mark))


@pytest.mark.parametrize("mark", ["> ", ""])
def test_the_first_email_and_the_card_of_spion_are_known(store, tmp_path, mark):
    club = SpionClub(store, tmp_path / "spool")
    duel(club)
    (card,) = club.answered("blue", "HELP")[-1:]
    above = ("STATUS", "", "On Mon, 23 Nov 2026 at 12:00, adjud <a@play.example.org> wrote:", "")
    told = club.answered("blue", *above, *(f"{mark}{line}" for line in card.splitlines()))[-1]
    assert MISPLACED not in told
