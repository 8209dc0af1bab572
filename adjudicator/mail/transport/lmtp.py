"""An inbound transport for our own mail server: LMTP (RFC 2033), on the loopback only.

It answers for each recipient by itself. Before an email is sent it can refuse a recipient that is
nobody's; then the stranger's own server tells him, and we need not.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from adjudicator.mail.transport.errors import needs_extra

if TYPE_CHECKING:
    from aiosmtpd.smtp import SMTP as Server
    from aiosmtpd.smtp import Envelope, Session

Accept: TypeAlias = Callable[[str, str, bytes], None]  # sender ("" if none), recipient, email
Known: TypeAlias = Callable[[str], bool]
Failed: TypeAlias = Callable[[Exception], object]

SIZE = 32 * 1024 * 1024
LINE = 1024 * 1024  # longer than RFC 5321 allows, for servers hand on what they were given

_KEPT = "250 2.0.0 kept"
_UNKNOWN = "550 5.1.1 there is no such address"
_LATER = "451 4.3.0 not now, try again"


@contextmanager
def serve_lmtp(
    host: str,
    port: int,
    accept: Accept,
    known: Known = lambda recipient: True,
    *,
    failed: Failed = lambda trouble: None,
    size: int = SIZE,
) -> Iterator[None]:
    """Serve while the block runs, in a thread of its own, one email at a time.

    `accept` is called once for each recipient and has the email when it returns. Whatever it or
    `known` raises goes to `failed`, and the mail server tries again (RFC 3463, 4.3.0).
    """
    try:
        from aiosmtpd.controller import Controller
        from aiosmtpd.lmtp import LMTP
    except ImportError:
        raise needs_extra("lmtp") from None

    class Lmtp(LMTP):
        line_length_limit = LINE

        async def push(self, status: Any) -> None:
            # aiosmtpd refuses data once, but LMTP wants one answer for each recipient (RFC 2033,
            # section 4.2). Otherwise the client takes the next answer for a part of this one.
            if self.envelope and str(status).startswith(("552 Error: Too much", "500 Line too")):
                status = "\r\n".join([str(status)] * max(1, len(self.envelope.rcpt_tos)))
            await super().push(status)

    class Controlled(Controller):
        def factory(self) -> LMTP:
            return Lmtp(handler, data_size_limit=size, enable_SMTPUTF8=True, ident="adjud")

    handler = _Handler(accept, known, failed)
    controller = Controlled(handler, hostname=host, port=port)
    controller.start()
    try:
        yield
    finally:
        controller.stop()


class _Handler:
    """The handler whose methods aiosmtpd calls by their names."""

    def __init__(self, accept: Accept, known: Known, failed: Failed) -> None:
        self._accept, self._known, self._failed = accept, known, failed

    async def handle_RCPT(
        self,
        server: "Server",
        session: "Session",
        envelope: "Envelope",
        address: str,
        options: list[str],
    ) -> str:
        try:
            if not self._known(address):
                return _UNKNOWN
        except Exception as trouble:
            self._failed(trouble)
            return _LATER
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 go on"

    async def handle_DATA(self, server: "Server", session: "Session", envelope: "Envelope") -> str:
        return "\r\n".join(self._answer(envelope, to) for to in envelope.rcpt_tos)

    def _answer(self, envelope: "Envelope", to: str) -> str:
        sender = "" if envelope.mail_from in (None, "<>") else str(envelope.mail_from)
        try:
            self._accept(sender, to, envelope.original_content or b"")
        except Exception as trouble:
            self._failed(trouble)
            return _LATER
        return _KEPT
