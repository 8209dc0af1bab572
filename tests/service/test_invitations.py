"""Players invite each other (club, 6.2): INVITE, REMATCH, and the limits."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.club import MONDAY, MatchTemplate, Refusal, Store
from tests.database import mute
from tests.inside import creation
from tests.service.mailclub import MailClub, text_of

DAY = timedelta(days=1)
NAMES = ("Anna", "Bob", "Cleo", "Dag")


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    made = MailClub(store, tmp_path / "spool")
    made.add(*NAMES)
    codes = (f"CDE{n}" for n in range(200, 999))
    made.context = structs.replace(made.context, coder=lambda: next(codes))
    return made


def said(club: MailClub, name: str, *lines: str, day: int = 0) -> dict[str, str]:
    """Say something to a personal address; return what is sent then, by the player's name."""
    at = MONDAY + day * DAY
    club.say(name, *lines, at=at)
    found: dict[str, str] = {}
    for email in club.run_tick(at):
        to = email["To"].addresses[0].username.capitalize()
        found[to] = found.get(to, "") + text_of(email)
    return found


def code_in(text: str) -> str:
    found = re.search(r"^ACCEPT (\w+)$", text, re.MULTILINE)
    assert found
    return found[1]


def test_an_invited_player_accepts_and_both_play(club: MailClub) -> None:
    told = said(club, "Anna", "INVITE Bob TO espionage")
    assert "Invited to Espionage: Bob." in told["Anna"]
    assert "Anna invites you to a match of Espionage by email." in told["Bob"]
    assert not any("@example.org" in one for one in told.values())
    code = code_in(told["Bob"])
    wrong = said(club, "Bob", "ACCEPT 7K3QXY")["Bob"]
    assert "You have no offer with the code 7K3QXY" in wrong
    assert f"  {code}: the invitation to Espionage" in wrong
    told = said(club, "Bob", f"ACCEPT {code}")
    assert "You now have a seat in espionage-1." in told["Bob"]
    assert "Bob has accepted the invitation to Espionage." in told["Anna"]
    loaded = club.loaded("espionage-1")
    assert loaded.match.status == "playing"
    assert {one.player_name for one in loaded.holders.values()} == {"Anna", "Bob"}
    agreed = loaded.match.options
    assert [agreed[key] for key in ("deadline", "bank", "absence", "leave")] == [
        "every 3 days",
        "5 days",
        "forfeit",
        "auto",
    ]


@pytest.mark.parametrize("line", ["INVITER Bob TIL espionage", "BJUD IN bob TILL Espionage."])
def test_it_is_read_in_other_languages(club: MailClub, line: str) -> None:
    assert "code" not in said(club, "Anna", line)["Bob"]
    assert "Invited" in said(club, "Cleo", line)["Cleo"]


def test_a_match_of_three_begins_when_all_have_accepted(club: MailClub) -> None:
    told = said(club, "Anna", "INVITE Bob, Cleo TO spion")
    codes = {name: code_in(told[name]) for name in ("Bob", "Cleo")}
    assert "Players: Anna, Bob, Cleo." in told["Cleo"]
    told = said(club, "Cleo", f"ACCEPT {codes['Cleo']}")
    assert "begins when these players have, too: Bob." in " ".join(told["Cleo"].split())
    told = said(club, "Bob", f"ACCEPT {codes['Bob']}")
    assert "seat in spion-1" in told["Bob"]
    assert len(club.loaded("spion-1").holders) == 3


def test_a_no_ends_the_whole_match(club: MailClub) -> None:
    told = said(club, "Anna", "INVITE Bob, Cleo TO spion")
    codes = {name: code_in(told[name]) for name in ("Bob", "Cleo")}
    said(club, "Cleo", f"ACCEPT {codes['Cleo']}")
    told = said(club, "Bob", f"DECLINE {codes['Bob']}")
    assert "Bob has declined the invitation to Spion." in told["Anna"]
    assert "so the match does not begin" in " ".join(told["Cleo"].split())
    assert "Bob" not in told["Cleo"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("INVITE Bub TO espionage", "there is no player 'Bub'; did you mean Bob?"),
        ("INVITE Bob TO espionag", "there is no template 'espionag'; did you mean espionage?"),
        ("INVITE Bob, Bub", "there is no player 'Bub'; did you mean Bob?"),
        ("INVITE Anna TO espionage", "You cannot invite yourself."),
        ("INVITE Bob, Cleo TO espionage", "Espionage is for 2 players, not for 3"),
        ("INVITE Bob", "say what to play, such as INVITE Bob TO espionage"),
    ],
)
def test_what_cannot_be_is_refused(club: MailClub, line: str, answer: str) -> None:
    told = said(club, "Anna", line)
    assert answer in " ".join(told["Anna"].split())
    assert [*told] == ["Anna"]
    assert "@example.org" not in told["Anna"].replace(line, "")


