"""An address that does not accept email (club, 7.8): offers to it expire, its entries are silent
until an email comes. Turns are as ever."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from adjudicator.mail.transport.errors import Permanent
from tests.club import MONDAY, Changes, Store
from tests.service.cups import Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_bounces import report_of_mail_system
from tests.service.test_offers import code_in, sent, status

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def come_back(club: MailClub, to: str, kind: str, now: datetime = MONDAY) -> None:
    """Let the last email of a kind to a player come back."""
    ours = [
        sender
        for sender, address, raw in club.way.letters
        if address == f"{to.lower()}@example.org" and f"X-Adjud: {kind}".encode() in raw
    ]
    club.post(report_of_mail_system(), ours[-1], at=now)


def lost_twice(club: MailClub, to: str, now: datetime = MONDAY) -> None:
    """Let the last report to a player come back twice, within three hours."""
    for hour in (0, 1):
        come_back(club, to, "report", now)
        club.run_tick(now + hour * HOUR)
        club.run_tick(now + (hour + 1) * HOUR)


def entries(club: MailClub) -> dict[str, str]:
    with club.store.reading() as tx:
        rows = tx.exec_driver_sql(
            "SELECT player.name, entry.status FROM entry JOIN player ON player.id = player_id"
        )
        return {str(row[0]): str(row[1]) for row in rows}


def invited(club: MailClub) -> str:
    """Let Anna invite Bob; return the code of the offer."""
    club.add("Anna", "Bob")
    club.say("Anna", "INVITE Bob TO espionage")
    (email,) = sent(club, "Bob")
    return code_in(email)


def test_an_offer_expires_when_its_email_comes_back_and_the_asker_is_told(club: MailClub) -> None:
    code = invited(club)
    come_back(club, "Bob", "notice")
    told = [text_of(one) for one in sent(club, "Anna")]
    assert "has expired" in told[0]
    assert status(club) == ["expired"]
    club.say("Bob", f"ACCEPT {code}")
    assert f"You have no offer with the code {code}." in text_of(sent(club, "Bob")[0])


def test_it_concerns_the_address_that_is_on_file(club: MailClub) -> None:
    invited(club)
    wanted = Changes(address="robert@example.org", confirmed=True)
    club.change("Bob", wanted, sends_mail=True)
    come_back(club, "Bob", "notice")
    club.run_tick()
    assert status(club) == ["open"]


def test_another_players_bounce_ends_nothing(club: MailClub) -> None:
    invited(club)
    club.add("Cleo")
    club.say("Anna", "INVITE Cleo TO espionage")
    club.run_tick()
    come_back(club, "Cleo", "notice")
    club.run_tick()
    assert status(club) == ["open", "expired"]


def test_an_entry_is_silent_when_a_report_came_back_twice(club: MailClub) -> None:
    cup = Cup(club, 6, "swiss", rounds=3)
    cup.start()
    club.run_tick()
    come_back(club, "Bob", "report")
    club.run_tick()
    assert set(entries(club).values()) == {"in"}
    club.run_tick(MONDAY + HOUR)
    come_back(club, "Bob", "report", MONDAY + HOUR)
    club.run_tick(MONDAY + 2 * HOUR)
    assert entries(club) == {**dict.fromkeys(cup.names, "in"), "Bob": "silent"}
    assert "silent" not in str(cup.shown())

    cup.win_all(1, MONDAY + 3 * HOUR)
    assert "Bob" in cup.without_match(2, "left_out")
    club.run_tick(MONDAY + 4 * HOUR)
    (told,) = [one for one in club.way.letters if b"X-Adjud: notice" in one[2]][-1:]
    assert told[1] == "bob@example.org"
    assert b"or emails to you came back" in b" ".join(told[2].split())


@pytest.mark.parametrize("to", ["personal", "seat"])
def test_any_email_of_the_player_brings_the_entry_back(club: MailClub, to: str) -> None:
    cup = Cup(club, 6, "swiss", rounds=3)
    cup.start()
    club.run_tick()
    lost_twice(club, "Bob")
    later = MONDAY + 4 * HOUR
    if to == "personal":
        club.say("Bob", "PING", at=later)
    else:
        match, players = next(item for item in cup.boards(1).items() if "Bob" in item[1])
        seat = ("white", "black")[players.index("Bob")]
        club.write(
            "white",
            "SETUP RANDOM",
            sender="bob@example.org",
            to=club.address(seat, match),
            at=later,
        )
    club.run_tick(later)
    cup.win_all(1, later)
    assert cup.without_match(2, "left_out") == []


@pytest.mark.parametrize("to", ["personal", "seat"])
def test_the_sender_of_the_envelope_need_not_be_the_address_on_file(
    club: MailClub, to: str
) -> None:
    cup = Cup(club, 6, "swiss", rounds=3)
    cup.start()
    club.run_tick()
    lost_twice(club, "Bob")
    later = MONDAY + 4 * HOUR
    match, players = next(item for item in cup.boards(1).items() if "Bob" in item[1])
    seat = ("white", "black")[players.index("Bob")]
    address = club.own("Bob") if to == "personal" else club.address(seat, match)
    email = f"From: bob@example.org\r\nTo: {address}\r\n\r\nPING\r\nREPORT\r\n"
    club.post(email.encode(), address, "srs0=ab=bob@relay.example", at=later)
    club.run_tick(later)
    cup.win_all(1, later)
    assert cup.without_match(2, "left_out") == []


def test_an_email_from_before_brings_nobody_back(club: MailClub) -> None:
    cup = Cup(club, 6, "swiss", rounds=3)
    cup.start()
    club.run_tick()
    club.say("Bob", "PING")
    club.run_tick()
    lost_twice(club, "Bob", MONDAY + HOUR)
    cup.win_all(1, MONDAY + 4 * HOUR)
    assert "Bob" in cup.without_match(2, "left_out")


def test_a_server_that_refuses_a_report_twice_counts_as_well(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss")
    club.run_tick()  # the emails of the entries have gone
    club.way.trouble = Permanent("550 no such user")
    cup.start()
    club.run_tick()
    assert set(entries(club).values()) == {"in"}
    club.run_tick(MONDAY + HOUR)
    assert set(entries(club).values()) == {"silent"}


def test_reminders_tell_who_has_not_sent_so_nothing_follows_from_them(club: MailClub) -> None:
    Cup(club, 4, "swiss", options=["deadline=every 2 days"]).start()
    club.run_tick()
    late = MONDAY + timedelta(hours=39)
    club.run_tick(late)
    come_back(club, "Bob", "reminder", late)
    club.run_tick(late)
    assert set(entries(club).values()) == {"in"}


def test_turns_are_as_ever(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss", options=["deadline=every 2 days", "bank=none"])
    cup.start()
    club.run_tick()
    match, _ = next(item for item in cup.boards(1).items() if "Bob" in item[1])
    lost_twice(club, "Bob")
    assert club.loaded(match).match.status == "playing"
    for seat in ("white", "black"):
        assert club.send(seat, "SETUP RANDOM", match=match, now=MONDAY + DAY).accepted
    club.run_tick(MONDAY + DAY)
    assert club.loaded(match).match.turn == 1


def test_a_forfeit_after_a_report_came_back_does_not_count_towards_leaving(club: MailClub) -> None:
    cup = Cup(
        club, 6, "swiss", rounds=3, options=["deadline=every 1 day", "bank=none", "leave=announced"]
    )
    cup.start()
    club.run_tick()
    match, players = next(item for item in cup.boards(1).items() if "Bob" in item[1])
    other = ("black", "white")[players.index("Bob")]
    assert club.send(other, "SETUP RANDOM", match=match).accepted
    lost_twice(club, "Bob")
    for board, there in cup.boards(1).items():
        if board != match:
            cup.resign(board, max(there))
    club.run_tick(MONDAY + 3 * HOUR)
    club.run_tick(MONDAY + DAY + HOUR)
    (played,) = [one for one in cup.shown()["pairings"] if one["match"] == match]
    assert (played["ending"], sorted(played["points"])) == ("forfeit", [0, 24])
    with club.store.reading() as tx:
        rows = tx.exec_driver_sql("SELECT sum(silent_forfeits) FROM entry WHERE player_id = 2")
        assert rows.scalar() == 0
