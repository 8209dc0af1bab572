"""An email that is being written: its row, match and reader, its value, its button, and what it
says before it has an envelope."""

import re
from collections.abc import Collection, Sequence
from typing import Any

from msgspec import Struct, convert, structs
from msgspec.json import decode

from adjudicator import __version__
from adjudicator.core.email_kinds import ValuedKind
from adjudicator.core.match import Seat
from adjudicator.core.message import Message, Words, say
from adjudicator.mail.address import message_id, public_address, seat_address
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Context, Session, reach_game_master
from adjudicator.service.base.loaded_match import Seated
from adjudicator.service.emails.links import EmailReader
from adjudicator.service.emails.paragraphs import EmailContents
from adjudicator.service.emails.value import (
    LABEL,
    Addressee,
    Ask,
    Beside,
    ClubLines,
    DailyTable,
    EmailText,
    EmailValue,
    Opens,
    SmallBoard,
    digest_of,
)
from adjudicator.service.emails.wording import text_of
from adjudicator.service.inbound.codes import NO
from adjudicator.service.inbound.parsed_email import content_of
from adjudicator.store import clubs, email_numbers, pending, players
from adjudicator.store.database import Tx
from adjudicator.store.email_numbers import EmailNumber
from adjudicator.store.matches import Holder
from adjudicator.store.outgoing import DueEmail
from adjudicator.store.players import Player

UNSIGNED = ClubLines(name="", reach=None, site="")


class Writing(Session, frozen=True, kw_only=True):
    """An email that is written at a time, in a transaction that can read its match.

    `body` is what its row says beside its key; `loaded` is None if it is of no match, or if that
    match cannot be read and the email goes to no seat of it.
    """

    due: DueEmail
    loaded: Seated | None
    body: Any
    reader: EmailReader

    @property
    def tell(self) -> Words:
        return self.reader.words

    @property
    def match(self) -> Seated:
        assert self.loaded is not None
        return self.loaded

    @property
    def seat(self) -> Seat:
        assert self.due.seat is not None
        return Seat(self.due.seat)

    @property
    def holder(self) -> Holder:
        return self.match.holders[self.seat]

    @property
    def title(self) -> str:
        """Return the seat's name as its holder calls it."""
        return self.tell(self.match.game.seat_titles[self.seat])

    @property
    def message_id(self) -> str:
        """Return the Message-ID of an email to a seat."""
        assert self.context.post is not None
        match, tenure = self.match.match.name, self.holder.tenure
        key, epoch = self.due.key, self.due.epoch
        return message_id(self.context.post, key, match, self.seat, tenure, epoch)


def begin(s: Session, due: DueEmail, loaded: Seated | None) -> Writing:
    """Return what is needed to write an email, in the language of its reader: a seat's holder,
    another player, a stranger, or the operator."""
    body = decode(due.body)
    reader = _reader_of(s.tx, due, loaded, body)
    return Writing(
        tx=s.tx, due=due, loaded=loaded, body=body, reader=reader, now=s.now, context=s.context
    )


def is_to_address(body: Any) -> bool:
    """Return whether an email has the address of its reader in its row: it answers one to the
    public address, or goes out from a personal one."""
    return isinstance(body, dict) and "to" in body


def _reader_of(tx: Tx, due: DueEmail, loaded: Seated | None, body: Any) -> EmailReader:
    game = loaded.match.game if loaded else ""
    if loaded and due.seat:
        holder = loaded.holders[due.seat]
        return EmailReader(holder.language, holder.zone, game)
    if due.player_id is not None:
        player = players.one(tx, due.player_id)
        return EmailReader(player.language, player.zone, game)
    return EmailReader(body.get("language", "en") if is_to_address(body) else "en", game=game)


