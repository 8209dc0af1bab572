"""One letter about twelve matches (club, 4.1), beside a letter to each of twelve seats."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from io import BytesIO
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from adjudicator.mail.address import Key, MailDomain, seat_address
from adjudicator.mail.transport import spool
from adjudicator.service.base.context import Context
from adjudicator.service.base.loaded_match import find_player, load
from adjudicator.service.base.own_address import own_address
from adjudicator.service.ops import tick
from tests.bench.matches import open_club, open_match
from tests.bench.measuring import Row, beside, milliseconds, scaled

POST = MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=bytes(32)),))
MATCHES = 12


def rows(scale: float) -> Iterator[Row]:
    with TemporaryDirectory() as made:
        folder = Path(made)
        _, store = open_club(folder)
        with closing(store):
            ours = [f"a{n}" for n in range(MATCHES)]
            theirs = [f"b{n}" for n in range(MATCHES)]
            for match in (*ours, *theirs):
                open_match(store, match)
            with store.reading() as tx:
                anna = own_address(POST, find_player(tx, "Anna"))
            context = Context(post=POST, spool=folder / "spool", sends_mail=True)
            numbers = count(1)

            def send(to: str, *matches: str) -> None:
                sheets = "".join(f"ORDERS {one} white\nSETUP RANDOM\nEND\n" for one in matches)
                head = f"From: anna@example.org\nTo: {to}\nMessage-ID: <{next(numbers)}@x.org>\n"
                raw = f"{head}\n{sheets}".encode()
                spool.put(folder / "spool", BytesIO(raw), sender="", recipient=to, channel="bench")

            def read() -> None:
                list(tick.read_letters(store, now=datetime.now(UTC), context=context))

            def one_letter() -> None:
                send(anna, *ours)
                read()

            def twelve_letters() -> None:
                for match in theirs:
                    send(seat_address(POST, match, "white", 1), match)
                read()

            own, other, ratio = beside(one_letter, scaled(15, scale, least=2), twelve_letters)
            with store.reading() as tx:
                assert all(load(tx, one).sheets["white"].revision > 1 for one in (*ours, *theirs))
    yield Row(
        name="one letter with 12 order sheets (12 letters with one each)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
        most=1,
    )
