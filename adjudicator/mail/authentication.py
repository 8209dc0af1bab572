"""What our own mail server found out about the sender (RFC 8601), read by hand: the library for
it raises on Microsoft 365's header, which names no server."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from adjudicator.mail.headers import MOST_VALUE, Headers

NAMELESS = "none"  # as a setting: our server writes no name of its own, like Microsoft 365

_MOST = 20
_BY = re.compile(r"\bby\s+([A-Za-z0-9.-]{1,255})", re.IGNORECASE)
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


class Authentication(Struct, frozen=True):
    """One Authentication-Results, and the servers whose Received stand above it: the names that
    follow their `by`, empty where there is none."""

    value: str
    above: tuple[str, ...] = ()


def authentication(headers: Headers) -> tuple[Authentication, ...]:
    """Topmost first. Where a server writes some above the topmost Received, those below it came
    with the letter and are left out."""
    found: list[Authentication] = []
    hosts: list[str] = []
    for name, value in headers.fields:
        if name == "received":
            if found and not hosts:
                break
            by = _BY.search(_uncommented(value[:MOST_VALUE]))
            hosts.append(by[1].rstrip(".").lower() if by else "")
        elif name == "authentication-results" and len(hosts) <= _MOST:
            found.append(Authentication(value[:MOST_VALUE], tuple(hosts)))
    return tuple(found[:_MOST])


def is_aligned(
    found: Sequence[Authentication], sender: str, authserv_id: str, hosts: str = ""
) -> bool:
    """Whether the topmost value of that server vouches for the sender's domain. Relaxed alignment
    (RFC 7489, 3.1) only upwards: without a list of public suffixes a sibling may be anybody's.

    A server that does not name itself (`authserv_id` is `none`) is believed in the topmost value
    of all, and only where nothing but its own Received, by `hosts` or names below it, stand above.
    """
    domain = sender.rpartition("@")[2].rstrip(".").lower()
    wanted = authserv_id.strip().lower()
    if wanted == NAMELESS:
        return any(_vouches(result, domain) for result in _nameless(found[:1], hosts))
    for one in found:
        named, results = _parsed(one.value)
        if wanted and named == wanted:
            return any(_vouches(result, domain) for result in results)
    return False


def _nameless(topmost: Sequence[Authentication], hosts: str) -> Iterator[_Result]:
    own = hosts.strip().rstrip(".").lower()
    for one in topmost:
        parts = list(_split(_uncommented(one.value)))
        if "=" in parts[0] and all(own and _covers(own, host) for host in one.above):
            yield from (result for text in parts if (result := _result(text)))


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
