"""Several matches in one email (club, 4.1 and 4.2)."""

import json
import re
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.match_parts import split
from tests.club import MONDAY, Club, Context, Store
from tests.database import EMAILS_IN, EMAILS_OUT, open_store
from tests.inside import several_matches
from tests.service.mailclub import MailClub, text_of, value_in
from tests.service.test_kill import copy, disks, url, use

HOUR = timedelta(hours=1)
STRANGE = "mallory@example.net"


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    club = MailClub(store, tmp_path / "spool").opened()
    for name in ("m1", "m2"):
        club.new(name=name)
    club.run_tick()
    return club


def asked(club: MailClub, name: str, *lines: str, **headers: str) -> EmailMessage:
    club.say(name, *lines, **headers)
    (email,) = club.run_tick()
    return email


def test_a_text_is_split_by_match_and_keeps_the_numbers_of_its_lines() -> None:
    said = split("PREFS\nORDERS m1\na\nEND\nMATCH m2\nREADY\nORDERS M3\nb\nEND\nMATCH m1\nDRAW")
    assert said.own == "PREFS"
    found = {one.match: one.text.split("\n") for one in said.parts}
    assert [*found] == ["m1", "m2", "m3"]
    assert found["m1"] == ["", "ORDERS m1", "a", "END", "", "", "", "", "", "", "DRAW"]
    assert found["m2"][5] == "READY"
    assert found["m3"][6:] == ["ORDERS M3", "b", "END"]


def status_of(club: MailClub, letter_id: int = -1) -> str:
    with club.store.reading() as tx:
        found = tx.exec_driver_sql("SELECT status FROM letter ORDER BY id DESC").scalars().all()
    return str(found[0])


def test_one_email_orders_in_several_matches(club: MailClub) -> None:
    """Check 7 of the specification's section 18."""
    email = asked(
        club,
        "Anna",
        *("ORDERS m1", "SETUP RANDOM", "END"),
        *("MATCH m2", "READY"),
        *("ORDERS m9", "SETUP RANDOM", "END"),
    )
    assert email["Subject"] == "[adjud] 3 matches: 2 accepted, 1 NOT accepted"
    assert email["Reply-To"] == club.own("Anna")
    told = text_of(email)
    assert [told.index(one) for one in ("m1: accepted\n", "m2: accepted\n", "m9: NOT accepted\n")]
    assert "m1, white, turn 0: accepted, version 1" in told
    assert "SHA-256 of ADJUD3|m1|white|0|1|" in told
    assert "m2, white, turn 0: accepted" in told
    assert "You hold no seat in m9." in told
    assert club.loaded("m1").sheets["white"].revision == 1
    assert not club.loaded("m2").sheets
    assert status_of(club) == "accepted"
    assert not club.run_tick()


def test_an_email_of_which_a_part_waits_for_its_code_waits_as_a_whole(club: MailClub) -> None:
    """Whoever looks at its status, or at the answer, must see that something is left to do."""
    email = asked(club, "Anna", "MATCH m1", "SETUP RANDOM", "MATCH m2", "RESIGN")
    assert club.loaded("m1").sheets
    assert status_of(club) == "parked"
    assert email["X-Adjud"] == "confirm"
    email = asked(club, "Anna", "MATCH m9", "READY", "MATCH m2", "RESIGN")
    assert status_of(club) == "parked"
    assert email["X-Adjud"] == "confirm"


def test_what_is_above_the_first_match_is_the_writers_own(club: MailClub) -> None:
    email = asked(club, "Anna", "PREFS REMINDERS OFF", "MATCH m1", "SETUP RANDOM", "MATCH m2")
    told = text_of(email)
    assert told.index("eminders") < told.index("m1: accepted") < told.index("m2: NOT accepted")
    assert club.loaded("m1").sheets
    assert club.loaded("m1").holders["white"].reminders == "off"


def test_orders_of_no_match_are_named_and_not_read(club: MailClub) -> None:
    told = text_of(asked(club, "Anna", "SETUP RANDOM", "READY", "MATCH m1", "READY"))
    assert "name no match were NOT read" in told
    assert "READY is about one match" in told
    assert not club.loaded("m1").sheets


