"""What the ways in and out have in common: where a server is, and two kinds of trouble."""

import ssl
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from adjudicator.core.message import Message, say

TIMEOUT = 60  # seconds; a server that is silent for longer is down


class Temporary(Exception):
    """Not now: the letter waits and is tried again. The reason is for the operator."""


class Unreachable(Temporary):
    """Not now, and no other letter either: the server is gone or silent."""


class Permanent(Exception):
    """Never: this letter cannot be delivered to this address. The reason is for the operator."""


class BadWay(ValueError):
    """A setting that names no way; says what would."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message))
        self.message = message


class Server(Struct, frozen=True, kw_only=True):
    """A server as a URL names it, the password from the URL or from elsewhere."""

    scheme: str
    host: str
    port: int
    user: str
    password: str
    path: str

    def __repr__(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}{self.path}"


def read_server(url: str, password: str | None, ports: Mapping[str, int]) -> Server:
    """`ports` are the schemes that are understood, with the port that each has by default."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:  # a port that is no number, a bracket left open
        raise BadWay(_no_server(ports)) from None
    if parts.scheme not in ports or not parts.hostname:
        raise BadWay(_no_server(ports))
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
        "no server is named; write one as {forms}",
        forms=", ".join(f"{scheme}://user@host:{port}" for scheme, port in ports.items()),
    )


def on_loopback(server: Server) -> bool:
    """Whether nobody can listen on the way, nor certificates be expected."""
    try:
        return ip_address(server.host).is_loopback
    except ValueError:
        return server.host == "localhost"


def tls() -> ssl.SSLContext:
    """Certificates are verified, by the system's authorities or by SSL_CERT_FILE's."""
    return ssl.create_default_context()


def needs_extra(extra: str) -> BadWay:
    return BadWay(
        say("this needs the extra: pip install '.[{extra}]' in adjud's checkout", extra=extra)
    )
