"""A thousand emails with orders, from the mail server to the last report handed over, beside GNU
Mailman with as many.

Each email ends a turn, of which both seats get an email. Mailman passes each on to two members.
Both sides pay for their starts, for the way in (LMTP here, its own queue there) and for the way
out, to the same mail server, whose time does not count. All emails that come are of 4 kB.
"""

import smtplib
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

from aiosmtpd.smtp import SMTP, Envelope, Session

from adjudicator.mail.address import seat_address
from tests.bench.many_matches import many
from tests.bench.matches import MATCH, POST, keep_key, sheets
from tests.bench.measuring import (
    MISSING,
    Row,
    adjud,
    beside,
    environment,
    milliseconds,
    scaled,
    spent,
    used,
    whole,
)
from tests.database import match_names, open_store
from tests.mail.servers import Receiver, free_port, smtp_server

EMAILS = 1_000
MOST_SECONDS = 60  # from the first email read to the last one handed over
PADDING = "x" * 3600  # makes an email of 4 kB
MAILMAN = Path(__file__).with_name("mailman_peer.py")
Emails = Sequence[tuple[str, bytes]]  # to whom, and its bytes


class Counting(Receiver):
    """A mail server that takes every email and keeps none."""

    number = 0

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        self.number += len(envelope.rcpt_tos)
        return "250 OK"


def rows(scale: float) -> Iterator[Row]:
    number = scaled(EMAILS, scale, least=2)
    with TemporaryDirectory() as made:
        taken_in, tick, passed = _ours(Path(made), number)
    with TemporaryDirectory() as made:
        theirs = _mailman(Path(made), number) if find_spec("mailman") else None
    whole_road = taken_in + tick
    yield Row(
        name=f"{number:,} emails in, {2 * number:,} out, processor time (Mailman)",
        ours=f"{whole_road:.1f} s",
        theirs=f"{sum(theirs):.1f} s" if theirs else MISSING,
        ratio=whole_road / sum(theirs) if theirs else None,
        most=1,
    )
    yield Row(
        name="  without the way in",
        ours=f"{tick:.1f} s",
        theirs=f"{theirs[1]:.1f} s" if theirs else MISSING,
        ratio=tick / theirs[1] if theirs else None,
        most=0.5,
    )
    yield Row(
        name=f"  by the clock ({MOST_SECONDS} s)",
        ours=f"{passed:.1f} s",
        theirs=f"{MOST_SECONDS} s",
        ratio=passed / MOST_SECONDS,
        most=whole(1, scale),
    )
    with TemporaryDirectory() as made:
        yield _pipe(Path(made), scaled(40, scale))


def _ours(folder: Path, number: int) -> tuple[float, float, float]:
    """Return the processor time of the way in and of the tick, and how long the tick took."""
    url = many(folder, number)
    keep_key(folder)
    env = environment(folder, url)
    receiver = Counting()
    settings = f'[mail]\ndomain = "{POST.domain}"\nout = "smtp://127.0.0.1:{receiver.port}"\n'
    (folder / "adjud.toml").write_text(settings, "utf-8")
    waiting = list(_emails(url))
    subprocess.run([*adjud(), "status"], env=env, check=True, capture_output=True)  # is compiled
    with smtp_server(receiver):
        taken_in = spent(lambda: _by_lmtp(waiting, env))
        began = perf_counter()
        _, tick = used([*adjud(), "tick"], env)
        passed = perf_counter() - began
        assert receiver.number == 2 * number, receiver.number
    return taken_in, tick, passed


def _emails(url: str) -> Iterator[tuple[str, bytes]]:
    """Yield for each match of a club the address of White's seat, and an email with its orders."""
    with closing(open_store(url)) as store:
        sheet = sheets(store)
        with store.reading() as tx:
            names = match_names(tx)
    for name in names:
        to = seat_address(POST, name, "white", 1)
        head = f"From: anna@example.org\nTo: {to}\nMessage-ID: <{name}@example.org>\n"
        yield to, f"{head}\n{sheet.replace(MATCH, name)}\n-- \n{PADDING}\n".encode()


def _by_lmtp(waiting: Emails, env: Mapping[str, str]) -> None:
    """What the mail server does is in it: a little for each email."""
    port = free_port()
    words = [*adjud(), "mail", "serve", "--port", str(port)]
    serving = subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL)
    try:
        with _connected(port) as server:
            for to, raw in waiting:
                server.sendmail("anna@example.org", [to], raw)
    finally:
        serving.terminate()
        serving.wait()


def _connected(port: int) -> smtplib.LMTP:
    for _ in range(600):
        try:
            return smtplib.LMTP("127.0.0.1", port)
        except ConnectionRefusedError:
            sleep(0.1)
    raise TimeoutError(f"nobody takes emails on port {port}")


def _mailman(folder: Path, number: int) -> tuple[float, float]:
    """Return the processor time of Mailman's way in for so many emails, and that of its runners,
    each with its start."""
    receiver = Counting()
    config = folder / "mailman.cfg"
    config.write_text(
        "[mailman]\nlayout: bench\nsite_owner: gm@example.org\n"
        f"[paths.bench]\nvar_dir: {folder / 'mailman'}\n"
        "[mta]\nincoming: mailman.mta.null.NullMTA\n"
        f"smtp_host: 127.0.0.1\nsmtp_port: {receiver.port}\n",
        "utf-8",
    )
    env = environment(folder, "")
    with smtp_server(receiver):
        (_, filled), (_, run) = (
            used([sys.executable, str(MAILMAN), what, str(config), str(number)], env)
            for what in ("fill", "run")
        )
        assert receiver.number == 2 * number, receiver.number
    return filled, run


def _pipe(folder: Path, rounds: int) -> Row:
    """Measure what the mail server starts for each email where it has no LMTP."""
    to = seat_address(POST, MATCH, "white", 1)
    email = f"From: anna@example.org\nTo: {to}\n\nORDERS {MATCH} white\n{PADDING}\n".encode()
    env = environment(folder, "")
    receive = [*adjud(), "--spool", str(folder / "spool"), "mail", "receive", "a@example.org", to]
    take = partial(subprocess.run, receive, env=env, input=email, check=True)
    take()  # modules are compiled once
    own, other, ratio = beside(take, rounds)
    return Row(
        name="mail receive, an email of 4 kB (python -c pass)",
        ours=milliseconds(own),
        theirs=milliseconds(other),
        ratio=ratio,
        most=8,
    )
