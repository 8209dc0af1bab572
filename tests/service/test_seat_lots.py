"""Seats that are drawn by lot: by numbers in the order in which players accepted, and from the seed
that a public number made (club, 6.2.2; proofs, 8.5)."""

import hmac
import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core import chain
from adjudicator.core.dice import mixed_seed
from adjudicator.core.message import tell
from adjudicator.core.seat_lots import SeatLot, draw
from tests.audits import Audit, audit, audits_of, read_papers
from tests.club import MONDAY, Changes, NewMatch, Store, computer_orders
from tests.core.test_beacon import PUBLISHED
from tests.database import log_lines
from tests.inside import (
    lots_of_match,
)
from tests.inside import matches_entering as entering
from tests.service.mailclub import MailClub, text_of
from tests.service.test_ladders import DAY, begun, ladder_of_five, lost
from tests.service.test_public_chance import FULL, HOUR, LATER

# With the first seed the seats stay as the numbers are, with the second they change.
STAYS, CHANGES = (bytes([n]) * 32 for n in (2, 3))


@pytest.fixture
def club(store: Store, tmp_path: Path) -> MailClub:
    made = MailClub(store, tmp_path / "spool")
    made.add("Anna", "Bob", "Cleo")
    codes = (f"CDE{n}" for n in range(200, 999))
    made.context = structs.replace(made.context, coder=lambda: next(codes))
    return made


def opened(
    club: MailClub,
    *options: str,
    seed: bytes = CHANGES,
    now=FULL,
    name: str = "m",
    people: Sequence[str] = ("Anna", "Bob"),
) -> None:
    """Open a match in which Anna is number 1 and Bob number 2, or others."""
    wanted = NewMatch(
        game="espionage",
        variant="small",
        name=name,
        seats=[f"{seat}={one}" for seat, one in zip(("white", "black"), people, strict=True)],
        options=options,
        seed=None,
        fresh_seed=seed,
        by_lot=True,
    )
    club.create(wanted, now=now)


def verified(club: MailClub) -> list[str]:
    return [str(one) for one in club.verify("m")]


def seats(club: MailClub, match: str = "m") -> dict[str, str | None]:
    return {one.player_name: seat for seat, one in club.loaded(match).holders.items()}


def first_line(club: MailClub, match: str = "m") -> chain.Opening:
    with club.store.reading() as tx:
        (line, *_) = log_lines(tx, club.loaded(match).match.id)
    return chain.read_opening(line or "")


def played(club: MailClub, now=LATER, match: str = "m") -> None:
    """Play a match on for two turns and cancel it."""
    club.run_tick(now)
    for ply in range(2):
        at = now + (ply + 1) * HOUR
        for seat in club.loaded(match).awaited:
            lines = computer_orders(club.loaded(match), seat, "computer")
            holder = club.loaded(match).holders[seat]
            sender = f"{(holder.player_name or '').lower()}@example.org"
            to = club.address(seat, match, tenure=holder.tenure)
            club.write(seat, f"ORDERS {match} {seat}", *lines, "END", sender=sender, to=to, at=at)
        club.run_tick(at)
    club.cancel(match, reason="x", now=now + 5 * HOUR)
    club.run_tick(now + 5 * HOUR)


def emails_to(club: MailClub, name: str) -> list[bytes]:
    return [raw for _, to, raw in club.way.letters if to == f"{name}@example.org"]


def audited(club: MailClub, folder: Path, name: str = "anna") -> Audit:
    folder.mkdir()
    for number, raw in enumerate(emails_to(club, name)):
        (folder / f"{number:02}.eml").write_bytes(raw)
    papers, unread, _ = read_papers(folder)
    assert unread == []
    (found,) = audit(papers)
    return found


def lot(seed: bytes, number: int) -> str:
    return hmac.new(seed, f"lot|seat|{number}".encode(), sha256).hexdigest()


