"""Decide whether two mail addresses are the same mailbox."""

import string
import unicodedata
from ipaddress import ip_address
from unicodedata import normalize

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded_address(address: str) -> str:
    """Return a text that is equal for two addresses of one mailbox.

    `str.casefold` would make ss of ß, which is another domain. Before the @ only the letters of
    ASCII lose their case.
    """
    local, at, domain = address.rpartition("@")
    return f"{local.translate(_LOWER)}{at}{folded_domain(domain)}"


_GMAIL = frozenset({"gmail.com", "googlemail.com"})


def mailbox_of(address: str) -> str:
    """Return a text that is equal for the spellings in which one person can write an address: what
    stands behind a plus is left out, and at Gmail all dots before the @ are."""
    local, at, domain = folded_address(address).rpartition("@")
    local = local.partition("+")[0]
    if domain in _GMAIL:
        local, domain = local.replace(".", ""), "gmail.com"
    return f"{local}{at}{domain}"


def folded_domain(domain: str) -> str:
    """Return a domain as it stands in the DNS, whichever way it was written (RFC 5891).

    Two spellings of one letter, such as Å and an A with a combining ring, are one. Signs that only
    look alike are not mapped onto each other, for a forger would use them. A domain that no DNS
    can hold keeps its own spelling in small letters, so that it equals nothing but itself.
    """
    plain = normalize("NFC", domain.lower()).rstrip(".")
    if any(_becomes_ascii(sign) for sign in domain):
        return domain
    if plain.isascii():
        return plain
    import idna  # its tables cost every start some milliseconds, and few domains need them

    try:
        return idna.encode(plain, strict=True).decode("ascii")  # else there are four kinds of dots
    except UnicodeError:
        return plain


def _becomes_ascii(sign: str) -> bool:
    """Return whether a sign beyond ASCII has a small letter in it, as the Kelvin sign has k."""
    return not sign.isascii() and normalize("NFC", sign.lower()).isascii()


# Names and addresses of machines.


def is_loopback(host: str) -> bool:
    """Return whether a name or an address always means the machine that asks."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


# Make a player's text fit to be shown.


def one_line(text: str) -> str:
    """Return the text on one line, without control signs, direction marks and other unseen
    signs."""
    return " ".join(_all_seen(text).split())


def printable_lines(text: str) -> list[str]:
    """Split the text into lines, each without control signs, direction marks and other unseen
    signs."""
    return [_all_seen(line).rstrip() for line in text.splitlines()]


def _all_seen(text: str) -> str:
    return text if text.isprintable() else "".join(map(_visible_sign, text))


def _visible_sign(sign: str) -> str:
    return sign if sign.isprintable() else "" if unicodedata.category(sign) == "Cf" else " "
