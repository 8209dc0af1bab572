"""Move a club to another database: its rows are copied, and some of its matches replayed there."""

from collections.abc import Callable, Iterator

from adjudicator.core.message import Message, count, say
from adjudicator.service.match import verification
from adjudicator.store import copying
from adjudicator.store.database import Store, open_store, parse_url

REPLAYED = 20  # matches, the newest; `adjud verify` replays all


def copy(
    store: Store, url: str, *, progress: Callable[[int], object] = lambda _: None
) -> Iterator[tuple[bool, Message]]:
    """Move all rows into an empty database, and tell what was found there, and whether it is well.

    Every row was read back when this tells of the first thing; matches are replayed because what
    counts is that the program finds there what it left here.
    """
    rows = copying.move(store, url, progress=progress)
    shown = parse_url(url).render_as_string(hide_password=True)
    yield (
        True,
        count(
            "{url}: {n} row was copied and read back",
            "{url}: {n} rows were copied and read back",
            rows,
            url=shown,
        ),
    )
    yield (
        True,
        say(
            "{url}: closed; whatever is to be done waits until the configuration names the other "
            "database (`adjud db reopen` would go back)",
            url=store.engine.url.render_as_string(hide_password=True),
        ),
    )
    there = open_store(url)
    try:
        names = verification.names(there)[-REPLAYED:]
        wrong = [(name, found) for name in names for found in verification.verify(there, name)]
    finally:
        there.close()
    for name, found in wrong:
        yield False, say("{match}: {found}", match=name, found=found)
    if names and not wrong:
        yield (
            True,
            count(
                "the newest match was replayed there and agrees",
                "the newest {n} matches were replayed there and agree",
                len(names),
            ),
        )
