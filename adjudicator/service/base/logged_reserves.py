"""What the reserves of a match hold by the lines of its log (club, 5.2)."""

from collections.abc import Iterable, Sequence

from adjudicator.core.chain import HolderChange, Opening, PlyText
from adjudicator.service.base.bank import A_SECOND, Bank
from adjudicator.service.base.changed_options import options_after
from adjudicator.service.base.options import terms


def reserves_after(
    opening: Opening, entries: Sequence[PlyText], seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserve of each seat holds after these plies, in seconds, as the log tells
    it; None without a bank."""
    options, bank = dict(opening.options), terms(opening.options).bank
    held = reserves_begun(None, bank, seats)
    for entry in entries:
        if held is not None:
            held = with_new_holders(held, bank, entry.holders)
        told = [one.message for one in entry.rulings]
        if told and (after := options_after(options, told)) != options:
            options, bank = after, terms(after).bank
            held = reserves_begun(held, bank, seats)
        if held is not None and entry.bank:
            held = {seat: entry.bank.get(seat, n) for seat, n in held.items()}
    return held


def reserves_begun(
    held: dict[str, int] | None, bank: Bank | None, seats: Sequence[str]
) -> dict[str, int] | None:
    """Return what the reserves hold once that bank is agreed: what they held, or its START."""
    if bank is None:
        return None
    return dict.fromkeys(seats, bank.start // A_SECOND) if held is None else held


def with_new_holders(
    held: dict[str, int], bank: Bank | None, changes: Iterable[HolderChange]
) -> dict[str, int]:
    """Return what the reserves hold after seats were given away."""
    least = 0 if bank is None else bank.half
    changed = {one.seat for one in changes}
    return {seat: max(n, least) if seat in changed else n for seat, n in held.items()}
