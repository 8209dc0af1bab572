"""Matches of Espionage to measure with: random, but the same each time."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from adjudicator.mail.address import Key, MailDomain
from tests.club import Club, Context, NewMatch, OpenClub, Store, computer_orders
from tests.database import create, open_store
from tests.inside import adjudication

MATCH = "espionage-1"
OPENED = datetime.now(UTC) - timedelta(hours=1)
POST = MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=bytes(32)),))


def open_club(folder: Path) -> tuple[str, Store]:
    """Make a new database with two players; return its URL and its store."""
    url = f"sqlite:///{folder / 'adjud.db'}"
    create(url)
    store = open_store(url)
    for name in ("Anna", "Bob"):
        Club(store).add_player(
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
    wanted = NewMatch(
        game="espionage",
        variant="standard",
        name=name,
        seats=["white=Anna", "black=Bob"],
        options=options,
        seed=None,
        fresh_seed=sha256(name.encode()).digest(),
    )
    Club(store, Context()).create(wanted, now=OPENED)


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
    loaded = Club(store).loaded(name)
    lines = []
    for seat in loaded.awaited:
        lines.append(f"ORDERS {name} {seat} turn {loaded.match.turn}")
        lines += [*computer_orders(loaded, seat, "computer:random"), "END"]
    return "\n".join([*lines, ""])


def submit(store: Store, name: str = MATCH) -> None:
    for receipt in Club(store).submit(sheets(store, name), now=OPENED):
        assert receipt.accepted, receipt
