"""A tournament whose lots take a public number: it waits for it, tells which one it is, and draws
with it (rules of tournaments, 7.4 and 7.9; proofs, 8 and T1)."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from email import message_from_bytes
from email.policy import default
from pathlib import Path

import pytest
from msgspec import structs

from adjudicator.core.contest_log import LogLine, NumberLine, StartedLine
from adjudicator.core.dice import mixed_seed
from adjudicator.core.message import tell
from adjudicator.core.pairing import history
from tests.audits import Audit, Document, audit, read_papers
from tests.club import NewTournament, Refusal, Store
from tests.core.test_beacon import PUBLISHED
from tests.inside import numbers, tournament
from tests.service.cups import KINDS, SEED, Cup
from tests.service.mailclub import MailClub, text_of
from tests.service.test_public_chance import HOUR, ROUND
from tests.service.test_tournament_audit import changed, lines_of, told_otherwise
from tests.service.test_tournament_log import faults, kinds

T0 = ROUND - HOUR
WHICH = "drand quicknet 1000"
LATER = ROUND + timedelta(minutes=1)
DRAWN = datetime.fromisoformat("2023-08-26T19:00Z")
LOTTO = "numbers: 6 of Lotto 6aus49 at 2023-08-26T19:00Z"

_MADE: dict[str, list[Document]] = {}


@pytest.fixture
def mailclub(store: Store, tmp_path: Path) -> MailClub:
    return MailClub(store, tmp_path / "spool")


def value(cup: Cup, text: str = PUBLISHED[1000], now: datetime = LATER) -> str:
    return str(numbers.enter_value(cup.club.opened_at(now), "cup", text, zone="UTC"))


def started(club: MailClub, entrants: int = 5, kind: str = "swiss", **wanted: object) -> Cup:
    cup = Cup(club, entrants, kind, now=T0, **{"chance": "drand", **wanted})
    club.run_tick(T0)
    cup.start(T0)
    return cup


def play_to_its_end(cup: Cup, now: datetime = LATER) -> None:
    for round_ in range(1, 12):
        if cup.now.row.status == "over":
            return
        cup.win_all(round_, now)
    raise AssertionError(cup.text())


def papers_of_anna(kind: str, store: Store, folder: Path) -> list[Document]:
    """Return what the emails to Anna say of a tournament with drand that was played to its end."""
    if kind not in _MADE:
        club = MailClub(store, folder / "spool")
        cup = started(club, kind=kind)
        club.run_tick(T0)
        value(cup)
        cup.tick(LATER)
        club.run_tick(LATER)
        play_to_its_end(cup)
        club.run_tick(LATER)
        emails = folder / "emails"
        emails.mkdir()
        mine = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
        for number, raw in enumerate(mine):
            (emails / f"{number:03}.eml").write_bytes(raw)
        _MADE[kind], unread, _ = read_papers(emails)
        assert unread == []
    return [*_MADE[kind]]


def audited(papers: Sequence[Document]) -> Audit:
    return {one.match: one for one in audit(papers)}["cup"]


def told_to(club: MailClub, name: str) -> str:
    raws = [raw for _, to, raw in club.way.letters if to == f"{name}@example.org"]
    texts = [text_of(message_from_bytes(raw, policy=default)) for raw in raws]
    return " ".join(" ".join(texts).split())


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_drawn_before_the_number_is_known(mailclub: MailClub, kind: str) -> None:
    cup = started(mailclub, kind=kind)
    row = cup.now.row
    assert (row.status, row.which, cup.now.numbers) == ("waiting", WHICH, {})
    assert kinds(cup)[-1] == "Started"
    mailclub.run_tick(T0)
    for name in ("anna", "eva"):
        told = told_to(mailclub, name)
        assert "drand quicknet, round number 1000" in told
        assert "Nobody knows this public number yet." in told
        assert history.commitment(SEED) in told
        assert cup.now.logged is not None
        assert cup.now.logged.head in told
        assert "it can foresee the draws" not in told
    assert "cup waits for the signature of drand quicknet" in cup.text()
    assert cup.shown()["public_number"] == WHICH
    cup.tick(LATER)
    assert cup.now.row.status == "waiting"
    assert faults(cup) == []

    assert "cup draws with" in value(cup)
    used = mixed_seed(SEED, "cup", WHICH, PUBLISHED[1000])
    assert cup.now.row.lot_seed == used
    cup.tick(LATER)
    assert cup.now.row.round >= 1
    assert kinds(cup)[kinds(cup).index("Number") + 1] == "Round"
    assert faults(cup) == []
    mailclub.run_tick(LATER)
    assert PUBLISHED[1000] in told_to(mailclub, "anna").replace(" ", "")
    if cup.now.kind.is_drawn_at_start and cup.now.kind.teams == 1:
        by_lot = history.by_lot(used, "number", [str(n) for n in range(1, 6)])
        assert [str(one.serial) for one in cup.now.by_number.values()] == by_lot
    play_to_its_end(cup)
    assert faults(cup) == []


def test_a_draw_of_numbers_is_named_from_the_start(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin", now=T0, chance=LOTTO)
    assert cup.now.row.chance == LOTTO
    with pytest.raises(Refusal, match="the draw of cup comes too soon"):
        cup.start(DRAWN - HOUR)
    cup.start(DRAWN - 25 * HOUR)
    with pytest.raises(Refusal, match="these numbers are drawn"):
        value(cup, "3 11 17 29 41 48", DRAWN - HOUR)
    with pytest.raises(Refusal, match="6 numbers decide"):
        value(cup, "3 11 17", DRAWN)
    value(cup, "3 11 17 29 41 48", DRAWN)
    assert faults(cup) == []
    assert "3 11 17 29 41 48" in cup.text()
    with pytest.raises(Refusal, match="does not wait for a public number"):
        value(cup, "3 11 17 29 41 49", DRAWN)


def test_another_draw_is_named_before_the_start_and_told(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "round-robin", now=T0, chance=LOTTO)
    later = "6 of Lotto 6aus49 at 2023-09-02T19:00Z"
    numbers.name_draw(mailclub.opened_at(DRAWN), "cup", later)
    assert cup.now.row.chance == f"numbers: {later}"
    mailclub.run_tick(DRAWN)
    assert later in told_to(mailclub, "bob")
    assert faults(cup) == []
    cup.start(DRAWN)
    with pytest.raises(Refusal, match="has no draw that can be changed"):
        numbers.name_draw(mailclub.opened_at(DRAWN), "cup", later)
    value(cup, "3 11 17 29 41 48", DRAWN + timedelta(days=7))
    assert kinds(cup).count("Decided") == 1
    assert faults(cup) == []


def test_a_wrong_signature_is_refused_and_another_round_too(mailclub: MailClub) -> None:
    cup = started(mailclub)
    for wrong in ("0" * 96, PUBLISHED[1001]):
        with pytest.raises(Refusal):
            value(cup, wrong)
    assert cup.now.row.status == "waiting"


def test_who_leaves_while_it_waits_is_not_paired(mailclub: MailClub) -> None:
    cup = started(mailclub, 6)
    mailclub.withdraw("cup", "Dag", reason="x", now=T0)
    value(cup)
    cup.tick(LATER)
    assert not any("Dag" in players for players in cup.boards(1).values())
    assert faults(cup) == []


def test_one_that_is_cancelled_while_it_waits_opens_its_seed(mailclub: MailClub) -> None:
    cup = started(mailclub)
    mailclub.cancel_tournament("cup", reason="x", now=T0)
    assert SEED.hex() in cup.text()
    assert faults(cup) == []


def test_a_command_fetches_the_number(mailclub: MailClub, tmp_path: Path) -> None:
    script = tmp_path / "fetch"
    script.write_text(f"#!/bin/sh\necho {PUBLISHED[1000]}\n")
    script.chmod(0o755)
    mailclub.context = structs.replace(mailclub.context, fetcher=(str(script), "{round}"))
    cup = started(mailclub)
    cup.tick(ROUND - timedelta(minutes=1))
    assert cup.now.row.status == "waiting"
    cup.tick(LATER)
    assert cup.now.row.round == 1


def test_the_operator_is_reminded_once_a_day(mailclub: MailClub) -> None:
    cup = started(mailclub)
    told = [cup.tick(at) for at in (LATER, LATER + HOUR, LATER + 25 * HOUR)]
    mailclub.run_tick(LATER + 25 * HOUR)
    alerts = [
        one
        for _, to, raw in mailclub.way.letters
        if "adjud tournament value cup" in (one := text_of(message_from_bytes(raw, policy=default)))
    ]
    assert len(alerts) == 2, told


def test_a_tournament_follows_its_club_or_the_chance_of_its_matches(mailclub: MailClub) -> None:
    cup = Cup(mailclub, 4, "swiss", options=["chance=drand"])
    assert cup.now.row.chance == "drand"
    mailclub.context = structs.replace(mailclub.context, chance="drand")
    for name, chance, right in (("a", None, "drand"), ("b", "seed", "seed")):
        wanted = NewTournament(
            name=name, game="espionage", kind="swiss", variant="small", chance=chance
        )
        mailclub.create_tournament(wanted, now=T0)
        with mailclub.store.reading() as tx:
            assert tournament.find(tx, name).row.chance == right


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_tournament_agrees(store: Store, tmp_path: Path, kind: str) -> None:
    papers = papers_of_anna(kind, store, tmp_path)
    found = audited(papers)
    assert (found.exit_code, [*map(tell, found.wrong)], [*map(tell, found.asks)]) == (0, [], [])
    assert not any("foresee" in tell(one) for one in found.notes)
    assert audited(told_otherwise(papers, lines_of(papers))).exit_code == 0


def another_value(lines: Sequence[LogLine]) -> list[LogLine]:
    return changed(lines, NumberLine, lambda one: structs.replace(one, value=PUBLISHED[1001]))


def another_round(lines: Sequence[LogLine]) -> list[LogLine]:
    which = "drand quicknet 1001"
    first = changed(lines, StartedLine, lambda one: structs.replace(one, which=which))
    return changed(
        first, NumberLine, lambda one: structs.replace(one, which=which, value=PUBLISHED[1001])
    )


def other_numbers_by_number(lines: Sequence[LogLine]) -> list[LogLine]:
    def swap(one: NumberLine) -> LogLine:
        first, second, *more = one.numbers
        return structs.replace(one, numbers=(second, first, *more))

    return changed(lines, NumberLine, swap)


# Lies about the public number of a tournament; `cheats/in_emails.py` has them, too.
LIES: dict[Callable[[Sequence[LogLine]], list[LogLine]], str] = {
    another_value: "signature",
    another_round: "by the time of the start it must be",
    other_numbers_by_number: "they must be",
}


def without_the_email(papers: Sequence[Document]) -> list[Document]:
    """Return the papers of an entrant whom the club told nothing before the number was known."""
    lines = lines_of(papers)
    first = next(one.n for one in lines if isinstance(one, StartedLine))
    last = next(one.n for one in lines if isinstance(one, NumberLine))
    return [
        one
        for one in papers
        if not any(first <= n < last for told in one.contests for n, _ in told.heads)
    ]


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_about_the_number_is_found(
    store: Store, tmp_path: Path, lie: Callable[[Sequence[LogLine]], list[LogLine]]
) -> None:
    papers = papers_of_anna("swiss", store, tmp_path)
    found = audited(told_otherwise(papers, lie(lines_of(papers))))
    assert any(LIES[lie] in tell(one) for one in found.wrong), [*map(tell, found.wrong)]


def test_an_email_that_did_not_come_before_the_number_is_asked_for(
    store: Store, tmp_path: Path
) -> None:
    papers = papers_of_anna("swiss", store, tmp_path)
    found = audited(without_the_email(papers))
    assert found.exit_code == 3
    (asked,) = map(tell, found.asks)
    assert "no email here names the public number before it was known" in asked
