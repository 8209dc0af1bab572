"""Letters made to cost much: the slowest of them beside a Python that does nothing.

Processor time is measured, for others use the machine as well.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import timedelta
from functools import partial
from io import BytesIO
from itertools import count
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.core import orders
from adjudicator.games.espionage.orders import steps as espionage
from adjudicator.games.spion.orders import parse as spion
from adjudicator.mail.address import public_address, seat_address
from adjudicator.mail.transport import spool
from adjudicator.service.base.context import Context
from adjudicator.service.ops import tick
from adjudicator.store.database import Store
from tests.bench.letters import POST
from tests.bench.matches import MATCH, OPENED, open_club, open_match
from tests.bench.measuring import Row, beside, milliseconds, scaled, spent
from tests.worst_letters import letters, plain

FEW = 300  # of those made; `--scale 3` takes all
SLOWEST = 5  # are measured again, in turns with the other
MOST = 80  # about a second
KEPT = (orders._kept_clean, orders._kept_said, espionage._steps, spion._orders)

Read = Callable[[bytes], object]


def rows(scale: float) -> Iterator[Row]:
    made = [raw for _, raw in letters()]
    some = made[:: max(1, len(made) // scaled(FEW, scale, least=4))]
    addresses = {
        "a seat": seat_address(POST, MATCH, "white", 1),
        "anyone": public_address(POST),
    }
    for whose, to in addresses.items():
        with TemporaryDirectory() as name:
            folder = Path(name)
            _, store = open_club(folder)
            with closing(store):
                open_match(store)
                read = _reader(store, folder / "spool", to)
                yield from _measured(whose, read, some, scale)


def _measured(whose: str, read: Read, made: Sequence[bytes], scale: float) -> Iterator[Row]:
    ordinary, rounds = plain("SETUP RANDOM"), scaled(5, scale)
    yield _row(f"an ordinary letter to {whose} (python -c pass)", read, [ordinary], rounds)
    slowest = sorted(made, key=lambda raw: spent(lambda: read(raw)))[-SLOWEST:]
    yield _row(f"  the slowest of {len(made)} made ones", read, slowest, rounds, most=MOST)


def _reader(store: Store, folder: Path, to: str) -> Read:
    """Return what takes a letter in and answers it.

    Each letter has a Message-ID and a day of its own; otherwise it would be a duplicate, or over
    the limit of a day.
    """
    context, numbers = Context(post=POST, spool=folder, sends_mail=True), count()

    def read(raw: bytes) -> None:
        number = next(numbers)
        fresh = raw.replace(b"<worst@", b"<worst%d@" % number, 1)
        spool.put(folder, BytesIO(fresh), sender="anna@example.org", recipient=to, channel="bench")
        # The cache of lines that were read before would make it cheap.
        for kept in KEPT:
            kept.cache_clear()
        now = OPENED + timedelta(days=number)
        heard = list(tick.read_letters(store, now=now, context=context))
        assert not any(one.urgent for one in heard), heard

    return read


def _row(
    name: str,
    read: Read,
    raws: Sequence[bytes],
    rounds: int,
    *,
    most: float | None = None,
) -> Row:
    """Return the row of the letter whose ratios have the largest median."""
    measured = [beside(partial(read, raw), rounds) for raw in raws]
    own, other, ratio = max(measured, key=itemgetter(2))
    return Row(
        name=name,
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
        most=most,
    )
