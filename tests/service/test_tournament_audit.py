"""An entrant audits the emails of a tournament (proofs, T1 to T3). Lies about lots, numbers,
pairings, seats, byes, results or places are in the table of `cheats`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec import structs

from adjudicator.core import contest_log
from adjudicator.core.contest_log import (
    ClosedLine,
    LogLine,
    OpenedLine,
    ResultLine,
    RoundLine,
    StartedLine,
)
from adjudicator.core.message import tell
from adjudicator.core.pairing import history
from tests.audits import Audit, Document, audit, read_papers
from tests.database import Store
from tests.service.cups import KINDS, SEED, Cup, parse_log
from tests.service.mailclub import MailClub
from tests.service.test_tournament_log import play_to_its_end

Lie: TypeAlias = Callable[[Sequence[LogLine]], list[LogLine]]

_MADE: dict[str, list[Document]] = {}


@pytest.fixture
def papers(kind: str, store: Store, tmp_path: Path) -> list[Document]:
    return played(kind, store, tmp_path)


def played(kind: str, store: Store, folder: Path) -> list[Document]:
    """Return what the emails to Anna say of a tournament of five that was played to its end."""
    if kind not in _MADE:
        club = MailClub(store, folder / "spool")
        cup = Cup(club, 5, kind)
        club.run_tick()
        cup.start()
        play_to_its_end(cup)
        club.run_tick()
        emails = folder / "emails"
        emails.mkdir()
        mine = [raw for _, to, raw in club.way.letters if to == "anna@example.org"]
        for number, raw in enumerate(mine):
            (emails / f"{number:03}.eml").write_bytes(raw)
        _MADE[kind], unread, _ = read_papers(emails)
        assert unread == []
    return list(_MADE[kind])


def audited(papers: Sequence[Document]) -> dict[str, Audit]:
    return {one.match: one for one in audit(papers)}


def wrong(papers: Sequence[Document]) -> list[str]:
    return [tell(one) for one in audited(papers)["cup"].wrong]


def lines_of(papers: Sequence[Document]) -> list[LogLine]:
    (texts,) = (told.lines for one in papers for told in one.contests if told.lines)
    return parse_log(texts)


def told_otherwise(papers: Sequence[Document], lines: Sequence[LogLine]) -> list[Document]:
    """Return the papers of a club that has another log, and tells its heads from the start."""
    numbered = [structs.replace(line, n=n) for n, line in enumerate(lines, start=1)]
    texts = tuple(map(contest_log.write, numbered))
    heads = dict(enumerate(contest_log.heads("cup", texts), start=1))
    found = []
    for one in papers:
        told = (
            structs.replace(
                each,
                heads=tuple((n, heads.get(n, "")) for n, _ in each.heads if n in heads),
                lines=texts if each.lines else (),
            )
            for each in one.contests
        )
        found.append(structs.replace(one, contests=tuple(told)))
    return found


def changed(lines: Sequence[LogLine], kind: type, change: Callable[..., LogLine]) -> list[LogLine]:
    """Return the lines with the first of a kind changed; its old form must be there."""
    at = next(n for n, line in enumerate(lines) if isinstance(line, kind))
    found = [*lines[:at], change(lines[at]), *lines[at + 1 :]]
    assert found != [*lines]
    return found


def another_seed(lines: Sequence[LogLine]) -> list[LogLine]:
    return changed(lines, ClosedLine, lambda one: structs.replace(one, seed=SEED[::-1].hex()))


def drawn_again(lines: Sequence[LogLine]) -> list[LogLine]:
    """Another seed, of which the first line has the digest from the start."""
    seed = SEED[::-1]
    digest = history.commitment(seed)
    first = changed(lines, OpenedLine, lambda one: structs.replace(one, commitment=digest))
    return changed(first, ClosedLine, lambda one: structs.replace(one, seed=seed.hex()))


def other_numbers(lines: Sequence[LogLine]) -> list[LogLine]:
    def swap(one: StartedLine) -> LogLine:
        first, second, *more = one.numbers
        return structs.replace(one, numbers=(second, first, *more))

    return changed(lines, StartedLine, swap)


def _with_match(change: Callable[[tuple[int, ...]], tuple[int, ...]]) -> Callable[..., LogLine]:
    def of_round(one: RoundLine) -> LogLine:
        at = next(n for n, board in enumerate(one.boards) if board.kind == "match")
        board = structs.replace(one.boards[at], numbers=change(one.boards[at].numbers))
        return structs.replace(one, boards=(*one.boards[:at], board, *one.boards[at + 1 :]))

    return of_round


def other_seats(lines: Sequence[LogLine]) -> list[LogLine]:
    return changed(lines, RoundLine, _with_match(lambda numbers: numbers[::-1]))


def other_pairing(lines: Sequence[LogLine]) -> list[LogLine]:
    def swap(numbers: tuple[int, ...]) -> tuple[int, ...]:
        other = next(n for n in range(1, 6) if n not in numbers)
        return (numbers[0], other)

    return changed(lines, RoundLine, _with_match(swap))


def a_bye(lines: Sequence[LogLine]) -> list[LogLine]:
    """Whoever should meet nobody, or somebody, is free."""

    def of_round(one: RoundLine) -> LogLine:
        *boards, last = one.boards
        free = structs.replace(last, kind="bye", numbers=last.numbers[:1], points=(12,))
        return structs.replace(one, boards=(*boards, free))

    return changed(lines, RoundLine, of_round)


def other_points(lines: Sequence[LogLine]) -> list[LogLine]:
    return changed(lines, ResultLine, lambda one: structs.replace(one, points=one.points[::-1]))


def other_table(lines: Sequence[LogLine]) -> list[LogLine]:
    def swap(one: ClosedLine) -> LogLine:
        first, second, *more = one.table
        table = (
            structs.replace(first, number=second.number),
            structs.replace(second, number=first.number),
        )
        return structs.replace(one, table=(*table, *more))

    return changed(lines, ClosedLine, swap)


def no_result(lines: Sequence[LogLine]) -> list[LogLine]:
    at = next(n for n, line in enumerate(lines) if isinstance(line, ResultLine))
    return [*lines[:at], *lines[at + 1 :]]


def late_entrant(lines: Sequence[LogLine]) -> list[LogLine]:
    at = next(n for n, line in enumerate(lines) if isinstance(line, StartedLine))
    return [*lines[:at], contest_log.EnteredLine(at=lines[at].at, entry=6), *lines[at:]]


# Lies in the log of a tournament, and what an audit says of them. `cheats/table.py` has them, too.
LIES: dict[Lie, str] = {
    another_seed: "the secret number that was shown at the end is another one",
    drawn_again: "they must be",
    other_numbers: "they must be",
    other_seats: "it must be",
    other_pairing: "it must be",
    a_bye: "it must be",
    other_points: "by its result it must be",
    other_table: "the table has number",
    no_result: "",  # that depends on the kind
    late_entrant: "makes no sense",
}


def with_other_result(papers: Sequence[Document]) -> list[Document]:
    """Return the papers of a club whose tournament has another result of Anna's own match."""
    lines, at, line = _with_match_of(papers)
    numbers = sorted(n for group in line.places for n in group)
    turned = dict(zip(numbers, numbers[::-1], strict=True))
    lie = structs.replace(
        line,
        places=tuple(tuple(turned[n] for n in group) for group in line.places),
        left=tuple((turned[n], how) for n, how in line.left),
        points=line.points[::-1],
    )
    return told_otherwise(papers, [*lines[:at], lie, *lines[at + 1 :]])


