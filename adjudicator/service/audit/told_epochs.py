"""Find in a paper in which epoch of its club it was made, and which restores it tells of."""

import re

from msgspec import Struct

# The same in every language of ours: `Epoch kqxmd ends with ply 22, epoch wvtrn begins.`
_RESTORE = re.compile(r"\bepo\w+ ([a-z]{3,5}) \D{1,40}?(\d{1,9}), epo\w+ ([a-z]{3,5})\b", re.I)
_EPOCH = re.compile(r"^epo\w+: ([a-z]{3,5})$", re.I | re.M)
_HEAD = re.compile(r"^ORDR?ER?S? .*\bepo\w+ ([a-z]{3,5})\d{1,9}\s*$", re.I | re.M)
_ID = re.compile(r"<[a-z2-7]{16}\.([a-z0-9-]+)\.(?:([a-z]{3,5})\.)?[a-z2-7]{16}@.*>", re.I | re.S)


class Restore(Struct, frozen=True, order=True):
    """Tell that a club was restored: after that ply of the epoch `ended` the match was played on
    anew, in the epoch `begun`."""

    ply: int
    ended: str
    begun: str


def restores_in(text: str) -> tuple[Restore, ...]:
    """Return the restores of which a text tells, however its lines are broken."""
    said = re.sub(r"[\s|]+", " ", text)
    found = (one.groups() for one in _RESTORE.finditer(said))
    return tuple(dict.fromkeys(Restore(int(ply), ended, begun) for ended, ply, begun in found))


def epoch_in(text: str) -> str | None:
    """Return the epoch that a report names; None if it names none."""
    found = _EPOCH.search(text) or _HEAD.search(text)
    return found[1].lower() if found else None


def of_letter(message_id: str) -> tuple[str, str] | None:
    """Return the match of a letter and its epoch, which is empty before the club's first restore;
    None if it is none of ours to a seat."""
    found = _ID.fullmatch(message_id.strip())
    return (found[1].lower(), (found[2] or "").lower()) if found else None
