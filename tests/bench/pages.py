"""A tick that builds the club's pages beside one that builds none: what they cost its turns."""

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from tests.bench.email_road import RoadClub
from tests.bench.measuring import Row, beside, milliseconds, scaled
from tests.club import Pages

MATCHES, ROUNDS = 100, 5


def rows(scale: float) -> Iterator[Row]:
    number = scaled(MATCHES, scale, least=2)
    with ExitStack() as made:
        built, plain = (
            RoadClub(Path(made.enter_context(TemporaryDirectory())), "espionage", number)
            for _ in range(2)
        )
        www = Path(made.enter_context(TemporaryDirectory())) / "www"
        site = {"pages": Pages(www), "site_url": "https://club.example.org/"}
        built.context = structs.replace(built.context, **site)
        for club in (built, plain):
            made.enter_context(closing(club.store))
            club.open()
            club.run_tick()

        def write() -> None:
            built.write()
            plain.write()

        own, other, ratio = beside(built.run_tick, scaled(ROUNDS, scale), plain.run_tick, write)
        assert www.exists()
    yield Row(
        name=f"a tick with {number} turns that builds their pages (without pages)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
    )