class EmailBody(Struct, frozen=True, kw_only=True):
    """What an email says, before it has an envelope: its value, from which it is written, and the
    earlier reports on which its page looks back."""

    value: EmailValue
    past: Sequence[Any] = ()
    png: bytes | None = None
    boards: Sequence[bytes] = ()  # small pictures, in the order of their Content-IDs
    to_name: str = ""
    answers: str | None = None
    reply_to: str | None = None  # of an email that is to no seat
    since: int | None = None  # the first ply of which it tells, if its row does not say so
    carries: Sequence[int] = ()  # the ids of receipts that stand in it
    unsubscribe: str | None = None  # the link by which its reader says no for good


def club_lines(context: Context) -> ClubLines:
    return ClubLines(name=context.club, reach=reach_game_master(context), site=context.site_url)


def value_to_seat(email: Writing, kind: ValuedKind, *, part: bool = False) -> EmailValue:
    """Return the value of an email to a seat that says nothing yet and has no number."""
    match = email.match.match
    to = Addressee(match=match.name, seat=email.seat, tenure=email.holder.tenure, epoch=match.epoch)
    return _value(email, kind, to, part=part)


def _value(email: Writing, kind: ValuedKind, to: Addressee, *, part: bool = False) -> EmailValue:
    return EmailValue(
        adjud=__version__,
        label=LABEL,
        kind=kind,
        part=part,
        to=to,
        at=rfc3339(email.due.created_at),
        language=email.reader.language,
        zone=email.reader.zone,
        club=club_lines(email.context),
    )


def give_number(email: Writing, value: EmailValue, *, beside: Collection[int] = ()) -> EmailValue:
    """Give a value to a seat its number: that which the email has, if it says the same as then, or
    else the next. It goes with those that stand `beside` it in a daily email."""
    match, tenure = email.match.match.id, email.holder.tenure
    numbers = email_numbers.of_seat(email.tx, match, email.seat, tenure, email.due.id, beside)
    return _numbered(value, *numbers)


def give_personal_number(tx: Tx, due: DueEmail, value: EmailValue) -> EmailValue:
    """Give a value its number among those to its player and to no seat, likewise; none to one that
    goes to nobody whom the club knows by a number."""
    if not is_personal(value):
        return value
    assert due.player_id is not None
    return _numbered(value, *email_numbers.of_player(tx, due.player_id, due.id))


def is_personal(value: EmailValue) -> bool:
    """Return whether an email goes to a player and to no seat."""
    return value.to.player is not None and not value.to.match


def note_number(tx: Tx, due: DueEmail, value: EmailValue) -> None:
    """Note the number that an email has with its value."""
    assert value.n is not None
    n, digest = value.n, digest_of(value)
    if is_personal(value):
        assert due.player_id is not None
        email_numbers.note_of_player(tx, due.player_id, n, due.id, digest)
    else:
        tenure = value.to.tenure
        email_numbers.note_of_seat(tx, due.match_id, due.seat, tenure, n, due.id, digest)


def _numbered(value: EmailValue, own: EmailNumber | None, coming: EmailNumber) -> EmailValue:
    if own is not None and digest_of(_with_number(value, own)) == own.digest:
        return _with_number(value, own)
    return _with_number(value, coming)


def _with_number(value: EmailValue, number: EmailNumber) -> EmailValue:
    return structs.replace(value, n=number.n, before=number.before, skipped=number.skipped)


def said_to_seat(email: Writing, kind: ValuedKind, said: EmailText) -> EmailValue:
    """Return the value of an email to a seat that is no report."""
    post, match = email.context.post, email.match.match.name
    address = seat_address(post, match, email.seat, email.holder.tenure) if post else None
    beside = Beside(reply_to=address)
    return structs.replace(value_to_seat(email, kind), said=said, beside=beside)


def daily_value(
    s: Session,
    due: DueEmail,
    player: Player,
    table: DailyTable,
    parts: tuple[EmailValue, ...],
) -> EmailValue:
    """Return the value of a daily email."""
    return EmailValue(
        adjud=__version__,
        label=LABEL,
        kind="daily",
        part=False,
        to=Addressee(player=player.id, epoch=clubs.epoch(s.tx)),
        at=rfc3339(due.created_at),
        language=player.language,
        zone=player.zone,
        club=club_lines(s.context),
        table=table,
        parts=parts,
    )