def test_the_lowest_lot_has_the_first_seat() -> None:
    lots = draw(CHANGES, ["white", "black"])
    assert [one.lot for one in lots] == [lot(CHANGES, 1), lot(CHANGES, 2)]
    assert lot(CHANGES, 1) > lot(CHANGES, 2)
    assert [one.seat for one in lots] == ["black", "white"]
    assert [one.seat for one in draw(STAYS, ["white", "black"])] == ["white", "black"]


@pytest.mark.parametrize(
    ("seed", "white"), [(STAYS, "Anna"), (CHANGES, "Bob")], ids=["stays", "changes"]
)
def test_the_seats_of_a_match_follow_from_its_seed_and_no_name(
    club: MailClub, tmp_path: Path, seed: bytes, white: str
) -> None:
    opened(club, seed=seed)
    assert seats(club)[white] == "white"
    assert first_line(club).lots == draw(seed, ["white", "black"])
    assert verified(club) == []
    told = {one["To"].addresses[0].username: text_of(one) for one in club.run_tick(FULL)}
    assert "The number of this seat in the draw was 1." in " ".join(told["anna"].split())
    assert "The number of this seat in the draw was 2." in " ".join(told["bob"].split())
    played(club)
    for name in ("anna", "bob"):
        found = audited(club, tmp_path / name, name)
        assert (found.exit_code, [*map(tell, found.wrong)]) == (0, [])


@pytest.mark.parametrize("seed", [STAYS, CHANGES], ids=["stays", "changes"])
@pytest.mark.parametrize("is_off", [False, True])
def test_where_a_number_decides_the_seats_are_drawn_when_it_is_known(
    club: MailClub, tmp_path: Path, seed: bytes, is_off: bool
) -> None:
    """Also if the club's machine was off meanwhile, so that the proof goes after that."""
    opened(club, "chance=drand", "drand_after=1 day", seed=seed)
    assert club.loaded().match.lots == lots_of_match.PENDING
    if not is_off:
        told = {one["To"].addresses[0].username: text_of(one) for one in club.run_tick(FULL)}
        for number, name in enumerate(("anna", "bob"), 1):
            said = " ".join(told[name].split())
            assert "The seats are drawn with the public number, too." in said
            assert f"Your number in the draw of the seats is {number}." in said
    club.enter_value("m", PUBLISHED[1000], now=LATER)
    used = mixed_seed(seed, "m", "drand quicknet 1000", PUBLISHED[1000])
    lots = draw(used, ["white", "black"])
    assert first_line(club).lots == lots_of_match.lots_of(club.loaded().match) == lots
    assert seats(club) == {"Anna": lots[0].seat, "Bob": lots[1].seat}
    assert verified(club) == []
    played(club)
    assert verified(club) == []
    for name in ("anna", "bob"):
        found = audited(club, tmp_path / name, name)
        assert ([*map(tell, found.wrong)], [*map(tell, found.asks)]) == ([], [])
        proofs = [raw for raw in emails_to(club, name) if b"Commitment: " in raw]
        assert len(proofs) >= 1


def test_who_left_before_the_draw_may_take_over_a_seat_of_another_number(
    club: MailClub, tmp_path: Path
) -> None:
    opened(club, "chance=drand", "drand_after=1 day")
    club.run_tick(FULL)
    club.replace("m", "white", "Cleo", reason="x", now=FULL)
    club.run_tick(FULL)
    club.enter_value("m", PUBLISHED[1000], now=LATER)
    club.run_tick(LATER)
    of_bob = seats(club)["Bob"]
    club.replace("m", of_bob, "Anna", reason="x", now=LATER + HOUR)
    played(club, LATER + 2 * HOUR)
    found = audited(club, tmp_path / "anna")
    assert ([*map(tell, found.wrong)], [*map(tell, found.asks)]) == ([], [])


