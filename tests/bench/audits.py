"""What the audit of a player's emails takes, and how large the values in them are.

The emails are all to one player of a match, which is cancelled once enough of them have a page. A
time is that of the whole audit, with reading and replay, without computers. The wished bounds are
10 s of processor time for 60 emails with pages, 25 kB for the value of a running report and 120 kB
for that of a last one of 40 plies.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from email import message_from_bytes
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.games import GAMES
from tests.audits import Thinking, read_papers
from tests.bench.email_road import RoadClub
from tests.bench.measuring import Row, scaled, spent
from tests.inside import checks

EMAILS, SECONDS = 60, 10
RUNNING, LAST, PLIES = 25_000, 120_000, 40  # bytes of a value, and plies of the last one
MOST_ROUNDS, HOUR = 400, timedelta(hours=1)


def rows(scale: float) -> Iterator[Row]:
    for game in GAMES:
        with TemporaryDirectory() as made:
            yield from _rows(Path(made), game, scaled(EMAILS, scale, least=4))


def _rows(folder: Path, game: str, number: int) -> Iterator[Row]:
    emails, plies = played(folder / "club", game, number)
    kept = folder / "emails"
    kept.mkdir()
    for n, raw in enumerate(emails):
        (kept / f"{n:03}.eml").write_bytes(raw)
    audit = partial(audited, kept)
    audit()  # catalogues and templates are read once
    taken = spent(audit)
    reports = [raw for raw in emails if is_report(raw)]
    wished = SECONDS * len(reports) / EMAILS
    yield Row(
        name=f"{game}: audit of {len(emails)} emails, {len(reports)} with pages (the most wished)",
        ours=f"{taken:.1f} s",
        theirs=f"{wished:.1f} s",
        ratio=taken / wished,
        most=1,
    )
    *running, last = (size_of_value(raw) for raw in reports)
    longer = max(plies / PLIES, 1)
    for what, size, most in (
        ("the largest value of a running report", max(running), RUNNING),
        (f"the value of the last report, {plies} plies", last, LAST * longer),
    ):
        yield Row(
            name=f"  {what} (the most wished)",
            ours=f"{size / 1000:.1f} kB",
            theirs=f"{most / 1000:.0f} kB",
            ratio=size / most,
            most=1,
        )


def played(folder: Path, game: str, number: int) -> tuple[Sequence[bytes], int]:
    """Play a match until its first player has so many emails with a page, or it ends; return all
    her emails and the number of plies."""
    folder.mkdir()
    club, mine = RoadClub(folder, game, 1), list[bytes]()
    with closing(club.store):
        club.open()
        (name,) = club.names
        club.run_tick()
        for _ in range(MOST_ROUNDS):
            mine += [raw for raw in club.way.raws if is_mine(raw)]
            club.now += HOUR  # for a day has few answers for one sender
            club.write()
            if club.names != [name] or sum(map(is_report, mine)) >= number - 1:
                break
            club.run_tick()
        match = club.loaded(name).match
        if match.status != "over":
            club.cancel(name, reason="x", now=club.now)
            club.run_tick()
            mine += [raw for raw in club.way.raws if is_mine(raw)]
    return mine, match.ply


def is_mine(raw: bytes) -> bool:
    return b"<anna@example.org>" in raw.partition(b"\r\n\r\n")[0]


def is_report(raw: bytes) -> bool:
    return b"\r\nX-Adjud: report\r\n" in raw


def size_of_value(raw: bytes) -> int:
    parts = message_from_bytes(raw).walk()
    (value,) = (part for part in parts if str(part.get_filename()).endswith(".adjud.json"))
    content = value.get_payload(decode=True)
    assert isinstance(content, bytes)
    return len(content)


def audited(folder: Path) -> None:
    papers, unread, _ = read_papers(folder)
    assert not unread
    (found,) = checks.audit(papers, Thinking(wanted=False))
    assert found.exit_code == 0, [*map(str, (*found.wrong, *found.asks))]
