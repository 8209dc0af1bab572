"""Substitutes (club, 6.3), by emails."""

import re
from collections.abc import Sequence
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from tests.club import MONDAY, Store, plain
from tests.service.mailclub import MailClub, text_of

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
DUE = MONDAY + DAY
OPTIONS = ("deadline=every 1 day", "absence=forfeit", "substitutes=on")
HELPERS = ("Cleo", "Dag", "Eva", "Finn", "Gro")


def made(
    store: Store,
    folder: Path,
    *options: str,
    helpers: Sequence[str] = HELPERS,
    max_gap: timedelta | None = None,
) -> MailClub:
    club = MailClub(store, folder)
    codes = (f"CDE{n}" for n in range(200, 999))
    rules = {"coder": lambda: next(codes), "max_silent": None, "max_gap": max_gap}
    club.context = structs.replace(club.context, **rules)
    club.opened(*options)
    club.add(*helpers)
    for name in helpers:
        club.say(name, "PREFS SUBSTITUTE ON")
    club.run_tick()
    return club


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    """A set-up that both players are to order, which is due on Tuesday."""
    return made(store, tmp_path / "spool", *OPTIONS)


def offers_in(emails: Sequence[EmailMessage]) -> dict[str, str]:
    """Return the code of each player's offer."""
    found = {}
    for one in emails:
        code = re.search(r"^ACCEPT (\w+)$", text_of(one), re.MULTILINE)
        if code:
            found[str(one["To"]).partition("@")[0].capitalize()] = code[1]
    return found


def to(emails: Sequence[EmailMessage], name: str) -> list[str]:
    mine = (one for one in emails if f"{name.lower()}@example.org" in one["To"])
    return [" ".join(text_of(one).split()) for one in mine]


def rows(club: MailClub, statement: str) -> list[tuple[object, ...]]:
    with club.store.reading() as tx:
        return [tuple(row) for row in tx.exec_driver_sql(statement)]


