"""Reminders as each player wants them: for each match, none, or one email a day."""

import re
from datetime import timedelta

import pytest

from tests.club import MONDAY, Changes, Refusal
from tests.database import EMAILS_OUT, outgoing_counts
from tests.service.mailclub import MailClub

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FOUR_FIFTHS = MONDAY + 4 * DAY
NOBODY = "If nobody sends any, the match is cancelled."


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def wants(club, name, reminders):
    wanted = Changes(reminders=reminders)
    club.change(name, wanted, sends_mail=True)


def subjects(emails, to):
    return [str(email["Subject"]) for email in emails if f"<{to}@" in str(email["To"])]


def statuses(club):
    return {row.key: row.status for row in club.emails_out() if row.kind == "reminder"}


def test_who_wants_no_reminders_gets_none(club):
    wants(club, "Anna", "off")
    club.new("deadline=every 5 days")
    club.run_tick()
    emails = club.run_tick(FOUR_FIFTHS)
    assert subjects(emails, "anna") == []
    assert subjects(emails, "bob") == ["[m] Turn 0: reminder, your set-up, due Sat 28 Nov 12:00"]
    # Both were queued, so that the queue does not tell who has sent.
    assert statuses(club) == {"m/1/white/reminder": "dropped", "m/1/black/reminder": "sent"}


def test_a_wish_for_no_reminders_counts_also_for_one_that_is_queued(club):
    club.new("deadline=every 5 days")
    club.run_tick()
    club.tick(FOUR_FIFTHS)
    wants(club, "Bob", "off")
    assert subjects(club.run_tick(FOUR_FIFTHS), "bob") == []


def test_who_wants_one_email_a_day_gets_one_that_names_all_that_await_him(club):
    wants(club, "Anna", "daily")
    for name in ("one", "two"):
        club.new("deadline=every 5 days", name=name)
    club.new(name="unhurried")
    club.new("deadline=every 5 days", name="done")
    club.send("white", "SETUP RANDOM", match="done")
    club.run_tick()
    emails = club.run_tick(FOUR_FIFTHS)
    assert subjects(emails, "anna") == ["[adjud] It's your turn in 3 matches"]
    (digest,) = [email for email in emails if "anna@" in str(email["To"])]
    assert digest["X-Adjud"] == "reminder"
    assert digest.get_content().splitlines() == [
        "It's your turn. Each match's report says how to send orders. The addresses",
        "are:",
        "",
        "one, turn 0, White: due Sat 28 Nov 2026, 12:00 UTC",
        f"  {club.address('white', 'one')}",
        "two, turn 0, White: due Sat 28 Nov 2026, 12:00 UTC",
        f"  {club.address('white', 'two')}",
        "unhurried, turn 0, White",
        f"  {club.address('white', 'unhurried')}",
    ]
    assert digest["Reply-To"] is None
    assert len(subjects(emails, "bob")) == 3
    assert club.run_tick(FOUR_FIFTHS + HOUR) == []


def test_the_daily_email_says_as_reminders_do_that_silence_loses_a_match(club):
    wants(club, "Anna", "daily")
    club.new("deadline=every 5 days", "absence=forfeit", name="one")
    club.new("deadline=every 5 days", "absence=forfeit", "grace=6 hours", name="two")
    club.run_tick()
    emails = club.run_tick(FOUR_FIFTHS)
    (digest,) = [email for email in emails if "anna@" in str(email["To"])]
    assert all(len(line) <= 78 for line in digest.get_content().splitlines())
    said = "\n".join(digest.get_content().splitlines())
    told = re.sub(r"\n  (?!If you|adjud)", " ", said)  # long lines are broken
    assert told.splitlines()[3:] == [
        "one, turn 0, White: due Sat 28 Nov 2026, 12:00 UTC",
        f"  If you send none by then, you forfeit the match. {NOBODY}",
        f"  {club.address('white', 'one')}",
        "two, turn 0, White: due Sat 28 Nov 2026, 12:00 UTC",
        f"  If you send none by Sat 28 Nov 2026, 18:00 UTC, you forfeit the match. {NOBODY}",
        f"  {club.address('white', 'two')}",
    ]


