"""A member audits the emails of a ladder with its printed log (proofs, T4). Lies about places,
results and lines are in the table of `cheats`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec import structs

from adjudicator.core import contest_log
from adjudicator.core.contest_log import LADDER
from adjudicator.core.ladder_log import (
    AnsweredLine,
    ChallengedLine,
    ChallengeResultLine,
    LadderLine,
    MovedLine,
)
from adjudicator.core.message import tell
from tests.audits import Audit, Document, audit, read_papers
from tests.club import Store
from tests.inside import ladder_replay
from tests.service.mailclub import MailClub
from tests.service.test_ladder_log import logged
from tests.service.test_ladders import begun, challenged, ladder_of_five, lost, said, sent

Lie: TypeAlias = Callable[[Sequence[LadderLine]], list[LadderLine]]

_MADE: list[list[Document]] = []


@pytest.fixture
def papers(store: Store, tmp_path: Path) -> list[Document]:
    return played(store, tmp_path)


def played(store: Store, folder: Path) -> list[Document]:
    """Return what the emails to Eva say of a ladder, and its printed log: she wins against Bob and
    loses against Anna, and Dag gets a place because Cleo does not answer."""
    if not _MADE:
        club = MailClub(store, folder / "spool")
        ladder_of_five(club)
        said(club, "Eva", "WITHDRAW spring")
        said(club, "Eva", "JOIN spring")
        lost(club, begun(club, "Eva", "Bob"), "Bob")
        challenged(club, "Dag", "Cleo")
        sent(club, day=8)
        lost(club, begun(club, "Eva", "Anna", day=8), "Eva", day=8)
        sent(club, day=8)
        emails = folder / "emails"
        emails.mkdir()
        mine = [raw for _, to, raw in club.way.letters if to == "eva@example.org"]
        for number, raw in enumerate(mine):
            (emails / f"{number:03}.eml").write_bytes(raw)
        (emails / "log.txt").write_text(printed(club))
        found, unread, _ = read_papers(emails)
        assert unread == []
        _MADE.append(found)
    return [*_MADE[0]]


def printed(club: MailClub) -> str:
    """Return what `adjud ladder log` prints."""
    lines = logged(club)
    head = f"Log fingerprint LADDER|spring|{lines[-1].n}: {lines[-1].head}"
    return "\n".join([*(one.line for one in lines), head, ""])


def audited(papers: Sequence[Document]) -> dict[str, Audit]:
    return {one.match: one for one in audit(papers)}


def wrong(papers: Sequence[Document]) -> list[str]:
    return [tell(one) for one in audited(papers)["spring"].wrong]


def lines_of(papers: Sequence[Document]) -> list[LadderLine]:
    texts = max((told.lines for one in papers for told in one.contests), key=len)
    return ladder_replay.parse(texts)


def told_otherwise(papers: Sequence[Document], lines: Sequence[LadderLine]) -> list[Document]:
    """Return the papers of a club that has another log, and tells its heads and lines from the
    start."""
    numbered = [structs.replace(line, n=n) for n, line in enumerate(lines, start=1)]
    texts = tuple(map(contest_log.write, numbered))
    heads = dict(enumerate(contest_log.heads("spring", texts, LADDER), start=1))
    found = []
    for one in papers:
        told = (
            structs.replace(
                each,
                heads=tuple((n, heads[n]) for n, _ in each.heads if n in heads),
                lines=texts[: len(each.lines)] if len(each.lines) < len(lines) else texts,
                single=tuple((n, texts[n - 1]) for n, _ in each.single if n in heads),
            )
            for each in one.contests
        )
        found.append(structs.replace(one, contests=tuple(told)))
    return found


def _at(lines: Sequence[LadderLine], kind: type) -> int:
    return next(n for n, line in enumerate(lines) if isinstance(line, kind))


def place_moved(lines: Sequence[LadderLine]) -> list[LadderLine]:
    at = _at(lines, MovedLine)
    return [*lines[:at], structs.replace(lines[at], place=1), *lines[at + 1 :]]


def somebody_moved(lines: Sequence[LadderLine]) -> list[LadderLine]:
    """Somebody gets a place for nothing."""
    at = _at(lines, ChallengedLine)
    return [*lines[:at], MovedLine(at=lines[at].at, entry=4, place=1), *lines[at:]]


def line_left_out(lines: Sequence[LadderLine]) -> list[LadderLine]:
    at = _at(lines, MovedLine)
    return [*lines[:at], *lines[at + 1 :]]


def result_left_out(lines: Sequence[LadderLine]) -> list[LadderLine]:
    """The match that Eva won was never counted, and no more challenges of hers are in the log."""
    at = _at(lines, ChallengeResultLine)
    rest = [one for one in lines[at + 2 :] if getattr(one, "by", 0) != 5]
    gone = {one.challenge for one in lines[at:] if isinstance(one, ChallengedLine) and one.by == 5}
    kept = [one for one in rest if getattr(one, "challenge", 0) not in gone]
    return _renumbered([*lines[:at], *_to_place(3, kept)])


def _to_place(place: int, lines: Sequence[LadderLine]) -> list[LadderLine]:
    """Return lines of which Dag's move is to another place."""
    return [
        structs.replace(one, place=place) if isinstance(one, MovedLine) else one for one in lines
    ]


