"""Ways in take nothing out of a mailbox before somebody has it."""

import mailbox
import os
import smtplib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from adjudicator.mail.transport.errors import BadTransport, Temporary
from adjudicator.mail.transport.fetch import fetch_imap, fetch_maildir, fetch_mbox, watch_imap
from adjudicator.mail.transport.lmtp import serve_lmtp
from tests.mail.servers import DOVECOT, MISSING, dovecot, free_port

ODD = b"Subject: x\r\n\r\n\xff\x00 bare\rreturn\nbare line\r\n"
EMAILS = [b"Subject: 1\r\n\r\none\r\n", ODD, b"Subject: 3\r\n\r\nthree\r\n"]


class Full(Exception):
    """The disk is full."""


def keeper(most: int = 99) -> tuple[list[bytes], Callable[[bytes], None]]:
    """Return what keeps emails until there is no more room."""
    kept: list[bytes] = []

    def keep(raw: bytes) -> None:
        if len(kept) == most:
            raise Full
        kept.append(raw)

    return kept, keep


@pytest.fixture
def maildir(tmp_path: Path) -> Path:
    path = tmp_path / "Maildir"
    for name in ("tmp", "new", "cur"):
        (path / name).mkdir(parents=True)
    for number, raw in enumerate(EMAILS):
        folder, flags = ("cur", ":2,S") if number == 1 else ("new", "")
        (path / folder / f"17000000{number}.M1.host{flags}").write_bytes(raw)
    (path / "tmp" / "half").write_bytes(b"Subj")
    return path


def test_a_maildir_gives_its_emails_as_they_came_and_puts_them_away(maildir: Path) -> None:
    kept, keep = keeper()
    assert fetch_maildir(maildir, keep) == 3
    assert kept == EMAILS
    assert fetch_maildir(maildir, keep) == 0
    folder = mailbox.Maildir(maildir).get_folder("Processed")
    assert len(folder) == 3


def test_an_email_that_could_not_be_kept_stays_in_the_maildir(maildir: Path) -> None:
    kept, keep = keeper(most=1)
    with pytest.raises(Full):
        fetch_maildir(maildir, keep)
    assert len(kept) == 1
    rest, keep = keeper()
    fetch_maildir(maildir, keep)
    assert rest == EMAILS[1:]


def test_somebody_else_may_read_the_maildir_too(maildir: Path) -> None:
    def keep(raw: bytes) -> None:
        for path in (maildir / "new").iterdir():
            path.unlink()

    assert fetch_maildir(maildir, keep) == 2


def test_what_cannot_be_read_in_a_maildir_stops_no_email_and_stays(maildir: Path) -> None:
    bad = maildir / "new" / "1600000000.M1.host"
    bad.mkdir()
    os.mkfifo(maildir / "new" / "1600000001.M1.host")
    (maildir / "cur" / "1600000002.M1.host:2,S").symlink_to("nowhere")
    (maildir / "new" / f"1600000003.{'x' * 240}").write_bytes(ODD)
    skipped: dict[str, str] = {}
    kept, keep = keeper()
    for taken in (4, 0):
        assert fetch_maildir(maildir, keep, skipped.__setitem__) == taken
    assert kept == [ODD, *EMAILS]
    assert [Path(place).name for place in skipped] == [
        "1600000000.M1.host",
        "1600000001.M1.host",
        "1600000002.M1.host:2,S",
    ]
    assert skipped[str(bad)] == "not a file"
    assert all(os.path.lexists(place) for place in skipped)


def test_what_is_no_maildir_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(BadTransport, match="not a Maildir"):
        fetch_maildir(tmp_path, keeper()[1])
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def mbox(tmp_path: Path) -> Path:
    path = tmp_path / "adjud"
    start = b"From a@b Sat Nov 21 18:00:00 2026\n"
    path.write_bytes(b"".join(start + b"Subject: %d\n\nx\n\n" % n for n in range(3)))
    return path