def test_below_a_misspelt_match_nothing_is_read_for_another(club: MailClub) -> None:
    asked(club, "Anna", "MATCH m1", "SETUP RANDOM")
    lines = ("MATCH m1", "READY", "MACTH m2", "CLEAR", "ORDERS m2", "SETUP RANDOM", "END")
    told = " ".join(text_of(asked(club, "Anna", *lines)).split())
    assert "Line 3 was not understood ('MACTH': did you mean MATCH m2?)." in told
    assert club.loaded("m1").sheets
    assert club.loaded("m2").sheets


def test_to_the_public_address_it_is_not_read_and_told_where_it_goes(club: MailClub) -> None:
    email = asked(club, "Anna", "MATCH m1", "READY", to="adjud@play.example.org")
    assert "NOT read" in email["Subject"]
    assert club.own("Anna") in text_of(email)


def test_the_first_of_many_matches_have_their_boards_and_the_email_stays_light(
    club: MailClub,
) -> None:
    """Half a board says little, and each report is heavy as a value."""
    names = [f"x{n}" for n in range(16)]
    for name in names:
        club.new(name=name)
        for seat in ("white", "black"):
            club.send(seat, "SETUP RANDOM", match=name)
    club.run_tick()
    told = text_of(asked(club, "Anna", *(f"MATCH {name}\nREPORT" for name in names)))
    value = value_in(club.way.letters[-1][2])
    boards = told.count("The board\n---------")
    assert 8 < boards < 16
    assert value.count(b'"type":"report"') == boards
    assert told.count("Part of this reply is missing here") == 16 - boards
    assert told.index("The board") < told.index("x1: accepted")
    assert len(value) < boards * 12_000 + 10_000


def test_the_lines_keep_their_numbers(club: MailClub) -> None:
    email = asked(club, "Anna", "ORDERS m1", "SETUP RANDOM", "END", "ORDERS m2", "nonsense", "END")
    assert email["Subject"] == "[adjud] 2 matches: 1 accepted, 1 NOT accepted"
    assert "line 5" in text_of(email)


def test_of_one_match_alone_it_is_as_to_its_seat(club: MailClub) -> None:
    email = asked(club, "Anna", "ORDERS m1", "SETUP RANDOM", "END")
    assert email["Subject"] == "[m1] Turn 0: your orders are in"
    told = text_of(asked(club, "Anna", "MATCH m1", "REPORT"))
    assert "m1: accepted" in told
    assert "ORDERS m1 white turn 0" in told


def test_of_one_match_alone_the_subject_says_that_its_orders_were_played(club: MailClub) -> None:
    club.new("settle=0 minutes", name="quick")
    club.run_tick()
    club.send("black", "SETUP RANDOM", match="quick")
    club.say("Anna", "ORDERS quick", "SETUP RANDOM", "END")
    subjects = [str(one["Subject"]) for one in club.run_tick() if "anna" in one["To"]]
    assert "[quick] Turn 0: your orders were carried out, version 1" in subjects


def test_all_is_tried_out(club: MailClub) -> None:
    told = text_of(
        asked(club, "Anna", "CHECK", "ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")
    )
    assert not club.loaded("m1").sheets
    assert "m1, white, turn 0: would be accepted" in told
    assert club.loaded("m2").holders["white"].not_ready_ply is None


def test_from_another_address_all_of_it_waits_for_one_code(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    lines = ("LANGUAGE nb", "ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")
    told = " ".join(text_of(asked(club, "Anna", *lines, sender=STRANGE)).split())
    assert "This is what it asks for: LANGUAGE nb, orders in m1, READY in m2." in told
    assert not club.loaded("m1").sheets
    email = asked(club, "Anna", "CONFIRM WANT22", sender=STRANGE)
    assert "anna@example.org" in email["To"]
    assert club.loaded("m1").sheets
    assert club.loaded("m1").holders["white"].language == "nb"
    assert "m2" in text_of(email)


def test_what_waited_for_a_code_is_for_the_turn_that_was_awaited_then(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    asked(club, "Anna", "ORDERS m1", "SETUP RANDOM", "END", sender=STRANGE)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="m1")
    club.run_tick(MONDAY + HOUR)
    assert club.loaded("m1").match.ply == 1
    club.say("Anna", "CONFIRM WANT22", at=MONDAY + HOUR)
    emails = club.run_tick(MONDAY + HOUR)
    told = " ".join(text_of(emails[-1]).split())
    assert "What your email said of m1 was for an earlier turn." in told


def test_each_match_is_judged_by_its_own_level(club: MailClub) -> None:
    club.new("level=confirm", name="careful")
    club.run_tick()
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    lines = ("ORDERS m1", "SETUP RANDOM", "END", "ORDERS careful", "SETUP RANDOM", "END")
    email = asked(club, "Anna", *lines)
    assert email["Subject"] == "[adjud] 2 matches: 1 accepted, 1 to confirm"
    assert "CONFIRM WANT22" in text_of(email)
    assert not club.loaded("careful").sheets
    email = asked(club, "Anna", "CONFIRM WANT22")
    assert club.loaded("careful").sheets
    assert "careful" in email["Subject"]


def test_what_waits_at_its_level_is_for_the_turn_that_was_awaited_then(club: MailClub) -> None:
    club.new("level=confirm", name="careful")
    club.run_tick()
    codes = iter(("WANT22", "WANT33", "WANT44"))
    club.context = structs.replace(club.context, coder=lambda: next(codes))
    asked(club, "Anna", "ORDERS careful", "SETUP RANDOM", "END")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="careful")
    club.run_tick(MONDAY + HOUR)
    assert club.loaded("careful").match.ply == 1
    club.say("Anna", "MATCH careful", "CONFIRM WANT22", at=MONDAY + HOUR)
    told = " ".join(text_of(club.run_tick(MONDAY + HOUR)[-1]).split())
    assert "waiting under the code WANT22 was for an earlier turn" in told


