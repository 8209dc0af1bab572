"""Read an incoming email: raw bytes to a value, with no clock, configuration or exception.

See emails, sections 2 to 5. What the email means is decided in `service`.

The sender is the one mailbox of exactly one From, by a rule stricter than RFC 5322: the stdlib
takes `alice@example.org <bob@evil.example>` for alice. One who is not understood here counts as
nobody: his email is parked, never lost.

What the server found out (Authentication-Results, RFC 8601) is read by hand because the library for
it raises on Microsoft 365's header, which names no server. A stranger chooses what is
in quoted strings, comments and local parts, so we look for nothing in there; and of a value that is
cut or torn we believe nothing.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from msgspec import Struct

from adjudicator.core.message import Message
from adjudicator.core.own_words import NO_WORDS, OwnWords
from adjudicator.core.text import folded_address, folded_domain
from adjudicator.mail.read import mime
from adjudicator.mail.read.bounces import Bounce, Signs, automatic, bounce, note, signs
from adjudicator.mail.read.mime import MOST_VALUE, Headers, part, walk, words
from adjudicator.mail.read.own_text import Texts, beside_page, find
from adjudicator.mail.read.text_parts import File, Room, page_of, read_bodies


class Limits(Struct, frozen=True):
    """The limits beyond which an email is not read (emails, section 5.1)."""

    octets: int = 256 * 1024
    text: int = 64 * 1024  # characters of the body and its attachments together
    lines: int = 10_000  # of that text, without blank ones; each costs more than its characters
    depth: int = 10
    parts: int = 50


# Who sent it, and what our own mail server found out about him.


NAMELESS = "none"  # the setting if our server writes no name of its own, like Microsoft 365

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
        """Return the domain in a property; in an address, what follows its last @ outside quotes.

        Return None if there is no such property, and an empty text if it is not understood.
        """
        value = next((value for key, value in self.properties if key == name), None)
        if value is None:
            return None
        if re.fullmatch(_QUOTED, value):
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        found = re.sub(_QUOTED, "", value).rpartition("@")[2].strip("<>")
        return "" if re.search(r'[\s"]', found) else folded_domain(found)


class Authentication(Struct, frozen=True):
    """The topmost Authentication-Results of an email, and the servers above it.

    `above` holds the names after `by` in the Received lines above it, empty where there is none.
    """

    value: str
    above: tuple[str, ...] = ()


def authentication(headers: Headers) -> Authentication | None:
    """Return the topmost Authentication-Results; whatever is below it may have come with the
    email."""
    hosts: list[str] = []
    for name, value in headers.fields:
        if name == "received":
            by = _BY.search(_drop_comments(value[:MOST_VALUE]) or "")
            hosts.append(by[1] if by else "")
        elif name == "authentication-results":
            return Authentication(value[: MOST_VALUE + 1], tuple(hosts))
        if len(hosts) > _MOST:
            break
    return None


def is_aligned(
    found: Authentication | None, sender: str, authserv_id: str, hosts: str = ""
) -> bool:
    """Return whether our server vouches for the sender's domain.

    Relaxed alignment (RFC 7489, 3.1) is accepted upwards only: without a list of public suffixes, a
    sibling domain may be anybody's.

    The value must name our server, and it must stand above the first Received of a server that is
    not ours. Ours are those with that name or one below it, and those of `hosts`: domains, or
    networks if a server writes its number. If `authserv_id` is `none`, the server does not name
    itself, and `hosts` alone decides.
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
    """Split a setting into its domains and networks, at blanks and commas."""
    return tuple(setting.replace(",", " ").lower().split())


def _is_one_of(own: Sequence[str], host: str) -> bool:
    try:
        number = ip_address(host)
    except ValueError:
        return any(_covers(folded_domain(one), folded_domain(host)) for one in own)
    return any(number in network for one in own if (network := network_of(one)))


def network_of(text: str) -> IPv4Network | IPv6Network | None:
    """Return the network that a text such as 2002:a00::/24 means; None if it is a name."""
    try:
        return ip_network(text)
    except ValueError:
        return None


def _is_from(wanted: str, first: str) -> bool:
    """Return whether the first part of a value names that server, or no server if ours has no
    name."""
    return "=" in first if wanted == NAMELESS else _server_name(first) == wanted


