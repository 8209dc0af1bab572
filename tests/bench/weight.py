"""What a turn weighs: on the disk while the bytes of its letters are kept, and in the mailbox."""

from collections.abc import Iterable, Iterator
from contextlib import closing
from email import message_from_bytes
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.store import matches
from tests.bench.letter_road import GAMES, Club
from tests.bench.measuring import Row, scaled, whole

ROUNDS = 60  # plies of one match after the other
DISK = {"espionage": 8, "spion": 45, "spies": 60}  # kB for a ply
# Letters out for one letter in: where the turn passes at once, one says all that the other would.
LETTERS = {"espionage": 1, "spion": 2, "spies": 2}
HTML, WHOLE, LAST = 40, 200, 400  # kB of an HTML part, of a letter, of the last one of a match


def rows(scale: float) -> Iterator[Row]:
    for game in GAMES:
        with TemporaryDirectory() as made:
            yield from _rows(Path(made), game, scale)


def _rows(folder: Path, game: str, scale: float) -> Iterator[Row]:
    club = Club(folder, game, 1)
    letters_in = 0
    some: list[bytes] = []  # reports of a match that goes on, and what is sent beside them
    last: list[bytes] = []
    with closing(club.store):
        club.open()
        club.run_tick()
        before, size_before = _plies(club), _size(club)
        for _ in range(scaled(ROUNDS, scale, least=2)):
            club.write()
            letters_in += len(club.raws)
            club.run_tick()
            (last if _is_over(club) else some).extend(club.way.raws)
        plies, grown = _plies(club) - before, _size(club) - size_before
    bound = whole(1, scale)
    yield _row(
        f"{game}: disk for a ply, letters included", grown / plies / 1000, DISK[game], "kB", bound
    )
    yield _row(
        "  letters out for one in",
        len(some + last) / letters_in,
        LETTERS[game],
        "",
        bound,
        places=1,
    )
    yield _row("  its heaviest letter", _heaviest(map(len, some)), WHOLE, "kB", bound)
    yield _row("  its heaviest HTML part", _heaviest(map(_html, some + last)), HTML, "kB", bound)
    if last:
        told = "  the heaviest letter of a match's end"
        yield _row(told, _heaviest(map(len, last)), LAST, "kB", bound)


def _row(
    name: str, own: float, most: float, unit: str, bound: float | None, *, places: int = 0
) -> Row:
    return Row(
        name=f"{name} (the most wished)",
        ours=f"{own:.{places}f} {unit}".strip(),
        theirs=f"{most} {unit}".strip(),
        ratio=own / most,
        most=bound,
    )


def _heaviest(sizes: Iterable[int]) -> float:
    return max(sizes) / 1000


def _html(raw: bytes) -> int:
    """Return the weight of what a mail program shows of a letter; attachments are not HTML parts
    of it."""
    parts = message_from_bytes(raw).walk()
    shown = [part for part in parts if part.get_content_type() == "text/html"]
    return sum(len(bytes(part.get_payload(decode=True))) for part in shown)


def _is_over(club: Club) -> bool:
    (name,) = club.names
    with club.store.reading() as tx:
        match = matches.find(tx, name)
    assert match is not None
    return match.status == "over"


def _plies(club: Club) -> int:
    return _asked(club, "SELECT count(*) FROM turn")


def _size(club: Club) -> int:
    return _asked(club, "PRAGMA page_count") * _asked(club, "PRAGMA page_size")


def _asked(club: Club, statement: str) -> int:
    with club.store.reading() as tx:
        return int(tx.exec_driver_sql(statement).scalar_one())
