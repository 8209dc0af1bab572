"""The mail server refuses, hangs or hangs up at any point of a hand-over.

Every email arrives all the same, with one content under its Message-ID, and only those twice of
which the server never said that it had them.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email import message_from_bytes
from itertools import product
from random import Random

import pytest
from msgspec import structs

from adjudicator.mail.transport import send
from tests.club import MONDAY, computer_orders
from tests.scale import scaled
from tests.service.mailclub import MailClub

STAGES = ("greeting", "hello", "sender", "recipient", "data", "half", "dot")
FAULTS = ("refuse", "hang", "drop")
# A server answers nothing in the middle of an email, so it refuses nothing there.
TROUBLES = [each for each in product(STAGES, FAULTS) if each != ("half", "refuse")]
VERBS = {"EHLO": "hello", "HELO": "hello", "MAIL": "sender", "RCPT": "recipient", "DATA": "data"}
WAIT = timedelta(minutes=31)  # a lease, or the second back-off


class Hung(Exception):
    """The connection is open, and nobody answers on it."""


class Dropped(Exception):
    """The connection was shut."""


class Troubled:
    """An SMTP server with faults, each of them once: (stage, fault) in the order of `faults`.

    `arrived` are the emails that came whole and were not refused.
    """

    def __init__(self, faults: list[tuple[str, str]]) -> None:
        self.faults = faults
        self.arrived: list[bytes] = []
        self.port = 0
        self._open: list[socket.socket] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
            threading.Thread(target=self._accept, args=(server,), daemon=True).start()
            yield
        for connection in self._open:
            connection.close()

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self._open.append(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            self._talk(connection)
        except Hung:
            pass  # until the test ends
        except (Dropped, OSError):
            hang_up(connection)

    def _talk(self, connection: socket.socket) -> None:
        self._answer(connection, "greeting", b"220 here\r\n")
        lines = connection.makefile("rb")
        for line in lines:
            verb = line[:4].upper().decode("ascii")
            if verb == "QUIT":
                connection.sendall(b"221 bye\r\n")
                return
            good = b"354 go on\r\n" if verb == "DATA" else b"250 ok\r\n"
            if self._answer(connection, VERBS.get(verb, verb), good) and verb == "DATA":
                self._take(connection, lines)

    def _take(self, connection: socket.socket, lines: Iterator[bytes]) -> None:
        sent = []
        for line in lines:
            if line == b".\r\n":
                break
            sent.append(line)
            if len(sent) == 5:
                self._fault("half")
        refused = self.faults[:1] == [("dot", "refuse")]
        if not refused:
            self.arrived.append(b"".join(sent))
        self._answer(connection, "dot", b"250 taken\r\n")

    def _answer(self, connection: socket.socket, stage: str, good: bytes) -> bool:
        refused = self._fault(stage)
        connection.sendall(b"451 not now\r\n" if refused else good)
        return not refused

    def _fault(self, stage: str) -> bool:
        """Return whether the server refuses; raise if it says nothing more."""
        if not self.faults or self.faults[0][0] != stage:
            return False
        _, fault = self.faults.pop(0)
        if fault == "hang":
            raise Hung
        if fault == "drop":
            raise Dropped
        return True


def hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the other side was quicker


@pytest.fixture
def club(store, tmp_path, monkeypatch):
    monkeypatch.setattr(send, "TIMEOUT", 0.3)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    return club


def unsent(club: MailClub) -> list[str]:
    return [one.key for one in club.emails_out() if one.status not in ("sent", "dropped")]


def order(club: MailClub, now: datetime) -> None:
    for seat in club.loaded().awaited:
        lines = computer_orders(club.loaded(), seat, "computer:random")
        club.write(seat, f"ORDERS m {seat}", *lines, "END", at=now)


def played(club: MailClub, server: Troubled, rounds: int) -> None:
    """Play so many rounds, and then wait until nothing waits any more."""
    club.context = structs.replace(
        club.context, open_transport=lambda: send.open_transport(f"smtp://127.0.0.1:{server.port}")
    )
    now = MONDAY
    club.run_tick(now)
    for number in range(rounds):
        now += WAIT
        order(club, now)
        club.run_tick(now)
        assert club.loaded().match.ply == number + 1
    for _ in range(12):
        if not unsent(club) and not server.faults:
            break
        now += WAIT
        club.run_tick(now)


def all_arrived(club: MailClub, server: Troubled, lost_answers: int) -> None:
    assert unsent(club) == []
    assert server.faults == []
    by_id: dict[str, set[bytes]] = {}
    for raw in server.arrived:
        by_id.setdefault(str(message_from_bytes(raw)["Message-ID"]), set()).add(raw)
    assert all(len(contents) == 1 for contents in by_id.values())
    sent = [one for one in club.emails_out() if one.status == "sent"]
    # One whose answer was lost goes again, or a newer report goes in its place.
    assert 0 <= len(server.arrived) - len(sent) <= lost_answers
    assert len(by_id) >= len(sent)
    assert club.verify("m") == []


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "fault"), TROUBLES)
def test_every_email_arrives_whatever_the_server_does_once(club, stage, fault):
    server = Troubled([(stage, fault)])
    with server.listening():
        played(club, server, rounds=1)
    all_arrived(club, server, lost_answers=stage == "dot")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(scaled(3)))
def test_a_match_is_played_through_one_fault_after_the_other(club, seed):
    rng = Random(seed)
    faults = rng.choices(TROUBLES, k=6)
    server = Troubled(list(faults))
    with server.listening():
        played(club, server, rounds=5)
    all_arrived(club, server, lost_answers=sum(stage == "dot" for stage, _ in faults))
