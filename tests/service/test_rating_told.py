"""The last email of a match tells its reader the own new rating, and what the match changed."""

import re

import pytest

from tests.club import computer_orders
from tests.inside import standings
from tests.service.mailclub import MailClub
from tests.service.test_audit import audited, said
from tests.service.test_buttons import html_of, text_of


@pytest.fixture
def club(store, tmp_path):
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    return club


def last_emails(club, *options, seat="white", **seats):
    """Play a match to the first turn, let a seat resign, and return the last emails by seat."""
    club.new(*options, **seats)
    club.run_tick()
    for each in ("white", "black"):
        if club.loaded().holders[each].player_id is not None:
            club.send(each, "SETUP AUTO")
    club.run_tick()
    club.send(seat, "RESIGN")
    found = [one for one in club.run_tick() if one["X-Adjud"] == "report"]
    return {"white" if "anna" in one["To"] else "black": one for one in found}


def ratings(club):
    return {
        one.player: one.rating for one in standings.of_club(club.store, "espionage")["espionage"]
    }


def test_each_reads_the_own_rating_and_the_change(club):
    emails = last_emails(club)
    now = ratings(club)
    for seat, name in (("white", "Anna"), ("black", "Bob")):
        told = f"Your rating in Espionage: {now[name]} ({now[name] - standings.BEGINNING:+d})"
        assert told in text_of(emails[seat]).splitlines()
        assert f"<div>{told}</div>" in html_of(emails[seat])
    assert now["Bob"] > standings.BEGINNING > now["Anna"]


def test_the_change_is_that_of_this_match_alone(club):
    last_emails(club)
    before = ratings(club)
    club.new(name="m2")
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO", match="m2")
    club.run_tick()
    club.send("black", "RESIGN", match="m2")
    emails = [one for one in club.run_tick() if one["X-Adjud"] == "report"]
    now = ratings(club)
    (anna,) = [text_of(one) for one in emails if "anna" in one["To"]]
    change = now["Anna"] - before["Anna"]
    assert f"Your rating in Espionage: {now['Anna']} (+{change})" in anna
    assert change != now["Anna"] - standings.BEGINNING


@pytest.mark.parametrize("language", ["nb", "sv"])
def test_it_is_told_in_the_reader_s_language(club, language):
    club.say("Anna", f"LANGUAGE {language}")
    club.run_tick()
    assert "Din rating i " in text_of(last_emails(club)["white"])


def test_a_match_that_does_not_count_tells_none(club):
    emails = last_emails(club, black="computer")
    assert [*emails] == ["white"]
    assert "rating" not in text_of(emails["white"])
    assert "rating" not in html_of(emails["white"])


def test_the_report_of_a_match_that_goes_on_tells_none(club):
    club.new()
    for each in ("white", "black"):
        club.send(each, "SETUP AUTO")
    assert not any("rating" in text_of(one) for one in club.run_tick())


def test_with_hidden_names_it_is_told_once_they_are_known(club):
    emails = last_emails(club, "names=hidden")
    assert all("Your rating in Espionage" in text_of(one) for one in emails.values())


@pytest.mark.parametrize("hidden", [True, False])
def test_with_hidden_names_it_tells_nothing_of_somebody_whom_the_report_does_not_name(club, hidden):
    """Black's loss counts for Bob, who held it for longer. The last report names only Carl."""
    club.add("Carl")
    club.new(*(["names=hidden"] if hidden else []))
    for seat in ("white", "black"):
        club.send(seat, "SETUP AUTO")
    club.run_tick()
    for _ in range(4):
        for seat in club.loaded().game.rules.awaiting(club.loaded().state):
            club.send(seat, *computer_orders(club.loaded(), seat, "computer"))
        club.run_tick()
    club.replace("m", "black", "Carl")
    club.run_tick()
    club.send("black", "RESIGN")
    emails = {one["To"]: text_of(one) for one in club.run_tick() if one["X-Adjud"] == "report"}
    assert {"Anna", "Bob"} <= {*ratings(club)}
    (anna,), (carl,) = (
        [text for to, text in emails.items() if name in to] for name in ("anna", "carl")
    )
    assert ("Your rating" in anna) == (not hidden)
    assert "Your rating" not in carl


def test_an_audit_makes_the_last_email_with_its_rating_again(club, tmp_path):
    last_emails(club)
    emails = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    assert sum(b"Your rating in Espionage" in raw for raw in emails) == 1
    found = audited(emails, tmp_path / "papers")
    assert (said(found.wrong), said(found.missing)) == ("", "")
    other = [re.sub(rb"in Espionage: \d+", b"in Espionage: 1999", raw) for raw in emails]
    assert said(audited(other, tmp_path / "changed").wrong) != ""
