"""The address of a person (club, 2): what is read there, what is parked, and when it is dead."""

import re
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.mail.address import PersonalAddress, personal_address, read_address
from tests.club import Changes, NewLadder, Refusal, Store
from tests.inside import ladder_tables
from tests.service.mailclub import POST, MailClub, text_of

DAY = timedelta(days=1)
STRANGE = "mallory@example.net"


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool").opened()


def asked(club: MailClub, name: str, *lines: str, **headers: str) -> EmailMessage:
    """Say something to a personal address; return the one answer."""
    club.say(name, *lines, **headers)
    (email,) = club.run_tick()
    return email


def test_an_address_is_read_as_it_was_made() -> None:
    made = personal_address(POST, "abcdefgh23", 1)
    assert re.fullmatch(r"adjud\+me\.abcdefgh23\.[a-z2-7]{16}@play\.example\.org", made)
    assert read_address(POST, made.upper()) == PersonalAddress("abcdefgh23", made[20:36])
    assert made != personal_address(POST, "abcdefgh23", 2)


def test_every_first_email_of_a_match_tells_it(club: MailClub) -> None:
    club.new(name="n")
    first = {str(email["To"]): email for email in club.run_tick()}
    for name in ("Anna", "Bob"):
        email = next(one for to, one in first.items() if name.lower() in to)
        told = f"For all your matches at once: {club.own(name)}"
        assert told in " ".join(text_of(email).split())
        html = email.get_body(("html",))
        assert html is not None
        assert club.own(name) in html.get_content()


def test_status_tells_all_matches_the_soonest_first(club: MailClub) -> None:
    club.new("deadline=every 2 days", name="soon")
    club.new("deadline=every 9 days", name="late")
    club.run_tick()
    club.send("white", "SETUP RANDOM", match="soon")
    email = asked(club, "Anna", "STATUS")
    assert email["To"] == "Anna <anna@example.org>" or "anna@example.org" in email["To"]
    assert email["Reply-To"] == club.own("Anna")
    heads, *rows = text_of(email).splitlines()[:4]
    assert heads.split() == ["Match", "Game", "Turn", "Waiting", "for", "Until"]
    assert [row.split()[0] for row in rows] == ["soon", "late", "m"]
    assert "your orders are here" in rows[0]
    assert re.search(r"your orders +Wed 2 Dec 12:00$", rows[1])


def test_status_says_nothing_of_who_else_has_sent(club: MailClub) -> None:
    before = text_of(asked(club, "Bob", "STATUS"))
    club.send("white", "SETUP RANDOM")
    assert text_of(asked(club, "Bob", "STATUS")) == before


def test_help_brings_the_lines_of_this_address(club: MailClub) -> None:
    told = text_of(asked(club, "Anna", "HELP"))
    assert "all your matches at once" in told
    assert "ABSENCE" in told
    assert "STATUS              Show all your matches, the soonest first" in told
    assert "RESIGN" not in told


def test_settings_are_changed(club: MailClub) -> None:
    told = text_of(asked(club, "Anna", "LANGUAGE nb", "ZONE Europe/Oslo", "PREFS REMINDERS OFF"))
    assert "Europe/Oslo" in told
    told = text_of(asked(club, "Anna", "PREFS", "PING", "GAMES"))
    assert "påminnelser" in told
    told = text_of(asked(club, "Anna", "ABSENCE 2026-12-24 TO 2026-12-31"))
    assert "2026-12-24" in told


def test_an_open_seat_is_taken_at_once(club: MailClub) -> None:
    club.add("Cleo")
    club.new(name="free", black="open")
    club.run_tick()
    club.say("Cleo", "JOIN free black")
    subjects = [str(email["Subject"]) for email in club.run_tick() if "cleo" in email["To"]]
    assert any("[free]" in one for one in subjects)
    assert club.loaded("free").holders["black"].player_name == "Cleo"


def test_what_is_a_seats_is_sent_there(club: MailClub) -> None:
    email = asked(club, "Anna", "RESIGN", "SETUP RANDOM")
    told = " ".join(text_of(email).split())
    assert "RESIGN is about one match" in told
    assert "name no match were NOT read" in told
    assert not club.loaded().sheets


def test_words_alone_are_answered(club: MailClub) -> None:
    club.say("Anna", "What is this address for, please?")
    email, question = club.run_tick()
    assert "| What is this address for, please?" in text_of(question)
    assert "HELP sends a" in text_of(email)
    assert email["Subject"] == "[adjud] Nothing in your email was carried out"


