"""Which papers a restore has undone, as an audit parts them by the log."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from adjudicator.core import chain
from adjudicator.core.acts import Restored, message_for_acts
from adjudicator.core.chain import AdjudicatedSheet, PlyText, Ruled
from adjudicator.core.message import tell
from tests.audits import Document, OpenedLog, ReceiptPaper, Restore, ToldReport
from tests.inside import restores

SAVED, RESTORED = "2026-11-23T12:00:00Z", "2026-11-25T12:00:00Z"
OPENING = chain.Opening(
    game="espionage",
    variant="standard",
    options={},
    board="",
    holders=(),
    version="0.3.1",
    at="2026-11-22T12:00:00Z",
    seed_given=False,
    chance="seed",
    commitments=(),
    label="ADJUD3",
)


def line(ply: int, turn: int, at: str, revision: int, by: str = "") -> PlyText:
    order = AdjudicatedSheet(seat="white", revision=revision, at=at, lines=("PASS",), by=by)
    return PlyText(ply=ply, turn=turn, at=at, cause="orders", orders=(order,))


def papers(*lines: PlyText) -> list[Document]:
    """Return a last report with these lines, in whose second the club was restored after ply 1."""
    act = Restored(datetime.fromisoformat(SAVED), 1, "aaa", 1, "bbb")
    message = message_for_acts([act])
    ruled = Ruled(
        number=1, at=RESTORED, acts=(act,), action="restore", message=message, text=tell(message)
    )
    first, second = lines
    written = [first, replace(second, rulings=(ruled,))]
    text = (chain.opening(OPENING), *(chain.write(one) for one in written))
    log = OpenedLog("00" * 32, text)
    return [Document(name="last", match="m", epoch="bbb", head=(2, "b" * 64), log=log)]


ONE_TURN = (line(1, 1, "2026-11-23T10:00:00Z", 1), line(2, 1, RESTORED, 5000))
TWO_TURNS = (line(1, 1, "2026-11-23T10:00:00Z", 1), line(2, 2, RESTORED, 5000))


def is_undone(paper: Document, *lines: PlyText) -> bool:
    return restores.divide([*papers(*lines), paper]).all_undone == [paper]


def printed(at: str, epoch: str = "aaa", head: str = "a" * 64) -> Document:
    """Return a report of ply 1, as a command printed it at a time."""
    return Document(name="one", match="m", epoch=epoch, head=(1, head), made=(epoch, at))


@pytest.mark.parametrize(
    ("at", "epoch", "undone"),
    [
        ("2026-11-23T11:00:00Z", "aaa", False),
        ("2026-11-24T11:00:00Z", "aaa", True),
        ("2026-11-26T11:00:00Z", "bbb", False),
    ],
)
def test_what_was_told_between_a_backup_and_its_restore_is_undone(
    at: str, epoch: str, undone: bool
) -> None:
    """Rulings of that time are in no log, and its ply is."""
    assert is_undone(printed(at, epoch), *TWO_TURNS) is undone


@pytest.mark.parametrize("ply", [1, 2])
def test_the_head_of_a_ply_that_counts_is_compared_though_its_report_is_undone(ply: int) -> None:
    paper = Document(
        name="one",
        match="m",
        epoch="aaa",
        head=(ply, "a" * 64),
        made=("aaa", "2026-11-24T11:00:00Z"),
    )
    found = restores.divide([*papers(*TWO_TURNS), paper])
    assert found.of_plies_that_count == ([paper] if ply == 1 else [])


@pytest.mark.parametrize(("ply", "undone"), [(1, False), (2, True)])
def test_what_is_shown_once_only_is_undone_with_its_ply(ply: int, undone: bool) -> None:
    """Its email has no head."""
    report = ToldReport(body={"ply": ply, "seat": "white"}, made=None, once=True)
    paper = Document(name="one", match="m", epoch="aaa", report=report)
    assert is_undone(paper, *TWO_TURNS) is undone


@pytest.mark.parametrize(
    ("revision", "lines", "undone"),
    [
        (1, ONE_TURN, False),
        (2, ONE_TURN, True),
        (1, (line(1, 1, "2026-11-23T10:00:00Z", 1, "default"), ONE_TURN[1]), True),
    ],
)
def test_a_confirmation_of_orders_that_were_used_before_the_restore_counts(
    revision: int, lines: tuple[PlyText, PlyText], undone: bool
) -> None:
    """A turn may have several plies, and the restore was in the midst of it."""
    told = ReceiptPaper("m", "white", 1, revision, "c" * 64, "ADJUD3")
    assert is_undone(Document(name="one", match="m", receipts=(told,)), *lines) is undone


@pytest.mark.parametrize(("revision", "undone"), [(1, True), (2, True), (5001, False)])
def test_a_confirmation_of_a_seat_that_never_ordered_again_is_undone(
    revision: int, undone: bool
) -> None:
    """It lost by forfeit in the tick after the restore; its orders are those of before it."""
    told = ReceiptPaper("m", "black", 2, revision, "c" * 64, "ADJUD3")
    assert is_undone(Document(name="one", match="m", receipts=(told,)), *TWO_TURNS) is undone


@pytest.mark.parametrize("newest_first", [False, True])
def test_an_epoch_that_has_ended_stays_so_in_whatever_order_papers_tell_it(
    newest_first: bool,
) -> None:
    """Without a log, the restores are those of which the papers tell."""
    told = (Restore(1, "aaa", "bbb"), Restore(2, "bbb", "ccc"))
    telling = [
        Document(name=one.begun, match="m", epoch=one.begun, restores=(one,))
        for one in (reversed(told) if newest_first else told)
    ]
    old = Document(name="old", match="m", epoch="bbb", head=(3, "a" * 64))
    assert restores.divide([*telling, old]).all_undone == [old]
