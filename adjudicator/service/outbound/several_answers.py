"""Write the answer to an email about several matches (club, 4.2): for each what an email to its
seat would have been answered, as things are when it is delivered."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.reports.daily import RULE
from adjudicator.reports.words import words
from adjudicator.service.base.loaded_match import Seated, Unreadable, seated
from adjudicator.service.base.session import Session
from adjudicator.service.outbound import answers
from adjudicator.service.outbox.layout import paragraphs, share_out
from adjudicator.store import turns
from adjudicator.store.database import Tx
from adjudicator.store.outgoing import DueEmail

_HEADINGS: Mapping[str, Message] = {
    "accepted": say("{match}: accepted"),
    "parked": say("{match}: to be confirmed"),
    "refused": say("{match}: NOT accepted"),
    "stuck": say("{match}: not read yet"),
}


def write_parts(
    s: Session, email: DueEmail, parts: Sequence[Mapping[str, Any]], tell: Words
) -> tuple[list[str], Message | None]:
    """Return the answer to each part of an email, under the name of its match; and of the only part
    the subject that an email to its seat would have, if there is one."""
    told = [_answer(s, email, part) for part in parts]
    texts = [f"{_heading(part, tell)}\n\n{one.text}" for part, one in zip(parts, told, strict=True)]
    return share_out(texts, tell), told[0].subject if len(told) == 1 else None


class _PartText(Struct, frozen=True):
    text: str
    subject: Message | None = None


def _heading(part: Mapping[str, Any], tell: Words) -> str:
    return f"{RULE}\n{tell(say(_HEADINGS[part['status']].text, match=part['match']))}"


def _answer(s: Session, email: DueEmail, part: Mapping[str, Any]) -> _PartText:
    if "text" in part:
        return _PartText(part["text"])
    try:
        loaded = seated(s.tx, part["match"])
    except Unreadable:  # its players are told so by themselves
        return _PartText(part["body"]["text"])
    holder = loaded.holders[part["seat"]]
    tell = words(holder.language, loaded.match.game, holder.zone)
    if (holder.player_id, holder.tenure) != (email.player_id, part["tenure"]):
        told = say("You hold no seat in {match}.", match=loaded.match.name)
        return _PartText(paragraphs([tell(told)]))
    answer = answers.write_answer(
        s, _as_to_seat(s.tx, email, part, loaded), loaded, part["body"], tell
    )
    return _PartText(answer.text, answer.subject)


def _as_to_seat(tx: Tx, email: DueEmail, part: Mapping[str, Any], loaded: Seated) -> DueEmail:
    """Return the email as if it answered one to the seat alone."""
    seat, ply, match = Seat(part["seat"]), part["ply"], loaded.match
    number = email.key.split("/")[4]  # of the email that is answered
    stored = turns.report_of(tx, match.id, ply + 1, seat) if part["kind"] == "receipt" else None
    return replace(
        email,
        key=f"{match.name}/{ply}/{seat}/{part['kind']}/{number}",
        kind=part["kind"],
        match_id=match.id,
        match=match.name,
        ply=ply,
        seat=str(seat),
        told=stored,
    )
