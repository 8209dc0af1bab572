"""An email that comes by LMTP is refused for good only by a club that is still there."""

import smtplib
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.database import open_store
from tests.inside import collecting, schema, upkeep
from tests.service.mailclub import MailClub


@contextmanager
def served(ours: MailClub, told: list[str]) -> Iterator[smtplib.LMTP]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        collecting.serve_by_lmtp(
            ours.store, ours.context, "127.0.0.1", port, lambda message: told.append(str(message))
        ),
        smtplib.LMTP("127.0.0.1", port) as server,
    ):
        server.ehlo()
        server.mail("anna@example.org")
        yield server


def test_an_address_that_a_club_made_after_it_was_moved_is_not_refused_for_good(
    store, tmp_path: Path
) -> None:
    """The old database does not know it, so the mail server must keep the email."""
    ours = MailClub(store, tmp_path / "spool")
    ours.add("Anna", "Bob")
    ours.new()
    told: list[str] = []
    with served(ours, told) as server:
        strange = ours.address("white", match="next")
        assert server.rcpt(strange)[0] == 550
        schema.move(store, f"sqlite:///{tmp_path}/new.db")
        there = MailClub(open_store(f"sqlite:///{tmp_path}/new.db"), tmp_path / "spool")
        there.new(name="next")
        assert server.rcpt(strange)[0] == 451
        assert server.rcpt(ours.address("white"))[0] == 250  # the spool is the same
        there.store.close()
    assert "the club was moved out of" in told[-1]


def test_an_address_that_a_club_made_after_it_was_restored_is_known(
    new_sqlite, tmp_path: Path
) -> None:
    file = Path(new_sqlite("club").removeprefix("sqlite:///"))
    ours = MailClub(open_store(f"sqlite:///{file}"), tmp_path / "spool")
    ours.add("Anna", "Bob")
    upkeep.copy_to(ours.store, tmp_path / "saved.db")
    with served(ours, []) as server:
        for one in tmp_path.glob("club.db*"):
            one.rename(tmp_path / f"damaged{one.name}")
        assert server.rcpt(ours.address("white", match="next"))[0] == 451
        (tmp_path / "saved.db").rename(file)
        there = MailClub(open_store(f"sqlite:///{file}"), tmp_path / "spool")
        there.new(name="next")
        assert server.rcpt(there.address("white", match="next"))[0] == 250
        there.store.close()
    ours.store.close()
