"""After an outage: if silence is doubted, nothing is adjudicated on a missed deadline."""

from datetime import timedelta
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from freezegun import freeze_time

from adjudicator.mail.transport import spool
from tests.club import MONDAY, Club, Which, shown_id, which_email
from tests.database import open_store
from tests.inside import clubs, collecting, reading, seat_email, tick, undecided
from tests.inside import ops_jobs as jobs
from tests.service.mailclub import MailClub
from tests.service.test_kill import clean_run, contents, disks, url, use

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LATE = MONDAY + 3 * DAY


def guarded(store):
    club = Club(store)
    club.context = msgspec.structs.replace(club.context, max_gap=2 * DAY, max_silent=5)
    return club


@pytest.fixture
def club(store):
    return guarded(store)


def last_tick(club):
    with club.store.reading() as tx:
        return clubs.last_tick(tx)


def test_after_a_long_gap_a_match_with_silent_seats_is_held_and_the_operator_told_once(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    reason = "`adjud tick` had not run since 2026-11-23 12:00 UTC"
    assert club.tick(LATE) == [f"m: the deadline has passed, but {reason}; the match is on hold"]
    match = club.loaded().match
    assert match.status == "held"
    assert match.trouble == f"the deadline has passed, but {reason}; the match is on hold"
    assert club.letters("alert") == ["operator/alert/1"]
    assert club.tick(LATE + DAY / 2) == []
    assert club.letters("alert") == ["operator/alert/1"]
    assert club.tick(LATE + 9 * DAY) == ["m: the match still waits for you"]


def test_the_players_are_told_that_the_valve_holds_their_match_and_when_it_goes_on(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(LATE)
    assert club.letters("notice") == ["m/1/white/notice/1", "m/1/black/notice/1"]
    club.resume("m", extend=DAY, now=LATE + HOUR)
    held, resumed = (notice["text"] for notice in club.report("black")["notices"])
    assert held.startswith(
        "The club was out of order from Mon 23 Nov 2026, 13:00 UTC until Thu 26 Nov 2026, 12:00 "
        "UTC. The deadline has passed, but some emails may not have reached the club."
    )
    assert resumed == "The match continues. The deadline is now Fri 27 Nov 2026, 13:00 UTC."
    assert len(club.letters("notice")) == 4


def test_resume_with_extend_goes_on_and_then_the_deadline_counts(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(LATE)
    club.resume("m", reason="power is back", extend=DAY, now=LATE + HOUR)
    assert club.loaded().match.deadline_at == LATE + HOUR + DAY
    assert club.loaded().match.trouble is None
    assert [t for t in club.tick(LATE + 2 * HOUR) if "reminders" not in t] == []
    assert club.tick(LATE + 2 * DAY) == ["m: adjudicated; the match is over"]


def test_after_a_gap_turns_with_all_sheets_are_adjudicated_and_others_wait_their_time(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.new("deadline=every 9 days", name="later")
    club.order("white")
    told = club.tick(LATE)
    assert told == ["m: adjudicated; turn 1 is waiting for black"]
    assert club.letters("alert") == []
    assert club.loaded("later").match.status == "playing"


def test_matches_without_a_deadline_do_not_mind_a_gap(club):
    club.begin()
    assert club.tick(MONDAY + 90 * DAY) == []
    assert club.loaded().match.status == "playing"


def test_a_tick_in_time_adjudicates_a_missed_deadline(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(MONDAY + 1.5 * DAY)
    assert club.tick(LATE)[-1] == "m: adjudicated; the match is over"


def test_a_clock_that_goes_backwards_is_not_trusted(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.tick(LATE - DAY)
    club.new("deadline=every 2 days", name="other", now=MONDAY - 2 * DAY)
    (told,) = club.tick(MONDAY + HOUR)
    assert told.startswith("other: the deadline has passed, but the clock is behind the last tick")
    assert last_tick(club) == MONDAY + HOUR


def silent_matches(club, number, **more):
    club.add("Anna", "Bob", now=MONDAY)
    for n in range(number):
        club.new("deadline=every 3 days", "absence=forfeit", name=f"m-{n}", **more)
        club.send("white", "SETUP RANDOM", match=f"m-{n}")


def test_half_of_the_seats_are_not_too_many(club):
    silent_matches(club, 6)
    club.tick(MONDAY + 2 * DAY)
    assert all("the match is over" in line for line in club.tick(LATE))


def test_more_than_five_and_more_than_half_are_too_many(club):
    silent_matches(club, 5)
    club.new("deadline=every 3 days", "absence=forfeit", name="n")
    club.tick(MONDAY + 2 * DAY)
    told = club.tick(LATE)
    assert len(told) == 6
    assert all("more seats than usual sent nothing" in line for line in told)
    assert not any(character.isdigit() for line in told for character in line.partition(":")[2])
    assert club.letters("alert") == ["operator/alert/1"]


def test_five_silent_seats_are_no_outage(club):
    club.add("Anna", "Bob")
    for name in ("one", "two"):
        club.new("deadline=every 3 days", "absence=forfeit", name=name)
    club.tick(MONDAY + 2 * DAY)
    assert all("the match is over" in line for line in club.tick(LATE))


def test_nobody_is_charged_a_miss_in_an_outage(club):
    club.begin("deadline=every 3 days", "excused=1")
    club.tick(LATE)
    assert club.loaded().holders["white"].missed == 0


def test_a_match_that_waits_for_the_game_master_already_is_not_held(club):
    club.begin("deadline=every 3 days")
    club.tick(MONDAY + 2 * DAY)
    club.tick(LATE)
    club.send("black", "DRAW", now=LATE + 9 * DAY)
    club.tick(LATE + 9 * DAY)
    assert club.loaded().match.status == "playing"


def test_an_idle_tick_notes_the_time_now_and_then_and_a_tick_of_one_match_never(club):
    club.tick(MONDAY - DAY)
    assert last_tick(club) is None  # nobody could have missed anything
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days")
    club.tick(MONDAY)
    assert last_tick(club) == MONDAY
    club.tick(MONDAY + HOUR / 2)
    assert last_tick(club) == MONDAY
    club.run_due(match="m", now=MONDAY + 9 * HOUR)
    assert last_tick(club) == MONDAY
    club.tick(MONDAY + 9 * HOUR)
    assert last_tick(club) == MONDAY + 9 * HOUR


def test_one_match_ticked_by_itself_is_held_after_a_gap_too(club):
    club.begin("deadline=every 3 days", "absence=forfeit")
    club.run_due(match="m", now=LATE)
    assert club.loaded().match.status == "held"


@pytest.mark.parametrize("gap", [HOUR, 9 * DAY])
def test_a_tick_killed_while_the_valve_shuts_and_run_again_is_one_clean_tick(
    sqlite_url: str, tmp_path: Path, gap
) -> None:
    path = tmp_path / "adjud.db"

    def work(store):
        club = guarded(store)
        club.tick(LATE)

    store = open_store(url(path))
    silent = guarded(store)
    silent_matches(silent, 5)
    silent.new("deadline=every 3 days", "absence=forfeit", name="n")
    silent.new("deadline=every 30 days", name="whole")
    for seat in ("white", "black"):
        silent.send(seat, "SETUP RANDOM", match="whole")
    with store.transaction() as tx:
        clubs.note_tick(tx, LATE - gap)
    store.close()
    expected = clean_run(path, work)
    assert sum("'held'" in row for row in expected) == 6
    statements, killed = disks(path, work)
    assert statements > 20
    assert len(killed) > 3
    for disk in killed:
        use(disk, work)
        assert contents(disk) == expected, disk.name


# Emails that got stuck.

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
STUCK = (
    "the deadline has passed, but an email that may contain orders is stuck (`adjud mail queue "
    "list --status stuck`, then `retry` or `drop`); the match is on hold"
)


@pytest.fixture
def by_mail(store, tmp_path):
    """Make a match in which a seat that is silent on Thursday is forfeited; Black is not silent."""
    club = MailClub(store, tmp_path / "spool")
    club.context = msgspec.structs.replace(club.context, raise_faults=False)
    club.add("Anna", "Bob")
    club.new("deadline=every 3 days", "absence=forfeit")
    club.send("black", "SETUP RANDOM")
    club.run_tick()
    return club


def gets_stuck(club, monkeypatch, *over, at=MONDAY + DAY):
    """Send an email of White's, at which some of the program's own functions fail."""

    def stumble(*_, **__):
        raise KeyError

    club.write("white", *SHEET, at=at)
    with monkeypatch.context() as patch:
        for module, name in over:
            patch.setattr(module, name, stumble)
        return club.run_tick(at)


def stuck(club) -> Which:
    (email,) = club.queue(["stuck"])
    found = which_email(shown_id(email))
    assert found is not None
    return found


ANSWERING = [(seat_email, "_answer")]
FINDING = [(reading, "recipient_of"), (undecided, "recipient_of")]  # not even its seat is known


@pytest.mark.parametrize("over", [ANSWERING, FINDING], ids=["answering", "finding"])
def test_an_email_that_got_stuck_costs_nobody_the_match(by_mail, monkeypatch, over):
    gets_stuck(by_mail, monkeypatch, *over)
    by_mail.run_tick(LATE)
    assert f"m: {STUCK}" in by_mail.told
    assert by_mail.loaded().match.trouble == STUCK
    alert = next(m for _, to, m in by_mail.way.letters[::-1] if to == "gm@example.org")
    assert b"an email that may contain orders is stuck" in alert.replace(b"\r\n", b" ")
    by_mail.retry(stuck(by_mail), now=LATE)
    by_mail.resume("m", reason="mended", extend=DAY, now=LATE + HOUR)
    by_mail.run_tick(LATE + HOUR)
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told


def test_an_email_that_is_given_up_holds_no_match(by_mail, monkeypatch):
    gets_stuck(by_mail, monkeypatch, *ANSWERING)
    by_mail.drop(stuck(by_mail))
    by_mail.run_tick(LATE)
    assert "m: adjudicated; the match is over" in by_mail.told


def test_a_stuck_email_of_another_seat_or_time_holds_no_match(by_mail, monkeypatch):
    """One is Black's, who has sent; one is from before the match."""
    gets_stuck(by_mail, monkeypatch, *FINDING, at=MONDAY - DAY)
    by_mail.new("deadline=every 3 days", "absence=forfeit", name="n")
    by_mail.send("white", "SETUP RANDOM", match="n")
    gets_stuck(by_mail, monkeypatch, *ANSWERING)
    by_mail.run_tick(LATE)
    assert "n: adjudicated; the match is over" in by_mail.told
    assert f"m: {STUCK}" in by_mail.told


def test_no_deadline_is_missed_while_another_worker_reads_an_email(by_mail):
    """Two ticks at once: the other one has taken White's email from the spool."""
    by_mail.write("white", *SHEET, at=MONDAY + DAY)
    by_mail.collect(by_mail.folder, now=LATE)
    assert by_mail.tick(LATE) == []
    by_mail.run_tick(LATE + HOUR)
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told


def test_no_deadline_is_missed_while_an_email_cannot_be_read_from_the_disk(by_mail, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError

    by_mail.write("white", *SHEET, at=MONDAY + DAY)
    by_mail.new("deadline=every 2 days", name="n")
    for seat in ("white", "black"):
        by_mail.send(seat, "SETUP RANDOM", match="n", now=LATE)
    with monkeypatch.context() as patch:
        patch.setattr(collecting.spool, "read", refuse)
        by_mail.run_tick(LATE)
    assert "m: adjudicated; the match is over" not in by_mail.told
    assert "n: adjudicated; turn 1 is waiting for white" in by_mail.told  # it has all its orders
    by_mail.run_tick(LATE + HOUR)
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told


# Emails that are read later.


class Killed(BaseException):
    """Raised where a signal would end the program."""


@pytest.mark.parametrize("known", [True, False])
def test_an_email_that_is_read_later_costs_nobody_the_match(by_mail, monkeypatch, known):
    """`known` says whether it could be found whose email it is. If not, it may be anybody's."""

    def die(*_):
        raise Killed

    by_mail.new("deadline=every 3 days", "absence=forfeit", name="n")
    by_mail.send("black", "SETUP RANDOM", match="n")
    by_mail.write("white", *SHEET, at=LATE - HOUR)
    with monkeypatch.context() as patch:
        patch.setattr(reading, "read_email", die)
        patch.setattr(undecided, "_whose", undecided._whose if known else lambda *_: None)
        for _ in range(3):
            with pytest.raises(Killed):
                by_mail.run_tick(LATE - HOUR)
        by_mail.run_tick(LATE - HOUR)
        by_mail.run_tick(LATE - HOUR / 2)
        assert not any("adjudicated" in told for told in by_mail.told)
        with pytest.raises(Killed):
            by_mail.run_tick(LATE)
        by_mail.run_tick(LATE)
    over = [told for told in by_mail.told if "the match is over" in told]
    assert over == (["n: adjudicated; the match is over"] if known else [])
    by_mail.run_tick(LATE + 4 * HOUR)
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told


# Emails that come while the tick runs.

OTHER = {"sender": "mallory@elsewhere.example", "to": "adjud@play.example.org"}


def while_it_reads(monkeypatch, arrive):
    """Let emails arrive after the tick has read those that were there."""
    before_delivery = jobs.before_delivery

    def arrived(*given):
        arrive()
        return before_delivery(*given)

    monkeypatch.setattr(jobs, "before_delivery", arrived)


@pytest.mark.parametrize("of", ["a stranger", "the silent seat"])
@pytest.mark.parametrize("late", [timedelta(minutes=11), HOUR])
def test_a_flood_of_emails_after_the_deadline_keeps_no_match_waiting(
    by_mail, monkeypatch, of, late
):
    whose = OTHER if of == "a stranger" else {}
    now = LATE + late

    def flood():
        for second in range(5):
            by_mail.write("white", "PING", at=now + timedelta(seconds=second), **whose)

    while_it_reads(monkeypatch, flood)
    by_mail.run_tick(now)
    assert "m: adjudicated; the match is over" in by_mail.told


@pytest.mark.parametrize("at", [LATE - HOUR, LATE - timedelta(seconds=1), LATE + 9 * DAY])
def test_an_email_from_before_the_deadline_that_is_still_in_the_spool_counts(
    by_mail, monkeypatch, at
):
    """The last was stamped by a clock that ran ahead: nobody knows when it came."""
    now = LATE + HOUR
    while_it_reads(monkeypatch, lambda: by_mail.write("white", *SHEET, at=at))
    by_mail.run_tick(now)
    assert not any("adjudicated" in told for told in by_mail.told)
    monkeypatch.undo()
    by_mail.run_tick(now + timedelta(minutes=1))
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told


@pytest.mark.parametrize("minutes", [-60, 11])
def test_only_emails_from_before_the_deadline_keep_a_match_waiting_for_another_worker(
    by_mail, monkeypatch, minutes
):
    at, now = LATE + minutes * timedelta(minutes=1), LATE + HOUR

    def taken():
        by_mail.write("white", *SHEET, at=at)
        by_mail.collect(by_mail.folder, now=now)

    while_it_reads(monkeypatch, taken)
    by_mail.run_tick(now)
    assert ("m: adjudicated; the match is over" in by_mail.told) == (minutes > 0)


@pytest.mark.parametrize(
    ("taken", "waits"), [(-HOUR, True), (timedelta(minutes=30), False), (None, False)]
)
def test_an_email_that_our_server_took_in_time_and_hands_over_late_keeps_its_match_waiting(
    by_mail, monkeypatch, taken, waits
):
    now = LATE + HOUR

    def deliver():
        by_mail.write("white", *SHEET, at=now)
        (name,) = spool.names(by_mail.folder)
        spool.remove(by_mail.folder, name)
        when = LATE + (taken or timedelta())
        head = f"Received: from x by our.example; {when:%a, %d %b %Y %H:%M:%S +0000}\n".encode()
        with freeze_time(now):
            spool.put(
                by_mail.folder,
                BytesIO((head if taken else b"") + by_mail.raws[-1]),
                sender="anna@example.org",
                recipient=by_mail.address("white"),
                channel="pipe",
            )

    while_it_reads(monkeypatch, deliver)
    by_mail.run_tick(now)
    assert ("m: adjudicated; the match is over" in by_mail.told) == (not waits)


def test_an_email_of_nobody_knows_whom_that_got_stuck_after_the_deadline_holds_no_match(
    by_mail, monkeypatch
):
    gets_stuck(by_mail, monkeypatch, *FINDING, at=LATE + HOUR)
    assert "m: adjudicated; the match is over" in by_mail.told


def test_a_flood_that_takes_an_hour_to_be_read_keeps_no_match_waiting(by_mail, monkeypatch):
    """No clock that ran ahead stamped what comes at the end of that hour."""
    by_mail.write("white", "PING", at=LATE, **OTHER)
    shown = iter([0.0, 3600.0])
    for module in (tick, jobs):
        monkeypatch.setattr(module, "monotonic", lambda: next(shown))
    while_it_reads(monkeypatch, lambda: by_mail.write("white", *SHEET, at=LATE + HOUR))
    by_mail.run_tick(LATE)
    assert "m: adjudicated; the match is over" in by_mail.told


@pytest.mark.parametrize("listed", ["before", "after"])
def test_an_email_that_another_worker_takes_from_the_spool_as_we_look_there_is_seen(
    by_mail, monkeypatch, listed
):
    """It lies in the spool or in the database at any time, so wherever we look first, we see it."""
    look = spool.names

    def take():
        with monkeypatch.context() as patch:
            patch.setattr(spool, "names", look)
            by_mail.collect(by_mail.folder, now=LATE)

    def look_as_it_is_taken(folder):
        if listed == "after":
            take()
        names = look(folder)
        take()
        return names

    def arrive():
        by_mail.write("white", *SHEET, at=LATE - HOUR)
        monkeypatch.setattr(spool, "names", look_as_it_is_taken)

    while_it_reads(monkeypatch, arrive)
    by_mail.run_tick(LATE + HOUR)
    assert not any("adjudicated" in told for told in by_mail.told)
    monkeypatch.undo()
    by_mail.run_tick(LATE + HOUR + timedelta(minutes=1))
    assert "m: adjudicated; turn 1 is waiting for white" in by_mail.told
