"""Outbound transports: an SMTP server, the `sendmail` command, or a folder to look into.

smtp://user@host:587            TLS by STARTTLS (RFC 3207), but for a server on the loopback
smtps://user@host               TLS from the first octet (RFC 8314)
sendmail, sendmail:/path        the command of the machine's own mail server
folder:/path                    each email as a file
"""

import os
import smtplib
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from hashlib import sha256
from pathlib import Path
from shutil import which
from tempfile import NamedTemporaryFile
from types import TracebackType
from typing import Protocol, Self

from msgspec import Struct

from adjudicator.core.message import say
from adjudicator.mail.transport.errors import (
    TIMEOUT,
    BadTransport,
    Permanent,
    Server,
    Temporary,
    Unreachable,
    on_loopback,
    read_server,
    tls,
)
from adjudicator.places import naming

SENDMAIL = "/usr/sbin/sendmail"
_PORTS = {"smtp": 587, "smtps": 465}
_ANSWERS = (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused)
_TOO_LARGE = 552  # RFC 1870, section 6.1: said to MAIL FROM, but about the email

# The command's exit codes that are about this email (sysexits.h). Any other code, even for a
# wrong configuration, is the machine's trouble and will pass.
_REFUSED: Mapping[int, str] = {
    65: "the email is malformed",
    67: "there is no such user",
    68: "there is no such host",
}


class Transport(Protocol):
    """An outbound transport, to be opened with `with`. It may be given many emails."""

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        """Deliver an email, and return when somebody else has it.

        Raises Temporary if it can go later, Unreachable if no email can go now, Permanent if this
        one never can.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def open_transport(out: str, password: str | None = None) -> Transport:
    """Return the way that a setting names; nothing is connected or written before the first
    email."""
    scheme, _, rest = out.partition(":")
    if scheme == "folder" and rest:
        return Folder(Path(rest).expanduser())
    if scheme == "sendmail":
        return Sendmail(rest or SENDMAIL)
    if scheme in _PORTS:
        return Smtp(read_server(out, password, _PORTS))
    raise BadTransport(
        say(
            "no outgoing mail is set up; write smtp://user@host:587, smtps://user@host, sendmail "
            "or folder:/path"
        )
    )


def is_server(out: str) -> bool:
    """Return whether the way leads to a server, which can be asked."""
    return out.partition(":")[0] in _PORTS


def look_for(out: str) -> None:
    """Raise BadWay if nothing could ever go out; nothing is connected."""
    open_transport(out)
    scheme, _, rest = out.partition(":")
    command = rest or SENDMAIL
    if scheme == "sendmail" and which(command) is None:
        raise BadTransport(say("there is no command {command}", command=command))
    if scheme == "folder":
        nearest = next(path for path in (Path(rest), *Path(rest).absolute().parents) if _is(path))
        if not (nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)):
            raise BadTransport(say("cannot write into {path}", path=rest))


def _is(path: Path) -> bool:
    return os.path.lexists(path)


class ServerAnswer(Struct, frozen=True):
    """A server's answer about a recipient."""

    code: int
    said: str

    def __str__(self) -> str:
        return f"{self.code} {self.said}"


def ask(
    out: str, password: str | None, sender: str, recipients: Sequence[str], timeout: float
) -> Sequence[ServerAnswer]:
    """Ask the server of a way for each recipient whether it would take an email to him.

    We connect and log in, but send no email. Raises Temporary if the server cannot be asked.
    """
    server = read_server(out, password, _PORTS)
    connection = _connect(server, timeout)
    try:
        connection.ehlo_or_helo_if_needed()
        code, said = connection.mail(sender)
        if code >= 400:
            raise Temporary(f"{server}: {sender}: {code} {_server_words(said)}")
        answers = [
            ServerAnswer(code, _server_words(said))
            for code, said in map(connection.rcpt, recipients)
        ]
        connection.quit()
    except (smtplib.SMTPException, OSError) as trouble:
        raise Temporary(f"{server}: {_reason(trouble)}") from trouble
    finally:
        connection.close()
    return answers


class _Plain:
    """A way that keeps nothing open between emails."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


class Folder(_Plain):
    """A way that writes each email as a file, for trying things out. The same email is the same
    file."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        try:
            self._path.mkdir(mode=0o700, parents=True, exist_ok=True)
            _write(self._path / f"{sha256(raw).hexdigest()[:32]}.eml", raw)
        except OSError as trouble:
            raise Temporary(str(trouble)) from trouble


def _write(path: Path, raw: bytes) -> None:
    """Write a file as a whole or not at all, for the owner's eyes only."""
    with ExitStack() as undo:
        file = undo.enter_context(NamedTemporaryFile(dir=path.parent, prefix=".", delete=False))
        undo.callback(lambda: Path(file.name).unlink(missing_ok=True))
        with naming(path):
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
        Path(file.name).replace(path)