def test_from_another_address_it_waits_for_a_code(club: MailClub) -> None:
    codes = iter(["WANT22", "WANT33"])
    club.context = structs.replace(club.context, coder=lambda: next(codes))
    email = asked(club, "Anna", "LANGUAGE nb", sender=STRANGE)
    assert "anna@example.org" in email["To"]
    assert "CONFIRM WANT22" in text_of(email)
    assert email["Reply-To"] == club.own("Anna")
    with club.store.reading() as tx:
        assert tx.exec_driver_sql("SELECT language FROM player WHERE name='Anna'").scalar() == "en"
    assert "nb" in text_of(asked(club, "Anna", "CONFIRM WANT22"))
    told = text_of(asked(club, "Anna", "CONFIRM WANT22"))
    assert "WANT22" in told  # nothing waits any more


def test_nothing_is_left_after_five_wrong_codes(club: MailClub) -> None:
    club.context = structs.replace(club.context, coder=lambda: "WANT22")
    asked(club, "Anna", "LANGUAGE nb", sender=STRANGE)
    for n in range(5):
        told = text_of(asked(club, "Anna", f"CONFIRM WRNG{n}2"))
    assert "Too many wrong codes" in told
    assert "nothing to confirm" in text_of(asked(club, "Anna", "CONFIRM WANT22"))


def test_a_new_address_on_file_makes_the_old_one_dead(club: MailClub) -> None:
    old = club.own("Anna")
    club.change("Anna", Changes(address="anna@example.com", confirmed=True), sends_mail=True)
    club.run_tick()
    email = asked(club, "Anna", "STATUS", to=old, sender="anna@example.com")
    assert email["To"].endswith("anna@example.com>") or "anna@example.com" in email["To"]
    assert email["Subject"] == "[adjud] Your email went to an old address"
    assert club.own("Anna") in " ".join(text_of(email).split())
    assert club.own("Anna") != old
    club.say("Anna", "STATUS", sender="anna@example.com")
    assert "Waiting for" in text_of(club.run_tick()[0])


def test_a_guessed_address_is_not_answered(club: MailClub) -> None:
    local, at, domain = club.own("Anna").partition("@")
    guess = f"{local[:-1]}{'b' if local[-1] == 'a' else 'a'}{at}{domain}"
    club.say("Anna", "LANGUAGE nb", to=guess, sender=STRANGE)
    club.say("Anna", "LANGUAGE nb", to=guess)
    sent = club.run_tick()
    assert not [one for one in sent if STRANGE in one["To"]]
    assert not [one for one in sent if "nb" in text_of(one)]


def test_the_same_email_is_answered_once_more(club: MailClub) -> None:
    club.say("Anna", "PING")
    club.run_tick()
    for answers in (1, 0):
        club.post(club.raws[-1], club.own("Anna"), "anna@example.org")
        assert len(club.run_tick()) == answers


def test_so_many_emails_a_day_share_an_answer(club: MailClub) -> None:
    for _ in range(32):
        club.say("Anna", "PING")
    sent = club.run_tick()
    assert len(sent) == 31
    assert "2 more of your emails" in text_of(sent[-1])


def test_no_list_of_the_operator_tells_of_it(club: MailClub) -> None:
    club.say("Anna", "PING")
    club.say("Anna", "LANGUAGE nb", sender=STRANGE)
    club.run_tick()
    assert club.told == []
    from tests.database import EMAILS_IN, EMAILS_OUT

    with club.store.reading() as tx:
        assert EMAILS_IN.emails(tx, discreet=True) == []
        keys = [one.key for one in EMAILS_OUT.emails(tx, discreet=True)]
    assert not [key for key in keys if key.startswith("own/")]


def test_no_match_is_called_me(club: MailClub) -> None:
    with pytest.raises(Refusal, match="means a player"):
        club.new(name="me")


@pytest.mark.parametrize("command", ["INVITE Cleo TO espionage", "WITHDRAW spring", "DECLINE 9X9X"])
def test_a_stranger_who_knows_a_seats_address_does_not_speak_for_its_player(
    store: Store, tmp_path: Path, command: str
) -> None:
    """Also where a seat's orders need no sender: what is the player's own is read as at his own
    address."""
    club = MailClub(store, tmp_path / "spool").opened("level=token")
    club.add("Cleo")
    wanted = NewLadder(name="spring", game="espionage", variant="small")
    club.create_ladder(wanted)
    club.enter_ladder("spring", "Anna")
    club.write("white", command, sender=STRANGE)
    (email,) = club.run_tick()
    assert (email["X-Adjud"], str(email["To"])) == ("confirm", "Anna <anna@example.org>")
    assert [one.player for one in ladder_tables.one_of_club(club.store, "spring").rungs] == ["Anna"]
    code = re.search(r"CONFIRM (\w+)", text_of(email))
    assert code
    club.write("white", f"CONFIRM {code[1]}")
    told = "".join(text_of(one) for one in club.run_tick())
    assert (
        "Invited to Espionage: Cleo." in told or "You have left spring." in told or "9X9X" in told
    )
    club.write("white", "SETUP RANDOM", sender=STRANGE)
    club.run_tick()
    assert "white" in club.loaded().sheets
