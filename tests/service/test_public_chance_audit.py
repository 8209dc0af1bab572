"""A player checks a match whose chance took a public number, from his own emails alone."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from adjudicator.core import beacon, public_chance
from adjudicator.core.beacon import NoLibrary
from adjudicator.core.message import say, tell
from adjudicator.games import GAMES
from tests.audits import audit, read_papers, summary
from tests.club import computer_orders
from tests.core.test_beacon import PUBLISHED
from tests.database import begin_epoch
from tests.inside import matches_entering as entering
from tests.inside import public_number, unopened
from tests.nightly import mostly_nightly
from tests.service.test_public_chance import (
    DAY,
    DRAWN,
    FULL,
    HOUR,
    LATER,
    LOTTO,
    NUMBERS,
    ROUND,
    SEATS,
    Waiting,
)

PLIES = 3


@pytest.fixture
def club(store, tmp_path: Path) -> Waiting:
    return Waiting(store, tmp_path / "spool")


def played(club: Waiting, game: str, option: str = "chance=drand") -> list[bytes]:
    """Play a match from its first email to its end; return all that Anna got."""
    value, now = (PUBLISHED[1000], LATER) if option == "chance=drand" else (NUMBERS, DRAWN)
    club.open(option, game=game)
    club.run_tick(FULL)
    club.value(value, now)
    return played_on(club, game, now)


def played_on(club: Waiting, game: str, now) -> list[bytes]:
    people = {seat: f"{name.lower()}@example.org" for seat, name in SEATS[game].items()}
    club.run_tick(now)
    for ply in range(PLIES):
        at = now + (ply + 1) * HOUR
        for seat in club.loaded().awaited:
            lines = computer_orders(club.loaded(), seat, "computer")
            club.write(seat, f"ORDERS m {seat}", *lines, "END", sender=people[seat], at=at)
        club.run_tick(at)
    assert club.loaded().match.ply >= PLIES
    end = now + 10 * HOUR
    club.cancel("m", reason="x", now=end)
    club.run_tick(end)
    assert club.verified() == []
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"]


def received(raw: bytes, at) -> bytes:
    """Return an email as Anna's own server keeps it."""
    line = (
        f"Received: from play.example.org by mx.example.net with ESMTP;\r\n {format_datetime(at)}"
    )
    return line.encode() + b"\r\n" + raw


def audited(emails: list[bytes], folder: Path, code: int | None = None) -> tuple[list[str], str]:
    """Return what contradicts, and all that is said; `code` is how the command must end."""
    folder.mkdir(exist_ok=True)
    paths = []
    for number, raw in enumerate(emails):
        paths.append(folder / f"{number}.eml")
        paths[-1].write_bytes(raw)
    papers, unread, _ = read_papers(*paths)
    assert unread == []
    (found,) = audit(papers)
    assert found.exit_code == (int(bool(found.wrong)) if code is None else code), found
    return [tell(one) for one in found.wrong], "\n".join(summary(found))


@pytest.mark.parametrize("game", GAMES)
def test_an_honest_match_with_drand_agrees(club: Waiting, tmp_path: Path, game: str):
    wrong, said = audited(played(club, game), tmp_path / "mine")
    assert wrong == [], said
    assert "the proof of the seed came before its number was known: " in said
    assert " was written at 2023-08-22T15:59:24+00:00 (its Date, by the club; no Received" in said
    assert "; the number was known at 2023-08-23T15:59:24+00:00\n" in said


def test_an_honest_match_whose_round_comes_after_an_hour_agrees(club: Waiting, tmp_path: Path):
    club.open(now=ROUND - HOUR, after="")
    club.run_tick(ROUND - HOUR)
    club.value()
    wrong, said = audited(played_on(club, "espionage", LATER), tmp_path / "mine")
    assert wrong == [], said
    assert " was written at 2023-08-23T14:59:24+00:00 (its Date, by the club" in said


