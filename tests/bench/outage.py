"""Many letters after an outage: a club's first tick, beside GNU Mailman with as many letters.

Each letter ends a turn, of which both seats get a letter. Mailman passes each on to two members.
Both begin with the letters in their queues and end when a mail server has all that go out: the
same server, whose time does not count. Then the server is silent while as many letters wait.
"""

import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from unittest.mock import patch

from aiosmtpd.smtp import SMTP, Envelope, Session

from adjudicator.mail.address import seat_address
from adjudicator.mail.transport import errors, send, spool
from adjudicator.service.base.context import Context
from adjudicator.service.ops import tick
from adjudicator.store import matches, outgoing
from adjudicator.store.database import open_store
from tests.bench.letters import POST
from tests.bench.many_matches import many
from tests.bench.matches import MATCH, OPENED, sheets
from tests.bench.measuring import MISSING, Row, adjud, environment, scaled, timed, used, whole
from tests.mail.servers import Receiver, smtp_server

LETTERS = 1_000
MOST_SECONDS = 60  # from the first letter read to the last one handed over
MOST_SILENT = 90  # for a tick while the mail server is silent
SILENCE = errors.TIMEOUT
MAILMAN = Path(__file__).with_name("mailman_peer.py")


class Counting(Receiver):
    """A mail server that takes every letter and keeps none."""

    number = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.number += len(envelope.rcpt_tos)
        return "250 OK"


def rows(scale: float) -> Iterator[Row]:
    number = scaled(LETTERS, scale, least=2)
    with TemporaryDirectory() as made:
        yield from _after_outage(Path(made), number, scale)
    with TemporaryDirectory() as made:
        yield _silent(Path(made), number, scale)


def _after_outage(folder: Path, number: int, scale: float) -> Iterator[Row]:
    env = club(folder, number)
    receiver = Counting()
    settings = f'[mail]\ndomain = "{POST.domain}"\nout = "smtp://127.0.0.1:{receiver.port}"\n'
    (folder / "adjud.toml").write_text(settings, "utf-8")
    with smtp_server(receiver):
        began = perf_counter()
        _, own = used([*adjud(), "tick"], env)
        passed = perf_counter() - began
        assert receiver.number == 2 * number, receiver.number
        receiver.number = 0
        theirs = None if find_spec("mailman") is None else mailman(folder, receiver, number)[1]
    yield Row(
        name=f"{number:,} letters in, {2 * number:,} out, processor time (Mailman)",
        ours=f"{own:.1f} s",
        theirs=MISSING if theirs is None else f"{theirs:.1f} s",
        ratio=None if theirs is None else own / theirs,
        most=0.5,
    )
    yield Row(
        name=f"  by the clock ({MOST_SECONDS} s)",
        ours=f"{passed:.1f} s",
        theirs=f"{MOST_SECONDS} s",
        ratio=passed / MOST_SECONDS,
        most=whole(1, scale),
    )


def club(folder: Path, number: int) -> Mapping[str, str]:
    """Return the environment of a club's commands, in whose spool a letter lies for each match."""
    url = many(folder, number)
    keep_key(folder)
    fill(url, folder / "data" / "adjud" / "spool")
    return environment(folder, url)


def keep_key(folder: Path) -> None:
    """Put the key of these letters' addresses where a command looks for it."""
    data = folder / "data" / "adjud"
    data.mkdir(parents=True)
    (data / "adjud.key").write_text("".join(f"{key.id} {key.secret.hex()}\n" for key in POST.keys))


def fill(url: str, folder: Path) -> None:
    for to, raw in letters(url):
        spool.put(folder, BytesIO(raw), sender="", recipient=to, channel="pipe")


def letters(url: str) -> Iterator[tuple[str, bytes]]:
    """Yield for each match of a club the address of White's seat, and a letter with its orders."""
    with closing(open_store(url)) as store:
        sheet = sheets(store)
        with store.reading() as tx:
            names = matches.names(tx)
    for name in names:
        to = seat_address(POST, name, "white", 1)
        head = f"From: anna@example.org\nTo: {to}\nMessage-ID: <{name}@example.org>\n"
        yield to, f"{head}\n{sheet.replace(MATCH, name)}".encode()


def mailman(folder: Path, receiver: Counting, number: int) -> tuple[float, float]:
    """Return the processor time of Mailman's start with so many letters put into its queue, and
    that of its runners."""
    config = folder / "mailman.cfg"
    config.write_text(
        "[mailman]\nlayout: bench\nsite_owner: gm@example.org\n"
        f"[paths.bench]\nvar_dir: {folder / 'mailman'}\n"
        "[mta]\nincoming: mailman.mta.null.NullMTA\n"
        f"smtp_host: 127.0.0.1\nsmtp_port: {receiver.port}\n",
        "utf-8",
    )
    env = environment(folder, "")
    commands = (
        [sys.executable, str(MAILMAN), what, str(config), str(number)] for what in ("fill", "run")
    )
    (_, filled), (_, run) = (used(command, env) for command in commands)
    assert receiver.number == 2 * number, receiver.number
    return filled, run


def _silent(folder: Path, number: int, scale: float) -> Row:
    """Measure a tick while so many letters wait for a server that takes connections and says
    nothing."""
    url = many(folder, -(-number // 2))
    fill(url, folder / "spool")
    with closing(open_store(url)) as store, socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        context = Context(
            post=POST,
            spool=folder / "spool",
            sends_mail=True,
            open_transport=lambda: send.open_transport(f"smtp://127.0.0.1:{port}"),
        )
        list(tick.read_letters(store, now=OPENED, context=context))
        list(tick.run_due(store, now=OPENED, context=context))
        later = OPENED + timedelta(minutes=5)
        with store.reading() as tx:
            waiting = len(outgoing.due(tx, later))
        with patch.object(send, "TIMEOUT", SILENCE * min(1, scale)):
            own = timed(lambda: list(tick.run_tick(store, now=later, context=context)))
    return Row(
        name=f"a tick, {waiting:,} letters wait for a silent mail server ({MOST_SILENT} s)",
        ours=f"{own:.1f} s",
        theirs=f"{MOST_SILENT} s",
        ratio=own / MOST_SILENT,
        most=whole(1, scale),
    )