def _is_passed(parts: Sequence[str], domain: str) -> bool:
    """Return whether the results vouch for the domain.

    A failed DMARC is what the domain's owner says, and outweighs what passed.
    """
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


def _server_name(first: str) -> str:
    """Return the server's name in the first part; empty if there is none."""
    named = _SERVER.match(first)
    return named[1].strip('"').lower() if named and "=" not in named[1] else ""


def _parts(value: str) -> Sequence[str]:
    """Split a value at semicolons outside quotes and comments: first the server, then each result.

    Return nothing for a value that has no end or is too long.
    """
    whole = _drop_comments(value) if len(value) <= MOST_VALUE else None
    return [] if whole is None else [found[1] for found in _PART.finditer(whole)]


def _drop_comments(value: str) -> str | None:
    """Take out comments, which may be nested; return None if a comment or quoted string has no
    end."""
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


_TOKEN = re.compile(
    r'(?P<quoted>"(?:[^"\\]|\\.)*")'
    r"|(?P<comment>\((?:[^()\\]|\\.|\((?:[^()\\]|\\.)*\))*\))"  # one within another at most
    r"|(?P<angle><[^<>]*>)|(?P<text>[^\"()<>]+)|(?P<bad>.)",
    re.DOTALL,
)
_ENCODED = re.compile(r"=\?[^?\s]*\?[^?\s]*\?[^?\s]*\?=")  # a word as in RFC 2047
_SEVERAL = re.compile("[,;:]")  # a list, or a group
_MAILBOX = re.compile(
    r"[^\s\"(),:;<>@\[\]\\]{1,64}@[^\s\"(),:;<>@\[\]\\.]+(?:\.[^\s\"(),:;<>@\[\]\\.]+)*"
)


def sender(headers: Headers) -> tuple[str | None, str | None]:
    """Return the sender's address, or None and the reason why there is none."""
    found = headers.all("from")
    if headers.broken:
        return None, "broken header"
    if len(found) != 1:
        return None, "several From headers" if found else "no From header"
    if len(found[0]) > MOST_VALUE:
        return None, "From too long"
    return _mailbox(found[0])


def display_name(headers: Headers) -> str:
    """Return what the sender calls himself, on one line; empty if there is none or it is not
    understood.

    Like everything in an email, a stranger chose it.
    """
    found = headers.all("from")
    if sender(headers)[0] is None:
        return ""
    name = words(found[0], MOST_VALUE).rpartition("<")[0].strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = re.sub(r"\\(.)", r"\1", name[1:-1])
    return name.strip()


def _mailbox(value: str) -> tuple[str | None, str | None]:
    tokens = [(match.lastgroup, match[0]) for match in _TOKEN.finditer(value)]
    if any(kind == "bad" for kind, _ in tokens):
        return None, "From not understood"
    angles = [text[1:-1].strip() for kind, text in tokens if kind == "angle"]
    texts = [text for kind, text in tokens if kind == "text" and text.strip()]
    outside = "".join(texts).strip()
    if len(angles) > 1 or _SEVERAL.search(_ENCODED.sub("", outside)):
        return None, "several addresses in From"
    if not angles:
        # A comment within the address is legal (RFC 5322, section 4.4), but no program writes one.
        whole = len(texts) == 1 and not any(kind == "quoted" for kind, _ in tokens)
        return _address(outside) if whole else (None, "From not understood")
    if not _follows(tokens):
        return None, "From not understood"
    address, defect = _address(angles[0])
    if "@" in outside and folded_address(outside.strip("'")) != folded_address(address or ""):
        return None, "several addresses in From"
    return address, defect


def _follows(tokens: list[tuple[str | None, str]]) -> bool:
    """Return whether only comments follow the angle brackets."""
    kinds = [kind for kind, text in tokens if text.strip()]
    return not {"text", "quoted"} & set(kinds[kinds.index("angle") :])


def _address(text: str) -> tuple[str | None, str | None]:
    if not _MAILBOX.fullmatch(text) or not text.isprintable() or len(text) > 254:
        return None, "From not understood"
    local, _, domain = text.rpartition("@")
    return f"{local}@{domain.lower()}", None


# The email.


