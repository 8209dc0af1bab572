"""The public address and very many who write to it; an address that the operator entered."""

import re
from datetime import timedelta

import pytest
import sqlalchemy as sa

from tests.club import MONDAY, SEED, Changes, NewMatch, Paths, content_of
from tests.database import player_named
from tests.inside import checking, public_email, records
from tests.service.mailclub import MailClub

PUBLIC = "adjud@play.example.org"


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna")
    open_match(club)
    club.run_tick()
    return club


def open_match(club, *seats, name="m", options=("deadline=every 3 days",)):
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name=name,
        seats=seats,
        options=options,
        seed=None,
        fresh_seed=bytes.fromhex(SEED),
        leave_open=True,
    )
    club.create(wanted)


def ask(club, *lines, sender="Carl Cox <carl@example.net>", now=MONDAY, **headers):
    club.write("white", *lines, sender=sender, to=PUBLIC, **headers)
    return club.run_tick(now)


def text(email):
    return email.get_body(("plain",)).get_content()


def code(email):
    return re.split("CONFIRM |BEKREFT ", text(email))[1].split()[0]


def person(club, name):
    with club.store.reading() as tx:
        return player_named(tx, name)


def test_games_lists_the_oldest_of_many(club):
    for number in range(21):
        open_match(club, name=f"n{number}")
    club.run_tick()
    told = text(ask(club, "GAMES")[0])
    assert told.count("Espionage small") == 20
    assert "and 2 more matches" in told


@pytest.mark.slow
def test_a_hundred_answers_a_day_in_all(club):
    for n in range(101):
        club.write("white", "PING", sender=f"p{n}@example.net", to=PUBLIC)
    assert len(club.run_tick()) == 100


def test_codes_are_among_the_hundred_and_who_has_one_is_answered_beyond(club, monkeypatch):
    monkeypatch.setattr(public_email, "A_DAY_IN_ALL", 2)
    (asked,) = ask(club, "JOIN m white")
    assert len(ask(club, "PING", sender="p1@example.net")) == 1
    assert ask(club, "PING", sender="p2@example.net") == []
    assert ask(club, "JOIN m black", sender="p3@example.net") == []
    assert len(ask(club, f"CONFIRM {code(asked)}", "ZONE Europe/Osol")) == 2
    assert person(club, "Carl Cox") is not None


def test_the_doctor_tells_that_nobody_is_answered_any_more(club, monkeypatch, tmp_path):
    monkeypatch.setattr(public_email, "A_DAY_IN_ALL", 2)
    at = Paths(config=None, key=tmp_path / "adjud.key", spool=tmp_path / "spool")

    def told(now):
        installation = checking.Installation(str(club.store.engine.url), at, now)
        found = [str(finding.text) for finding in records.unanswered_emails(installation)]
        installation.close()
        return found

    ask(club, "PING", sender="p1@example.net")
    assert told(MONDAY) == []
    ask(club, "PING", sender="p2@example.net")
    (sentence,) = told(MONDAY)
    assert sentence.startswith("emails: 2 replies have been sent from the club's public address")
    assert told(MONDAY + timedelta(days=1)) == []


# An address that somebody entered.


def unconfirmed(club, address="dora@example.org"):
    """Let the operator enter Dora, who plays White; return what was sent so far."""
    club.add_player("Dora", address, language="en", zone="UTC", confirmed=False, sends_mail=True)
    open_match(club, "white=Dora", "black=computer", name="n")
    return club.run_tick()


def test_an_address_is_confirmed_by_mail_and_then_gets_what_waited(club):
    (asked,) = unconfirmed(club)
    assert asked["To"] == "Dora <dora@example.org>" or asked["To"] == "dora@example.org"
    assert max(map(len, text(asked).splitlines())) <= 70
    emails = ask(club, f"CONFIRM {code(asked).lower()}", sender="Dora <dora@example.org>")
    assert person(club, "dora").confirmed_at == MONDAY
    assert [email["X-Adjud"] for email in emails] == ["receipt", "report"]
    assert "Your address is confirmed." in text(emails[0])


def test_a_code_confirms_no_other_address(club):
    (asked,) = unconfirmed(club)
    assert ask(club, f"CONFIRM {code(asked)}", sender="eve@evil.example") == []
    assert ask(club, "CONFIRM AAAAAA", sender="dora@example.org") == []
    wanted = Changes(address="d@example.org")
    club.change("Dora", wanted, sends_mail=True)
    club.run_tick()
    assert ask(club, f"CONFIRM {code(asked)}", sender="dora@example.org") == []
    assert ask(club, f"CONFIRM {code(asked)}", sender="d@example.org") == []
    assert person(club, "dora").confirmed_at is None


def test_whoever_sends_back_the_code_of_his_address_is_told_what_to_do(club):
    (asked,) = unconfirmed(club)
    (answer,) = ask(club, text(asked), sender="dora@example.org")
    assert "Nothing is confirmed yet" in text(answer)
    assert code(asked) not in text(answer)
    assert person(club, "dora").confirmed_at is None
    assert ask(club, text(asked), sender="dora@example.org") == []
    assert ask(club, text(asked), sender="eve@evil.example") == []


def test_what_waited_goes_when_the_operator_confirms_an_address(club):
    unconfirmed(club)
    wanted = Changes(confirmed=True)
    club.change("Dora", wanted, sends_mail=True)
    assert [email["X-Adjud"] for email in club.run_tick()] == ["report"]


def test_an_email_that_sends_back_very_many_codes_asks_the_database_no_more(club):
    """Whoever has not confirmed his address could else keep it busy with one email."""
    said = []
    sa.event.listen(club.store.engine, "before_cursor_execute", lambda *told: said.append(told[2]))
    counts = []
    for many in (1, 400):
        said.clear()
        assert ask(club, *(f"> CONFIRM K{number:03}" for number in range(many))) == []
        counts.append(len(said))
    assert counts[1] <= counts[0] + 5


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("play" + " chess" * 119, True),
        ("play" + " chess" * 120, False),
        ("\n".join(["play"] * 40), True),
        ("\n".join(["play"] * 41), False),
    ],
)
def test_who_says_much_of_playing_advertises_it(text, is_one):
    assert public_email.would_play(content_of(text)) is is_one
