"""A way out that is silent, gone or slow costs a tick one time-out, not one for each email."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from msgspec import structs

from adjudicator.mail.transport import send
from tests.club import MONDAY
from tests.inside import delivery
from tests.mail.servers import Receiver, free_port, smtp_server
from tests.service.mailclub import MailClub

SHEET = ("ORDERS m white", "SETUP RANDOM", "END")
SOON = timedelta(minutes=5)


@pytest.fixture
def club(store, tmp_path, monkeypatch):
    monkeypatch.setattr(send, "TIMEOUT", 0.2)
    club = MailClub(store, tmp_path / "spool")
    club.add("Anna", "Bob")
    club.new()
    for n in range(4):
        club.new(name=f"m{n}")
    return club


def goes_out_by(club: MailClub, way: str) -> None:
    club.context = structs.replace(club.context, open_transport=lambda: send.open_transport(way))


class Silent:
    """A server that takes connections, says so much and then no more."""

    def __init__(self, *lines: bytes) -> None:
        self.lines = lines
        self.port = 0
        self.connections: list[socket.socket] = []

    @contextmanager
    def listening(self) -> Iterator[None]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
            threading.Thread(target=self._serve, args=(server,), daemon=True).start()
            yield
        for connection in self.connections:
            connection.close()

    def _serve(self, server: socket.socket) -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            self.connections.append(connection)
            for line in self.lines:
                connection.sendall(line)
                connection.recv(1000)


SILENCES = {
    "at once": (),
    "after its greeting": (b"220 here\r\n",),
    "after the sender": (b"220 here\r\n", b"250 hello\r\n", b"250 ok\r\n"),
}


@pytest.mark.parametrize("said", SILENCES)
@pytest.mark.slow
def test_a_silent_server_costs_one_time_out_a_tick(club, said):
    server = Silent(*SILENCES[said])
    with server.listening():
        goes_out_by(club, f"smtp://127.0.0.1:{server.port}")
        club.run_tick()
        assert len(server.connections) == 1
        club.run_tick(MONDAY + SOON / 2)
        assert len(server.connections) == 2
    first, rest = club.told
    assert "is waiting: " in first
    assert rest.startswith("the other emails wait for the next tick: ")
    assert "timed out" in rest


def test_where_nothing_listens_one_email_is_tried_a_tick(club):
    goes_out_by(club, f"smtp://127.0.0.1:{free_port()}")
    club.run_tick()
    assert sorted(email.tries for email in club.emails_out()) == [0] * 9 + [1]
    assert "Connection refused" in club.told[-1]


@pytest.mark.slow
def test_a_sendmail_that_hangs_is_run_once_a_tick(club, tmp_path):
    command = tmp_path / "sendmail"
    command.write_text(f"#!/bin/sh\necho >>{tmp_path}/runs\nexec sleep 60\n")
    command.chmod(0o755)
    goes_out_by(club, f"sendmail:{command}")
    club.run_tick()
    assert (tmp_path / "runs").read_text() == "\n"


def test_all_go_as_soon_as_the_server_is_back(club):
    receiver = Receiver()
    goes_out_by(club, f"smtp://127.0.0.1:{receiver.port}")
    club.run_tick()
    with smtp_server(receiver):
        club.run_tick(MONDAY + SOON)
    assert len(receiver.letters) == 10


def test_who_has_sent_is_not_told_by_a_server_that_is_down(club):
    """Nothing but the receipt of an awaited seat is to go."""
    club.run_tick()
    club.write("white", *SHEET)
    goes_out_by(club, f"smtp://127.0.0.1:{free_port()}")
    club.write("black", "ORDERS m black", "SETUP RANDOM", "TYPO")
    club.run_tick()
    assert club.told == []


def test_an_email_that_breaks_the_connection_does_not_stop_the_others(club):
    receiver = Receiver()
    receiver.answers = ["drop"]
    goes_out_by(club, f"smtp://127.0.0.1:{receiver.port}")
    with smtp_server(receiver):
        club.run_tick()
    assert len(receiver.letters) == 9
    assert receiver.connections == 2


def test_a_round_of_emails_ends_after_its_time(club, monkeypatch):
    passed = [0.0]
    monkeypatch.setattr(delivery, "monotonic", lambda: passed[0])
    deliver = club.way.deliver

    def slow(*email):
        passed[0] += 90
        deliver(*email)

    monkeypatch.setattr(club.way, "deliver", slow)
    club.run_tick()
    assert len(club.way.letters) == 3
    assert club.told[-1] == "the other emails wait for the next tick: outgoing mail is slow"
    club.run_tick(MONDAY + SOON)
    assert len(club.way.letters) == 6


def test_receipts_go_before_reports(club):
    club.write("white", *SHEET)
    club.write("black", "STATUS")
    club.write("white", "nonsense")
    kinds = [email["X-Adjud"] for email in club.run_tick()]
    others, reports = kinds[: kinds.index("report")], kinds[kinds.index("report") :]
    assert sorted(others) == ["alert", "receipt", "receipt", "refusal"]  # the question is passed on
    assert set(reports) == {"report"}
