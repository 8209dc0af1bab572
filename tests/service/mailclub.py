"""A club that plays by mail, without servers.

Emails are put into the spool as a mail server would, and what goes out lands in a list.
"""

import sqlite3
from base64 import encodebytes
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar
from unittest.mock import patch

from msgspec import structs

from adjudicator.mail.address import Key, MailDomain, seat_address
from adjudicator.mail.transport import spool
from tests import values
from tests.club import MONDAY, Club, Context, Store, find_player, own_address
from tests.database import tables
from tests.tokens import TOKENS

POST = MailDomain(domain="play.example.org", keys=(Key(id="k1", secret=bytes(range(32))),))


class Taken:
    """A way out that hands emails to the test."""

    def __init__(self) -> None:
        self.letters: list[tuple[str, str, bytes]] = []
        self.trouble: Exception | None = None

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        if self.trouble:
            raise self.trouble
        self.letters.append((envelope_from, to, raw))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


tables.fresh_token = TOKENS.fresh

T = TypeVar("T")
_BEGUN: dict[tuple[str, timedelta | None], tuple[bytes, Any, list[tuple[str, str, bytes]]]] = {}
_VERSIONS = slice(18, 20)  # bytes that say whether a database has a write-ahead log


class Sent(EmailMessage):
    """An email that was sent. Its content is its text, whatever it has beside that."""

    def get_content(self, *parts: Any, **how: Any) -> Any:
        body = self.get_body(("plain",)) if self.is_multipart() else None
        return super().get_content(*parts, **how) if body is None else body.get_content()


_POLICY = policy.default.clone(message_factory=Sent)


class Emails(Sequence[EmailMessage]):
    """Emails that were sent. Each is read when a test looks at it, for most tests look at few."""

    def __init__(self, raws: Sequence[bytes]) -> None:
        self._raws = raws

    def __len__(self) -> int:
        return len(self._raws)

    def __eq__(self, other: object) -> bool:
        return list(self) == other

    def __getitem__(self, number):
        if isinstance(number, slice):
            return Emails(self._raws[number])
        return message_from_bytes(self._raws[number], policy=_POLICY)


def text_of(email: EmailMessage) -> str:
    """Return the plain text of an email."""
    body = email.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def files_of(email: EmailMessage) -> list[EmailMessage]:
    """Return what an email has attached, but for the value of what it says."""
    files = email.iter_attachments()
    return [one for one in files if not str(one.get_filename()).endswith(".adjud.json")]


def value_in(raw: bytes) -> bytes:
    """Return the value that an email has attached, as JSON; empty if it has none."""
    for part in message_from_bytes(raw, policy=_POLICY).iter_attachments():
        if str(part.get_filename()).endswith(".adjud.json"):
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            return content.replace(b"\r\n", b"\n")
    return b""


def said(email: EmailMessage) -> str:
    """Return the plain text of an email as one line."""
    return " ".join(text_of(email).split())


def without_value(raw: bytes) -> bytes:
    """Return an email without its JSON, as one of before that was attached: what it says is read
    from its text, which has all proofs."""
    value = value_in(raw)
    email = message_from_bytes(raw)
    parts = email.get_payload()
    if isinstance(parts, list):
        kept = [one for one in parts if one.get_content_type() != "application/json"]  # type: ignore[union-attr]
        email.set_payload(kept)
    if value:
        said = values.read(value)
        text = next(one for one in email.walk() if one.get_content_type() == "text/plain")
        del text["Content-Transfer-Encoding"]
        text["Content-Transfer-Encoding"] = "base64"
        whole = values.write(structs.replace(said, n=None, before=None, skipped=())).text
        text.set_payload(encodebytes(whole.encode()).decode())
    return email.as_bytes()


