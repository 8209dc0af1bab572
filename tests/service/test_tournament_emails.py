"""Tournaments by email: entering, leaving, the table, and what first emails say (club, 7)."""

from datetime import timedelta
from pathlib import Path

import pytest

from adjudicator.core.match import Seat
from tests.club import MONDAY, Store
from tests.service.cups import Cup
from tests.service.mailclub import MailClub, said


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def answer_to(club: MailClub, name: str, *lines: str, now=MONDAY) -> str:
    club.say(name, *lines, at=now)
    sent = [one for one in club.run_tick(now) if name.lower() in str(one["To"])]
    return "\n".join(said(one) for one in sent)


def test_a_player_enters_an_open_tournament_and_leaves_it(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 3, "round-robin", is_public=True)
    mailclub.add("Dag")
    mailclub.run_tick()

    assert "Tournament cup: Espionage, round robin. Write JOIN cup to take part." in answer_to(
        mailclub, "Dag", "GAMES"
    )
    told = answer_to(mailclub, "Dag", "JOIN cup")
    assert "You take part in the tournament cup." in told
    assert "Entrants so far: 1 Anna 2 Bob 3 Cleo 4 Dag" in told
    assert "Dag is in cup already" in answer_to(mailclub, "Dag", "JOIN cup")
    assert [one["player"] for one in cup.shown()["entries"]] == ["Anna", "Bob", "Cleo", "Dag"]

    assert "You no longer take part in the tournament cup." in answer_to(
        mailclub, "Dag", "WITHDRAW cup"
    )
    assert "You do not take part in cup." in answer_to(mailclub, "Dag", "WITHDRAW cup")
    assert "there is no tournament or ladder cap; did you mean cup" in answer_to(
        mailclub, "Dag", "TABLE cap"
    )


def test_a_stranger_enters_with_a_code(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 3, "round-robin", is_public=True)
    mailclub.run_tick()
    public = {"sender": "Eva <eva@example.org>", "to": "adjud@play.example.org"}

    mailclub.write("Eva", "JOIN cup", **public)
    (asked,) = mailclub.run_tick()
    code = said(asked).split("CONFIRM ")[1].split()[0]
    assert len(cup.now.entries) == 3
    mailclub.write("Eva", f"CONFIRM {code}", **public)
    sent = mailclub.run_tick()

    assert [one.player for one in cup.now.entries] == ["Anna", "Bob", "Cleo", "Eva"]
    assert any("You take part in the tournament cup" in said(one) for one in sent)


def test_who_leaves_later_confirms_it_and_loses_what_is_not_over(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin")
    cup.start()
    mailclub.run_tick()

    told = answer_to(mailclub, "Anna", "WITHDRAW cup")
    assert "you lose your matches in it that are not over" in told
    assert not any(one["withdrawn"] for one in cup.shown()["entries"])
    code = told.split("CONFIRM ")[1].split()[0]
    told = answer_to(mailclub, "Anna", f"CONFIRM {code}")

    assert "You no longer take part in the tournament cup." in told
    assert [one["player"] for one in cup.shown()["entries"] if one["withdrawn"]] == ["Anna"]
    going = [one for n in (1, 2, 3) for one in cup.boards(n)]
    own = [name for name in going if "Anna" in str(mailclub.loaded(name).holders)]
    assert {mailclub.loaded(name).match.status for name in own} == {"over"}


def test_the_first_email_of_a_match_tells_round_board_and_place(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss")
    cup.start()
    first = [said(one) for one in mailclub.run_tick()]
    assert sum("Tournament cup: round 1, board 2." in one for one in first) == 2
    assert not any("After" in one and "you are number" in one for one in first)

    cup.decide(next(iter(cup.boards(1))), "white", "Black agreed")
    cup.win_all(1)
    later = [said(one) for one in mailclub.run_tick()]

    firsts = [one for one in later if "Tournament cup: round 2" in one]
    assert len(firsts) == 4
    places = [one.split("After 1 round you are number ")[1][0] for one in firsts]
    assert sorted(places) == ["1", "2", "3", "4"]  # the other one was not played out
    assert sum("of 4; points: 1." in one for one in firsts) == 2
    assert all("Reason: Black agreed" in one for one in firsts)


def test_an_email_lets_who_was_silent_take_part_again(mailclub: MailClub) -> None:
    options = ["deadline=every 1 day", "bank=none", "leave=announced"]
    cup = Cup(mailclub, 6, "swiss", rounds=3, options=options)
    cup.start()
    match, (_, second) = next(iter(cup.boards(1).items()))
    mailclub.send("white", "SETUP RANDOM", match=match)
    for other, players in list(cup.boards(1).items())[1:-1]:
        cup.resign(other, max(players))
    last, waiting = list(cup.boards(1).items())[-1]
    mailclub.send("white", "SETUP RANDOM", match=last)
    mailclub.send("black", "SETUP RANDOM", match=last)
    late = MONDAY + timedelta(days=1, hours=1)
    cup.tick(late)
    assert mailclub.loaded(match).match.status == "over"
    assert cup.boards(2) == {}

    answer_to(mailclub, second, "PING", now=late + timedelta(hours=1))
    cup.resign(last, max(waiting), late + timedelta(hours=2))
    cup.tick(late + timedelta(hours=2))

    assert cup.without_match(2, "left_out") == []
    assert second in {one for pair in cup.boards(2).values() for one in pair}


def test_no_entrant_takes_an_open_seat_of_a_rival(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss")
    cup.start()
    mailclub.run_tick()
    (first, other), (rival, _) = cup.boards(1)["cup-1-1"], cup.boards(1)["cup-1-2"]
    mailclub.add("Gro")
    mailclub.open_seat("cup-1-1", Seat("white"))
    mailclub.run_tick()
    told = answer_to(mailclub, rival, "JOIN cup-1-1 white")
    assert "You take part in the tournament cup, so you cannot take a seat" in told
    assert mailclub.loaded("cup-1-1").match.status == "open"
    assert "You now have a seat in cup-1-1." in answer_to(mailclub, "Gro", "JOIN cup-1-1 white")
    mailclub.open_seat("cup-1-1", Seat("white"))
    assert "You now have a seat in cup-1-1." in answer_to(mailclub, first, "JOIN cup-1-1 white")
    assert mailclub.loaded("cup-1-1").holders[Seat("black")].player_name == other
