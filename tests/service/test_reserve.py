"""A match with a reserve of time (club, 5): what is charged, when silence has consequences, and who
is told what."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from msgspec import structs
from msgspec.json import encode

from tests.club import MONDAY, Changes, Club, Refusal, Store, announce_absence
from tests.database import days_away, player_named, spend_day, update_match, update_seats
from tests.service.mailclub import MailClub, said
from tests.service.spionclub import SpionClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OSLO = ZoneInfo("Europe/Oslo")


def oslo(*parts: int) -> datetime:
    return datetime(*parts, tzinfo=OSLO).astimezone(UTC)


THURSDAY = oslo(2026, 11, 26, 12)
WORKED = ("deadline=every 1 day", "timezone=Europe/Oslo")
BANK = "bank=10 days + 1 day max 10 days"
FORFEIT = "absence=forfeit"
SKIP = "skip=Sat,Sun"


@pytest.fixture
def club(store: Store) -> Club:
    return Club(store)


def holds(club: Club, seat: str, hours: int) -> None:
    """Let a seat's bank hold so much, as if it had drawn the rest."""
    with club.store.transaction() as tx:
        update_seats(tx, club.loaded().match.id, [seat], bank=hours * 3600)


def balances(club: Club) -> list[int | None]:
    holders = club.loaded().holders
    return [holders[seat].bank for seat in ("white", "black")]


@pytest.mark.parametrize(("skip", "left"), [((SKIP,), 853200), ((), 680400)])
def test_what_ran_after_the_deadline_is_charged_with_the_ply(club, skip, left):
    club.begin(*WORKED, BANK, *skip, now=THURSDAY)
    assert club.loaded().match.deadline_at == oslo(2026, 11, 27, 12)
    assert club.report("white")["bank"] == {"white": 864000, "black": 864000}
    came = oslo(2026, 11, 30, 15)
    club.tick(oslo(2026, 11, 27, 12))
    assert club.order("white", now=came).accepted
    assert balances(club) == [864000, 864000]  # nothing before the ply
    club.tick(came)
    told = club.report("black", now=came)
    assert told["bank"] == {"white": left, "black": 864000}
    assert balances(club) == [left, 864000]
    assert club.verify("m") == []


@pytest.mark.parametrize(
    ("opens", "came", "charged"),
    [
        (oslo(2027, 3, 26, 12), oslo(2027, 3, 29, 12), 47),
        (oslo(2027, 10, 29, 12), oslo(2027, 11, 1, 12), 49),
    ],
)
def test_a_charge_over_a_change_of_the_clocks(club, opens, came, charged):
    club.begin(*WORKED, "bank=20 days", now=opens)
    club.tick(came - DAY)
    club.order("white", now=came)
    club.tick(came)
    assert balances(club)[0] == (20 * 24 - charged) * 3600


def test_nothing_is_done_to_anybody_before_the_last_silent_seats_time_is_over(club):
    club.add("Anna", "Bob")
    club.new(*WORKED, "bank=10 hours", FORFEIT, now=THURSDAY)
    due = THURSDAY + DAY
    assert "reserves are running" in str(club.tick(due))
    assert club.tick(due + 10 * HOUR - timedelta(seconds=1)) == []
    # White sends when half of the time is over, and black nothing.
    club.send("white", "SETUP RANDOM", now=due + 5 * HOUR)
    assert club.tick(due + 10 * HOUR - timedelta(seconds=1)) == []
    assert "over" in str(club.tick(due + 10 * HOUR))
    assert club.report("black")["result"]["winner"] == "white"


def test_a_seat_whose_own_time_is_over_may_send_until_the_other_ones_is(club):
    club.add("Anna", "Bob")
    club.new(*WORKED, "bank=10 hours", FORFEIT, now=THURSDAY)
    holds(club, "white", 1)
    due = THURSDAY + DAY
    club.tick(due)
    assert club.tick(due + 2 * HOUR) == []
    assert club.send("white", "SETUP RANDOM", now=due + 5 * HOUR).accepted
    club.send("black", "SETUP RANDOM", now=due + 6 * HOUR)
    assert club.tick(due + 6 * HOUR) == ["m: adjudicated; turn 1 is waiting for white"]
    assert balances(club) == [0, 4 * 3600]


