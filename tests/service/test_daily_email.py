"""PREFS LETTERS DAILY: what can wait comes as one email a day (club, 4.3 and 4.4)."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.json import encode
from msgspec.structs import replace

from adjudicator.mail.transport.errors import Permanent, Temporary, Unreachable
from tests import values
from tests.club import MONDAY, Changes, Refusal, shown_id, which_email
from tests.database import open_store
from tests.inside import erasure
from tests.inside import outbound_daily as daily_email
from tests.nightly import NIGHTLY
from tests.service.mailclub import MailClub, said, text_of, value_in
from tests.service.spionclub import SpionClub, duel

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
SEVEN = datetime(2026, 11, 24, 7, tzinfo=UTC)  # the first 07:00 after MONDAY
WEEK = "deadline=every 7 days"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    wants(club, "Anna", letters="daily")
    return club


def wants(club, name, now=MONDAY, **choices):
    club.change(name, Changes(**choices), now=now, sends_mail=True)


def to(emails, name="anna"):
    return [one for one in emails if f"{name}@" in str(one["To"])]


def kinds(emails, name="anna"):
    return [str(one["X-Adjud"]) for one in to(emails, name)]


def html_of(email):
    return email.get_body(("html",)).get_content()


def rows(club):
    """Return kind, status and carrier of every email, by its key."""
    with club.store.reading() as tx:
        found = tx.exec_driver_sql("SELECT key, kind, status, carrier_id FROM outbox ORDER BY id")
        return {row.key: row for row in found}


def statuses(club, kind):
    return {key: row.status for key, row in rows(club).items() if row.kind == kind}


def begin(club, *names, options=(WEEK,)):
    """Open matches with set-ups of both seats in and the first turns played; only Bob has had
    emails."""
    for name in names:
        club.new(*options, name=name)
        club.send("white", "SETUP RANDOM", match=name)
        club.send("black", "SETUP RANDOM", match=name)
    return club.run_tick()


def bounce(club, at):
    """Let the last email to Anna come back."""
    sender = next(one[0] for one in reversed(club.way.letters) if "anna@" in one[1])
    body = (
        "From: MAILER-DAEMON@example.org\r\nTo: x\r\nSubject: failed\r\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
        "--b\r\nContent-Type: text/plain\r\n\r\nno\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\n"
        "Reporting-MTA: dns; x\r\n\r\nFinal-Recipient: rfc822; anna@example.org\r\n"
        "Action: failed\r\nStatus: 5.1.1\r\n\r\n--b--\r\n"
    )
    club.post(body.encode(), sender, at=at)


# When it goes.


def test_reports_wait_and_go_as_one_email_at_seven(club):
    sent = begin(club, "one", "two")
    assert kinds(sent) == []
    assert kinds(sent, "bob") == ["report", "report"]
    assert kinds(club.run_tick(SEVEN - timedelta(minutes=1))) == []
    (email,) = to(club.run_tick(SEVEN))
    assert email["X-Adjud"] == "daily"
    assert email["Reply-To"] == club.own("Anna")
    assert email["Subject"] == "[adjud] It's your turn in 2 matches, the first due Mon 30 Nov 12:00"
    assert statuses(club, "daily") == {"daily/1/2026-11-24": "sent"}
    assert statuses(club, "report")["one/1/white/report"] == "sent"
    assert kinds(club.run_tick(SEVEN + HOUR)) == []
    assert kinds(club.run_tick(SEVEN + DAY)) == []


def test_the_first_reports_of_all_matches_stand_in_one_email(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    assert kinds(club.run_tick()) == []
    (email,) = to(club.run_tick(SEVEN))
    told = text_of(email)
    assert told.splitlines()[:2] == [
        "Your matches on Tue 24 Nov 2026",
        "===============================",
    ]
    assert re.findall(r"^ORDERS (\w+) white turn 0", told, re.M) == ["one", "two"]
    assert "For all your matches at once" not in told  # its answers go there anyway
    broken = [line for line in told.splitlines() if " " in line.strip()]
    assert [line for line in broken if len(line) > 70] == []
    assert html_of(email).count("<table aria-label") == 2
    (file,) = [part.get_filename() for part in email.iter_attachments()]
    assert file == "daily-2026-11-24.adjud.json"
    assert said(email).count(f"Keep the attached {file}: adjud audit checks the match") == 2
    assert not re.search("[0-9a-f]{64}", told)  # the file has all digits


def test_it_goes_at_seven_where_the_player_lives_over_a_change_of_the_clocks(club):
    wants(club, "Anna", zone="Europe/Oslo")
    before = datetime(2027, 3, 27, 12, tzinfo=UTC)  # the clocks are moved on the next night
    club.new("deadline=every 9 days", now=before)
    assert kinds(club.run_tick(before)) == []
    assert kinds(club.run_tick(datetime(2027, 3, 28, 4, 59, tzinfo=UTC))) == []
    assert kinds(club.run_tick(datetime(2027, 3, 28, 5, 0, tzinfo=UTC))) == ["daily"]


@pytest.mark.parametrize("how", ["by email", "by command"])
@pytest.mark.parametrize("moved", [1, 11])
def test_a_reader_who_moves_east_gets_it_on_the_next_morning_there(club, how, moved):
    """In Tokyo it is 07:00 ten hours after the match began; the reader may move after that."""
    begin(club, "one")
    at = MONDAY + moved * HOUR
    if how == "by email":
        club.say("Anna", "ZONE Asia/Tokyo", at=at)
    else:
        wants(club, "Anna", zone="Asia/Tokyo", now=at)
    emails = [*club.run_tick(at), *club.run_tick(max(at, MONDAY + 10 * HOUR))]
    assert kinds(emails).count("daily") == 1
    assert kinds(club.run_tick(SEVEN)) == []


def test_after_an_outage_it_goes_at_once(club):
    club.new(WEEK)
    club.tick()
    assert kinds(club.run_tick(MONDAY + HOUR)) == []
    assert kinds(club.run_tick(SEVEN + 8 * HOUR)) == ["daily"]


@pytest.mark.parametrize(
    "option", ["deadline=every 1 day", "deadline=every 47 hours", "deadline=Mon,Tue,Sat 09:00"]
)
def test_reports_of_quick_matches_go_at_once(club, option):
    club.new(option)
    assert kinds(club.run_tick()) == ["report"]


def test_a_report_whose_time_ends_within_a_day_after_seven_goes_at_once(club):
    late = datetime(2026, 11, 23, 6, 30, tzinfo=UTC)
    club.new("deadline=every 2 days", name="today", now=late)  # until Wednesday 06:30
    assert kinds(club.run_tick(late)) == []  # 07:00 today is enough
    evening = datetime(2026, 11, 23, 20, tzinfo=UTC)
    club.new("deadline=Wed,Sat 07:00", name="soon", now=evening)
    club.new("deadline=Wed,Sat 07:01", name="later", now=evening)
    emails = to(club.run_tick(evening))
    assert [str(one["Subject"]).split("]")[0] for one in emails if one["X-Adjud"] == "report"] == [
        "[soon"
    ]


def test_own_time_with_a_reserve_is_what_decides(club):
    evening = datetime(2026, 11, 23, 20, tzinfo=UTC)
    club.new("deadline=Wed,Sat 06:00", "bank=5 days", name="banked", now=evening)
    assert kinds(club.run_tick(evening)) == []


def test_receipts_and_refusals_go_at_once(club):
    begin(club, "one")
    club.write("white", "ORDERS one", "nonsense", "END", to=club.address("white", "one"))
    assert kinds(club.run_tick(MONDAY + HOUR)) == ["refusal"]


def test_a_moved_deadline_lets_a_report_go_at_once(club):
    club.new(WEEK)
    assert kinds(club.run_tick()) == []
    soon = MONDAY + 30 * HOUR
    club.set_deadline(
        "m", f"{soon:%Y-%m-%d %H:%M}", reason="we must end", sure=True, now=MONDAY + HOUR
    )
    assert "report" in kinds(club.run_tick(MONDAY + HOUR))


def test_what_can_count_against_a_reader_goes_at_once_though_a_report_that_waits_tells_it(club):
    """An undo, before the tick that plays the turn again."""
    begin(club, "m")
    for seat, lines in (("white", ["b3-b4"]), ("black", ["b6-b5"])):
        club.send(seat, *lines, now=MONDAY + HOUR)
        club.run_tick(MONDAY + HOUR)
    club.undo("m", reason="x", now=MONDAY + 2 * HOUR)
    club.send("black", "c6-c5", now=MONDAY + 2 * HOUR)
    told = to(club.run_tick(MONDAY + 2 * HOUR))
    assert [str(one["X-Adjud"]) for one in told] == ["notice"]
    assert "took back the last turn played" in " ".join(text_of(told[0]).split())


def test_each_releases_what_waits(club):
    begin(club, "one", "two")
    club.say("Anna", "PREFS LETTERS EACH")
    assert sorted(kinds(club.run_tick(MONDAY + HOUR))) == ["receipt", "report", "report"]
    assert statuses(club, "daily") == {}


def test_a_player_chooses_by_email(club):
    club.say("Bob", "PREFS LETTERS DAILY")
    (answer,) = to(club.run_tick(), "bob")
    assert "What can wait comes in one email a day, at 07:00." in text_of(answer)
    club.new(WEEK)
    assert kinds(club.run_tick(), "bob") == []
    assert kinds(club.run_tick(SEVEN), "bob") == ["daily"]


def test_nothing_goes_to_an_address_that_is_not_confirmed(club):
    wants(club, "Anna", address="anna@example.net")
    club.new(WEEK)
    club.run_tick()
    assert "daily" not in kinds(club.run_tick(SEVEN))
    club.change("Anna", Changes(confirmed=True), now=SEVEN + HOUR, sends_mail=True)
    assert kinds(club.run_tick(SEVEN + HOUR)) == []
    assert kinds(club.run_tick(SEVEN + DAY)) == ["daily"]


# What stands in it.


def test_a_reminder_is_dropped_for_who_has_ordered(club):
    club.new("deadline=every 10 days", name="one")
    club.run_tick()
    club.run_tick(SEVEN)
    at = MONDAY + 8 * DAY
    club.tick(at)
    club.send("white", "SETUP RANDOM", match="one", now=at)
    assert kinds(club.run_tick(at)) == []
    assert kinds(club.run_tick(at + DAY)) == []
    assert statuses(club, "reminder")["one/1/white/reminder"] == "dropped"
    assert list(statuses(club, "daily").values()) == ["sent", "dropped"]


def test_reminders_come_with_it_and_name_their_match(club):
    wants(club, "Anna", reminders="daily")
    for name in ("one", "two"):
        club.new("deadline=every 10 days", name=name)
    club.run_tick()
    club.run_tick(SEVEN)
    at = MONDAY + 8 * DAY
    assert kinds(club.run_tick(at)) == []
    (email,) = to(club.run_tick(at + DAY))
    told = text_of(email)
    assert "[one] Turn 0: reminder, your set-up" in told
    assert re.findall(r"^ORDERS (\w+) white turn 0", told, re.M) == ["one", "two"]
    assert "player/1/digest" not in " ".join(rows(club))


def test_a_reminder_that_would_come_too_late_goes_at_once(club):
    club.new("deadline=every 3 days", now=SEVEN - HOUR)
    club.run_tick(SEVEN - HOUR)
    club.run_tick(SEVEN)
    evening = SEVEN - HOUR + timedelta(days=3) * 0.8
    assert kinds(club.run_tick(evening)) == ["reminder"]  # the time ends at six in the morning


@pytest.mark.parametrize(("minutes", "sent"), [(119, ["reminder"]), (120, [])])
def test_a_reminder_waits_if_it_leaves_two_hours_from_seven_on(club, minutes, sent):
    begins = SEVEN + timedelta(minutes=minutes)
    club.new("deadline=every 3 days", now=begins)
    club.run_tick(begins)
    club.run_tick(SEVEN + DAY)
    assert kinds(club.run_tick(begins + timedelta(days=3) * 0.8)) == sent


def test_a_report_that_a_newer_one_tells_is_told_once(club):
    begin(club, "one")
    told = text_of(*to(club.run_tick(SEVEN)))
    assert told.count("ORDERS one white turn 1") == 1
    assert statuses(club, "report")["one/0/white/report"] == "dropped"


def test_matches_stand_with_the_soonest_first_and_the_table_on_top(club):
    club.new("deadline=every 9 days", name="slow")
    club.new("deadline=every 5 days", name="fast")
    club.run_tick()
    told = text_of(*to(club.run_tick(SEVEN)))
    table = told.split("=" * 78)[0].splitlines()
    assert [line.split()[0] for line in table[3:6]] == ["Match", "fast", "slow"]
    assert told.index("Espionage fast, ") < told.index("Espionage slow, ")


def test_with_very_many_matches_the_rest_is_a_line_each_and_comes_the_next_day(club):
    names = [f"m{number}" for number in range(14)]
    for number, name in enumerate(names):
        club.new(f"deadline=every {number + 10} days", name=name)
    club.run_tick()
    (email,) = to(club.run_tick(SEVEN))
    told = text_of(email)
    assert len(email.as_bytes()) < 250_000
    assert len(html_of(email).encode()) < 90_000
    assert len(re.findall(r"^ORDERS m\d+ white", told, re.M)) == 12
    assert "m13 did not fit and comes tomorrow. REPORT under MATCH m13 sends it now." in " ".join(
        told.split()
    )
    assert statuses(club, "report")["m13/0/white/report"] == "waiting"
    again = text_of(*to(club.run_tick(SEVEN + DAY)))
    assert re.findall(r"^ORDERS (m\d+) white", again, re.M) == ["m12", "m13"]


def test_notices_and_the_end_of_a_match_wait(club):
    begin(club, "one")
    club.run_tick(SEVEN)
    club.forfeit("one", "black", reason="gone", now=SEVEN + HOUR)
    assert kinds(club.run_tick(SEVEN + HOUR)) == []
    (email,) = to(club.run_tick(SEVEN + DAY))
    assert email["Subject"] == "[adjud] News of 1 match"
    assert re.search("^one +Espionage +over +-$", text_of(email), re.M)


# What becomes of what it carries.


def test_what_it_carries_comes_back_each_by_itself(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.run_tick(SEVEN)
    bounce(club, SEVEN + HOUR)
    club.run_tick(SEVEN + HOUR)
    assert statuses(club, "daily") == {"daily/1/2026-11-24": "bounced"}
    again = club.run_tick(SEVEN + 3 * HOUR)
    assert kinds(again) == ["report", "report"]
    assert kinds(club.run_tick(SEVEN + 4 * HOUR)) == []
    bounce(club, SEVEN + 5 * HOUR)
    alerts = club.run_tick(SEVEN + 5 * HOUR)
    assert kinds(alerts, "gm") == ["alert"]
    assert sorted(set(statuses(club, "report").values())) == ["bounced", "sent"]


def test_a_server_that_refuses_it_for_good_gets_each_by_itself(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.way.trouble = Permanent("550 no")
    club.run_tick(SEVEN)
    assert "one/0/white/report was refused and will be tried once more: 550 no" in club.told
    assert not any("daily/" in line for line in club.told)
    club.way.trouble = None
    assert kinds(club.run_tick(SEVEN + 2 * HOUR)) == ["report", "report"]


def test_a_busy_server_gets_the_same_bytes_again(club):
    club.new(WEEK)
    club.run_tick()
    club.way.trouble = Temporary("451 later")
    tried = []
    deliver = club.way.deliver
    club.way.deliver = lambda *told: (tried.append(told[2]), deliver(*told))[1]
    club.run_tick(SEVEN)
    club.way.trouble = None
    assert kinds(club.run_tick(SEVEN + timedelta(minutes=4))) == []
    club.run_tick(SEVEN + timedelta(minutes=6))
    assert len(tried) == 2
    assert tried[0] == tried[1]
    assert statuses(club, "report")["m/0/white/report"] == "sent"


def test_what_is_false_by_the_second_try_stands_in_another_email(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.way.trouble = Temporary("451 later")
    tried = []
    deliver = club.way.deliver
    club.way.deliver = lambda *told: (tried.append(told[2]), deliver(*told))[1]
    club.run_tick(SEVEN)
    club.add("Carl")
    club.replace("one", "white", "Carl", reason="he asked", now=SEVEN + timedelta(minutes=1))
    club.way.trouble = None
    (email,) = [
        one for one in to(club.run_tick(SEVEN + timedelta(minutes=6))) if one["X-Adjud"] == "daily"
    ]
    assert "ORDERS one" not in text_of(email)
    assert "ORDERS two" in text_of(email)
    assert str(email["Message-ID"]) not in tried[0].decode()


def test_a_ply_of_which_it_tells_cannot_be_taken_back(club):
    begin(club, "one")
    club.way.trouble = Unreachable("down")
    club.run_tick(SEVEN)
    club.way.trouble = Temporary("451")
    club.run_tick(SEVEN + HOUR)  # a hand-over was tried
    with pytest.raises(Refusal, match="was already sent"):
        club.undo("one", reason="x", now=SEVEN + HOUR)


def test_a_ply_of_which_it_would_tell_can_be_taken_back_before(club):
    club.new(WEEK)
    club.run_tick()
    club.run_tick(SEVEN)
    club.send("white", "SETUP RANDOM", now=SEVEN + HOUR)
    club.send("black", "SETUP RANDOM", now=SEVEN + HOUR)
    club.run_tick(SEVEN + HOUR)
    club.undo("m", reason="x", now=SEVEN + 2 * HOUR)
    club.run_tick(SEVEN + 2 * HOUR)
    told = text_of(*to(club.run_tick(SEVEN + DAY)))
    assert "took back the last turn" in " ".join(told.split())


# What the operator sees.


def listed(club, **how):
    return [
        (one.key, one.status, one.tries, one.next_at, one.sent_at)
        for one in club.emails_out(discreet=True, **how)
    ]


@pytest.mark.parametrize("trouble", [None, Temporary("451 later"), Unreachable("down")])
def test_the_operator_never_sees_by_it_who_has_ordered(new_sqlite, tmp_path, trouble):
    """Two clubs, in one of which Anna has ordered, show him the same at all times."""
    seen = []
    for ordered in (False, True):
        shown = []
        club = MailClub(open_store(new_sqlite(f"club-{ordered}")), tmp_path / f"spool-{ordered}")
        club.add("Anna", "Bob")
        wants(club, "Anna", letters="daily")
        for name, days in (("one", 10), ("two", 8), ("three", 14)):
            club.new(f"deadline=every {days} days", name=name)
        club.run_tick()
        shown.append(listed(club))
        club.run_tick(SEVEN)
        if ordered:
            for name in ("one", "two"):
                club.send("white", "SETUP RANDOM", match=name, now=SEVEN + HOUR)
        at = SEVEN + HOUR
        club.extend("three", DAY, reason="x", now=MONDAY + 7 * DAY)
        club.way.trouble = trouble
        for hour in range(0, 24 * 9, 1 if NIGHTLY else 3):
            at = SEVEN + hour * HOUR
            club.run_tick(at)
            told = [re.sub(r"out-\w+", "out-x", line) for line in club.told]
            shown.append((at, told, listed(club)))
        club.store.close()
        seen.append(shown)
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_with_very_many_matches_and_reserves_he_does_not_either(new_sqlite, tmp_path):
    """What has no room, and what goes when, depends on nothing but reports and deadlines."""
    seen = []
    for ordered in (False, True):
        shown = []
        club = MailClub(open_store(new_sqlite(f"club-{ordered}")), tmp_path / f"spool-{ordered}")
        club.add("Anna", "Bob")
        wants(club, "Anna", letters="daily", reminders="daily")
        names = [f"m{number}" for number in range(14)]
        for number, name in enumerate(names):
            reserve = ("bank=3 days", "leave=auto") if number % 2 else ()
            club.new(f"deadline=every {4 + number % 5} days", *reserve, name=name)
        club.run_tick()
        club.run_tick(SEVEN)
        for name in names[::3] if ordered else ():
            club.send("white", "SETUP RANDOM", match=name, now=SEVEN + HOUR)
        club.write("black", "PRESS TO white", "Hello.", "ENDPRESS", to=club.address("black", "m1"))
        for sixth in range(1, 14):
            at = SEVEN + sixth * 6 * HOUR
            if sixth in (5, 9):
                club.announce("m2", "x", now=at)
                club.extend("m3", HOUR, reason="x", now=at)
            club.run_tick(at)
            shown.append((at, club.told, listed(club)))
        club.store.close()
        seen.append(shown)
    for one, other in zip(*seen, strict=True):
        assert one == other


def stuck_in(club):
    return {
        one.key: which_email(shown_id(one)) for one in club.emails_out(["stuck"], discreet=True)
    }


def test_the_operator_can_retry_and_drop_what_it_carries(club):
    for name in ("one", "two", "three"):
        club.new("deadline=every 30 days", name=name)
    club.run_tick()
    club.way.trouble = Temporary("451 later")
    for hours in range(0, 24 * 5, 3):
        club.run_tick(SEVEN + hours * HOUR)
    stuck = stuck_in(club)
    assert sorted(stuck) == [f"{name}/0/white/report" for name in ("one", "three", "two")]
    assert sum("is stuck" in line for line in club.told) == 0
    club.way.trouble = None
    assert kinds(club.run_tick(SEVEN + 6 * DAY)) == []
    club.drop(stuck["two/0/white/report"])
    club.retry(stuck["one/0/white/report"], now=SEVEN + 6 * DAY)
    (email,) = to(club.run_tick(SEVEN + 6 * DAY))
    assert re.findall(r"^ORDERS (\w+) white", text_of(email), re.M) == ["one", "three"]
    assert stuck_in(club) == {}
    assert statuses(club, "report")["two/0/white/report"] == "dropped"
    club.retry(stuck["two/0/white/report"], now=SEVEN + 6 * DAY + HOUR)
    assert kinds(club.run_tick(SEVEN + 7 * DAY)) == ["daily"]


def test_what_is_told_once_is_told_in_it_and_forgotten(store, tmp_path):
    club = SpionClub(store, tmp_path / "spool")
    duel(club, "memory=once", "deadline=every 9 days")
    wants(club, "Anna", letters="daily")
    club.send("blue", "CHALLENGE yellow 1 ATOM")
    club.run_tick()
    assert club.to("blue", "aside") == []
    assert "is CHEMISTRY" in club.to("yellow", "aside")[0]
    (email,) = to(club.run_tick(SEVEN))
    assert "is CHEMISTRY" in text_of(email)
    with store.reading() as tx:
        kept = tx.exec_driver_sql(
            "SELECT status, body, raw FROM outbox WHERE kind IN ('aside', 'daily')"
        )
        assert {tuple(row) for row in kept} == {("sent", "null", None)}


def test_its_answer_may_have_orders_of_several_matches(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    (email,) = to(club.run_tick(SEVEN))
    told = text_of(email).splitlines()
    sheets = [line for line in told if re.match(r"ORDERS (one|two) white turn 0", line)]
    assert len(sheets) == 2
    answer = [line for head in sheets for line in (head, "SETUP RANDOM", "END", "")]
    club.say(
        "Anna",
        *answer,
        "On Tue, 24 Nov 2026 adjud wrote:",
        *(f"> {line}" for line in told),
        at=SEVEN + HOUR,
        In_Reply_To=str(email["Message-ID"]),
    )
    (answer,) = to(club.run_tick(SEVEN + HOUR))
    assert answer["Subject"] == "[adjud] 2 matches: 2 accepted"
    for name in ("one", "two"):
        assert club.loaded(name).sheets["white"].revision == 1


def test_an_email_about_a_tournament_or_the_like_waits_too_and_offers_do_not():
    def waits(key, **body):
        return daily_email.can_wait("notice", key, encode(body).decode())

    assert waits("own/1/cup/table", to="a@x.org", text="", answers=None)
    assert not waits("own/1/offer/7", to="a@x.org", text="", answers=None)
    assert not waits("own/1/cup/in", to="a@x.org", text="", answers="<1@x.org>")
    assert not waits("letter/9/seats", to="a@x.org", text="", answers=None)
    assert waits("m/1/white/notice/1", told="x")
    assert not waits("m/1/white/report/page", last_page=True)
    for kind in ("receipt", "refusal", "confirm", "alert"):
        assert not daily_email.can_wait(kind, "m/1/white", "null")


def test_the_archive_waits_for_what_waits_and_old_reports_go(club):
    begin(club, "one")
    club.cancel("one", reason="x")
    club.run_tick()
    with club.store.transaction() as tx:
        found = tx.exec_driver_sql("SELECT id FROM match").scalar()
        assert erasure.is_busy(tx, found)
    assert kinds(club.run_tick(SEVEN)) == ["daily"]
    assert kinds(club.run_tick(SEVEN)) == ["notice"]  # its last page
    with club.store.transaction() as tx:
        assert not erasure.is_busy(tx, found)
        erasure.drop_emails(tx, found)
    assert statuses(club, "report") == {}
    assert list(statuses(club, "daily").values()) == ["sent"]


def test_what_cannot_be_written_together_goes_each_by_itself(club, monkeypatch):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.context = replace(club.context, raise_faults=False)

    def stumble(*_):
        raise ValueError

    with monkeypatch.context() as patch:
        patch.setattr(daily_email, "write", stumble)
        assert kinds(club.run_tick(SEVEN)) == []
    assert list(statuses(club, "daily").values()) == ["dropped"]
    assert kinds(club.run_tick(SEVEN + HOUR)) == ["report", "report"]


def test_what_cannot_be_looked_at_goes_at_once(club, monkeypatch):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.context = replace(club.context, raise_faults=False)

    def stumble(*_):
        raise ValueError

    with monkeypatch.context() as patch:
        patch.setattr(daily_email, "_is_urgent", stumble)
        assert kinds(club.run_tick()) == ["report", "report"]


def test_a_match_that_cannot_be_read_holds_back_its_own_part_alone(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET game = 'chess' WHERE name = 'two'")
    (email,) = to(club.run_tick(SEVEN))
    assert "Espionage one, " in text_of(email)
    assert "Espionage two, " not in text_of(email)
    assert statuses(club, "report")["two/0/white/report"] == "waiting"
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET game = 'espionage' WHERE name = 'two'")
    club.run_tick(SEVEN + 2 * HOUR)
    (email,) = to(club.run_tick(SEVEN + DAY))
    assert "Espionage two, " in text_of(email)


def test_a_digest_of_reminders_that_was_queued_before_is_the_table_alone(club):
    wants(club, "Anna", letters="each", reminders="daily")
    club.new("deadline=every 10 days")
    club.run_tick()
    at = MONDAY + 8 * DAY
    club.tick(at)
    wants(club, "Anna", letters="daily", now=at)
    assert kinds(club.run_tick(at)) == []
    (email,) = to(club.run_tick(at + DAY))
    assert re.search("^m +Espionage +your orders +Thu 3 Dec 12:00$", text_of(email), re.M)
    assert "=" * 78 not in text_of(email)


def test_a_report_of_a_reader_who_wishes_all_of_them_is_there_beside_the_newer_one(club):
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET reports = 'all'")
    begin(club, "one")
    told = text_of(*to(club.run_tick(SEVEN)))
    assert told.index("Espionage one, Set-up, turn 0") < told.index("Espionage one, Turn 1")


def test_what_can_count_against_a_reader_does_not_wait(club):
    """A ruling that nobody need act on does."""
    club.new("deadline=every 20 days")
    club.run_tick()
    club.run_tick(SEVEN)
    at = SEVEN + HOUR
    more = {"reason": "x", "now": at}
    club.change_options("m", ["settle=1 hour"], **more)
    assert kinds(to(club.run_tick(at))) == ["notice"]
    club.announce("m", "It snows.", now=at)
    assert to(club.run_tick(at)) == []


# A deadline that was moved (4.3).


def moved(club, how, at):
    """Move the deadline of m to an hour in which 07:00 would be too late, or nearly."""
    soon, given = (
        at + 30 * HOUR,
        {"reason": "we must end", "now": at},
    )
    if how == "deadline":
        text = f"{soon:%Y-%m-%d %H:%M}"
        club.set_deadline("m", text, sure=True, **given)
    else:
        club.hold("m", **given)
        club.extend("m", DAY, **given)
        club.resume("m", extend=DAY, **given)


@pytest.mark.parametrize("how", ["deadline", "hold"])
@pytest.mark.parametrize("seven", [False, True], ids=["at once", "with the daily email"])
def test_the_deadline_that_is_read_is_the_one_that_counts(club, how, seven):
    club.new(WEEK)
    assert kinds(club.run_tick()) == []
    at = SEVEN if seven else MONDAY + HOUR
    moved(club, how, at)
    due = club.loaded().match.deadline_at
    emails = [*to(club.run_tick(at)), *to(club.run_tick(SEVEN))]
    told = [text_of(one) for one in emails]
    assert emails
    until = re.compile(rf"{due.day} Nov 2026, {due:%H:%M}|{due.day} Dec 2026, {due:%H:%M}")
    assert until.search(" ".join(told))
    assert "30 Nov 2026, 12:00" not in " ".join(told)
    reports = [one for one in emails if one["X-Adjud"] == "report"]
    if reports:
        assert {*kinds(emails)} == {"notice", "report"}
        assert "we must end" in text_of(reports[0])
    again = " ".join(map(text_of, to(club.run_tick(SEVEN + DAY))))
    assert "we must end" not in again  # everything was told


# What it says, as one value.


def parts_sent(club):
    """Return the parts of each daily email to Anna, as the value that it has tells them."""
    found = (value_in(raw) for _, reader, raw in club.way.letters if reader == "anna@example.org")
    told = [values.read(text) for text in found if text]
    return [one.parts for one in told if one.kind == "daily"]


def test_each_part_to_a_seat_is_numbered_with_the_other_emails_to_it(club):
    for name in ("one", "two"):
        club.new(WEEK, name=name)
    club.run_tick()
    club.run_tick(SEVEN)
    for words in ("The hall is cold.", "The stove is on."):
        club.announce("one", words, now=SEVEN + HOUR)
    club.way.trouble = Unreachable("no way")
    club.run_tick(SEVEN + DAY)
    club.way.trouble = None
    club.run_tick(SEVEN + DAY + HOUR)
    first, second = parts_sent(club)
    assert [(one.to.match, one.n, one.before) for one in first] == [
        ("one", 1, None),
        ("two", 1, None),
    ]
    assert [(one.to.match, one.kind, one.n) for one in second] == [
        ("one", "notice", 2),
        ("one", "notice", 3),
    ]
    digests = [values.digest_of(one) for one in (first[0], second[0])]
    assert [one.before for one in second] == digests
    assert {one.skipped for one in (*first, *second)} == {()}


def test_a_part_that_was_numbered_and_never_went_is_skipped(club):
    club.new(WEEK, name="one")
    club.run_tick()
    club.announce("one", "The hall is cold.", now=SEVEN)
    club.way.trouble = Unreachable("no way")  # the notice to Bob is tried first
    club.run_tick(SEVEN)
    club.way.trouble = None
    wants(club, "Anna", now=SEVEN, language="nb")
    club.run_tick(SEVEN + HOUR)
    (parts,) = parts_sent(club)
    assert [(one.language, one.n, one.skipped) for one in parts] == [
        ("nb", 3, (1, 2)),
        ("nb", 4, (1, 2)),
    ]
    assert [one.before for one in parts] == [None, values.digest_of(parts[0])]