def test_an_mbox_is_emptied(mbox: Path) -> None:
    kept, keep = keeper()
    assert fetch_mbox(mbox, keep) == 3
    assert kept == [b"Subject: %d\n\nx\n" % n for n in range(3)]
    assert mbox.read_bytes() == b""
    assert fetch_mbox(mbox, keep) == 0


def test_an_email_that_could_not_be_kept_stays_in_the_mbox(mbox: Path) -> None:
    kept, keep = keeper(most=1)
    with pytest.raises(Full):
        fetch_mbox(mbox, keep)
    rest, keep = keeper()
    fetch_mbox(mbox, keep)
    assert [len(kept), len(rest)] == [1, 2]


def test_a_spoilt_first_line_of_an_mbox_loses_no_email(mbox: Path) -> None:
    """Otherwise what stands above the second email would go with the first that is taken out."""
    mbox.write_bytes(b"\0rom" + mbox.read_bytes()[4:])
    kept, keep = keeper()
    fetch_mbox(mbox, keep)
    assert [raw.rpartition(b"Subject: ")[2] for raw in kept] == [
        b"0\n\nx",
        b"1\n\nx\n",
        b"2\n\nx\n",
    ]
    assert mbox.read_bytes() == b""


def test_an_mbox_without_a_first_line_is_told_and_left_alone(mbox: Path) -> None:
    mbox.write_bytes(b"Subject: 0\n\nx\n")
    skipped: dict[str, str] = {}
    assert fetch_mbox(mbox, keeper()[1], skipped.__setitem__) == 0
    assert skipped == {str(mbox): "no line begins with 'From '"}
    assert mbox.read_bytes() == b"Subject: 0\n\nx\n"