def test_in_a_set_up_both_are_charged_for_themselves(club):
    club.add("Anna", "Bob")
    club.new(*WORKED, "bank=10 hours + 2 hours / 2", FORFEIT, now=THURSDAY)
    due = THURSDAY + DAY
    club.send("white", "SETUP RANDOM", now=due)
    club.tick(due)
    club.send("black", "SETUP RANDOM", now=due + 90 * timedelta(minutes=1))
    club.tick(due + 2 * HOUR)
    assert balances(club) == [36000, 36000 - 5400]
    club.order("white", now=due + 3 * HOUR)
    club.tick(due + 3 * HOUR)
    assert balances(club) == [36000 + 7200, 36000 - 5400]  # the second turn of White


def test_an_undo_gives_a_charge_back_and_another_ply_charges_anew(club):
    club.begin(*WORKED, BANK, now=THURSDAY)
    came = THURSDAY + DAY + 30 * HOUR
    club.tick(THURSDAY + DAY)
    club.order("white", now=came)
    club.tick(came)
    assert balances(club)[0] == (240 - 30 + 24) * 3600
    club.undo("m", reason="x", now=came)
    assert balances(club) == [864000, 864000]
    club.tick(came)  # the deadline is a new one, so the same orders are in time
    assert balances(club) == [864000, 864000]
    assert club.verify("m") == []


def test_time_that_a_game_master_gives_is_not_charged(club):
    club.begin(*WORKED, BANK, now=THURSDAY)
    late = THURSDAY + DAY + 30 * HOUR
    club.tick(late)
    club.extend("m", HOUR, reason="x", now=late)
    club.order("white", now=late + 2 * HOUR)
    club.tick(late + 2 * HOUR)
    assert balances(club)[0] == 864000  # 1 hour was drawn, and a day came in


def test_time_on_hold_is_not_charged(club):
    club.begin(*WORKED, "bank=10 days", now=THURSDAY)
    due = THURSDAY + DAY
    club.tick(due + HOUR)
    club.hold("m", reason="x", now=due + HOUR)
    club.order("white", now=due + 9 * HOUR)
    club.resume("m", reason="x", extend=timedelta(0), now=due + 20 * HOUR)
    club.tick(due + 20 * HOUR)
    assert balances(club)[0] == 864000


def test_a_seats_new_holder_has_at_least_half_of_the_start(club):
    club.begin(*WORKED, "bank=10 days", now=THURSDAY)
    club.add("Cleo")
    late = THURSDAY + DAY + 8 * DAY
    club.tick(late - DAY)
    club.order("white", now=late)
    club.tick(late)
    assert balances(club)[0] == 2 * 86400
    club.replace("m", "white", "Cleo", reason="x", now=late)
    assert balances(club) == [5 * 86400, 864000]
    club.order("black", now=late)
    club.tick(late)
    assert club.report("white", now=late)["bank"] == {"white": 432000, "black": 864000}
    assert club.verify("m") == []


def test_under_gm_the_operator_hears_of_it_when_the_reserve_is_used_up(club):
    club.begin(*WORKED, "bank=10 hours", now=THURSDAY)
    due = THURSDAY + DAY
    club.tick(due)
    assert club.tick(due + 9 * HOUR) == []
    assert club.tick(due + 10 * HOUR) == ["m: the deadline has passed; the match waits for you"]
    assert club.loaded().match.alerted_at == due + 10 * HOUR
    assert club.tick(due + 10 * HOUR + DAY) == ["m: the match still waits for you"]
    assert club.late(DAY, now=due + 10 * HOUR)[0]["alerted"]
    # Without a sheet all of it is gone, but only once orders are adjudicated.
    club.order("white", now=due + 40 * HOUR)
    club.tick(due + 40 * HOUR)
    assert balances(club) == [0, 36000]


