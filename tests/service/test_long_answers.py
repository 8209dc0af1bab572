"""Nothing that an email asks for makes an answer longer than 64 kB, and no work grows faster than
the email: limits apply first."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from adjudicator.core import match_parts
from adjudicator.core.match_parts import MOST_PARTS, split
from adjudicator.core.orders import MOST_ORDERS
from adjudicator.mail.address import public_address
from adjudicator.service.competition import by_email
from adjudicator.service.emails.wording import fit, share_out
from adjudicator.service.inbound import commands
from tests.club import content_of
from tests.service.cups import Cup
from tests.service.mailclub import POST, MailClub, value_in, without_value
from tests.worst_emails import filled, plain

MOST = 64 * 1024


@pytest.fixture
def club(store, tmp_path):
    return MailClub(store, tmp_path / "spool").opened("deadline=every 3 days")


def numbered(form: str, count: int) -> str:
    return "\n".join(form.replace("#", str(n)) for n in range(count))


def answers(club: MailClub, text: str, to: str) -> list[str]:
    """Return what an email is answered, and see to it that no answer is too long."""
    club.run_tick()
    before = len(club.way.letters)
    raw = plain(text).replace(b"<worst@", b"<worst%d@" % len(club.raws))
    club.post(raw, to, "anna@example.org")
    told = [email.get_body(("plain",)).get_content() for email in club.run_tick()]
    sent = [raw for _, _, raw in club.way.letters[before:]]
    assert max([len(without_value(raw)) for raw in sent], default=0) < MOST
    assert max([len(value_in(raw)) for raw in sent], default=0) < MOST
    return told


# The work grows with the email, not faster: twice the lines, about twice the work.

SHAPES = ("MATCH a#", "MATCH a#\nMACTH b", "ORDERS a# white\nEND", "MATCH a#\nORDERS b# white\nEND")


def lines_run(work: Callable[[], Any]) -> int:
    """Return how many lines of the program are run; a loop in one line counts each time."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if "adjudicator" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("shape", SHAPES)
def test_an_email_about_very_many_matches_is_split_in_one_pass(shape):
    few, many = numbered(shape, 300), numbered(shape, 900)
    split(few)  # the caches of lines are the same for both
    split(many)
    assert lines_run(lambda: split(many)) < 3.3 * lines_run(lambda: split(few))


def test_and_into_no_more_parts_than_are_read():
    said = split(numbered("MATCH a#\nSTATUS", MOST_PARTS))
    assert (len(said.parts), said.has_more) == (MOST_PARTS, False)
    said = split(numbered("MATCH a#\nSTATUS", 2_000) + "\nMATCH a0\nREPORT")
    assert (len(said.parts), said.has_more) == (MOST_PARTS, True)
    assert said.parts[0].text.split() == ["STATUS", "REPORT"]
    assert [one.match for one in said.parts] == [f"a{n}" for n in range(MOST_PARTS)]


def test_the_match_of_the_seat_is_none_of_them():
    said = split("STATUS\n" + numbered("MATCH a#\nSTATUS", MOST_PARTS), "m")
    assert [one.match for one in said.parts][:2] == ["m", "a0"]
    assert (len(said.parts), said.has_more) == (MOST_PARTS + 1, False)


def test_few_lines_that_are_misspelt_are_explained():
    assert len(content_of(numbered("STAUTS", 3_000)).slips) == MOST_ORDERS + 1
    most = match_parts.MOST_SLIPS
    said = split("\n".join(["MACTH b"] * most))
    assert (len(said.slips), said.has_more_slips) == (most, False)
    said = split("\n".join(["MACTH b"] * (most + 1)))
    assert (len(said.slips), said.has_more_slips) == (most, True)


# The answer.

ASKED = {
    "misspelt": "MACTH a#",
    "the same misspelt": "STAUTS",
    "matches": "MATCH a#",
    "matches and misspelt ones": "MATCH a#\nMACTH b",
    "seats": "JION m#",
    "other words": "map #",
    "sentences": "HELP ME NOW",
    "zones": "ZONE x#",
    "codes": "CONFIRM A#B#",
    "codes sent back": "with the line\nCONFIRM A#",
    "offers": "ACCEPT A#B#",
    "messages": "PRESS TO black\nhello #\nENDPRESS",
    "messages to nobody": "PRESS TO x#\nhello\nENDPRESS",
    "reports": "REPORT #",
    "tables": "TABLE x#",
    "sheets": "ORDERS m# white\nd3-d4\nEND",
    "absences": "ABSENCE 2026-12-24 TO 2026-12-#",
    "marks": "MARK e7 #",
    "JSON": '{"match": "m#", "seat": "white", "orders": ["d3-d4"]}',
    "conditions": "IF d3-d#: d4-d5",
}


@pytest.mark.slow
@pytest.mark.parametrize("shape", ASKED)
def test_an_answer_is_short_whatever_an_email_asks(club, shape):
    text = numbered(ASKED[shape], 1_200)
    for to in (club.own("Anna"), club.address("white"), public_address(POST)):
        assert all(len(one) < 16_000 for one in answers(club, text, to))