def _renumbered(lines: Sequence[LadderLine]) -> list[LadderLine]:
    numbers: dict[int, int] = {}
    found: list[LadderLine] = []
    for one in lines:
        if isinstance(one, ChallengedLine):
            numbers[one.challenge] = len(numbers) + 1
        if isinstance(one, ChallengedLine | AnsweredLine | ChallengeResultLine):
            one = structs.replace(one, challenge=numbers[one.challenge])
        found.append(one)
    return found


def result_turned(lines: Sequence[LadderLine]) -> list[LadderLine]:
    """Eva did not win, and all that follows from that is right."""
    at = _at(lines, ChallengeResultLine)
    lie = structs.replace(lines[at], ending="lost")
    return [*lines[:at], lie, *_to_place(3, lines[at + 2 :])]


def challenge_too_far(lines: Sequence[LadderLine]) -> list[LadderLine]:
    at = _at(lines, ChallengedLine)
    return [*lines[:at], structs.replace(lines[at], asked=1), *lines[at + 1 :]]


def other_end(lines: Sequence[LadderLine]) -> list[LadderLine]:
    at = _at(lines, ChallengeResultLine)
    return [*lines[:at], structs.replace(lines[at], head="0" * 64), *lines[at + 1 :]]


# Lies in the log of a ladder, and what an audit says of them. `cheats/in_emails.py` has them, too.
LIES: dict[Lie, str] = {
    place_moved: "by the lines before it, it must be",
    somebody_moved: "it does not follow from the lines before it",
    line_left_out: "by the lines before it, it must be",
    challenge_too_far: "the rules do not allow this challenge",
    result_turned: "is another one by its own log",
    other_end: "the end of spring-1",
}


def with_other_line(papers: Sequence[Document]) -> list[Document]:
    """Return the papers of a club that told Eva other lines than its log has."""
    at, one = next((n, one) for n, one in enumerate(papers) if any(c.single for c in one.contests))
    (told,) = one.contests
    n, line = told.single[-1]
    lie = line.replace('"entry":5', '"entry":4')
    assert lie != line
    other = structs.replace(told, single=(*told.single[:-1], (n, lie)))
    return [*papers[:at], structs.replace(one, contests=(other,)), *papers[at + 1 :]]


def test_an_honest_ladder_agrees(papers: list[Document]) -> None:
    found = audited(papers)
    ladder = found.pop("spring")
    assert [*map(tell, ladder.wrong)] == []
    assert {one.exit_code for one in (ladder, *found.values())} == {0}
    assert {"spring-1", "spring-2"} <= {*found}
    checked = " ".join(map(tell, ladder.checked))
    assert f"{len(lines_of(papers))} lines of the log, computed again by the rules" in checked
    assert wrong(told_otherwise(papers, lines_of(papers))) == []


def test_emails_tell_more_than_heads(papers: list[Document]) -> None:
    single = {n for one in papers for told in one.contests for n, _ in told.single}
    kinds = {type(lines_of(papers)[n - 1]) for n in single}
    assert kinds == {ChallengeResultLine, MovedLine}
    assert len(single) == 3


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_is_found(papers: list[Document], lie: Lie) -> None:
    found = wrong(told_otherwise(papers, lie(lines_of(papers))))
    assert any(LIES[lie] in one for one in found), found


def test_a_line_that_was_told_otherwise_is_found(papers: list[Document]) -> None:
    assert any("of the log of spring" in one for one in wrong(with_other_line(papers)))


def test_a_result_that_is_not_in_the_log_is_asked_for(papers: list[Document]) -> None:
    found = audited(told_otherwise(papers, result_left_out(lines_of(papers))))["spring"]
    assert found.exit_code == 3
    (asked,) = map(tell, found.asks)
    assert "the log has no result of spring-1, which has ended" in asked


def test_an_older_printed_log_is_compared_as_far_as_it_goes(papers: list[Document]) -> None:
    short = lines_of(papers)[:-2]
    texts = tuple(map(contest_log.write, short))
    cut = [
        structs.replace(
            one,
            contests=tuple(
                structs.replace(told, lines=told.lines[: len(texts)]) for told in one.contests
            ),
        )
        for one in papers
    ]
    assert audited(cut)["spring"].exit_code == 0


def test_without_the_log_only_heads_are_compared(papers: list[Document]) -> None:
    told = [one for one in papers if not any(len(each.lines) > 2 for each in one.contests)]
    found = audited(told)["spring"]
    assert found.exit_code == 0
    assert [tell(one) for one in found.uncompared] == [
        "the log of spring, which is not among these files; `adjud ladder log spring` prints it"
    ]
