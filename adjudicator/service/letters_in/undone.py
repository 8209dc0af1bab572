"""Know a letter that answers what this club never sent: a report from before a backup was restored,
of a part of the match that the restore has undone (letters, section 4)."""

from collections.abc import Iterable

from adjudicator.core.command_table import TABLE
from adjudicator.core.sheets import Origin
from adjudicator.mail.address import match_of_message_id, seat_of_message_id
from adjudicator.service.letters_in import answer, turn_answered
from adjudicator.service.letters_in.conversation import Talk
from adjudicator.service.letters_in.said import Content
from adjudicator.service.match import sheet_time
from adjudicator.store import outbox

_ASKING = frozenset(word for word, row in TABLE.items() if row.does != "acts")


def is_answered_by(talk: Talk, content: Content) -> bool:
    """Return whether a letter would do something in the match and answers an undone report.

    The sheets themselves say with which report they were made; of all else that decides to which
    letter of ours it is a reply. A code is bound to what it confirms; words alone do nothing.
    """
    origins = [raw.head.origin if raw.head else None for raw in content.reading.sheets]
    if any(one and not sheet_time.is_of_ours(talk.tx, talk.loaded, one) for one in origins):
        return True
    if _all(origins) or _does_nothing(talk, content):
        return False
    return _is_reply(talk)


def _all(origins: Iterable[Origin | None]) -> bool:
    found = list(origins)
    return bool(found) and None not in found


def _does_nothing(talk: Talk, content: Content) -> bool:
    """Return whether a letter only asks for something, or is of words alone."""
    if content.presses or content.jottings or content.reading.sheets:
        return False
    if not content.words <= _ASKING:
        return False
    return answer.is_of_words(talk, content) or bool(content.words and not content.is_bare)


def _is_reply(talk: Talk) -> bool:
    """Return whether the newest letter of ours to which this one refers went to its seat's holder,
    and is none that we know."""
    post, match = talk.means.post, talk.loaded.match
    assert post is not None
    ours = next((one for one in talk.references if match_of_message_id(post, one)), None)
    holder = (match.name, talk.seat, talk.holder.tenure)
    if ours is None or seat_of_message_id(post, ours, [holder]) is None:
        return False
    told = outbox.told(talk.tx, match.id, talk.seat)
    return not any(turn_answered.is_id_of(talk, ours, one) for one in told)
