"""A time zone or a language that is not known any more: UTC and English stand in for it, the
operator is told its name, and it can be changed."""

import re
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from tests.club import MONDAY, Changes, NewLadder, Pages, Store
from tests.inside import ladder_tables, unknown_choices
from tests.service.cups import Cup, all_of_club
from tests.service.mailclub import MailClub, text_of, value_in
from tests.service.test_jobs import to_operator

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ACCEPT = re.compile(r"^ACCEPT (\w+)$", re.MULTILINE)
GONE = "US/Pacific-New"
WEEKLY = ("deadline=Tue,Fri 18:00", "timezone=Europe/Oslo")


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    made = MailClub(store, tmp_path / "spool").opened(*WEEKLY)
    made.context = structs.replace(made.context, raise_faults=False)
    return made


def damage(club: MailClub, *statements: str) -> None:
    with club.store.transaction() as tx:
        for one in statements:
            assert tx.exec_driver_sql(one).rowcount > 0


def an_upgrade_takes_it_away(club: MailClub, table: str) -> None:
    damage(club, f"UPDATE {table} SET options = replace(options, 'Europe/Oslo', '{GONE}')")


def test_a_match_is_played_on_with_utc_and_its_zone_can_be_changed(club: MailClub) -> None:
    an_upgrade_takes_it_away(club, "match")
    for seat in ("white", "black"):
        club.write(seat, "SETUP RANDOM")
    emails = [*club.run_tick(), *club.run_tick(MONDAY + HOUR)]
    loaded = club.loaded()
    assert (loaded.match.status, loaded.match.ply) == ("playing", 1)
    assert str(loaded.match.deadline_at) == "2026-11-24 18:00:00+00:00"
    (told,) = to_operator(emails)
    assert told.startswith(f"m: the time zone '{GONE}' is not known any more")
    texts = ["timezone=America/Los_Angeles"]
    club.change_options("m", texts, now=MONDAY + HOUR)
    assert club.loaded().match.options["timezone"] == "America/Los_Angeles"
    with club.store.reading() as tx:
        assert unknown_choices.find_unknown(tx) == []


def test_a_player_reads_utc_and_english_until_it_is_changed(club: MailClub) -> None:
    gone = f"zone = '{GONE}', language = 'xx', reminders = 'daily'"
    damage(club, f"UPDATE player SET {gone} WHERE name = 'Anna'")
    for seat in ("white", "black"):
        club.write(seat, "SETUP RANDOM")
    emails = [*club.run_tick(), *club.run_tick(MONDAY + 28 * HOUR)]
    report, digest = (
        next(text_of(one) for one in emails if "anna" in one["To"] and one["X-Adjud"] == kind)
        for kind in ("report", "reminder")
    )
    assert "Tue 24 Nov 2026, 17:00 UTC" in report
    assert "Tue 24 Nov 2026, 17:00 UTC" in digest
    (written,) = [one for one in emails if "anna" in one["To"] and one["X-Adjud"] == "report"][:1]
    assert b'"zone":"UTC"' in value_in(written.as_bytes())  # for who makes it again
    of_language, of_zone = to_operator(emails)
    assert of_zone.startswith(f"Anna: the time zone '{GONE}' is not known any more")
    assert of_language.startswith("Anna: the language 'xx' is not known, so emails are in English.")
    club.write("white", "ZONE Europe/Oslo", "LANGUAGE sv", at=MONDAY + 29 * HOUR)
    club.run_tick(MONDAY + 29 * HOUR)
    with club.store.reading() as tx:
        assert unknown_choices.find_unknown(tx) == []


def test_days_of_absence_and_one_email_a_day_go_by_utc(club: MailClub) -> None:
    club.say("Anna", "PREFS LETTERS DAILY", "ABSENCE 2026-12-01 2026-12-03")
    club.run_tick()
    damage(club, f"UPDATE player SET zone = '{GONE}' WHERE name = 'Anna'")
    for seat in ("white", "black"):
        club.write(seat, "SETUP RANDOM")
    club.run_tick(MONDAY + 5 * DAY)
    emails = club.run_tick(MONDAY + 6 * DAY)
    (daily,) = [text_of(one) for one in emails if "anna" in one["To"]]
    assert "All times are those of UTC." in daily
    wanted = Changes(zone="Europe/Oslo")
    club.change("Anna", wanted, now=MONDAY + 6 * DAY, sends_mail=True)


def test_a_tournament_and_a_ladder_make_matches_with_utc(club: MailClub) -> None:
    Cup(club, 4, "knockout", options=["timezone=Europe/Oslo"])
    wanted = NewLadder(
        name="spring", game="espionage", variant="small", options=["timezone=Europe/Oslo"]
    )
    club.create_ladder(wanted)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name)
    for table in ("tournament", "ladder"):
        an_upgrade_takes_it_away(club, table)
    club.say("Bob", "INVITE Anna TO spring")
    emails = club.run_tick()
    (code,) = (one for email in emails for one in ACCEPT.findall(text_of(email)))
    club.say("Anna", f"ACCEPT {code}")
    club.start_tournament("cup")
    club.run_tick()
    for match in ("cup-1-1", "spring-1"):
        assert club.loaded(match).match.options["timezone"] == "UTC"
    told = to_operator(club.run_tick(MONDAY + DAY))
    assert any(one.startswith("spring, cup: the time zone") for one in told)


@pytest.mark.parametrize(
    ("table", "name", "damage_"),
    [
        ("ladder", "spring", "options = 'garbage'"),
        ("ladder", "spring", "variant = 'strange'"),
        ("tournament", "cup", "options = 'garbage'"),
        ("tournament", "cup", "format = '[]'"),
        ("tournament", "cup", "kind = 'strange'"),
    ],
)
def test_one_that_cannot_be_read_keeps_no_other_from_being_shown(
    club: MailClub, tmp_path: Path, table: str, name: str, damage_: str
) -> None:
    Cup(club, 4, "knockout")
    for one in ("spring", "autumn"):
        wanted = NewLadder(name=one, game="espionage", variant="small")
        club.create_ladder(wanted)
    club.context = structs.replace(club.context, pages=Pages(tmp_path / "www"))
    damage(club, f"UPDATE {table} SET {damage_} WHERE name = '{name}'")
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    assert "the club's pages are built" in club.told
    assert (tmp_path / "www/ladders/autumn.html").exists()
    shown = [one.row.name for one in ladder_tables.all_of_club(club.store)]
    shown += [one.row.name for one in all_of_club(club.store)]
    assert shown == [one for one in ("spring", "autumn", "cup") if one != name]
    assert "autumn" in text_of(email_to_all(club, "TABLE nothing"))
    with club.store.reading() as tx:
        told = unknown_choices.messages_for_doctor(tx)
    assert [str(one) for one in told] == [
        f"{name} cannot be read: a fault in its rows. It is not shown and does not go on until "
        "they are mended"
    ]


def email_to_all(club: MailClub, line: str) -> EmailMessage:
    """Return the answer to a line that anybody writes to the club."""
    club.write("white", line, to="adjud@play.example.org", sender="zed@example.org")
    (answer,) = [one for one in club.run_tick() if "zed" in one["To"]]
    return answer
