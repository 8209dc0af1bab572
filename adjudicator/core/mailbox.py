"""When two mail addresses are one mailbox's."""

import string

_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def folded_address(address: str) -> str:
    """Equal for two addresses of one mailbox. `str.casefold` would make ss of ß, which is another
    domain; before the @ only the letters of ASCII lose their case."""
    local, at, domain = address.rpartition("@")
    return f"{local.translate(_LOWER)}{at}{folded_domain(domain)}"


def folded_domain(domain: str) -> str:
    """A domain as it stands in the DNS, whichever way it was written (RFC 5890)."""
    return ".".join(map(_a_label, domain.lower().rstrip(".").split(".")))


def _a_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"