def test_a_bank_that_comes_later_begins_with_its_start(club):
    club.begin("deadline=every 1 day", now=MONDAY)

    def change(*options):
        return str(club.change_options("m", options))

    assert balances(club) == [None, None]
    with pytest.raises(Refusal, match="grace cannot be given with bank"):
        change("bank=2 days", "grace=1 hour")
    assert change("bank=2d + 1h") == "m: bank is now 2 days + 1 hour"
    assert balances(club) == [172800, 172800]
    club.order("white")
    club.tick()
    assert balances(club) == [172800 + 3600, 172800]
    assert change("bank=9 days") == "m: bank is now 9 days"
    assert balances(club) == [172800 + 3600, 172800]
    with pytest.raises(Refusal, match="the deadline of m has passed, and bank would cost"):
        club.change_options("m", ["bank=1 day"], now=MONDAY + 2 * DAY)
    assert change("bank=none") == "m: bank is now none"
    assert balances(club) == [None, None]
    assert club.verify("m") == []


def test_a_reserve_that_comes_when_the_game_master_is_waited_for_gives_time(club):
    club.begin("deadline=every 1 day", now=MONDAY)
    late = MONDAY + 2 * DAY
    assert "waits for you" in str(club.tick(late))
    club.change_options("m", ["bank=3 days"], now=late)
    assert "reserves are running" in str(club.tick(late))
    assert club.tick(MONDAY + 4 * DAY - HOUR) == []
    assert "waits for you" in str(club.tick(MONDAY + 4 * DAY))


def test_who_is_silent_in_a_set_up_that_the_rules_provide_for_gets_no_day(store, tmp_path):
    spion = SpionClub(store, tmp_path / "spool")
    spion.open("deadline=every 1 day", "bank=10 hours", "leave=auto", older=True)
    assert "reserves are running" in str(spion.tick(MONDAY + DAY))
    assert spion.tick(MONDAY + DAY + 9 * HOUR) == []
    assert spion.loaded().match.turn == 0
    told = str(spion.tick(MONDAY + DAY + 10 * HOUR))
    assert "default orders were given" in told
    assert spion.loaded().match.turn == 1
    assert [one.bank for one in spion.loaded().holders.values()] == [0, 0]
    assert days(spion, "Anna") == []


# By mail: what players are told.