def test_only_confirmed_players_are_on_the_list(club: MailClub) -> None:
    club.add_player(
        "Finn", "finn@example.org", language="en", zone="UTC", confirmed=False, sends_mail=True
    )
    assert "no player 'Finn'" in said(club, "Anna", "INVITE Finn TO espionage")["Anna"]


def test_names_may_hold_commas_and_to(club: MailClub) -> None:
    club.add("Bob, Cleo", address="both@example.org")
    club.add("Eva TO spion", address="eva@example.org")
    told = said(club, "Anna", "INVITE Bob, Cleo TO espionage")
    assert "Invited to Espionage: Bob, Cleo." in told["Anna"]
    assert "Bob" not in told  # it went to the player of that long name
    told = said(club, "Dag", "INVITE Eva TO spion TO espionage")
    assert "Invited to Espionage: Eva TO spion." in told["Dag"]


def test_a_fourth_invitation_in_a_day_is_refused(club: MailClub) -> None:
    for other in ("Bob", "Cleo", "Dag"):
        told = said(club, "Anna", f"INVITE {other} TO espionage")
        said(club, other, f"DECLINE {code_in(told[other])}")
    told = said(club, "Anna", "INVITE Bob TO espionage")["Anna"]
    assert "you have sent as many invitations as you may today (3)" in told
    assert "Invited" in said(club, "Anna", "INVITE Bob TO espionage", day=2)["Anna"]


def test_a_fourth_open_invitation_is_refused(club: MailClub) -> None:
    for day, other in enumerate(("Bob", "Cleo", "Dag")):
        said(club, "Anna", f"INVITE {other} TO espionage", day=2 * day)
    told = said(club, "Anna", "INVITE Bob TO espionage", day=6)["Anna"]
    assert "you have as many open invitations as you may have (3)" in told


def test_no_invitations_where_the_club_wants_none(club: MailClub) -> None:
    club.context = structs.replace(club.context, invitations=0)
    told = said(club, "Anna", "INVITE Bob TO espionage")["Anna"]
    assert "cannot invite each other by email" in told


def test_who_mutes_the_asker_and_who_has_enough_say_the_same(club: MailClub) -> None:
    club.new(white="Bob", black="Cleo")
    club.run_tick()
    with club.store.transaction() as tx:
        ids = dict(tx.exec_driver_sql("SELECT name, id FROM player").all())
        mute(tx, ids["Bob"], 1, ids["Cleo"], off=False)
    muted = said(club, "Cleo", "INVITE Bob TO espionage")
    club.context = structs.replace(club.context, invitations=1)
    said(club, "Anna", "INVITE Bob TO espionage")
    full = said(club, "Dag", "INVITE Bob TO espionage")
    assert muted["Cleo"] == full["Dag"] == "Bob does not accept invitations now\n"


def test_a_template_of_the_configuration_is_taken(club: MailClub) -> None:
    slow = MatchTemplate("espionage", "small", ("deadline=every 7 days", "bank=30 days"))
    club.context = structs.replace(club.context, templates={"slow": slow})
    told = said(club, "Anna", "INVITE Bob")  # the only one
    said(club, "Bob", f"ACCEPT {code_in(told['Bob'])}")
    match = club.loaded("espionage-1").match
    assert (match.variant, match.options["deadline"]) == ("small", "every 7 days")


def test_a_template_that_cannot_be_is_told(club: MailClub) -> None:
    wrong = {
        "none": MatchTemplate("chess"),
        "odd": MatchTemplate("espionage", options=("bank=10",)),
        "dim": MatchTemplate("espionage", variant="huge"),
        "dark": MatchTemplate("espionage", options=("names=hidden",)),
    }
    club.context = structs.replace(club.context, templates=wrong)
    told = {"none": "names no game ('chess')", "odd": "is not a bank"}
    told |= {"dim": "no variant 'huge'", "dark": "names cannot be hidden"}
    for name, why in told.items():
        assert why in " ".join(said(club, "Anna", f"INVITE Bob TO {name}")["Anna"].split())
    with pytest.raises(Refusal, match="is for espionage, not for spion"):
        creation.find_template(club.context, "odd", "spion")