def test_an_email_of_an_mbox_that_cannot_be_read_stays_and_stops_none(
    mbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = mailbox.mbox.get_bytes

    def get_bytes(self: mailbox.mbox, key: str) -> bytes:
        if str(key) == "0":
            raise OSError(5, "Input/output error")
        return real(self, key)

    monkeypatch.setattr(mailbox.mbox, "get_bytes", get_bytes)
    skipped: dict[str, str] = {}
    assert fetch_mbox(mbox, keeper()[1], skipped.__setitem__) == 2
    assert skipped == {f"{mbox}, 1": "Input/output error"}
    assert mbox.read_bytes().count(b"Subject: 0") == 1


def test_an_mbox_that_is_being_written_is_left_for_later(mbox: Path) -> None:
    lock = mbox.with_name("adjud.lock")
    lock.touch()
    with pytest.raises(Temporary):
        fetch_mbox(mbox, keeper()[1])
    lock.unlink()
    assert fetch_mbox(mbox, keeper()[1]) == 3


def test_an_mbox_that_is_not_there_is_refused_as_a_mistyped_one(tmp_path: Path) -> None:
    """Otherwise every email would be missed, and every deadline with it."""
    path = tmp_path / "none"
    with pytest.raises(BadTransport, match="there is no mailbox"):
        fetch_mbox(path, keeper()[1])
    path.touch()
    assert fetch_mbox(path, keeper()[1]) == 0


needs_dovecot = pytest.mark.skipif(not DOVECOT.exists(), reason=MISSING)


@pytest.fixture(scope="module", params=["", "INBOX."])
def imap(request: pytest.FixtureRequest) -> Iterator[int]:
    """Start a real server, once with folders beside the inbox and once with folders below it."""
    if not DOVECOT.exists():
        pytest.fail(MISSING)
    with dovecot(request.param) as port:
        yield port


@pytest.fixture
def account(imap: int, request: pytest.FixtureRequest) -> str:
    """Return the URL of an inbox with three emails."""
    user = f"u{abs(hash(request.node.name))}"
    with IMAPClient("127.0.0.1", imap, ssl=False) as client:
        client.login(user, "hemmelig")
        for raw in (EMAILS[0], b"Subject: x\r\n\r\n\xff\r\n", EMAILS[2]):
            client.append("INBOX", raw)
    return f"imap://{user}@127.0.0.1:{imap}/INBOX"


def told(url: str, folder: str) -> list[bytes]:
    """Return the flags of what is in a folder, read by another program."""
    port = int(url.partition("/INBOX")[0].rpartition(":")[2])
    with IMAPClient("127.0.0.1", port, ssl=False) as client:
        client.login(url.partition("//")[2].partition("@")[0], "hemmelig")
        prefix = client.namespace().personal[0][0]
        client.select_folder(folder if folder == "INBOX" else prefix + folder, readonly=True)
        uids = client.search("ALL")
        return [b" ".join(client.get_flags([uid])[uid]) for uid in uids]


@needs_dovecot
def test_imap_gives_raw_emails_and_moves_them(account: str) -> None:
    kept, keep = keeper()
    assert fetch_imap(account, "hemmelig", keep) == 3
    assert kept[0] == EMAILS[0]
    assert b"\xff" in kept[1]
    assert told(account, "INBOX") == []
    assert len(told(account, "Processed")) == 3
    assert fetch_imap(account, "hemmelig", keep) == 0


@needs_dovecot
def test_an_email_that_could_not_be_kept_stays_unseen_in_the_inbox(account: str) -> None:
    with pytest.raises(Full):
        fetch_imap(account, "hemmelig", keeper(most=1)[1])
    left = told(account, "INBOX")
    assert len(left) == 2
    assert not any(b"Seen" in flags for flags in left)


@needs_dovecot
def test_an_email_that_the_server_cannot_read_stays_and_stops_none(
    account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = IMAPClient.fetch

    def fetch(self: IMAPClient, uids: list[int], what: list[str]) -> object:
        if uids == [1] and what == ["BODY.PEEK[]"]:
            raise IMAPClientError("fetch failed: [SERVERBUG] Internal error")
        return real(self, uids, what)

    monkeypatch.setattr(IMAPClient, "fetch", fetch)
    skipped: dict[str, str] = {}
    assert fetch_imap(account, "hemmelig", keeper()[1], skipped.__setitem__) == 2
    assert list(skipped) == ["UID 1"]
    assert len(told(account, "INBOX")) == 1


@needs_dovecot
def test_a_server_without_move_gets_copies_and_deletions(
    account: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = IMAPClient.has_capability
    monkeypatch.setattr(
        IMAPClient, "has_capability", lambda self, name: name != "MOVE" and real(self, name)
    )
    assert fetch_imap(account, "hemmelig", keeper()[1]) == 3
    assert told(account, "INBOX") == []
    assert len(told(account, "Processed")) == 3


@needs_dovecot
def test_watching_wakes_up_when_an_email_comes(account: str) -> None:
    looks = watch_imap(account, "hemmelig", keeper()[1], wait=30)
    assert next(looks) == 3
    late = threading.Timer(0.5, deliver, [account])
    late.start()
    started = time.monotonic()
    # A server may also wake us to say that it is still there.
    assert next(found for found in looks if found) == 1
    assert time.monotonic() - started < 20
    late.join()
    looks.close()


def deliver(url: str) -> None:
    port = int(url.partition("/INBOX")[0].rpartition(":")[2])
    with IMAPClient("127.0.0.1", port, ssl=False) as client:
        client.login(url.partition("//")[2].partition("@")[0], "hemmelig")
        client.append("INBOX", EMAILS[0])


@needs_dovecot
def test_a_wrong_password_is_trouble_that_passes(account: str) -> None:
    with pytest.raises(Temporary, match=r"^imap://127.0.0.1:\d+/INBOX: ") as trouble:
        fetch_imap(account, "wrong", keeper()[1])
    assert "wrong" not in str(trouble.value)


def test_no_imap_server_is_trouble_that_passes() -> None:
    with pytest.raises(Temporary, match="refused"):
        fetch_imap("imaps://anna@127.0.0.1:1", "hemmelig", keeper()[1])


@pytest.mark.parametrize("url", ["", "imap:", "pop3://x@y", "imaps://host:x"])
def test_what_names_no_imap_server(url: str) -> None:
    with pytest.raises(BadTransport, match="imaps://user@host"):
        fetch_imap(url, None, keeper()[1])


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "imapclient", None)
    monkeypatch.setitem(sys.modules, "aiosmtpd.controller", None)
    with pytest.raises(BadTransport, match=r"\.\[imap\]"):
        fetch_imap("imaps://anna@127.0.0.1:1", None, keeper()[1])
    with pytest.raises(BadTransport, match=r"\.\[lmtp\]"), serve_lmtp("", 0, lambda *_: None):
        pass


class Door:
    """A keeper of what comes in by LMTP, which refuses strangers and fails as it is told."""

    def __init__(self) -> None:
        self.port = free_port()
        self.letters: list[tuple[str, str, bytes]] = []
        self.failing: set[str] = set()
        self.troubles: list[Exception] = []

    def known(self, recipient: str) -> bool:
        if recipient == "lost@x":
            raise Full
        return not recipient.startswith("stranger")

    def accept(self, sender: str, recipient: str, raw: bytes) -> None:
        if recipient in self.failing:
            raise Full
        self.letters.append((sender, recipient, raw))


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door()
    with serve_lmtp(
        "127.0.0.1", door.port, door.accept, door.known, failed=door.troubles.append, size=200_000
    ):
        yield door


@pytest.fixture
def client(door: Door) -> Iterator[smtplib.LMTP]:
    with smtplib.LMTP("127.0.0.1", door.port, timeout=20) as client:
        yield client


def data(client: smtplib.LMTP, to: list[str], raw: bytes) -> list[int]:
    """Send one email to several; return an answer for each (the stdlib's client reads only
    one)."""
    client.ehlo_or_helo_if_needed()
    client.docmd("MAIL", "FROM:<>")
    for one in to:
        client.docmd("RCPT", f"TO:<{one}>")
    client.docmd("DATA")
    client.send(smtplib.CRLF.encode().join([raw.replace(b"\n.", b"\n.."), b".", b""]))
    return [client.getreply()[0] for _ in to]


def test_lmtp_takes_an_email_as_it_is(door: Door, client: smtplib.LMTP) -> None:
    raw = b"Subject: \xff\r\n\r\n.dot\r\n" + b"y" * 100_000
    assert data(client, ["adjud+x@y"], raw) == [250]
    assert door.letters == [("", "adjud+x@y", raw + b"\r\n")]


def test_lmtp_answers_for_each_recipient_by_itself(door: Door, client: smtplib.LMTP) -> None:
    door.failing = {"b@x"}
    assert data(client, ["a@x", "b@x", "c@x"], EMAILS[0]) == [250, 451, 250]
    assert [to for _, to, _ in door.letters] == ["a@x", "c@x"]
    assert [type(trouble) for trouble in door.troubles] == [Full]


def test_lmtp_refuses_a_stranger_before_his_email(door: Door, client: smtplib.LMTP) -> None:
    client.ehlo_or_helo_if_needed()
    client.docmd("MAIL", "FROM:<a@b>")
    assert client.docmd("RCPT", "TO:<stranger@x>")[0] == 550
    assert client.docmd("RCPT", "TO:<lost@x>")[0] == 451
    assert client.docmd("DATA")[0] == 503


@pytest.mark.parametrize("raw", [b"z" * 70 + b"\r\n" * 100_000, b"z" * 1_200_000])
def test_lmtp_refuses_what_is_too_large_for_each_recipient(
    door: Door, client: smtplib.LMTP, raw: bytes
) -> None:
    codes = data(client, ["a@x", "b@x"], raw)
    assert codes in ([552, 552], [500, 500])
    assert data(client, ["a@x"], EMAILS[0]) == [250]
    assert len(door.letters) == 1


def test_lmtp_can_be_stopped_and_started(door: Door) -> None:
    again = Door()
    again.port = free_port()
    for _ in range(2):
        with (
            serve_lmtp("127.0.0.1", again.port, again.accept),
            smtplib.LMTP("127.0.0.1", again.port, timeout=20) as client,
        ):
            client.sendmail("a@b", ["anybody@x"], EMAILS[0])
    assert len(again.letters) == 2