@pytest.fixture
def mail(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def to(emails, name):
    return [email for email in emails if f"<{name}@" in str(email["To"])]


def test_a_report_tells_all_balances_and_its_reader_his_own_time(mail):
    mail.new(*WORKED, SKIP, BANK, FORFEIT, now=THURSDAY)
    first = mail.run_tick(THURSDAY)
    for name in ("anna", "bob"):
        (email,) = to(first, name)
        assert (
            "Deadline: Fri 27 Nov 2026, 11:00 UTC With your reserve, you have until Fri 11 Dec "
            "2026, 11:00 UTC. Reserve: White 10 d, Black 10 d" in said(email)
        )
    mail.send("white", "SETUP RANDOM", now=THURSDAY)
    mail.send("black", "SETUP RANDOM", now=THURSDAY)
    mail.run_tick(THURSDAY)
    came = oslo(2026, 11, 30, 15)
    emails = mail.run_tick(THURSDAY + DAY)
    assert not to(emails, "bob")
    mail.order("white", now=came)
    (email,) = to(mail.run_tick(came), "bob")
    told = said(email)
    assert "Reserve: White 9 d 21 h, Black 10 d" in told
    assert "With your reserve, you have until Tue 15 Dec 2026, 14:00 UTC." in told


def test_a_second_reminder_comes_when_half_of_the_reserve_is_drawn(mail):
    mail.new(*WORKED, "bank=10 hours", FORFEIT, now=THURSDAY)
    mail.run_tick(THURSDAY)
    due = THURSDAY + DAY
    mail.run_tick(due - 4 * HOUR)
    assert len(mail.run_tick(due)) == 0
    mail.send("white", "SETUP RANDOM", now=due + HOUR)
    assert len(mail.run_tick(due + 4 * HOUR)) == 0
    (email,) = mail.run_tick(due + 5 * HOUR)
    assert "<bob@" in email["To"]
    assert said(email).startswith(
        "Your orders for turn 0 were due Fri 27 Nov 2026, 11:00 UTC, and half of your reserve is "
        "used. With your reserve, you have until Fri 27 Nov 2026, 21:00 UTC. If you send none by "
        "Fri 27 Nov 2026, 21:00 UTC, you forfeit the match. If nobody sends any, the match is "
        "cancelled."
    )
    rows = [row for row in mail.emails_out() if row.kind == "reminder"]
    assert [(row.key, row.status) for row in rows[2:]] == [
        ("m/1/white/reminder/2", "dropped"),
        ("m/1/black/reminder/2", "sent"),
    ]


def test_a_second_reminder_of_a_deadline_that_was_moved_does_not_go(mail):
    mail.new(*WORKED, "bank=10 hours", now=THURSDAY)
    mail.run_tick(THURSDAY)
    due = THURSDAY + DAY
    mail.run_tick(due)
    mail.extend("m", 3 * DAY, reason="x", now=due)
    emails = mail.run_tick(due + 6 * HOUR)
    assert not [one for one in emails if "half of your reserve" in said(one)]


def test_who_wants_one_email_a_day_is_reminded_of_the_reserve_in_it(mail):
    wanted = Changes(reminders="daily")
    mail.change("Bob", wanted, now=THURSDAY, sends_mail=True)
    mail.new(*WORKED, "bank=4 days", now=THURSDAY)
    mail.run_tick(THURSDAY)
    due = THURSDAY + DAY
    mail.run_tick(due - 4 * HOUR)
    mail.send("white", "SETUP RANDOM", now=due)
    assert not to(mail.run_tick(due), "bob")
    assert not to(mail.run_tick(due + 2 * DAY - HOUR), "bob")
    (email,) = to(mail.run_tick(due + 2 * DAY), "bob")
    assert (
        "m, turn 0, Black: due Fri 27 Nov 2026, 11:00 UTC With your reserve, you have until "
        in (said(email))
    )


# Days of absence for who is silent.


def leave(club, budget):
    club.context = structs.replace(club.context, absence_days=budget)


def days(club, name):
    with club.store.reading() as tx:
        player = player_named(tx, name)
        return [(str(one.first), one.auto) for one in days_away(tx, [player.id])]


def test_a_silent_player_is_given_days_and_two_matches_spend_each_day_once(mail):
    leave(mail, 2)
    tuesday = datetime(2026, 11, 24, 12, tzinfo=UTC)
    options = ("deadline=every 1 day", "leave=auto", FORFEIT, "reminders=off")
    for name, hours in (("m", 0), ("n", 6)):
        mail.new(*options, now=tuesday - DAY + hours * HOUR, name=name)
        at = tuesday - DAY + hours * HOUR
        mail.run_tick(at)
        mail.send("white", "SETUP RANDOM", now=at, match=name)
    told, emails = [], []
    at = tuesday - HOUR
    while at < datetime(2026, 11, 26, tzinfo=UTC) - HOUR:
        at += HOUR
        emails += [(at, one) for one in mail.run_tick(at)]
        told += mail.told
    assert days(mail, "Bob") == [("2026-11-24", True), ("2026-11-25", True)]
    assert days(mail, "Anna") == []
    assert [(str(at)[5:16], str(one["To"]), str(one["Subject"])) for at, one in emails] == [
        ("11-24 12:00", "bob@example.org", "A day of absence was used: 2026-11-24"),
    ]
    assert said(emails[0][1]).startswith(
        "Your time for m ran out, and you had sent no orders. So 2026-11-24 was used as one of "
        "your days of absence, and your time stops on that day. Please send your orders as soon "
        "as you can. Days of absence left in 2026: 1. If none come, the next days are used in the"
        " same way, without another email. In one match this is done on 5 days at most."
    )
    assert not any("absence" in line for line in told)
    mail.run_tick(datetime(2026, 11, 26, tzinfo=UTC))
    assert {mail.loaded(name).match.status for name in ("m", "n")} == {"over"}


def test_days_that_were_given_move_no_deadline_and_count_in_the_budget(mail):
    leave(mail, 3)
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT, name="m")
    mail.run_tick()
    mail.send("white", "SETUP RANDOM")
    mail.run_tick(MONDAY + DAY)
    assert days(mail, "Bob") == [("2026-11-24", True)]
    mail.new("deadline=every 6 hours", name="n", now=MONDAY + DAY)
    assert mail.loaded("n").match.deadline_at == MONDAY + DAY + 6 * HOUR
    mail.context = structs.replace(mail.context, absence_days=3)
    with mail.opened_at(MONDAY + DAY).session() as s:
        bob = player_named(s.tx, "Bob").id
        first, last = date(2026, 12, 1), date(2026, 12, 3)
        with pytest.raises(
            Refusal, match="3 days of absence in 2026 are too many: 2 of 3 are left"
        ):
            announce_absence(s, bob, first, last, own=True)
        # The operator, who may play, learns nothing of them.
        told = announce_absence(s, bob, first, last)
    assert "left: 0 (2026)" in str(told)