def test_all_codes_of_one_answer_may_come_back_in_one_email(club: MailClub) -> None:
    codes = iter(("WANT22", "WANT33"))
    club.context = structs.replace(club.context, coder=lambda: next(codes))
    asked(club, "Anna", "MATCH m1", "RESIGN", "MATCH m2", "RESIGN")
    club.say("Anna", "CONFIRM WANT22", "CONFIRM WANT33")
    club.run_tick()
    assert [club.loaded(match).match.status for match in ("m1", "m2")] == ["over", "over"]


def test_below_a_wrong_code_none_is_tried(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    asked(club, "Anna", "MATCH m1", "RESIGN")
    told = text_of(asked(club, "Anna", "CONFIRM WRNG22", "CONFIRM WANT22"))
    assert "The codes below it were not tried." in told
    assert club.loaded("m1").match.status == "playing"


def test_wrong_codes_count_for_what_waits_for_a_seat(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    asked(club, "Anna", "MATCH m1", "RESIGN")
    assert "CONFIRM WANT22" in text_of(asked(club, "Anna", "Yes, I did that"))
    for n in range(5):
        told = " ".join(text_of(asked(club, "Anna", f"CONFIRM WRNG{n}2")).split())
    assert "Too many wrong codes came" in told
    asked(club, "Anna", "CONFIRM WANT22")
    assert club.loaded("m1").match.status == "playing"


def test_a_resignation_is_asked_for_in_its_match(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    email = asked(club, "Anna", "MATCH m1", "RESIGN", "MATCH m2", "READY")
    assert email["Subject"] == "[adjud] 2 matches: 1 accepted, 1 to confirm"
    club.say("Anna", "CONFIRM WANT22")
    club.run_tick()
    assert club.loaded("m1").match.status == "over"
    assert club.loaded("m2").match.status == "playing"


def test_a_report_is_answered_with_orders_for_another_match_too(club: MailClub) -> None:
    """What comes to a seat's address and names another match is read as if it had come to the
    player's own; above the first MATCH it is of the seat's match."""
    club.write("white", "SETUP RANDOM", "MATCH m2", "READY", to=club.address("white", "m1"))
    (email,) = club.run_tick()
    assert email["Subject"] == "[adjud] 2 matches: 2 accepted"
    assert club.loaded("m1").sheets
    assert email["Reply-To"] == club.own("Anna")


def test_a_stranger_at_a_seats_address_is_told_where_such_emails_go(club: MailClub) -> None:
    to = club.address("white", "m1")
    club.write("white", "SETUP RANDOM", "MATCH m2", "READY", to=to, sender=STRANGE)
    (email,) = club.run_tick()
    assert "anna@example.org" in email["To"]
    assert club.own("Anna") in " ".join(text_of(email).split())
    assert not club.loaded("m1").sheets


def test_a_sheet_of_another_match_is_refused_at_a_seats_address(club: MailClub) -> None:
    club.write("white", "ORDERS m2", "SETUP RANDOM", "END", to=club.address("white", "m1"))
    (email,) = club.run_tick()
    assert club.own("Anna") in " ".join(text_of(email).split())
    assert not club.loaded("m2").sheets


def test_it_came_twice(club: MailClub) -> None:
    lines = ("ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")
    first = asked(club, "Anna", *lines)
    club.post(club.raws[-1], club.own("Anna"), "anna@example.org")
    (again,) = club.run_tick()
    assert text_of(again) == text_of(first)
    assert club.loaded("m1").sheets["white"].revision == 1
    club.post(club.raws[-1], club.own("Anna"), "anna@example.org")
    assert not club.run_tick()


def test_at_a_match_that_cannot_be_read_the_others_go_on(club: MailClub) -> None:
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET game = 'chess' WHERE name = 'm1'")
    club.say("Anna", "ORDERS m1", "SETUP RANDOM", "END", "ORDERS m2", "SETUP RANDOM", "END")
    emails = [one for one in club.run_tick() if one["Reply-To"] == club.own("Anna")]
    assert [one["Subject"] for one in emails] == ["[adjud] 2 matches: 1 accepted, 1 NOT accepted"]
    assert "has arrived and is saved" in " ".join(text_of(emails[0]).split())
    assert club.loaded("m2").sheets
    assert status_of(club) == "stuck"
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET game = 'espionage' WHERE name = 'm1'")
        tx.exec_driver_sql("UPDATE letter SET status = 'received' WHERE status = 'stuck'")
    emails = [one for one in club.run_tick() if one["Reply-To"] == club.own("Anna")]
    assert [one["Subject"] for one in emails] == ["[m1] Turn 0: your orders are in"]
    assert club.loaded("m1").sheets["white"].revision == 1
    assert club.loaded("m2").sheets["white"].revision == 1


def test_a_fault_at_one_part_stops_no_other(
    club: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    club.context = structs.replace(club.context, raise_faults=False)
    carry_out = several_matches.seat_email.answer_part

    def stumble(s, opened, whose, parked, **others):
        if whose.loaded.match.name == "m1":
            raise ArithmeticError
        return carry_out(s, opened, whose, parked, **others)

    monkeypatch.setattr(several_matches.seat_email, "answer_part", stumble)
    club.say("Anna", "ORDERS m1", "SETUP RANDOM", "END", "ORDERS m2", "SETUP RANDOM", "END")
    emails = [one for one in club.run_tick() if one["Reply-To"] == club.own("Anna")]
    assert "a human will look at it" in " ".join(text_of(emails[0]).split())
    assert club.loaded("m2").sheets
    assert status_of(club) == "stuck"


def test_nothing_of_a_part_stays_once_it_is_answered(club: MailClub) -> None:
    asked(club, "Anna", "ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")
    with club.store.reading() as tx:
        rows = tx.exec_driver_sql(
            "SELECT match, seat, status, ply, revision, text, reply FROM letter_part"
            " ORDER BY number"
        ).all()
    assert [tuple(row) for row in rows] == [
        ("m1", "white", "accepted", 1, 1, "", None),
        ("m2", "white", "accepted", 1, None, "", None),
    ]


# Killed, restored, two workers, several languages.


def rows_of_email(store: Store) -> list[object]:
    """Return all that an email leaves, but for how often it was tried."""
    with store.reading() as tx:
        wanted = (
            "SELECT match_id, ply, seat, revision, text, status, letter_id FROM submission",
            "SELECT match_id, seat, word FROM said",
            "SELECT name, not_ready_ply FROM seat",
            "SELECT id, status, reason, player_id FROM letter",
            "SELECT * FROM letter_part",
            "SELECT key, kind, body, status FROM outbox",
        )
        return [[tuple(row) for row in tx.exec_driver_sql(one)] for one in wanted]


def reading_all(context: Context) -> Callable[[Store], object]:
    return lambda store: [*Club(store, context).read_all()]


LINES = (
    *("PREFS REMINDERS OFF", "ORDERS m1", "SETUP RANDOM", "END"),
    *("MATCH m2", "READY", "ORDERS m9", "SETUP RANDOM", "END"),
)


def test_killed_at_any_moment_each_part_is_carried_out_once(club: MailClub, tmp_path: Path) -> None:
    """Check 7: the second half."""
    club.say("Anna", *LINES)
    path = Path(str(club.store.engine.url.database))
    [*club.collect(club.folder)]
    club.store.close()
    work = reading_all(club.context)
    clean = copy(path, path.with_name("clean.db"))
    use(clean, work)
    store = open_store(url(clean))
    expected = rows_of_email(store)
    store.close()
    statements, killed = disks(path, work)
    assert statements > 100
    assert len(killed) > 5
    for disk in killed:
        use(disk, work)
        store = open_store(url(disk))
        assert rows_of_email(store) == expected, disk.name
        store.close()


def test_an_answer_to_an_answer_is_for_the_turn_that_this_one_told(club: MailClub) -> None:
    email = asked(club, "Anna", "ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")
    club.send("black", "SETUP RANDOM", match="m1")
    club.run_tick(MONDAY + HOUR)
    assert club.loaded("m1").match.turn == 1
    club.say("Anna", "MATCH m1", "SETUP RANDOM", at=MONDAY + HOUR, In_Reply_To=email["Message-ID"])
    told = " ".join(text_of(club.run_tick(MONDAY + HOUR)[-1]).split())
    assert "turn 0" in told


def test_an_answer_to_a_daily_email_is_for_the_turns_that_it_told(club: MailClub) -> None:
    asked(club, "Anna", "PREFS LETTERS DAILY")
    club.new("deadline=every 9 days", name="slow")
    club.run_tick()
    morning = MONDAY + timedelta(days=1)
    daily = next(one for one in club.run_tick(morning) if one["X-Adjud"] == "daily")
    assert "Espionage slow, Set-up, turn 0" in text_of(daily)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", match="slow", now=morning)
    club.run_tick(morning + HOUR)
    assert club.loaded("slow").match.turn == 1
    at = morning + HOUR
    for answered, is_late in ((daily["Message-ID"], True), ("<other@example.org>", False)):
        club.say("Anna", "MATCH slow", "a3-a4", "b3-b4", at=at, In_Reply_To=answered)
        answer = next(one for one in club.run_tick(at) if one["Reply-To"] == club.own("Anna"))
        told = " ".join(text_of(answer).split())
        assert ("replies to the report of turn 0, but the current turn is 1" in told) is is_late


@pytest.mark.parametrize(
    ("language", "line", "heading"),
    [
        ("nb", "PARTI m1", "m1: godtatt"),
        ("sv", "PARTI m1", "m1: godkänt"),
    ],
)
def test_it_is_written_and_answered_in_other_languages(
    club: MailClub, language: str, line: str, heading: str
) -> None:
    asked(club, "Anna", f"LANGUAGE {language}")
    told = text_of(asked(club, "Anna", line, "SETUP RANDOM", "PARTI m2", "KLAR"))
    assert heading in told
    assert club.loaded("m1").sheets


def test_the_operator_sees_the_same_whatever_a_player_writes_to_his_own_address(
    new_sqlite: Callable[[str], str], tmp_path: Path
) -> None:
    seen = []
    for lines in (("STATUS",), ("ORDERS m1", "SETUP RANDOM", "END", "MATCH m2", "READY")):
        name = f"club-{len(seen)}"
        club = MailClub(open_store(new_sqlite(name)), tmp_path / f"spool-{name}").opened()
        for match in ("m1", "m2"):
            club.new(name=match)
        club.run_tick()
        asked(club, "Anna", *lines)
        shown = [re.sub(r"(?:out|in)-\w+", "id", line) for line in club.told]
        with club.store.reading() as tx:
            out = [one.key for one in EMAILS_OUT.emails(tx, discreet=True)]
            came = [one.id for one in EMAILS_IN.emails(tx, discreet=True)]
        exported = club.export_player("Anna", noting=False)
        told = json.dumps([shown, out, came, exported], default=str)
        seen.append([told, *(repr(club.status(one)) for one in ("m1", "m2"))])
        club.store.close()
    assert seen[0] == seen[1]


@pytest.mark.parametrize("quoted", ["m1", "m2"])
def test_a_quoted_sheet_of_another_match_refuses_no_orders(club: MailClub, quoted: str) -> None:
    email = asked(
        club,
        "Anna",
        *("MATCH m1", "SETUP RANDOM", "", "On Tue, 24 Nov 2026, The Friday Club wrote:"),
        *(f"> ORDERS {quoted} white turn 0", "> SETUP RANDOM", "> END"),
    )
    both = "Your email has orders in your own lines and also in the quoted email."
    assert (both in " ".join(text_of(email).split())) == (quoted == "m1")
    found = {name: "white" in club.loaded(name).sheets for name in ("m1", "m2")}
    assert found == {"m1": quoted == "m2", "m2": quoted == "m2"}
