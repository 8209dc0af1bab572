"""The log of a ladder: a line for each thing that changes it, chained, and computed again by the
rules (club, 8.5)."""

from datetime import timedelta
from email import message_from_bytes
from email.policy import default

import pytest
import sqlalchemy as sa

from adjudicator.core import contest_log, ladder_log
from adjudicator.service.competition import ladder_replay, ladder_tables, ladders
from adjudicator.store import ladders as of_rows
from adjudicator.store.contest_logs import LoggedLine
from tests.club import MONDAY
from tests.database import begin_epoch, tables_club
from tests.service.mailclub import MailClub, text_of
from tests.service.test_ladders import (
    DAY,
    begun,
    challenged,
    club,
    lost,
    order,
    said,
    seat_of,
    sent,
)

__all__ = ["club"]  # the fixture


def logged(club: MailClub) -> list[LoggedLine]:
    with club.store.reading() as tx:
        return of_rows.log(tx, ladders.find(tx, "spring").id)


def lines(club: MailClub) -> list[ladder_log.LadderLine]:
    return [ladder_log.read(one.line) for one in logged(club)]


def kinds(club: MailClub) -> list[str]:
    return [type(one).__name__.removesuffix("Line") for one in lines(club)]


def faults(club: MailClub) -> list[str]:
    with club.store.reading() as tx:
        return [str(one) for one in ladder_replay.verify(tx, ladders.find(tx, "spring"))]


def entry(club: MailClub, name: str) -> int | None:
    found = ladder_tables.one_of_club(club.store, "spring").rungs
    return next(one.entry for one in found if one.player == name)


def begin_without_a_log(club: MailClub) -> None:
    """Let a ladder be as one of before there were logs."""
    with club.store.transaction() as tx:
        tx.execute(sa.delete(tables_club.ladder_log))
        tx.execute(sa.update(tables_club.rung).values(entry=None))
        tx.execute(sa.update(tables_club.challenge).values(number=None))


