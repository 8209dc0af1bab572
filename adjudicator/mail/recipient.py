"""Decide to which addresses a letter can go."""

import re

from adjudicator.core.mailbox import folded_domain

# One plain mailbox. RFC 5322 also allows a comma or a quoted blank, but some server on the way will
# drop such a letter; so a player who is entered with such an address is asked for another.
MAILBOX = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}", re.ASCII)


def is_mailbox(address: str) -> bool:
    return MAILBOX.fullmatch(address) is not None


def in_ascii(address: str) -> str:
    """Return the address with its domain as servers write it: blåbær.no is xn--blbr-roah.no."""
    local, at, domain = address.rpartition("@")
    return address if domain.isascii() else f"{local}{at}{folded_domain(domain)}"