class Sendmail(_Plain):
    """The command that Postfix, Exim, OpenSMTPD and msmtp all provide."""

    def __init__(self, command: str) -> None:
        self._command = command

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        _check(envelope_from, to)
        # -i: a dot on a line ends nothing. "--": an address that begins with "-" is no option.
        arguments = [self._command, "-i", "-f", envelope_from or "<>", "--", to]
        code, said = _run(arguments, raw.replace(b"\r\n", b"\n"))
        if code in _REFUSED:
            raise Permanent(f"{self._command}: {_REFUSED[code]}: {said}")
        if code:
            raise Temporary(f"{self._command} ended with {code}: {said}")


def _run(arguments: Sequence[str], stdin: bytes) -> tuple[int, str]:
    """Run a command; return its exit code and its complaints."""
    try:
        done = subprocess.run(  # noqa: S603  # no shell; the operator names the command
            arguments, input=stdin, capture_output=True, timeout=2 * TIMEOUT, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise Unreachable(str(trouble)) from trouble
    return done.returncode, _server_words(done.stderr)


class Smtp:
    """A server that takes emails (RFC 5321; RFC 6409 on port 587), over one connection.

    A connection that broke is opened again for the next email, never for the same one: the server
    may have taken it already, and the caller waits before he tries it again.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._connection: smtplib.SMTP | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        trouble: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._connection is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._connection.quit()
        self._drop()

    def deliver(self, envelope_from: str, to: str, raw: bytes) -> None:
        _check(envelope_from, to)
        try:
            self._alive().sendmail(envelope_from, [to], raw)
        except (smtplib.SMTPException, OSError) as trouble:
            if not isinstance(trouble, _ANSWERS):
                self._drop()
            if _is_silence(trouble):
                raise Unreachable(f"{self._server}: {_reason(trouble)}") from trouble
            raise _judge_trouble(trouble) from trouble

    def _alive(self) -> smtplib.SMTP:
        """Return the connection, a new one if the server has hung up since the last email."""
        if self._connection is not None and not _answers(self._connection):
            self._drop()
        if self._connection is None:
            self._connection = _connect(self._server, TIMEOUT)
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _answers(connection: smtplib.SMTP) -> bool:
    try:
        return connection.noop()[0] == 250
    except (smtplib.SMTPException, OSError):
        return False


def _connect(server: Server, timeout: float) -> smtplib.SMTP:
    """Connect, encrypt and log in.

    Whatever the server says against that is temporary: it is about us, and the emails shall wait
    until the operator has put it right.
    """
    with ExitStack() as undo:
        try:
            connection = _open_connection(server, timeout)
            undo.callback(connection.close)
            if server.user:
                connection.login(server.user, server.password)
        except (smtplib.SMTPException, OSError, ValueError) as trouble:
            raise Unreachable(f"{server}: {_reason(trouble)}") from trouble
        undo.pop_all()
    return connection


def _open_connection(server: Server, timeout: float) -> smtplib.SMTP:
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(server.host, server.port, timeout=timeout, context=tls())
    connection = smtplib.SMTP(server.host, server.port, timeout=timeout)
    # TLS is never optional: somebody who removes the server's offer of it could then read along.
    if not on_loopback(server):
        try:
            connection.starttls(context=tls())
        except BaseException:
            connection.close()
            raise
    return connection


def _check(*addresses: str) -> None:
    """Refuse an address with signs that would end the command in which it stands."""
    for address in addresses:
        if not (address.isascii() and address.isprintable() and " " not in address):
            raise Permanent(f"{address!r} cannot stand in an envelope")


def _is_silence(trouble: Exception) -> bool:
    """Return whether the server said nothing for too long; smtplib reports that as a lost
    connection."""
    return any(isinstance(one, TimeoutError) for one in (trouble, trouble.__context__))


def _judge_trouble(trouble: Exception) -> Temporary | Permanent:
    """Return whether it is worth trying again, and what the server said."""
    match trouble:
        case smtplib.SMTPRecipientsRefused(recipients=refused):
            code, said = next(iter(refused.values()))
        case smtplib.SMTPDataError(smtp_code=code, smtp_error=said):
            pass
        case smtplib.SMTPSenderRefused(smtp_code=code, smtp_error=said) if code == _TOO_LARGE:
            pass
        case _:
            return Temporary(_reason(trouble))
    reason = f"{code} {_server_words(said)}"
    return Permanent(reason) if code >= 500 else Temporary(reason)


def _reason(trouble: Exception) -> str:
    if isinstance(trouble, smtplib.SMTPResponseException):
        return f"{trouble.smtp_code} {_server_words(trouble.smtp_error)}"
    return str(trouble) or type(trouble).__name__


def _server_words(answer: bytes | str) -> str:
    """Return what a server or a command said, on one short line."""
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:500]
