"""Make a link that opens the reader's mail program with a letter begun (RFC 6068)."""

from collections.abc import Sequence
from urllib.parse import quote

MOST = 2000  # characters; longer links are cut off or refused by mail programs and shells
_IN_ADDRESS = "@!$'*+,:._~-"  # what may stand in an address unescaped (RFC 6068, section 2)


def mailto(address: str, subject: str, lines: Sequence[str]) -> str:
    """Return the link with `lines` as the letter's text, or without them if it would be too
    long."""
    begun = f"mailto:{quote(address, safe=_IN_ADDRESS)}?subject={quote(subject, safe='')}"
    body = quote("\r\n".join([*lines, ""]), safe="")
    whole = f"{begun}&body={body}"
    return whole if len(whole) <= MOST else begun
