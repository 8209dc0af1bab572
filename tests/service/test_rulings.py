"""The game master's tools: each is logged, told to the players, and mends what it should."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from msgspec import structs
from msgspec.json import encode

from adjudicator.core.acts import DeadlineEnded, DeadlineMoved, Effect
from adjudicator.core.message import say
from tests.club import MONDAY, Club, NewMatch, Refusal
from tests.database import open_store, rulings_since, tables
from tests.inside import append_ply, operators_queue

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store):
    return Club(store)


def test_a_held_match_takes_sheets_but_adjudicates_nothing(club):
    club.begin("deadline=every 3 days")
    club.hold("m", reason="The mail is down.")
    assert club.order("white").accepted
    assert club.tick(MONDAY + 9 * DAY) == ["m: the match still waits for you"]
    assert club.report("black")["notices"][0]["text"] == (
        "The game master has put the match on hold. The mail is down."
    )


def test_a_resumed_match_has_the_time_that_was_left(club):
    club.begin("deadline=every 3 days")
    club.hold("m", now=MONDAY + DAY, reason="x")
    club.resume("m", now=MONDAY + 5 * DAY, reason="y", extend=HOUR)
    assert club.loaded().match.deadline_at == MONDAY + 7 * DAY + HOUR


@pytest.mark.parametrize("due", [MONDAY + 9 * DAY + timedelta(microseconds=3), None])
def test_the_deadline_that_a_ruling_tells_is_in_force(club, due):
    """Whoever makes it may have set none, or another: no tick stops at that, and nobody is told
    what is not so."""
    club.begin("deadline=every 3 days")
    told = [DeadlineEnded() if due is None else DeadlineMoved(due)]
    with club.store.transaction() as tx:
        append_ply.log_for_all(tx, club.loaded(), "deadline", told, "", MONDAY)
    assert club.loaded().match.deadline_at == due
    with club.store.reading() as tx:
        (row,) = rulings_since(tx, club.loaded().match.id, 0)
    assert row.due_at == due
    assert [*row.acts] == told
    assert club.report("white").get("deadline") == (due and "2026-12-02T12:00:00Z")


def test_a_ruling_of_before_stands_for_what_it_told(club):
    """Its row has no acts. It is told as it stands, and has the effect that it tells."""
    club.begin("deadline=every 3 days")
    club.extend("m", DAY, reason="Snow.")

    def seen():
        with club.store.reading() as tx:
            (row,) = rulings_since(tx, club.loaded().match.id, 0)
        return row.message, row.effect, club.report("white").get("notices")

    made = seen()
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.ruling).values(acts=None))
    assert seen() == made
    assert made[1].due == MONDAY + 4 * DAY
    with club.store.transaction() as tx:
        tx.execute(sa.update(tables.ruling).values(told=encode(say("It snows.")).decode()))
    message, effect, notices = seen()
    assert (message, effect, str(notices).count("It snows.")) == (say("It snows."), Effect(), 1)


def test_a_match_whose_deadline_has_passed_is_open_again_after_extend(club):
    club.begin("deadline=every 3 days")
    late = MONDAY + 4 * DAY
    club.tick(late)
    club.extend("m", 2 * DAY, now=late)
    loaded = club.loaded()
    assert loaded.match.deadline_at == late + 2 * DAY
    assert loaded.match.trouble is None
    assert club.tick(late + 3 * DAY) == ["m: the deadline has passed; the match waits for you"]


def test_a_match_without_a_deadline_gets_none_from_extend(club):
    """Otherwise `absence=forfeit` would end a match that nobody thought was in a hurry."""
    club.begin("absence=forfeit")
    with pytest.raises(Refusal, match="m has no deadline; there is nothing to extend"):
        club.extend("m", DAY)
    assert club.loaded().match.deadline_at is None


def test_a_replaced_player_gets_the_present_report_and_the_old_one_is_told_nothing_more(club):
    club.begin()
    club.add("Carl")
    club.replace("m", "white", "carl", reason="moved away")
    assert "m/1/white/report/2" in club.letters("report")
    assert club.loaded().holders["white"].player_name == "Carl"
    assert club.loaded().holders["white"].tenure == 2


def test_a_computer_may_take_over(club):
    club.begin()
    club.replace("m", "white", "computer:random")
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for black"]
    assert club.loaded().awaited == ("black",)


def test_forfeit_and_cancel_end_the_match_and_it_stays_ended(club):
    club.begin()
    club.forfeit("m", "white", reason="no answer for a month")
    assert club.report("black")["result"]["reason"] == "forfeit"
    assert "no answer for a month" in club.report("white")["notices"][0]["text"]
    with pytest.raises(Refusal, match="m is over and stays over"):
        club.cancel("m", reason="x")
    assert club.verify("m") == []


def test_adjudicate_does_nothing_at_another_turn(club):
    club.begin("settle=2 days")
    club.tick(MONDAY + 2 * DAY)
    with pytest.raises(Refusal, match="m is at turn 1, not 2"):
        club.adjudicate("m", expect=2)
    club.hold("m", reason="x")
    with pytest.raises(Refusal, match="m is held; nothing was done"):
        club.adjudicate("m", expect=1)


HURRIED = "m: the tick adjudicates turn 0 as soon as all orders are in"


def test_adjudicate_ends_the_waiting_for_settle_and_ready(club):
    club.begin("settle=2 days")
    club.send("white", "NOTREADY")
    assert club.tick(MONDAY + 3 * DAY) == []
    now = MONDAY + 3 * DAY
    assert str(club.adjudicate("m", expect=0, now=now)) == HURRIED
    assert club.loaded().match.ply == 0
    assert club.tick(now) == ["m: adjudicated; turn 1 is waiting for white"]
    assert "The game master has ended the wait" in club.report("black")["notices"][0]["text"]


def test_a_turn_without_a_wait_is_adjudicated_with_its_last_orders(club):
    club.add("Anna", "Bob")
    club.new("settle=2 days")
    club.send("white", "SETUP RANDOM")
    assert str(club.adjudicate("m", expect=0)) == HURRIED
    assert club.tick() == []
    receipt = club.send("black", "SETUP RANDOM", "NOTREADY")
    assert "has ended the wait" in str(receipt.done[0])
    assert club.tick() == ["m: adjudicated; turn 1 is waiting for white"]
    club.order("white")
    assert club.tick() == []  # the next turn has its own wait


def test_a_turn_that_is_taken_back_has_its_wait_again(club):
    club.begin("settle=2 days")
    club.adjudicate("m", expect=0)
    club.tick()
    club.undo("m")
    assert club.tick() == []


def test_it_does_not_wait_again_because_somebody_else_has_resigned(store):
    from tests.service.spionclub import SpionClub

    club = SpionClub(store, None)
    club.context = Club(store).context
    club.begin("mode=rounds", "settle=2 days", players=3)
    club.tick(MONDAY + 2 * DAY)
    turn = club.loaded().match.turn
    club.adjudicate("m", expect=turn)
    club.send(club.loaded().awaited[0], "RESIGN")
    club.tick(MONDAY + 2 * DAY)
    club.all_send(MONDAY + 2 * DAY)
    assert club.tick(MONDAY + 2 * DAY)
    assert club.loaded().match.turn > turn


def leave_black_open(club):
    club.add("Anna", "Bob")
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name="m",
        seats=["white=Anna"],
        options=["deadline=every 3 days"],
        seed=None,
        fresh_seed=bytes(32),
        leave_open=True,
    )
    club.create(wanted)


def test_nobody_wins_a_match_that_has_not_begun(club):
    leave_black_open(club)
    with pytest.raises(Refusal, match="m has not begun; `adjud gm cancel` ends it"):
        club.forfeit("m", "white", reason="x")
    assert str(club.cancel("m", reason="nobody came")) == "m is cancelled"


def test_an_open_seat_is_filled_and_only_then_the_time_counts(club):
    leave_black_open(club)
    assert club.loaded().match.deadline_at is None
    assert club.tick(MONDAY + 9 * DAY) == []
    club.replace("m", "black", "Bob", now=MONDAY + DAY)
    loaded = club.loaded()
    assert (loaded.match.status, loaded.match.deadline_at) == ("playing", MONDAY + 4 * DAY)
    assert loaded.holders["black"].tenure == 1


# A game master who plays: nothing tells him whether his enemy has sent.


SENT = {
    "nothing": [],
    "one sheet": [("white", "SETUP RANDOM")],
    "both sheets": [("white", "SETUP RANDOM"), ("black", "SETUP RANDOM")],
    "not ready": [("white", "SETUP RANDOM"), ("black", "SETUP RANDOM"), ("black", "NOTREADY")],
    "a set-up withdrawn": [("white", "SETUP RANDOM"), ("white", "CLEAR")],
}
ASKED = {
    "adjudicate": lambda club: club.adjudicate("m", expect=0),
    "forfeit": lambda club: club.forfeit("m", "white"),
    "forfeit by": lambda club: club.announce_forfeit("m", "white", DAY),
    "replace": lambda club: club.replace("m", "white", "Carl"),
    "extend": lambda club: club.extend("m", DAY),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_ruling_answers_and_tells_the_same_whatever_was_sent(new_sqlite, asked):
    found = []
    for number, sent in enumerate(SENT.values()):
        twin = Club(open_store(new_sqlite(str(number))))
        twin.add("Anna", "Bob", "Carl")
        twin.new("deadline=every 3 days", "settle=1 day")
        for seat, line in sent:
            twin.send(seat, line)
        answer = ASKED[asked](twin)
        with twin.store.reading() as tx:
            made = rulings_since(tx, twin.loaded().match.id, -1)
        told = [(one.acts, one.told, one.reason) for one in made]
        seen = twin.status("m")
        emails = [operators_queue.what_of(one) for one in twin.queue(())]
        found.append((answer, told, seen, emails))
        twin.store.close()
    assert all(one == found[0] for one in found)


# A forfeit that is announced.


def announce(club, seat="white", duration=DAY, now=MONDAY, **more):
    return str(club.announce_forfeit("m", seat, duration, now=now, **more))


ANNOUNCED = "White forfeits the match if it sends no orders by Tue 24 Nov 2026, 12:00 UTC."


def test_an_announced_forfeit_is_told_to_all_and_carried_out_by_the_tick(club):
    club.begin()
    assert announce(club, zone="Europe/Oslo") == (
        "m: white forfeits if it sends no orders by 2026-11-24 13:00 Europe/Oslo (2026-11-24 "
        "12:00 UTC)"
    )
    for seat in ("white", "black"):
        assert club.report(seat)["notices"][0]["text"] == ANNOUNCED
        assert f"m/1/{seat}/notice/1" in club.letters("notice")
    (seen,) = club.status("m")["matches"]
    assert seen["forfeits"] == {"white": "2026-11-24T12:00:00Z"}
    assert club.tick(MONDAY + DAY - HOUR) == []
    assert club.tick(MONDAY + DAY) == ["m: adjudicated; the match is over"]
    assert club.report("black")["result"] == {
        "winner": "black", "winners": ["black"], "reason": "forfeit"
    }  # fmt: skip


@pytest.mark.parametrize("adjudicated", [True, False])
def test_who_sends_orders_in_time_is_not_forfeited(club, adjudicated):
    club.begin() if adjudicated else club.begin("settle=9 days")
    now = MONDAY if adjudicated else MONDAY + 9 * DAY
    club.tick(now)
    announce(club, now=now)
    club.order("white", now=now)
    club.tick(now)
    assert club.tick(now + DAY) == []
    if not adjudicated:  # nor afterwards, for then he has done what was asked
        club.send("white", "CLEAR", now=now + DAY + HOUR)
    assert club.tick(now + 2 * DAY) == []
    assert club.loaded().match.status == "playing"


def test_orders_that_are_withdrawn_after_that_time_forfeit_nobody(club):
    """This is so whether a tick has come in between or not."""
    club.begin("settle=9 days")
    now = MONDAY + 9 * DAY
    club.tick(now)
    announce(club, now=now)
    club.order("white", now=now)
    club.send("white", "CLEAR", now=now + DAY)
    assert club.tick(now + DAY) == []


def test_orders_that_are_withdrawn_before_are_none(club):
    club.begin("settle=9 days")
    now = MONDAY + 9 * DAY
    club.tick(now)
    announce(club, now=now)
    club.order("white", now=now)
    club.send("white", "CLEAR", now=now + HOUR)
    assert club.tick(now + DAY) == ["m: adjudicated; the match is over"]


def test_what_was_announced_for_one_turn_is_not_of_the_next(club):
    club.begin()
    announce(club)
    club.order("white")
    club.tick()
    club.order("black", now=MONDAY + DAY - HOUR)
    club.tick(MONDAY + DAY - HOUR)
    assert club.loaded().awaited == ("white",)
    assert club.tick(MONDAY + DAY) == []


def test_a_new_announcement_takes_the_place_of_the_old_one(club):
    club.begin()
    announce(club)
    announce(club, duration=3 * DAY)
    assert club.tick(MONDAY + 2 * DAY) == []
    assert club.tick(MONDAY + 3 * DAY) == ["m: adjudicated; the match is over"]


def test_more_time_for_the_turn_is_more_time_for_who_would_be_forfeited(club):
    club.begin("deadline=every 2 days")
    announce(club)
    club.extend("m", DAY)
    assert club.report("white")["notices"][-1]["text"] == (
        "The deadline is now Thu 26 Nov 2026, 12:00 UTC. White forfeits the match if it sends no "
        "orders by Thu 26 Nov 2026, 12:00 UTC."
    )
    club.tick(MONDAY + 2 * DAY)
    assert club.loaded().match.status == "playing"


def test_a_match_that_was_held_has_the_time_left_for_it(club):
    club.begin()
    announce(club)
    club.hold("m", now=MONDAY + HOUR, reason="x")
    assert club.tick(MONDAY + 5 * DAY) == ["m: the match still waits for you"]
    late = MONDAY + 5 * DAY
    club.resume("m", now=late, reason="y", extend=timedelta())
    assert club.tick(late + 22 * HOUR) == []
    assert club.tick(late + 23 * HOUR) == ["m: adjudicated; the match is over"]


def test_his_successor_is_not_forfeited_for_it(club):
    club.begin()
    club.add("Carl")
    announce(club)
    club.replace("m", "white", "Carl")
    assert club.tick(MONDAY + 2 * DAY) == []


def test_nor_anybody_for_a_turn_that_was_taken_back(club):
    club.begin()
    announce(club)
    club.undo("m")
    club.tick(MONDAY + 2 * DAY)
    assert club.loaded().match.status == "playing"


def test_who_is_played_by_the_rules_is_silent_all_the_same(store):
    """Spion's defaults are not orders of his own."""
    from tests.service.spionclub import SpionClub

    club = SpionClub(store, None)
    club.context = Club(store).context
    club.begin("deadline=every 1 days", "mode=rounds", "absence=forfeit", players=3)
    announce(club, "blue", 3 * DAY)
    for day in range(1, 4):
        club.all_send(MONDAY + day * DAY - HOUR, but=["blue"])
        club.tick(MONDAY + day * DAY)
        club.tick(MONDAY + day * DAY + HOUR)
    assert club.loaded().gone == {"blue"}


@pytest.mark.parametrize(
    ("seat", "told"),
    [("black", "it's not black's turn"), ("white", "by when\\? write a duration")],
)
def test_only_who_is_awaited_can_be_silent(club, seat, told):
    club.begin()
    with pytest.raises(Refusal, match=told):
        announce(club, seat, DAY if seat == "black" else timedelta())


def test_a_computer_is_never_silent(club):
    club.add("Bob")
    club.new(white="computer")
    with pytest.raises(Refusal, match="white is a computer, which never misses a turn"):
        announce(club)


def test_it_is_not_carried_out_where_emails_may_have_been_kept_from_us(club):
    club.context = structs.replace(club.context, max_gap=DAY / 2)
    club.begin()
    announce(club)
    club.tick()
    late = MONDAY + 2 * DAY
    (held,) = club.tick(late)
    assert "the match is on hold" in held
    club.resume("m", now=late, reason="y", extend=DAY)
    assert club.tick(late) == []
    assert club.loaded().match.status == "playing"
