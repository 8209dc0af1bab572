"""A club that an older program left, packed: its database, its key, and all emails in and out.

`cli/older/0.2.28.tar.xz` is one of the oldest version that can be upgraded; `test_upgrade_0228`
tells what it holds.
"""

import re
import tarfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from io import BytesIO
from itertools import count
from pathlib import Path

from adjudicator.mail.transport import spool
from tests.clock import clock_at
from tests.club import computer_orders, load
from tests.database import open_store
from tests.program import Adjud, Answer

HOUR = timedelta(hours=1)
ARCHIVE = Path(__file__).parent / "cli/older/0.2.28.tar.xz"


def database_of_0_2_28(path: Path) -> str:
    """Put the packed club's database at a path; return its URL."""
    with tarfile.open(ARCHIVE) as packed:
        found = packed.extractfile("adjud.db")
        assert found is not None
        path.write_bytes(found.read())
    path.chmod(0o600)
    return f"sqlite:///{path}"


class OlderClub:
    """The club after its last hour with the older program; its emails go on being numbered."""

    def __init__(self, adjud: Adjud, archive: Path, now: datetime) -> None:
        self.adjud, self.folder, self.now = adjud, adjud.folder, now
        self.numbers = count(1000)
        with tarfile.open(archive) as packed:
            packed.extraction_filter = getattr(tarfile, "data_filter", None)  # not in 3.11.2
            packed.extractall(self.folder)
        self.emails, self.out = self.folder / "letters", self.folder / "out"
        self.out.mkdir()
        mail = f'[mail]\ndomain = "play.example.org"\nout = "folder:{self.out}"\n'
        adjud.write("adjud.toml", f'operator = "gm@example.org"\n{mail}')

    def does(self, *words: str, stdin: str = "") -> str:
        return self.adjud.does(*words, stdin=stdin, at=self.at)

    @property
    def at(self) -> str:
        return f"{self.now:%Y-%m-%d %H:%M:%S}"

    def tick(self, later: timedelta = HOUR) -> list[EmailMessage]:
        """Let time pass and run a tick; return the emails that went out."""
        self.now += later
        self.does("tick")
        sent = []
        for path in sorted(self.out.iterdir()):
            sent.append(read(path))
            receiver = sent[-1]["To"].addresses[0].username
            path.rename(self.emails / f"{next(self.numbers)}-to-{receiver}.eml")
        return sent

    def sent(self, player: str = "*", match: str = "") -> Iterator[EmailMessage]:
        """Yield the emails that a player was sent in a match, the newest first."""
        for path in sorted(self.emails.glob(f"*-to-{player}.eml"), key=numbered, reverse=True):
            email = read(path)
            if f"+{match}." in str(email["Reply-To"]) or not match:
                yield email

    def answer(self, email: EmailMessage, *lines: str) -> None:
        """Answer an email as its reader does, from the address to which it went."""
        number = next(self.numbers)
        reply = EmailMessage()
        reply["From"], reply["To"] = str(email["To"]), str(email["Reply-To"])
        reply["Subject"] = f"Re: {email['Subject']}"
        reply["Message-ID"] = f"<{number}@example.org>"
        reply["In-Reply-To"] = str(email["Message-ID"])
        reply["Date"] = f"{self.now:%a, %d %b %Y %H:%M:%S +0000}"
        reply.set_content("\n".join(lines) + "\n")
        raw = reply.as_bytes()
        sender, to = (reply[name].addresses[0] for name in ("From", "To"))
        (self.emails / f"{number}-from-{sender.username}.eml").write_bytes(raw)
        with clock_at(self.now):
            spool.put(
                self.folder / "data/adjud/spool",
                BytesIO(raw),
                sender=sender.addr_spec,
                recipient=to.addr_spec,
                channel="pipe",
            )

    def legal(self, match: str) -> dict[str, Sequence[str]]:
        """Return some orders for each seat that is awaited."""
        with closing(open_store(f"sqlite:///{self.adjud.file}")) as store, store.reading() as tx:
            loaded = load(tx, match)
        return {seat: computer_orders(loaded, seat, "computer:random") for seat in loaded.awaited}

    def audits(self, players: Iterable[str]) -> Iterator[Answer]:
        """Yield what each player's audit of all emails that they sent and received says."""
        for player in players:
            papers = map(str, sorted(self.emails.glob(f"*-{player}.eml")))
            yield self.adjud("audit", *papers, at=self.at)


def read(path: Path) -> EmailMessage:
    return message_from_bytes(path.read_bytes(), policy=policy.default)


def numbered(path: Path) -> int:
    return int(path.name.partition("-")[0])


def text_of(email: EmailMessage) -> str:
    body = email.get_body(("plain",))
    assert body is not None
    return str(body.get_content()).replace("\r\n", "\n")


def found_in(email: EmailMessage, pattern: str) -> str:
    """Return the one place in an email's text that has this form."""
    found = re.findall(f"(?m){pattern}", text_of(email))
    assert len(set(found)) == 1, (pattern, text_of(email))
    return str(found[0])


def twice(texts: Iterable[str]) -> list[str]:
    return [text for text, number in Counter(texts).items() if number > 1]
