"""Read a page of a club's site that lists the heads of a match's log, as a player saved it."""

import re

from msgspec import Struct

_LIST = re.compile(
    r'<table class="heads" data-match="([a-z][a-z0-9-]{0,23})" data-epoch="([a-z]*)">(.*?)</table>',
    re.S,
)
_ROW = re.compile(
    r'<th scope="row"[^>]*>(\d{1,9})</th>[^\n]*?<code class="digest">([0-9a-f]{64})</code>'
)


class ListedHeads(Struct, frozen=True):
    """The match, its epoch, None if the page names none, and (ply, head), the oldest first."""

    match: str
    epoch: str | None
    heads: tuple[tuple[int, str], ...]


def in_page(html: str) -> ListedHeads | None:
    """Return what a page lists; None if it lists no heads."""
    found = _LIST.search(html)
    if found is None:
        return None
    rows = sorted((int(ply), head) for ply, head in _ROW.findall(found[3]))
    return ListedHeads(found[1], found[2] or None, tuple(rows)) if rows else None
