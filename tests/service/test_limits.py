"""At each limit: the last value that passes, and the first that does not."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from msgspec import structs

from adjudicator.core.chain import AdjudicatedSheet, DeclaredWord, HolderChange, PlyText
from adjudicator.core.message import say
from adjudicator.service.audit import logged_ply, receipts, timing, told_times
from adjudicator.service.audit.log import offers_after
from adjudicator.service.base import options
from adjudicator.service.competition import rounds
from tests.audits import Document, SaidPaper
from tests.club import DEFAULTS, UNCHOSEN, Session, rfc3339

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
AWAY = SimpleNamespace(leave="auto")  # options by which players may be away


@pytest.mark.parametrize(
    ("early", "differs"),
    [
        (-DAY, False),
        (0 * SECOND, False),
        (SECOND, False),
        (2 * SECOND, True),
        (2 * 3600 * SECOND, True),
    ],
)
def test_a_deadline_is_never_earlier_than_agreed_but_for_the_second_of_a_log(early, differs):
    assert timing._is_other(rfc3339(NOW - early), NOW, AWAY) is differs


@pytest.mark.parametrize(("told", "due"), [("", NOW), (rfc3339(NOW), None)])
def test_a_deadline_that_is_missing_or_not_agreed_differs(told, due):
    assert timing._is_other(told, due, AWAY)
    assert not timing._is_other("", None, AWAY)


@pytest.mark.parametrize(("late", "differs"), [(SECOND, False), (2 * SECOND, True)])
def test_a_deadline_is_later_than_agreed_only_where_nobody_can_be_away(late, differs):
    assert timing._is_other(rfc3339(NOW + late), NOW, SimpleNamespace(leave="none")) is differs
    assert not timing._is_other(rfc3339(NOW + late), NOW, AWAY)


BANK = ("deadline=every 1 day", "bank=2 days", "absence=forfeit", "leave=none")


@pytest.mark.parametrize("late", [0, 600, 7200])
def test_a_reserve_may_differ_by_seconds_alone(late):
    terms = options.terms({**DEFAULTS, **UNCHOSEN, **dict(one.split("=") for one in BANK)})
    sheet = AdjudicatedSheet(seat="white", revision=1, at=rfc3339(NOW + late * SECOND), lines=())
    held = 2 * 86400
    charges = told_times._charges(terms, held, sheet, rfc3339(NOW), sheet.at)
    least, most = (terms.bank.after(held, one, 1) for one in charges)
    assert least <= held - late <= most
    assert not least <= held - late - 600 <= most
    assert not least <= held - late + 600 <= most
    assert most - least <= 4


def entry(ply, *, seats=(), said=(), cause="orders", at=NOW):
    orders = [AdjudicatedSheet(seat=seat, revision=1, at=rfc3339(at), lines=()) for seat in seats]
    words = [DeclaredWord(seat=seat, word=word, at=rfc3339(when)) for seat, word, when in said]
    return PlyText(
        ply=ply, turn=1, at=rfc3339(at), cause=cause, orders=tuple(orders), said=tuple(words)
    )


@pytest.mark.parametrize(("changed", "sleeps"), [(0, True), (2, True), (3, False), (5, False)])
def test_who_takes_over_a_seat_does_not_sleep_as_the_holder_before(changed, sleeps):
    """Ply 5 is asked about, and three orders by default came in plies 2 to 4; with 2 to 5 the seat
    changed hands before that ply."""
    by_default = AdjudicatedSheet(seat="white", revision=0, at=rfc3339(NOW), lines=(), by="default")
    entries = [
        structs.replace(
            entry(ply),
            orders=(by_default,) if 1 < ply < 5 else (),
            holders=(HolderChange(rfc3339(NOW), "white", "person"),) if ply == changed else (),
        )
        for ply in range(1, 6)
    ]
    line = SimpleNamespace(log=SimpleNamespace(entries=entries), entry=entries[-1])
    assert logged_ply._sleeps(line, "white") is sleeps


@pytest.mark.parametrize(
    ("plies", "stands"),
    [
        ([entry(1, said=[("white", "DRAW", NOW)]), entry(2, seats=["white"]), entry(3)], True),
        ([entry(1, said=[("white", "DRAW", NOW)]), entry(2, seats=["black"]), entry(3)], False),
        (
            [entry(1, said=[("white", "DRAW", NOW)]), entry(2, said=[("white", "CLEAR", NOW)])],
            False,
        ),
        ([entry(1), entry(2, said=[("white", "CLEAR", NOW), ("white", "DRAW", NOW)])], True),
        ([entry(1), entry(2, said=[("black", "DRAW", NOW)])], False),
    ],
)
def test_an_offer_of_a_draw_lapses_with_orders_of_another_seat(plies, stands):
    *before, last = plies
    assert ("white" in offers_after(before, last.said, last.holders)) is stands


@pytest.mark.parametrize(
    ("cleared", "drawn_again", "blamed"),
    [
        (NOW - SECOND, None, True),
        (NOW, None, True),
        (NOW + SECOND, None, False),  # it came too late
        (NOW - 2 * SECOND, NOW - SECOND, False),
    ],
)
def test_a_draw_after_a_confirmed_clear_is_found(cleared, drawn_again, blamed):
    drawn = [("white", "DRAW", at) for at in (NOW - DAY, drawn_again) if at]
    paper, last = Document(name="mine", match="m"), entry(1, cause="agreement", said=drawn)
    word = DeclaredWord(seat="white", word="CLEAR", at=rfc3339(cleared))
    mine = SimpleNamespace(
        said=[(paper, SaidPaper("m", 1, word, "", ""))],
        seat="white",
        title=say("White"),
        log=SimpleNamespace(paper=paper, entries=[last]),
    )
    assert bool(list(receipts._unused_words(last, mine))) is blamed


@pytest.mark.parametrize(
    ("before", "count", "withdrawn"),
    [(0, 1, False), (1, 0, False), (1, 1, True), (0, 2, True)],
)
def test_an_entry_is_withdrawn_after_the_second_forfeit_that_counts(
    monkeypatch, before, count, withdrawn
):
    """One whose last report had come back counts as none of the two (club, 7.8)."""
    done = []
    monkeypatch.setattr(rounds.tournaments, "update_entry", lambda *of, **to: done.append(to))
    monkeypatch.setattr(rounds.entering, "withdraw_entry", lambda *of, **how: done.append("gone"))
    one = SimpleNamespace(id=7, status="in", silent_forfeits=before)
    rounds.note_silence(Session(None, NOW, None), SimpleNamespace(entries=[one]), 7, count)
    assert done[0] == {"status": "silent", "silent_forfeits": before + count, "silent_at": NOW}
    assert ("gone" in done) is withdrawn
