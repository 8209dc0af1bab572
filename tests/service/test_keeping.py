"""What a club keeps no longer is deleted by the first tick of a day; what was played stays."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from tests.club import MONDAY, Keep, Paths, examine
from tests.database import tables, tables_club
from tests.inside import doctor_table
from tests.service.cups import Cup
from tests.service.mailclub import POST, MailClub

email, match, outbox = tables.email, tables.match, tables.outbox
press, report, parked_email = tables.press, tables.report, tables_club.parked_email


A_DAY = timedelta(days=1)
ENDED = MONDAY + A_DAY
DAYS = timedelta(days=100)


@pytest.fixture
def club(store, tmp_path) -> Iterator[MailClub]:
    """Return a club with a match that has ended, and one that goes on. Whatever was deleted in it,
    the doctor reads what is left."""
    made = MailClub(store, tmp_path)
    made.opened()
    for seat in ("white", "black"):
        made.write(seat, "ORDERS m " + seat, "SETUP RANDOM", "END", "A word to the club.")
    made.new(name="other")
    made.write("white", "PRESS TO black", "old words", "ENDPRESS")
    made.run_tick()
    made.cancel("m", now=ENDED)
    made.run_tick(ENDED)
    yield made
    key = tmp_path / "key"
    key.write_text(f"k1 {POST.keys[0].secret.hex()}\n")
    at = Paths(config=None, key=key, spool=tmp_path, domain=POST.domain)
    url, now = str(store.engine.url), ENDED + DAYS + A_DAY
    told = [str(one.text) for one in examine(url, at, now=now, debug=True, only=doctor_table.QUICK)]
    assert told


def keeping(club: MailClub, **times: timedelta) -> list[str]:
    """Run the first ticks of days until 100 days after the end, with these settings in the
    last."""
    club.run_tick(ENDED + DAYS)  # the clock has made a leap: it deletes nothing
    club.context = replace(club.context, keep=Keep(**times))
    club.run_tick(ENDED + DAYS + A_DAY)
    return club.told


def rows(club: MailClub, table: sa.Table, *which: sa.ColumnElement[bool]) -> list[sa.Row]:
    with club.store.reading() as tx:
        return list(tx.execute(sa.select(table).where(*which)))


def of(club: MailClub, name: str) -> int:
    (row,) = rows(club, match, match.c.name == name)
    return row.id


@pytest.mark.parametrize("older", ["letters", "reports", "ended"])
def test_without_a_setting_everything_is_kept(club: MailClub, older: str) -> None:
    before = [len(rows(club, table)) for table in (report, email, match)]
    keeping(club, **{older: DAYS + 2 * A_DAY})
    assert [len(rows(club, table)) for table in (report, email, match)] == before
    assert all(row.sender for row in rows(club, email))


def test_old_reports_of_ended_matches_are_deleted(club: MailClub) -> None:
    last, other = club.loaded().match.ply, report.c.match_id == of(club, "other")
    goes_on = rows(club, report, other)
    assert "the old reports of 1 ended match were deleted, as [keep] says" in keeping(
        club, reports=DAYS
    )
    kept = rows(club, report, report.c.match_id == of(club, "m"))
    assert {(row.ply, row.seat) for row in kept} == {(last, "white"), (last, "black")}
    assert rows(club, report, other) == goes_on
    assert club.verify("m") == []


def test_old_emails_say_nothing_more(club: MailClub) -> None:
    keeping(club, letters=DAYS)
    ended = of(club, "m")
    assert {(row.sender, row.raw) for row in rows(club, email)} == {("", b"")}
    old = (outbox.c.match_id == ended, outbox.c.created_at < ENDED + A_DAY)
    assert {row.body for row in rows(club, outbox, *old)} == {"null"}
    assert {row.address for row in rows(club, outbox, *old)} == {None}
    others = rows(club, outbox, outbox.c.match_id == of(club, "other"))
    assert all(row.address for row in others if row.sent_at)


def test_old_messages_of_ended_matches_say_nothing_more(club: MailClub) -> None:
    to = club.address("white", "other")
    club.write("white", "PRESS TO black", "old words", "ENDPRESS", to=to, at=ENDED)
    club.run_tick(ENDED)
    keeping(club, letters=DAYS)
    kept = {row.match_id: row.body for row in rows(club, press)}
    assert kept == {of(club, "m"): None, of(club, "other"): '["old words"]'}
    assert "press" not in club.report("black")


def test_an_ended_match_keeps_its_log_and_its_last_reports(club: MailClub) -> None:
    told = keeping(club, ended=DAYS)
    assert "the old reports and the emails of 1 ended match were deleted, as [keep] says" in told
    ended = of(club, "m")
    assert rows(club, email, email.c.match_id == ended) == []
    assert rows(club, outbox, outbox.c.match_id == ended) == []
    assert club.verify("m") == []
    assert club.report("white", ENDED + DAYS)["log"]["lines"]
    club.write("black", "REPORT", at=ENDED + DAYS + A_DAY)
    (answer,) = club.run_tick(ENDED + DAYS + A_DAY)
    assert answer["To"] == "Bob <bob@example.org>"


def test_a_leap_of_the_clock_deletes_nothing(club: MailClub) -> None:
    club.context = replace(club.context, keep=Keep(reports=A_DAY))
    before = len(rows(club, report))
    club.run_tick(ENDED + DAYS)
    assert len(rows(club, report)) == before


@pytest.mark.parametrize("confirms", [False, True])
def test_a_command_of_a_player_s_own_to_a_seat_does_not_keep_a_match_from_being_archived(
    store, tmp_path, confirms: bool
) -> None:
    club = MailClub(store, tmp_path / "spool")
    cup = Cup(club, 4, "swiss")
    cup.start()
    club.run_tick()
    match_name, (first, _) = next(iter(cup.boards(1).items()))
    sender, seat = f"{first.lower()}@example.org", club.address("white", match_name)
    club.write("white", "WITHDRAW cup", sender=sender, to=seat)
    club.run_tick()
    for one in ("white", "black"):
        club.send(one, "SETUP RANDOM", match=match_name)
    club.run_tick()
    cup.resign(match_name, first)
    club.run_tick()
    if confirms:
        (waits,) = rows(club, parked_email)
        club.say(first, f"CONFIRM {waits.code}")
        club.run_tick()
        gone = [one["player"] for one in cup.shown()["entries"] if one["withdrawn"]]
        assert gone == [first]
    keeping(club, ended=A_DAY)
    (ended,) = rows(club, match, match.c.name == match_name)
    assert ended.archived_at is not None
    assert not rows(club, email, email.c.match_id == ended.id)
    (waits,) = rows(club, parked_email)
    (kept,) = rows(club, email, email.c.id == waits.letter_id)
    assert (kept.seat, kept.raw) == (None, b"")
    assert kept.player_id == waits.player_id
    keeping(club, letters=A_DAY)
    (waits,) = rows(club, parked_email)
    assert waits.text == ("" if confirms else "WITHDRAW cup")