def test_misspelt_matches_are_told_ten_times_and_then_that_there_are_more(club):
    (told,) = answers(club, filled("MACTH", 5_000), club.own("Anna"))
    assert told.count("was not understood") == match_parts.MOST_SLIPS
    assert told.count("Your email has more lines like these.") == 1
    (told,) = answers(club, "MACTH m\nSTAUTS\nSTAUTS", club.own("Anna"))
    assert told.count("was not understood") == 1
    assert "more lines" not in told


def test_only_the_first_matches_are_read_and_that_is_said(club):
    (told,) = answers(club, numbered("MATCH a#\nSTATUS", 300), club.own("Anna"))
    assert "Only the first 50 matches in your email were read." in told
    assert "a49: NOT accepted" in told
    assert "a50" not in told


@pytest.mark.slow
def test_what_many_matches_are_asked_for_is_shared(club):
    """Each match is named with what became of its part, and the codes of all are there."""
    names = [f"n{number}" for number in range(14)]
    for name in names:
        club.new("level=confirm", name=name)
    club.run_tick()
    asked = "\n".join(f"MATCH {name}\nHELP\nREPORT" for name in names[1:])
    (told,) = answers(club, f"MATCH n0\nSETUP RANDOM\n{asked}", club.own("Anna"))
    assert "n0: to be confirmed" in told
    assert "CONFIRM " in told.split("n1: accepted")[0]
    assert all(f"{name}: accepted" in told for name in names[1:])
    assert "Part of this reply is missing here" in told
    assert b"text/html" not in club.way.letters[-1][2]  # it would be longer than 64 kB
    answers(club, "MATCH n1\nSETUP RANDOM", club.own("Anna"))
    assert b"text/html" in club.way.letters[-1][2]


# What is kept of parts that are too long.


def test_the_first_part_that_is_too_long_is_cut_and_short_ones_behind_it_stay():
    tell = str
    long = "\n".join(["x" * 70] * 2_000)
    assert fit(["a", "b"], tell) == ["a", "b"]
    first, cut, told, code = fit(["a", long, long, "CONFIRM 7K3Q"], tell)
    assert (first, code) == ("a", "CONFIRM 7K3Q")
    assert 300 < cut.count("x" * 70) < 600
    assert told == "Part of this reply is missing here, because the email would be too long."


def test_at_the_limit():
    row = "x" * 94  # a hundred bytes with its end
    assert fit(["\n".join([row] * 10)], str, 1_000) == ["\n".join([row] * 10)]
    cut, told = fit(["\n".join([row] * 10)], str, 999)
    assert cut.count(row) == 8
    assert told.startswith("Part of this reply")


def test_emails_that_are_longer_when_they_are_sent_count_so():
    assert len(fit(["\n".join(["ø" * 78] * 80)], str)) == 1
    assert len(fit(["\n".join(["ø" * 78] * 100)], str)) == 2


def test_short_texts_leave_their_share_to_long_ones():
    long = "\n".join(["x" * 70] * 300)
    assert share_out([long, "a", "b"], str) == [long, "a", "b"]
    first, last = share_out([long * 5, long * 5], str)
    assert abs(len(first) - len(last)) < 100
    assert first.endswith("because the email would be too long.")


# Lists do not grow with the club.


def test_status_names_the_matches_that_are_due_first(club, monkeypatch):
    monkeypatch.setattr(commands, "MOST_LISTED", 2)
    for name in ("m1", "m2", "m3"):
        club.new("deadline=every 2 days" if name == "m2" else "deadline=none", name=name)
    (told,) = answers(club, "STATUS", club.own("Anna"))[-1:]
    assert [line.split()[0] for line in told.splitlines() if line.startswith("m")] == ["m2", "m"]
    assert "and 2 more matches" in told


def test_few_open_seats_are_looked_up_however_many_there_are(club, monkeypatch):
    monkeypatch.setattr(commands, "MOST_SEATS", 2)
    for name in ("m1", "m2", "m3"):
        club.new(name=name, white="Anna", black="open")
    told = answers(club, "GAMES", club.own("Anna"))[-1]
    assert "JOIN m2 black" in told
    assert "JOIN m3 black" not in told
    assert "and 1 more match" in told


@pytest.mark.slow
def test_a_table_has_the_newest_rounds(store, tmp_path, monkeypatch):
    club = MailClub(store, tmp_path / "spool")
    cup = Cup(club, 4, "round-robin")
    cup.start()
    monkeypatch.setattr(by_email, "MOST_BOARDS", 4)
    (told,) = answers(club, "TABLE cup", club.own("Anna"))[-1:]
    assert "Earlier rounds are not shown." in told
    assert "Round 1" not in told
    assert "Round 2" in told
    monkeypatch.setattr(by_email, "MOST_BOARDS", 6)
    (told,) = answers(club, "TABLE cup", club.own("Anna"))[-1:]
    assert "Round 1" in told
    assert "Earlier rounds" not in told