def test_a_match_for_the_reliable_refuses_others_and_tells_how_reliable_all_are(
    club: MailClub,
) -> None:
    with club.store.transaction() as tx:
        ids = dict(tx.exec_driver_sql("SELECT name, id FROM player").all())
        rows = [("Anna", 1, 30, 0), ("Bob", 1, 28, 0), *(("Bob", n, 0, 1) for n in range(2, 14))]
        for name, day, on_time, missed in rows:
            tx.exec_driver_sql(
                "INSERT INTO conduct_day VALUES (?, ?, ?, ?, 0, 0)",
                (ids[name], f"2026-11-{day:02}", on_time, missed),
            )
    strict = MatchTemplate("espionage", "small", ("deadline=every 2 days", "reliable=90"))
    club.context = structs.replace(club.context, templates={"strict": strict})
    told = said(club, "Anna", "INVITE Bob")
    assert "Anna (100 % of 30 turns on time)" in " ".join(told["Bob"].split())
    code = code_in(told["Bob"])
    told = said(club, "Bob", f"ACCEPT {code}")
    assert "yours: 70 % of 40" in " ".join(told["Bob"].split())
    assert "The offer is still open." in told["Bob"]


# REMATCH


def ended(club: MailClub) -> None:
    club.new()
    club.run_tick()
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    club.send("white", "RESIGN")
    club.run_tick()
    assert club.loaded().match.status == "over"


def from_seat(club: MailClub, seat: str, line: str, day: float = 0) -> dict[str, str]:
    at = MONDAY + day * DAY
    club.write(seat, line, at=at)
    found: dict[str, str] = {}
    for email in club.run_tick(at):
        to = email["To"].addresses[0].username.capitalize()
        found[to] = found.get(to, "") + text_of(email)
    return found


def test_a_rematch_is_played_with_the_seats_moved_on(club: MailClub) -> None:
    ended(club)
    told = from_seat(club, "white", "REMATCH")
    assert "Asked for a rematch: Bob." in told["Anna"]
    assert "Anna asks you for a rematch of m." in told["Bob"]
    assert "already asked" in from_seat(club, "white", "REMATCH")["Anna"]
    told = said(club, "Bob", f"ACCEPT {code_in(told['Bob'])}")
    assert "Bob has accepted the rematch of m." in told["Anna"]
    holders = club.loaded("espionage-2").holders
    assert {seat: one.player_name for seat, one in holders.items()} == {
        "white": "Bob",
        "black": "Anna",
    }
    assert club.loaded("espionage-2").match.variant == "small"


def test_a_rematch_needs_an_ended_match_and_not_one_of_long_ago(club: MailClub) -> None:
    club.new(name="n")
    club.run_tick()
    club.write("white", "REMATCH", to=club.address("white", "n"))
    told = "".join(map(text_of, club.run_tick()))
    assert "n is not over yet." in told
    ended(club)
    late = 30 + timedelta(seconds=1) / timedelta(days=1)
    assert "within 30 days" in from_seat(club, "black", "REMATCH", day=late)["Bob"]
    assert "Asked for a rematch" in from_seat(club, "black", "REMATCH", day=30)["Bob"]


def test_who_mutes_the_asker_is_not_asked_and_the_asker_is_not_told(club: MailClub) -> None:
    ended(club)
    with club.store.transaction() as tx:
        ids = dict(tx.exec_driver_sql("SELECT name, id FROM player").all())
        mute(tx, ids["Bob"], 1, ids["Anna"], off=False)
    told = from_seat(club, "white", "REMATCH")
    assert "Asked for a rematch: Bob." in told["Anna"]
    assert "Bob" not in told
    (email,) = [one for one in club.run_tick(MONDAY + 9 * DAY) if "anna@" in str(one["To"])]
    assert "Bob has not answered the rematch of m, and it has expired." in " ".join(
        text_of(email).split()
    )


def test_a_rematch_is_about_one_match(club: MailClub) -> None:
    assert "REMATCH is about one match." in said(club, "Anna", "REMATCH")["Anna"]
