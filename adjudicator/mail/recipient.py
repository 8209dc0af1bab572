"""Which addresses a letter can go to."""

import re

from adjudicator.core.mailbox import folded_domain

# One plain mailbox. RFC 5322 would allow a comma or a quoted blank; who has those is asked for
# another address when he is entered, for some server on the way will drop them.
MAILBOX = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}", re.ASCII)


def is_mailbox(address: str) -> bool:
    return MAILBOX.fullmatch(address) is not None


def in_ascii(address: str) -> str:
    """The address with its domain as servers write it: blåbær.no is xn--blbr-roah.no."""
    local, at, domain = address.rpartition("@")
    return address if domain.isascii() else f"{local}{at}{folded_domain(domain)}"
