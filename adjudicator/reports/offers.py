"""The sentences about draw offers, for each seat that reads them."""

from collections.abc import Iterator, Mapping, Sequence

from adjudicator.core.message import Message, Value, say


def offered(title: Value, players: int) -> Message:
    """Tell the other seats of an offer: how it is accepted, and how long it stands."""
    if players == 2:
        return say(
            "{seat} offers a draw. Send DRAW to accept; the offer stands until your next orders "
            "are adjudicated, or until it is withdrawn.",
            seat=title,
        )
    return say(
        "{seat} offers a draw. Send DRAW to accept; the match is drawn when all have. The offer "
        "stands until the next orders of another seat are adjudicated, or until it is withdrawn.",
        seat=title,
    )


def standing(
    offering: Sequence[str], reader: str, titles: Mapping[str, Value]
) -> Iterator[Message]:
    """Yield what a seat reads of the offers that stand; `titles` are those of all seats in play."""
    if reader in offering:
        yield say(
            "Your offer of a draw stands until the next orders of the others are adjudicated, or "
            "until you send CLEAR."
        )
    for seat in offering:
        if seat != reader and reader in offering:
            yield say("{seat} offers a draw, too.", seat=titles[seat])
        elif seat != reader:
            yield offered(titles[seat], len(titles))