def test_each_change_is_a_line_and_is_computed_again(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    lost(club, match, "Bob")
    code = challenged(club, "Cleo", "Anna")
    said(club, "Anna", f"DECLINE {code}")
    said(club, "Bob", "WITHDRAW spring")
    club.close_ladder("spring")

    found = logged(club)
    assert kinds(club) == [
        *["LadderBegun", *["Entered"] * 5, "Challenged", "Answered", "ChallengeResult", "Moved"],
        *["Challenged", "Answered", "Moved", "Left", "LadderClosed"],
    ]
    assert [one.n for one in found] == [*range(1, len(found) + 1)]
    texts = [one.line for one in found]
    assert [one.head for one in found] == [*contest_log.heads("spring", texts, "LADDER")]
    assert not any(name in text for name in ("Anna", "Bob", "Eva", "Dag") for text in texts)
    result = next(one for one in lines(club) if isinstance(one, ladder_log.ChallengeResultLine))
    assert (result.match, result.ending, result.silent) == (match, "won", ())
    assert lines(club)[9] == ladder_log.MovedLine(n=10, at=result.at, entry=5, place=2)
    assert lines(club)[-1].order == (3, 1, 5, 4)  # type: ignore[union-attr]
    assert faults(club) == []


def test_who_comes_back_has_the_number_of_before(club: MailClub) -> None:
    said(club, "Bob", "WITHDRAW spring")
    told = " ".join(said(club, "Bob", "JOIN spring")["Bob"].split())
    assert order(club) == "ACDEB"
    assert "You are entry 2 in it." in told
    assert logged(club)[-1].head in told
    assert faults(club) == []


def test_emails_tell_the_lines_and_the_newest_head(club: MailClub) -> None:
    code = challenged(club, "Eva", "Bob")
    told = sent_to(club, "Bob")
    assert logged(club)[-1].line in told
    assert logged(club)[-1].head in told
    said(club, "Bob", f"DECLINE {code}")
    for name in ("Bob", "Eva"):
        told = sent_to(club, name)
        assert all(one.line in told for one in logged(club)[-2:])
        assert logged(club)[-1].head in told


def sent_to(club: MailClub, name: str) -> str:
    """Return the text of the last email to a player about the ladder."""
    mine = [raw for _, to, raw in club.way.letters if to == f"{name.lower()}@example.org"]
    texts = [text_of(message_from_bytes(raw, policy=default)) for raw in reversed(mine)]
    return next(text for text in texts if "LADDER|" in text)


def test_a_challenge_of_a_player_who_leaves_ends_in_the_log(club: MailClub) -> None:
    challenged(club, "Eva", "Bob")
    challenged(club, "Bob", "Anna")
    said(club, "Bob", "WITHDRAW spring")
    assert kinds(club)[-3:] == ["Left", "Answered", "Answered"]
    assert {one.answer for one in lines(club)[-2:]} == {"void"}  # type: ignore[union-attr]
    assert faults(club) == []


def test_silence_is_in_the_log_and_what_follows_from_it(club: MailClub) -> None:
    for first, day in (("Dag", 0), ("Eva", 30)):
        match = begun(club, first, "Bob", day=day)
        own = seat_of(club, match, first)
        club.send(own, "SETUP RANDOM", match=match, now=MONDAY + day * DAY)
        for later in range(1, 14):
            sent(club, day=day + later)
    silent = [one for one in lines(club) if isinstance(one, ladder_log.ChallengeResultLine)]
    assert [one.silent for one in silent] == [(2,), (2,)]
    left = next(one for one in lines(club) if isinstance(one, ladder_log.LeftLine))
    assert (left.entry, left.why) == (2, "silence")
    assert faults(club) == []


def test_a_ladder_from_before_goes_on_with_its_order_as_first_line(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    challenged(club, "Dag", "Anna")
    said(club, "Cleo", "WITHDRAW spring")
    begin_without_a_log(club)
    assert faults(club) == []
    assert "Log fingerprint" not in said(club, "Anna", "TABLE spring")["Anna"]

    lost(club, match, "Bob")
    assert order(club) == "AEBD"
    first = lines(club)[0]
    assert isinstance(first, ladder_log.LadderBegunLine)
    assert (first.entries, first.order) == (5, (1, 2, 3, 4))
    assert [one.match for one in first.going] == [match, ""]
    assert entry(club, "Eva") == 4
    assert kinds(club) == ["LadderBegun", "ChallengeResult", "Moved"]
    said(club, "Cleo", "JOIN spring")
    assert lines(club)[-1].entry == 5  # type: ignore[union-attr]
    sent(club, day=8)
    assert order(club) == "DAEBC"
    assert faults(club) == []


def test_what_was_before_the_log_counts_in_it(club: MailClub) -> None:
    lost(club, begun(club, "Eva", "Bob"), "Eva")
    begin_without_a_log(club)
    told = said(club, "Eva", "INVITE Bob TO spring", day=13)["Eva"]
    assert "You and Bob played less than 14 days ago." in told
    assert lines(club)[0].met == ((5, 2, "2026-11-23T12:00:00Z"),)  # type: ignore[union-attr]


def test_a_restore_is_a_line(club: MailClub) -> None:
    with club.store.transaction() as tx:
        begin_epoch(tx, "hjkmn", MONDAY, MONDAY)
    said(club, "Eva", "WITHDRAW spring")
    assert kinds(club)[-2:] == ["Restored", "Left"]
    assert faults(club) == []


def test_the_log_says_nothing_of_who_has_sent(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    before = logged(club)
    club.send("white", "SETUP RANDOM", match=match)
    club.run_tick(MONDAY + timedelta(hours=1))
    assert logged(club) == before


def test_a_cancelled_match_is_void_in_the_log(club: MailClub) -> None:
    match = begun(club, "Eva", "Bob")
    club.cancel(match, reason="Robert is ill")
    sent(club)
    assert lines(club)[-1].ending == "void"  # type: ignore[union-attr]
    assert not any("Robert" in one.line for one in logged(club))
    assert faults(club) == []


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"place":2', '"place":1', "line 10 of the log: by the lines before it, it must be"),
        ('"by":5,"asked":2', '"by":5,"asked":1', "the rules do not allow this challenge"),
        ('"entry":5}', '"entry":7}', "line 6 of the log makes no sense"),
    ],
)
def test_a_changed_line_is_found(club: MailClub, old: str, new: str, why: str) -> None:
    lost(club, begun(club, "Eva", "Bob"), "Bob")
    assert faults(club) == []
    with club.store.transaction() as tx:
        for one in logged(club):
            line = one.line.replace(old, new)
            tx.execute(
                sa.update(tables_club.ladder_log)
                .where(tables_club.ladder_log.c.n == one.n)
                .values(line=line)
            )
    assert any(why in one for one in faults(club))
    assert any("another fingerprint than is stored" in one for one in faults(club))


def test_a_changed_row_is_found(club: MailClub) -> None:
    with club.store.transaction() as tx:
        of_rows.put_in_order(tx, 1, [2, 1, 3, 4, 5])
    assert faults(club) == ["the log says other places or challenges than are stored"]