def test_a_reminder_after_the_days_digest_waits_for_the_next_days(club):
    wants(club, "Anna", "daily")
    club.new("deadline=every 5 days", name="early")
    club.new("deadline=every 5 days", name="late", now=MONDAY + HOUR)
    club.run_tick(MONDAY + HOUR)
    assert len(subjects(club.run_tick(FOUR_FIFTHS), "anna")) == 1
    assert subjects(club.run_tick(FOUR_FIFTHS + HOUR), "anna") == []
    assert subjects(club.run_tick(FOUR_FIFTHS + HOUR + DAY), "anna") == [
        "[adjud] It's your turn in 2 matches",
        "[early] The match waits for the game master",
        "[late] The match waits for the game master",
    ]


def test_a_digest_that_has_nothing_to_name_is_not_sent_until_it_has(club):
    wants(club, "Anna", "daily")
    club.new("deadline=every 5 days", name="early")
    club.new("deadline=every 5 days", name="late", now=MONDAY + HOUR)
    for name in ("early", "late"):
        club.send("white", "SETUP RANDOM", match=name)
    club.run_tick(MONDAY + HOUR)
    assert subjects(club.run_tick(FOUR_FIFTHS), "anna") == []
    club.send("white", "CLEAR", match="late")
    assert subjects(club.run_tick(FOUR_FIFTHS + HOUR), "anna") == [
        "[adjud] It's your turn in 1 match"
    ]


def test_the_operators_queue_does_not_tell_by_a_digest_who_has_sent(club):
    wants(club, "Anna", "daily")
    club.new("deadline=every 5 days")
    club.run_tick()
    club.send("white", "SETUP RANDOM")
    club.run_tick(FOUR_FIFTHS)
    assert statuses(club)["player/1/digest/2026-11-27"] == "dropped"
    with club.store.reading() as tx:
        shown = EMAILS_OUT.emails(tx, discreet=True)
        counted = outgoing_counts(tx)
    assert not [row for row in shown if row.kind == "reminder"]
    assert "dropped" not in counted


def test_a_digest_is_in_the_players_language_and_zone(club):
    wants(club, "Anna", "daily")
    wanted = Changes(language="nb", zone="Europe/Oslo")
    club.change("Anna", wanted, sends_mail=True)
    club.new("deadline=every 5 days")
    club.run_tick()
    emails = club.run_tick(FOUR_FIFTHS)
    (digest,) = [email for email in emails if "anna@" in str(email["To"])]
    assert "13:00 Europe/Oslo (12:00 UTC)" in digest.get_content()
    assert digest["Reply-To"] == club.address("white")  # it names one seat


def test_another_wish_is_refused_with_those_there_are(club):
    with pytest.raises(Refusal, match="reminders cannot be 'weekly'"):
        wants(club, "Anna", "weekly")


def reminder(club, now):
    (email,) = [one for one in club.run_tick(now) if one["X-Adjud"] == "reminder"]
    return " ".join(email.get_content().split())


@pytest.mark.parametrize(
    ("agreed", "said"),
    [
        (
            ["absence=forfeit"],
            f"12:00 UTC. If you send none by then, you forfeit the match. {NOBODY} ORDERS",
        ),
        (
            ["absence=forfeit", "grace=6 hours"],
            f"by Sat 28 Nov 2026, 18:00 UTC, you forfeit the match. {NOBODY} ORDERS",
        ),
        (["absence=forfeit", "excused=1"], "12:00 UTC. ORDERS"),
        (["absence=gm"], "12:00 UTC. ORDERS"),
    ],
)
def test_a_reminder_says_that_silence_loses_the_match(club, agreed, said):
    club.new("deadline=every 5 days", *agreed)
    club.send("black", "SETUP RANDOM")
    club.run_tick()
    assert said in reminder(club, FOUR_FIFTHS)


def test_nobody_is_told_of_a_cancelled_match_where_only_he_is_awaited(club):
    club.new("deadline=every 5 days", "absence=forfeit")
    club.send("white", "SETUP RANDOM")
    club.send("black", "SETUP RANDOM")
    club.run_tick()
    told = reminder(club, FOUR_FIFTHS)
    assert "you forfeit the match. ORDERS" in told


def test_nor_where_a_built_in_player_never_is_silent(club):
    club.new("deadline=every 5 days", "absence=forfeit", black="computer:random")
    club.run_tick()
    assert "you forfeit the match. ORDERS" in reminder(club, FOUR_FIFTHS)
