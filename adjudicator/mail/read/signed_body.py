"""Whether the body of an email is the one that a domain signed (DKIM, RFC 6376, section 3.4).

Only the hash of the body is compared, which takes no network. Whether the signature is genuine can
be said only with the key that the domain has in the DNS.
"""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256

from adjudicator.mail.read.mime import Headers

_BLANKS = re.compile(rb"[ \t]+")


def domains_with_hash(headers: Headers, body: bytes) -> tuple[str, ...]:
    """Return the domains whose signatures in the head have the hash of this whole body."""
    signatures = [_tags(value) for value in headers.all("dkim-signature")]
    return tuple(tags.get("d", "").lower() for tags in signatures if _fits(tags, body))


def _tags(value: str) -> Mapping[str, str]:
    pairs = (one.partition("=") for one in value.split(";"))
    return {name.strip(): "".join(told.split()) for name, _, told in pairs}


def _fits(tags: Mapping[str, str], body: bytes) -> bool:
    if "l" in tags or not tags.get("a", "").endswith("-sha256"):  # of its first bytes only
        return False
    way = tags.get("c", "").partition("/")[2] or "simple"
    found = sha256(_canonical(body, is_relaxed=way == "relaxed")).digest()
    return b64encode(found).decode() == tags.get("bh")


def _canonical(body: bytes, *, is_relaxed: bool) -> bytes:
    lines = body.replace(b"\r\n", b"\n").split(b"\n")  # many programs keep emails with bare LF
    if is_relaxed:
        lines = [_BLANKS.sub(b" ", line).rstrip(b" ") for line in lines]
    while lines and not lines[-1]:
        del lines[-1]
    return b"\r\n".join([*lines, b""]) or (b"" if is_relaxed else b"\r\n")
