"""Kill the program with `kill -9` on the way of an email.

Every email is used once or still waits, and every report arrives at least once and never with two
contents under one Message-ID.
"""

import os
import random
import signal
import subprocess
import sys
import time
from datetime import timedelta
from email import message_from_bytes
from pathlib import Path

import pytest

from adjudicator.mail.address import seat_address
from tests.club import MONDAY, Club, Context, NewMatch, create_keys, read_keys
from tests.database import create, open_store
from tests.scale import scaled

SEATS = ("white", "black")
PLAYERS = {"white": "Anna", "black": "Bob"}
BEGIN = MONDAY - timedelta(days=60)  # before the clock of any machine that runs this


class Installation:
    """A program on a machine: a configuration, a database, a spool, a folder to which emails
    go."""

    def __init__(self, folder: Path, matches: int) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "ADJUD_DATABASE": f"sqlite:///{folder / 'adjud.db'}",
            "ADJUD_CONFIG": str(folder / "adjud.toml"),
        }
        (folder / "adjud.toml").write_text(
            f'operator = "gm@example.org"\n'
            f'[mail]\ndomain = "play.example.org"\nkey = "{folder / "key"}"\n'
            f'spool = "{folder / "spool"}"\nout = "folder:{folder / "out"}"\n'
        )
        create_keys(folder / "key")
        self.names = [f"m{n}" for n in range(matches)]
        self._open()

    def _open(self) -> None:
        create(self.environment["ADJUD_DATABASE"])
        store = open_store(self.environment["ADJUD_DATABASE"])
        for seat in SEATS:
            Club(store).add_player(
                PLAYERS[seat],
                f"{seat}@example.org",
                language="en",
                zone="UTC",
                confirmed=True,
                now=BEGIN,
                sends_mail=True,
            )
        with store.transaction() as tx:  # so that every report is one to be counted
            tx.exec_driver_sql("UPDATE player SET reports = 'all'")
        for name in self.names:
            wanted = NewMatch(
                game="espionage",
                variant="small",
                name=name,
                seats=[f"{seat}={PLAYERS[seat]}" for seat in SEATS],
                options=[],
                seed=None,
                fresh_seed=bytes(32),
            )
            Club(store, Context(sends_mail=True)).create(wanted, now=BEGIN)
        store.close()

    def email(self, match: str, seat: str) -> tuple[str, bytes]:
        """Return (recipient, bytes) of a set-up by mail."""
        post = _post(self.folder / "key")
        to = seat_address(post, match, seat, 1)
        head = f"From: {seat}@example.org\nTo: {to}\nMessage-ID: <{match}.{seat}@example.org>\n"
        return to, f"{head}\nORDERS {match} {seat}\nSETUP RANDOM\nEND\n".encode()

    def run(self, *words: str, stdin: bytes = b"", kill_after: float | None = None) -> int:
        """Run a command; return the exit code, -9 if it was killed."""
        process = subprocess.Popen(
            [sys.executable, "-m", "adjudicator", *words],
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        if kill_after is None:
            process.communicate(stdin, timeout=300)
            return process.returncode
        try:
            process.stdin.write(stdin)
            process.stdin.close()
        except BrokenPipeError:
            pass  # it was quicker than we
        time.sleep(kill_after)
        process.send_signal(signal.SIGKILL)
        return process.wait(60)

    def sent(self) -> list[bytes]:
        return [path.read_bytes() for path in (self.folder / "out").glob("*.eml")]


def _post(key: Path):
    from adjudicator.mail.address import MailDomain

    return MailDomain(domain="play.example.org", keys=read_keys(key))


@pytest.mark.slow
def test_a_mail_server_that_tries_until_zero_brings_every_email_once(tmp_path):
    """A receiver that was killed is tried again, as every mail server does."""
    there = Installation(tmp_path, matches=scaled(4))
    rng = random.Random(1)
    emails = [there.email(name, seat) for name in there.names for seat in SEATS]
    for to, raw in emails:
        for _ in range(scaled(3)):
            if (
                there.run("mail", "receive", "", to, stdin=raw, kill_after=rng.uniform(0, 0.08))
                == 0
            ):
                break
        else:
            assert there.run("mail", "receive", "", to, stdin=raw) == 0
    spooled = [path.read_bytes() for path in (tmp_path / "spool" / "new").iterdir()]
    for _, raw in emails:
        assert sum(content.endswith(raw) for content in spooled) >= 1
    for content in spooled:
        assert any(content.endswith(raw) for _, raw in emails), "half a letter"
    _tick_through_kills(there, rng)
    _all_is_well(there)


def _tick_through_kills(there: Installation, rng: random.Random) -> None:
    for _ in range(scaled(6)):
        there.run("tick", kill_after=rng.uniform(0.2, 1.5))
    assert there.run("tick") == 0
    _see_to_the_rest(there)
    assert there.run("tick") == 0


def _see_to_the_rest(there: Installation) -> None:
    """Let enough time pass for everything that waits.

    An email whose sender was killed goes again after a quarter of an hour, when nobody can be
    sending it any more; one at which we were killed thrice is read after hours.
    """
    store = open_store(there.environment["ADJUD_DATABASE"])
    with store.transaction() as tx:
        tx.exec_driver_sql("UPDATE outbox SET next_at = created_at WHERE status = 'waiting'")
        tx.exec_driver_sql("UPDATE letter SET again_at = received_at WHERE status = 'received'")
        tx.exec_driver_sql(
            "UPDATE letter SET tries = 0, status = 'received' WHERE status = 'stuck'"
        )
    store.close()


def _all_is_well(there: Installation) -> None:
    assert not list((there.folder / "spool" / "new").iterdir())
    assert there.run("verify") == 0
    store = open_store(there.environment["ADJUD_DATABASE"])
    with store.reading() as tx:
        plies = tx.exec_driver_sql("SELECT match_id, max(ply) FROM turn GROUP BY match_id").all()
        used = tx.exec_driver_sql(
            "SELECT match_id, seat, count(*) FROM submission WHERE status = 'used' "
            "GROUP BY match_id, seat"
        ).all()
        rest = tx.exec_driver_sql(
            "SELECT key, status, reason FROM outbox WHERE status != 'sent'"
        ).all()
        sent_keys = {
            row[0] for row in tx.exec_driver_sql("SELECT key FROM outbox WHERE status = 'sent'")
        }
        kept = {row[0] for row in tx.exec_driver_sql("SELECT raw FROM outbox")}
    store.close()
    for key, status, reason in rest:  # a confirmation may be said in its seat's next report
        carrier = reason.removeprefix("it stands in ")
        assert (status, key.split("/")[3]) == ("dropped", "receipt")
        assert carrier in sent_keys
        assert carrier.split("/")[2:4] == [key.split("/")[2], "report"]
    assert [ply for _, ply in plies] == [1] * len(there.names)
    assert {n for _, _, n in used} == {1}
    sent = there.sent()
    assert kept == {None}
    by_id: dict[str, set[bytes]] = {}
    for raw in sent:
        by_id.setdefault(str(message_from_bytes(raw)["Message-ID"]), set()).add(raw)
    assert len(by_id) == len(sent_keys)
    assert all(len(contents) == 1 for contents in by_id.values())
    reports = [raw for raw in sent if b"X-Adjud: report" in raw]
    assert len(reports) == len(there.names) * 2 * 2


@pytest.mark.slow
def test_four_mail_servers_at_once_lose_nothing(tmp_path):
    there = Installation(tmp_path, matches=2)
    emails = [there.email(name, seat) for name in there.names for seat in SEATS]
    started = [
        subprocess.Popen(
            [sys.executable, "-m", "adjudicator", "mail", "receive", "", to],
            env=there.environment,
            stdin=subprocess.PIPE,
        )
        for to, _ in emails
    ]
    for process, (_, raw) in zip(started, emails, strict=True):
        process.communicate(raw, timeout=60)
    assert [process.returncode for process in started] == [0] * len(emails)
    assert there.run("tick") == 0
    _all_is_well(there)
