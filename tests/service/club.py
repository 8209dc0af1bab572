"""A club in a test: people, matches, sheets handed in and ticks, at times that the test says."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

from adjudicator.core import chain
from adjudicator.service.base.context import Context, OpenClub
from adjudicator.service.base.loaded_match import Loaded, load
from adjudicator.service.club import people
from adjudicator.service.emails.paragraphs import Receipt
from adjudicator.service.matches import creation, sheet_storing
from adjudicator.service.matches.sheet_parsing import Source
from adjudicator.service.ops import tick
from adjudicator.service.reports import printing
from adjudicator.store.database import Store
from adjudicator.store.listings import EMAILS_OUT


def receipt_digest(
    match: str, seat: str, turn: int, revision: int, lines: Sequence[str], *, kept: bool = False
) -> str:
    """Return the digest in the receipt of these orders."""
    head = chain.receipt_head(chain.LABEL, match, seat, turn, revision, kept=kept)
    return chain.sheet_digest(head, lines)


MONDAY = datetime(2026, 11, 23, 12, tzinfo=UTC)
SEED = "00" * 32


def use_tool(
    tool: Callable[..., Any],
    store: Store,
    *words: Any,
    now: datetime,
    context: Context,
    **more: Any,
) -> Any:
    """Use a tool of the club's at a time."""
    return tool(OpenClub(store, now, context), *words, **more)


class Club:
    """A store with short ways to say things; times are arguments, as everywhere."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.context = Context(committer=lambda: "5a" * 32)

    def opened_at(self, now: datetime) -> OpenClub:
        return OpenClub(self.store, now, self.context)

    def add(
        self, *names: str, address: str = "", language: str = "en", now: datetime = MONDAY
    ) -> None:
        for name in names:
            people.add(
                self.store,
                name,
                address or f"{name.lower()}@example.org",
                language=language,
                zone="UTC",
                confirmed=True,
                now=now,
                sends_mail=False,
            )

    def new(
        self,
        *options: str,
        white: str = "Anna",
        black: str = "Bob",
        variant: str = "small",
        now: datetime = MONDAY,
        name: str = "m",
    ) -> str:
        wanted = creation.NewMatch(
            game="espionage",
            variant=variant,
            name=name,
            seats=[f"white={white}", f"black={black}"],
            options=options,
            seed=None,
            fresh_seed=bytes.fromhex(SEED),
        )
        return creation.create(self.opened_at(now), wanted)

    def send(self, seat: str, *lines: str, now: datetime = MONDAY, match: str = "m") -> Receipt:
        text = "\n".join((f"ORDERS {match} {seat}", *lines, "END"))
        (receipt,) = sheet_storing.submit(self.store, text, Source(), now=now)
        return receipt

    def tick(self, now: datetime = MONDAY, *, sure: bool = False) -> list[str]:
        """Run a tick; return what it told, one line each."""
        done = tick.run_due(self.opened_at(now), sure=sure)
        return [str(one) for one in done]

    def begin(self, *options: str, now: datetime = MONDAY) -> None:
        """Play a small match up to White's first turn."""
        self.add("Anna", "Bob")
        self.new(*options, now=now)
        self.send("white", "SETUP RANDOM", now=now)
        self.send("black", "SETUP RANDOM", now=now)
        self.tick(now)

    def order(self, seat: str, now: datetime = MONDAY) -> Receipt:
        """Send some legal order."""
        from tests.club import computer_orders

        loaded = self.loaded()
        lines = computer_orders(loaded, loaded.awaited[0], "computer:random")
        return self.send(seat, *lines, now=now)

    def loaded(self, match: str = "m") -> Loaded:
        with self.store.reading() as tx:
            return load(tx, match)

    def report(self, seat: str, now: datetime = MONDAY, match: str = "m") -> dict[str, object]:
        """Return what is printed for the seat, which then counts as delivered."""
        printed = printing.live(self.store, match, seat, now=now)
        printing.note_delivery(self.store, printed, now=now)
        return printed.body

    def letters(self, kind: str = "") -> Sequence[str]:
        """Return the keys of the emails queued so far, of one kind or of all."""
        with self.store.reading() as tx:
            return [email.key for email in EMAILS_OUT.emails(tx) if kind in ("", email.kind)]