class MailClub(Club):
    def __init__(self, store: Store, folder: Path) -> None:
        super().__init__(store)
        self._know_tokens()
        self.folder = folder
        self.way = Taken()
        self.raws: list[bytes] = []
        self.told: list[str] = []
        self.context = Context(
            committer=lambda: "5a" * 32,
            sends_mail=True,
            raise_faults=True,
            post=POST,
            spool=folder,
            open_transport=lambda: self.way,
            pictures=False,  # they cost most of the time of an email; tests that look at them ask
            operator="gm@example.org",
        )

    def brought(self, key: str, by: Callable[[], T]) -> T:
        """Bring a club to where these steps bring it, and return what they return. They are taken
        once for each key; later clubs, to which the same has happened before, get a copy. Matches
        keep the `max_gap` with which they began, so it is a part of the key."""
        begun = key, self.context.max_gap
        with closing(sqlite3.connect(str(self.store.engine.url.database))) as own:
            if begun in _BEGUN:
                content, returned, emails = _BEGUN[begun]
                with closing(sqlite3.connect(":memory:")) as made:
                    made.deserialize(content)
                    made.backup(own)
                self.way.letters[:] = emails
                self._know_tokens()
                return returned  # type: ignore[no-any-return]
            returned = by()
            content = bytearray(own.serialize())
            content[_VERSIONS] = b"\x01\x01"  # one in memory has none
        _BEGUN[begun] = bytes(content), returned, list(self.way.letters)
        return returned

    def opened(self, *options: str) -> Self:
        """Enter Anna and Bob and open their match, of which the first emails have gone out."""

        def open_() -> None:
            self.add("Anna", "Bob")
            self.new(*options)
            self.run_tick()

        self.brought(f"opened {options}", open_)
        return self

    def at_first_turn(self) -> Self:
        """Open the match of Anna and Bob, and play it to White's first turn."""

        def begun() -> None:
            self.opened("deadline=every 3 days")
            for seat in ("white", "black"):
                self.send(seat, "SETUP RANDOM")
            self.run_tick()

        self.brought("waiting for White", begun)
        return self

    def address(self, seat: str, match: str = "m", tenure: int = 1) -> str:
        return seat_address(POST, match, seat, tenure)

    def _know_tokens(self) -> None:
        """Give the next players tokens that follow from how many there are."""
        with self.store.reading() as tx:
            TOKENS.given = int(tx.exec_driver_sql("SELECT count(*) FROM player").scalar() or 0)

    def own(self, name: str) -> str:
        """Return a player's personal address."""
        with self.store.reading() as tx:
            return own_address(POST, find_player(tx, name))

    def say(self, name: str, *lines: str, at: datetime = MONDAY, **headers: str) -> None:
        """Write a player's email to his personal address, from his address on file."""
        headers = {"sender": f"{name.lower()}@example.org", "to": self.own(name), **headers}
        self.write(name, *lines, at=at, **headers)

    def write(
        self,
        seat: str,
        *lines: str,
        sender: str = "",
        to: str | None = None,
        at: datetime = MONDAY,
        **headers: str,
    ) -> None:
        """Write a player's email, plain text from a mail program; `at` is when it came."""
        email = EmailMessage()
        email["From"] = sender or {"white": "anna@example.org", "black": "bob@example.org"}[seat]
        email["To"] = self.address(seat) if to is None else to
        email["Subject"] = "orders"
        email["Message-ID"] = f"<{len(self.raws)}.{seat}@example.org>"
        for name, value in headers.items():
            del email[name.replace("_", "-")]
            email[name.replace("_", "-")] = value
        email.set_content("\n".join(lines) + "\n")
        self.post(email.as_bytes(), str(email["To"]), str(email["From"]), at)

    def post(self, raw: bytes, recipient: str, sender: str = "", at: datetime = MONDAY) -> None:
        self.raws.append(raw)
        with patch.object(spool.time, "time", at.timestamp):
            spool.put(self.folder, BytesIO(raw), sender=sender, recipient=recipient, channel="test")

    def run_tick(self, now: datetime = MONDAY, *, sure: bool = False) -> Sequence[EmailMessage]:
        """Run a tick with emails in and out; return what was sent in it."""
        before = len(self.way.letters)
        done = self.whole_tick(now=now, sure=sure)
        self.told = [str(one) for one in done]
        return Emails([raw for _, _, raw in self.way.letters[before:]])