def with_other_end(papers: Sequence[Document]) -> list[Document]:
    """Return the papers of a club whose tournament names another last head of Anna's own match."""
    lines, at, line = _with_match_of(papers)
    lie = structs.replace(line, head="0" * 64)
    return told_otherwise(papers, [*lines[:at], lie, *lines[at + 1 :]])


def with_somebody_asleep(papers: Sequence[Document]) -> list[Document]:
    """Return the papers of a club whose tournament says that both slept in Anna's own match."""
    lines, at, line = _with_match_of(papers)
    numbers = sorted(n for group in line.places for n in group)
    gone = {n for n, _ in line.left}
    asleep = tuple((n, "asleep") for n in numbers if n not in gone)
    lie = structs.replace(line, left=(*line.left, *asleep))
    return told_otherwise(papers, [*lines[:at], lie, *lines[at + 1 :]])


def _with_match_of(papers: Sequence[Document]) -> tuple[list[LogLine], int, ResultLine]:
    """Return the lines of a tournament, and which of them has the result of a match of Anna's."""
    lines, mine = lines_of(papers), {one.match for one in papers}
    found = ((n, one) for n, one in enumerate(lines) if isinstance(one, ResultLine))
    at, line = next((n, one) for n, one in found if one.match in mine)
    return lines, at, line