def test_a_tick_that_doubts_the_clock_spends_no_day(mail):
    mail.context = structs.replace(mail.context, max_gap=2 * HOUR)
    mail.new("deadline=every 1 day", "leave=auto", "bank=10 hours", FORFEIT)
    mail.run_tick()
    holds(mail, "white", 0)
    # White's own time is over, and Black's is not, so the valve holds nothing.
    back = MONDAY + DAY + HOUR
    for after in (0 * HOUR, HOUR / 2, 2 * HOUR):
        mail.run_tick(back + after)
        assert days(mail, "Anna") == []
    mail.run_tick(back + 2 * HOUR + HOUR / 2, sure=True)
    assert days(mail, "Anna") == [("2026-11-24", True)]
    assert mail.loaded().match.status == "playing"


def test_with_leave_none_an_absence_moves_no_deadline_and_stops_no_reserve(club):
    club.add("Anna", "Bob")
    with club.opened_at(THURSDAY).session() as s:
        anna = player_named(s.tx, "Anna").id
        absent = date(2026, 11, 27), date(2026, 11, 28)
        announce_absence(s, anna, *absent)
    for name, leave_, due, drawn in (("m", "none", DAY, 30), ("n", "announced", 3 * DAY, 0)):
        club.new(*WORKED, "bank=10 days", f"leave={leave_}", now=THURSDAY, name=name)
        assert club.loaded(name).match.deadline_at == THURSDAY + due
        came = THURSDAY + DAY + 30 * HOUR
        club.tick(came - HOUR)
        club.send("white", "SETUP RANDOM", now=came, match=name)
        club.send("black", "SETUP RANDOM", now=came, match=name)
        club.tick(came)
        assert club.loaded(name).holders["white"].bank == 864000 - drawn * 3600


def test_the_valve_counts_by_the_last_time_and_not_by_the_deadline(club):
    club.context = structs.replace(club.context, max_silent=1)
    club.add("Anna", "Bob")
    club.new(*WORKED, "bank=10 hours", FORFEIT, now=THURSDAY)
    due = THURSDAY + DAY
    assert "reserves are running" in str(club.tick(due))
    assert club.tick(due + 9 * HOUR) == []
    assert "on hold" in str(club.tick(due + 10 * HOUR))


def test_a_person_may_know_of_his_own_days_but_not_the_operator(mail):
    leave(mail, 3)
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT)
    mail.run_tick()
    mail.run_tick(MONDAY + DAY)
    assert mail.profile("Bob", now=MONDAY + DAY)["absences"] == []
    kept = mail.export_player("Bob", now=MONDAY + DAY, noting=False)
    assert kept["absences"] == []
    assert "A day of absence" not in str(kept)
    discreet = mail.emails_out(discreet=True)
    assert not [one for one in discreet if one.kind == "leave"]


