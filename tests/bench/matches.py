"""Matches of Espionage to measure with: random, but the same each time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from adjudicator.mail.address import Key, MailDomain
from adjudicator.service.base.context import Context, OpenClub
from adjudicator.service.base.loaded_match import load
from adjudicator.service.club import people
from adjudicator.service.matches import adjudication, creation, sheet_storing
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.store.database import Store, open_store
from adjudicator.store.schema import create
from tests.club import computer_orders

MATCH = "espionage-1"
OPENED = datetime.now(UTC) - timedelta(hours=1)
POST = MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=bytes(32)),))


def open_club(folder: Path) -> tuple[str, Store]:
    """Make a new database with two players; return its URL and its store."""
    url = f"sqlite:///{folder / 'adjud.db'}"
    create(url)
    store = open_store(url)
    for name in ("Anna", "Bob"):
        people.add(
            store,
            name,
            f"{name.lower()}@example.org",
            language="en",
            zone="UTC",
            confirmed=True,
            now=OPENED,
            sends_mail=False,
        )
    return url, store


def keep_key(folder: Path) -> None:
    """Put the key of the seats' addresses where a command looks for it."""
    data = folder / "data" / "adjud"
    data.mkdir(parents=True)
    (data / "adjud.key").write_text("".join(f"{key.id} {key.secret.hex()}\n" for key in POST.keys))


def open_match(store: Store, name: str = MATCH, options: Sequence[str] = ()) -> None:
    """Open a match that awaits both set-ups."""
    wanted = creation.NewMatch(
        game="espionage",
        variant="standard",
        name=name,
        seats=["white=Anna", "black=Bob"],
        options=options,
        seed=None,
        fresh_seed=sha256(name.encode()).digest(),
    )
    creation.create(OpenClub(store, OPENED, Context()), wanted)


def advance(store: Store, name: str) -> bool:
    """Do the next thing that is due in a match; return whether there was any."""
    with OpenClub(store, OPENED, Context()).session() as s:
        return adjudication.advance(s, name) is not None


def begin(store: Store, name: str = MATCH) -> None:
    """Open a match in which White's first turn is to be ordered."""
    open_match(store, name)
    submit(store, name)
    assert advance(store, name)


def sheets(store: Store, name: str = MATCH) -> str:
    """Return what every awaited seat may send now: random orders, as `computer:random` gives
    them."""
    with store.reading() as tx:
        loaded = load(tx, name)
    lines = []
    for seat in loaded.awaited:
        lines.append(f"ORDERS {name} {seat} turn {loaded.match.turn}")
        lines += [*computer_orders(loaded, seat, "computer:random"), "END"]
    return "\n".join([*lines, ""])


def submit(store: Store, name: str = MATCH) -> None:
    for receipt in sheet_storing.submit(store, sheets(store, name), Source(), now=OPENED):
        assert receipt.accepted, receipt
