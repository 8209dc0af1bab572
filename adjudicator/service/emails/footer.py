"""The lines below an email: which club it is from, who runs that, and where its pages are.

They are the same for all readers and tell nothing of a match.
"""

from collections.abc import Sequence

from adjudicator.core.message import Words
from adjudicator.service.emails.value import ClubLines


def footer(club: ClubLines, tell: Words) -> Sequence[str]:
    """Return the lines; none where the settings do not tell what the club is called."""
    lines = [part for part in (club.name, tell(club.reach) if club.reach else "") if part]
    return [*lines, club.site] if lines and club.site else lines


def sign(text: str, lines: Sequence[str]) -> str:
    """Put the lines below a text as a signature, which mail programs leave out of a reply (RFC
    3676, section 4.3)."""
    return "\n".join([text.rstrip("\n"), "", "-- ", *lines, ""]) if lines else text
