"""The log of a tournament: a line for each thing that changes it, chained, and computed again from
its first line (club, 7.9)."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from adjudicator.core import contest_log
from adjudicator.core.pairing import history
from adjudicator.service.competition import log
from adjudicator.store.contest_logs import LoggedLine
from tests.club import Store
from tests.database import lines_of_tournament, tables_club
from tests.service.cups import KINDS, MONDAY, SEED, Cup, verify_log
from tests.service.mailclub import MailClub


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def logged(cup: Cup) -> list[LoggedLine]:
    with cup.club.store.reading() as tx:
        return lines_of_tournament(tx, cup.now.row.id)


def kinds(cup: Cup) -> list[str]:
    return [type(contest_log.read(one.line)).__name__.removesuffix("Line") for one in logged(cup)]


def faults(cup: Cup) -> list[str]:
    with cup.club.store.reading() as tx:
        return [str(one) for one in verify_log(tx, cup.now)]


def play_to_its_end(cup: Cup, most: int = 12) -> None:
    for round_ in range(1, most):
        if cup.now.row.status == "over":
            return
        cup.win_all(round_)
    raise AssertionError(cup.text())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entrants", [5, 6])
def test_the_log_of_each_kind_is_computed_again(
    mailclub: MailClub, kind: str, entrants: int
) -> None:
    cup = Cup(mailclub, entrants, kind)
    cup.start()
    assert faults(cup) == []
    play_to_its_end(cup)

    lines = logged(cup)
    assert [one.n for one in lines] == [*range(1, len(lines) + 1)]
    assert [one.head for one in lines] == [*contest_log.heads("cup", [one.line for one in lines])]
    told = kinds(cup)
    assert told[: entrants + 2] == ["Opened", *["Entered"] * entrants, "Started"]
    assert told[-1] == "Closed"
    assert told.count("Result") == sum(len(cup.boards(n)) for n in range(1, cup.now.row.round + 1))
    assert SEED.hex() in lines[-1].line
    assert not any(name in one.line for name in cup.names for one in lines)
    assert faults(cup) == []


def test_entries_are_numbered_as_they_came_and_no_number_comes_again(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss")
    cup.withdraw("Dag")
    mailclub.add("Eva")
    mailclub.enter_tournament("cup", "Eva", now=MONDAY)

    assert [one["entry"] for one in cup.shown()["entries"]] == [1, 2, 3, 5]
    assert kinds(cup)[-2:] == ["Withdrawn", "Entered"]
    assert faults(cup) == []


def test_who_leaves_and_what_is_decided_stands_in_the_log_without_a_reason(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 5, "round-robin")
    mailclub.add("Finn")
    cup.start()
    match, players = next(iter(cup.boards(1).items()))
    cup.decide(match, "void", reason="Robert says so")
    (left,) = sorted({*cup.names} - {*players})[:1]
    mailclub.replace_entrant("cup", left, "Finn", reason="Robert is ill", now=MONDAY)
    cup.withdraw("Finn")
    cup.tick()

    text = "".join(one.line for one in logged(cup))
    assert kinds(cup).count("Decided") == 2
    assert kinds(cup).count("Withdrawn") == 1
    assert "Robert" not in text
    assert "Finn" not in text
    assert faults(cup) == []


def test_a_replay_and_its_end_by_the_lower_number_are_computed_again(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 5, "knockout")
    cup.start()
    (match,) = cup.boards(1)
    cup.decide(match, "draw")
    cup.tick()
    cup.decide(f"{match}b", "draw")
    cup.tick()
    cup.win_all(2)
    cup.win_all(3)

    assert kinds(cup).count("Round") == 4
    assert kinds(cup)[-1] == "Closed"
    assert faults(cup) == []


def test_that_two_share_an_address_is_told_only_where_others_would_meet(
    mailclub: MailClub,
) -> None:
    mailclub.add("Anna", "Bob", address="home@example.org")
    cup = Cup(mailclub, 6, "swiss")
    cup.start()
    cup.win_all(1)
    cup.win_all(2)

    rounds = [one.line for one in logged(cup) if '"line":"round"' in one.line]
    apart = [contest_log.read(line).apart for line in rounds]  # type: ignore[union-attr]
    assert faults(cup) == []
    numbers = {one["player"]: one["number"] for one in cup.shown()["entries"]}
    home = tuple(sorted((numbers["Anna"], numbers["Bob"])))
    assert {*apart} <= {(), (home,)}
    assert (home,) in apart


def test_a_cancelled_tournament_opens_its_seed_and_has_no_table(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss")
    cup.start()
    mailclub.cancel_tournament("cup", reason="x", now=MONDAY)

    last = contest_log.read(logged(cup)[-1].line)
    assert last == contest_log.ClosedLine(
        n=len(logged(cup)), at="2026-11-23T12:00:00Z", why="cancelled", seed=SEED.hex()
    )
    assert faults(cup) == []


def test_with_hidden_names_nothing_of_the_log_is_shown_before_the_end(
    mailclub: MailClub,
) -> None:
    cup = Cup(mailclub, 4, "swiss", rounds=1, options=["names=hidden", "level=token"])
    cup.start()

    assert cup.shown()["log"] is None
    assert {one["entry"] for one in cup.shown()["entries"]} == {None}
    assert "The log is shown at the end" in cup.text()
    assert not any(one.head in cup.text() for one in logged(cup))
    for match in [one.match for one in cup.now.pairings]:
        cup.decide(match or "", "draw")
    cup.tick()
    assert cup.shown()["log"] == {"line": len(logged(cup)), "head": logged(cup)[-1].head}
    assert faults(cup) == []


def test_a_tournament_from_before_goes_on_without_a_log_and_draws_by_names(
    mailclub: MailClub, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(log, "note", lambda *given: None)
        cup = Cup(mailclub, 4, "round-robin")
    cup.start()

    assert logged(cup) == []
    assert cup.shown()["log"] is None
    assert "The tournament began before tournaments had logs." in cup.text()
    by_name = history.by_lot(SEED, "number", cup.names)
    assert [one["player"] for one in cup.shown()["entries"]] == by_name


def test_a_changed_line_and_a_changed_row_are_found(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin")
    cup.start()
    first = logged(cup)[0]
    with mailclub.store.transaction() as tx:
        changed = first.line.replace('"small"', '"large"')
        tx.execute(
            sa.update(tables_club.tournament_log)
            .where(tables_club.tournament_log.c.n == 1)
            .values(line=changed)
        )
        tx.execute(
            sa.update(tables_club.paired).where(tables_club.paired.c.round == 1).values(points=12)
        )

    found = faults(cup)
    assert "line 1 of the log has another fingerprint than is stored" in found
    assert "the log says other pairings or results than are stored" in found
