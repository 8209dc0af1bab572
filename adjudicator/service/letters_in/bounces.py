"""Deal with letters of ours that came back (letters, section 6). Nothing here is ever answered."""

from datetime import datetime, timedelta

from adjudicator.core.mailbox import folded_address
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, say
from adjudicator.mail.address import Bounce, is_bounce_of
from adjudicator.mail.read.bounces import fate
from adjudicator.mail.read.letter import Letter
from adjudicator.service.base.environment import Means
from adjudicator.service.base.loaded_match import Unreadable, load, seated
from adjudicator.service.match import waiting
from adjudicator.service.match.told_to_all import tell_all
from adjudicator.service.outbox import to_queue
from adjudicator.store import came_back, handing_over, matches, outbox
from adjudicator.store.came_back import Returned
from adjudicator.store.database import Tx

REMEMBERED = timedelta(days=60)  # a later bounce is nobody's
AGAIN = timedelta(hours=1)  # until the second try

_UNTOLD = frozenset({"reminder", *outbox.ANSWERS})
_ASTRAY = "to the address for bounces, but none"


def take_back(
    tx: Tx,
    letter: Letter,
    to: Bounce,
    *,
    has_sender: bool,
    is_orders: bool,
    now: datetime,
    means: Means,
) -> str:
    """Note what became of our letter; return why what came is set aside.

    `has_sender` says that its envelope names a sender, `is_orders` that a person wrote
    orders to the wrong address.
    """
    assert means.post is not None
    ours = came_back.returned(tx, to.tag, now - REMEMBERED)
    if ours is None or not is_bounce_of(means.post, to, ours.key, ours.epoch):
        return "a bounce of no letter of ours"
    told = letter.bounce
    why = (
        f"came back: {(told and told.action) or 'no word'} {(told and told.status) or ''}".rstrip()
    )
    from_reader = _is_from_reader(ours, letter)
    match fate(told, letter.signs, from_reader=from_reader, has_sender=has_sender):
        case "failed":
            if ours.status == "sent":
                _failed(tx, ours, why, now, means)
            return "a bounce"
        case "unclear" if is_orders:
            return _ASTRAY
        case "unclear":
            if ours.status == "sent":
                outbox.update(tx, ours.id, reason=why)
                _ask(tx, ours, now, means)
            return "a letter to the address for bounces that does not say what became of ours"
        case _ if told is None and from_reader:
            return _ASTRAY
        case _:
            outbox.update(tx, ours.id, reason=why)
            return "a bounce that is not the last word"


def _is_from_reader(ours: Returned, letter: Letter) -> bool:
    """Return whether a letter is from the address to which ours went."""
    if not ours.address or letter.sender is None:
        return False
    return folded_address(ours.address) == folded_address(letter.sender)


def _ask(tx: Tx, ours: Returned, now: datetime, means: Means) -> None:
    """Tell the game master, once for each letter of ours, that it may have come back.

    What came is not quoted: it may hold our letter, and the game master may play. Of a reminder, an
    answer or a request to confirm nothing is told, for it would say who has sent orders.
    """
    if (
        not (ours.match and ours.seat)
        or ours.kind in _UNTOLD
        or came_back.is_to_former(tx, ours.id)
    ):
        return
    loaded = seated(tx, ours.match)
    told = say(
        "Something came back to the return address of an email to {seat}. It does not say whether "
        "that email arrived, so nothing was sent again. Please ask the player whether they get the "
        "club's emails. If their address is wrong, `adjud player set NAME --address NEW` changes "
        "it.",
        seat=loaded.game.seat_titles[Seat(ours.seat)],
    )
    to_queue.queue_alert_once(tx, loaded.match, ours.key, {"told": told}, now=now, means=means)


def refuse(tx: Tx, ours: Returned, why: str, *, now: datetime, means: Means) -> Message:
    """Note that a server refused a report for good; return what the operator reads."""
    _failed(tx, ours, why, now, means)
    if ours.bounces == 0:
        return say("{letter} was refused and is tried once more: {why}", letter=ours.key, why=why)
    return say("{letter} was refused again: {why}", letter=ours.key, why=why)


def _failed(tx: Tx, ours: Returned, why: str, now: datetime, means: Means) -> None:
    """Note that a letter failed.

    If it went to somebody who no longer holds the seat, nobody needs to do anything.
    """
    handing_over.hold_match(tx, ours.id)
    if came_back.is_to_former(tx, ours.id):
        outbox.update(tx, ours.id, status="bounced", next_at=None, reason=why)
        return
    if ours.kind == "report" and ours.bounces == 0:
        again = now + AGAIN
        outbox.update(tx, ours.id, status="waiting", tries=0, next_at=again, bounces=1, reason=why)
        return
    bounces = ours.bounces + 1
    outbox.update(tx, ours.id, status="bounced", next_at=None, bounces=bounces, reason=why)
    if ours.kind == "report" and ours.match and ours.seat:
        _alert(tx, ours.match, Seat(ours.seat), now, means)


def _alert(tx: Tx, name: str, seat: Seat, now: datetime, means: Means) -> None:
    """Tell the game master, and hold the match if its option says so."""
    try:
        loaded = load(tx, name)
    except Unreadable as unread:
        waiting.lay_aside(tx, unread, now=now, means=means)
        return
    match = loaded.match
    told = say(
        "A report to {seat} came back twice: the address on file takes no letters. "
        "`adjud player set NAME --address NEW` mends it.",
        seat=loaded.game.seat_titles[seat],
    )
    to_queue.queue_alert(tx, loaded.match, {"told": told}, now=now, means=means)
    matches.update(tx, match.id, trouble="a report came back twice; is the address right?")
    if match.options.get("hold_on_bounce") == "true" and match.status == "playing":
        matches.update(tx, match.id, status="held", held_at=now)
        waits = say("The match is held, because a report could not be delivered.")
        tell_all(tx, load(tx, name), "hold", waits, now=now, means=means)
