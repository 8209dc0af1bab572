"""What our own mail server found out about the sender (RFC 8601), read by hand: the library for
it raises on Microsoft 365's header, which names no server."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.mail.headers import MOST_VALUE, Headers

_MOST = 20
_COMMENT = re.compile(r"\([^()]*\)")
_RESULT = re.compile(r"\s*([a-z][a-z0-9-]*)(?:\s*/\s*\d+)?\s*=\s*([a-z]+)", re.IGNORECASE)
_PROPERTY = re.compile(
    r"\b([a-z]+)\s*\.\s*([a-z0-9_-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s;\"]+))", re.IGNORECASE
)


class _Result(Struct, frozen=True):
    method: str
    result: str
    properties: tuple[tuple[str, str], ...]

    def domain(self, name: str) -> str | None:
        """The domain in a property, lower case: of an address what is behind its last @."""
        for key, value in self.properties:
            if key == name:
                return value.rpartition("@")[2].strip("<>").rstrip(".").lower() or None
        return None


def authentication(headers: Headers) -> tuple[str, ...]:
    """The values, topmost first. Where a server writes some above the topmost Received, those
    below it came with the letter and are left out."""
    names = [name for name, _ in headers.fields]
    top = names.index("received") if "received" in names else 0
    above = Headers(headers.fields[:top], False).all("authentication-results")
    values = above or headers.all("authentication-results")
    return tuple(value[:MOST_VALUE] for value in values[:_MOST])


def is_aligned(values: Sequence[str], sender: str, authserv_id: str) -> bool:
    """Whether the topmost value of that server vouches for the sender's domain. Relaxed alignment
    (RFC 7489, 3.1) only upwards: without a list of public suffixes a sibling may be anybody's."""
    domain = sender.rpartition("@")[2].rstrip(".").lower()
    wanted = authserv_id.strip().lower()
    for value in values:
        named, results = _parsed(value)
        if wanted and named == wanted:
            return any(_vouches(result, domain) for result in results)
    return False


def _vouches(result: _Result, domain: str) -> bool:
    if result.result != "pass":
        return False
    if result.method == "dmarc":
        return result.domain("header.from") in (domain, None)
    if result.method == "dkim":
        signer = result.domain("header.d") or result.domain("header.i")
        return _covers(signer, domain)
    if result.method == "spf":
        return _covers(result.domain("smtp.mailfrom"), domain)
    return False


def _covers(found: str | None, domain: str) -> bool:
    return found is not None and (
        found == domain or ("." in found and domain.endswith(f".{found}"))
    )


def _parsed(value: str) -> tuple[str | None, list[_Result]]:
    """The server's name, None where there is none, and the results that could be read."""
    first, *rest = _split(_uncommented(value[:MOST_VALUE]))
    name = first.split()[0].strip('"').lower() if first.split() else None
    if "=" in first:
        return None, []
    return name, [result for text in rest if (result := _result(text))]


def _uncommented(value: str) -> str:
    for _ in range(5):  # comments may be nested
        shorter = _COMMENT.sub(" ", value)
        if shorter == value:
            break
        value = shorter
    return value


def _split(value: str) -> Iterator[str]:
    """At semicolons outside quotes."""
    return (match[0] for match in re.finditer(r'(?:"[^"]*"|[^;"]|")+|^(?=;)|^$', value))


def _result(text: str) -> _Result | None:
    found = _RESULT.match(text)
    if found is None:
        return None
    properties = tuple(
        (f"{kind}.{name}".lower(), quoted or plain)
        for kind, name, quoted, plain in _PROPERTY.findall(text, found.end())
    )
    return _Result(found[1].lower(), found[2].lower(), properties)
