"""What our own mail server found out about the sender (RFC 8601), read by hand: the library for
it raises on Microsoft 365's header, which names no server.

A stranger chooses what stands in quoted strings, comments and local parts: nothing is looked for
in there, and nothing at all is believed of a value that is cut or torn.
"""

import re
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from msgspec import Struct

from adjudicator.core.mailbox import folded_domain
from adjudicator.mail.read.headers import MOST_VALUE, Headers

NAMELESS = "none"  # as a setting: our server writes no name of its own, like Microsoft 365

_MOST = 20
_BY = re.compile(r"\bby\s+([0-9a-f]*:[0-9a-f:.]+|[a-z0-9.-]{1,255})", re.IGNORECASE)
_QUOTED = r'"(?:[^"\\]|(?s:\\.))*"'
_VALUE = rf'(?:{_QUOTED}|[^\s;"])+'
_OUTSIDE = re.compile(rf'{_QUOTED}|[^"(]+|.', re.DOTALL)
_IN_COMMENT = re.compile(r"(?:[^()\\]|\\.)+|.", re.DOTALL)
_PART = re.compile(rf'((?:{_QUOTED}|[^;"])*)(?:;|\Z)')
_RESULT = re.compile(r"\s*([a-z][a-z0-9_-]*)(?:\s*/\s*\d+)?\s*=\s*([a-z]+)(?=\s|$)", re.IGNORECASE)
_PROPERTY = re.compile(
    rf"(?:([a-z][a-z0-9_-]*(?:\s*\.\s*[a-z0-9_-]+)?)\s*=\s*)?({_VALUE})", re.IGNORECASE
)
_SERVER = re.compile(rf"\s*({_VALUE})")


class _Result(Struct, frozen=True):
    method: str
    result: str
    properties: tuple[tuple[str, str], ...]

    def domain(self, name: str) -> str | None:
        """The domain in a property: of an address what is behind its last @ outside quotes. None
        where there is no such property, empty where it is not understood."""
        value = next((value for key, value in self.properties if key == name), None)
        if value is None:
            return None
        if re.fullmatch(_QUOTED, value):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        found = re.sub(_QUOTED, "", value).rpartition("@")[2].strip("<>")
        return "" if re.search(r'[\s"]', found) else folded_domain(found)


class Authentication(Struct, frozen=True):
    """The topmost Authentication-Results of a letter, and the servers whose Received stand above
    it: the names that follow their `by`, empty where there is none."""

    value: str
    above: tuple[str, ...] = ()


def authentication(headers: Headers) -> Authentication | None:
    """Only the topmost one counts: below it anything may stand that came with the letter."""
    hosts: list[str] = []
    for name, value in headers.fields:
        if name == "received":
            by = _BY.search(_uncommented(value[:MOST_VALUE]) or "")
            hosts.append(by[1] if by else "")
        elif name == "authentication-results":
            return Authentication(value[: MOST_VALUE + 1], tuple(hosts))
        if len(hosts) > _MOST:
            break
    return None


def is_aligned(
    found: Authentication | None, sender: str, authserv_id: str, hosts: str = ""
) -> bool:
    """Whether our server vouches for the sender's domain. Relaxed alignment (RFC 7489, 3.1) only
    upwards: without a list of public suffixes a sibling may be anybody's.

    The value must be of that name, and stand above the first Received of a server that is not
    ours. Ours are those that are named so or below it, and those of `hosts`: domains, and
    networks where a server writes its number. A server that does not name itself (`authserv_id`
    is `none`) is believed by `hosts` alone.
    """
    wanted = authserv_id.strip().lower()
    if found is None or not wanted:
        return False
    own = own_hosts(hosts) if wanted == NAMELESS else (wanted, *own_hosts(hosts))
    if not all(_is_one_of(own, host) for host in found.above):
        return False
    parts = _parts(found.value)
    if not parts or not _is_from(wanted, parts[0]):
        return False
    results = parts if wanted == NAMELESS else parts[1:]
    return _is_passed(results, folded_domain(sender.rpartition("@")[2]))


def own_hosts(setting: str) -> tuple[str, ...]:
    """The domains and networks of a setting, which blanks or commas divide."""
    return tuple(setting.replace(",", " ").lower().split())


def _is_one_of(own: Sequence[str], host: str) -> bool:
    try:
        number = ip_address(host)
    except ValueError:
        return any(_covers(folded_domain(one), folded_domain(host)) for one in own)
    return any(number in network for one in own if (network := network_of(one)))


def network_of(text: str) -> IPv4Network | IPv6Network | None:
    """What a network is written as, such as 2002:a00::/24; None for a name."""
    try:
        return ip_network(text)
    except ValueError:
        return None


def _is_from(wanted: str, first: str) -> bool:
    """Whether the first part of a value names that server, or none where it has no name."""
    return "=" in first if wanted == NAMELESS else _named(first) == wanted


def _is_passed(parts: Sequence[str], domain: str) -> bool:
    """A failed DMARC is the word of the domain's owner, and outweighs what passed."""
    results = [result for text in parts if (result := _result(text))]
    if any((one.method, one.result) == ("dmarc", "fail") for one in results):
        return False
    return any(_vouches(one, domain) for one in results)


def _vouches(result: _Result, domain: str) -> bool:
    if result.result != "pass":
        return False
    if result.method == "dmarc":
        return result.domain("header.from") in (domain, None)
    if result.method == "dkim":
        signer = result.domain("header.d")
        return _covers(result.domain("header.i") if signer is None else signer, domain)
    if result.method == "spf":
        return _covers(result.domain("smtp.mailfrom"), domain)
    return False


def _covers(found: str | None, domain: str) -> bool:
    if not found:
        return False
    return found == domain or ("." in found and domain.endswith(f".{found}"))


def _named(first: str) -> str:
    """The server's name in the first part, empty where there is none."""
    named = _SERVER.match(first)
    return named[1].strip('"').lower() if named and "=" not in named[1] else ""


def _parts(value: str) -> Sequence[str]:
    """What stands between semicolons outside of quotes and comments: the server, then each
    result; nothing of a value without an end, or too long."""
    whole = _uncommented(value) if len(value) <= MOST_VALUE else None
    return [] if whole is None else [found[1] for found in _PART.finditer(whole)]


def _uncommented(value: str) -> str | None:
    """Without comments, which may be nested; None where one, or a quoted string, has no end."""
    kept: list[str] = []
    depth = at = 0
    while at < len(value):
        piece = (_IN_COMMENT if depth else _OUTSIDE).match(value, at)
        assert piece is not None
        at = piece.end()
        if piece[0] == "(":
            depth += 1
            kept.append(" ")
        elif depth:
            depth -= piece[0] == ")"
        elif piece[0] == '"':
            return None
        else:
            kept.append(piece[0])
    return None if depth else "".join(kept)


def _result(text: str) -> _Result | None:
    found = _RESULT.match(text)
    if found is None:
        return None
    properties = tuple(
        ("".join(name.split()).lower(), value)
        for name, value in _PROPERTY.findall(text, found.end())
    )
    return _Result(found[1].lower(), found[2].lower(), properties)
