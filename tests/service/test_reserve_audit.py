"""Players check a match with a reserve in their own emails: the balances that they were told, and
when a silent seat lost by forfeit (club, 5.2)."""

from datetime import timedelta

import pytest

from adjudicator.core.message import tell
from tests.audits import audited
from tests.club import Club, computer_orders
from tests.database import update_seats
from tests.inside import bank, deadlines
from tests.service.mailclub import MailClub
from tests.service.test_reserve import THURSDAY

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OPTIONS = (
    "deadline=every 1 day",
    "bank=2 days + 5 hours / 2 max 3 days",
    "absence=forfeit",
    "timezone=Europe/Oslo",
    "skip=Sun",
    "double=1 day",
    "leave=none",
)


def write(club, now):
    """Let the seat that is to move write its orders."""
    loaded = club.loaded()
    (seat,) = loaded.awaited
    holder = loaded.holders[seat]
    sender, to = (
        f"{holder.player_name.lower()}@example.org",
        club.address(seat, tenure=holder.tenure),
    )
    lines = computer_orders(loaded, seat, "computer:random")
    club.write(seat, f"ORDERS m {seat}", *lines, "END", sender=sender, to=to, at=now)


def play(store, folder):
    """Play some turns, some of them late, with a new holder, until White is silent for too long."""
    club = MailClub(store, folder / "spool")
    club.add("Anna", "Bob", "Cleo")
    club.new(*OPTIONS, now=THURSDAY)
    club.run_tick(THURSDAY)
    now = THURSDAY
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", now=now)
    club.run_tick(now)
    for hours in (20, 26, 40, 45, 30, 46):
        now += hours * HOUR
        club.run_tick(now)
        write(club, now)
        club.run_tick(now)
        if hours == 40:
            reason = {"reason": "x", "now": now}
            club.replace("m", "white", "Cleo", **reason)
            club.run_tick(now)
    assert club.verify("m") == []
    while club.loaded().match.status != "over":
        now += HOUR
        club.run_tick(now)
    return club


def wrong(club, name, folder):
    folder.mkdir()
    emails = [raw for _, to, raw in club.way.letters if to == f"{name}@example.org"]
    for number, raw in enumerate(emails):
        (folder / f"{number:02}.eml").write_bytes(raw)
    found = audited(folder)
    return " / ".join(map(tell, found.wrong))


@pytest.mark.parametrize("is_changed_first", [True, False], ids=["changed", "handed over"])
def test_a_new_holder_has_half_of_the_reserve_of_that_moment(store, tmp_path, is_changed_first):
    """The game master changes the reserve and gives the seat away in one turn."""
    club, now = MailClub(store, tmp_path / "spool"), THURSDAY
    club.add("Anna", "Bob", "Cleo")
    club.new("deadline=every 1 day", "bank=4 hours", "absence=forfeit", "leave=none", now=now)
    club.run_tick(now)
    for seat in ("white", "black"):
        club.send(seat, "SETUP RANDOM", now=now)
    club.run_tick(now)
    for _ in range(2):
        now += DAY + 3 * HOUR
        write(club, now)
        club.run_tick(now)
    assert club.loaded().holders["white"].bank == 3600
    for is_change in (is_changed_first, not is_changed_first):
        now += HOUR
        more = {"reason": "x", "now": now}
        if is_change:
            club.change_options("m", ["bank=40 hours"], **more)
        else:
            club.replace("m", "white", "Cleo", **more)
        club.run_tick(now)
    assert club.loaded().holders["white"].bank == (20 if is_changed_first else 2) * 3600
    for _ in range(2):
        now += HOUR
        write(club, now)
        club.run_tick(now)
    assert Club(store).verify("m") == []
    club.cancel("m", reason="x", now=now)
    club.run_tick(now)
    for name in ("anna", "bob", "cleo"):
        assert wrong(club, name, tmp_path / name) == ""


def test_all_that_players_were_told_of_reserves_agrees_with_the_log(store, tmp_path):
    club = play(store, tmp_path)
    assert club.verify("m") == []
    assert wrong(club, "cleo", tmp_path / "cleo") == ""
    assert wrong(club, "bob", tmp_path / "bob") == ""
    with store.transaction() as tx:
        update_seats(tx, club.loaded().match.id, ["white"], bank=77)
    assert [str(one) for one in club.verify("m")] == [
        "the reserves of time are not those of the log"
    ]


def test_a_club_that_charges_too_much_is_found_out(store, tmp_path, monkeypatch):
    honest = bank.Bank.after
    monkeypatch.setattr(
        bank.Bank, "after", lambda *of: honest(*of) - (60 if honest(*of) > 60 else 0)
    )
    club = play(store, tmp_path)
    monkeypatch.undo()
    assert "White has a reserve of 1 day, 23:59:00, and by its orders" in wrong(
        club, "bob", tmp_path / "bob"
    )


def test_a_forfeit_before_a_reserve_is_used_up_is_found_out(store, tmp_path, monkeypatch):
    own_end = deadlines.own_end

    def early(loaded, seat, **known):
        ends = own_end(loaded, seat, **known)
        return ends and max(ends - 2 * HOUR, loaded.match.deadline_at)

    monkeypatch.setattr(deadlines, "own_end", early)
    club = play(store, tmp_path)
    monkeypatch.undo()
    assert "was treated as silent at" in wrong(club, "cleo", tmp_path / "cleo")


@pytest.mark.parametrize("told", ["-1", "true", '"x"', "1e30", "[1]"])
def test_a_log_with_strange_balances_cannot_be_read(told):
    from adjudicator.core import chain

    line = '{"ply":1,"turn":1,"at":"","cause":"orders","bank":{"white":%s}}'
    assert chain.read(line % "5").bank == {"white": 5}
    with pytest.raises(ValueError, match="no line of a log"):
        chain.read(line % told)
