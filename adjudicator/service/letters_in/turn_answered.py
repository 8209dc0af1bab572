"""Find the turn for a sheet that names none: that of the report which its letter answers
(interface, section 2).

So a late answer never orders for a turn that its writer has not seen.
"""

from collections.abc import Sequence

from msgspec import structs

from adjudicator.mail.address import Post, match_of_message_id, message_id
from adjudicator.mail.read.letter import references_of
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.store import inbox, outbox, turns
from adjudicator.store.outbox import Told

_TELLING = frozenset({"report", "reminder", "receipt", "refusal"})


def turn_of(talk: Talk) -> int | None:
    """Return the turn that the letter answers, or the one that waited to be confirmed.

    Return None if it answers nothing that tells of a turn.
    """
    return _turn(talk, _ply_answered(talk))


def ply_of(talk: Talk) -> int | None:
    """Return the ply whose report the letter answers, or the last one before it came, if it
    waited to be confirmed and answers none. Return None if it answers none and came just now."""
    ply = _ply_answered(talk)
    if ply is None and talk.parked_ply is not None:
        return talk.parked_ply - 1
    return ply


def is_id_of(talk: Talk, message_id: str, told: Told) -> bool:
    """Return whether a Message-ID is that of a letter of ours to the talk's seat."""
    post = talk.means.post
    assert post is not None
    return message_id.strip().lower() in _ids(post, talk, told)


def _ply_answered(talk: Talk) -> int | None:
    if talk.parked is None:
        return _answered_ply(talk, talk.references)
    raw = inbox.envelope(talk.tx, talk.parked).raw
    return _answered_ply(talk, references_of(raw))


def _turn(talk: Talk, ply: int | None) -> int | None:
    """Return the turn that was to be ordered after that ply; the ply may have been taken back."""
    match = talk.loaded.match
    if ply is None or ply > match.ply:
        return None
    return match.turn if ply == match.ply else turns.one(talk.tx, match.id, ply).turn


def _answered_ply(talk: Talk, references: Sequence[str]) -> int | None:
    """Return the ply of the newest letter of ours to which a letter refers."""
    post, match = talk.means.post, talk.loaded.match
    assert post is not None
    ours = next((one for one in references if match_of_message_id(post, one) == match.name), None)
    if ours is None:
        return None
    for told in outbox.told(talk.tx, match.id, talk.seat):
        if ours.lower() in _ids(post, talk, told):
            return _ply(told)
    return None


def _ids(post: Post, talk: Talk, told: Told) -> set[str]:
    """Return the Message-IDs of a letter under each of our keys."""
    match, seat, tenure = talk.loaded.match.name, talk.seat, talk.holder.tenure
    posts = (structs.replace(post, keys=(one,)) for one in post.keys)
    ids = (message_id(one, told.key, match, seat, tenure, told.epoch) for one in posts)
    return {one.lower() for one in ids}


def _ply(told: Told) -> int | None:
    """Return the ply whose report a letter answers.

    Reminders, receipts and refusals tell of a turn; notices and press tell of none.
    """
    if told.kind not in _TELLING:
        return None
    return told.ply - 1 if told.kind == "reminder" else told.ply
