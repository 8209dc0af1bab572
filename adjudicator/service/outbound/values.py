"""Collect what every email's value has, whatever it says."""

from collections.abc import Collection

from msgspec import convert, structs

from adjudicator import __version__
from adjudicator.core.email_kinds import ValuedKind
from adjudicator.mail.address import public_address, seat_address
from adjudicator.service.base.calendar import rfc3339
from adjudicator.service.base.context import Session
from adjudicator.service.emails.value import (
    LABEL,
    Addressee,
    Beside,
    ClubLines,
    DailyTable,
    EmailText,
    EmailValue,
    digest_of,
)
from adjudicator.service.outbound.footer import club_lines
from adjudicator.service.outbound.writing import Writing
from adjudicator.store import players
from adjudicator.store.database import Tx
from adjudicator.store.email_numbers import EmailNumber, GivenNumber, give, numbers
from adjudicator.store.outgoing import DueEmail
from adjudicator.store.players import Player

UNSIGNED = ClubLines(name="", reach=None, site="")


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
    """Give a value its number: that which the email has, if it says the same as then, or else the
    next. It goes with those that stand `beside` it in a daily email."""
    match, tenure = email.match.match.id, email.holder.tenure
    own, coming = numbers(email.tx, match, email.seat, tenure, email.due.id, beside)
    if own is not None and digest_of(_with_number(value, own)) == own.digest:
        return _with_number(value, own)
    return _with_number(value, coming)


def note_number(tx: Tx, due: DueEmail, value: EmailValue) -> None:
    """Note the number that an email has with its value."""
    assert due.match_id is not None
    assert value.n is not None
    give(
        tx,
        GivenNumber(
            match_id=due.match_id,
            seat=value.to.seat,
            tenure=value.to.tenure,
            n=value.n,
            outbox_id=due.id,
            digest=digest_of(value),
        ),
    )


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
        to=Addressee(player=player.number, epoch=due.epoch or ""),
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
    to = Addressee(player=player.number if player else None, epoch=due.epoch or "")
    address = reply_to or (public_address(post) if post else None)
    value = structs.replace(
        _value(email, convert(due.kind, ValuedKind), to),
        said=said,
        beside=Beside(reply_to=address),
    )
    return value if is_signed else structs.replace(value, club=UNSIGNED)
