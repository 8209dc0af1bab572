"""What is kept of a person beside his matches is in his export, and nothing in it tells
of an open turn or names who plays where names are hidden."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import encode

from tests.club import NewLadder, Store
from tests.database import metadata
from tests.service.cups import Cup
from tests.service.mailclub import MailClub

# Where each table's rows of a person are, or why there are none.
TABLES = {
    "player": "player",
    "absence": "absences",
    "conduct": "conduct",
    "conduct_day": "conduct",
    "joining": "requests",
    "offer": "offers",
    "guest": "guests",
    "tournament": "tournaments",
    "entry": "tournaments",
    "entry_holder": "tournaments",
    "pairing": "tournaments",
    "paired": "tournaments",
    "tournament_log": "of the tournament, without names",
    "ladder_log": "of the ladder, without names",
    "tournament_ruling": "of the tournament, and told in emails",
    "ladder": "ladders",
    "rung": "ladders",
    "challenge": "challenges",
    "muted": "muted_players",
    "parked_letter": "to_confirm",
    "letter_part": "parts_of_emails",
    "match": "seats",
    "seat": "seats",
    "tenure": "seats",
    "submission": "seats",
    "said": "seats",
    "jotting": "seats",
    "report": "seats",
    "press": "seats",
    "press_copy": "seats",
    "charge": "seats",
    "substitute_search": "seats",
    "letter": "emails_from",
    "email_number": "numbers and digests of emails alone",
    "personal_number": "numbers and digests of emails alone",
    "outbox": "emails_to",
    "parked": "of its seat's emails_from: the same words",
    "declaration": "of its seat's said, or of an open turn",
    "turn": "of the match",
    "event": "of the match",
    "ruling": "of the match",
    "commitment": "of the match, and told in reports",
    "holder_change": "of the match, and told in seats",
    "past_epoch": "of the match",
    "written_to": "of the club: digests of addresses of no members",
    "happening": "of the club, without names",
    "club": "of the club",
    "clock": "of the club",
    "trial": "of the club",
    "job_fault": "of the club: numbers and the names of things",
    "alembic_version": "of the club",
}


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def exported(club: MailClub, name: str) -> Mapping[str, Any]:
    told = club.export_player(name, noting=False)
    found = json.loads(encode(told))
    assert isinstance(found, dict)
    return found


def test_somebody_has_said_of_each_table_where_it_is_exported(club: MailClub) -> None:
    assert {*metadata.tables} <= {*TABLES}
    club.add("Anna")
    keys = {*exported(club, "Anna")}
    assert keys - {"adjud", "exported"} == {one for one in TABLES.values() if " " not in one}


def test_an_entry_with_its_rounds(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss")
    cup.start()
    (told,) = exported(club, "Bob")["tournaments"]
    assert (told["tournament"], told["status"], told["plays"]) == ("cup", "playing", True)
    assert told["rounds"] == []
    cup.win_all(1)
    (told,) = exported(club, "Bob")["tournaments"]
    (played,) = told["rounds"]
    assert (played["round"], played["points"] in (0, 24)) == (1, True)
    assert "silent" not in told


def test_an_entry_that_was_handed_over_is_in_both(club: MailClub) -> None:
    club.add("Gro")
    cup = Cup(club, 4, "swiss")
    cup.start()
    club.replace_entrant("cup", "Bob", "Gro")
    (old,), (new,) = exported(club, "Bob")["tournaments"], exported(club, "Gro")["tournaments"]
    assert (old["plays"], old["handed_over_in_round"]) == (False, 1)
    assert (new["plays"], new["handed_over_in_round"]) == (True, None)


def test_an_entry_does_not_tell_where_names_are_hidden(club: MailClub) -> None:
    cup = Cup(club, 6, "swiss", game="spies", seats="3", rounds=2, options=("names=hidden",))
    cup.start()
    cup.withdraw("Bob")
    (told,) = exported(club, "Bob")["tournaments"]
    assert (told["number"], told["withdrawn"], told["rounds"]) == (None, False, [])


def test_a_silent_entry_reads_as_any_other(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss")
    cup.start()
    before = exported(club, "Bob")["tournaments"]
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE entry SET status = 'silent', silent_forfeits = 1")
    assert exported(club, "Bob")["tournaments"] == before


def test_places_and_challenges_on_a_ladder(club: MailClub) -> None:
    club.add("Anna", "Bob")
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    club.create_ladder(wanted)
    for name in ("Anna", "Bob"):
        club.enter_ladder("spring", name)
    club.say("Bob", "INVITE Anna TO spring")
    club.run_tick()
    told = exported(club, "Bob")
    assert [(one["ladder"], one["place"]) for one in told["ladders"]] == [("spring", 2)]
    (made,) = told["challenges"]
    assert (made["ladder"], made["made"], made["other"]) == ("spring", True, "Anna")
    (offer,) = told["offers"]
    assert (offer["kind"], offer["asked"], offer["ladder"]) == ("ladder", False, "spring")
    (received,) = exported(club, "Anna")["challenges"]
    assert (received["made"], received["other"]) == (False, "Bob")


@pytest.mark.parametrize(("names", "whose"), [("open", "Bob"), ("hidden", "(hidden)")])
def test_whose_messages_he_does_not_want(club: MailClub, names: str, whose: str) -> None:
    club.opened(f"names={names}", "deadline=none")
    club.write("white", "MUTE black")
    club.run_tick()
    assert exported(club, "Anna")["muted_players"] == [{"match": "m", "player": whose}]
    assert exported(club, "Bob")["muted_players"] == []  # he is not told


def test_what_waits_for_a_code_is_withheld_while_he_plays(club: MailClub) -> None:
    cup = Cup(club, 4, "swiss")
    cup.start()
    club.say("Bob", "WITHDRAW cup")
    club.run_tick()
    assert exported(club, "Bob")["to_confirm"] == []
    cup.withdraw("Bob")
    cup.tick()
    (waits,) = exported(club, "Bob")["to_confirm"]
    assert (waits["text"], waits["status"]) == ("WITHDRAW cup", "waiting")
    assert "code" not in waits


def test_what_a_seat_had_in_reserve(club: MailClub) -> None:
    club.opened("deadline=every 1 day", "bank=10 days")
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM")
    club.run_tick()
    (seat,) = exported(club, "Anna")["seats"]
    assert seat["reserve_before"] == [{"ply": 1, "bank": 864000, "turns": 0}]
    before = exported(club, "Anna")
    club.write("white", "a3-a4")
    club.run_tick()
    assert exported(club, "Anna") == before