def test_a_silent_seat_goes_to_the_first_who_accepts(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    emails = club.run_tick(DUE)
    assert club.told == ["m: the deadline has passed; looking for substitutes"]
    codes = offers_in(emails)
    assert len(codes) == 3
    for name in ("Anna", "Bob"):
        (told,) = to(emails, name)
        assert "Until Fri 27 Nov 2026, 12:00 UTC, other players are asked to take over" in told
        assert "forfeits the match" in told
    first, second, _ = codes
    club.say(second, f"ACCEPT {codes[second]}", at=DUE + HOUR)
    emails = club.run_tick(DUE + HOUR)
    assert "You now play Black in m." in to(emails, second)[0]
    assert any("Turn 0" in one["Subject"] and second.lower() in one["To"] for one in emails)
    (told,) = to(emails, "Bob")
    assert "You sent no orders in time, so a substitute now plays your seat, Black in m." in told
    (told,) = to(emails, "Anna")
    assert f"{second} now plays Black. The deadline is now" in told
    assert "The seat was given to a substitute." in told
    assert club.loaded().holders["black"].player_name == second
    club.say(first, f"ACCEPT {codes[first]}", at=DUE + HOUR)
    (told,) = to(club.run_tick(DUE + HOUR), first)
    assert "Another player accepted this offer before you." in told
    # The former holder has left the match, which counts.
    assert rows(club, "SELECT count(*) FROM conduct WHERE kind = 'left'") == [(1,)]


def test_silence_costs_the_same_after_three_days_in_vain(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    asked = [*offers_in(club.run_tick(DUE))]
    asked += offers_in(club.run_tick(DUE + DAY))
    assert sorted(asked) == sorted(HELPERS)  # each once
    assert not offers_in(club.run_tick(DUE + 2 * DAY))
    club.run_tick(DUE + 3 * DAY - HOUR)
    assert club.loaded().match.status == "playing"
    emails = club.run_tick(DUE + 3 * DAY)
    assert club.told == ["m: adjudicated; the match is over"]
    assert "Black sent no orders in time." in " ".join(to(emails, "Anna"))
    assert rows(club, "SELECT DISTINCT status FROM substitute_search") == [("ended",)]
    assert {row[0] for row in rows(club, "SELECT status FROM offer")} <= {"withdrawn", "expired"}


def test_orders_that_come_end_the_search_and_nobody_is_wanted_any_more(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    codes = offers_in(club.run_tick(DUE))
    club.write("black", "SETUP RANDOM", at=DUE + HOUR)
    first, second, third = codes
    club.say(first, f"ACCEPT {codes[first]}", at=DUE + HOUR + timedelta(minutes=1))
    emails = club.run_tick(DUE + HOUR + timedelta(minutes=2))
    assert "A substitute in m is no longer needed." in to(emails, first)[0]
    assert club.loaded().match.ply == 1
    club.say(second, f"ACCEPT {codes[second]}", at=DUE + 2 * HOUR)
    assert "no longer needed" in to(club.run_tick(DUE + 2 * HOUR), second)[0]
    club.say(third, f"ACCEPT {codes[third]}", at=DUE + 9 * DAY)
    assert "no longer needed" in to(club.run_tick(DUE + 9 * DAY), third)[0]


def test_a_match_without_the_option_plays_as_before(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS[:2])
    club.write("white", "SETUP RANDOM")
    assert not offers_in(club.run_tick(DUE))
    assert club.loaded().match.status == "over"


def test_two_silent_seats_are_one_search_and_a_new_holder_gives_both_time(club: MailClub) -> None:
    codes = offers_in(club.run_tick(DUE))
    assert len(codes) == 3
    first, second, _ = codes
    for name in (first, second):
        club.say(name, f"ACCEPT {codes[name]}", at=DUE + HOUR)
    emails = club.run_tick(DUE + HOUR)
    assert "You now play" in to(emails, first)[0]
    assert "Another player accepted" in to(emails, second)[0]
    assert club.loaded().match.deadline_at == DUE + HOUR + DAY
    # Who is silent again gets three days again.
    assert len(offers_in(club.run_tick(DUE + HOUR + DAY))) == 3


def test_an_offer_does_not_say_which_seat_it_is(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    emails = [one for one in club.run_tick(DUE) if offers_in([one])]
    for one in emails:
        told = text_of(one)
        assert "  White: Anna\n  Black: Bob\n" in told
        assert "Black" not in told.replace("  Black: Bob", "")
        assert "silent" not in told
        assert one["Subject"] == "[adjud] Please answer: the offer to play on in m as a substitute"
        assert "The offer is open until Fri 27 Nov 2026, 12:00 UTC." in " ".join(told.split())


# SUBSTITUTE


def test_a_holder_asks_for_a_substitute_and_plays_on_meanwhile(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", "deadline=every 9 days")
    club.write("black", "SUBSTITUTE", "SETUP RANDOM")
    emails = club.run_tick()
    assert club.told == []
    (told,) = to(emails, "Bob")
    assert "Until Mon 7 Dec 2026, 12:00 UTC, other players are asked" in told
    assert "Your current orders: version 1" in told
    assert to(emails, "Anna") == []
    club.write("black", "STATUS")
    (told,) = to(club.run_tick(), "Bob")
    assert "other players are asked to take over your seat in m." in told
    codes = offers_in(emails)
    assert len(codes) == 3
    taker = [*codes][2]
    club.say(taker, f"ACCEPT {codes[taker]}", at=MONDAY + HOUR)
    emails = club.run_tick(MONDAY + HOUR)
    assert "as you wished" in to(emails, "Bob")[0]
    assert f"{taker} now plays Black." in to(emails, "Anna")[0]
    assert "black" not in club.loaded().sheets  # what the former holder sent has ended with him
    assert rows(club, "SELECT count(*) FROM conduct WHERE kind = 'left'") == [(0,)]


def test_it_can_be_asked_in_an_email_about_several_matches(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", "deadline=every 9 days")
    club.new("deadline=every 9 days", name="n")
    club.run_tick()
    club.say("Bob", "MATCH n", "SUBSTITUTE", "MATCH m", "STATUS")
    emails = club.run_tick()
    assert "take over your seat in n" in " ".join(to(emails, "Bob"))
    assert all("seat in n " in " ".join(text_of(one).split()) for one in emails
               if offers_in([one]))  # fmt: skip
    assert len(offers_in(emails)) == 3


@pytest.mark.parametrize("word", ["SUBSTITUTE OFF", "VIKAR AV", "VIKARIE AV"])
def test_a_holder_takes_it_back(store: Store, tmp_path: Path, word: str) -> None:
    club = made(store, tmp_path / "spool", "deadline=every 9 days")
    club.write("black", "SUBSTITUTE")
    codes = offers_in(club.run_tick())
    club.write("black", word)
    (told,) = to(club.run_tick(), "Bob")
    assert "You keep your seat." in told
    name = next(iter(codes))
    club.say(name, f"ACCEPT {codes[name]}")
    assert "no longer needed" in to(club.run_tick(), name)[0]
    club.write("black", "SUBSTITUTE OFF")
    assert "You have not asked for a substitute in m." in to(club.run_tick(), "Bob")[0]
    # Who asks again asks others.
    club.write("black", "SUBSTITUTE")
    assert not {*codes} & {*offers_in(club.run_tick())}


def test_after_fourteen_days_the_holder_is_told_that_nobody_came(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", "deadline=every 30 days")
    club.write("black", "SUBSTITUTE")
    for day in range(14):
        club.run_tick(MONDAY + day * DAY)
    emails = club.run_tick(MONDAY + 14 * DAY)
    (told,) = to(emails, "Bob")
    assert "Nobody has taken over your seat in m." in told
    assert not club.run_tick(MONDAY + 15 * DAY)
    assert club.loaded().holders["black"].player_name == "Bob"


def test_asking_stops_no_deadline(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS[:2])
    club.write("white", "SETUP RANDOM")
    club.write("black", "SUBSTITUTE")
    club.run_tick()
    club.run_tick(DUE)
    assert club.loaded().match.status == "over"


# Who is asked.


def test_only_those_who_may_play_are_asked(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS)
    club.add("Ann", address="anna@example.org")
    club.add_player(
        "Una", "una@example.org", language="en", zone="UTC", confirmed=False, sends_mail=False
    )
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE player SET substitute = 'on'")
    club.say("Cleo", "PREFS SUBSTITUTE OFF")
    club.say("Dag", "ABSENCE 2026-11-24 TO 2026-11-24")
    club.run_tick()
    told = {*offers_in(club.run_tick(DUE)), *offers_in(club.run_tick(DUE + DAY))}
    assert told == {"Dag", "Eva", "Finn", "Gro"}  # Dag on the second day


def test_who_is_below_reliable_is_not_asked_and_cannot_accept(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, "reliable=90")

    def misses(name: str) -> None:
        with store.transaction() as tx:
            day = "INSERT INTO conduct_day SELECT id, ?, 0, 1, 0, 0 FROM player WHERE name = ?"
            for n in range(1, 22):
                tx.exec_driver_sql(day, (f"2026-11-{n:02}", name))

    for name in ("Cleo", "Dag", "Eva"):
        misses(name)
    codes = offers_in(club.run_tick(DUE))
    assert sorted(codes) == ["Finn", "Gro"]
    misses("Gro")
    club.say("Gro", f"ACCEPT {codes['Gro']}", at=DUE)
    (told,) = to(club.run_tick(DUE), "Gro")
    assert "this match asks for 90 % of turns on time" in told
    assert "The offer is still open." in told
    club.say("Gro", f"DECLINE {codes['Gro']}", at=DUE)
    (told,) = to(club.run_tick(DUE), "Gro")
    assert "You have declined the offer to play on in m as a substitute." in told


def test_five_wrong_codes_end_the_offer_and_the_next_day_brings_no_other(club: MailClub) -> None:
    codes = offers_in(club.run_tick(DUE))
    name = next(iter(codes))
    for n in range(5):
        club.say(name, f"ACCEPT WRNG{n}2", at=DUE)
    assert "your open offers have ended" in " ".join(to(club.run_tick(DUE), name))
    assert name not in offers_in(club.run_tick(DUE + DAY))


def test_who_is_removed_is_asked_no_more(club: MailClub) -> None:
    codes = [*offers_in(club.run_tick(DUE))]
    club.remove(codes[1])
    assert rows(club, "SELECT count(*) FROM offer WHERE status = 'open'") == [(2,)]
    assert len(offers_in(club.run_tick(DUE + DAY))) == 2


def test_who_had_a_seat_of_the_match_is_not_asked(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, helpers=("Cleo", "Dag"))
    for name in ("Cleo", "Eva"):
        if name == "Eva":
            club.add("Eva")
        club.replace("m", "black", name, reason="x")
    assert [*offers_in(club.run_tick(DUE))] == ["Dag"]


def test_the_first_three_follow_from_seed_and_ply(club: MailClub) -> None:
    first = [*offers_in(club.run_tick(DUE))]
    assert first != sorted(first) or first != [*HELPERS[:3]]


# What may not be seen.


def all_seen(club: MailClub) -> list[object]:
    listed = [plain(one) for one in club.queue([])]
    return [club.told, listed]


def test_the_operators_queue_does_not_show_who_is_asked(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    assert offers_in(club.run_tick(DUE))
    assert not [one for one in all_seen(club)[1] if one["kind"] == "substitute"]  # type: ignore[index,attr-defined]
    assert not [one for one in all_seen(club)[1] if "offer" in one["key"]]  # type: ignore[index,attr-defined]


def test_the_numbers_of_other_offers_do_not_tell_that_some_were_made(club: MailClub) -> None:
    club.write("white", "SUBSTITUTE")
    assert len(offers_in(club.run_tick())) == 3
    club.say("Cleo", "INVITE Dag TO espionage")
    club.run_tick()
    keys = [one["key"] for one in all_seen(club)[1] if "offer" in one["key"]]  # type: ignore[index,attr-defined]
    assert [key.partition("/offer/")[2] for key in keys] == ["1"]


def test_an_offer_expires_without_a_line_of_the_tick(store: Store, tmp_path: Path) -> None:
    club = made(store, tmp_path / "spool", "deadline=every 30 days")
    club.write("black", "SUBSTITUTE")
    club.run_tick()
    club.run_tick(MONDAY + 7 * DAY)
    assert club.told == []
    found = rows(club, "SELECT status, count(*) FROM offer GROUP BY status ORDER BY status")
    assert found == [("expired", 3), ("open", 2)]


def test_nothing_is_looked_for_in_a_tick_that_doubts_the_clock(
    store: Store, tmp_path: Path
) -> None:
    club = made(store, tmp_path / "spool", *OPTIONS, max_gap=DAY)
    club.write("white", "SETUP RANDOM")
    club.run_tick()
    assert offers_in(club.run_tick(DUE))
    club.run_tick(DUE + 9 * DAY)
    assert club.loaded().match.status == "held"
    assert rows(club, "SELECT status FROM substitute_search") == [("open",)]
    club.resume("m", reason="x", extend=DAY, now=DUE + 9 * DAY)
    club.run_tick(DUE + 9 * DAY)
    assert rows(club, "SELECT status FROM substitute_search") == [("ended",)]
    assert club.loaded().match.status == "playing"


def test_a_seat_on_hold_is_given_to_nobody_and_the_offer_stays(club: MailClub) -> None:
    club.write("white", "SETUP RANDOM")
    codes = offers_in(club.run_tick(DUE))
    club.hold("m", reason="x", now=DUE)
    name = next(iter(codes))
    club.say(name, f"ACCEPT {codes[name]}", at=DUE)
    (told,) = to(club.run_tick(DUE), name)
    assert "m is on hold, so nobody can join it now. The offer is still open." in told


def test_the_words_of_the_cost_of_silence(club: MailClub) -> None:
    emails = club.run_tick(MONDAY + timedelta(hours=20))
    told = to(emails, "Bob")[0]
    assert (
        "If you send none by Tue 24 Nov 2026, 12:00 UTC, another player may take over your seat; "
        "if you have still sent none by Fri 27 Nov 2026, 12:00 UTC, you forfeit the match." in told
    )
