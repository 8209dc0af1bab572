"""Ways out, against a real SMTP server that misbehaves as it is told."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from adjudicator.mail.transport import send
from adjudicator.mail.transport.errors import BadTransport, Permanent, Temporary, read_server
from adjudicator.mail.transport.send import Transport, open_transport
from tests.mail.servers import Receiver, certificate, server_tls, smtp_server

RAW = b"To: anna@example.org\r\nSubject: x\r\n\r\n.\r\n..two\r\nlast\r\n"
SENDER, TO = "adjud+bounce.inbndlddgdnr5guz@play.example.org", "anna@example.org"


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    with smtp_server(receiver):
        yield receiver


@pytest.fixture
def way(receiver: Receiver) -> Iterator[Transport]:
    with open_transport(f"smtp://127.0.0.1:{receiver.port}") as way:
        yield way


def test_an_email_arrives_as_it_was(way: Transport, receiver: Receiver) -> None:
    way.deliver(SENDER, TO, RAW)
    assert receiver.letters == [(SENDER, [TO], RAW)]


def test_a_receipt_has_an_empty_envelope_sender(way: Transport, receiver: Receiver) -> None:
    way.deliver("", TO, RAW)
    assert receiver.letters == [("", [TO], RAW)]


def test_many_emails_go_over_one_connection(way: Transport, receiver: Receiver) -> None:
    for _ in range(20):
        way.deliver(SENDER, TO, RAW)
    assert len(receiver.letters) == 20
    assert receiver.connections == 1


@pytest.mark.parametrize(("answer", "kind"), [
    ("450 4.2.1 the mailbox is busy", Temporary), ("550 5.1.1 no such user", Permanent),
    ("552 5.2.2 the mailbox is full", Permanent), ("421 4.3.2 going down", Temporary),
])  # fmt: skip
def test_a_refused_recipient(
    way: Transport, receiver: Receiver, answer: str, kind: type[Exception]
) -> None:
    receiver.refuses["gone@example.org"] = answer
    with pytest.raises(kind, match=f"^{answer}$"):
        way.deliver(SENDER, "gone@example.org", RAW)
    way.deliver(SENDER, TO, RAW)
    assert [to for _, to, _ in receiver.letters] == [[TO]]


@pytest.mark.parametrize(("answer", "kind"), [
    ("451 4.3.0 later", Temporary), ("554 5.6.0 refused", Permanent), ("drop", Temporary),
])  # fmt: skip
def test_refused_data(
    way: Transport, receiver: Receiver, answer: str, kind: type[Exception]
) -> None:
    receiver.answers = [answer]
    with pytest.raises(kind):
        way.deliver(SENDER, TO, RAW)
    way.deliver(SENDER, TO, RAW)
    assert len(receiver.letters) == 1


def test_a_sender_that_is_refused_is_our_trouble_and_not_the_emails(
    way: Transport, receiver: Receiver
) -> None:
    receiver.mail = "553 5.7.1 you may not send as that"
    with pytest.raises(Temporary, match="553 5"):
        way.deliver(SENDER, TO, RAW)


def test_an_email_that_is_too_large_is_refused_for_good() -> None:
    receiver = Receiver()
    url = f"smtp://127.0.0.1:{receiver.port}"
    with smtp_server(receiver, data_size_limit=1000), open_transport(url) as way:
        with pytest.raises(Permanent, match=r"^552 "):
            way.deliver(SENDER, TO, RAW + b"\r\n" * 1000)
        way.deliver(SENDER, TO, RAW)
    assert len(receiver.letters) == 1


@pytest.mark.parametrize("to", ["å@example.org", "a@example.org\r\nRCPT TO:<eve@evil.example>"])
def test_an_address_that_cannot_stand_in_a_command(
    way: Transport, receiver: Receiver, to: str
) -> None:
    with pytest.raises(Permanent):
        way.deliver(SENDER, to, RAW)
    way.deliver(SENDER, TO, RAW)
    assert receiver.letters == [(SENDER, [TO], RAW)]


def test_a_server_that_is_started_again_is_found_again() -> None:
    receiver = Receiver()
    with open_transport(f"smtp://127.0.0.1:{receiver.port}") as way:
        with smtp_server(receiver):
            way.deliver(SENDER, TO, RAW)
        with pytest.raises(Temporary):
            way.deliver(SENDER, TO, RAW)
        with smtp_server(receiver):
            way.deliver(SENDER, TO, RAW)
    assert len(receiver.letters) == 2


def test_no_server_is_temporary_and_the_password_is_not_told() -> None:
    with (
        open_transport("smtp://anna:hemmelig@127.0.0.1:1") as way,
        pytest.raises(Temporary, match=r"smtp://127.0.0.1:1: .*refused") as told,
    ):
        way.deliver(SENDER, TO, RAW)
    assert "hemmelig" not in str(told.value)


def test_a_way_that_is_not_used_connects_nowhere() -> None:
    with open_transport("smtp://127.0.0.1:1"):
        pass


@pytest.mark.real
@pytest.mark.filterwarnings("ignore:Requiring AUTH while not requiring TLS")
@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_login_over_tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    monkeypatch.setattr(send, "on_loopback", lambda server: False)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    receiver, context = Receiver(), server_tls(certificate(tmp_path))
    options = {"tls_context": context} if scheme == "smtp" else {"ssl_context": context}
    login = {"authenticator": receiver.login, "auth_required": True}
    if scheme == "smtps":
        login["auth_require_tls"] = False  # aiosmtpd counts STARTTLS only
    with smtp_server(receiver, **options, **login):
        with open_transport(f"{scheme}://anna%40x@127.0.0.1:{receiver.port}", "hemmelig") as way:
            way.deliver(SENDER, TO, RAW)
        with (
            open_transport(f"{scheme}://anna:wrong@127.0.0.1:{receiver.port}") as way,
            pytest.raises(Temporary, match="535"),
        ):
            way.deliver(SENDER, TO, RAW)
    assert set(receiver.logins) == {(b"anna@x", b"hemmelig"), (b"anna", b"wrong")}
    assert receiver.letters == [(SENDER, [TO], RAW)]


@pytest.mark.real
def test_a_certificate_that_nobody_vouches_for_gets_no_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send, "on_loopback", lambda server: False)
    receiver, context = Receiver(), server_tls(certificate(tmp_path))
    with (
        smtp_server(receiver, tls_context=context, authenticator=receiver.login),
        open_transport(f"smtp://anna:hemmelig@127.0.0.1:{receiver.port}") as way,
        pytest.raises(Temporary, match="CERTIFICATE_VERIFY_FAILED"),
    ):
        way.deliver(SENDER, TO, RAW)
    assert receiver.logins == []


def test_a_server_without_tls_gets_neither_password_nor_email(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(send, "on_loopback", lambda server: False)
    with (
        open_transport(f"smtp://anna:hemmelig@127.0.0.1:{receiver.port}") as way,
        pytest.raises(Temporary, match="STARTTLS"),
    ):
        way.deliver(SENDER, TO, RAW)
    assert receiver.letters == []


def script(folder: Path, body: str) -> str:
    """Put a command in the place of sendmail."""
    path = folder / "sendmail"
    path.write_text(f"#!{sys.executable}\nimport sys\nfrom pathlib import Path\n{body}\n")
    path.chmod(0o755)
    return f"sendmail:{path}"


@pytest.mark.parametrize(("sender", "given"), [(SENDER, SENDER), ("", "<>")])
def test_the_sendmail_command_gets_sender_recipient_and_plain_lines(
    tmp_path: Path, sender: str, given: str
) -> None:
    body = "Path(__file__).with_name('got').write_bytes(repr(sys.argv[1:]).encode() + b'|' +"
    with open_transport(script(tmp_path, body + " sys.stdin.buffer.read())")) as way:
        way.deliver(sender, "-oops@example.org", RAW)
    arguments, _, email = (tmp_path / "got").read_bytes().partition(b"|")
    assert arguments.decode() == repr(["-i", "-f", given, "--", "-oops@example.org"])
    assert email == RAW.replace(b"\r\n", b"\n")


@pytest.mark.parametrize(("code", "kind"), [
    (75, Temporary), (69, Temporary), (77, Temporary), (1, Temporary), (67, Permanent),
    (65, Permanent),
])  # fmt: skip
def test_the_sendmail_command_refuses(tmp_path: Path, code: int, kind: type[Exception]) -> None:
    body = f"sys.stdin.read(); print('no\\n such\\x1b user', file=sys.stderr); sys.exit({code})"
    with (
        open_transport(script(tmp_path, body)) as way,
        pytest.raises(kind, match=r"no such user$"),
    ):
        way.deliver(SENDER, TO, RAW)


def test_a_sendmail_command_that_is_missing_is_temporary(tmp_path: Path) -> None:
    with open_transport(f"sendmail:{tmp_path}/none") as way, pytest.raises(Temporary):
        way.deliver(SENDER, TO, RAW)


def test_a_folder_holds_each_email_once_and_for_its_owner_only(tmp_path: Path) -> None:
    with open_transport(f"folder:{tmp_path}/a/out") as way:
        for raw in (RAW, RAW, RAW + b"x"):
            way.deliver(SENDER, TO, raw)
    files = sorted((tmp_path / "a/out").iterdir())
    assert sorted(path.read_bytes() for path in files) == [RAW, RAW + b"x"]
    assert {path.suffix for path in files} == {".eml"}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}


def test_a_folder_that_cannot_be_written_is_temporary_and_leaves_no_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError("no space left")

    with open_transport(f"folder:{tmp_path}/out") as way:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(Temporary, match="no space left"):
            way.deliver(SENDER, TO, RAW)
    assert list((tmp_path / "out").iterdir()) == []


@pytest.mark.parametrize("out", [
    "", "none", "folder", "folder:", "smtp:", "smtp://", "smtp://:25", "smtp://host:x",
    "smtp://[::1", "http://host", "/usr/sbin/sendmail", "smtp://host:99999",
])  # fmt: skip
def test_what_names_no_way_is_refused_before_anything_is_sent(out: str) -> None:
    with pytest.raises(BadTransport, match="write "):
        open_transport(out)


def test_a_server_shows_no_password() -> None:
    server = read_server("smtp://a%40b:p%3Aq@mail.example", None, {"smtp": 587})
    assert (server.user, server.password, server.port) == ("a@b", "p:q", 587)
    assert "p:q" not in repr(server)
    assert read_server("smtp://a:old@mail.example", "new", {"smtp": 587}).password == "new"
