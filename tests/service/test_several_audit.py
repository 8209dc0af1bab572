"""`adjud audit` reads answers about several matches, each part by itself (club, 4.2)."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.match import Seat
from adjudicator.core.message import tell
from tests.audits import audit, audits_of, read_papers
from tests.club import MONDAY, Store, computer_orders
from tests.service.mailclub import MailClub

HOUR = timedelta(hours=1)
MATCHES = ("m1", "m2")
PLAYERS = {"white": "Anna", "black": "Bob"}


@pytest.fixture
def papers(store: Store, tmp_path: Path) -> Path:
    """Play two matches by emails about both to the players' own addresses; return where Anna's
    emails are."""
    club = MailClub(store, tmp_path / "spool")
    club.add(*PLAYERS.values())
    for name in MATCHES:
        club.new(name=name)
    club.run_tick()
    now = MONDAY
    for _ in range(4):
        for seat, name in PLAYERS.items():
            sheets = [line for match in MATCHES for line in sheet(club, match, Seat(seat))]
            if sheets:
                club.say(name, *sheets, at=now)
                club.run_tick(now)
        now += HOUR
        club.run_tick(now)
    codes = iter(("WANT22", "WANT33"))
    club.context = structs.replace(club.context, coder=lambda: next(codes))
    club.say("Anna", "MATCH m1", "RESIGN", "MATCH m2", "RESIGN", at=now)
    club.run_tick(now)
    for code in ("WANT22", "WANT33"):
        club.say("Anna", f"CONFIRM {code}", at=now)
        club.run_tick(now)
    assert {club.loaded(match).match.status for match in MATCHES} == {"over"}
    place = tmp_path / "anna"
    place.mkdir()
    for number, (_, to, raw) in enumerate(club.way.letters):
        if to == "anna@example.org":
            (place / f"{number:03}.eml").write_bytes(raw)
    for number, raw in enumerate(club.raws):
        if b"From: anna@example.org" in raw:
            (place / f"sent-{number:03}.eml").write_bytes(raw)
    return place


def sheet(club: MailClub, match: str, seat: Seat) -> list[str]:
    loaded = club.loaded(match)
    if seat not in loaded.awaited:
        return []
    return [f"ORDERS {match}", *computer_orders(loaded, seat, "computer:random"), "END"]


def test_nobody_is_blamed_and_nothing_is_missed(papers: Path) -> None:
    found, unread, unused = read_papers(papers)
    assert not unread
    assert not [one for one in unused if "no answer" in tell(one.why)]
    audits = audit(found)
    assert sorted(one.match for one in audits) == [*MATCHES]
    for one in audits:
        assert [tell(message) for message in (*one.wrong, *one.asks)] == []
        assert one.exit_code == 0


def test_another_digest_in_one_part_is_found(papers: Path) -> None:
    """The email is compared as a whole, by whoever reads it for either match."""
    answer = next(
        path for path in sorted(papers.glob("*.eml")) if b"ADJUD3|m2|white|1|" in path.read_bytes()
    )
    text = answer.read_bytes()
    at = text.index(b"ADJUD3|m2|white|1|")
    digest = text.index(b"\n  ", at) + 3
    answer.write_bytes(text[:digest] + b"00000000" + text[digest + 8 :])
    told = {one.match: [tell(message) for message in one.wrong] for one in audits_of(papers)}
    assert all(any("same/differs" in one for one in found) for found in told.values())
    assert [*told] == ["m1", "m2"]