# A silent player holds nothing up for long (club, 5.3).


def silence(mail, options, days_):
    """Play a match in which Bob is silent; return the days he was given, the number of emails about
    them, and on which day after the deadline the match was over."""
    leave(mail, 30)
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT, "reminders=off", *options)
    mail.run_tick()
    mail.send("white", "SETUP RANDOM")
    emails, over = [], None
    for day in range(1, days_):
        emails += [one for one in mail.run_tick(MONDAY + day * DAY) if one["X-Adjud"] == "leave"]
        if over is None and mail.loaded().match.status == "over":
            over = day - 1
    return len(days(mail, "Bob")), len(emails), over


@pytest.mark.parametrize(
    ("options", "given", "over"),
    [
        ((), 5, 5),
        (("leave_days=2",), 2, 2),
        (("leave_days=0",), 0, 0),
        (("leave_days=none",), 30, 30),
    ],
)
def test_a_match_stops_for_few_days_of_silence_and_tells_once(mail, options, given, over):
    """The deadline is at noon, and its own day is the first that is given."""
    assert silence(mail, options, 40) == (given, min(given, 1), over)


def test_a_match_from_before_has_no_such_end(mail):
    leave(mail, 12)
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT)
    with mail.store.transaction() as tx:
        before = dict(mail.loaded().match.options)
        del before["leave_days"]
        update_match(tx, 1, options=encode(before).decode())
    mail.run_tick()
    mail.send("white", "SETUP RANDOM")
    for day in range(1, 20):
        mail.run_tick(MONDAY + day * DAY)
    assert len(days(mail, "Bob")) == 12


def test_days_of_another_match_count_for_the_end_and_not_for_a_later_silence(mail):
    """Days that an old match spends without end stop a new one for five days alone."""
    leave(mail, 30)
    mail.new("deadline=every 1 day", "leave=auto", "leave_days=none", FORFEIT, name="old")
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT, name="new")
    for name in ("old", "new"):
        mail.send("white", "SETUP RANDOM", match=name)
    for day in range(1, 10):
        mail.run_tick(MONDAY + day * DAY)
    assert mail.loaded("new").match.status == "over"
    assert mail.loaded("old").match.status == "playing"


def silent_until_tuesday(mail, before, *options):
    """Let Bob be silent at the first deadline, who was given a day so many days before that; return
    the emails about days of absence."""
    leave(mail, 30)
    mail.new("deadline=every 1 day", "leave=auto", FORFEIT, "reminders=off", *options)
    mail.run_tick()
    mail.send("white", "SETUP RANDOM")
    tuesday = MONDAY + DAY
    with mail.store.transaction() as tx:
        earlier = (tuesday - before * DAY).date()
        spend_day(tx, player_named(tx, "Bob").id, earlier, tuesday - before * DAY)
    return [one for one in mail.run_tick(tuesday) if one["X-Adjud"] == "leave"]


@pytest.mark.parametrize(("before", "emails"), [(7, 0), (8, 1)])
def test_a_day_within_a_week_is_of_the_same_silence(mail, before, emails):
    assert len(silent_until_tuesday(mail, before)) == emails
    assert len(days(mail, "Bob")) == 2


@pytest.mark.parametrize(("before", "given"), [(1, 1), (2, 2)])
def test_the_day_on_which_a_match_opens_is_the_first_that_counts_in_it(mail, before, given):
    silent_until_tuesday(mail, before, "leave_days=1")
    assert len(days(mail, "Bob")) == given


def test_what_leave_days_can_be(mail):
    mail.new("deadline=every 1 day", "leave_days=366", name="long")
    assert "leave_days" not in mail.loaded(mail.new("deadline=every 1 day", name="n")).match.options
    for wrong in ("-1", "367", "few"):
        with pytest.raises(Refusal, match="leave_days must be a whole number from 0 to 366"):
            mail.new("deadline=every 1 day", f"leave_days={wrong}")