def with_other_head(papers: Sequence[Document]) -> list[Document]:
    """Return the papers with another head in the first one that tells one."""
    at = next(n for n, one in enumerate(papers) if one.contests)
    first = papers[at]
    told = structs.replace(first.contests[0], heads=((first.contests[0].heads[0][0], "0" * 64),))
    return [*papers[:at], structs.replace(first, contests=(told,)), *papers[at + 1 :]]


@pytest.mark.parametrize("kind", KINDS)
def test_an_honest_tournament_agrees(papers: list[Document]) -> None:
    found = audited(papers)
    cup = found.pop("cup")
    assert [*map(tell, cup.wrong)] == []
    assert {one.exit_code for one in (cup, *found.values())} == {0}
    assert f"{len(lines_of(papers))} lines of the log" in " ".join(map(tell, cup.checked))
    assert wrong(told_otherwise(papers, lines_of(papers))) == []


@pytest.mark.parametrize("kind", ["swiss"])
def test_without_the_log_only_heads_are_compared(papers: list[Document]) -> None:
    told = [
        structs.replace(
            one, contests=tuple(structs.replace(each, lines=()) for each in one.contests)
        )
        for one in papers
        if one.contests
    ]
    found = audited(told)["cup"]
    assert found.exit_code == 0
    assert [tell(one) for one in found.uncompared] == [
        "the log of cup, which is not among these files; the last email has it"
    ]


def told_in(lines: Sequence[LogLine], name: str = "cup") -> str:
    """Return what the last email of a tournament says of its log."""
    texts = [contest_log.write(structs.replace(line, n=n)) for n, line in enumerate(lines, 1)]
    head = [*contest_log.heads(name, texts)][-1]
    return "\n".join([f"Log fingerprint TOURNAMENT|{name}|{len(texts)}: {head}", "", *texts, ""])


def read_texts(folder: Path, *texts: str) -> list[Document]:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    return read_papers(folder)[0]


@pytest.mark.parametrize("kind", ["swiss"])
def test_what_a_restore_has_undone_is_no_lie(papers: list[Document], tmp_path: Path) -> None:
    lines = lines_of(papers)
    at = next(n for n, line in enumerate(lines) if isinstance(line, ResultLine))
    back = contest_log.RestoredLine(at=lines[at].at, epoch="hjkmn")
    again = [*lines[:at], back, *lines[at:]]

    found = audited(read_texts(tmp_path / "both", told_in(lines), told_in(again)))["cup"]
    assert [*map(tell, found.wrong)] == []
    assert any("as it was before the club was restored" in tell(one) for one in found.notes)
    earlier = structs.replace(lines[1], at="2026-11-23T11:00:00Z")
    lied = [lines[0], earlier, *lines[2:at], back, *lines[at:]]
    assert wrong(read_texts(tmp_path / "lied", told_in(lines), told_in(lied))) != []


@pytest.mark.parametrize("kind", ["swiss"])
def test_lines_that_were_broken_on_their_way_accuse_nobody(
    papers: list[Document], tmp_path: Path
) -> None:
    text = told_in(lines_of(papers)).replace('"numbers":', '"numb\ners":')
    found = audited(read_texts(tmp_path / "broken", text))["cup"]
    assert found.exit_code == 0
    assert len(found.uncompared) == 1