def test_what_was_sent_to_the_seat_of_a_number_orders_nothing_of_the_one_that_was_drawn(
    club: MailClub,
) -> None:
    opened(club, "chance=drand", "drand_after=1 day")
    club.run_tick(FULL)
    old = club.address("white")
    club.enter_value("m", PUBLISHED[1000], now=LATER)
    club.run_tick(LATER)
    assert seats(club)["Anna"] == "black"
    lines = computer_orders(club.loaded(), "white", "computer")
    club.write("white", "ORDERS m white", *lines, "END", sender="anna@example.org", to=old,
               at=LATER + HOUR)  # fmt: skip
    (answer,) = club.run_tick(LATER + HOUR)
    assert "anna@" in answer["To"]
    assert "white" in club.loaded().awaited
    assert club.loaded().holders["white"].ordered_ply == 0


def test_a_daily_email_tells_the_numbers_of_several_matches(club: MailClub, tmp_path: Path) -> None:
    """Anna has the same seat in both, for another number."""
    club.change("Anna", Changes(letters="daily"), now=FULL, sends_mail=True)
    opened(club)
    opened(club, seed=STAYS, name="other", people=("Bob", "Anna"))
    assert seats(club)["Anna"] == seats(club, "other")["Anna"] == "black"
    for name in ("m", "other"):
        club.run_tick(FULL + DAY)
        club.cancel(name, reason="x", now=FULL + DAY)
    club.run_tick(FULL + 2 * DAY)
    place = tmp_path / "anna"
    place.mkdir()
    for number, raw in enumerate(emails_to(club, "anna")):
        (place / f"{number:02}.eml").write_bytes(raw)
    found = {one.match: [*map(tell, one.wrong)] for one in audits_of(place)}
    assert (found["m"], found["other"]) == ([], [])


def test_players_are_numbered_as_they_accepted(club: MailClub) -> None:
    club.context = structs.replace(club.context, invitations=3)
    club.say("Anna", "INVITE Bob, Cleo TO spies", at=MONDAY)
    sent = {one["To"].addresses[0].username: text_of(one) for one in club.run_tick(MONDAY)}
    assert "Your number in the draw of the seats is 1." in " ".join(sent["anna"].split())
    codes = {
        name: re.search(r"^ACCEPT (\w+)$", sent[name], re.MULTILINE)[1]  # type: ignore[index]
        for name in ("bob", "cleo")
    }
    numbers = {"anna": 1}
    for number, name in enumerate(("cleo", "bob"), 2):  # not as they were named
        club.say(name.capitalize(), f"ACCEPT {codes[name]}", at=MONDAY)
        told = [one for one in club.run_tick(MONDAY) if f"{name}@" in one["To"]]
        said = " ".join(" ".join(text_of(one) for one in told).split())
        assert f"Your number in the draw of the seats is {number}." in said
        numbers[name] = number
    match = club.loaded("spies-1")
    drawn = {one.number: one.seat for one in lots_of_match.lots_of(match.match)}
    who = {one.player_name.lower(): seat for seat, one in match.holders.items()}
    assert who == {name: drawn[number] for name, number in numbers.items()}
    assert lots_of_match.lots_of(match.match) == draw(match.match.seed, match.seats)


def test_a_ladder_knows_who_won_where_seats_are_drawn_later(store: Store, tmp_path: Path) -> None:
    club = ladder_of_five(MailClub(store, tmp_path / "spool"))
    club.context = structs.replace(club.context, chance="drand")
    match = begun(club, "Eva", "Bob")
    row = club.loaded(match).match
    assert row.lots == lots_of_match.PENDING
    drawn = SeatLot(1, "", "black"), SeatLot(2, "", "white")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(entering.public_chance, "fault", lambda name, value: None)
        patched.setattr(entering.seat_lots, "draw", lambda seed, seats: drawn)
        club.enter_value(match, PUBLISHED[1000], now=MONDAY + DAY)
    assert seats(club, match) == {"Eva": "black", "Bob": "white"}
    lost(club, match, "Bob", day=1.1)
    from tests.service.test_ladder_log import faults, lines
    from tests.service.test_ladders import order

    assert order(club) == "AEBCD"
    assert faults(club) == []
    assert any(getattr(one, "ending", "") == "won" for one in lines(club))
