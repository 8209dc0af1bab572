"""Hold what the transports share: the address of a server, and the kinds of trouble."""

import ssl
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from adjudicator.core.message import Message, say
from adjudicator.core.text import is_loopback

TIMEOUT = 60  # seconds; a server that is silent for longer is down


class Temporary(Exception):
    """An email cannot go now: it waits and is tried again. The reason is for the operator."""


class Unreachable(Temporary):
    """No email can go now: the server is gone or silent."""


class Permanent(Exception):
    """This email can never be delivered to this address. The reason is for the operator."""


class BadTransport(ValueError):
    """A setting names no way. The message says what would."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Server(Struct, frozen=True, kw_only=True):
    """A server as a URL names it; the password is from the URL or from elsewhere."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    path: str

    def __repr__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.path}"


def read_server(url: str, password: str | None, ports: Mapping[str, int]) -> Server:
    """Read a server's URL. `ports` gives the schemes that are understood, with their default
    ports."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # a port that is no number, a bracket left open
        raise BadTransport(_no_server(ports)) from None
    if parts.scheme not in ports or not parts.hostname:
        raise BadTransport(_no_server(ports))
    return Server(
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or ports[parts.scheme],
        user=unquote(parts.username or ""),
        password=password or unquote(parts.password or ""),
        path=unquote(parts.path),
    )


def _no_server(ports: Mapping[str, int]) -> Message:
    # The URL itself is not shown: it may hold a password.
    return say(
        "no server is named; write it like {forms}",
        forms=", ".join(f"{scheme}://user@host:{port}" for scheme, port in ports.items()),
    )


def on_loopback(server: Server) -> bool:
    """Return whether the server is this machine: nobody can listen in, and no certificate is
    expected."""
    return is_loopback(server.host)


def tls() -> ssl.SSLContext:
    """Return the settings for TLS. Certificates are verified by the system's authorities or
    SSL_CERT_FILE's."""
    return ssl.create_default_context()


def needs_extra(extra: str) -> BadTransport:
    return BadTransport(
        say("this needs an extra: pip install '.[{extra}]' in adjud's checkout", extra=extra)
    )