def said_to_person(
    email: Writing, said: EmailText, reply_to: str | None = None, *, is_signed: bool = True
) -> EmailValue:
    """Return the value of an email to no seat: to a player, to a stranger, or to the operator,
    whose emails are not signed. Its reader writes `reply_to` that address, or else to the public
    one."""
    due, post = email.due, email.context.post
    player = players.one(email.tx, due.player_id) if due.player_id is not None else None
    to = Addressee(player=player.id if player else None, epoch=clubs.epoch(email.tx))
    address = reply_to or (public_address(post) if post else None)
    value = structs.replace(
        _value(email, convert(due.kind, ValuedKind), to),
        said=said,
        beside=Beside(reply_to=address),
    )
    return value if is_signed else structs.replace(value, club=UNSIGNED)


# The button of an email with a code. That is found in the email's own text: the one line that its
# reader would send. So every email with a code has its button, and none opens anything else than
# what the text says.

_CODE = r"([0-9A-Z]{4,12})"
_CONFIRM, _ACCEPT, _DECLINE = "CONFIRM", "ACCEPT", "DECLINE"


def ask_of(
    email: Writing,
    contents: EmailContents,
    *,
    is_invitation: bool = False,
    boards: Sequence[tuple[str, SmallBoard]] = (),
) -> Ask | None:
    """Return the button of an email: for the one code in its text, if there is one. An invitation
    has small `boards`, beside the paragraphs that these texts are."""
    parts = text_of(contents, email.reader).strip("\n").split("\n\n")
    found = _code_in(parts, email.tell)
    if found is None:
        return None
    at, word, code = found
    says_no = is_invitation or word == _ACCEPT
    label = say("Yes, I accept") if word == _ACCEPT else _act(email, code)
    if is_invitation:
        label = say("Yes, I'll play")
    above = 2 if says_no else max(at - 1, 1)
    plain = [" ".join(part.split()) for part in parts]
    return Ask(
        above=above,
        button=Opens(label=label, lines=(f"{word} {code}",)),
        told=(say("It opens an email. Just send it."),),
        ways=(Opens(label=NO, lines=(f"{_DECLINE} {code}",)),) if says_no else (),
        only_text=_links_in(parts, above),
        boards=tuple(
            SmallBoard(at=plain.index(" ".join(told.split())), game=one.game, picture=one.picture)
            for told, one in boards
        ),
    )


def _links_in(parts: Sequence[str], above: int) -> tuple[int, ...]:
    """Return where a text has links in place of buttons, and the paragraph above them."""
    links = (at for at, part in enumerate(parts) if at >= above and part.startswith("mailto:"))
    at = next(links, None)
    return () if at is None else (*([at - 1] if at > above else []), at)


def _code_in(parts: Sequence[str], tell: Words) -> tuple[int, str, str] | None:
    """Return where the one line stands that the reader would send for a yes, its command and its
    code; None if there is no such line, or more than one."""
    found = []
    for word in (_CONFIRM, _ACCEPT):
        form = re.compile(rf"(?:{word}|{re.escape(_word_for(word, tell))}) {_CODE}")
        found += [
            (at, word, told[1])
            for at, part in enumerate(parts)
            for line in part.split("\n")
            if (told := form.fullmatch(line.strip()))
        ]
    return found[0] if len(found) == 1 else None


def _word_for(word: str, tell: Words) -> str:
    return tell({_CONFIRM: say("CONFIRM"), _ACCEPT: say("ACCEPT")}[word])


def _act(email: Writing, code: str) -> Message:
    """Say what a code does, as the button's words."""
    tx, due, loaded = email.tx, email.due, email.loaded
    if loaded is not None and due.seat:
        tenure = loaded.holders[due.seat].tenure
        for one in pending.waiting(tx, loaded.match.id, due.seat, tenure):
            if one.code == code and "RESIGN" in content_of(one.text).words:
                return say("Resign {match}", match=loaded.match.name)
    return say("Confirm")