class Email(Struct, frozen=True):
    """An email as it was read. All strings are a stranger's words; only `subject` may be shown as
    it is."""

    sender: str | None  # the one mailbox of exactly one From, its domain in lower case
    sender_defect: str | None  # why there is none, in fixed words
    message_id: str | None  # with its angle brackets, as are `references`
    references: tuple[str, ...]  # what it answers, newest first
    date: datetime | None  # the sender's clock in UTC; a wrong one may still be in the future
    subject: str
    addressed: tuple[str, ...]  # the envelope's headers first, then To and Cc
    automatic: str | None  # why nobody wrote it: never answered
    note: str | None  # why a program must have written its words, if it has nothing else
    bounce: Bounce | None
    texts: Texts
    name: str  # what the sender calls himself; empty where he does not
    authentication: Authentication | None  # the topmost
    verdicts: tuple[str, ...]  # every Authentication-Results, whoever wrote it
    files: tuple[File, ...]  # of which nothing is read
    defects: tuple[str, ...]  # in fixed words; "truncated", "body too long" and the like refuse it
    unsound: Message | None = None  # what is wrong with orders that are JSON


DEFAULT = Limits()


def read(
    raw: bytes, *, limits: Limits = DEFAULT, ours: str = "", known: OwnWords = NO_WORDS
) -> Email:
    """Read an email; by `ours`, the club's public address, and by the words that are `known`, a
    quoted email of ours is told from its sender's words."""
    top = part(raw[: limits.octets].lstrip(b"\r\n"))
    headers, type_ = top.headers, top.type
    leaves, broken = walk(top, limits.parts, limits.depth)
    bodies = read_bodies(leaves, Room(limits.text, limits.lines))
    told = bodies.attachments
    texts = find(bodies.body, told, html_only=bodies.html_only, ours=ours, known=known)
    if bodies.pages and not texts.is_whole:
        page = page_of(bodies.pages, Room(limits.text, limits.lines))
        texts = beside_page(texts, find(page, told, html_only=True, ours=ours, known=known))
    address, defect = sender(headers)
    defects = ["truncated"] if len(raw) > limits.octets else []
    defects += ["broken header"] if headers.broken else []
    return Email(
        sender=address,
        sender_defect=defect,
        message_id=mime.message_id(headers),
        references=mime.references(headers),
        date=mime.date(headers),
        subject=mime.subject(headers),
        addressed=mime.recipients(headers),
        automatic=automatic(headers, type_),
        note=note(headers, leaves, bodies.body, texts.bare),
        bounce=bounce(headers, type_, leaves),
        texts=texts,
        name=display_name(headers),
        authentication=authentication(headers),
        verdicts=headers.all("authentication-results"),
        files=bodies.files,
        defects=(*defects, *broken, *bodies.defects),
        unsound=bodies.unsound,
    )


def signs_of(raw: bytes, *, limits: Limits = DEFAULT) -> Signs:
    """Return the signs of a bounce, in an email that need be none in form."""
    top = part(raw[: limits.octets].lstrip(b"\r\n"))
    leaves, _ = walk(top, limits.parts, limits.depth)
    body = read_bodies(leaves, Room(limits.text, limits.lines)).body
    return signs(top.headers, top.type, leaves, body)


def references_of(raw: bytes) -> tuple[str, ...]:
    """Return the Message-IDs that an email answers, newest first; only its head is read."""
    return mime.references(part(raw[: DEFAULT.octets].lstrip(b"\r\n")).headers)


def arrival_time(raw: bytes, *, limits: Limits = DEFAULT) -> datetime | None:
    """Return when the last server on the way took the email; None if it does not say."""
    return mime.arrival_time(part(raw[: limits.octets].lstrip(b"\r\n")).headers)


def body_of(raw: bytes) -> bytes:
    """Return all below the head.

    On the way servers add to the head; in the body they change nothing but line ends.
    """
    return mime.below(raw).replace(b"\r\n", b"\n").strip()


def passes(email: Email, authserv_id: str, hosts: str = "") -> bool:
    """Return whether our server vouches for the sender (emails, section 3, `token+auth`).

    If the server has no name (`authserv_id` is `none`), `hosts` is the domain in its own Received.
    """
    return email.sender is not None and is_aligned(
        email.authentication, email.sender, authserv_id, hosts
    )