@pytest.mark.parametrize("told", ["1 hour", "1 day"])
def test_a_round_after_another_time_than_was_agreed_is_found(
    club: Waiting, tmp_path: Path, told: str
):
    """The club likes the round of the other rule more."""
    full = ROUND - (HOUR if told == "1 hour" else DAY)
    club.open(now=full, after=told)
    club.run_tick(full)
    other = "1 day" if told == "1 hour" else "1 hour"
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET options = replace(options, ?, ?)", (told, other))
    number = public_chance.round_of(public_number.which_number(club.row()))
    assert number not in (None, 1000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(beacon, "fault", lambda number, signature: None)
        later = datetime.fromtimestamp(beacon.time_of(number), UTC) + HOUR
        club.value(PUBLISHED[1001], max(later, LATER))
        emails = _without_verifying(club, at=max(later, LATER))
        wrong, _ = audited(emails, tmp_path / "mine")
    assert any("which public number decides: " in one for one in wrong)


# Drand's number is tried in all games; numbers that a person enters come to the same rules.
@pytest.mark.parametrize("game", mostly_nightly(GAMES, every_day=["spies"]))
def test_an_honest_match_with_numbers_agrees(club: Waiting, tmp_path: Path, game: str):
    wrong, said = audited(played(club, game, LOTTO), tmp_path / "mine")
    assert wrong == [], said
    assert f"compare this number with its source: {LOTTO[7:]}: {NUMBERS}" in said


def test_the_players_own_server_says_when_the_proof_came(club: Waiting, tmp_path: Path):
    first, *others = played(club, "espionage")
    wrong, said = audited([received(first, FULL + HOUR), *others], tmp_path / "mine")
    assert wrong == []
    assert (
        "2023-08-22T15:59:24+00:00 (its Date, by the club) and came at 2023-08-22T16:59:24+00:00"
        in said
    )
    assert "; the number was known at 2023-08-23T15:59:24+00:00\n" in said
    wrong, said = audited([received(first, ROUND + HOUR), *others], tmp_path / "late", 3)
    assert wrong == []
    assert "and came at 2023-08-23T16:59:24+00:00 (its newest Received line, by your own" in said
    assert "the number was known at 2023-08-23T15:59:24+00:00. Was a server out of order" in said


def test_without_the_email_nobody_can_see_when_the_proof_came(club: Waiting, tmp_path: Path):
    wrong, said = audited(played(club, "espionage")[1:], tmp_path / "mine", 3)
    assert wrong == []
    assert "did you get one, before your first report?" in said


def test_who_took_a_seat_over_is_not_asked_for_that_email(club: Waiting, tmp_path: Path):
    club.open(game="espionage")
    club.run_tick(FULL)
    club.value()
    club.run_tick(LATER)
    club.replace("m", "white", "Carl", now=LATER)
    _without_verifying(club, "carl")
    emails = [raw for _, to, raw in club.way.letters if to == "carl@example.org"]
    wrong, said = audited(emails, tmp_path / "mine", 0)
    assert wrong == []
    assert "so when the proof of the seed reached you cannot be seen" in said


def test_numbers_that_were_entered_before_the_draw_are_found(
    club: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    club.open(LOTTO, game="espionage")
    club.run_tick(FULL)
    monkeypatch.setattr(entering, "_check", lambda found, value, zone, now: None)
    club.value(NUMBERS, LATER)
    wrong, _ = audited(_without_verifying(club), tmp_path / "mine")
    assert len(wrong) == 1
    assert wrong[0].endswith("the numbers were entered before they were drawn")


def test_a_draw_that_is_exchanged_is_found(club: Waiting, tmp_path: Path):
    """The club does not like the numbers of the draw that it named."""
    club.open(LOTTO, game="espionage")
    club.run_tick(FULL)
    other = LOTTO[7:].replace("26T", "30T")
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET options = replace(options, ?, ?)", (LOTTO[7:], other))
    later = DRAWN + timedelta(days=4)
    club.value(NUMBERS, later)
    wrong, _ = audited(_without_verifying(club, at=later), tmp_path / "mine")
    assert any("which public number decides: " in one for one in wrong)


def test_an_email_that_was_written_afterwards_is_found(club: Waiting, tmp_path: Path):
    first, *others = played(club, "espionage")
    lines = first.decode().split("\r\n")
    late = [
        f"Date: {format_datetime(ROUND + HOUR)}" if line.startswith("Date:") else line
        for line in lines
    ]
    wrong, said = audited(["\r\n".join(late).encode(), *others], tmp_path / "mine", 3)
    assert wrong == []
    assert "was written at 2023-08-23T16:59:24+00:00 (its Date, by the club; no Received" in said
    assert "2023-08-23T15:59:24+00:00. Was a server out of order until then?" in said


def test_before_the_end_the_number_is_checked_with_the_emails(club: Waiting, tmp_path: Path):
    emails = played(club, "espionage")
    two = [one for one in emails if b"X-Adjud: notice" in one or b"Turn 0" in one]
    wrong, _ = audited(two, tmp_path / "mine")
    assert wrong == []
    spoiled = [one.replace(b"round number\r\n1000", b"round number\r\n1001") for one in two]
    spoiled = [one.replace(b"quicknet 1000", b"quicknet 1001") for one in spoiled]
    wrong, _ = audited(spoiled, tmp_path / "other")
    assert any("another round follows from the time of the last seat" in one for one in wrong)


def test_a_club_that_enters_another_number_is_found(
    club: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It takes a signature of another round that pleases it better."""
    club.open(game="espionage")
    club.run_tick(FULL)
    with monkeypatch.context() as patched:
        patched.setattr(entering.public_chance, "fault", lambda name, value: None)
        club.value(PUBLISHED[1001])
        emails = _without_verifying(club)
    wrong, _ = audited(emails, tmp_path / "mine")
    assert any("this is not the signature of round number 1000" in one for one in wrong)


def test_a_club_that_takes_a_later_round_is_found(
    club: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """It says in the log that the last seat was taken three seconds later than it told."""
    club.open(game="espionage")
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        later = (FULL + timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        tx.exec_driver_sql("UPDATE match SET full_at = ?", (later,))
    club.value(PUBLISHED[1001])
    wrong, _ = audited(_without_verifying(club), tmp_path / "mine")
    assert any("when the last seat was taken" in one for one in wrong)
    assert any("which public number decides" in one for one in wrong)


def test_a_club_that_exchanges_the_seed_is_found(club: Waiting, tmp_path: Path):
    """It looks for a seed that pleases it, once the number is known."""
    club.open(game="espionage")
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        tx.exec_driver_sql("UPDATE match SET seed = ?", (b"7" * 32,))
    club.value()
    wrong, _ = audited(_without_verifying(club), tmp_path / "mine")
    assert any("Seed of the match: " in one for one in wrong)


def test_a_club_that_tells_two_numbers_is_found(club: Waiting, tmp_path: Path):
    emails = played(club, "espionage", LOTTO)
    spoiled = [
        one.replace(b"48. The match has", b"49. The match has") if b"[m] Turn 0" in one else one
        for one in emails
    ]
    assert spoiled != emails
    wrong, _ = audited(spoiled, tmp_path / "mine")
    assert any("the public number: " in one or "same/differs: " in one for one in wrong)


def test_a_club_that_forgets_the_number_is_found(club: Waiting, tmp_path: Path):
    """It uses the seed that it chose, and says nothing more of a number."""
    club.open(game="espionage")
    club.run_tick(FULL)
    emails = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    with club.store.transaction() as tx:
        for table in ("outbox", "seat", "email_number", "match"):
            tx.exec_driver_sql(f"DELETE FROM {table}")
        tx.exec_driver_sql("DELETE FROM player")
    club.open("chance=seed", game="espionage")
    emails += _without_verifying(club)
    wrong, _ = audited(emails, tmp_path / "mine")
    assert any("by the log only its seed decided" in one for one in wrong)


def test_a_seed_that_was_shown_at_a_cancellation_is_checked(club: Waiting, tmp_path: Path):
    club.open(game="spion")
    club.run_tick(FULL)
    club.cancel("m", reason="x", now=FULL + HOUR)
    club.run_tick(FULL + HOUR)
    emails = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    assert audited(emails, tmp_path / "mine")[0] == []
    spoiled = [one.replace(b"Seed: 0000", b"Seed: 0001") for one in emails]
    (wrong,), _ = audited(spoiled, tmp_path / "other")
    assert "the seed does not match its proof" in wrong


def test_without_the_library_the_number_is_named(
    club: Waiting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    emails = played(club, "espionage")

    def missing(number: int, signature: bytes) -> bool:
        raise NoLibrary

    monkeypatch.setattr(beacon, "_is_signed", missing)
    wrong, said = audited(emails, tmp_path / "mine")
    assert wrong == []
    assert "compare this number with its source: drand quicknet 1000: b44679" in said


def _without_verifying(club: Waiting, white: str = "anna", at=LATER) -> list[bytes]:
    """Play on in a club that cheats, and end the match."""
    club.run_tick(at)
    for seat in club.loaded().awaited:
        lines = computer_orders(club.loaded(), seat, "computer")
        sender = f"{white if seat == 'white' else 'bob'}@example.org"
        to = club.address(seat, tenure=club.loaded().holders[seat].tenure)
        club.write(seat, f"ORDERS m {seat}", *lines, "END", sender=sender, to=to, at=at + HOUR)
    club.run_tick(at + HOUR)
    end = {"reason": "x", "now": at + 2 * HOUR}
    club.cancel("m", **end)
    club.run_tick(at + 2 * HOUR)
    return [raw for _, to, raw in club.way.letters if to == "anna@example.org"]


# A restore between two numbers.


def restored(club: Waiting, later: timedelta) -> list[bytes]:
    """Restore the club to before the last seat was taken, so that it is taken anew, so much later;
    return what Anna got."""
    club.open(game="espionage")
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        begin_epoch(tx, "zzzzz", FULL, FULL + HOUR)
        again = (FULL + later).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        tx.exec_driver_sql("UPDATE match SET full_at = ?", (again,))
    club.run_tick(FULL + HOUR)
    club.value(PUBLISHED[1000 + later // timedelta(seconds=3)])
    return _without_verifying(club)


def test_another_number_after_a_restore_is_asked_about_in_the_first_line(
    club: Waiting, tmp_path: Path
):
    emails = restored(club, timedelta(seconds=3))
    wrong, said = audited(emails, tmp_path / "mine", 3)
    assert wrong == []
    first, *others = said.splitlines()
    assert first.endswith("; after a restore another public number decided")
    (asked,) = (line for line in others if "names the public number" in line)
    assert "names the public number drand quicknet 1000, and after a restore" in asked
    assert "names drand quicknet 1001: ask the other players" in asked
    wrong, said = audited(emails[:2], tmp_path / "running", 3)
    assert said.splitlines()[0].endswith("; after a restore another public number decided")


def test_a_restore_that_leaves_the_number_is_no_question(club: Waiting, tmp_path: Path):
    wrong, said = audited(restored(club, timedelta()), tmp_path / "mine", 0)
    assert wrong == []
    assert "another public number" not in said


def test_two_numbers_without_a_restore_contradict(club: Waiting, tmp_path: Path):
    """The club tells the last seat's time anew, because it likes the other round more."""
    club.open(game="espionage")
    club.run_tick(FULL)
    with club.store.transaction() as tx:
        again = (FULL + timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        tx.exec_driver_sql("UPDATE match SET full_at = ?", (again,))
    with club.opened_at(FULL + HOUR).session() as s:
        found = unopened.waiting(s.tx, "m")
        unopened.tell(s, found, say("Hello."), proofs=True)
    club.run_tick(FULL + HOUR)
    emails = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
    told, _ = audited(emails, tmp_path / "mine")
    titles = [one.split(":")[1].strip() for one in told]
    assert titles == ["when the last seat was taken", "which public number decides"]
