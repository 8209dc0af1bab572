"""Ask the DNS about a domain: where emails to it go, and who may send emails from it.

dnspython asks, because the system's own resolver knows addresses only.
"""

from collections.abc import Sequence
from typing import Any

PATIENCE = 5.0  # seconds for one question

# Names that the public DNS never knows (RFC 6761, sections 6.3 and 6.4; RFC 6762; RFC 8375;
# ICANN's .internal).
_PRIVATE = ("invalid", "localhost", "local", "internal", "home.arpa")


class NotAsked(Exception):
    """No DNS server gave an answer. The message says why."""


def is_public(domain: str) -> bool:
    return not f".{domain.lower()}".endswith(tuple(f".{name}" for name in _PRIVATE))


def mail_hosts(domain: str) -> Sequence[str]:
    """Return the servers that the MX records name, the first to be tried first.

    An empty name means that the domain takes no emails (RFC 7505).
    """
    found = sorted(_ask(domain, "MX") or (), key=lambda record: record.preference)
    return [record.exchange.to_text(omit_final_dot=True).strip(".") for record in found]


def has_address(domain: str) -> bool:
    """Return whether emails can go to the domain's own address, as they do without an MX record
    (RFC 5321, section 5.1)."""
    return bool(_ask(domain, "A") or _ask(domain, "AAAA"))


def sender_policies(domain: str) -> Sequence[str]:
    """Return the SPF records. SPF counts only if there is exactly one (RFC 7208, section 4.5)."""
    return [text for text in _texts(domain) if text.lower().split(" ")[0] == "v=spf1"]


def key_name(domain: str, selector: str) -> str:
    """Return the DNS name of the key with which our server signs."""
    return f"{selector}._domainkey.{domain}"


def has_key(domain: str, selector: str) -> bool:
    """Return whether the domain has that DKIM key (RFC 6376, section 3.6.1)."""
    texts = _texts(key_name(domain, selector))
    parts = [part.strip() for text in texts for part in text.split(";")]
    return any(part.startswith("p=") and part != "p=" for part in parts)


def _texts(name: str) -> Sequence[str]:
    found = _ask(name, "TXT") or ()
    return [b"".join(record.strings).decode("ascii", "replace") for record in found]


def _ask(name: str, kind: str) -> Sequence[Any] | None:
    """Return the records of that kind; None if the name is not known at all."""
    # These take long to import, and few commands ask.
    from dns.exception import DNSException
    from dns.resolver import NXDOMAIN, get_default_resolver

    try:
        found = get_default_resolver().resolve(
            name, kind, search=False, raise_on_no_answer=False, lifetime=PATIENCE
        )
    except NXDOMAIN:
        return None
    except (DNSException, OSError) as trouble:
        raise NotAsked(str(trouble)) from trouble
    return list(found.rrset or ())
